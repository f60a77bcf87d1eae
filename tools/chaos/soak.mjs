/**
 * Everything at once for some minutes: chat, streams, tasks, picture edits, and a fault each half minute; prints memory over time.
 *
 *   npm run verify -- soak [--minutes 10] [--database sqlite|postgres]
 *
 * Prints a line each ten seconds (resident memory, heap, answers, errors), then the promises as `npm run verify -- chaos` checks them. Exit code 1 when one
 * was broken, or when memory at the end is much more than after the first third.
 */
import '../needs-node-24.mjs';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkPromises, PROMISES } from './checks.mjs';
import { startLoad } from './load.mjs';
import { openWorld } from './world.mjs';
import { readArguments } from '../read-arguments.mjs';

const values = readArguments(import.meta.url, {
  minutes: { type: 'string', default: '10' },
  database: { type: 'string', default: 'sqlite' },
});
const minutes = Number(values.minutes);
if (!(minutes > 0) || !['sqlite', 'postgres'].includes(values.database)) {
  console.error('--minutes is a number above 0, --database is sqlite or postgres');
  process.exit(2);
}
/** What a process survives: nothing that ends it, so that its memory can be followed. */
const SURVIVED =
  /^(vendor: (hang|half-open|reset|slow bytes|broken gzip)|SQLite locked|PostgreSQL (down|slow|failover))$/;
const FAULT_EVERY_MS = 30_000;
const FAULT_SECONDS = 4;
const LINE_EVERY_MS = 10_000;
/** More than this above the first third's average is growth. */
const GROWTH_MB = 60;

const all = [];
for (const file of readdirSync(new URL('faults/', import.meta.url)))
  all.push(...(await import(`./faults/${file}`)).faults);
const other = values.database === 'sqlite' ? 'PostgreSQL' : 'SQLite';
const faults = all.filter(({ name }) => SURVIVED.test(name) && !name.startsWith(other));

const world = await openWorld({ database: values.database });
const load = startLoad(world, { edits: true });
const begun = Date.now();
const ends = begun + minutes * 60_000;
const samples = [];
const line = setInterval(
  () => void sample().catch((error) => console.error(`no sample: ${error.message}`)),
  LINE_EVERY_MS,
);
let failed = [];
try {
  for (let round = 0; Date.now() < ends; round++) {
    await sleep(Math.min(FAULT_EVERY_MS, Math.max(0, ends - Date.now())));
    // The last stretch is quiet: what grew because of a fault has time to go.
    if (ends - Date.now() < FAULT_EVERY_MS) continue;
    const fault = faults[round % faults.length];
    console.log(`${clock()} ${fault.name}`);
    const outcome = await fault.run({ world, load, seconds: FAULT_SECONDS, rounds: 1 });
    failed.push(...(outcome?.faults ?? []).map((text) => `${fault.name}: ${text}`));
    const ms = await load.worksAgain(30_000);
    if (ms === undefined) failed.push(`${fault.name}: nothing was answered for 30 s afterwards`);
  }
  clearInterval(line);
  await load.stop();
  const recovered = {
    seen: `${world.gateway.exits.length} restarts`,
    faults: world.gateway.exits.length > 0 ? ['the process ended by itself'] : [],
  };
  const cells = await checkPromises({ world, load, recovered });
  console.table(
    Object.fromEntries(
      PROMISES.map((promise) => [
        promise,
        { kept: cells[promise].faults.length === 0 ? 'yes' : 'NO', seen: cells[promise].seen },
      ]),
    ),
  );
  failed.push(
    ...PROMISES.flatMap((promise) => cells[promise].faults.map((text) => `${promise}: ${text}`)),
    ...growth(),
  );
} finally {
  clearInterval(line);
  await world.close();
}
for (const text of failed.slice(0, 50)) console.error(`BROKEN: ${text}`);
console.log(failed.length === 0 ? 'every promise was kept' : `${failed.length} promises were broken`);
process.exit(failed.length === 0 ? 0 : 1);

function clock() {
  return `${Math.round((Date.now() - begun) / 1000)} s`.padStart(6);
}

async function sample() {
  const { rssMb, heapMb } = world.gateway.memory();
  const { counts } = load;
  const errors = Object.values(counts.errors).reduce((sum, each) => sum + each, 0);
  samples.push(rssMb);
  console.log(
    `${clock()} ${Math.round(rssMb)} MB resident, ${Math.round(heapMb)} MB heap; ${counts.ok} answers, ${counts.streams} streams, ${counts.edits} edits, ${load.tasks.length} tasks, ${errors} errors, ${load.problems.length} problems`,
  );
}

function growth() {
  if (samples.length < 12) return [];
  const third = Math.floor(samples.length / 3);
  const average = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;
  const [early, late] = [average(samples.slice(2, third + 2)), average(samples.slice(-3))];
  console.log(`memory: ${Math.round(early)} MB in the first third, ${Math.round(late)} MB in the end`);
  return late - early > GROWTH_MB ? [`memory grew from ${Math.round(early)} to ${Math.round(late)} MB`] : [];
}
