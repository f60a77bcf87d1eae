/** The loop of one process that looks for work in rows: again after a pause, and at once when somebody says that there may be some. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long what a dead process has claimed waits for another one; clocks of replicas may differ by less. */
export const CLAIM_MS = 30_000;
const RENEW_MS = 5_000;
const LONGEST_STOP_MS = 10_000;

export interface WorkLoop {
  start(): void;
  /** Ends the pause; during a round, there is none after it. */
  wake(): void;
  /** Resolves when the round that runs has ended. */
  stop(): Promise<void>;
  /** Asked anew each time: it changes while others are waited for. */
  isStopped(): boolean;
}

/** Makes it. `round` does what is due and gives the milliseconds until the next one; it never rejects. */
export function createWorkLoop(round: () => Promise<number>): WorkLoop {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | undefined;
  let endPause: (() => void) | undefined;
  const isStopped = (): boolean => stopped;
  const isWoken = (): boolean => woken;
  const wake = (): void => {
    woken = true;
    endPause?.();
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        endPause = undefined;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      endPause = finish;
    });
  const run = async (): Promise<void> => {
    while (!isStopped()) {
      woken = false;
      const ms = await round();
      if (!isStopped() && !isWoken()) await pause(ms);
    }
  };

  return {
    isStopped,
    wake,
    start() {
      stopped = false;
      running ??= run();
    },
    async stop() {
      stopped = true;
      wake();
      await running;
      running = undefined;
    },
  };
}

/** Looks until nothing is due and nothing is under way. Resolves with how much was begun. */
export async function drain(look: () => Promise<number>, running: ReadonlySet<Promise<void>>): Promise<number> {
  let begun = 0;
  for (;;) {
    const more = await look();
    begun += more;
    if (more === 0 && running.size === 0) return begun;
    await Promise.all([...running]);
  }
}

export interface ClaimedWorkParts {
  /** Does what is due and gives the milliseconds until the next round; it never rejects. */
  readonly round: () => Promise<number>;
  /** Keeps the claims of what is worked on, every five seconds. */
  readonly renew: () => Promise<void>;
  readonly renewalFailed: (error: unknown) => void;
  /** Ends what is still under way after the longest wait. */
  readonly abort: () => void;
  readonly pause: ((ms: number) => Promise<void>) | undefined;
}

/** What one process has claimed and works on: its claims are kept, and a stop waits for it. */
export class ClaimedWork {
  readonly running = new Set<Promise<void>>();
  readonly #parts: ClaimedWorkParts;
  readonly #loop: WorkLoop;
  #renewals: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(parts: ClaimedWorkParts) {
    this.#parts = parts;
    this.#loop = createWorkLoop(parts.round);
  }

  /** Nothing more is to be claimed. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  start(): void {
    this.#renewals = setInterval(() => void this.#parts.renew().catch(this.#parts.renewalFailed), RENEW_MS);
    this.#renewals.unref();
    this.#loop.start();
  }

  /** There may be something to do. */
  wake(): void {
    this.#loop.wake();
  }

  /** Works on something that was claimed; `work` never rejects. */
  begin(work: Promise<void>): void {
    const done = work.finally(() => {
      this.running.delete(done);
      this.#loop.wake();
    });
    this.running.add(done);
  }

  /** Waits for what is under way, for ten seconds at most. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    const until = performance.now() + LONGEST_STOP_MS;
    while (this.running.size > 0 && performance.now() < until) await this.#ended(100);
    this.#parts.abort();
    await this.#ended(1_000);
    clearInterval(this.#renewals);
  }

  #ended(ms: number): Promise<unknown> {
    return Promise.race([Promise.all(this.running), pauseFor(this.#parts, ms)]);
  }
}

/** A pause that does not keep the process. */
export function pauseFor(
  { pause }: { readonly pause?: ((ms: number) => Promise<void>) | undefined },
  ms: number,
): Promise<void> {
  return pause?.(ms) ?? sleep(ms, undefined, { ref: false });
}
