/** What was typed into the playground: kept while the console is open, on other pages and in another language too. */
import { useState } from 'react';

const kept = new Map<string, unknown>();

/** As `useState`, under a name that finds it again. */
export function useKept<T>(name: string, initial: T): [T, (next: T | ((before: T) => T)) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  const set = (next: T | ((before: T) => T)): void => {
    setValue((before) => {
      const after = typeof next === 'function' ? (next as (before: T) => T)(before) : next;
      kept.set(name, after);
      return after;
    });
  };
  return [value, set];
}

/** Puts something into the playground from another page. */
export function keep(name: string, value: unknown): void {
  kept.set(name, value);
}

/** What stands under a name. */
export const keptUnder = <T>(name: string): T | undefined => kept.get(name) as T | undefined;
