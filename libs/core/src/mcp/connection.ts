/** The way to one MCP server: in the current revision where it has it, in an older one where it does not (docs/wire/mcp.md). */
import { GatewayError, isJsonObject, VERSION, type Json, type JsonObject } from '@model-gateway/contracts';
import type { MediaResponse } from '@model-gateway/provider-kit';
import { createSseParser } from '@model-gateway/translate';
import { LRUCache } from 'lru-cache';
import { atMost } from '../bounded.ts';
import type { Parts } from '../parts.ts';
import {
  RPC_CODES,
  faultIn,
  headerText,
  LEGACY,
  META,
  MODERN,
  NAMED_BY,
  parameterHeaders,
  readWithin,
  RpcFault,
} from './protocol.ts';
import type { McpServer } from './settings.ts';
import { ClientTokens } from './tokens.ts';

const CLIENT = { name: 'model-gateway', version: VERSION };
/** Sessions with one server of an older revision, in one process. */
const MOST_SESSIONS = 1000;
/** A refusal that is no message of the protocol. */
const LARGEST_REFUSAL = 16 * 1024;
const LARGEST_NOTE = 64 * 1024;

export type ConnectionParts = Pick<Parts, 'untrustedFetcher' | 'now'>;

export interface McpRequest {
  readonly method: string;
  /** Without `_meta` of the revision: that is added. */
  readonly params: JsonObject;
  /** Whose session it is, where the server has any: requests with the same word share one. */
  readonly session: string;
  readonly signal?: AbortSignal;
  /** What the client can do, for servers that may ask it for input. */
  readonly capabilities?: JsonObject;
  /** The form of a tool’s arguments. */
  readonly inputSchema?: Json | undefined;
  /** Told of what the server says before it answers. */
  readonly notify?: (message: JsonObject) => void;
}

interface Session {
  readonly id: string | undefined;
  readonly revision: string;
}

/** How a request is sent. */
interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly session: Session | undefined;
}

