/** A vendor's socket of a realtime session, and what a session has of it whatever the vendor speaks. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { WebSocket } from 'ws';
import { CLOSE_NORMAL } from '../../http/client-socket.ts';

/** Bytes that wait to be taken by a vendor; beyond them nothing is read of the client. */
const MOST_UNSENT = 256 * 1024;
/** Who does not answer a closing frame is not waited for. */
const CLOSED_WITHIN_MS = 1000;

export interface SocketListener {
  message(data: Buffer, isBinary: boolean): void;
  /** Not of a connection that was ended here. */
  closed(code: number, reason: string): void;
}

/** A vendor's socket: read and written at the pace of both sides, and asked whether it is still there. */
export class VendorSocket {
  #socket: RealtimeLine['socket'];
  #listener: SocketListener | undefined;
  #isAlive = true;
  #isPaused = false;
  #isClosed = false;
  #drained: Promise<void> | undefined;

  constructor(socket: RealtimeLine['socket']) {
    this.#socket = socket;
  }

  /** Resolves when the vendor has taken enough of what was sent; undefined when it has. */
  get drained(): Promise<void> | undefined {
    return this.#drained;
  }

  /** It is read from now on. */
  listen(listener: SocketListener): void {
    this.#listener = listener;
    this.#follow(this.#socket);
  }

  /** Goes on with another connection. */
  replace(socket: RealtimeLine['socket']): void {
    const before = this.#socket;
    this.#socket = socket;
    this.#isAlive = true;
    endConnection(before);
    this.#follow(socket);
  }

  send(text: string): void {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (this.#drained !== undefined || socket.bufferedAmount + text.length <= MOST_UNSENT) {
      socket.send(text, () => undefined);
      return;
    }
    this.#drained = new Promise((resolve) => {
      socket.send(text, () => {
        this.#drained = undefined;
        resolve();
      });
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    // While nothing was read, its pong was not either.
    this.#isAlive = true;
    this.#socket.resume();
  }

  /** Asks whether it is still there; false when the last question was not answered. */
  look(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return true;
    if (!this.#isAlive) return false;
    this.#isAlive = false;
    this.#socket.ping(undefined, undefined, () => undefined);
    return true;
  }

  /** Nothing that it says is heard any more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    endConnection(this.#socket);
  }

  #follow(socket: RealtimeLine['socket']): void {
    const isHeard = (): boolean => socket === this.#socket && !this.#isClosed;
    socket.on('error', () => undefined);
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isHeard()) return;
      this.#isAlive = true;
      this.#listener?.message(data, isBinary);
    });
    socket.once('close', (code: number, reason: Buffer) => {
      if (isHeard()) this.#listener?.closed(code, reason.toString());
    });
    if (!this.#isPaused) socket.resume();
  }
}

function endConnection(socket: RealtimeLine['socket']): void {
  socket.close(CLOSE_NORMAL);
  setTimeout(() => socket.terminate(), CLOSED_WITHIN_MS).unref();
}

export interface LineListener {
  /** `event` is undefined where the text is sound, and no JSON is read for it. */
  event(text: string, event: JsonObject | undefined): void;
  closed(code: number, reason: string): void;
}

/** What a session has of its vendor. */
export interface VendorLine {
  /** Sound that comes in begins a turn by itself, and nothing tells when somebody speaks. */
  readonly turnsBySound: boolean;
  /** What is heard is written down by the model itself, whatever model is named for that, and costs nothing more. */
  readonly transcribesItself: boolean;
  readonly socket: VendorSocket;
  /** Resolves when enough of what was sent is taken; undefined when it is. */
  readonly drained: Promise<void> | undefined;
  listen(listener: LineListener): void;
  /** `text` is the event as it came. */
  send(text: string, event: JsonObject): void;
  close(): void;
}

export interface LineParts {
  readonly now: () => number;
  readonly randomId: () => string;
}

/** A message that is a JSON object; undefined of any other. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const message = JSON.parse(text) as Json;
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
