/**
 * Kills the gateway with SIGKILL at every labelled step of submit, poll, settle, cancel and webhook in random order, and at random moments,
 * while clients create (twice at once), repeat, cancel, read and have webhooks delivered again; then looks whether anything was lost,
 * started twice or paid twice. The vendor twin lives in this process and keeps the vendors' own books.
 *
 *   node_modules/.bin/node tools/crash/crash.mjs --kills 100 --database sqlite|postgres --replicas 1|2
 *     [--minutes 60] [--surface engine|whole] [--clients 6] [--seed 1] [--max-jobs 2]
 *
 * `--surface engine` (the usual one) runs the task engine, store and adapters behind a few routes: a life costs a fraction of that of the whole
 * gateway, which `--surface whole` runs.
 *
 * `--max-jobs` lets each account take so many jobs at once: the tasks beyond it wait in its queue.
 *
 * `--minutes` ends the killing after so long, however many there were.
 *
 * Prints tables; exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { runCrash } from './run.mjs';
import { readArguments } from '../read-arguments.mjs';

const values = readArguments(import.meta.url, {
  kills: { type: 'string', default: '30' },
  minutes: { type: 'string', default: '1440' },
  database: { type: 'string', default: 'sqlite' },
  replicas: { type: 'string', default: '1' },
  surface: { type: 'string', default: 'engine' },
  clients: { type: 'string', default: '6' },
  seed: { type: 'string', default: '1' },
  'max-jobs': { type: 'string' },
});
const { database, surface } = values;
if (surface !== 'engine' && surface !== 'whole') fail('--surface is engine or whole');
if (database !== 'sqlite' && database !== 'postgres') fail('--database is sqlite or postgres');
const replicas = whole('replicas');
if (replicas > 1 && database === 'sqlite') fail('SQLite has one process: use --database postgres');

const { killed, seconds, deaths, rows, faults } = await runCrash({
  kills: whole('kills'),
  minutes: whole('minutes'),
  replicas,
  database,
  surface,
  clients: whole('clients'),
  seed: whole('seed'),
  maxJobs: values['max-jobs'] === undefined ? undefined : whole('max-jobs'),
  say: (text) => console.error(text),
});
console.log(`${killed} kills in ${seconds.toFixed(0)} s, ${database}, ${replicas} replica(s), ${surface}`);
console.table(deaths);
console.table(rows);
for (const fault of faults.slice(0, 50)) console.error(`BROKEN: ${fault}`);
console.log(faults.length === 0 ? 'every promise was kept' : `${faults.length} promises were broken`);
process.exit(faults.length === 0 ? 0 : 1);

function whole(name) {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1) fail(`--${name} is a whole number from 1`);
  return number;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
