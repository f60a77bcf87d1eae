import type { Dropped } from '../dialect.ts';

/** Collects what a translation could not carry, each field once, in the order met. */
export interface DroppedList {
  add(field: string, reason: string): void;
  readonly list: readonly Dropped[];
}

export function createDropped(): DroppedList {
  const found = new Map<string, Dropped>();
  return {
    add: (field, reason) => {
      if (!found.has(field)) found.set(field, { field, reason });
    },
    get list() {
      return [...found.values()];
    },
  };
}
