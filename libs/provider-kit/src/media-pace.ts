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
