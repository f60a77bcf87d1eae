/** Notices that the wall clock was set back: what was made due by it meanwhile would wait for a time that is long to come. */

/** Less than this is what a busy machine and a time server that slows the clock down come to. */
const LEAST_MS = 60_000;
/** Between the jump and the look that notices it. */
const SLACK_MS = 5_000;
/** What read the clock before the jump may write down what it read after it. */
const WATCHED_MS = 60_000;
const AGAIN_MS = 5_000;

export interface ClockWatch {
  /** What is due after this time is due by a clock that was ahead. Undefined while there is nothing (more) to be done. */
  wrongAfter(): number | undefined;
}

/** `elapsed` counts milliseconds whatever the clock says; `wentBack` is told how many the clock was set back by. */
export function createClockWatch(
  {
    now,
    elapsed = () => performance.now(),
  }: { readonly now: () => number; readonly elapsed?: (() => number) | undefined },
  wentBack: (ms: number) => void,
): ClockWatch {
  let difference = now() - elapsed();
  let wrong: { readonly after: number; readonly until: number; next: number } | undefined;
  return {
    wrongAfter() {
      const at = elapsed();
      const back = difference - (now() - at);
      difference -= back;
      if (back >= LEAST_MS) {
        wentBack(back);
        wrong = { after: now() + back - SLACK_MS, until: at + WATCHED_MS, next: at };
      }
      if (wrong === undefined || at < wrong.next) return undefined;
      const { after } = wrong;
      wrong.next += AGAIN_MS;
      if (at >= wrong.until) wrong = undefined;
      return after;
    },
  };
}
