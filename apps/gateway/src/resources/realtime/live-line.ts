/** Gemini Live as a vendor's side of a realtime session; connections that end are gone on from in others, and the client does not see it. */
import type { JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { liveError, LiveTranslation } from '@model-gateway/translate';
import { FAILED } from '../../http/client-socket.ts';
import { jsonObjectIn, VendorSocket, type LineListener, type LineParts, type VendorLine } from './line.ts';

/** Messages that wait for a new connection. */
const MOST_WAITING = 2_000;
/** Connections in a row on which nothing was answered. */
const MOST_VAIN = 3;
const SESSION_SECONDS = 3600;

export class LiveLine implements VendorLine {
  readonly turnsBySound = true;
  readonly transcribesItself = true;
  readonly socket: VendorSocket;
  readonly #line: RealtimeLine;
  readonly #parts: LineParts;
  readonly #translation: LiveTranslation;
  #listener: LineListener | undefined;
  /** Set while there is no connection that takes messages. */
  #waiting: JsonObject[] | undefined;
  #isSetUp = false;
  #isOver = false;
  #isReconnecting = false;
  #vain = 0;

  constructor(line: RealtimeLine, model: string, parts: LineParts) {
    this.#line = line;
    this.#parts = parts;
    this.socket = new VendorSocket(line.socket);
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
    this.socket.listen({
      message: (data) => this.#heed(jsonObjectIn(data.toString())),
      closed: (code, reason) => {
        if (!this.#isOver && !this.#isReconnecting) this.#lost(code, reason);
      },
    });
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

  close(): void {
    this.#isOver = true;
    this.socket.close();
  }

  #heed(message: JsonObject | undefined): void {
    if (message === undefined) return;
    if (message['setupComplete'] !== undefined) this.#ready();
    if (message['serverContent'] !== undefined) this.#vain = 0;
    this.#translation.fromVendor(message);
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
    this.socket.send(JSON.stringify(message));
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
    this.#isReconnecting = false;
    this.socket.replace(socket);
    this.#put(this.#translation.setup());
  }

  /** It may have been closed while it was waited for. */
  #isClosed(): boolean {
    return this.#isOver;
  }

  #fail(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener?.closed(FAILED, reason);
    this.socket.close();
  }
}
