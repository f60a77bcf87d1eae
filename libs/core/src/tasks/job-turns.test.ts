import { describe, expect, it } from 'vitest';
import type { Turn, WaitingOwner } from '../ports.ts';
import { chooseTurns, positionOf } from './job-turns.ts';

/** Numbers that look random and are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const owner = (ownerId: number, count: number, weight = 1): WaitingOwner => ({ ownerId, count, weight });

describe('turns', () => {
  it.each([
    { name: 'nobody waits', turn: undefined, waiting: [], room: 3, owners: [] },
    { name: 'no room', turn: undefined, waiting: [owner(1, 5)], room: 0, owners: [] },
    { name: 'one alone', turn: undefined, waiting: [owner(1, 5)], room: 3, owners: [1, 1, 1] },
    { name: 'one after another', turn: undefined, waiting: [owner(2, 5), owner(1, 5)], room: 4, owners: [1, 2, 1, 2] },
    {
      name: 'by weight',
      turn: undefined,
      waiting: [owner(1, 9, 3), owner(2, 9)],
      room: 8,
      owners: [1, 1, 1, 2, 1, 1, 1, 2],
    },
    {
      name: 'goes on where it stopped',
      turn: { ownerId: 1, left: 0 },
      waiting: [owner(1, 5), owner(2, 5)],
      room: 2,
      owners: [2, 1],
    },
    {
      name: 'goes on within a turn',
      turn: { ownerId: 1, left: 2 },
      waiting: [owner(1, 5, 3), owner(2, 5)],
      room: 3,
      owners: [1, 1, 2],
    },
    {
      name: 'whoever has nothing gives the rest away',
      turn: { ownerId: 1, left: 2 },
      waiting: [owner(2, 5)],
      room: 2,
      owners: [2, 2],
    },
    {
      name: 'an owner who left',
      turn: { ownerId: 5, left: 0 },
      waiting: [owner(4, 1), owner(6, 1)],
      room: 2,
      owners: [6, 4],
    },
  ])('$name', ({ turn, waiting, room, owners }) => {
    expect(chooseTurns(turn, waiting, room).owners).toEqual(owners);
  });

  it('shares room by weight within 10 %, however it comes, while all wait', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = randomFrom(seed);
      const waiting = Array.from({ length: 2 + Math.floor(random() * 6) }, (_, index) =>
        owner(index * 7 + 1, 1_000_000, 1 + Math.floor(random() * 4)),
      );
      const served = new Map<number, number>();
      let turn: Turn | undefined;
      let all = 0;
      while (all < 2_000) {
        const chosen = chooseTurns(turn, waiting, 1 + Math.floor(random() * 5));
        turn = chosen.turn;
        all += chosen.owners.length;
        for (const id of chosen.owners) served.set(id, (served.get(id) ?? 0) + 1);
      }
      const weights = waiting.reduce((sum, { weight }) => sum + weight, 0);
      for (const { ownerId, weight } of waiting) {
        const share = (all * weight) / weights;
        expect(Math.abs((served.get(ownerId) ?? 0) - share)).toBeLessThan(share * 0.1);
      }
    }
  });

  it('lets nobody save turns up: who comes late has no more than its share from then on', () => {
    let turn: Turn | undefined;
    for (let round = 0; round < 100; round++) turn = chooseTurns(turn, [owner(1, 1000)], 1).turn;
    const { owners } = chooseTurns(turn, [owner(1, 1000), owner(2, 1000)], 20);
    expect(owners.filter((id) => id === 2)).toHaveLength(10);
  });
});

it('a place is when the task would be submitted', () => {
  const waiting = [owner(1, 10), owner(2, 2), owner(3, 1, 2)];
  const { owners } = chooseTurns({ ownerId: 1, left: 0 }, waiting, 13);
  const place = (ownerId: number, rank: number) =>
    positionOf({ turn: { ownerId: 1, left: 0 }, waiting }, ownerId, rank);
  const seen = new Map<number, number>();
  owners.forEach((ownerId, index) => {
    const rank = (seen.get(ownerId) ?? 0) + 1;
    seen.set(ownerId, rank);
    expect(place(ownerId, rank)).toBe(index + 1);
  });
  expect(place(2, 1)).toBe(1);
  expect(place(1, 10)).toBe(13);
});
