/** The client's side of an open WebSocket: what it says in its order, what it is told at its pace, and when it is over. */
import { WebSocket } from 'ws';
import type { OpenSocket, SocketLine } from './upgrades.ts';

const MINUTE = 60_000;
/** As OpenAI's. */
const LONGEST_MS = 60 * MINUTE;
const LONGEST_IDLE_MS = 30 * MINUTE;
const LOOK_MS = 30_000;
/** A reader who has not taken in this time what was written is hung up on: his answers hold money and places at vendors. */
const STALLED_MS = 120_000;
/** Bytes that wait to be taken by the client; beyond them nothing is read, neither of the client nor of vendors. */
const MOST_UNSENT = 256 * 1024;
/** Bytes of the reason in a close frame (RFC 6455, 5.5). */
const MOST_REASON = 123;

/** Closing codes of RFC 6455, 7.4.1. */
export const CLOSE_NORMAL = 1000;
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_INVALID = 1007;
export const CLOSE_POLICY = 1008;
export const CLOSE_TOO_LARGE = 1009;
export const CLOSE_FAILED = 1011;

/** What a client has said. */
export interface ClientMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** Keeps the room that it takes beyond its hearing, until what this gives is called. */
  readonly keep: () => () => void;
}

/** What is done with what the client does. */
export interface ClientListener {
  /** The next is heard when this was dealt with. */
  hear(message: ClientMessage): Promise<void>;
  /** It does not take what it is told: nothing more is read of vendors until it does. */
  stalled?(isStalled: boolean): void;
  /** From time to time; false when the vendor is gone. */
  look?(now: number): boolean;
  /** Whether something is said to it at the moment. */
  isBusy(): boolean;
  /** Its time is over: the listener closes it, now or after what is said. */
  expired(): void;
  /** It is over, whoever ended it; once. */
  closed(): void;
}

export class ClientSocket {
  readonly #webSocket: SocketLine;
  readonly #listener: ClientListener;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #openedAt: number;
  /** Bytes of one message. */
  readonly #largest: number;
  #usedAt: number;
  #isAlive = true;
  #isReading = true;
  #pauses = 0;
  #taken: Promise<void> | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #isExpired = false;
  #isOver = false;
  /** Large messages are read in slices: in their order all the same. */
  #heard = Promise.resolve();

  constructor(
    { webSocket, came }: Pick<OpenSocket, 'webSocket' | 'came'>,
    listener: ClientListener,
    now: () => number,
    largest = Infinity,
  ) {
    this.#webSocket = webSocket;
    this.#listener = listener;
    this.#now = now;
    this.#largest = largest;
    this.#openedAt = this.#usedAt = now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      const release = came();
      this.#heard = this.#heard.then(() => this.#hear(data, isBinary, release));
    });
    webSocket.on('pong', () => (this.#isAlive = true));
    // A frame that is none, or too large: it is closed with the code that says so.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#closed());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the client has taken what it was told; undefined where nothing has to be waited for. */
  get taken(): Promise<void> | undefined {
    return this.#taken;
  }

  /** Something was said. */
  used(): void {
    this.#usedAt = this.#now();
  }

  /** Nothing is read of the client until `resume` was called as often. */
  pause(): void {
    this.#pauses++;
    this.#readOrNot();
  }

  resume(): void {
    this.#pauses--;
    this.#readOrNot();
  }

  /** Nothing is read of the client until this is done. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.pause();
    try {
      return await work;
    } finally {
      this.resume();
    }
  }

  tell(data: string | Buffer): void {
    const webSocket = this.#webSocket;
    if (webSocket.readyState !== WebSocket.OPEN) return;
    if (this.#taken !== undefined || webSocket.bufferedAmount + data.length <= MOST_UNSENT) {
      webSocket.send(data);
      return;
    }
    this.#stalled = setTimeout(() => webSocket.terminate(), STALLED_MS).unref();
    this.#taken = new Promise((resolve) => {
      webSocket.send(data, () => {
        clearTimeout(this.#stalled);
        this.#taken = undefined;
        resolve();
        if (this.#isOver) return;
        this.#listener.stalled?.(false);
        this.#readOrNot();
      });
    });
    this.#listener.stalled?.(true);
    this.#readOrNot();
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, cutToBytes(reason, MOST_REASON));
    this.#closed();
  }

  async #hear(data: Buffer, isBinary: boolean, release: () => void): Promise<void> {
    const message = { isKept: false };
    const keep = (): (() => void) => {
      message.isKept = true;
      return release;
    };
    try {
      if (this.#isOver) return;
      this.used();
      this.#isAlive = true;
      if (data.length > this.#largest) this.close(CLOSE_TOO_LARGE, `a frame is larger than ${this.#largest / MB} MB`);
      else await this.#listener.hear({ data, isBinary, keep });
    } catch {
      this.close(CLOSE_FAILED, 'the message could not be dealt with');
    } finally {
      if (!message.isKept) release();
    }
  }

  #look(): void {
    const now = this.#now();
    if (now - this.#openedAt >= LONGEST_MS && !this.#isExpired) {
      this.#isExpired = true;
      this.#listener.expired();
      return;
    }
    if (!this.#listener.isBusy() && now - this.#usedAt >= LONGEST_IDLE_MS) {
      this.close(CLOSE_NORMAL, 'nothing was said for 30 minutes');
      return;
    }
    if (this.#taken === undefined && this.#listener.look?.(now) === false) return;
    // While nothing is read, its pong is not either.
    if (!this.#isReading) return;
    if (!this.#isAlive) this.#webSocket.terminate();
    else {
      this.#isAlive = false;
      this.#webSocket.ping();
    }
  }

  #closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    clearTimeout(this.#stalled);
    this.#listener.closed();
  }

  #readOrNot(): void {
    const isReading = this.#taken === undefined && this.#pauses === 0;
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#isAlive = true;
    if (isReading) this.#webSocket.resume();
    else this.#webSocket.pause();
  }
}

const MB = 1024 * 1024;

/** The text up to so many bytes, without a character that is cut. */
function cutToBytes(text: string, most: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
