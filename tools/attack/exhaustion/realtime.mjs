/** A tenant talks and never reads, floods with sound and tiny events, sends huge frames and opens all it can, in every kind of session; another owner asks. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';
import { startTalkers } from './talkers.mjs';

const GOOGLE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
const IDLE = 1000;
const MOST_IDLE_KB = 120;
const UNREAD = 20;
const FLOODING = 20;
const FLOOD_MB = 40;
const TINY = 20_000;
const UNFINISHED = 150;
const UNFINISHED_MB = 8;
const LARGEST_MB = 16;
const MOST_GROWTH_MB = 500;
const SLOWEST_MS = 2000;
const WATCHED_MS = 5000;
const CLOSED_WITHIN_MS = 10_000;
/** Vendors that do not answer a closing frame are cut then. */
const LEFT_MS = 3000;
const MOST_LEFT = 20;
const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
const SOUND = 'A'.repeat(256 * 1024);

/** How each kind of session is opened, and how its client begins, speaks and says little. */
const openai = (model) => ({
  path: `/v1/realtime?model=${model}`,
  begin: [{ type: 'response.create' }],
  sound: { type: 'input_audio_buffer.append', audio: SOUND },
  tiny: { type: 'x' },
});
const google = (model) => ({
  path: GOOGLE,
  begin: [
    { setup: { model: `models/${model}` } },
    { clientContent: { turns: [{ role: 'user', parts: [{ text: 'hi' }] }], turnComplete: true } },
  ],
  sound: { realtimeInput: { audio: { mimeType: 'audio/pcm;rate=16000', data: SOUND } } },
  tiny: { x: 1 },
});
const responses = { path: '/v1/responses', begin: [], tiny: { type: 'x' } };
/** OpenAI's events for a vendor that speaks Google's: the session is set up by its update. */
const translated = (model) => ({
  ...openai(model),
  begin: [{ type: 'session.update', session: { type: 'realtime' } }, { type: 'response.create' }],
});

export async function attackRealtime({ say, short = false }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const vendor = await startTalkers();
  const gateway = await startWatched(configOf(vendor.port));
  const attack = { gateway, vendor, tell, faults, open: [], ms: short ? 2500 : WATCHED_MS };
  try {
    const first = await openSession(gateway.url, openai('talk'));
    if (first === undefined) return { measured: 'no session opens', faults: ['no session opens'] };
    first.terminate();
    attack.start = await gateway.look();
    const descriptors = descriptorsOf(gateway.child);
    const steps = [
      ['idle', () => openIdle(attack)],
      ...['openai', 'google', 'translated'].map((wire) => [`unread, ${wire}`, () => unread(attack, wire)]),
      ...['openai', 'google', 'translated'].map((wire) => [`sound, ${wire}`, () => floodSound(attack, wire)]),
      ['tiny', () => floodTiny(attack)],
      ['huge', () => huge(attack)],
    ];
    for (const [, step] of steps) {
      await step();
      for (const socket of attack.open.splice(0)) socket.terminate();
      await sleep(500);
    }
    await sleep(LEFT_MS);
    const left = descriptorsOf(gateway.child) - descriptors;
    tell(`${left} connections are left`);
    if (left > MOST_LEFT) faults.push(`${left} connections are left`);
    if (!gateway.isAlive()) faults.push('the gateway has died');
    return { measured: measured.join(', '), faults };
  } finally {
    for (const socket of attack.open) socket.terminate();
    await gateway.stop();
    await vendor.close();
  }
}

/** Of files and connections. */
function descriptorsOf({ pid }) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function configOf(port) {
  const price = 'price: { input: 0, output: 0 }';
  const row = (code, account) =>
    `  - { code: ${code}, kind: realtime, offers: [{ account: ${account}, model: ${code} }], ${price} }`;
  const rows = ['talk', 'talk-talks', 'talk-deaf'].map((code) => row(code, 'talker'));
  rows.push(...['live', 'live-talks', 'live-deaf', 'live-silent'].map((code) => row(code, 'live')));
  return {
    server: `body_limit: 64mb, body_memory: 128mb`,
    accounts: `  - { id: 2, name: talker, vendor: openai, base_url: 'http://127.0.0.1:${port}/v1', credentials: { api_key: none }, max_concurrency: 5000 }
  - { id: 3, name: live, vendor: gemini, base_url: 'http://127.0.0.1:${port}', credentials: { api_key: none }, max_concurrency: 5000 }
`,
    lines: rows.join('\n'),
  };
}

