/** What a machine with other work keeps this process waiting for: no fault of what is promised by the clock on the wall. */
const TICK_MS = 20;

export interface Watch {
  /** Milliseconds since the start, less those in which this process had no processor, or `probe` took longer than it should. */
  ms(): number;
  stop(): Promise<void>;
}

/** Starts it. `probe` is what hardly takes any time on a machine at rest, as one small question to a database. */
export function startWatch(probe: () => Promise<unknown> = async () => undefined): Watch {
  const began = performance.now();
  let [ticked, starved, stopped] = [began, 0, false];
  const late = (): number => Math.max(0, performance.now() - ticked - 2 * TICK_MS);
  const ticks = (async () => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      await probe();
      starved += late();
      ticked = performance.now();
    }
  })();
  return {
    ms: () => performance.now() - began - starved - late(),
    async stop() {
      stopped = true;
      await ticks;
    },
  };
}
