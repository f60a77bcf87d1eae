/**
 * The one place where a connection becomes a WebSocket. Nothing of a request's way is done here a second time: the request that opens it, and every
 * request that comes over it, pass the app as requests over HTTP do, on connections within this process.
 */
import { STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS } from '@model-gateway/contracts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AppWithin, Peer, RequestWithin } from './app-within.ts';
import type { Handler } from './operation.ts';
import { matchOperation, operations, type OperationId } from './route-table.ts';
import { BodyBudget } from './steps/body-budget.ts';
import { errorBody } from './steps/print-error.ts';

/** Open sockets of one owner in one process; more are refused before they are opened. */
const MOST_OF_AN_OWNER = 1000;
/** Closing code: the server has no room at the moment. */
const TRY_AGAIN_LATER = 1013;
const CLOSED_WITHIN_MS = 1000;

/** Headers of the opening request that are said of it alone, or of its connection; every other one is said of each request that comes over the socket. */
const OF_THE_OPENING =
  /^(?:connection|upgrade|keep-alive|transfer-encoding|te|trailer|expect|accept|accept-encoding|idempotency-key|x-gateway-resumable|content-.*|sec-websocket-.*)$/;

/** Where browsers put a key, which cannot send headers: as OpenAI's clients do. */
const KEY_PROTOCOL = /^openai-insecure-api-key\.(\S+)$/;
/** What is chosen of the sub-protocols that are offered; otherwise the first. */
const CHOSEN_PROTOCOL = 'realtime';

/** What is asked over an open socket. */
export interface SocketRequest {
  readonly path: string;
  /** JSON, of a POST; without it a GET is sent. */
  readonly body?: Uint8Array;
  /** For the handler of the operation: `askedWith` finds it by the request. */
  readonly context?: object;
  /** Its connection is cut then, as that of a client who hangs up. */
  readonly signal: AbortSignal;
}

/** What is done with a connection that is open. */
export type SocketLine = Pick<
  WebSocket,
  'on' | 'once' | 'send' | 'close' | 'terminate' | 'ping' | 'pause' | 'resume' | 'bufferedAmount' | 'readyState'
>;

/** A socket that is open, and the way for what is asked over it. */
export interface OpenSocket {
  readonly webSocket: SocketLine;
  /** The app's answer to a request with the headers of the opening one. Rejects when there is none. */
  readonly ask: (request: SocketRequest) => Promise<IncomingMessage>;
  /** Called when a message has come: gives back what it takes of the room for messages, when it is needed no longer. */
  readonly came: () => () => void;
}

/** What is done with an open socket. */
export interface SocketSession {
  /** Ends it with a closing code, after what it is doing. */
  drain(): void;
}

/** What an operation has made ready for the socket that it lets be opened. */
export interface Acceptance {
  open(socket: OpenSocket): SocketSession;
  /** There is no socket after all, or it is closed. */
  discard?(): void;
}

export interface UpgradeOptions {
  readonly within: AppWithin;
  /** Bytes of one message. */
  readonly largestMessage: number;
  /** Bytes of all messages that come or wait; one owner may have half of it. */
  readonly messageMemory: number;
}

/** What becomes known of an opening request on its way through the app. */
interface Opening {
  /** Why the owner may have no socket more; undefined: there is room. */
  readonly refusalFor: (ownerId: number) => GatewayError | undefined;
  accepted?: { readonly by: number; readonly acceptance: Acceptance };
}

const opening = new WeakMap<Duplex, Opening>();
const contexts = new WeakMap<Duplex, object>();

/** What a request over an open socket was asked with; undefined of any request from outside. */
export function askedWith({ socket }: Pick<Request, 'socket'>): object | undefined {
  return contexts.get(socket);
}