/** An open session in which everything was said that begins it; undefined where none opens. */
async function openSession(url, { path, begin }, key = KEYS[0]) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { authorization: `Bearer ${key}` } });
  socket.on('error', () => undefined);
  const isOpen = await Promise.race([
    once(socket, 'open').then(() => true),
    once(socket, 'unexpected-response').then(() => false),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  if (!isOpen) return undefined;
  for (const message of begin) socket.send(JSON.stringify(message));
  return socket;
}

async function openIdle({ gateway, open, tell, faults, start }) {
  const kinds = [
    { ...openai('talk'), begin: [] },
    { ...google('live'), begin: google('live').begin.slice(0, 1) },
  ];
  for (let from = 0; from < IDLE; from += 25)
    open.push(
      ...(await Promise.all(Array.from({ length: 25 }, () => openSession(gateway.url, kinds[(from / 25) % 2])))).filter(
        Boolean,
      ),
    );
  const one = await openSession(gateway.url, kinds[0]);
  const other = await openSession(gateway.url, kinds[0], KEYS[1]);
  await sleep(2000);
  const each = ((await gateway.look()).peakBytes - start.peakBytes) / 1024 / open.length;
  tell(`${open.length} idle sessions: ${each.toFixed(0)} KB each at the peak`);
  if (open.length < IDLE) faults.push(`only ${open.length} of ${IDLE} sessions opened`);
  if (one !== undefined) faults.push('an owner has more sessions than there are for one');
  if (other === undefined) faults.push('another owner has no session');
  if (each > MOST_IDLE_KB) faults.push(`an idle session takes ${each.toFixed(0)} KB`);
  one?.terminate();
  other?.terminate();
}

/** The vendor talks without end, and the client takes nothing of it. */
async function unread(attack, wire) {
  const model = { openai: openai('talk-talks'), google: google('live-talks'), translated: translated('live-talks') };
  await attack.gateway.look();
  for (let at = 0; at < UNREAD; at++) {
    const socket = await openSession(attack.gateway.url, model[wire]);
    if (socket === undefined) continue;
    socket.pause();
    attack.open.push(socket);
  }
  await judge(attack, `${UNREAD} sessions that read nothing (${wire})`);
}

/** The client talks without end, and the vendor takes nothing of it, or never begins. */
async function floodSound(attack, wire) {
  const model = { openai: openai('talk-deaf'), google: google('live-deaf'), translated: translated('live-silent') };
  const { sound } = openai('');
  await attack.gateway.look();
  for (let at = 0; at < FLOODING; at++) {
    const socket = await openSession(attack.gateway.url, model[wire]);
    if (socket === undefined) continue;
    const text = JSON.stringify(wire === 'google' ? model[wire].sound : sound);
    for (let sent = 0; sent < FLOOD_MB * MB; sent += text.length) socket.send(text);
    attack.open.push(socket);
  }
  await judge(attack, `${FLOODING} sessions with ${FLOOD_MB} MB of sound that no vendor takes (${wire})`);
}

async function floodTiny(attack) {
  await attack.gateway.look();
  const kinds = [openai('talk'), google('live'), responses];
  for (let at = 0; at < FLOODING; at++) {
    const kind = kinds[at % kinds.length];
    const socket = await openSession(attack.gateway.url, kind);
    if (socket === undefined) continue;
    // Half of them do not read what is said against it.
    if (at % 2 === 0) socket.pause();
    const text = JSON.stringify(kind.tiny);
    for (let sent = 0; sent < TINY; sent++) socket.send(text);
    attack.open.push(socket);
  }
  await judge(attack, `${FLOODING} sessions with ${TINY} tiny events each`);
}

/** Frames over the limit, and frames whose last piece never comes. */
async function huge(attack) {
  const { gateway, faults, open } = attack;
  for (const kind of [openai('talk'), google('live')]) {
    const socket = await openSession(gateway.url, kind);
    const closed = once(socket, 'close');
    socket.send(`{"x":"${'x'.repeat(LARGEST_MB * MB)}"}`);
    const [code] = await Promise.race([closed, sleep(CLOSED_WITHIN_MS).then(() => ['not closed'])]);
    if (code !== 1009) faults.push(`a frame over the limit: ${code}`);
  }
  await gateway.look();
  const piece = 'x'.repeat(UNFINISHED_MB * MB);
  for (let at = 0; at < UNFINISHED; at++) {
    const socket = await openSession(gateway.url, at % 2 === 0 ? openai('talk') : google('live'));
    if (socket === undefined) continue;
    socket.send(piece, { fin: false });
    open.push(socket);
    if (at % 10 === 0) await sleep(50);
  }
  await judge(
    attack,
    `a frame over the limit closes with 1009; ${UNFINISHED} unfinished frames of ${UNFINISHED_MB} MB`,
  );
}

/** What it takes of memory, and how another owner is answered meanwhile. */
async function judge({ gateway, tell, faults, start, ms }, what) {
  const end = Date.now() + ms;
  let slowest = 0;
  let refused = 0;
  while (Date.now() < end) {
    const began = Date.now();
    const { status } = await ask(gateway.url, '/v1/chat/completions', { key: KEYS[1], body: BODY });
    slowest = Math.max(slowest, Date.now() - began);
    if (status !== 200) refused++;
    await sleep(100);
  }
  const grown = ((await gateway.look()).peakBytes - start.peakBytes) / MB;
  tell(`${what}: +${grown.toFixed(0)} MB, another owner at most ${slowest} ms`);
  if (grown > MOST_GROWTH_MB) faults.push(`${what}: took ${grown.toFixed(0)} MB`);
  if (refused > 0 || slowest > SLOWEST_MS) faults.push(`${what}: another owner ${slowest} ms, ${refused} refused`);
}
