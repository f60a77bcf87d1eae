/** What an MCP server of the operator’s has to offer: its lists, cleaned and kept for a while, and what is asked of it. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Caller } from '../parts.ts';
import type { ConnectionParts } from './connection.ts';
import { McpConnection } from './connection.ts';
import { cleanText, RPC_CODES, parameterHeaders, RpcFault } from './protocol.ts';
import { isOffered, type McpServer } from './settings.ts';

/** What is listed, and how it is asked for. */
export const LISTS = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const;
export type Listed = keyof typeof LISTS;

export interface Listing {
  readonly items: readonly JsonObject[];
  /** What is left out, and why, in words for people. */
  readonly leftOut: readonly string[];
}

/** A request for one source, with the source’s own names. */
export interface SourceRequest {
  readonly caller: Caller;
  readonly method: string;
  readonly params: JsonObject;
  /** Of the client, where it has one. */
  readonly session: string;
  readonly capabilities?: JsonObject;
  readonly notify?: (message: JsonObject) => void;
  /** The caller’s request, for sources of this process. */
  readonly origin?: object;
}

export interface McpSource {
  readonly name: string;
  /** US dollars of one call of a tool. */
  readonly pricePerCall: number;
  /** Throws RpcFault or GatewayError: what cannot be listed is not an empty list. */
  list(kind: Listed): Promise<Listing>;
  request(asked: SourceRequest): Promise<JsonObject>;
}

/** Where a server does not say how long a list is good for. */
const USUAL_FRESH_MS = 30_000;
const LONGEST_FRESH_MS = 3_600_000;
/** A server that failed is not asked again at once for a list that everybody waits for. */
const FAILED_FRESH_MS = 3_000;
const LONGEST_LIST_MS = 15_000;
const MOST_PAGES = 100;
/** JSON of one tool, prompt or resource. */
const LARGEST_ITEM = 64 * 1024;
const LONGEST_TEXT = 16 * 1024;
/** As the specification has names of tools. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MOST_TOLD = 20;

interface Kept {
  readonly listing: Promise<Listing>;
  until: number;
}

/** A server of the operator’s. Its lists are the same for all callers: it knows the gateway, not them. */
export class ServerSource implements McpSource {
  readonly name: string;
  readonly pricePerCall: number;
  readonly connection: McpConnection;
  readonly #server: McpServer;
  readonly #now: () => number;
  readonly #kept = new Map<Listed, Kept>();

  constructor(server: McpServer, parts: ConnectionParts) {
    this.name = server.name;
    this.pricePerCall = server.pricePerCall;
    this.connection = new McpConnection(server, parts);
    this.#server = server;
    this.#now = parts.now;
  }

