/** PostgreSQL is down, slow, moves elsewhere, or its connections die without a word. */
import { setTimeout as sleep } from 'node:timers/promises';

const SLOW_MS = 250;
const world = { database: 'postgres' };

export const faults = [
  {
    name: 'PostgreSQL down',
    world,
    short: true,
    async run({ world: { postgres, databaseProxy }, seconds }) {
      databaseProxy.cut();
      await postgres.stop();
      await sleep(seconds * 1000);
      await postgres.start();
      databaseProxy.pass();
    },
  },
  {
    name: 'PostgreSQL slow',
    world,
    async run({ world: { databaseProxy }, seconds }) {
      databaseProxy.delay(SLOW_MS);
      await sleep(seconds * 1000);
      databaseProxy.pass();
    },
  },
  {
    name: 'PostgreSQL failover',
    world,
    async run({ world: { postgres }, rounds }) {
      for (let round = 0; round < Math.min(2, rounds); round++) {
        await postgres.stop();
        await sleep(500);
        await postgres.start();
        await sleep(1_500);
      }
    },
  },
  {
    name: 'PostgreSQL connections lost silently',
    world,
    async run({ world: { databaseProxy } }) {
      databaseProxy.loseOpen();
    },
  },
];
