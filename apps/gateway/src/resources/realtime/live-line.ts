/** Gemini Live as a vendor's side of a realtime session; connections that end are gone on from in others, and the client does not see it. */
import type { JsonObject } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { liveError, LiveTranslation } from '@model-gateway/translate';
import { CLOSE_FAILED } from '../../http/client-socket.ts';
import { jsonObjectIn, VendorSocket, type LineListener, type LineParts, type VendorLine } from './vendor-socket.ts';

/** Bytes that wait for a connection that is set up; beyond them nothing is read of the client. */
const MOST_WAITING = 256 * 1024;
const SET_UP_WITHIN_MS = 30_000;
/** Connections in a row on which nothing was answered. */
const MOST_VAIN = 3;
const SESSION_SECONDS = 3600;

/** What is said while no connection takes messages. */
class Waiting {
  readonly messages: string[] = [];
  bytes = 0;
  /** Resolves when it waits no longer. */
  readonly over: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #end: () => void = () => undefined;

  constructor(tooLong: () => void) {
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#timer = setTimeout(tooLong, SET_UP_WITHIN_MS).unref();
  }

  add(message: string): void {
    this.messages.push(message);
    this.bytes += message.length;
  }

  end(): readonly string[] {
    clearTimeout(this.#timer);
    this.#end();
    return this.messages;
  }
}

export class LiveLine implements VendorLine {
  readonly turnsBySound = true;
  readonly transcribesItself = true;
  readonly socket: VendorSocket;
  readonly #line: RealtimeLine;
  readonly #parts: LineParts;
  readonly #translation: LiveTranslation;
  #listener: LineListener | undefined;
  /** Set while there is no connection that takes messages. */
  #waiting: Waiting | undefined;
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

  get drained(): Promise<void> | undefined {
    const waiting = this.#waiting;
    return waiting !== undefined && waiting.bytes > MOST_WAITING ? waiting.over : this.socket.drained;
  }

  close(): void {
    this.#isOver = true;
    this.#waiting?.end();
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
    const text = JSON.stringify(message);
    if (message['setup'] !== undefined) {
      this.#isSetUp = true;
      this.#wait();
      this.socket.send(text);
    } else if (this.#waiting === undefined) this.socket.send(text);
    else this.#waiting.add(text);
  }

  #wait(): void {
    this.#waiting ??= new Waiting(() => this.#fail('the vendor does not begin the session'));
  }

  #ready(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const message of waiting?.end() ?? []) this.socket.send(message);
  }

  #lost(code: number, reason: string): void {
    if (this.#isSetUp && this.#translation.canResume && this.#vain < MOST_VAIN) {
      this.#vain++;
      this.#translation.broken();
      void this.#reconnect();
      return;
    }
    this.#listener?.closed(code, reason);
    this.close();
  }

  /** Another connection that goes on from this one. */
  async #reconnect(): Promise<void> {
    if (this.#isOver || this.#isReconnecting) return;
    this.#isReconnecting = true;
    this.#wait();
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
    this.socket.send(JSON.stringify(this.#translation.setup()));
  }

  /** It may have been closed while it was waited for. */
  #isClosed(): boolean {
    return this.#isOver;
  }

  #fail(reason: string): void {
    if (this.#isOver) return;
    this.#listener?.closed(CLOSE_FAILED, reason);
    this.close();
  }
}
