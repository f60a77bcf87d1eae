/** Work that costs the database much and its caller nothing: one at a time for each owner, and few that wait. */
import { GatewayError } from '@model-gateway/contracts';

const MOST_WAITING = 16;

export type InTurn = <T>(ownerId: number, work: () => Promise<T>) => Promise<T>;

/** Makes the turns of one process. Throws `rate_limited` when too many of an owner's wait. */
export function createTurns(): InTurn {
  const last = new Map<number, { done: Promise<unknown>; count: number }>();
  return async (ownerId, work) => {
    const before = last.get(ownerId) ?? { done: Promise.resolve(), count: 0 };
    if (before.count >= MOST_WAITING)
      throw new GatewayError('rate_limited', 'too many reports of this owner are running at once; try again later', {
        retryAfterSeconds: 1,
      });
    const running = before.done.then(work);
    const turn = { done: running.catch(() => undefined), count: before.count + 1 };
    last.set(ownerId, turn);
    try {
      return await running;
    } finally {
      const current = last.get(ownerId);
      if (current === turn) last.delete(ownerId);
      else if (current !== undefined) current.count--;
    }
  };
}
