import { describe, expect, it } from 'vitest';
import { createKeptAnswers } from './idempotency.ts';

const HOUR_MS = 3_600_000;
const one = { ownerId: 1, mode: 'live' } as const;

describe('answers that are kept', () => {
  it('fit until they are as many bytes as an owner may have; others have room of their own', () => {
    const answers = createKeptAnswers({ most: 100, now: () => 0 });
    expect([60, 40, 1].map((bytes) => answers.take(one, bytes))).toEqual([true, true, false]);
    expect(answers.take({ ...one, mode: 'test' }, 100)).toBe(true);
    expect(answers.take({ ...one, ownerId: 2 }, 100)).toBe(true);
    expect(answers.take(undefined, 1000)).toBe(true);
  });

  it('count as long as they are kept, and what did not fit counts for nothing', () => {
    let now = 0.5 * HOUR_MS;
    const answers = createKeptAnswers({ most: 100, now: () => now });
    expect([60, 50].map((bytes) => answers.take(one, bytes))).toEqual([true, false]);
    now += 10 * HOUR_MS;
    expect([40, 1].map((bytes) => answers.take(one, bytes))).toEqual([true, false]);
    now = 24.4 * HOUR_MS;
    expect(answers.take(one, 1)).toBe(false);
    now = 25 * HOUR_MS;
    expect([60, 1].map((bytes) => answers.take(one, bytes))).toEqual([true, false]);
  });
});
