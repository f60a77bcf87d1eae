/** Compares the books: what clients were told, what our ledger says, what the vendors' own ledger says, what the webhooks told. */
import { setTimeout as sleep } from 'node:timers/promises';

const OPEN = ['NOT_START', 'IN_PROGRESS'];
const PAGE = 1000;
const PATIENCE_MS = 90_000;
const READERS = 16;
/** What a finished job costs by the run's price list, in quota units of 1/500,000 dollar. */
const PRICES = {
  ark: ({ outputTokens }) => outputTokens,
  'tencent-vod': ({ seconds }) => seconds * 50_000,
  minimax: () => 140_000,
};

/** Resolves with a table and a list of broken promises. */
export async function auditRun({ server, twin, clients, receiver, passTime }) {
  const { store } = server.parts;
  const faults = [...clients.contradictions, ...receiver.faults];
  await allSettled(store, faults, passTime);
  const tasks = await allPages((page) => store.tasks.list({ order: 'oldest', ...page }));
  const entries = await allPages((page) => store.ledger.entries(page));

  await checkRecords({ server, clients, receiver, faults });
  const jobsOf = checkJobs(twin, clients, tasks, faults);
  const money = checkMoney({ tasks, entries, jobsOf, faults });
  for (const { message } of await store.ledger.verify()) faults.push(`the ledger does not add up: ${message}`);

  const unknown = tasks.filter(({ failCode }) => failCode === 'submission_unknown').length;
  const count = (state) => tasks.filter((task) => task.state === state).length;
  const rows = [
    ['intents of clients', clients.intents.length],
    ['sent twice at once', clients.counts.repeated],
    ['acknowledged', clients.acknowledged.size],
    ['answered: submission unknown', clients.refused.size],
    ['reads', clients.counts.reads],
    ['cancels asked (each twice at once)', clients.counts.cancels],
    ['cancels acknowledged', clients.cancelled.size],
    ['webhooks heard', receiver.heard()],
    ['  different ones', receiver.ids().length],
    ['  asked for again', clients.counts.redelivered],
    ['tasks', tasks.length],
    ['  SUCCESS', count('SUCCESS')],
    ['  FAILURE', count('FAILURE')],
    ['    submission unknown', unknown],
    ['jobs at vendors', twin.ledger.jobs().length],
    ['most jobs for one intent', Math.max(0, ...[...jobsOf.values()].map(({ length }) => length))],
    ['holds, each closed once', money.holds],
    ['charged by us', money.charged],
    ['billed by vendors for them', money.billed],
    ['billed by vendors for unknown submissions', money.lost],
  ].map(([name, number]) => [name, { number }]);
  // A run in which nothing happened proves nothing.
  if (clients.counts.reads === 0) faults.push('no client was answered while processes died');
  if (clients.acknowledged.size === 0 || count('SUCCESS') === 0) faults.push('no task was acknowledged and finished');
  return { rows, faults };
}

/** Every acknowledged id is readable and has ended; its webhook was heard and says the same; a cancel that was acknowledged is one. */
async function checkRecords({ server, clients, receiver, faults }) {
  const ids = new Set(clients.acknowledged.values());
  if (ids.size !== clients.acknowledged.size) faults.push('two intents have the same task');
  const queue = [...clients.acknowledged];
  const check = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [intent, id] = next;
      const { status, json } = await clients.call(server.url, `/v1/video/generations/${id}`, { patience: PATIENCE_MS });
      const { data } = json;
      if (status !== 200 || OPEN.includes(data?.status)) {
        faults.push(`${intent.name} (${id}) was acknowledged and reads ${status} ${data?.status}`);
        continue;
      }
      if (clients.cancelled.has(id) && data.fail_reason !== 'task cancelled')
        faults.push(`${id} was cancelled, and its record says ${data.status} ${data.fail_reason}`);
      const told = receiver.of(id);
      if (told === undefined) faults.push(`no webhook told of the end of ${id}`);
      else if (told.status !== data.status || told.quota !== data.quota)
        faults.push(`the webhook of ${id} says ${told.status} ${told.quota}, its record ${data.status} ${data.quota}`);
    }
  };
  await Promise.all(Array.from({ length: READERS }, check));
}

