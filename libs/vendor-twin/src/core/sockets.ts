import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import type { TwinFault } from './faults.ts';

/** Of one frame: sound and pictures come as base64. */
const LARGEST_FRAME = 16 * 1024 * 1024;
/** Bytes that wait to be read; the twin makes no more until they are. */
const MOST_UNREAD = 1024 * 1024;
const LOOK_MS = 5;

/** One client's WebSocket: what a vendor says over it, and the faults on the way out. */
export class TwinSocket {
  readonly #webSocket: WebSocket;
  readonly #cutAfter: number;
  readonly #errorAfter: number;
  #sent = 0;

  constructor(webSocket: WebSocket, faults: readonly TwinFault[]) {
    this.#webSocket = webSocket;
    const cut = faults.find((fault) => fault.kind === 'cut');
    const error = faults.find((fault) => fault.kind === 'error-event');
    this.#cutAfter = cut?.kind === 'cut' ? (cut.afterEvents ?? 0) : Number.POSITIVE_INFINITY;
    this.#errorAfter = error?.kind === 'error-event' ? (error.afterEvents ?? 0) : Number.POSITIVE_INFINITY;
    // A frame that is none, or too large: it is closed with the code that says so.
    webSocket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }

  /** Whether a scripted fault asks for the vendor's own error now, once. */
  get errorIsDue(): boolean {
    return this.#sent === this.#errorAfter;
  }

  /** What comes, one after another: the next is heard when the one before was dealt with. */
  hear(listener: (data: Buffer, isBinary: boolean) => Promise<void> | void): void {
    let heard = Promise.resolve();
    this.#webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      heard = heard.then(() => listener(data, isBinary)).catch(() => this.#webSocket.close(1011, 'the twin failed'));
    });
  }

  onClose(listener: () => void): void {
    this.#webSocket.once('close', listener);
  }

  send(event: Readonly<Record<string, unknown>>, isBinary = false): void {
    if (!this.isOpen) return;
    if (this.#sent >= this.#cutAfter) {
      this.#webSocket.terminate();
      return;
    }
    this.#sent += 1;
    const text = JSON.stringify(event);
    this.#webSocket.send(isBinary ? Buffer.from(text) : text);
  }

  /** Resolves when the client has read enough for more to be made. */
  async drained(): Promise<void> {
    while (this.isOpen && this.#webSocket.bufferedAmount > MOST_UNREAD) await pause(LOOK_MS, undefined, { ref: false });
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  cut(): void {
    this.#webSocket.terminate();
  }
}

/** An answer that goes out over a WebSocket: each event is a frame, and so is a refusal. What would cut a connection cuts the socket. */
export class FramedResponse extends ServerResponse {
  readonly #webSocket: WebSocket;
  readonly #whole: Buffer[] = [];
  #events = '';
  #status = 0;
  #isStream = false;
  #isOver = false;

  constructor(request: IncomingMessage, webSocket: WebSocket) {
    super(request);
    this.#webSocket = webSocket;
    Object.defineProperties(this, {
      headersSent: { get: () => this.#status !== 0 },
      writableFinished: { get: () => this.#isOver },
      closed: { get: () => this.#isOver || webSocket.readyState !== WebSocket.OPEN },
    });
    const close = (): boolean => this.emit('close');
    webSocket.once('close', close);
    this.once('close', () => webSocket.off('close', close));
  }

  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.at(-1) as Readonly<Record<string, string>> | undefined;
    this.statusCode = this.#status = status;
    this.#isStream = headers?.['content-type']?.startsWith('text/event-stream') === true;
    return this;
  }

  override write(chunk: Uint8Array | string, ...given: unknown[]): boolean {
    if (this.#isStream) this.#frame(Buffer.from(chunk).toString());
    else this.#whole.push(Buffer.from(chunk));
    const done = given.at(-1);
    if (typeof done === 'function') (done as () => void)();
    return true;
  }

  override end(...given: unknown[]): this {
    const [chunk] = given;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk);
    if (this.#isOver) return this;
    this.#isOver = true;
    if (!this.#isStream) {
      const { error } = JSON.parse(Buffer.concat(this.#whole).toString()) as { readonly error: unknown };
      this.#send(JSON.stringify({ type: 'error', status: this.#status, error }));
    }
    this.emit('close');
    return this;
  }

  override destroy(): this {
    this.#webSocket.terminate();
    return this;
  }

  #frame(text: string): void {
    const events = (this.#events + text).split('\n\n');
    this.#events = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) this.#send(data);
    }
  }

  #send(text: string): void {
    if (this.#webSocket.readyState === WebSocket.OPEN) this.#webSocket.send(text);
  }
}

/** The WebSockets of a twin: `close` hangs up on all of them. */
export class TwinSockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: LARGEST_FRAME });

  get open(): number {
    return this.#server.clients.size;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> {
    return new Promise((resolve) => {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#server.emit('connection', webSocket, request);
        resolve(webSocket);
      });
    });
  }

  close(): void {
    for (const webSocket of this.#server.clients) webSocket.terminate();
    this.#server.close();
  }
}
