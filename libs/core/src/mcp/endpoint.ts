/** The gateway as an MCP server: one source as it is, or all that a key may see as one (docs/wire/mcp.md). */
import { GatewayError, isJsonObject, VERSION, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Caller } from '../parts.ts';
import { joinedName, splitName, type Listings, type McpService } from './mcp-service.ts';
import { RPC_CODES, LEGACY, META, REVISIONS, RpcFault } from './protocol.ts';
import { URI_SEPARATOR } from './settings.ts';
import { LISTS, type Listed, type McpSource } from './source.ts';

/** Of one page of a list. */
const PAGE = 1000;
const SERVER = { name: 'model-gateway', title: 'Unified Model Gateway', version: VERSION };
const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };
const KINDS = new Map<string, Listed>(Object.entries(LISTS).map(([kind, method]) => [method, kind as Listed]));
/** Answers that say how long they are good for. */
const CACHEABLE = new Set([...KINDS.keys(), 'resources/read', 'server/discover']);
/** What is seen depends on the key, and a change of the configuration changes it. */
const FRESH_MS = 30_000;

export interface EndpointRequest {
  readonly caller: Caller;
  /** The source that the address names; undefined: all of them as one. */
  readonly server: string | undefined;
  readonly method: string;
  readonly params: JsonObject;
  readonly isModern: boolean;
  /** By which servers with sessions know the client. */
  readonly session: string;
  readonly notify?: (message: JsonObject) => void;
  /** The caller’s request, for sources of this process. */
  readonly origin?: object;
}

export interface EndpointAnswer {
  readonly result: JsonObject;
  /** Quota units. */
  readonly charged: number;
  /** What was called, for the log: `mcp/docs/search`. */
  readonly called?: string;
}

export class McpEndpoint {
  readonly #service: McpService;

  constructor(service: McpService) {
    this.#service = service;
  }

  /** Answers a request. Throws RpcFault and GatewayError. */
  async answer(asked: EndpointRequest): Promise<EndpointAnswer> {
    const answer = await this.#answer(asked);
    return asked.isModern
      ? { ...answer, result: modern(asked.method, answer.result) }
      : { ...answer, result: legacy(answer.result) };
  }

  async #answer(asked: EndpointRequest): Promise<EndpointAnswer> {
    const { method, isModern, server, caller } = asked;
    // Before anything else: whoever names a server that the key may not see learns nothing of it.
    const only = server === undefined ? undefined : this.#service.sourceNamed(caller, server);
    const kind = KINDS.get(method);
    if (kind !== undefined) return free(await this.#list(asked, only, kind));
    switch (method) {
      case 'initialize':
        if (!isModern) return free(initialized(asked.params));
        break;
      case 'ping':
        if (!isModern) return free({});
        break;
      case 'server/discover':
        return free({ supportedVersions: [...REVISIONS], capabilities: CAPABILITIES });
      case 'tools/call':
        return this.#call(asked, only);
      case 'prompts/get':
      case 'resources/read':
      case 'completion/complete':
        return free(await this.#forward(asked, only));
    }
    throw new RpcFault(RPC_CODES.methodNotFound, `there is no method '${method.slice(0, 100)}'`);
  }

  async #list({ caller, params }: EndpointRequest, only: McpSource | undefined, kind: Listed): Promise<JsonObject> {
    const sources = only === undefined ? this.#service.sourcesFor(caller) : [only];
    if (sources.length === 0)
      throw new GatewayError('not_found', 'this key cannot use any MCP server; the operator lists them in mcp.servers');
    const listings = await this.#service.list(sources, kind);
    const items = listings.found.flatMap(({ source, listing }) =>
      only === undefined ? listing.items.map((item) => joined(kind, source.name, item)) : listing.items,
    );
    const from = pageStart(params['cursor']);
    const page = items.slice(from, from + PAGE);
    const faults = toldFaults(listings);
    return {
      [kind]: page,
      ...(from + PAGE < items.length && { nextCursor: Buffer.from(`from:${from + PAGE}`).toString('base64url') }),
      ...(faults.length > 0 && { _meta: { [META.faults]: faults } }),
    };
  }

  async #call(asked: EndpointRequest, only: McpSource | undefined): Promise<EndpointAnswer> {
    const { params } = asked;
    const { name } = params;
    if (typeof name !== 'string') throw invalid('name');
    if (params['arguments'] !== undefined && !isJsonObject(params['arguments'])) throw invalid('arguments');
    const [source, own] = only === undefined ? this.#named(asked.caller, name, 'tool') : [only, name];
    const call = { ...this.#forwarded(asked), params: { ...forwardedParams(params), name: own } };
    const { result, charged } = await this.#service.callTool(source, call);
    const called = `mcp/${source.name}/${own}`;
    return { result: only === undefined ? withJoinedUris(source.name, result) : result, charged, called };
  }

