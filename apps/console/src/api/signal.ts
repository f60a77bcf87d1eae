/** A value that components follow. */
import { useSyncExternalStore } from 'react';

export interface Signal<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Calls `listener` after each change, until the function that it gives is called. */
  readonly listen: (listener: () => void) => () => void;
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useSignal<T>(followed: Signal<T>): T {
  return useSyncExternalStore(followed.listen, followed.get);
}
