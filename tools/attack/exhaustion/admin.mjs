/**
 * An operator looks at a ledger with a long history, while others chat: verification, usage, invariants, the list of requests, an overview; then
 * the same as maintenance jobs, of every kind, and each of them cancelled.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ADMIN_KEY, ask, startWatched } from './gateway.mjs';

/** `ATTACK_REQUESTS` says another number, such as a million. */
const REQUESTS = { whole: 200_000, short: 30_000 };
const MOST_DELAY_MS = 200;
const ROWS_PER_WRITE = 20_000;
const DAYS = 90;
/** Requests that are paid from one lease. */
const OF_A_LEASE = 10;
const REPORTS = [
  ['POST', '/admin/ledger/verify'],
  ['GET', `/admin/usage?group_by=day,model,key&from=2020-01-01T00:00:00Z`],
  ['GET', '/admin/invariants?look=true'],
  ['GET', '/admin/ledger?limit=100'],
  ['GET', '/admin/requests?limit=100'],
  ['GET', '/admin/overview'],
];
/** With what makes each read all there is. */
const JOBS = [
  { kind: 'ledger_verify' },
  { kind: 'invariants' },
  { kind: 'backup' },
  { kind: 'usage_export', from: '2020-01-01T00:00:00Z', group_by: ['day', 'model', 'key'] },
  { kind: 'ledger_export' },
  { kind: 'request_export' },
  { kind: 'audit_export' },
];
const MOST_CANCEL_MS = 1_000;
/** A job that goes on for so long is cancelled where there is something to cancel. */
const BEFORE_CANCEL_MS = 50;
const OPEN = ['queued', 'running'];
const CHAT = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }));

export async function readMuch({ short }) {
  const gateway = await startWatched();
  const count = Number(process.env.ATTACK_REQUESTS ?? REQUESTS[short ? 'short' : 'whole']);
  const faults = [];
  const told = [];
  let slowest = 0;
  try {
    await ask(gateway.url, '/v1/chat/completions', { body: CHAT });
    fillLedger(join(gateway.folder, 'gateway.db'), count);
    for (const [method, path] of REPORTS) {
      await gateway.look();
      const began = performance.now();
      let isOver = false;
      const report = ask(gateway.url, path, {
        key: ADMIN_KEY,
        method,
        seconds: 600,
        // Fields of older versions are the same.
        ...(method === 'POST' && { body: '{}' }),
      }).finally(() => (isOver = true));
      do {
        const asked = performance.now();
        const { status } = await ask(gateway.url, '/v1/chat/completions', { body: CHAT, seconds: 600 });
        if (status !== 200) faults.push(`a chat beside ${path} was answered ${status}`);
        slowest = Math.max(slowest, performance.now() - asked);
      } while (!isOver);
      const { status, text } = await report;
      const seconds = (performance.now() - began) / 1000;
      const { delayMs } = await gateway.look();
      const name = path.split('?')[0].replace('/admin/', '');
      told.push(`${name} ${seconds.toFixed(1)} s, ${Math.round(delayMs)} ms`);
      if (status !== 200) faults.push(`${name} was answered ${status}: ${text.slice(0, 200)}`);
      if (delayMs > MOST_DELAY_MS) faults.push(`${name} held the event loop up for ${Math.round(delayMs)} ms`);
    }
    const jobs = await runJobs(gateway, faults);
    return {
      measured: `${count} requests, slowest chat ${Math.round(slowest)} ms; in all, and longest delay: ${told.join('; ')}; ${jobs}`,
      faults,
    };
  } finally {
    await gateway.stop();
  }
}

