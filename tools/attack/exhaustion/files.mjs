/** A tenant fills the disk with files: lies about sizes, leaves parts and uploads half way, sends tiny files without end; another owner uploads meanwhile. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, bytesIn, KEYS, MB, startWatched } from './gateway.mjs';

const [TENANT, OTHER] = KEYS;
const ROOM_MB = 48;
const MOST_FILES = 120;
const LARGEST_MB = 16;
const MOST_DRIPPING = 32;
const MOST_GROWTH_MB = 256;
const SLOWEST_MS = 2_000;

export async function fillFiles({ say, short = false }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const gateway = await startWatched({
    server: 'body_limit: 64mb',
    files: `largest_upload: ${LARGEST_MB}mb, uploads: ${ROOM_MB}mb, uploads_count: ${MOST_FILES}`,
  });
  const folder = join(gateway.folder, 'files');
  const world = { url: gateway.url, folder, faults, tell };
  try {
    if ((await list(world)).status !== 200) return { measured: 'there are no files', faults: ['there are no files'] };
    const start = await gateway.look();
    await lieAboutSizes(world);
    await fillTheRoom(world);
    await sendTinyFiles(world, short ? MOST_FILES + 60 : 2_000);
    await leaveParts(world);
    await drip(world);
    const { peakBytes, delayMs } = await gateway.look();
    const growth = (peakBytes - start.peakBytes) / MB;
    tell(`${growth.toFixed(0)} MB of memory more, event loop held up for ${delayMs.toFixed(0)} ms`);
    if (growth > MOST_GROWTH_MB) faults.push(`memory grew by ${growth.toFixed(0)} MB`);
    if (!gateway.isAlive()) faults.push('the gateway has died');
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
  }
}

function list({ url }, key = TENANT) {
  return ask(url, '/v1/files', { method: 'GET', key });
}

async function upload({ url }, content, key = TENANT) {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob([content]), 'a.bin');
  const reply = await fetch(`${url}/v1/files`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form },
    signal: AbortSignal.timeout(60_000),
  }).catch((error) => ({ status: 0, text: () => String(error) }));
  const text = await reply.text();
  return { status: reply.status, id: /"id":"(file-[^"]+)"/.exec(text)?.[1], text };
}

async function post({ url }, path, body) {
  const reply = await ask(url, path, { key: TENANT, body: JSON.stringify(body) });
  return { ...reply, json: reply.text.startsWith('{') ? JSON.parse(reply.text) : {} };
}

async function removeAll(world) {
  const { text } = await list(world);
  const ids = JSON.parse(text).data.map(({ id }) => id);
  await inTurns(ids, 20, (id) => ask(world.url, `/v1/files/${id}`, { method: 'DELETE', key: TENANT }));
  const left = bytesIn(world.folder);
  if (left > 0) world.faults.push(`${left} bytes are left of deleted files`);
}

async function inTurns(all, atOnce, work) {
  const results = [];
  for (let at = 0; at < all.length; at += atOnce)
    results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return results;
}

/** Heads that announce other lengths than come. */
async function lieAboutSizes(world) {
  const { url, folder, faults, tell } = world;
  const begin = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const end = '\r\n--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--b--\r\n';
  const whole = begin + 'x'.repeat(1000) + end;
  const lies = {
    'less comes': [`content-length: ${100 * MB}`, whole],
    'more comes': ['content-length: 400', whole],
    negative: ['content-length: -1', whole],
    'beyond any number': ['content-length: 99999999999999999999', whole],
    'two lengths': [`content-length: 10\r\ncontent-length: ${whole.length}`, whole],
    'no end': [`content-length: ${begin.length + 1000}`, begin + 'x'.repeat(1000)],
    'chunks that lie': ['transfer-encoding: chunked', `ffffff\r\n${whole}\r\n0\r\n\r\n`],
  };
  let taken = 0;
  for (const [name, [head, body]] of Object.entries(lies)) {
    const status = await raw(url, head, body);
    if (status === 200) {
      taken += 1;
      faults.push(`a file whose length lies (${name}) is taken`);
    }
  }
  const large = await upload(world, Buffer.alloc((LARGEST_MB + 1) * MB));
  if (large.status !== 413) faults.push(`a file beyond the largest is ${large.status}`);
  const made = await post(world, '/v1/uploads', {
    ...{ bytes: 10, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' },
  });
  for (const size of [11, 5 * MB]) {
    const form = new FormData();
    form.set('data', new Blob([Buffer.alloc(size)]), 'a');
    const reply = await fetch(`${url}/v1/uploads/${made.json.id}/parts`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${TENANT}` }, body: form },
    });
    if (reply.status !== 413) faults.push(`a part of ${size} bytes of an upload of 10 is ${reply.status}`);
  }
  await ask(url, `/v1/uploads/${made.json.id}/cancel`, { key: TENANT });
  await settle(() => bytesIn(folder) === 0);
  const left = bytesIn(folder);
  if (left > 0) faults.push(`${left} bytes are left of files whose sizes lied`);
  tell(`${Object.keys(lies).length + 3} sizes that lie, ${taken} taken, ${left} bytes left`);
}

/** The status; 0 where there was none within two seconds, and the connection was cut. */
function raw(url, head, body) {
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TENANT}\r\ncontent-type: multipart/form-data; boundary=b\r\n${head}\r\n\r\n${body}`,
      ),
    );
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(text.split(' ')[1] ?? 0)));
  });
}

async function settle(isSettled) {
  for (let looks = 0; looks < 100 && !isSettled(); looks++) await sleep(50);
}

