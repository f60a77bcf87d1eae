/** A database of 0.1.0, with rows in every table, is taken over while requests come in (tools/upgrade/make-fixture.mjs made it). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { freePort } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { pino } from 'pino';
import { ADMIN_KEY, configText, KEY } from './upgrade-config.ts';
import { readConfig, startServer, type GatewayServer } from '../src/index.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/0.1.0.sql', import.meta.url));
const JOBS = fileURLToPath(new URL('fixtures/0.1.0-jobs.jsonl', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Row {
  readonly [column: string]: unknown;
}

let folder: string;
let file: string;
let before: Map<string, readonly Row[]>;
let twin: VendorTwin;
let server: GatewayServer;
let answers: { readonly status: number; readonly text: string }[];
let stopLoad: () => Promise<void>;

/** Every row of every table; what was kept for a day is still kept: the clock goes on from the fixture's last moment. */
function rowsOf(name: string): Map<string, readonly Row[]> {
  const database = new DatabaseSync(name, { readOnly: true });
  const tables = database
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .all();
  const rows = new Map(
    tables.map((table) => [String(table['name']), database.prepare(`select * from "${String(table['name'])}"`).all()]),
  );
  database.close();
  return rows;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-upgrade-'));
  file = join(folder, 'gateway.db');
  const database = new DatabaseSync(file);
  database.exec(readFileSync(FIXTURE, 'utf8'));
  database.close();
  before = rowsOf(file);
  copyFileSync(JOBS, join(folder, 'jobs'));
  const last = Math.max(...(before.get('ledger_entries') ?? []).map((row) => Number(row['created_at'])));
  const ahead = Date.now() - last - 2_000;
  const now = (): number => Date.now() - ahead;
  twin = await startVendorTwin({ media: 'tiny', seconds: { video: 0.3 }, journal: join(folder, 'jobs'), clock: now });
  const port = await freePort();
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: `sqlite:${file}`, folder, twin, port }));
  const config = readConfig({ GATEWAY_CONFIG: join(folder, 'gateway.yaml'), GATEWAY_ADMIN_KEY: ADMIN_KEY });
  answers = [];
  stopLoad = startLoad(`http://127.0.0.1:${port}`);
  server = await startServer({ config, now, log: pino({ level: 'silent' }), twin });
});
afterAll(async () => {
  await stopLoad();
  await server.close();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks from before anybody listens; only a refused connection is no answer. */
function startLoad(url: string): () => Promise<void> {
  let stopped = false;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      try {
        const reply = await send(url, 'POST', '/v1/chat/completions', {
          model: 'chat',
          messages: [{ role: 'user', content: 'Hello' }],
        });
        answers.push({ status: reply.status, text: await reply.text() });
      } catch {
        await sleep(20);
      }
    }
  };
  const running = [loop(), loop()];
  return async () => {
    stopped = true;
    await Promise.all(running);
  };
}

function send(
  url: string,
  method: string,
  path: string,
  body?: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` };

describe('a database of 0.1.0', () => {
  it('has rows in every table', () => {
    expect(before.size).toBeGreaterThan(14);
    for (const [table, rows] of before) expect([table, rows.length]).not.toEqual([table, 0]);
  });

  it('is taken over with every row, and requests are answered from the first moment on', async () => {
    for (let round = 0; round < 1_000 && answers.length < 20; round++) await sleep(20);
    expect(answers.length).toBeGreaterThanOrEqual(20);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const after = rowsOf(file);
    // What is only ever added to is there word by word; of what changes, the row.
    const key: Record<string, readonly string[]> = {
      kysely_migration: ['name'],
      counters: ['name'],
      owners: ['id', 'name', 'group_name', 'credit_limit', 'created_at'],
      keys: ['id', 'name', 'hash', 'mode', 'owner_id', 'limits', 'rotated_from', 'created_at'],
      key_windows: ['key_id', 'kind', 'start'],
      leases: ['id', 'owner_id', 'key_id', 'amount', 'process', 'created_at'],
      tasks: ['number', 'id', 'owner_id', 'key_id', 'model', 'account_id', 'ticket', 'input', 'hold_id', 'created_at'],
      webhook_deliveries: ['number', 'id', 'task_id', 'url', 'body', 'created_at'],
    };
    for (const [table, rows] of before) {
      if (table === 'kysely_migration_lock') continue;
      const columns = key[table] ?? Object.keys(rows[0] ?? {});
      const seen = new Set((after.get(table) ?? []).map((row) => JSON.stringify(columns.map((name) => row[name]))));
      const gone = rows.map((row) => JSON.stringify(columns.map((name) => row[name]))).filter((row) => !seen.has(row));
      expect([table, gone]).toEqual([table, []]);
    }
  });

  it('adds up, and breaks no invariant', async () => {
    const verified = await send(server.url, 'POST', '/admin/ledger/verify', undefined, asAdmin);
    expect(await verified.json()).toMatchObject({ ok: true, differences: [] });
    const report = await send(server.url, 'GET', '/admin/invariants?look=true', undefined, asAdmin);
    expect(await report.json()).toMatchObject({ ok: true, violations: [] });
  });

  it('what the old process had in flight when it was killed is settled', async () => {
    const open = (before.get('leases') ?? []).filter((row) => row['closed_at'] === null);
    expect(open.length).toBeGreaterThan(0);
    for (let round = 0; round < 1_200; round++) {
      const left = (rowsOf(file).get('leases') ?? []).filter(
        (row) => row['closed_at'] === null && open.some((old) => old['id'] === row['id']),
      );
      if (left.length === 0) return;
      await sleep(50);
    }
    throw new Error('leases of the killed process are still open');
  });

  it('its open tasks go on to their end, and its Idempotency-Keys still answer', async () => {
    const open = (before.get('tasks') ?? []).filter((row) =>
      ['NOT_START', 'IN_PROGRESS'].includes(String(row['state'])),
    );
    expect(open.length).toBeGreaterThanOrEqual(4);
    for (let round = 0; round < 1_200; round++) {
      const states = await Promise.all(
        open.map(async (row) => {
          const reply = await send(server.url, 'GET', `/v1/video/generations/${String(row['id'])}`);
          return ((await reply.json()) as { data: { status: string } }).data.status;
        }),
      );
      if (states.every((state) => state === 'SUCCESS')) break;
      if (round === 1_199) expect(states).toEqual(states.map(() => 'SUCCESS'));
      await sleep(50);
    }
    const jobs = twin.ledger.jobs('ark').length;
    const again = await send(
      server.url,
      'POST',
      '/v1/video/generations',
      { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'open 0' }], duration: 5 },
      { 'idempotency-key': 'open-0' },
    );
    expect(again.status).toBe(200);
    expect(open.map((row) => row['id'])).toContain(((await again.json()) as JsonObject)['task_id']);
    expect(twin.ledger.jobs('ark').length).toBe(jobs);
  });
});

it('a database of a newer version is refused with a sentence and code 78, and stays as it is', async () => {
  const newer = join(folder, 'newer.db');
  const database = new DatabaseSync(newer);
  database.exec(readFileSync(FIXTURE, 'utf8'));
  database.exec(
    `insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '2099-01-01T00:00:00.000Z')`,
  );
  database.close();
  const old = rowsOf(newer);
  const child = spawn(process.execPath, ['--no-warnings', MAIN, 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATABASE_URL: `sqlite:${newer}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(said).toMatch(
    /^The database was made by a newer version of the gateway \(it has the migration 9999-of-tomorrow\): start that version[^\n]*\n$/,
  );
  expect(code).toBe(78);
  expect(rowsOf(newer)).toEqual(old);
});