/** What came of a message: the server’s answer, or that it has none. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: JsonObject | undefined;
}

export class McpConnection {
  readonly server: McpServer;
  readonly #parts: ConnectionParts;
  readonly #tokens: ClientTokens;
  readonly #sessions = new LRUCache<string, Promise<Session>>({
    ...atMost(MOST_SESSIONS),
    dispose: (session, _key, reason) => {
      if (reason === 'evict') void session.then((ended) => this.#end(ended)).catch(() => undefined);
    },
  });
  #isModern: boolean | undefined;
  #probing: Promise<boolean> | undefined;
  #lastId = 0;

  constructor(server: McpServer, parts: ConnectionParts) {
    this.server = server;
    this.#parts = parts;
    this.#tokens = new ClientTokens(server, parts);
  }

  /** Asks once. Throws RpcFault with what the server refused, and GatewayError where it could not be asked. */
  async request(asked: McpRequest): Promise<JsonObject> {
    const late = this.#deadline();
    const signal = asked.signal === undefined ? late : AbortSignal.any([asked.signal, late]);
    try {
      return await this.#requestOnce(asked, signal);
    } catch (error) {
      if (asked.signal?.aborted === true) throw error;
      if (late.aborted)
        throw this.#fault('upstream_timeout', `took longer than ${this.server.timeoutMs / 1000} seconds`);
      if (error instanceof GatewayError || error instanceof RpcFault) throw error;
      throw this.#fault('upstream_unavailable', `could not be reached (${reasonOf(error)})`);
    }
  }

  /** What several requests wait for ends with none of them. */
  #deadline(): AbortSignal {
    return AbortSignal.timeout(this.server.timeoutMs);
  }

  async #requestOnce(asked: McpRequest, signal: AbortSignal): Promise<JsonObject> {
    this.#isModern ??= await (this.#probing ??= this.#probe(this.#deadline()).finally(
      () => (this.#probing = undefined),
    ));
    if (this.#isModern) return this.#result(await this.#askModern(asked, signal));
    const opened = this.#sessionOf(asked.session);
    const session = await opened;
    const answer = await this.#askLegacy(asked, session, signal);
    // A server that no longer knows the session has not looked at the request.
    if (answer.status !== 404 || session.id === undefined) return this.#result(answer);
    // Perhaps another request has opened a new one meanwhile.
    if (this.#sessions.peek(asked.session) === opened) this.#sessions.delete(asked.session);
    return this.#result(await this.#askLegacy(asked, await this.#sessionOf(asked.session), signal));
  }

  /** Whether the server has the current revision. What asks for that does nothing else, whichever revision it has. */
  async #probe(signal: AbortSignal): Promise<boolean> {
    const asked: McpRequest = { method: 'server/discover', params: {}, session: '' };
    const { status, message } = await this.#askModern(asked, signal);
    if (status === 401 || status === 403) throw this.#refusedKey(status);
    if (status >= 500) throw this.#fault('upstream_unavailable', `answered ${status}`);
    const { result } = message ?? {};
    if (isJsonObject(result)) return isAmong(MODERN, result['supportedVersions']);
    const fault = message === undefined ? undefined : faultIn(message);
    if (fault?.code !== RPC_CODES.unsupportedVersion) return false;
    return isJsonObject(fault.data) && isAmong(MODERN, fault.data['supported']);
  }

  #askModern(
    { method, params, capabilities = {}, inputSchema, notify }: McpRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const own = isJsonObject(params['_meta']) ? params['_meta'] : {};
    const meta = { ...own, [META.version]: MODERN, [META.client]: CLIENT, [META.capabilities]: capabilities };
    const named = params[NAMED_BY[method] ?? ''];
    const headers = {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof named === 'string' && { 'mcp-name': headerText(named) }),
      ...parameterHeaders(inputSchema, params['arguments']),
    };
    return this.#post(
      this.#message(method, { ...params, _meta: meta }),
      { headers, session: undefined },
      signal,
      notify,
    );
  }

  #askLegacy({ method, params, notify }: McpRequest, session: Session, signal: AbortSignal): Promise<Answer> {
    return this.#post(this.#message(method, params), { headers: headersOf(session), session }, signal, notify);
  }

  #message(method: string, params: JsonObject): JsonObject {
    return { jsonrpc: '2.0', id: ++this.#lastId, method, params };
  }

  #sessionOf(name: string): Promise<Session> {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const opening = this.#open(this.#deadline());
    this.#sessions.set(name, opening);
    opening.catch(() => {
      if (this.#sessions.peek(name) === opening) this.#sessions.delete(name);
      // Perhaps it has been replaced by one of another revision.
      this.#isModern = undefined;
    });
    return opening;
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const params = { protocolVersion: LEGACY[0], capabilities: {}, clientInfo: CLIENT };
    const sending = { headers: {}, session: undefined };
    const answer = await this.#post(this.#message('initialize', params), sending, signal);
    const { protocolVersion } = this.#result(answer);
    const session = {
      id: answer.headers['mcp-session-id'],
      revision: typeof protocolVersion === 'string' ? protocolVersion : LEGACY[0],
    };
    const told = { headers: headersOf(session), session };
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, told, signal);
    return session;
  }

  /** Tells a server that a session is over. Nobody waits for that. */
  async #end(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const headers = { ...(await this.#credentials()), ...headersOf(session) };
    const options = { method: 'DELETE', headers, followRedirects: false, signal: this.#deadline() } as const;
    const { body } = await this.#parts.untrustedFetcher.open(this.server.url, options);
    body.destroy();
  }

  async #credentials(): Promise<Record<string, string>> {
    const authorization = await this.#tokens.header();
    return { ...this.server.headers, ...(authorization !== undefined && { authorization }) };
  }

  async #post(
    message: JsonObject,
    { headers, session }: Sending,
    signal: AbortSignal,
    notify?: (message: JsonObject) => void,
  ): Promise<Answer> {
    const reply = await this.#parts.untrustedFetcher.open(this.server.url, {
      method: 'POST',
      headers: {
        ...(await this.#credentials()),
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      followRedirects: false,
      signal,
      firstByteSeconds: this.server.timeoutMs / 1000,
      idleSeconds: this.server.timeoutMs / 1000,
    });
    if (reply.status === 401 || reply.status === 403) this.#tokens.forget();
    const { status, headers: answered } = reply;
    const isStream = /^text\/event-stream\b/i.test(answered['content-type'] ?? '');
    const answer =
      isStream && status < 300
        ? await this.#readStream(reply, { id: message['id'], session, signal, notify })
        : await this.#readWhole(reply);
    return { status, headers: answered, message: answer };
  }

  async #readWhole({ status, body, headers }: MediaResponse): Promise<JsonObject | undefined> {
    const most = status < 300 ? this.server.mostBytes : LARGEST_REFUSAL;
    if (status < 300 && Number(headers['content-length'] ?? 0) > most) {
      body.destroy();
      throw this.#tooLarge();
    }
    const text = await readWithin(body, most);
    if (text === undefined && status < 300) throw this.#tooLarge();
    try {
      const json = JSON.parse(text ?? '') as Json;
      return isJsonObject(json) ? json : undefined;
    } catch {
      return undefined;
    }
  }

  async #readStream(
    { body }: MediaResponse,
    {
      id,
      session,
      signal,
      notify,
    }: {
      readonly id: Json | undefined;
      readonly session: Session | undefined;
      readonly signal: AbortSignal;
      readonly notify: ((message: JsonObject) => void) | undefined;
    },
  ): Promise<JsonObject | undefined> {
    const parser = createSseParser(this.server.mostBytes);
    let size = 0;
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > this.server.mostBytes) throw this.#tooLarge();
        for (const { data } of parser.push(chunk)) {
          const message = messageIn(data);
          if (message === undefined) continue;
          if (message['method'] === undefined) {
            if (message['id'] === id) return message;
          } else if (message['id'] !== undefined) void this.#decline(message, session, signal);
          else if (data.length <= LARGEST_NOTE) notify?.(message);
        }
      }
    } finally {
      body.destroy();
    }
    return undefined;
  }

  /** Servers of older revisions may ask the client something: it was told that this one can do nothing but be there. */
  async #decline({ id, method }: JsonObject, session: Session | undefined, signal: AbortSignal): Promise<void> {
    const answer =
      method === 'ping'
        ? { jsonrpc: '2.0', id: id ?? null, result: {} }
        : {
            jsonrpc: '2.0',
            id: id ?? null,
            error: { code: RPC_CODES.methodNotFound, message: 'the client has no such method' },
          };
    const headers = session === undefined ? {} : headersOf(session);
    await this.#post(answer, { headers, session }, signal).catch(() => undefined);
  }

  #result({ status, message }: Answer): JsonObject {
    // Perhaps it has been replaced by one of another revision.
    if (status >= 400) this.#isModern = undefined;
    if (message !== undefined) {
      const fault = faultIn(message);
      if (fault !== undefined) throw fault;
      const { result } = message;
      if (isJsonObject(result)) return result;
    }
    if (status === 401 || status === 403) throw this.#refusedKey(status);
    if (status >= 300 && status < 400)
      throw this.#fault('upstream_unavailable', 'answered with a redirect, which the gateway does not follow');
    if (status >= 400) throw this.#fault('upstream_unavailable', `answered ${status}`);
    throw this.#fault('upstream_malformed', 'ended its answer without a result');
  }

  #refusedKey(status: number): GatewayError {
    return this.#fault('upstream_rejected_key', `answered ${status}: it refuses the credentials of its entry`);
  }

  #tooLarge(): GatewayError {
    return this.#fault('upstream_malformed', `answered with more than ${this.server.mostBytes} bytes`);
  }

  #fault(
    code: 'upstream_unavailable' | 'upstream_timeout' | 'upstream_malformed' | 'upstream_rejected_key',
    words: string,
  ): GatewayError {
    return new GatewayError(code, `the MCP server '${this.server.name}' ${words}`);
  }
}

function headersOf({ id, revision }: Session): Record<string, string> {
  return { 'mcp-protocol-version': revision, ...(id !== undefined && { 'mcp-session-id': id }) };
}

function messageIn(data: string): JsonObject | undefined {
  try {
    const json = JSON.parse(data) as Json;
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isAmong(revision: string, list: Json | undefined): boolean {
  return Array.isArray(list) && list.includes(revision);
}

/** Never the message of an error: it may quote the address. The guard’s own words name none. */
function reasonOf(error: unknown): string {
  for (const candidate of [error, (error as Error | undefined)?.cause]) {
    if (candidate instanceof Error && candidate.message === 'the address is not a public one')
      return 'its address is not a public one; security.allow_private opens it';
  }
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : 'no connection';
}
