/** One fault: a gateway under load, the fault, its end, and what the promises look like then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { checkPromises, PROMISES } from './checks.mjs';
import { startLoad } from './load.mjs';
import { openWorld } from './world.mjs';

const STEADY_MS = 1_500;
const STEADY_WAIT_MS = 30_000;
const works = ({ counts, tasks }) => counts.ok > 0 && counts.streams > 0 && tasks.some(({ id }) => id !== undefined);
const RECOVERY_MS = 30_000;

/** Resolves with `{ name, skipped }` or `{ name, cells: { [promise]: { seen, faults } }, seconds }`. */
export async function runFault(fault, { short, say }) {
  const begun = Date.now();
  let world;
  try {
    world = await openWorld(fault.world);
  } catch (error) {
    if (error.message.startsWith('skipped: ')) return { name: fault.name, skipped: error.message.slice(9) };
    throw error;
  }
  try {
    const load = startLoad(world);
    for (const until = Date.now() + STEADY_WAIT_MS; !works(load); await sleep(100))
      if (Date.now() > until) throw new Error(`nothing works before the fault: ${load.problems[0] ?? 'no answer'}`);
    const steadyMs = short ? STEADY_MS / 3 : STEADY_MS;
    await sleep(steadyMs);
    const life = world.gateway.exits.length;
    const outcome = await fault.run({ world, load, seconds: short ? 3 : 8, rounds: short ? 2 : 5 });
    const mayExit = life !== world.gateway.exits.length && !/kill -9|SIGTERM|corrupt/.test(fault.name);
    const ms = await load.worksAgain(RECOVERY_MS);
    say(`recovered ${ms === undefined ? 'never' : `in ${Math.round(ms)} ms`}`);
    await sleep(steadyMs);
    await load.stop();
    const recovered = {
      seen:
        fault.needsHelp ??
        (ms === undefined ? 'no' : `yes; ${(load.longestGapMs() / 1000).toFixed(1)} s without an answer`),
      faults: [
        ...(outcome?.faults ?? []),
        ...(ms === undefined ? [`nothing was answered for ${RECOVERY_MS / 1000} s after the fault`] : []),
        ...(mayExit ? [`the process ended by itself: ${world.gateway.exits.join(', ')}`] : []),
      ],
    };
    const cells = await checkPromises({ world, load, recovered, mostMb: fault.mostMb });
    say(PROMISES.map((promise) => `${promise}: ${cells[promise].seen}`).join('; '));
    say(`errors: ${JSON.stringify(load.counts.errors)}; slowest ${Math.round(load.slowestMs())} ms`);
    return { name: fault.name, cells, seconds: Math.round((Date.now() - begun) / 1000), log: world.log };
  } finally {
    await world.close();
  }
}
