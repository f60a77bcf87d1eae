import { describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createBackOff } from './back-off.ts';
import { workerCount } from './count.ts';

const GB = 1024 ** 3;
const countOf = (env: Record<string, string>, cores: number, memory = 64 * GB): number =>
  workerCount(readConfig(env), { cores, memory });

describe('the number of workers', () => {
  it.each([
    { name: 'nothing said, one core', env: {}, cores: 1, is: 1 },
    { name: 'nothing said, two cores: one process as ever', env: {}, cores: 2, is: 1 },
    { name: 'nothing said, three cores', env: {}, cores: 3, is: 3 },
    { name: 'auto on two cores', env: { GATEWAY_WORKERS: 'auto' }, cores: 2, is: 2 },
    { name: 'auto on one core', env: { GATEWAY_WORKERS: 'auto' }, cores: 1, is: 1 },
    { name: 'a number', env: { GATEWAY_WORKERS: '3' }, cores: 8, is: 3 },
    { name: 'one on many cores', env: { GATEWAY_WORKERS: '1' }, cores: 8, is: 1 },
    { name: 'a database in memory', env: { DATABASE_URL: 'sqlite::memory:' }, cores: 8, is: 1 },
  ])('$name', ({ env, cores, is }) => {
    expect(countOf(env as Record<string, string>, cores)).toBe(is);
  });

  it('is no more than the memory takes, when it is left to the machine', () => {
    expect(countOf({}, 16, 2 * GB)).toBe(5);
    expect(countOf({}, 16, 0.1 * GB)).toBe(1);
    expect(countOf({ GATEWAY_WORKERS: '8' }, 16, 2 * GB)).toBe(8);
  });

  it.each([
    {
      env: { GATEWAY_WORKERS: '3' },
      cores: 2,
      says: 'GATEWAY_WORKERS: 3 is more than the 2 cores of this machine: take a number from 1 to 2, or auto',
    },
    {
      env: { GATEWAY_WORKERS: '2' },
      cores: 1,
      says: 'GATEWAY_WORKERS: 2 is more than the one core of this machine: take 1, or auto',
    },
    {
      env: { GATEWAY_WORKERS: '2', DATABASE_URL: 'sqlite::memory:' },
      cores: 2,
      says: 'GATEWAY_WORKERS: a database in memory (sqlite::memory:)',
    },
  ])('$says', ({ env, cores, says }) => {
    expect(() => countOf(env as Record<string, string>, cores)).toThrow(says);
  });
});

it('successors wait longer each time, up to half a minute, until one has lived a while', () => {
  const pauses = createBackOff();
  expect(Array.from({ length: 4 }, () => pauses.after(500))).toEqual([100, 200, 400, 800]);
  for (let death = 0; death < 10; death++) pauses.after(0);
  expect(pauses.after(0)).toBe(30_000);
  expect(pauses.after(10_000)).toBe(100);
});
