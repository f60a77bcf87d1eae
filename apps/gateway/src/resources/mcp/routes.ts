/** MCP servers behind the gateway's key: the protocol's HTTP side, of the current revision and of older ones (docs/wire/mcp.md). */
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  asFault,
  codeOfFault,
  faultMessage,
  MCP_CODES,
  MCP_META,
  MCP_MODERN,
  MCP_NAMED_BY,
  MCP_REVISIONS,
  McpEndpoint,
  mcpHeaderValue,
  type McpService,
  newTrace,
  RpcFault,
  type Store,
} from '@model-gateway/core';
import { jsonBody, responseSignal } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { sendJson, startEventStream } from '../../http/reply.ts';
import { SessionIds } from './session-ids.ts';

export interface McpRouteParts {
  readonly service: McpService;
  readonly now: () => number;
  readonly store: Pick<Store, 'settings'>;
  readonly publicUrl: () => string;
}

/** A message that was read: what it asks for, and in which revision. */
interface Message {
  readonly id: Json;
  readonly method: string;
  readonly params: JsonObject;
  readonly isModern: boolean;
}

/** Handlers of the MCP operations. Where no server is configured there is nothing to be found. */
export function mcpRoutes(parts: McpRouteParts): Handlers {
  const routes = new McpRoutes(parts);
  return {
    callMcp: routes.call,
    callMcpServer: routes.call,
    getMcpMetadata: routes.metadata,
    getMcpServerMetadata: routes.metadata,
  };
}

class McpRoutes {
  readonly #parts: McpRouteParts;
  readonly #service: McpService;
  readonly #endpoint: McpEndpoint;
  readonly #sessions: SessionIds;

  constructor(parts: McpRouteParts) {
    this.#parts = parts;
    this.#service = parts.service;
    this.#endpoint = new McpEndpoint(this.#service);
    this.#sessions = new SessionIds(parts);
  }

  readonly call: Handler = async (request, response) => {
    this.#checkConfigured();
    const body = jsonBody(request);
    const { id = null } = body;
    // What is no request has no answer: the client was asked for nothing that it could answer.
    if (typeof body['method'] !== 'string' || id === null) {
      if (typeof body['method'] !== 'string' && body['result'] === undefined && body['error'] === undefined)
        throw new GatewayError('invalid_request', 'the message has no method', { param: 'method' });
      response.status(202).end();
      return;
    }
    const notes = new Notes(response);
    try {
      const message = readMessage(request, body);
      const answer = await this.#answer(request, response, message, notes);
      await notes.end({ jsonrpc: '2.0', id, result: answer }, 200);
    } catch (error) {
      const { requestId } = response.locals.exchange;
      if (!(error instanceof RpcFault) && !(error instanceof GatewayError)) throw error;
      response.locals.exchange.errorCode = codeOfFault(error);
      const fault = error instanceof GatewayError ? asFault(error, requestId) : error;
      await notes.end(faultMessage(id, fault), statusOf(error));
    }
  };

  readonly metadata: Handler = async (request, response) => {
    this.#checkConfigured();
    const server = request.params['server'];
    const path =
      server === undefined
        ? OPERATIONS.callMcp.path
        : `${OPERATIONS.callMcp.path}/${encodeURIComponent(String(server))}`;
    const issuers = this.#service.settings?.authorizationServers ?? [];
    await sendJson(response, {
      resource: this.#parts.publicUrl() + path,
      resource_name: 'Unified Model Gateway',
      bearer_methods_supported: ['header'],
      ...(issuers.length > 0 && { authorization_servers: [...issuers] }),
    });
  };

  #checkConfigured(): void {
    if (this.#service.settings === undefined)
      throw new GatewayError(
        'not_found',
        'no MCP server is configured here; the gateway’s operator lists them in mcp.servers',
      );
  }

