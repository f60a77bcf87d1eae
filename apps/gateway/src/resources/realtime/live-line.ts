/** Gemini Live as a vendor's side of a realtime session; connections that end are gone on from in others, and the client does not see it. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { liveError, LiveTranslation } from '@model-gateway/translate';
import { WebSocket } from 'ws';
import { PacedSender, type LineListener, type LineParts, type VendorLine } from './line.ts';

/** Messages that wait for a new connection. */
const MOST_WAITING = 2_000;
/** Connections in a row on which nothing was answered. */
const MOST_VAIN = 3;
const SESSION_SECONDS = 3600;
const NORMAL = 1000;
const FAILED = 1011;

export class LiveLine implements VendorLine {
  readonly turnsBySound = true;
  readonly transcribesItself = true;
  readonly #line: RealtimeLine;
  readonly #parts: LineParts;
  readonly #translation: LiveTranslation;
  #socket: RealtimeLine['socket'];
  #listener: LineListener | undefined;
  /** Set while there is no connection that takes messages. */
  #waiting: JsonObject[] | undefined;
  #isSetUp = false;
  #isOver = false;
  #isReconnecting = false;
  #isPaused = false;
  #isAlive = true;
  #vain = 0;
  readonly #sender = new PacedSender();

  constructor(line: RealtimeLine, model: string, parts: LineParts) {
    this.#line = line;
    this.#parts = parts;
    this.#socket = line.socket;
    this.#translation = new LiveTranslation({
      ...{ model, upstreamModel: line.offer.model, newId: (prefix) => `${prefix}${parts.randomId()}` },
      expiresAt: Math.floor(parts.now() / 1000) + SESSION_SECONDS,
      toClient: (event) => this.#listener?.event(JSON.stringify(event), event),
      toVendor: (message) => this.#send(message),
      reconnect: () => void this.#reconnect(),
    });
  }

  listen(listener: LineListener): void {
    this.#listener = listener;
    this.#follow(this.#socket);
    this.#translation.open();
  }

  send(_text: string, event: JsonObject): void {
    try {
      this.#translation.fromClient(event);
    } catch (error) {
      const told = liveError(error, (prefix) => `${prefix}${this.#parts.randomId()}`, event['event_id']);
      this.#listener?.event(JSON.stringify(told), told);
    }
  }

  drained(): Promise<void> | undefined {
    return this.#sender.drained;
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#isAlive = true;
    this.#socket.resume();
  }

  look(): boolean {
    if (!this.#isAlive) return false;
    this.#isAlive = this.#waiting !== undefined;
    this.#socket.ping(undefined, undefined, () => undefined);
    return true;
  }

  close(): void {
    this.#isOver = true;
    this.#socket.close(NORMAL);
    const socket = this.#socket;
    setTimeout(() => socket.terminate(), CLOSED_WITHIN_MS).unref();
  }

  #follow(socket: RealtimeLine['socket']): void {
    socket.on('error', () => undefined);
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('message', (data: Buffer) => {
      if (socket !== this.#socket) return;
      this.#isAlive = true;
      const message = parsed(data);
      if (message === undefined) return;
      if (message['setupComplete'] !== undefined) this.#ready();
      if (message['serverContent'] !== undefined) this.#vain = 0;
      this.#translation.fromVendor(message);
    });
    socket.once('close', (code: number, reason: Buffer) => {
      if (socket === this.#socket && !this.#isOver && !this.#isReconnecting) this.#lost(code, reason.toString());
    });
    if (!this.#isPaused) socket.resume();
  }

  /** The first message sets a connection up; others wait until it is. */
  #send(message: JsonObject): void {
    if (message['setup'] !== undefined) {
      this.#isSetUp = true;
      this.#waiting = [];
      this.#put(message);
      return;
    }
    if (this.#waiting === undefined) this.#put(message);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(message);
    else this.#fail('the vendor does not take what is said');
  }

  #ready(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#put(message);
  }

  #put(message: JsonObject): void {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.OPEN) return;
    const text = JSON.stringify(message);
    this.#sender.send(socket, text);
  }

  #lost(code: number, reason: string): void {
    if (this.#isSetUp && this.#translation.canResume && this.#vain < MOST_VAIN) {
      this.#vain++;
      this.#translation.broken();
      void this.#reconnect();
      return;
    }
    this.#isOver = true;
    this.#listener?.closed(code, reason);
  }

  /** Another connection that goes on from this one. */
  async #reconnect(): Promise<void> {
    if (this.#isOver || this.#isReconnecting) return;
    this.#isReconnecting = true;
    const before = this.#socket;
    this.#waiting ??= [];
    let socket;
    try {
      socket = await this.#line.reopen();
    } catch {
      this.#fail('the vendor could not be connected to again');
      return;
    }
    if (this.#isClosed()) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    this.#isReconnecting = false;
    before.close(NORMAL);
    this.#put(this.#translation.setup());
    this.#follow(socket);
  }

  /** It may have been closed while it was waited for. */
  #isClosed(): boolean {
    return this.#isOver;
  }

  #fail(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener?.closed(FAILED, reason);
    this.#socket.terminate();
  }
}

const CLOSED_WITHIN_MS = 1000;

function parsed(data: Buffer): JsonObject | undefined {
  try {
    const message = JSON.parse(data.toString()) as Json;
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