/** Many at once, each of which would fit alone. */
async function fillTheRoom(world) {
  const { folder, faults, tell } = world;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, bytesIn(folder))), 10);
  const answers = await Promise.all(Array.from({ length: 24 }, () => upload(world, Buffer.alloc(5 * MB))));
  clearInterval(watch);
  most = Math.max(most, bytesIn(folder));
  const taken = answers.filter(({ status }) => status === 200).length;
  const wrong = answers.filter(({ status }) => status !== 200 && status !== 403 && status !== 429);
  if (wrong.length > 0) faults.push(`uploads beyond the room are ${wrong.map(({ status }) => status).join()}`);
  if (most > ROOM_MB * MB) faults.push(`${(most / MB).toFixed(0)} MB lay in a room of ${ROOM_MB}`);
  if (taken === 0) faults.push('nothing was taken at all');
  tell(`${taken} of 24 files of 5 MB at once taken, ${(most / MB).toFixed(0)} MB of ${ROOM_MB} at most`);
  await removeAll(world);
}

async function sendTinyFiles(world, count) {
  const { faults, tell } = world;
  const from = performance.now();
  let slowest = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now();
      const { status, id } = await upload(world, 'x', OTHER);
      slowest = Math.max(slowest, performance.now() - began);
      if (status !== 200) faults.push(`another owner's upload is ${status}`);
      await ask(world.url, `/v1/files/${id}`, { method: 'DELETE', key: OTHER });
      await sleep(50);
    }
  })();
  const answers = await inTurns(Array.from({ length: count }), 24, () => upload(world, 'x'));
  isOver = true;
  await watching;
  const taken = answers.filter(({ status }) => status === 200).length;
  if (taken > MOST_FILES) faults.push(`${taken} files were taken where ${MOST_FILES} may be`);
  if (taken < MOST_FILES)
    faults.push(`${taken} files were taken where ${MOST_FILES} may be: more were refused than need be`);
  if (slowest > SLOWEST_MS) faults.push(`another owner's upload took ${slowest.toFixed(0)} ms`);
  tell(
    `${count} tiny files in ${((performance.now() - from) / 1000).toFixed(1)} s, ${taken} of ${MOST_FILES} taken, another owner waited ${slowest.toFixed(0)} ms at most`,
  );
  await removeAll(world);
}

/** Uploads in parts that are never completed: their parts take room, and there is an end to them. */
async function leaveParts(world) {
  const { url, faults, tell, folder } = world;
  const about = { bytes: 4 * MB, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' };
  const begun = await inTurns(Array.from({ length: 130 }), 20, () => post(world, '/v1/uploads', about));
  const open = begun.filter(({ status }) => status === 200).map(({ json }) => json.id);
  if (open.length > 100) faults.push(`${open.length} uploads are open`);
  const parts = await inTurns(open, 16, async (id) => {
    const form = new FormData();
    form.set('data', new Blob([Buffer.alloc(4 * MB)]), 'a');
    const reply = await fetch(`${url}/v1/uploads/${id}/parts`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${TENANT}` }, body: form },
    }).catch(() => ({ status: 0 }));
    return reply.status;
  });
  const taken = parts.filter((status) => status === 200).length;
  const lying = bytesIn(folder) / MB;
  if (lying > ROOM_MB) faults.push(`parts of ${lying.toFixed(0)} MB lie in a room of ${ROOM_MB}`);
  // Nothing more fits beside them.
  const more = await upload(world, Buffer.alloc(5 * MB));
  if (more.status === 200) faults.push('a file fits beside parts that fill the room');
  await inTurns(open, 20, (id) => ask(url, `/v1/uploads/${id}/cancel`, { key: TENANT }));
  const left = bytesIn(folder);
  if (left > 0) faults.push(`${left} bytes are left of uploads that were cancelled, and their room is given to others`);
  const again = await upload(world, Buffer.alloc(5 * MB));
  if (again.status !== 200) faults.push(`after all uploads were cancelled a file is ${again.status}`);
  tell(`${open.length} uploads left open, ${taken} parts of 4 MB taken, ${lying.toFixed(0)} MB lie`);
}

/** Uploads that announce much and send a byte now and then. */
async function drip(world) {
  const { url, faults, tell } = world;
  await removeAll(world);
  const { port, hostname } = new URL(url);
  const head = `POST /v1/files HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TENANT}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${MB}\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const refused = { count: 0 };
  const sockets = await Promise.all(
    Array.from({ length: MOST_DRIPPING + 20 }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.once('data', () => (refused.count += 1));
      await once(socket, 'connect');
      socket.write(head);
      return socket;
    }),
  );
  await settle(() => refused.count >= 20);
  const began = performance.now();
  const other = await upload(world, 'x', OTHER);
  const waited = performance.now() - began;
  if (refused.count < 20) faults.push(`${sockets.length - refused.count} uploads of an owner are under way at once`);
  if (other.status !== 200 || waited > SLOWEST_MS)
    faults.push(`another owner's upload is ${other.status} after ${waited.toFixed(0)} ms`);
  for (const socket of sockets) socket.destroy();
  let after;
  for (let tries = 0; tries < 50; tries++) {
    after = await upload(world, 'x');
    if (after.status === 200) break;
    await sleep(100);
  }
  if (after.status !== 200) faults.push(`when the drips are over an upload is ${after.status}`);
  tell(`${sockets.length} uploads that drip, ${refused.count} refused, another owner waited ${waited.toFixed(0)} ms`);
}
