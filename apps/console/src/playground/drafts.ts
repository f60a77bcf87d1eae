/** What was typed into the playground: kept while the console is open, on other pages and in another language too. */
import { useState } from 'react';

const kept = new Map<string, unknown>();

/** As `useState`, under a name that finds it again; what is set after its page was left is kept, too. */
export function useKept<T>(name: string, initial: T): [T, (next: T | ((before: T) => T)) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  const set = (next: T | ((before: T) => T)): void => {
    const before = kept.has(name) ? (kept.get(name) as T) : initial;
    const after = typeof next === 'function' ? (next as (before: T) => T)(before) : next;
    kept.set(name, after);
    setValue(after);
  };
  return [value, set];
}

/** Puts something into the playground from another page. */
export function keep(name: string, value: unknown): void {
  kept.set(name, value);
}

/** What stands under a name. */
export const keptUnder = <T>(name: string): T | undefined => kept.get(name) as T | undefined;

/** All that stands under names which begin so. */
export function keptOf(prefix: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...kept].filter(([name]) => name.startsWith(prefix)));
}

/** Leaves nothing of whoever was signed in. */
export function forgetDrafts(): void {
  kept.clear();
}

/** Puts values back in the place of all that stands under names which begin so. */
export function restore(prefix: string, values: Readonly<Record<string, unknown>>): void {
  for (const name of [...kept.keys()]) if (name.startsWith(prefix)) kept.delete(name);
  for (const [name, value] of Object.entries(values)) if (name.startsWith(prefix)) kept.set(name, value);
}