/** The last step of an operation that opens sockets: whoever comes as far may have one, when `accept` has made ready what it needs. */
export function answerUpgrade(
  id: OperationId,
  accept: (request: Request, response: Response) => Promise<Acceptance>,
): Handler {
  return async (request: Request, response: Response): Promise<void> => {
    const opened = opening.get(request.socket);
    const { exchange } = response.locals;
    if (opened === undefined) {
      const error = new GatewayError('invalid_request', wantsUpgrade(id));
      exchange.errorCode = error.code;
      response.setHeader('upgrade', 'websocket');
      response.status(426).json(errorBody(error, exchange));
      return;
    }
    // Before a vendor is asked for its side.
    const refusal = opened.refusalFor(exchange.caller.key.ownerId);
    if (refusal !== undefined) throw refusal;
    const acceptance = await accept(request, response);
    // Its caller has gone meanwhile, and nobody else gives it back.
    if (request.socket.destroyed) {
      acceptance.discard?.();
      return;
    }
    opened.accepted = { by: exchange.caller.key.ownerId, acceptance };
    response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' });
    response.end();
  };
}

function wantsUpgrade(id: OperationId): string {
  const { method, path } = OPERATIONS[id];
  const overHttp = operations.some((each) => each.path === path && each.method === 'POST');
  return `${method} ${path} opens a WebSocket: send Upgrade: websocket${overHttp ? ', or POST a request for an answer over HTTP' : ''}`;
}

/** The sockets of one process. */
export class Upgrades {
  readonly #within: AppWithin;
  readonly #webSockets: WebSocketServer;
  readonly #sessions = new Map<SocketSession, WebSocket>();
  readonly #ofOwner = new Map<number, number>();
  readonly #room: BodyBudget;
  #isDraining = false;

