/** The loop of one process that looks for work in rows: again after a pause, and at once when somebody says that there may be some. */

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
