/** Redis is down or has forgotten everything. */
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';

const world = { redis: true };

export const faults = [
  {
    name: 'Redis down',
    world,
    async run({ world: { redis }, seconds }) {
      await redis.stop();
      await sleep(seconds * 1000);
      await redis.start();
    },
  },
  {
    name: 'Redis flushed',
    world,
    async run({ world: { redis }, rounds }) {
      for (let round = 0; round < rounds * 3; round++) {
        spawnSync('redis-cli', ['-p', String(redis.port), 'flushall']);
        await sleep(300);
      }
    },
  },
];
