/** Whose task is submitted next: weighted round-robin over the owners who wait (docs/decisions/0018-a-queue-for-jobs.md). Pure. */
import type { ChooseTurns, Turn, WaitingOwner } from '../ports.ts';

/** Simulating further than this says nothing to anybody. */
const FURTHEST = 100_000;

/**
 * Every owner who waits has a turn of as many jobs as its weight, in the order of their numbers; who has nothing left to submit gives the rest
 * of its turn away, and saves nothing up. A job is the unit of the round-robin's deficit, so only the owner whose turn it is has one.
 */
export const chooseTurns: ChooseTurns = (turn, waiting, room) => {
  const ring = waiting.filter(({ count }) => count > 0).toSorted((a, b) => a.ownerId - b.ownerId);
  const counts = new Map(ring.map(({ ownerId, count }) => [ownerId, count]));
  const owners: number[] = [];
  let current = turn;
  while (owners.length < room) {
    if (current === undefined || current.left <= 0 || (counts.get(current.ownerId) ?? 0) === 0) {
      const next = after(current?.ownerId, ring, counts);
      if (next === undefined) break;
      current = { ownerId: next.ownerId, left: Math.max(1, next.weight) };
    }
    const { ownerId, left }: Turn = current;
    owners.push(ownerId);
    counts.set(ownerId, (counts.get(ownerId) ?? 1) - 1);
    current = { ownerId, left: left - 1 };
  }
  return { turn: current, owners };
};

function after(
  ownerId: number | undefined,
  ring: readonly WaitingOwner[],
  counts: ReadonlyMap<number, number>,
): WaitingOwner | undefined {
  const waits = ({ ownerId: id }: WaitingOwner): boolean => (counts.get(id) ?? 0) > 0;
  return ring.find((one) => one.ownerId > (ownerId ?? Number.NEGATIVE_INFINITY) && waits(one)) ?? ring.find(waits);
}

/** Where the owner's `rank`-th task stands among all that wait; both count from 1. */
export function positionOf(
  { turn, waiting }: { readonly turn: Turn | undefined; readonly waiting: readonly WaitingOwner[] },
  ownerId: number,
  rank: number,
): number {
  const all = waiting.reduce((sum, { count }) => sum + count, 0);
  const { owners } = chooseTurns(turn, waiting, Math.min(all, FURTHEST));
  let own = 0;
  const at = owners.findIndex((owner) => owner === ownerId && ++own === rank);
  return at === -1 ? Math.max(all, rank) : at + 1;
}
