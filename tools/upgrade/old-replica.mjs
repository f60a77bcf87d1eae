/**
 * Whether a replica of an older version survives the migrations of this one: starts the older gateway on PostgreSQL, then this one beside it,
 * and lets both answer chat and tasks.
 *
 *   node_modules/.bin/node tools/upgrade/old-replica.mjs [--commit ef1c4e2d]
 *
 * Prints what either answered before and after; exit code 1 when the old one answered anything but 200. Needs the history of git.
 */
import '../needs-node-24.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { readArguments } from '../read-arguments.mjs';
import { checkOutLinked } from './check-out.mjs';
import { ADMIN_KEY, CAPPED_KEY, configText, KEY } from '../../apps/gateway/test/upgrade-config.ts';

const values = readArguments(import.meta.url, {
  commit: { type: 'string', default: 'ef1c4e2d2e602a803da23ea662e6dcafdb754d2f' },
});
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 10;
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-old-replica-'));
const database = await openTestDatabase('postgres');
const twin = await startVendorTwin({ media: 'tiny', seconds: { video: 0.3 } });
const old = checkOutLinked(ROOT, values.commit, join(folder, 'checkout'));
writeFileSync(
  join(folder, 'gateway.yaml'),
  configText({ databaseUrl: database.url, folder, twin, knowsLayers: false }),
);
const children = [];
let faults = 0;
try {
  const before = await start('old', old.root);
  await ask('the old one alone', before);
  // The old one refuses the change, and keeps what it has.
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, twin }));
  const beside = await start('new', ROOT);
  for (let round = 0; round < 3; round++) {
    await ask('the old one beside the new one', before);
    await ask('the new one beside the old one', beside);
  }
  const reply = await fetch(`${beside}/admin/ledger/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  console.log('the ledger', await reply.json());
} finally {
  for (const child of children) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await twin.close();
  await database.close();
  old.remove();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(faults === 0 ? 0 : 1);

async function start(name, root) {
  const child = spawn(process.execPath, ['--no-warnings', join(root, 'apps/gateway/src/main.ts'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
      GATEWAY_ADMIN_KEY: ADMIN_KEY,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      for (const line of String(bytes).split('\n'))
        if (line.includes('"level":')) console.error(`${name}: ${line.slice(0, 400)}`);
    });
  for await (const [bytes] of on(child.stdout)) {
    const url = /listens on (\S+)/.exec(String(bytes))?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`${name} did not start`);
}

async function* on(stream) {
  for (;;) yield await once(stream, 'data');
}

/** Chat of two payers, a task to its end, a repetition. */
async function ask(who, url) {
  const seen = {};
  const call = async (path, body, { key = KEY, headers = {} } = {}) => {
    const reply = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    seen[reply.status] = (seen[reply.status] ?? 0) + 1;
    if (reply.status !== 200) console.error(`${who}: ${path}: ${text.slice(0, 300)}`);
    if (reply.status !== 200) faults++;
    return JSON.parse(text);
  };
  for (let round = 0; round < ROUNDS; round++)
    for (const key of [KEY, CAPPED_KEY])
      await call('/v1/chat/completions', { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }, { key });
  const body = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: who }], duration: 5 };
  const { task_id: id } = await call('/v1/video/generations', body, { headers: { 'idempotency-key': who } });
  const again = await call('/v1/video/generations', body, { headers: { 'idempotency-key': who } });
  if (again.task_id !== id) faults++;
  for (let round = 0; round < 100; round++) {
    const { data } = await call(`/v1/video/generations/${id}`);
    if (data.status === 'SUCCESS') break;
    if (data.status === 'FAILURE' || round === 99) {
      console.error(`${who}: the task ended ${data.status}: ${data.fail_reason}`);
      faults++;
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(who, seen);
}
