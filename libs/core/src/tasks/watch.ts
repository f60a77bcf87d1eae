/** Waking those who wait for a task: at once for changes of this process, within a quarter of a second for those of another. */
import type { Log } from '../parts.ts';
import type { TaskEvent, TaskStore } from '../ports.ts';

const LOOK_EVERY_MS = 250;
const EVENTS_PER_LOOK = 1000;

export interface TaskWatch {
  /** Something about the task has changed here. */
  wake(taskId: string): void;
  /** The events of a task after `afterEventId`, as soon as there are any; empty after `timeoutMs` or when aborted. */
  wait(taskId: string, afterEventId: number, timeoutMs: number, signal?: AbortSignal): Promise<readonly TaskEvent[]>;
  close(): void;
}

/** Makes the watch of one process; it looks at the event rows only while somebody waits. */
export function createWatch(store: Pick<TaskStore, 'events' | 'eventsSince' | 'lastEventId'>, log: Log): TaskWatch {
  const waiting = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  let seen: number | undefined;

  const wake = (taskId: string): void => {
    for (const resolve of waiting.get(taskId) ?? []) resolve();
  };
  const look = async (): Promise<void> => {
    if (seen === undefined) return;
    try {
      const events = await store.eventsSince(seen, EVENTS_PER_LOOK);
      seen = events.at(-1)?.id ?? seen;
      for (const { taskId } of events) wake(taskId);
    } catch (error) {
      log.warn({ error }, 'the task events could not be read');
    }
  };
  /** From where to look: before a waiter reads its task's events, so that nothing falls in between. */
  const anchor = async (): Promise<void> => {
    if (seen !== undefined) return;
    const last = await store.lastEventId();
    seen ??= last;
  };
  const schedule = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      void look().then(() => {
        timer = undefined;
        if (waiting.size === 0) seen = undefined;
        schedule();
      });
    }, LOOK_EVERY_MS);
    timer.unref();
  };
  const woken = (taskId: string, ms: number, signal: AbortSignal | undefined): Waiter => {
    let finish = (): void => undefined;
    const promise = new Promise<void>((resolve) => {
      const deadline = setTimeout(() => finish(), ms);
      finish = () => {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', finish);
        const others = waiting.get(taskId);
        others?.delete(finish);
        if (others?.size === 0) waiting.delete(taskId);
        resolve();
      };
      signal?.addEventListener('abort', finish, { once: true });
      waiting.set(taskId, (waiting.get(taskId) ?? new Set()).add(finish));
    });
    schedule();
    return { promise, cancel: finish };
  };

  return {
    wake,
    async wait(taskId, afterEventId, timeoutMs, signal) {
      const until = performance.now() + timeoutMs;
      for (;;) {
        // Listen before looking: a change in between is not missed.
        const waiter = woken(taskId, Math.max(0, until - performance.now()), signal);
        const events = await anchor()
          .then(() => store.events(taskId, afterEventId))
          .catch((error: unknown) => {
            waiter.cancel();
            throw error;
          });
        if (events.length > 0 || signal?.aborted === true || performance.now() >= until) {
          waiter.cancel();
          return events;
        }
        await waiter.promise;
      }
    },
    close() {
      if (timer !== undefined) clearTimeout(timer);
      timer = undefined;
      for (const set of [...waiting.values()]) for (const resolve of [...set]) resolve();
    },
  };
}

interface Waiter {
  readonly promise: Promise<void>;
  readonly cancel: () => void;
}
