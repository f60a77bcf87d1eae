/**
 * Kills the gateway with SIGKILL at random moments while clients upload files by form, in parts and by Google's resumable protocol, and delete
 * some; then looks whether every acknowledged file is there byte for byte, nothing half is visible, what was deleted is gone, and the folder has
 * the bytes of the files that are there and no others.
 *
 *   node_modules/.bin/node tools/crash/files.mjs --kills 30 --database sqlite|postgres --replicas 1|2 [--clients 4] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import { pino } from 'pino';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { createBlobFolder } from '../../apps/gateway/src/server/blob-folder.ts';
import { createResultFiles } from '../../libs/core/src/tasks/results.ts';
import { dieAgainAndAgain, openScene } from './scene.mjs';

const KEY = 'sk-crash-0123456789abcdef0123';
const LARGEST = 3 * 1024 * 1024;
const CHUNK = 64 * 1024;
const LONGEST_LIFE_MS = 2_500;
/** Past the hour after which half uploads go. */
const LATER_MS = 2 * 3_600_000;
let folder;

const { kills, replicas, count, random, env, pool, end } = await openScene(import.meta.url, {
  clients: '4',
  configText(scene) {
    folder = join(scene.folder, 'files');
    return configText(scene);
  },
});
/** By id: the digest of what was sent. */
const acknowledged = new Map();
const deleted = new Set();
/** Deletions that were asked for and not answered: the file may be there or not. */
const unsure = new Set();
/** Of everything that was ever sent whole. */
const sent = new Set();
const faults = [];
const counts = { byForm: 0, inParts: 0, resumable: 0, brokenOff: 0 };

const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills }, (born) => ({
  order: {},
  life: born.then(() => sleep(random() * LONGEST_LIFE_MS)),
}));
await Promise.all([ended, ...Array.from({ length: count }, live)]);
pool.close();
await end({ killed: deaths.killedAt.length, rows: await audit(), faults });

async function live() {
  const ways = [byForm, inParts, resumable];
  while (!deaths.isOver) {
    const urls = deaths.urls();
    const url = urls[Math.floor(random() * urls.length)];
    if (url === undefined) {
      await sleep(20);
      continue;
    }
    const bytes = Buffer.alloc(1 + Math.floor(random() * LARGEST), `${random()} of the tide `);
    const digest = digestOf(bytes);
    sent.add(digest);
    const openai = clientOf(url);
    try {
      const way = ways[Math.floor(random() * ways.length)];
      const id = await way(openai, url, bytes);
      acknowledged.set(id, digest);
      counts[way.name] += 1;
      if (random() < 0.4) await remove(openai, id);
    } catch {
      counts.brokenOff += 1;
      await sleep(20);
    }
  }
}

function clientOf(url) {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0, timeout: 10_000 });
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

async function remove(openai, id) {
  unsure.add(id);
  await openai.files.delete(id);
  deleted.add(id);
}

/** Bytes at a pace at which a kill finds many uploads half way. */
function slowly(...pieces) {
  return ReadableStream.from(
    (async function* paced() {
      for (const piece of pieces)
        for (let at = 0; at < piece.length; at += CHUNK) {
          yield piece.subarray(at, at + CHUNK);
          await sleep(random() * 20);
        }
    })(),
  );
}

async function byForm(_openai, url, bytes) {
  const head = (name, more = '') => `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const before = `${head('purpose')}user_data\r\n${head('file', '; filename="a.txt"')}`;
  const answer = await fetch(`${url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: slowly(Buffer.from(before), bytes, Buffer.from('\r\n--b--\r\n')),
    duplex: 'half',
    signal: AbortSignal.timeout(10_000),
  });
  return idIn(await answer.json(), 'id');
}

function idIn(json, member) {
  if (typeof json[member] !== 'string') throw new Error(JSON.stringify(json));
  return json[member];
}

