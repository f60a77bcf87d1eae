/** What must hold after every fault: each check answers with what it saw, and with what broke the promise. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY } from './world.mjs';

/** A poll that went wrong is repeated within a minute. */
const SETTLE_MS = 75_000;
/** Resident, unless the fault says more. */
const MOST_MB = 450;
const OPEN = ['NOT_START', 'IN_PROGRESS'];

/** The columns of the table, in their order. */
export const PROMISES = [
  'no lost task',
  'no double job',
  'ledger balanced',
  'no secret leaked',
  'memory bounded',
  'recovers without help',
  'typed errors',
];

/** Resolves with `{ [promise]: { seen, faults } }`. `recovered` is what the fault's run found. */
export async function checkPromises({ world, load, recovered, mostMb = MOST_MB }) {
  const admin = async (path, method = 'GET') => {
    const reply = await fetch(`${world.url}${path}`, { method, headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    return reply.json();
  };
  const lost = await checkTasks(world, load);
  const money = await checkMoney(admin);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  return {
    'no lost task': lost,
    'no double job': await checkJobs(world, load),
    'ledger balanced': money,
    'no secret leaked': checkSecrets(world, [
      ['the log', world.log],
      ['/metrics', metrics],
      ['an answer', load.replies.join('\n')],
    ]),
    'memory bounded': checkMemory(world, mostMb),
    'recovers without help': recovered,
    'typed errors': checkErrors(load),
  };
}

/** Every acknowledged task is there, and every task ends. */
async function checkTasks(world, load) {
  const faults = [];
  const known = load.tasks.filter(({ id }) => id !== undefined);
  for (const task of load.tasks)
    if (task.id === undefined && task.refused === undefined)
      faults.push(`${task.name} has no answer for good: ${task.last ?? 'none at all'}`);
  const until = Date.now() + SETTLE_MS;
  let open = known;
  while (open.length > 0 && Date.now() < until) {
    const still = [];
    for (const task of open) {
      const reply = await load.send(`/v1/video/generations/${task.id}`);
      const status = reply?.status === 200 ? JSON.parse(reply.text).data?.status : undefined;
      task.status = status ?? `${reply?.status ?? 'nothing'}`;
      if (status === undefined || OPEN.includes(status)) still.push(task);
    }
    open = still;
    if (open.length > 0) await sleep(500);
  }
  for (const task of open) faults.push(`${task.name} was acknowledged as ${task.id} and reads ${task.status}`);
  if (known.length === 0) faults.push('no task was acknowledged: the run proves nothing');
  const unknown = load.tasks.length - known.length;
  return { seen: `${known.length} acknowledged, all ended${unknown > 0 ? `; ${unknown} told unknown` : ''}`, faults };
}

async function checkJobs({ twin }, { tasks }) {
  const jobs = await twin.jobs();
  const names = new Set(tasks.map(({ name }) => name));
  const faults = [];
  for (const [name, own] of Map.groupBy(jobs, ({ prompt }) => prompt)) {
    if (own.length > 1) faults.push(`${name} has ${own.length} jobs at its vendor`);
    if (![...names].some((known) => name.includes(known))) faults.push(`a job of nobody: ${name}`);
  }
  return { seen: `${jobs.length} jobs for ${tasks.length} requests`, faults };
}

async function checkMoney(admin) {
  // Leases of a process that died may still be open: they are balanced all the same.
  const verification = await admin('/admin/ledger/verify', 'POST');
  const faults = (verification.differences ?? [{ message: JSON.stringify(verification) }]).map(
    ({ message }) => message,
  );
  const report = await admin('/admin/invariants?look=true');
  if (report.ok !== true)
    faults.push(...(report.violations ?? [{ message: JSON.stringify(report) }]).map(({ message }) => message));
  return { seen: 'verified, and every invariant', faults };
}

function checkSecrets({ secrets }, places) {
  const faults = places.flatMap(([place, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${place} has a secret: ${secret.slice(0, 6)}…`),
  );
  return { seen: `${secrets.length} secrets sought`, faults };
}

function checkMemory({ gateway }, mostMb) {
  const peak = Math.round(gateway.peakMb());
  return { seen: `peak ${peak} MB`, faults: peak > mostMb ? [`${peak} MB resident, more than ${mostMb}`] : [] };
}

function checkErrors({ problems, counts }) {
  const total = Object.values(counts.errors).reduce((sum, each) => sum + each, 0);
  return { seen: `${total} errors, ${counts.ok} answers, ${counts.streams} streams`, faults: problems };
}
