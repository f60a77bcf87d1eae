/**
 * What counting a limited request costs, for workers of one machine. Measured for decision 13.
 *
 *   npx node tools/workers/counts-cost.mjs [seconds] [at once]
 *
 * channel  asked of the primary, one message a turn of the event loop: what `server.workers` does
 * sqlite   one transaction in a file that all share, the least that could be exact there (no durability)
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { askCounts, hostCounts } from '../../apps/gateway/src/workers/counts.ts';

const [, , first = '3', second = '32'] = process.argv;
const DEMAND = { keyId: 1, limits: { requestsPerMinute: 1e9, tokensPerMinute: 1e12 }, tokens: 100 };

if (process.send === undefined) await compare(Number(first), Number(second));
else process.once('message', (work) => void run(work));

async function compare(seconds, atOnce) {
  console.log('way       asked/s  CPU µs each: worker  primary');
  for (const way of ['channel', 'sqlite']) {
    const folder = mkdtempSync(join(tmpdir(), 'counts-cost-'));
    const host = hostCounts(Date.now);
    const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ['--no-warnings'] });
    const before = process.cpuUsage();
    const { done, cpu } = await new Promise((resolve) => {
      child.on('message', (message) => {
        if (message.steps === undefined) resolve(message);
        else child.send({ verdicts: host.take(1, message.steps) });
      });
      child.send({ way, seconds, atOnce, file: join(folder, 'counts.db') });
    });
    const own = process.cpuUsage(before);
    child.kill();
    rmSync(folder, { recursive: true });
    const each = (micros) => (micros / done).toFixed(1).padStart(8);
    console.log(
      `${way.padEnd(9)} ${String(Math.round(done / seconds)).padStart(7)} ${each(cpu).padStart(21)} ${each(own.user + own.system)}`,
    );
  }
}

async function run({ way, seconds, atOnce, file }) {
  const count = way === 'channel' ? overChannel() : inSqlite(file);
  const until = performance.now() + seconds * 1000;
  const before = process.cpuUsage();
  let done = 0;
  const loop = async () => {
    while (performance.now() < until) {
      await count();
      done++;
      // A request takes turns of the event loop: what is asked in one is not asked in the next.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const { user, system } = process.cpuUsage(before);
  process.send({ done, cpu: user + system });
}

function overChannel() {
  const counts = askCounts((steps) => process.send({ steps }));
  process.on('message', ({ verdicts }) => verdicts.length > 0 && counts.answered(verdicts));
  return async () => {
    const verdict = await counts.acquire(DEMAND);
    counts.release(DEMAND, verdict, 90);
  };
}

function inSqlite(file) {
  const database = new DatabaseSync(file);
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = off; create table counts (key integer, bucket integer, requests integer, tokens integer, primary key (key, bucket)) without rowid`,
  );
  const add = database.prepare(
    'insert into counts values (?, ?, ?, ?) on conflict do update set requests = requests + excluded.requests, tokens = tokens + excluded.tokens',
  );
  const sum = database.prepare('select sum(requests), sum(tokens) from counts where key = ? and bucket > ?');
  const transaction = (requests, tokens) => {
    const bucket = Math.floor(Date.now() / 1000);
    database.exec('begin immediate');
    sum.get(1, bucket - 60);
    add.run(1, bucket, requests, tokens);
    database.exec('commit');
  };
  return async () => {
    transaction(1, 100);
    transaction(0, -10);
  };
}