async function inParts(openai, _url, bytes) {
  const about = { bytes: bytes.length, filename: 'a.txt', mime_type: 'text/plain', purpose: 'user_data' };
  const { id } = await openai.uploads.create(about);
  const half = Math.ceil(bytes.length / 2);
  const parts = await Promise.all(
    [bytes.subarray(0, half), bytes.subarray(half)]
      .filter(({ length }) => length > 0)
      .map(async (data) => openai.uploads.parts.create(id, { data: await toFile(data, 'part') })),
  );
  const { file } = await openai.uploads.complete(id, { part_ids: parts.map((part) => part.id) });
  return file.id;
}

async function resumable(_openai, url, bytes) {
  const signal = () => AbortSignal.timeout(10_000);
  const key = { 'x-goog-api-key': KEY };
  const started = await fetch(`${url}/upload/v1beta/files`, {
    method: 'POST',
    headers: {
      ...key,
      'content-type': 'application/json',
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(bytes.length),
    },
    body: '{"file":{"displayName":"a.txt","mimeType":"text/plain"}}',
    signal: signal(),
  });
  const to = new URL(started.headers.get('x-goog-upload-url'));
  const half = Math.ceil(bytes.length / 2);
  let answer;
  for (const [command, offset, data] of [
    ['upload', 0, bytes.subarray(0, half)],
    ['upload, finalize', half, bytes.subarray(half)],
  ])
    answer = await fetch(url + to.pathname + to.search, {
      method: 'POST',
      headers: { ...key, 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
      body: slowly(data),
      duplex: 'half',
      signal: signal(),
    });
  const { file } = await answer.json();
  return idIn(file, 'name').replace('files/', 'file-');
}

/** A last process: what is seen, then, an hour on, what is left on disk. */
async function audit() {
  let later = 0;
  const server = await startServer({
    config: readConfig(env),
    now: () => Date.now() + later,
    log: pino({ level: 'silent' }),
    pollTasks: false,
  });
  try {
    const openai = clientOf(server.url);
    const listed = new Map();
    for await (const file of openai.files.list()) listed.set(file.id, file);
    for (const { id, bytes } of listed.values()) {
      const content = await contentOf(openai, id);
      const digest = digestOf(content);
      if (content.length !== bytes || !sent.has(digest)) faults.push(`${id} is visible, and not what anybody sent`);
      if (acknowledged.has(id) && acknowledged.get(id) !== digest) faults.push(`${id} has another's bytes`);
      if (deleted.has(id)) faults.push(`${id} was deleted, and is there`);
    }
    for (const id of acknowledged.keys())
      if (!listed.has(id) && !unsure.has(id)) faults.push(`${id} was acknowledged, and is gone`);
    later = LATER_MS;
    const { store, now, log } = server.parts;
    await createResultFiles({ store, now, log, blobs: createBlobFolder(folder), settings: {} }).sweep();
    const left = readdirSync(folder);
    const bytes = left.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const living = [...listed.values()].reduce((sum, file) => sum + file.bytes, 0);
    if (left.length !== listed.size || bytes !== living)
      faults.push(`${left.length} files with ${bytes} bytes lie there for ${listed.size} with ${living}`);
    const due = await store.files.expired(now(), 1000);
    if (due.length > 0) faults.push(`${due.length} rows are left of what is over`);
    return {
      acknowledged: acknowledged.size,
      deleted: deleted.size,
      listed: listed.size,
      ...counts,
      lying: left.length,
    };
  } finally {
    await server.close();
  }
}

async function contentOf(openai, id) {
  try {
    return Buffer.from(await (await openai.files.content(id)).arrayBuffer());
  } catch (error) {
    return Buffer.from(String(error));
  }
}

function configText({ folder: place, database }) {
  return `server: { port: 0, workers: 1 }
database: { url: '${database.url}' }
files: { folder: '${place}/files', uploads: 4gb }
keys: [{ name: crash, key: ${KEY} }]
extends: none
`;
}
