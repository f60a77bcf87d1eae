/** The process is killed, stopped under load, or finds another time on its clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady, setControl } from '../world.mjs';

const READY_MS = 120_000;

async function listensAgain(world, from) {
  const until = Date.now() + READY_MS;
  while (!world.log.slice(from).includes('listens on') && Date.now() < until) await sleep(50);
  return isReady(world, Math.max(0, until - Date.now()));
}

async function killAgainAndAgain({ world, load, rounds }) {
  for (let round = 0; round < rounds; round++) {
    load.away(true);
    const from = world.log.length;
    world.gateway.signal('SIGKILL');
    await world.gateway.exited();
    // Workers that have lost their primary may answer for a moment more.
    if (!(await listensAgain(world, from))) return { faults: ['it did not come back'] };
    load.away(false);
    await sleep(800);
  }
  return undefined;
}

export const faults = [
  { name: 'kill -9 under load', short: true, run: killAgainAndAgain },
  { name: 'kill -9 of the primary of two workers', world: { workers: 2 }, run: killAgainAndAgain },
  {
    name: 'SIGTERM under load',
    async run({ world, load, rounds }) {
      for (let round = 0; round < rounds; round++) {
        // Who connects while nobody listens is refused; who was let in is answered.
        load.away(true);
        world.gateway.signal('SIGTERM');
        const code = await world.gateway.exited();
        if (code !== 0) return { faults: [`it ended with ${code}`] };
        if (!(await isReady(world, READY_MS))) return { faults: ['it did not come back'] };
        load.away(false);
        await sleep(800);
      }
    },
  },
  ...[1, -1].map((hours) => ({
    name: `clock jumps ${hours > 0 ? '+' : '−'}1 h`,
    async run({ world, seconds }) {
      setControl(world, { clockMs: hours * 3_600_000 });
      await sleep(seconds * 1000);
      // And back again, as a time server does.
      setControl(world, {});
    },
  })),
];
