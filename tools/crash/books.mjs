/** Compares three books: what clients were told, what our ledger says, what the vendors' own ledger says. */
import { setTimeout as sleep } from 'node:timers/promises';

const ENDED = new Set(['SUCCESS', 'FAILURE']);
const PAGE = 500;
const PATIENCE_MS = 60_000;
/** What a finished job costs by the run's price list, in quota units of 1/500,000 dollar. */
const PRICES = {
  ark: ({ outputTokens }) => outputTokens,
  'tencent-vod': ({ seconds }) => seconds * 50_000,
  minimax: () => 140_000,
};

/** Resolves with a table and a list of broken promises. */
export async function checkBooks({ server, twin, clients, passTime }) {
  const { store } = server.parts;
  const faults = [...clients.contradictions];
  const tasks = await allEnded(store, faults, passTime);
  const byId = new Map(tasks.map((task) => [task.id, task]));

  for (const [intent, id] of clients.acknowledged) {
    const { status, json } = await clients.call(server.url, `/v1/video/generations/${id}`);
    if (status !== 200 || !ENDED.has(json.data?.status))
      faults.push(`${intent.name} (${id}) was acknowledged and reads ${status} ${json.data?.status}`);
  }
  if (new Set(clients.acknowledged.values()).size !== clients.acknowledged.size)
    faults.push('two intents have the same task');

  const jobs = twin.ledger.jobs();
  const jobsOf = new Map();
  for (const job of jobs) {
    const name = /crash intent \d+-\d+\./.exec(job.prompt)?.[0];
    if (name === undefined) faults.push(`a job of nobody: ${job.vendor} ${job.id}`);
    else jobsOf.set(name, [...(jobsOf.get(name) ?? []), job]);
  }
  for (const [name, list] of jobsOf) if (list.length > 1) faults.push(`${name} has ${list.length} jobs at its vendor`);

  const entries = await allEntries(store);
  const closings = Map.groupBy(
    entries.filter(({ holdId }) => holdId !== undefined),
    ({ holdId }) => holdId,
  );
  const holds = entries.filter(({ kind }) => kind === 'hold');
  for (const hold of holds) {
    const closed = closings.get(hold.id) ?? [];
    if (closed.length !== 1) faults.push(`hold ${hold.id} of ${hold.taskId} was closed ${closed.length} times`);
  }
  const holdsOf = Map.groupBy(holds, ({ taskId }) => taskId);
  for (const task of tasks)
    if (holdsOf.get(task.id)?.length !== 1) faults.push(`${task.id} has ${holdsOf.get(task.id)?.length ?? 0} holds`);
  for (const { message } of await store.ledger.verify()) faults.push(`the ledger does not add up: ${message}`);

  let charged = 0;
  let billed = 0;
  const nameOf = new Map([...clients.acknowledged].map(([intent, id]) => [id, intent.name]));
  const chargeOf = new Map(
    entries.filter(({ kind }) => kind === 'capture').map((entry) => [entry.taskId, entry.charged]),
  );
  for (const task of tasks) {
    const charge = chargeOf.get(task.id) ?? 0;
    charged += charge;
    if (task.quota !== charge) faults.push(`${task.id} says ${task.quota} and was charged ${charge}`);
    if (task.state === 'FAILURE') {
      if (charge !== 0) faults.push(`${task.id} failed and was charged ${charge}`);
      continue;
    }
    const [job] = jobsOf.get(nameOf.get(task.id)) ?? [];
    const price = job?.billed === undefined ? undefined : PRICES[job.vendor](job.billed);
    if (price !== charge) faults.push(`${task.id} was charged ${charge}; its vendor bills ${price ?? 'nothing'}`);
    billed += price ?? 0;
  }

  const unknown = tasks.filter(({ failCode }) => failCode === 'submission_unknown').length;
  const count = (state) => tasks.filter((task) => task.state === state).length;
  const rows = [
    ['intents of clients', clients.intents.length],
    ['acknowledged', clients.acknowledged.size],
    ['answered: submission unknown', clients.refused.size],
    ['cancels asked', clients.cancels()],
    ['tasks', byId.size],
    ['  SUCCESS', count('SUCCESS')],
    ['  FAILURE', count('FAILURE')],
    ['    submission unknown', unknown],
    ['jobs at vendors', jobs.length],
    ['most jobs for one intent', Math.max(0, ...[...jobsOf.values()].map(({ length }) => length))],
    ['holds', holds.length],
    ['charged by us', charged],
    ['billed by vendors for them', billed],
  ].map(([name, number]) => [name, { number }]);
  // A run in which nothing happened proves nothing.
  if (clients.acknowledged.size === 0 || count('SUCCESS') === 0) faults.push('no task was acknowledged and finished');
  return { rows, faults };
}

/** In quick time: the gateway has learnt from the jump over dead processes' leases that videos take long. */
async function allEnded(store, faults, passTime) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const tasks = await allTasks(store);
    const open = tasks.filter(({ state }) => !ENDED.has(state));
    if (open.length === 0) return tasks;
    if (Date.now() > until) {
      faults.push(...open.map(({ id, state, vendor }) => `${id} (${vendor}) does not end: ${state}`));
      return tasks;
    }
    passTime();
    await sleep(250);
  }
}

async function allTasks(store) {
  const all = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const page = await store.tasks.list({ order: 'oldest', limit: PAGE, ...(last !== undefined && { after: last }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

async function allEntries(store) {
  const all = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const page = await store.ledger.entries({ limit: PAGE, ...(last !== undefined && { after: last }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
