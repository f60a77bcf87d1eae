/** What all workers of a machine have used of vendor accounts today, kept by the primary for workers that start later. */
import { addUse, type AccountUse } from '@model-gateway/core';

const DAY_MS = 86_400_000;

export interface DayUse {
  add(uses: readonly AccountUse[]): void;
  today(): readonly AccountUse[];
}

/** Makes it empty; a day is one of UTC. */
export function createDayUse(now: () => number): DayUse {
  let day = 0;
  const sums = new Map<string, AccountUse>();
  const advance = (): void => {
    const current = Math.floor(now() / DAY_MS);
    if (current > day) sums.clear();
    day = Math.max(day, current);
  };
  return {
    add(uses) {
      advance();
      for (const use of uses) addUse(sums, use);
    },
    today() {
      advance();
      return [...sums.values()];
    },
  };
}
