#!/usr/bin/env node
/**
 * Fills the log of requests of a scratch database and measures: what a row costs to write, and how long each search takes.
 * npm run measure:requests -- [--rows=1000000] [--database=postgres] [--writes | --searches] [--per-second=1000] [--plans]
 * SQLite in a temporary file, or a PostgreSQL of its own; both are removed afterwards. `--url` names a database that stays, filled already or not.
 */
import '../needs-node-24.mjs';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { readArguments } from '../read-arguments.mjs';

const { openTestDatabase } = await import(new URL('../../libs/testing/src/database.ts', import.meta.url).href);
const { openStore } = await import(new URL('../../libs/store/src/index.ts', import.meta.url).href);
const { openUrl } = await import(new URL('../../libs/store/src/store.ts', import.meta.url).href);
const { createRequestLog } = await import(new URL('../../libs/core/src/index.ts', import.meta.url).href);
const { Kysely, sql } = await import('kysely');

const options = readArguments(import.meta.url, {
  rows: { type: 'string', default: '1000000' },
  database: { type: 'string', default: 'sqlite' },
  url: { type: 'string' },
  'per-second': { type: 'string', default: '1000' },
  writes: { type: 'boolean', default: false },
  searches: { type: 'boolean', default: false },
  plans: { type: 'boolean', default: false },
});
const ROWS = Number(options.rows);
const WARMED = 5_000;
const WRITTEN = 65_000;
const TICK_MICROSECONDS = 10_000;
const PER_SECOND = Number(options['per-second']);
const ROUNDS = 7;
const SPAN = 30 * 86_400_000;
const NOW = Date.now();
const EPOCH = Date.UTC(2020);
const KEYS = 1002;
const MODELS = 20;
const WAYS = 5;

const database =
  options.url === undefined
    ? await openTestDatabase(options.database)
    : {
        url: options.url,
        kind: options.url.startsWith('sqlite:') ? 'sqlite' : 'postgres',
        close: async () => undefined,
      };
const isSqlite = database.kind === 'sqlite';
const store = await openStore(database.url);
const { dialect } = await openUrl(database.url, { beside: true });
const db = new Kysely({ dialect });
try {
  if (!(await isFilled())) await fill();
  if (!options.searches) await writeCost();
  if (!options.writes)
    for (const [name, filter] of Object.entries(searches())) await measure(name, { limit: 100, ...filter });
  if (options.plans) await plans();
} finally {
  await db.destroy();
  await store.close();
  await database.close();
}

/** A database that was given may have been filled the last time. */
async function isFilled() {
  const { rows } = await sql.raw('select 1 from request_log limit 1').execute(db);
  return rows.length > 0;
}

