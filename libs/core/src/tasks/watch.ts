/** Waking those who wait for a task: at once for changes of this process, within a quarter of a second for those of another. */
import type { Log } from '../parts.ts';
import type { TaskEvent, TaskStore } from '../ports.ts';

const LOOK_EVERY_MS = 250;
const EVENTS_PER_LOOK = 1000;

/** The watch of one process; it looks at the event rows only while somebody waits. */
export class TaskWatch {
  private readonly store: Pick<TaskStore, 'events' | 'eventsSince' | 'lastEventId'>;
  private readonly log: Log;
  private readonly waiting = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;
  /** The last event that was looked at; undefined while nobody waits. */
  private seen: number | undefined;

  constructor(store: Pick<TaskStore, 'events' | 'eventsSince' | 'lastEventId'>, log: Log) {
    this.store = store;
    this.log = log;
  }

  /** Something about the task has changed here. */
  wake(taskId: string): void {
    for (const resolve of this.waiting.get(taskId) ?? []) resolve();
  }

  /** The events of a task after `afterEventId`, as soon as there are any; empty after `timeoutMs` or when aborted. */
  async wait(
    taskId: string,
    afterEventId: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<readonly TaskEvent[]> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      // Listen before looking: a change in between is not missed.
      const waiter = this.addWaiter(taskId, Math.max(0, until - performance.now()), signal);
      try {
        await this.anchor();
        const events = await this.store.events(taskId, afterEventId);
        if (events.length > 0 || signal?.aborted === true || performance.now() >= until) {
          waiter.cancel();
          return events;
        }
      } catch (error) {
        waiter.cancel();
        throw error;
      }
      await waiter.promise;
    }
  }

  /** Lets everybody go who waits. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const set of [...this.waiting.values()]) for (const resolve of [...set]) resolve();
  }

  /** From where to look: before a waiter reads its task's events, so that nothing falls in between. */
  private async anchor(): Promise<void> {
    if (this.seen !== undefined) return;
    const last = await this.store.lastEventId();
    this.seen ??= last;
  }

  private addWaiter(taskId: string, ms: number, signal: AbortSignal | undefined): Waiter {
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = (): void => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', finish);
      const others = this.waiting.get(taskId);
      others?.delete(finish);
      if (others?.size === 0) this.waiting.delete(taskId);
      resolve();
    };
    const deadline = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
    this.waiting.set(taskId, (this.waiting.get(taskId) ?? new Set()).add(finish));
    this.scheduleLook();
    return { promise, cancel: finish };
  }

  private scheduleLook(): void {
    if (this.timer !== undefined || this.waiting.size === 0) return;
    this.timer = setTimeout(() => {
      void this.look().then(() => {
        this.timer = undefined;
        if (this.waiting.size === 0) this.seen = undefined;
        this.scheduleLook();
      });
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    if (this.seen === undefined) return;
    try {
      const events = await this.store.eventsSince(this.seen, EVENTS_PER_LOOK);
      this.seen = events.at(-1)?.id ?? this.seen;
      for (const { taskId } of events) this.wake(taskId);
    } catch (error) {
      this.log.warn({ error }, 'the task events could not be read');
    }
  }
}

interface Waiter {
  readonly promise: Promise<void>;
  readonly cancel: () => void;
}