  async #answer(request: Request, response: Response, message: Message, notes: Notes): Promise<JsonObject> {
    const { exchange } = response.locals;
    const { key } = exchange.caller;
    const { method, params, isModern } = message;
    const session = isModern || method === 'initialize' ? undefined : await this.#sessionOf(request, key.id);
    const server = request.params['server'];
    const trace = newTrace();
    exchange.trace = trace;
    exchange.knownModel = nameOf(server, method, params);
    const answer = await this.#endpoint.answer({
      caller: { ...exchange.caller, signal: AbortSignal.any([exchange.caller.signal, responseSignal(response)]) },
      server: server === undefined ? undefined : String(server),
      ...{ method, params, isModern },
      origin: request,
      session: `${key.id} ${session ?? ''}`,
      ...(asksForNotes(request, params) && { notify: (note: JsonObject) => notes.tell(note) }),
    });
    trace.charged = answer.charged;
    if (answer.called !== undefined) exchange.knownModel = answer.called;
    if (method === 'initialize' && !isModern) response.setHeader('mcp-session-id', await this.#sessions.make(key.id));
    return answer.result;
  }

  /** The client's session; clients that keep none are served all the same. */
  async #sessionOf({ headers }: Request, keyId: number): Promise<string | undefined> {
    const given = headers['mcp-session-id'];
    if (given === undefined) return undefined;
    if (typeof given === 'string' && (await this.#sessions.isGood(given, keyId))) return given;
    throw new GatewayError('not_found', 'the session has ended or belongs to another key; start with initialize');
  }
}

/** Progress of a call on its way to a client that reads streams: the answer is a stream from the first note on. */
class Notes {
  readonly #response: Response;
  #isOpen = false;

  constructor(response: Response) {
    this.#response = response;
  }

  tell(note: JsonObject): void {
    if (this.#response.destroyed || this.#response.writableLength > MOST_UNSENT) return;
    if (!this.#isOpen) {
      startEventStream(this.#response);
      this.#response.locals.exchange.streamed = true;
    }
    this.#isOpen = true;
    this.#response.write(eventOf(note));
  }

  async end(message: JsonObject, status: number): Promise<void> {
    if (this.#isOpen) {
      this.#response.end(eventOf(message));
      return;
    }
    if (status === 200) await sendJson(this.#response, message);
    else this.#response.status(status).json(message);
  }
}

/** Notes that a client does not read are not kept for it. */
const MOST_UNSENT = 256 * 1024;

function eventOf(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Reads a request. Throws RpcFault where it and its headers say different things (revision 2026-07-28). */
function readMessage({ headers }: Request, body: JsonObject): Message {
  const { id = null, method, params: given = {} } = body;
  const params = isJsonObject(given) ? given : {};
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const told = headers['mcp-protocol-version'];
  const said = meta[MCP_META.version];
  const message = { id, method: typeof method === 'string' ? method : '', params };
  if (said === undefined && told !== MCP_MODERN) {
    if (typeof told === 'string' && !MCP_REVISIONS.includes(told)) throw unsupported(told);
    return { ...message, isModern: false };
  }
  if (said !== told) throw mismatch('mcp-protocol-version', told, said);
  if (said !== MCP_MODERN) throw unsupported(said);
  if (headers['mcp-method'] !== method) throw mismatch('mcp-method', headers['mcp-method'], method);
  const member = MCP_NAMED_BY[message.method];
  if (member === undefined) return { ...message, isModern: true };
  const name = headers['mcp-name'];
  if (typeof name !== 'string' || mcpHeaderValue(name) !== params[member])
    throw mismatch('mcp-name', name, params[member]);
  return { ...message, isModern: true };
}

function mismatch(header: string, told: unknown, said: unknown): RpcFault {
  const shown = (value: unknown): string => (typeof value === 'string' ? `'${value.slice(0, 128)}'` : 'missing');
  return new RpcFault(
    MCP_CODES.headerMismatch,
    `the header ${header} is ${shown(told)}, and the message says ${shown(said)}`,
  );
}

function unsupported(requested: Json | undefined): RpcFault {
  const data = { supported: [...MCP_REVISIONS], requested: requested ?? null };
  return new RpcFault(MCP_CODES.unsupportedVersion, 'the gateway does not speak this revision of the protocol', data);
}

/** Refusals that the protocol has a status for; others are answers like any other. */
function statusOf(error: RpcFault | GatewayError): number {
  if (error instanceof GatewayError) return error.code.startsWith('upstream_') ? 200 : error.status();
  if (error.code === MCP_CODES.methodNotFound) return 404;
  return error.code === MCP_CODES.headerMismatch || error.code === MCP_CODES.unsupportedVersion ? 400 : 200;
}

function asksForNotes({ headers }: Request, { ['_meta']: meta }: JsonObject): boolean {
  return (
    headers.accept?.includes('text/event-stream') === true && isJsonObject(meta) && meta['progressToken'] !== undefined
  );
}

/** What the log calls a request: `mcp/docs/search`, `mcp tools/list`. */
function nameOf(server: unknown, method: string, { name }: JsonObject): string {
  const where = typeof server === 'string' ? `mcp/${server}` : 'mcp';
  return (method === 'tools/call' && typeof name === 'string' ? `${where}/${name}` : `${where} ${method}`).slice(
    0,
    256,
  );
}
