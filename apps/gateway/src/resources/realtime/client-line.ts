/** The client's side of a realtime session: what it says in its order, what it is told at its pace, and when it is over. */
import type { OpenSocket, SocketLine } from '../../http/upgrades.ts';
import { WebSocket } from 'ws';

const MINUTE = 60_000;
/** As OpenAI's. */
const LONGEST_MS = 60 * MINUTE;
const LONGEST_IDLE_MS = 30 * MINUTE;
const LOOK_MS = 30_000;
/** A reader who has not taken in this time what was written is hung up on: his turns hold money and places at vendors. */
const STALLED_MS = 120_000;
/** Bytes that wait to be taken by the client; beyond them nothing is read of the vendor. */
const MOST_UNSENT = 256 * 1024;
const LARGEST_FRAME = 16 * 1024 * 1024;
/** Bytes of the reason in a close frame (RFC 6455, 5.5). */
const MOST_REASON = 123;

/** Closing codes of RFC 6455, 7.4.1. */
export const NORMAL = 1000;
export const GOING_AWAY = 1001;
export const POLICY = 1008;
export const TOO_LARGE = 1009;
export const FAILED = 1011;

/** What is done with what the client does. */
export interface ClientListener {
  /** The next is heard when this was dealt with. */
  hear(data: Buffer, isBinary: boolean): Promise<void>;
  /** It does not take what it is told: nothing more is read of the vendor until it does. */
  stalled(isStalled: boolean): void;
  /** From time to time; false when the vendor is gone. */
  look(now: number): boolean;
  /** Whether something is said at the moment. */
  isBusy(): boolean;
  /** Its time is over, and it is closed then. */
  expired(): void;
  /** It is over, whoever ended it; once. */
  closed(): void;
}

export class ClientLine {
  readonly #webSocket: SocketLine;
  readonly #listener: ClientListener;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #openedAt: number;
  #usedAt: number;
  #isAlive = true;
  #isReading = true;
  #held = 0;
  #stalled: NodeJS.Timeout | undefined;
  #isOver = false;
  #heard = Promise.resolve();

  constructor(
    { webSocket, came }: Pick<OpenSocket, 'webSocket' | 'came'>,
    listener: ClientListener,
    now: () => number,
  ) {
    this.#webSocket = webSocket;
    this.#listener = listener;
    this.#now = now;
    this.#openedAt = this.#usedAt = now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      const release = came();
      this.#heard = this.#heard
        .then(() => this.#hear(data, isBinary))
        .catch(() => this.close(FAILED, 'the message could not be dealt with'))
        .finally(release);
    });
    webSocket.on('pong', () => (this.#isAlive = true));
    // A frame that is none, or too large: it is closed with the code that says so.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#closed());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something was said. */
  used(): void {
    this.#usedAt = this.#now();
  }

  /** Nothing is read of the client until this is done. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    this.#readOrNot();
    try {
      return await work;
    } finally {
      this.#held--;
      this.#readOrNot();
    }
  }

  tell(data: string | Buffer): void {
    const webSocket = this.#webSocket;
    if (webSocket.readyState !== WebSocket.OPEN) return;
    if (this.#stalled !== undefined || webSocket.bufferedAmount + data.length <= MOST_UNSENT) {
      webSocket.send(data);
      return;
    }
    this.#stalled = setTimeout(() => webSocket.terminate(), STALLED_MS).unref();
    this.#listener.stalled(true);
    this.#readOrNot();
    webSocket.send(data, () => {
      clearTimeout(this.#stalled);
      this.#stalled = undefined;
      if (this.#isOver) return;
      this.#listener.stalled(false);
      this.#readOrNot();
    });
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, cutToBytes(reason, MOST_REASON));
    this.#closed();
  }

  async #hear(data: Buffer, isBinary: boolean): Promise<void> {
    if (this.#isOver) return;
    this.used();
    this.#isAlive = true;
    if (data.length > LARGEST_FRAME) this.close(TOO_LARGE, 'a frame is larger than 16 MB');
    else await this.#listener.hear(data, isBinary);
  }

  #look(): void {
    const now = this.#now();
    if (now - this.#openedAt >= LONGEST_MS) {
      this.#listener.expired();
      this.close(NORMAL, 'the session is 60 minutes old');
      return;
    }
    if (!this.#listener.isBusy() && now - this.#usedAt >= LONGEST_IDLE_MS) {
      this.close(NORMAL, 'nothing was said for 30 minutes');
      return;
    }
    if (this.#stalled === undefined && !this.#listener.look(now)) return;
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
    const isReading = this.#stalled === undefined && this.#held === 0;
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#isAlive = true;
    if (isReading) this.#webSocket.resume();
    else this.#webSocket.pause();
  }
}

/** The text up to so many bytes, without a character that is cut. */
function cutToBytes(text: string, most: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
