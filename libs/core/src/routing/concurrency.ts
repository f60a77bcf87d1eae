/** How many calls an account takes at once, for all its models together; a bounded queue waits behind them. */
import { GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount } from '../catalogue.ts';

const QUEUE_PER_CALL = 2;
const LONGEST_QUEUE_WAIT_MS = 10_000;

export interface Concurrency {
  readonly inFlight: number;
  readonly queued: number;
  /** Whether a call would have to wait. */
  isFull(account: Pick<GatewayAccount, 'maxConcurrency'>): boolean;
  /** Takes a place, at once where one is free. Throws GatewayError when the queue is full; rejects when the wait is too long or the caller has gone. */
  enter(account: GatewayAccount, signal: AbortSignal | undefined): Promise<void> | undefined;
  /** Gives a place back, to the first who waits. */
  leave(): void;
}

const ALL = (most: number): number => most;

/** Makes the bound of one account; `shareOf` says which part of it this process has. */
export function createConcurrency(shareOf = ALL): Concurrency {
  let inFlight = 0;
  let waiting: (() => void)[] = [];

  const wait = (account: GatewayAccount, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        waiting = waiting.filter((other) => other !== admitted);
      };
      const admitted = (): void => {
        stop();
        resolve();
      };
      const onAbort = (): void => {
        stop();
        reject(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
      };
      const timer = setTimeout(
        () => {
          stop();
          reject(saturated());
        },
        Math.min(LONGEST_QUEUE_WAIT_MS, account.deadlines.firstByte * 1000),
      );
      timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.push(admitted);
    });

  return {
    get inFlight() {
      return inFlight;
    },
    get queued() {
      return waiting.length;
    },
    isFull: ({ maxConcurrency }) => inFlight >= shareOf(maxConcurrency),
    enter(account, signal) {
      const most = shareOf(account.maxConcurrency);
      if (inFlight < most) {
        inFlight++;
        return undefined;
      }
      if (waiting.length >= most * QUEUE_PER_CALL) throw saturated();
      return wait(account, signal);
    },
    leave() {
      // Handed on, the place stays counted: nobody slips in between.
      const next = waiting[0];
      if (next === undefined) inFlight--;
      else next();
    },
  };
}

function saturated(): GatewayError {
  return new GatewayError('upstream_unavailable', 'every connection to the vendor is busy', {
    retryAfterSeconds: 1,
    taken: 'no',
  });
}
