import type { IncomingMessage } from 'node:http';
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

/** The WebSockets of a twin: `close` hangs up on all of them. */
export class TwinSockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: LARGEST_FRAME });

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
