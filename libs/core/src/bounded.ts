/**
 * Options of an LRU cache that keeps at most so many entries and takes memory as it fills. With `max` it takes the memory of all of them at
 * its start: 1 MB for 50,000.
 */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: one };
}

const one = (): number => 1;