  list(kind: Listed): Promise<Listing> {
    const known = this.#kept.get(kind);
    if (known !== undefined && this.#now() < known.until) return known.listing;
    const kept: Kept = { listing: this.#gather(kind, (ms) => (kept.until = this.#now() + ms)), until: Infinity };
    this.#kept.set(kind, kept);
    kept.listing.catch(() => (kept.until = this.#now() + FAILED_FRESH_MS));
    return kept.listing;
  }

  async request({ caller, method, params, origin: _origin, ...asked }: SourceRequest): Promise<JsonObject> {
    const { name } = params;
    const tool = method === 'tools/call' ? await this.#tool(name) : undefined;
    return this.connection.request({
      ...asked,
      method,
      params,
      signal: caller.signal,
      ...(tool !== undefined && { inputSchema: tool['inputSchema'] }),
    });
  }

  /** Only what is listed is called: what the operator left out is nobody’s. */
  async #tool(name: Json | undefined): Promise<JsonObject> {
    const { items } = await this.list('tools');
    const tool = items.find((each) => each['name'] === name);
    if (tool !== undefined) return tool;
    throw new RpcFault(
      RPC_CODES.invalidParams,
      `the MCP server '${this.name}' has no tool '${cleanText(nameText(name), 128)}'`,
    );
  }

  async #gather(kind: Listed, fresh: (ms: number) => void): Promise<Listing> {
    const found: JsonObject[] = [];
    const signal = AbortSignal.timeout(LONGEST_LIST_MS);
    let freshMs = Infinity;
    let cursor: Json | undefined;
    for (let page = 0; ; page++) {
      const result = await this.#page(kind, cursor, signal);
      const items = result[kind];
      if (Array.isArray(items)) found.push(...items.filter(isJsonObject));
      if (found.length > this.#server.mostListed || page > MOST_PAGES)
        throw this.#malformed(`lists more than ${this.#server.mostListed} ${WORDS[kind]}`);
      const { ttlMs } = result;
      freshMs = Math.min(freshMs, typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : USUAL_FRESH_MS);
      cursor = result['nextCursor'];
      if (typeof cursor !== 'string' || cursor === '') break;
    }
    const listing = this.#cleaned(kind, found);
    fresh(Math.min(freshMs, LONGEST_FRESH_MS));
    return listing;
  }

  async #page(kind: Listed, cursor: Json | undefined, signal: AbortSignal): Promise<JsonObject> {
    const params = typeof cursor === 'string' ? { cursor } : {};
    try {
      return await this.connection.request({ method: LISTS[kind], params, session: '', signal });
    } catch (error) {
      // It has nothing of the kind.
      if (error instanceof RpcFault && error.code === RPC_CODES.methodNotFound) return { [kind]: [] };
      if (!signal.aborted) throw error;
      throw new GatewayError(
        'upstream_timeout',
        `the MCP server '${this.name}' took longer than ${LONGEST_LIST_MS / 1000} seconds to list its ${WORDS[kind]}`,
      );
    }
  }

  #cleaned(kind: Listed, found: readonly JsonObject[]): Listing {
    const seen = new Set<string>();
    const leftOut: string[] = [];
    const items: JsonObject[] = [];
    for (const item of found) {
      const name = item[NAMED[kind]];
      if (kind === 'tools' && typeof name === 'string' && !isOffered(this.#server, name)) continue;
      const why = whyNot(kind, item, seen);
      if (why === undefined) items.push(cleanJson(item) as JsonObject);
      else if (leftOut.length < MOST_TOLD) leftOut.push(`${cleanText(nameText(name), 128)}: ${why}`);
      if (typeof name === 'string') seen.add(name);
    }
    return { items, leftOut };
  }

  #malformed(words: string): GatewayError {
    return new GatewayError('upstream_malformed', `the MCP server '${this.name}' ${words}`);
  }
}

const WORDS: Readonly<Record<Listed, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
};
const NAMED: Readonly<Record<Listed, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

function nameText(name: Json | undefined): string {
  return typeof name === 'string' ? name : '(without a name)';
}

/** Why something that a server lists is not shown. */
function whyNot(kind: Listed, item: JsonObject, seen: ReadonlySet<string>): string | undefined {
  const name = item[NAMED[kind]];
  if (typeof name !== 'string' || name === '') return `it has no ${NAMED[kind]}`;
  if ((kind === 'tools' || kind === 'prompts') && !TOOL_NAME.test(name))
    return 'its name is not 1 to 128 letters, digits, dots, dashes or underscores';
  if (name !== cleanText(name, LONGEST_TEXT)) return `its ${NAMED[kind]} has characters that cannot be seen`;
  if (seen.has(name)) return 'it is there twice';
  if (JSON.stringify(item).length > LARGEST_ITEM) return `it is larger than ${LARGEST_ITEM} characters`;
  if (kind !== 'tools') return undefined;
  if (!isJsonObject(item['inputSchema'])) return 'it has no inputSchema';
  return parameterHeaders(item['inputSchema'], {}) === undefined ? 'its x-mcp-header is not one' : undefined;
}

/** With every text as people and models may read it. */
function cleanJson(json: Json): Json {
  if (typeof json === 'string') return cleanText(json, LONGEST_TEXT);
  if (Array.isArray(json)) return json.map(cleanJson);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, cleanJson(value)]));
}