  async #forward(asked: EndpointRequest, only: McpSource | undefined): Promise<JsonObject> {
    const { caller, method } = asked;
    const params = forwardedParams(asked.params);
    if (only !== undefined) return only.request({ ...this.#forwarded(asked), params });
    if (method === 'resources/read') {
      const [source, uri] = this.#located(caller, params['uri']);
      const result = await source.request({ ...this.#forwarded(asked), params: { ...params, uri } });
      return withJoinedUris(source.name, result);
    }
    if (method === 'prompts/get') {
      const [source, name] = this.#named(caller, params['name'], 'prompt');
      const result = await source.request({ ...this.#forwarded(asked), params: { ...params, name } });
      return withJoinedUris(source.name, result);
    }
    const { ref } = params;
    if (!isJsonObject(ref)) throw invalid('ref');
    const isResource = ref['type'] === 'ref/resource';
    const [source, own] = isResource ? this.#located(caller, ref['uri']) : this.#named(caller, ref['name'], 'prompt');
    const ownRef = { ...ref, [isResource ? 'uri' : 'name']: own };
    return source.request({ ...this.#forwarded(asked), params: { ...params, ref: ownRef } });
  }

  #forwarded({ caller, method, session, params, notify, origin }: EndpointRequest) {
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
    const capabilities = meta[META.capabilities];
    return {
      ...{ caller, method, session },
      ...(isJsonObject(capabilities) && { capabilities }),
      ...(notify !== undefined && { notify }),
      ...(origin !== undefined && { origin }),
    };
  }

  #named(caller: Caller, name: Json | undefined, what: string): readonly [McpSource, string] {
    if (typeof name !== 'string') throw invalid('name');
    const split = splitName(name);
    if (split === undefined)
      throw new RpcFault(
        RPC_CODES.invalidParams,
        `there is no ${what} '${name.slice(0, 128)}'; names begin with that of their server: docs__search`,
      );
    return [this.#service.sourceNamed(caller, split.server), split.name];
  }

  #located(caller: Caller, uri: Json | undefined): readonly [McpSource, string] {
    if (typeof uri !== 'string') throw invalid('uri');
    const at = uri.indexOf(URI_SEPARATOR);
    if (at <= 0)
      throw new RpcFault(
        RPC_CODES.invalidParams,
        'there is no such resource; addresses begin with the name of their server: docs+file:///…',
      );
    return [this.#service.sourceNamed(caller, uri.slice(0, at)), uri.slice(at + 1)];
  }
}

function free(result: JsonObject): EndpointAnswer {
  return { result, charged: 0 };
}

function invalid(param: string): RpcFault {
  return new RpcFault(RPC_CODES.invalidParams, `params.${param} is missing or of the wrong type`);
}

/** The revision that the client wants where it is there, else the newest that begins so. */
function initialized({ protocolVersion }: JsonObject): JsonObject {
  const wanted = LEGACY.find((revision) => revision === protocolVersion);
  return { protocolVersion: wanted ?? LEGACY[0], capabilities: CAPABILITIES, serverInfo: SERVER };
}

/** Without what the revision says of each message itself: that is the gateway’s to say. */
function forwardedParams(params: JsonObject): JsonObject {
  const { ['_meta']: meta, ...others } = params;
  if (!isJsonObject(meta)) return others;
  const own = Object.entries(meta).filter(([name]) => !name.startsWith('io.modelcontextprotocol/'));
  return own.length === 0 ? others : { ...others, _meta: Object.fromEntries(own) };
}

function pageStart(cursor: Json | undefined): number {
  if (cursor === undefined || cursor === null) return 0;
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  const [, from] = /^from:(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined) throw new RpcFault(RPC_CODES.invalidParams, 'params.cursor is not the cursor of a list');
  return Number(from);
}

function toldFaults({ found, faults }: Listings): JsonObject[] {
  return [
    ...faults.map(({ server, message }) => ({ server, message })),
    ...found.flatMap(({ source, listing: { leftOut } }) =>
      leftOut.length === 0 ? [] : [{ server: source.name, left_out: [...leftOut] }],
    ),
  ];
}

/** Listed things have a text there. */
function wordOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

/** What a source lists, with names that tell it from another’s. */
function joined(kind: Listed, server: string, item: JsonObject): JsonObject {
  if (kind === 'tools' || kind === 'prompts') return { ...item, name: joinedName(server, wordOf(item['name'])) };
  const member = kind === 'resources' ? 'uri' : 'uriTemplate';
  return { ...item, [member]: `${server}${URI_SEPARATOR}${wordOf(item[member])}` };
}

/** A result whose links to resources can be read where they are joined. */
function withJoinedUris(server: string, result: JsonObject): JsonObject {
  const linked = (json: Json): Json => {
    if (!isJsonObject(json) || typeof json['uri'] !== 'string') return json;
    return { ...json, uri: `${server}${URI_SEPARATOR}${json['uri']}` };
  };
  const block = (json: Json): Json => {
    if (!isJsonObject(json)) return json;
    if (json['type'] === 'resource_link') return linked(json);
    if (json['type'] === 'resource') return { ...json, resource: linked(json['resource'] ?? null) };
    return isJsonObject(json['content']) ? { ...json, content: block(json['content']) } : json;
  };
  const changed: JsonObject = { ...result };
  for (const member of ['content', 'messages'] as const)
    if (Array.isArray(result[member])) changed[member] = result[member].map(block);
  if (Array.isArray(result['contents'])) changed['contents'] = result['contents'].map(linked);
  return changed;
}

/** As the current revision has results. */
function modern(method: string, result: JsonObject): JsonObject {
  const meta = isJsonObject(result['_meta']) ? result['_meta'] : {};
  return {
    resultType: 'complete',
    ...(CACHEABLE.has(method) &&
      result['resultType'] !== 'input_required' && { ttlMs: FRESH_MS, cacheScope: 'private' }),
    ...result,
    _meta: { ...meta, [META.server]: SERVER },
  };
}

/** As older revisions have them. A client that cannot be asked for input is told so. */
function legacy(result: JsonObject): JsonObject {
  const { resultType, ttlMs: _ttl, cacheScope: _scope, ...others } = result;
  if (resultType === 'input_required')
    throw new RpcFault(
      RPC_CODES.refused,
      'the server asks for input, for which the client needs revision 2026-07-28 of the protocol',
    );
  return others;
}