  constructor(options: UpgradeOptions) {
    this.#room = new BodyBudget({ total: options.messageMemory, largest: options.largestMessage });
    this.#within = options.within;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Each compressing socket holds some 300 KB, and what is said is small.
      perMessageDeflate: false,
      maxPayload: options.largestMessage,
      handleProtocols: (offered) => (offered.has(CHOSEN_PROTOCOL) ? CHOSEN_PROTOCOL : ([...offered][0] ?? false)),
    });
  }

  /** Whether a request with an Upgrade header is for a socket; any other is answered as if the header were not there (RFC 9110, 7.8): Java's client asks for h2c each time. */
  readonly isWanted = ({ headers, method = '', url = '' }: IncomingMessage): boolean => {
    if (headers.upgrade?.toLowerCase() !== 'websocket') return false;
    return matchOperation(method, addressOf(url).split('?', 1)[0] ?? '').operation?.socket === true;
  };

  /** Takes a connection over: opens a socket, or answers as the app does. */
  readonly take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    this.#open(request, socket, head).catch(() => socket.destroy());
  };

  /** Resolves when every socket is closed; those that are not after these seconds are cut. */
  async drain(seconds: number): Promise<void> {
    this.#isDraining = true;
    const closed = [...this.#sessions.values()].map(
      (webSocket) => new Promise((resolve) => webSocket.once('close', resolve)),
    );
    for (const session of [...this.#sessions.keys()]) session.drain();
    const limit = setTimeout(() => {
      for (const webSocket of this.#sessions.values()) webSocket.terminate();
    }, seconds * 1000);
    await Promise.all(closed);
    clearTimeout(limit);
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const known: Opening = { refusalFor: (ownerId) => this.#refusalFor(ownerId) };
    // Another site's page can make a browser open a socket, with the cookie of a session here.
    const { cookie: _cookie, ...headers } = { ...keyInProtocols(request.headers), ...headersFor(request.headers) };
    const gone = new AbortController();
    socket.once('close', () => {
      gone.abort();
      known.accepted?.acceptance.discard?.();
    });
    const opens = { method: request.method ?? 'GET', path: addressOf(request.url), headers, signal: gone.signal };
    const answer = await this.#ask(socket, opens, { known });
    const { accepted } = known;
    if (answer.statusCode !== 101 || accepted === undefined || socket.destroyed) {
      known.accepted?.acceptance.discard?.();
      await refuse(socket, answer);
      return;
    }
    const { by: ownerId, acceptance } = accepted;
    // Others may have opened theirs meanwhile.
    if (this.#refusalFor(ownerId) !== undefined) {
      socket.end(
        `HTTP/1.1 ${this.#isDraining ? '503 Service Unavailable' : '429 Too Many Requests'}\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const ask: OpenSocket['ask'] = ({ path, body, signal, context }) =>
        this.#ask(
          socket,
          {
            ...{ method: body === undefined ? 'GET' : 'POST', path, signal, headers },
            ...(body !== undefined && {
              body,
              headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
            }),
          },
          context === undefined ? {} : { context },
        );
      const opened: OpenSocket = { webSocket, ask, came: this.#measured(socket, webSocket, ownerId) };
      this.#serve(acceptance.open(opened), webSocket, ownerId);
    });
  }

  #refusalFor(ownerId: number): GatewayError | undefined {
    if (this.#isDraining)
      return new GatewayError('unavailable', 'the gateway shuts down; connect again', { retryAfterSeconds: 1 });
    if ((this.#ofOwner.get(ownerId) ?? 0) < MOST_OF_AN_OWNER) return undefined;
    const words = `${MOST_OF_AN_OWNER} WebSockets are open for this key's owner; close one, or wait until one is closed`;
    return new GatewayError('rate_limited', words, { retryAfterSeconds: 1 });
  }

  /** Counts what comes, message by message: a socket for whose message there is no room is closed. */
  #measured(socket: Duplex, webSocket: WebSocket, ownerId: number): OpenSocket['came'] {
    const begin = () => {
      const over = new EventEmitter();
      return { hold: this.#room.open(over, ownerId), end: () => void over.emit('close') };
    };
    let message = begin();
    let isFull = false;
    socket.on('data', ({ length }: Buffer) => {
      const refused = message.hold.take(length);
      if (refused === undefined || isFull) return;
      isFull = true;
      webSocket.close(TRY_AGAIN_LATER, 'no room for so large a message; try again later');
      // No more of it is read, so that the other side's word is not either.
      webSocket.pause();
      setTimeout(() => webSocket.terminate(), CLOSED_WITHIN_MS).unref();
    });
    webSocket.once('close', () => message.end());
    return () => {
      const { end } = message;
      message = begin();
      return end;
    };
  }

  #serve(session: SocketSession, webSocket: WebSocket, ownerId: number): void {
    this.#sessions.set(session, webSocket);
    this.#ofOwner.set(ownerId, (this.#ofOwner.get(ownerId) ?? 0) + 1);
    webSocket.once('close', () => {
      this.#sessions.delete(session);
      const left = (this.#ofOwner.get(ownerId) ?? 1) - 1;
      if (left === 0) this.#ofOwner.delete(ownerId);
      else this.#ofOwner.set(ownerId, left);
    });
  }

  /** Asks the app over a connection of its own, that comes from where the socket does. */
  #ask(peer: Duplex & Peer, request: RequestWithin, { known, context }: Asked): Promise<IncomingMessage> {
    const opened = (connection: Duplex): void => {
      if (known !== undefined) opening.set(connection, known);
      if (context !== undefined) contexts.set(connection, context);
    };
    return this.#within.ask(request, { peer, opened });
  }
}

interface Asked {
  /** Of an opening request. */
  readonly known?: Opening;
  /** Of one over an open socket. */
  readonly context?: object;
}

/** Google's clients write two slashes before the path of a socket. */
function addressOf(url = '/'): string {
  return url.replace(/^\/{2,}/, '/');
}

/** The key of a browser as the header that it could not send. */
function keyInProtocols(headers: IncomingHttpHeaders): Record<string, string> {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  const key = offered.flatMap((each) => KEY_PROTOCOL.exec(each)?.[1] ?? [])[0];
  return key === undefined || headers.authorization !== undefined ? {} : { authorization: `Bearer ${key}` };
}

function headersFor(given: IncomingHttpHeaders): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !OF_THE_OPENING.test(name)) headers[name] = value;
  return { ...headers, connection: 'close' };
}

/** Sends an answer of the app over a connection that has left HTTP's hands. */
async function refuse(socket: Duplex, answer: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const status = answer.statusCode ?? 500;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of Object.entries(answer.headers))
    if (!/^(?:connection|keep-alive|transfer-encoding|content-length)$/.test(name))
      lines.push(`${name}: ${Array.isArray(value) ? value.join(', ') : (value ?? '')}`);
  lines.push('connection: close', `content-length: ${body.length}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.end(body);
}