/** A thousand owners of which one has half of all; 2 % fail, 1 % have a tag, 3 % are pictures. */
async function fill() {
  const started = performance.now();
  const say = async (text) => void (await sql.raw(text).execute(db));
  const random = (most) => (isSqlite ? `abs(random() % ${most})` : `floor(random() * ${most})::bigint`);
  const numbers = (name, most) =>
    isSqlite
      ? `${name} (n) as (select 1 union all select n + 1 from ${name} where n < ${most})`
      : `${name} as (select generate_series(1, ${most})::bigint as n)`;
  const withNumbers = (most) => `with ${isSqlite ? 'recursive ' : ''}${numbers('numbers', most)}`;
  await say(`insert into request_callers (id, name, payer, key_id, client, seen_at)
    ${withNumbers(2 * KEYS)} select n, 'caller ' || n, n, n / 2, 'openai-python/3.54.0', ${NOW} from numbers where n > 1`);
  // Of each model: test mode, a picture, two failures, and what is usual.
  await say(`insert into request_outcomes (id, name, mode, operation, kind, model, status, error, aborted, streamed, account_id, vendor,
      upstream_model, attempts, seen_at)
    ${withNumbers(MODELS * WAYS)}
    select n, 'outcome ' || n, case when n % ${WAYS} = 1 then 'test' else 'live' end, 'createChatCompletion',
      case when n % ${WAYS} = 2 then 'image' else 'chat' end, 'model-' || ((n - 1) / ${WAYS}),
      case n % ${WAYS} when 3 then 429 when 4 then 502 else 200 end,
      case n % ${WAYS} when 3 then 'rate_limited' when 4 then 'upstream_timeout' end, 0, 1, 4, 'openai',
      'model-' || ((n - 1) / ${WAYS}) || '-2026', 1, ${NOW} from numbers`);
  const chances = `chances as materialized (select n, ${random(100)} as chance, ${random(2)} as half, ${random(KEYS - 2)} as few, ${random(MODELS)} as m from numbers)`;
  const way =
    'case when chance < 5 then 1 when chance in (7, 8, 9) then 2 when chance = 50 then 3 when chance = 51 then 4 else 5 end';
  const ways = `ways as materialized (select n, case half when 0 then 1 else few + 2 end as owner, case when chance < 5 then 1 else 0 end as test, m * ${WAYS} + ${way} as outcome from chances)`;
  await say(`insert into request_log (place, id, payer, caller, outcome, address, ms, first_byte_ms, asked_ms, input_tokens, output_tokens, charged)
    ${withNumbers(ROWS)}, ${chances}, ${ways}
    select (${NOW - SPAN - EPOCH} + n * ${Math.floor(SPAN / ROWS)}) * 4096 + n % 4096, 'req_01J' || ${isSqlite ? "printf('%023d', n)" : "lpad(n::text, 23, '0')"},
      owner * 2 + test, owner * 2 + test, case outcome % ${WAYS} when 1 then -outcome when 0 then -outcome else outcome end,
      '203.0.113.7', 900, 300, 1, 800, 200, 1400 from ways`);
  const owned = isSqlite ? 'payer / 2 = 1' : 'payer in (2, 3)';
  await say(`insert into request_log_tags (tag, place, payer, caller, outcome)
    select 'team=' || (case when ${owned} then 'a' else 'b' end), place, payer, caller, outcome from request_log
    where ${isSqlite ? 'cast(substr(id, -3) as integer) % 100 = 0' : "right(id, 2) = '00'"}`);
  // As autovacuum leaves it.
  if (!isSqlite) for (const table of ['request_log', 'request_log_tags']) await say(`vacuum analyze ${table}`);
  if (!isSqlite)
    for (const table of ['request_callers', 'request_outcomes'])
      await say(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
  console.log(`${ROWS} rows in ${database.kind}, filled in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** As the gateway writes them: through its log of requests, what it counts for overviews among it; 1 % with a tag, 2 % refused. */
async function writeCost() {
  const rows = Array.from({ length: WRITTEN }, (_, n) => ({
    ...{ id: `req_01K${String(n).padStart(23, '0')}`, at: NOW + n, ownerId: 1 + (n % 50), mode: 'live', keyId: 1 + (n % 50) }, // prettier-ignore
    ...{ operation: 'createChatCompletion', kind: 'chat', model: `model-${n % 20}`, status: n % 50 === 7 ? 429 : 200 },
    ...{ error: n % 50 === 7 ? 'rate_limited' : undefined, aborted: false, streamed: true, ms: 900, firstByteMs: 300 },
    ...{ accountId: 4, vendor: 'openai', upstreamModel: 'm', askedMs: 1, route: undefined, attempts: 1 },
    ...{ inputTokens: 800, cachedInputTokens: 0, outputTokens: 200, charged: 1400, address: '203.0.113.7' },
    ...{ client: 'openai-python/3.54.0', dropped: undefined, failures: undefined },
    tags: n % 100 === 3 ? { team: 'a' } : undefined,
  }));
  const quiet = { debug() {}, info() {}, warn: (...said) => console.log(...said), error() {} };
  const meter = { count() {}, observe() {}, series: () => () => undefined };
  const log = createRequestLog({
    store: store.requests,
    now: () => NOW,
    log: quiet,
    meter,
    keepMs: SPAN,
    most: WRITTEN,
  });
  for (const row of rows.slice(0, WARMED)) log.add(row);
  await log.flush();
  const servers = await serverCpu();
  const before = process.cpuUsage();
  // Rows go once a second, what is counted of them every five.
  for (let at = WARMED; at < WRITTEN; at += 5 * PER_SECOND) {
    for (const row of rows.slice(at, at + 5 * PER_SECOND)) log.add(row);
    await log.flush();
  }
  const { user, system } = process.cpuUsage(before);
  const each = (microseconds) => (microseconds / (WRITTEN - WARMED)).toFixed(1);
  const server = isSqlite ? '' : `, ${each((await serverCpu()) - servers)} µs in PostgreSQL's`;
  console.log(
    `writing ${PER_SECOND} at a time: ${each(user + system)} µs of CPU a row in this process, all threads${server}`,
  );
  await log.close();
}

/** Microseconds of CPU that PostgreSQL's processes have used, where they run on this machine. */
async function serverCpu() {
  if (isSqlite) return 0;
  const { rows } = await sql.raw('select pid from pg_stat_activity').execute(db);
  const ticks = rows.map(({ pid }) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MICROSECONDS;
}

function searches() {
  const middle = { at: NOW - SPAN / 2, id: 'req_01J' };
  return {
    'everything, the newest': {},
    'everything, from the middle': { after: middle },
    'an owner with half of all': { ownerId: 1, mode: 'live' },
    'an owner with few, both modes': { ownerId: 77 },
    'a key, from the middle': { keyId: 1, after: middle },
    'a model': { model: 'model-3' },
    'a model that nobody asked for': { model: 'none' },
    'a kind': { kind: 'image' },
    'failures, 5xx': { statusClass: 5 },
    'an error code': { error: 'rate_limited', from: NOW - SPAN, to: NOW - SPAN / 2 },
    'a tag': { tag: 'team=b' },
    'a day of a month ago': { from: NOW - SPAN, to: NOW - SPAN + 86_400_000 },
    'an owner and a model': { ownerId: 1, mode: 'live', model: 'model-3' },
    'an owner and an error that it never had': { ownerId: 1, mode: 'test', error: 'none' },
    'a model and 2xx': { model: 'model-3', statusClass: 2 },
    'a model and a kind that it never had': { model: 'model-3', kind: 'video' },
    'a tag and an owner that never had it': { tag: 'team=a', ownerId: 77, mode: 'live' },
    'the test mode of everybody': { mode: 'test' },
    'the test mode of everybody, from the middle': { mode: 'test', after: middle },
    'an owner with few, from the middle': { ownerId: 77, mode: 'live', after: middle },
    'an owner with few and a model it never had': { ownerId: 77, mode: 'live', model: 'none' },
    'an owner that there is not': { ownerId: 123456, mode: 'live' },
    'a key and 5xx': { keyId: 1, statusClass: 5 },
    'a key and a kind that it never had': { keyId: 1, kind: 'video' },
    'a key that there is not': { keyId: 123456 },
    'a model, from the middle': { model: 'model-3', after: middle },
    'a model within a day': { model: 'model-3', from: NOW - SPAN / 2, to: NOW - SPAN / 2 + 86_400_000 },
    'a model and 5xx, from the middle': { model: 'model-3', statusClass: 5, after: middle },
    'a model and an error that it never had': { model: 'model-3', error: 'none' },
    'a kind and an error': { kind: 'image', error: 'rate_limited' },
    'chat alone, from the middle': { kind: 'chat', after: middle },
    '2xx within a day': { statusClass: 2, from: NOW - SPAN / 2, to: NOW - SPAN / 2 + 86_400_000 },
    '4xx of an owner with half of all': { ownerId: 1, mode: 'live', statusClass: 4 },
    'an error of an owner with few, both modes': { ownerId: 77, error: 'rate_limited' },
    'an error that nobody had': { error: 'none' },
    'a tag, from the middle': { tag: 'team=b', after: middle },
    'a tag that nobody gave': { tag: 'team=none' },
    'a tag and a model': { tag: 'team=b', model: 'model-3' },
    'a tag and an error, from the middle': { tag: 'team=b', error: 'rate_limited', after: middle },
    'a tag and a model that nobody asked for, a day': {
      tag: 'team=a',
      model: 'none',
      from: NOW - SPAN,
      to: NOW - SPAN + 86_400_000,
    },
    'an owner, a model, an error, a tag': {
      ownerId: 1,
      mode: 'live',
      model: 'model-3',
      error: 'upstream_timeout',
      tag: 'team=a',
    },
  };
}

async function measure(name, filter) {
  const times = [];
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    found = (await store.requests.list(filter)).rows.length;
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const [least = 0, most = 0] = [times[0], times.at(-1)];
  console.log(
    `${name.padEnd(44)} ${String(found).padStart(4)} rows  least ${least.toFixed(1).padStart(6)} ms  median ${times[Math.floor(ROUNDS / 2)].toFixed(1).padStart(7)} ms  longest ${most.toFixed(1).padStart(7)} ms`,
  );
}

/** What the database says that it reads. */
async function plans() {
  const word = isSqlite ? 'explain query plan' : 'explain (analyze, buffers)';
  const columns = 'place, payer, outcome, caller';
  const below = (NOW - EPOCH) * 4096;
  for (const where of [
    `place < ${below}`,
    `payer = 2 and place < ${below}`,
    `outcome = 4 and outcome > 0 and place < ${below}`,
    `payer = 2 and outcome in (3, 8, 13) and place < ${below}`,
  ]) {
    const text = `${word} select ${columns} from request_log where ${where} order by place desc limit 100`;
    const { rows } = await sql.raw(text).execute(db);
    console.log(`${where}\n  ${rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n  ')}`);
  }
}
