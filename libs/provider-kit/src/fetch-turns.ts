/** How many files are fetched at once on behalf of one caller: slow addresses of his make him wait, and nobody else. */
import { GatewayError } from '@model-gateway/contracts';

const AT_ONCE = 8;
/** More than any request names; several requests of one caller share it. */
const LONGEST_QUEUE = 512;

export interface FetchTurns {
  /** Does the work when it is this caller's turn. Throws `rate_limited` when too much of his waits; rejects when `signal` is aborted. */
  take<T>(caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Places {
  running: number;
  waiting: (() => void)[];
}

/** Makes the turns of one process. Callers are forgotten when nothing of theirs runs. */
export function createFetchTurns(): FetchTurns {
  const callers = new Map<string, Places>();

  const leave = (caller: string, places: Places): void => {
    const next = places.waiting.shift();
    // Handed on, the place stays counted.
    if (next !== undefined) next();
    else if (--places.running === 0) callers.delete(caller);
  };

  return {
    async take(caller, work, signal) {
      let places = callers.get(caller);
      if (places === undefined) callers.set(caller, (places = { running: 0, waiting: [] }));
      if (places.running < AT_ONCE) places.running++;
      else await turnOf(places, signal);
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        leave(caller, places);
      }
    },
  };
}

function turnOf(places: Places, signal: AbortSignal | undefined): Promise<void> {
  if (places.waiting.length >= LONGEST_QUEUE)
    throw new GatewayError('rate_limited', 'too many files of this key are being fetched; wait for some to arrive', {
      retryAfterSeconds: 5,
    });
  return new Promise((resolve, reject) => {
    const admitted = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = (): void => {
      places.waiting = places.waiting.filter((other) => other !== admitted);
      reject(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    places.waiting.push(admitted);
  });
}

/** How fast a file of a stranger's must come. */
export interface MediaPace {
  /** From the first bytes on nothing is asked of it for so long. */
  readonly graceSeconds: number;
  /** After that, on average from the beginning. */
  readonly leastBytesPerSecond: number;
  /** For all of it, from the connection to the last byte. */
  readonly deadlineSeconds: number;
}

/** Makes the judge of one file: told how many bytes there are by now, it says why that is too slow, or nothing. `now` is in milliseconds. */
export function createPaceJudge(
  { graceSeconds, leastBytesPerSecond, deadlineSeconds }: MediaPace,
  now: () => number,
): (bytes: number) => string | undefined {
  const began = now();
  let first: number | undefined;
  return (bytes) => {
    const at = now();
    first ??= at;
    if (at - began > deadlineSeconds * 1000) return `it took longer than ${deadlineSeconds} seconds`;
    const seconds = (at - first) / 1000;
    if (seconds <= graceSeconds || bytes >= seconds * leastBytesPerSecond) return undefined;
    return `it came more slowly than ${leastBytesPerSecond} bytes a second`;
  };
}
