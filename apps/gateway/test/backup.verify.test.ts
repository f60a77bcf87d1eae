/** `gateway backup` and `gateway restore` as people run them: beside a gateway under load, and in another folder. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { GATEWAY_PROGRAM, type GatewayProcess, startGatewayProcess } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { ADMIN_KEY, configText, KEY } from './upgrade-config.ts';

let root: string;
let twin: VendorTwin;
let first: GatewayProcess;
let second: GatewayProcess | undefined;
let copy: string;

const folderOf = (name: string): string => join(root, name);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'model-gateway-backups-'));
  twin = await startVendorTwin({ media: 'tiny', seconds: { video: 0.5 } });
  copy = join(root, 'copy.db');
  for (const name of ['one', 'two'])
    writeFileSync(
      join(root, `${name}.yaml`),
      configText({ databaseUrl: `sqlite:${folderOf(name)}/gateway.db`, folder: folderOf(name), twin }),
    );
  first = await start('one');
}, 120_000);
afterAll(async () => {
  await first.kill();
  await second?.kill();
  await twin.close();
  rmSync(root, { recursive: true, force: true });
});

function start(name: string): Promise<GatewayProcess> {
  return startGatewayProcess({
    folder: root,
    env: { GATEWAY_CONFIG: join(root, `${name}.yaml`), GATEWAY_ADMIN_KEY: ADMIN_KEY },
  });
}

function command(
  name: string,
  ...line: string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly error: string }> {
  const child = spawn(process.execPath, ['--no-warnings', GATEWAY_PROGRAM, ...line], {
    env: { PATH: process.env['PATH'] ?? '', GATEWAY_CONFIG: join(root, `${name}.yaml`) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (error += bytes.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })));
}

async function call(
  url: string,
  path: string,
  body?: JsonObject,
  key = KEY,
): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const reply = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}
const chat = (url: string) =>
  call(url, '/v1/chat/completions', { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] });
const video = (url: string, text: string) =>
  call(url, '/v1/video/generations', {
    model: 'doubao-seedance-2-0-fast',
    content: [{ type: 'text', text }],
    duration: 5,
  });

it('a copy made under load is put into another folder, adds up, and its tasks go on there', async () => {
  // Nothing ends before the copy is made: what is open in it must go on.
  twin.faults.always('ark', 'poll', { kind: 'status', status: 503 });
  const early: string[] = [];
  for (let count = 0; count < 3; count++)
    early.push(String((await video(first.url, `early ${count}`)).json['task_id']));
  let stopped = false;
  const statuses: number[] = [];
  const load = Promise.all(
    [0, 1].map(async (which) => {
      while (!stopped) statuses.push((await (which === 0 ? chat(first.url) : video(first.url, 'load'))).status);
    }),
  );
  const made = await command('one', 'backup', copy);
  stopped = true;
  await load;
  expect(made).toMatchObject({
    code: 0,
    error: '',
    out: expect.stringMatching(/every page whole.*\nNot in it: kept files \(the folder /),
  });
  for (const file of [copy, `${copy}.key`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${copy}.key`, 'utf8')).toBe(readFileSync(join(folderOf('one'), 'gateway.db.key'), 'utf8'));
  const bare = await command('one', 'backup', `${copy}.bare`, '--without-key');
  expect(bare.out).toContain(`KEEP THE ENCRYPTION KEY (${join(folderOf('one'), 'gateway.db.key')})`);
  expect(existsSync(`${copy}.bare.key`)).toBe(false);
  expect(new Set(statuses)).toEqual(new Set([200]));

  expect(await command('one', 'backup', copy)).toMatchObject({
    code: 1,
    error: expect.stringContaining('already exists'),
  });
  expect(await command('one', 'restore', copy)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/in use by another gateway process \(pid \d+\)/),
  });
  await first.kill();

  const restored = await command('two', 'restore', copy, '--json');
  expect(restored).toMatchObject({ code: 0, error: '' });
  expect(JSON.parse(restored.out)).toMatchObject({ object: 'restore', ledger_ok: true, key_restored: true });
  twin.faults.clear();
  second = await start('two');
  const { url } = second;
  expect((await call(url, '/admin/ledger/verify', {}, ADMIN_KEY)).json).toMatchObject({ ok: true });
  for (const id of early) {
    for (let round = 0; ; round++) {
      const { json } = await call(url, `/v1/video/generations/${id}`);
      if ((json['data'] as JsonObject)['status'] === 'SUCCESS') break;
      if (round === 1_200) throw new Error(`${id} does not end: ${JSON.stringify(json)}`);
      await sleep(50);
    }
  }
  expect((await chat(url)).status).toBe(200);
}, 240_000);

it('PostgreSQL is told to use its own tools, without its password', async () => {
  writeFileSync(join(root, 'postgres.yaml'), "database: { url: 'postgres://someone:hunter2@127.0.0.1:1/db' }\n");
  for (const line of ['backup', 'restore']) {
    const said = await command('postgres', line, join(root, 'x.db'));
    expect(said).toMatchObject({ code: 1, out: '', error: expect.stringContaining('pg_dump') });
    expect(said.error).not.toContain('hunter2');
  }
}, 120_000);
