/**
 * Requests of one owner that wait for each other, because together they need more than the balance. One is tried at a time, and keys take
 * turns, so that a key with a thousand requests delays another's by one.
 */
import { GatewayError } from '@model-gateway/contracts';

const MOST_WAITING = 256;

export interface Turns {
  /** Runs `work` when it is this request's turn. Throws `insufficient_quota` when too many wait already. */
  run<T>(keyId: number, work: () => Promise<T>): Promise<T>;
  /** Runs one after the other: they would wait for the same row, each with a connection of its own that others need. */
  inLine<T>(work: () => Promise<T>): Promise<T>;
  /** Reports that money was released, so that the request with the turn tries again. */
  wake(): void;
  /** Resolves at the next `wake`, or when `other` does. */
  woken(other: Promise<void>): Promise<void>;
  /** A request of this key has the turn or waits for it. */
  isWanted(keyId: number): boolean;
}

/** Makes the queue of one owner. */
export function createTurns(): Turns {
  /** By key, in the order in which keys have their turns. */
  const lines = new Map<number, (() => void)[]>();
  let waiting = 0;
  /** The key that has the turn. */
  let holder: number | undefined;
  let listeners: (() => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const next = (): void => {
    const [first] = lines;
    if (first === undefined) {
      holder = undefined;
      return;
    }
    const [keyId, line] = first;
    holder = keyId;
    lines.delete(keyId);
    const start = line.shift();
    if (line.length > 0) lines.set(keyId, line);
    waiting--;
    start?.();
  };
  const turn = (keyId: number): Promise<void> => {
    if (holder === undefined) {
      holder = keyId;
      return Promise.resolve();
    }
    if (waiting >= MOST_WAITING) throw tooMany();
    waiting++;
    return new Promise((resolve) => {
      const line = lines.get(keyId);
      if (line === undefined) lines.set(keyId, [resolve]);
      else line.push(resolve);
    });
  };

  return {
    async run(keyId, work) {
      await turn(keyId);
      try {
        return await work();
      } finally {
        next();
      }
    },
    inLine(work) {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
    wake() {
      const all = listeners;
      listeners = [];
      for (const listener of all) listener();
    },
    woken: (other) =>
      new Promise((resolve, reject) => {
        listeners.push(resolve);
        other.then(resolve, reject);
      }),
    isWanted: (keyId) => holder === keyId || lines.has(keyId),
  };
}

function tooMany(): GatewayError {
  return new GatewayError(
    'insufficient_quota',
    `The balance does not cover these requests together, so they run one after the other, and ${MOST_WAITING} are waiting already; send fewer at once, or add funds.`,
  );
}
