/**
 * Leases of polls under way: short, so that the polls of a process that dies are soon taken over, and renewed while the poll runs
 * (docs/architecture.md#tasks).
 */
import type { Log } from '../parts.ts';
import type { Store } from '../ports.ts';

/** How long the polls of a dead process wait for another one, milliseconds. */
export const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 5_000;

export interface Leases {
  /** Renews the lease of a task that was claimed until `until`, until the returned function is called. */
  hold(taskId: string, until: number): () => void;
}

export interface LeasesOptions {
  readonly store: Pick<Store, 'tasks'>;
  readonly now: () => number;
  readonly log: Log;
  /** The longest one poll may take, milliseconds: what takes longer hangs here, and another process may try. */
  readonly longestMs: number;
}

interface Held {
  until: number;
  readonly since: number;
}

/** Makes the leases of one process. */
export function createLeases({ store, now, log, longestMs }: LeasesOptions): Leases {
  const held = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;
  let renewing = false;

  const renew = async (): Promise<void> => {
    const at = now();
    for (const [id, { since }] of held) if (at - since > longestMs + LEASE_MS) held.delete(id);
    // One statement per end: after the first renewal all share it.
    for (const [from, tasks] of Map.groupBy([...held], ([, { until }]) => until)) {
      const until = at + LEASE_MS;
      const kept = new Set(
        await store.tasks.renewLeases(
          tasks.map(([id]) => id),
          from,
          until,
        ),
      );
      for (const [id, lease] of tasks) {
        if (kept.has(id)) lease.until = until;
        else if (held.get(id) === lease) held.delete(id);
      }
    }
  };
  const tick = (): void => {
    // A slow database is not asked twice at once: the next tick comes.
    if (renewing) return;
    renewing = true;
    renew()
      .catch((error: unknown) => log.error({ error }, 'the leases of running polls could not be renewed'))
      .finally(() => (renewing = false));
  };

  return {
    hold(taskId, until) {
      const lease: Held = { until, since: now() };
      held.set(taskId, lease);
      timer ??= setInterval(tick, RENEW_EVERY_MS).unref();
      return () => {
        if (held.get(taskId) === lease) held.delete(taskId);
        if (held.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