/** Every kind at once to its end, then each alone and cancelled. */
async function runJobs(gateway, faults) {
  const call = async (method, path, body) => {
    const { status, text } = await ask(gateway.url, path, {
      key: ADMIN_KEY,
      method,
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const atItsEnd = async (id) => {
    for (;;) {
      const job = await call('GET', `/admin/jobs/${id}`);
      if (!OPEN.includes(job.state)) return job;
      await pause(25);
    }
  };
  await gateway.look();
  const began = performance.now();
  const started = [];
  for (const job of JOBS) started.push(await call('POST', '/admin/jobs', job));
  const ended = await Promise.all(started.map(({ id }) => atItsEnd(id)));
  const seconds = (performance.now() - began) / 1000;
  const { delayMs } = await gateway.look();
  for (const { kind, state, error } of ended)
    if (state !== 'succeeded') faults.push(`the job ${kind} ended as ${state}: ${error?.message}`);
  if (delayMs > MOST_DELAY_MS) faults.push(`the jobs held the event loop up for ${Math.round(delayMs)} ms`);

  let longest = 0;
  let cancelled = 0;
  for (const body of JOBS) {
    const { id, kind } = await call('POST', '/admin/jobs', body);
    await pause(BEFORE_CANCEL_MS);
    const asked = performance.now();
    const { status } = await ask(gateway.url, `/admin/jobs/${id}/cancel`, { key: ADMIN_KEY, body: '{}' });
    const { state } = await atItsEnd(id);
    // It may have been quicker than we were.
    if (status === 409) continue;
    cancelled++;
    longest = Math.max(longest, performance.now() - asked);
    if (state !== 'cancelled') faults.push(`the job ${kind} was cancelled, and ended as ${state}`);
  }
  if (longest > MOST_CANCEL_MS) faults.push(`cancelling a job took ${Math.round(longest)} ms`);
  if (cancelled === 0) faults.push('no job ran long enough to be cancelled');
  const cancelDelay = (await gateway.look()).delayMs;
  if (cancelDelay > MOST_DELAY_MS)
    faults.push(`cancelling jobs held the event loop up for ${Math.round(cancelDelay)} ms`);
  return `${JOBS.length} jobs ${seconds.toFixed(1)} s, ${Math.round(delayMs)} ms; ${cancelled} cancelled within ${Math.round(longest)} ms`;
}

/** Charges of one key over some months that add up: each with the lines of its bill, at no price. */
function fillLedger(file, count) {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const { owner_id: owner, id: key } = database.prepare('select id, owner_id from keys order by id limit 1').get();
    const length = DAYS * 86_400_000;
    const leases = Math.ceil(count / OF_A_LEASE);
    const first = fillLeases(database, {
      owner,
      key,
      leases,
      from: Date.now() - length,
      every: Math.floor(length / leases),
    });
    const detail = JSON.stringify({
      usage: { inputTokens: 812, outputTokens: 344 },
      lines: [
        { item: 'input', quantity: 812, price: 0, per: 1_000_000, factor: 1 },
        { item: 'output', quantity: 344, price: 0, per: 1_000_000, factor: 1 },
      ],
      group_factor: 1,
    });
    const write = database.prepare(`
      with recursive n(i) as (select ? union all select i + 1 from n where i + 1 < ?)
      insert into ledger_entries (owner_id, key_id, kind, amount, charged, shortfall, hold_id, closes, capped, request_id, model, endpoint,
        account_id, price_version, input_tokens, output_tokens, detail, created_at)
      select ?, ?, 'capture', 0, 0, 0, ${first} + cast(i as integer) / ${OF_A_LEASE}, 0, 0, 'req_filled_' || i, 'm' || (i % 20), '/v1/chat/completions', 1, 'v', 812, 344, ?, ? + i * ? from n`);
    for (let from = 0; from < count; from += ROWS_PER_WRITE)
      write.run(
        from,
        Math.min(count, from + ROWS_PER_WRITE),
        owner,
        key,
        detail,
        Date.now() - length,
        Math.floor(length / count),
      );
    // The gateway is to read a long history, not to bring it from the log into the file.
    database.exec('pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

/** Leases of nothing that were closed; the number of the first one. */
function fillLeases(database, { owner, key, leases, from, every }) {
  // The gateway writes to the same ledger: nothing may take these numbers between the look and the lines.
  database.exec('begin immediate');
  const { first } = database.prepare('select coalesce(max(id), 0) + 1 as first from ledger_entries').get();
  const rows = `with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${leases})`;
  const entry = `insert into ledger_entries (id, owner_id, key_id, kind, amount, charged, shortfall, hold_id, closes, capped, input_tokens, output_tokens, detail, created_at)`;
  database.exec(`
    ${rows} ${entry} select ${first} + i, ${owner}, ${key}, 'hold', 0, 0, 0, null, 0, 0, 0, 0, '{}', ${from} + i * ${every} from n;
    ${rows} insert into leases (id, owner_id, key_id, amount, spent, process, expires_at, closed_at, created_at)
      select ${first} + i, ${owner}, ${key}, 0, 0, 'filled', ${from} + i * ${every} + 1, ${from} + i * ${every} + 1, ${from} + i * ${every} from n;
    ${rows} ${entry} select ${first + leases} + i, ${owner}, ${key}, 'release', 0, 0, 0, ${first} + i, 1, 0, 0, 0, '{}', ${from} + i * ${every} + 1 from n;
    commit;
  `);
  return first;
}
