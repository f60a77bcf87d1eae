/** Time that passes when everything that can happen at a moment has happened, and chance with a seed. Not part of the product. */
import { setImmediate } from 'node:timers/promises';

export interface SimulatedTime {
  readonly now: () => number;
  /** Resolves so many milliseconds later. */
  readonly pause: (ms: number) => Promise<void>;
  /** Does something at a moment, milliseconds since 1970. */
  at(moment: number, work: () => void): void;
  /** Lets time pass until nothing is left to happen. */
  run(): Promise<void>;
}

interface Event {
  readonly moment: number;
  readonly work: () => void;
}

/** Makes a clock that stands at this moment; `turns` of the event loop are what comes of one event, at most. */
export function createSimulatedTime(start: number, turns = 1): SimulatedTime {
  let now = start;
  const events: Event[] = [];
  const at = (moment: number, work: () => void): void => {
    // Behind all that are as early.
    let [from, until] = [0, events.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((events[middle] as Event).moment <= moment) from = middle + 1;
      else until = middle;
    }
    events.splice(from, 0, { moment, work });
  };
  return {
    now: () => now,
    pause: (ms) => new Promise((resolve) => at(now + ms, resolve)),
    at,
    async run() {
      for (let event = events.shift(); event !== undefined; event = events.shift()) {
        now = event.moment;
        event.work();
        for (let turn = 0; turn < turns; turn++) await setImmediate();
      }
    },
  };
}

/** Numbers from 0 to below 1; the same seed gives the same (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
