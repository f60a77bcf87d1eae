/** Milliseconds since 1970. The twin's only reading of the wall clock; everything else takes the clock it is given. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Unix seconds of a time in milliseconds. */
export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
