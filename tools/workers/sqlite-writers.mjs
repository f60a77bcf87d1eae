/**
 * Several processes on one SQLite file: which way of sharing it costs least? Measured for decision 13.
 *
 *   npx node tools/workers/sqlite-writers.mjs [processes] [seconds]
 *
 * blocking   every process has the file, and SQLite waits for the writer (`busy_timeout`), in the thread
 * patient    every process has the file, and waits for the writer in turns of its event loop: what `server.workers` does
 * one-writer one process has the file and the others send it whole calls of the store, the least traffic there can be
 *
 * Each process does what 1,000 chats a second do to the database (150 charges each 150 ms, what is at risk each 40 ms), or creates tasks as
 * fast as it can, eight at a time; beside it an event loop that should be idle says how late it is.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../libs/store/src/index.ts';

const SELF = fileURLToPath(import.meta.url);
const [, , first = '2', second = '4'] = process.argv;

if (process.send === undefined) await compare(Number(first), Number(second));
else process.once('message', (work) => void run(work));

async function compare(processes, seconds) {
  console.log(`${processes} processes, ${seconds} s each\n`);
  console.log('load   sharing     done/s  ms p50  ms p99  loop late ms p50  p99  max  CPU ms per 1,000');
  for (const load of ['chat', 'tasks']) {
    for (const sharing of ['blocking', 'patient', 'one-writer']) await measure({ load, sharing, processes, seconds });
  }
}

async function measure({ load, sharing, processes, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-writers-'));
  const url = `sqlite:${folder}/gateway.db`;
  const store = await openStore(url);
  const owner = await store.owners.create({ name: 'o', group: 'default', creditLimit: 0 }, 1);
  await store.ledger.topUp(owner.id, 10 ** 12, {}, 1);
  const before = process.cpuUsage();
  const children = Array.from({ length: processes }, () =>
    fork(SELF, [], { execArgv: ['--no-warnings'], serialization: 'advanced' }),
  );
  const results = await Promise.all(
    children.map(async (child, index) => {
      child.on('message', ({ call }) => void answer(store, child, call));
      child.send({ load, sharing, url, seconds, ownerId: owner.id, keyId: index + 1 });
      for (;;) {
        const [{ result }] = await once(child, 'message');
        if (result !== undefined) return result;
      }
    }),
  );
  const own = process.cpuUsage(before);
  for (const child of children) child.kill();
  await store.close();
  rmSync(folder, { recursive: true });
  const all = (name) => results.flatMap((result) => result[name]);
  const times = all('times').sort((a, b) => a - b);
  const done = all('done').reduce((sum, count) => sum + count, 0);
  const cpu = all('cpu').reduce((sum, micros) => sum + micros, own.user + own.system);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
  const worst = (name) => Math.max(...all(name)).toFixed(1);
  console.log(
    [
      load.padEnd(6),
      sharing.padEnd(11),
      (done / seconds).toFixed(0).padStart(6),
      at(0.5).padStart(7),
      at(0.99).padStart(7),
    ].join(' ') +
      [
        worst('late50').padStart(18),
        worst('late99').padStart(6),
        worst('lateMax').padStart(6),
        ((cpu / done) | 0).toString().padStart(10),
      ].join(' '),
  );
}

/** The one writer: calls of the store by name. */
async function answer(store, child, call) {
  if (call === undefined) return;
  const { id, table, method, given } = call;
  const [value, error] = await store[table][method](...given).then(
    (value) => [value],
    (error) => [undefined, String(error)],
  );
  child.send({ id, value, error });
}

// ---- a worker ---------------------------------------------------------------------------------------------------

async function run({ load, sharing, url, seconds, ownerId, keyId }) {
  const store =
    sharing === 'one-writer'
      ? remoteStore()
      : await openStore(url, sharing === 'patient' ? { worker: true } : { beside: true });
  const late = monitorEventLoopDelay({ resolution: 1 });
  late.enable();
  const cpu = process.cpuUsage();
  const payer = { ownerId, keyId, limits: {} };
  const until = performance.now() + seconds * 1000;
  const times = [];
  const timed = async (work) => {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  };
  const done =
    load === 'chat' ? await chat(store, { payer, until, timed }) : await tasks(store, { payer, until, timed });
  const { user, system } = process.cpuUsage(cpu);
  late.disable();
  const ms = (nanos) => Math.max(0, nanos / 1e6 - 1);
  process.send({
    result: {
      times,
      done,
      cpu: user + system,
      late50: ms(late.percentile(50)),
      late99: ms(late.percentile(99)),
      lateMax: ms(late.max),
    },
  });
}

async function chat(store, { payer, until, timed }) {
  const { keyId } = payer;
  const lease = await store.ledger.lease(
    payer,
    { want: 10 ** 9, atLeast: 1, ttlMs: 600_000, process: String(keyId), sharedFrom: 0 },
    Date.now(),
  );
  let done = 0;
  let last = 0;
  const risks = (async () => {
    while (performance.now() < until) {
      await timed(() => store.ledger.record([], new Map([[lease.id, ++last]])));
      await sleep(40);
    }
  })();
  while (performance.now() < until) {
    const charges = Array.from({ length: 150 }, (_, index) => ({
      payer,
      requestId: `${keyId}-${done + index}`,
      model: 'm',
      endpoint: 'e',
      accountId: 1,
      priceVersion: 'p',
      charged: 1,
      shortfall: 0,
      leaseId: lease.id,
      at: Date.now(),
      detail: {},
    }));
    await timed(() => store.ledger.record(charges, new Map([[lease.id, ++last]])));
    done += charges.length;
    await sleep(150);
  }
  await risks;
  return done;
}

async function tasks(store, { payer, until, timed }) {
  let done = 0;
  const create = async () => {
    while (performance.now() < until) {
      const id = `task_${payer.keyId}_${++done}`;
      const now = Date.now();
      await timed(async () => {
        await store.tasks.create(newTask(id, payer, now), { payer, amount: 5, detail: {} }, undefined, now);
        await store.tasks.markSubmitted(
          id,
          { accountId: 1, accountName: 'a', vendor: 'v', upstreamModel: 'm', nextCheckAt: now + 9e6 },
          now,
        );
        await store.tasks.saveTicket(id, { id }, now + 9e6, undefined, now);
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
  return done;
}

function newTask(id, { ownerId, keyId }, now) {
  return {
    id,
    kind: 'video',
    mode: 'live',
    ownerId,
    keyId,
    group: 'default',
    requestId: id,
    model: 'm',
    accountId: 1,
    accountName: 'a',
    vendor: 'v',
    upstreamModel: 'm',
    input: { prompt: 'a cat' },
    quota: 5,
    createdAt: now,
    deadlineAt: now + 9e6,
    priceVersion: 'p',
    nextCheckAt: now + 9e6,
  };
}

/** Calls over the channel to the one writer. */
function remoteStore() {
  const waiting = new Map();
  let last = 0;
  process.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  });
  const table = (name) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...given) =>
            new Promise((resolve, reject) => {
              waiting.set(++last, { resolve, reject });
              process.send({ call: { id: last, table: name, method, given } });
            }),
      },
    );
  return { ledger: table('ledger'), tasks: table('tasks') };
}