/** At most one job per intent, of an intent that there is. */
function checkJobs(twin, clients, tasks, faults) {
  const known = new Set(clients.intents.map(({ name }) => name));
  const jobsOf = Map.groupBy(twin.ledger.jobs(), ({ prompt }) => nameIn(prompt));
  for (const [name, jobs] of jobsOf) {
    if (!known.has(name)) faults.push(`a job of nobody: ${jobs[0].vendor} ${jobs[0].id}`);
    if (jobs.length > 1) faults.push(`${name} has ${jobs.length} jobs at its vendor`);
  }
  for (const [name, own] of Map.groupBy(tasks, ({ input }) => nameIn(input.prompt)))
    if (own.filter(({ ticket }) => ticket !== undefined).length > 1) faults.push(`${name} has two tasks with a ticket`);
  return jobsOf;
}

/** Every hold is closed exactly once, every charge is what the vendor bills, and the vendor bills nothing else that could be known. */
function checkMoney({ tasks, entries, jobsOf, faults }) {
  const closings = Map.groupBy(
    entries.filter(({ holdId }) => holdId !== undefined),
    ({ holdId }) => holdId,
  );
  const holds = entries.filter(({ kind }) => kind === 'hold');
  for (const hold of holds) {
    const closed = closings.get(hold.id)?.length ?? 0;
    if (closed !== 1) faults.push(`hold ${hold.id} of ${hold.taskId} was closed ${closed} times`);
  }
  const holdsOf = Map.groupBy(holds, ({ taskId }) => taskId);
  const captures = new Map(entries.filter(({ kind }) => kind === 'capture').map((each) => [each.taskId, each.charged]));
  let charged = 0;
  let billed = 0;
  let lost = 0;
  const accounted = new Set();
  for (const task of tasks) {
    if (holdsOf.get(task.id)?.length !== 1) faults.push(`${task.id} has ${holdsOf.get(task.id)?.length ?? 0} holds`);
    const charge = captures.get(task.id) ?? 0;
    charged += charge;
    if (task.quota !== charge) faults.push(`${task.id} says ${task.quota} and was charged ${charge}`);
    const name = nameIn(task.input.prompt);
    const [job] = jobsOf.get(name) ?? [];
    const price = job?.billed === undefined ? 0 : PRICES[job.vendor](job.billed);
    if (task.state === 'SUCCESS') {
      accounted.add(name);
      billed += price;
      if (price !== charge || price === 0) faults.push(`${task.id} was charged ${charge}; its vendor bills ${price}`);
    } else {
      if (charge !== 0) faults.push(`${task.id} failed and was charged ${charge}`);
      if (task.failCode === 'submission_unknown') {
        if (!accounted.has(name)) lost += price;
        accounted.add(name);
      }
    }
  }
  for (const [name, [job]] of jobsOf)
    if (job.billed !== undefined && !accounted.has(name))
      faults.push(`${name} is billed by ${job.vendor} and nobody was charged for it`);
  return { holds: holds.length, charged, billed, lost };
}

/** In quick time: every task ends, every webhook is delivered. */
async function allSettled(store, faults, passTime) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = (await Promise.all(OPEN.map((state) => store.tasks.list({ state, limit: PAGE })))).flat();
    const untold = await store.webhooks.list({ pending: true, limit: PAGE });
    if (open.length === 0 && untold.length === 0) return;
    if (Date.now() > until) {
      faults.push(...open.map(({ id, state, vendor }) => `${id} (${vendor}) does not end: ${state}`));
      faults.push(...untold.map(({ id, lastError }) => `${id} is not delivered: ${lastError ?? 'not tried'}`));
      return;
    }
    passTime();
    await sleep(250);
  }
}

async function allPages(list) {
  const all = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const page = await list({ limit: PAGE, ...(last !== undefined && { after: last }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function nameIn(prompt) {
  return /crash intent \d+-\d+\./.exec(prompt)?.[0] ?? prompt;
}
