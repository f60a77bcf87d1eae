/** A vendor's WebSocket. Loaded when the first is opened: most gateways have none. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { GatewayError } from '@model-gateway/contracts';
import { WebSocket } from 'ws';
import type { SocketMessage, UpstreamReply, UpstreamSocket } from './adapter.ts';
import { flatHeaders } from './media-url.ts';
import { parseVendorJson } from './json.ts';
import { refusalBody } from './reply-body.ts';
import { transportError } from './refusal.ts';

/** Of one message: sound and pictures come as base64. */
const LARGEST_MESSAGE = 32 * 1024 * 1024;

export interface SocketAddress {
  /** `https://…` */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until it must be open. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
}

/** Opens a socket; messages wait until somebody listens. Resolves with the vendor's answer where it is another than a socket. Throws GatewayError when none came. */
export function openSocket({ url, headers, seconds, signal }: SocketAddress): Promise<UpstreamSocket | UpstreamReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
      return;
    }
    const webSocket = new WebSocket(url.replace(/^http/, 'ws'), {
      ...{ headers, handshakeTimeout: seconds * 1000, maxPayload: LARGEST_MESSAGE },
      // Each compressing socket holds some 300 KB, and base64 of sound hardly shrinks.
      perMessageDeflate: false,
      followRedirects: false,
    });
    const cut = (): void => webSocket.terminate();
    signal?.addEventListener('abort', cut, { once: true });
    const settled = (): void => signal?.removeEventListener('abort', cut);
    webSocket.once('open', () => {
      settled();
      // Its first words may come before their reader.
      webSocket.pause();
      resolve(webSocket);
    });
    webSocket.once('unexpected-response', (_request, response: IncomingMessage) => {
      settled();
      readRefusal(response)
        .then(resolve, reject)
        .finally(() => webSocket.terminate());
    });
    webSocket.on('error', (error) => {
      settled();
      reject(
        /handshake has timed out/.test(error.message)
          ? new GatewayError('upstream_timeout', 'the vendor did not open the connection in time', { taken: 'no' })
          : transportError(error, 'before it was open'),
      );
    });
  });
}

/** Whether a vendor answered with a socket. */
export function isSocket(opened: UpstreamSocket | UpstreamReply): opened is UpstreamSocket {
  return !('status' in opened);
}

async function readRefusal(response: IncomingMessage): Promise<UpstreamReply> {
  // The status has said already what a cut connection would leave open.
  const body = await refusalBody(response as AsyncIterable<Buffer>, { orLess: true });
  const { statusCode: status = 502, headers } = response;
  return { status, headers: flatHeaders(headers), body, json: parseVendorJson(body.toString('utf8')) };
}

interface AnswerBounds {
  /** Seconds until the first event, and between two. */
  readonly deadlines: { readonly firstByte: number; readonly idle: number };
  /** Aborted when nobody wants the answer any more. */
  readonly signal?: AbortSignal;
}

/** The answer to one message over a socket, as server-sent events. Nothing is read from the socket while nobody reads them. */
export class SocketAnswer extends Readable {
  readonly #socket: UpstreamSocket;
  readonly #message: SocketMessage;
  readonly #bounds: AnswerBounds;
  /** Settles with the first event: what it refuses, or nothing. */
  readonly #first = Promise.withResolvers<UpstreamReply | undefined>();
  #silence: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(socket: UpstreamSocket, message: SocketMessage, bounds: AnswerBounds) {
    super();
    this.#socket = socket;
    this.#message = message;
    this.#bounds = bounds;
    socket.on('message', this.#hear);
    socket.on('close', this.#cut);
    bounds.signal?.addEventListener('abort', this.#leave, { once: true });
    this.#wait(bounds.deadlines.firstByte, 'before it answered');
    if (bounds.signal?.aborted === true) this.#leave();
    else {
      socket.send(message.text);
      socket.resume();
    }
  }

  /** Resolves when the first event is there, with the refusal that it is. Throws GatewayError when none came. */
  begun(): Promise<UpstreamReply | undefined> {
    return this.#first.promise;
  }

  override _read(): void {
    if (!this.#isOver) this.#socket.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isCut = !this.#isOver;
    this.#settle();
    if (isCut) this.#socket.terminate();
    this.#first.reject(
      error ?? new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown' }),
    );
    this.#first.promise.catch(() => undefined);
    done(error);
  }

  readonly #hear = (data: Buffer): void => {
    const text = data.toString('utf8');
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const refused = this.#message.refusalIn(text);
      this.#first.resolve(refused);
      if (refused !== undefined) {
        this.#settle();
        this.push(null);
        return;
      }
    }
    const hasRoom = this.push(`data: ${text}\n\n`);
    if (this.#message.isLast(text)) {
      this.#settle();
      this.push(null);
      return;
    }
    if (!hasRoom) this.#socket.pause();
    this.#wait(this.#bounds.deadlines.idle, 'in the middle of its answer');
  };

  readonly #cut = (): void => {
    this.destroy(
      transportError(new Error('closed'), this.#hasBegun ? 'in the middle of its answer' : 'before it answered'),
    );
  };

  readonly #leave = (): void => {
    this.destroy(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown' }));
  };

  #wait(seconds: number, when: string): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      // While nobody reads, nothing can be heard.
      if (this.#hasBegun && this.readableLength > 0) this.#wait(seconds, when);
      else
        this.destroy(
          new GatewayError('upstream_timeout', `the vendor stopped responding ${when}`, { taken: 'unknown' }),
        );
    }, seconds * 1000);
    this.#silence.unref();
  }

  /** No more of this answer is heard. The socket is read on: pings want an answer. */
  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#bounds.signal?.removeEventListener('abort', this.#leave);
    this.#socket.off('message', this.#hear);
    this.#socket.off('close', this.#cut);
    this.#socket.resume();
  }
}
