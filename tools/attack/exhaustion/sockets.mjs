/** A tenant opens as many WebSockets as it can, leaves messages unfinished, floods with questions and reads no answers, while another owner asks. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const IDLE = 1000;
const MOST_IDLE_KB = 80;
const UNFINISHED = 200;
/** Without a room for messages they would take a third more than the most that is allowed. */
const SHORT_UNFINISHED = 80;
const UNFINISHED_MB = 8;
const FLOODING = 20;
const QUESTIONS = 2000;
const UNREAD = 20;
const BODY_LIMIT_MB = 16;
const MOST_GROWTH_MB = 500;
const SLOWEST_MS = 2000;
const WATCHED_MS = 10_000;
const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
const QUESTION = JSON.stringify({ type: 'response.create', model: 'm', input: 'hi', store: false });

export async function attackSockets({ say, short = false }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const gateway = await startWatched({ server: `body_limit: ${BODY_LIMIT_MB}mb, body_memory: 128mb` });
  const open = [];
  try {
    const first = await openSocket(gateway.url);
    if (first === undefined) return { measured: 'no socket opens', faults: ['no socket opens'] };
    first.terminate();
    const start = await gateway.look();
    await openIdle(gateway, { open, tell, faults, start });
    for (const each of open.splice(0)) each.terminate();
    await sleep(1000);
    await tooLarge(gateway, { tell, faults });
    await leaveUnfinished(gateway, { open, tell, faults, start, count: short ? SHORT_UNFINISHED : UNFINISHED });
    for (const each of open.splice(0)) each.terminate();
    await flood(gateway, { open, tell, faults, start, ms: short ? 4000 : WATCHED_MS });
    if (!gateway.isAlive()) faults.push('the gateway has died');
    return { measured: measured.join(', '), faults };
  } finally {
    for (const each of open) each.terminate();
    await gateway.stop();
  }
}

/** An open socket, or the status of what was answered instead. */
async function openSocket(url, key = KEYS[0]) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  return Promise.race([
    once(socket, 'open').then(() => socket),
    once(socket, 'unexpected-response').then(() => undefined),
    once(socket, 'close').then(() => undefined),
  ]).catch(() => undefined);
}

async function openIdle(gateway, { open, tell, faults, start }) {
  for (let from = 0; from < IDLE; from += 50)
    open.push(...(await Promise.all(Array.from({ length: 50 }, () => openSocket(gateway.url)))).filter(Boolean));
  const one = await openSocket(gateway.url);
  const other = await openSocket(gateway.url, KEYS[1]);
  await sleep(2000);
  const { peakBytes } = await gateway.look();
  const each = (peakBytes - start.peakBytes) / 1024 / open.length;
  tell(`${open.length} idle sockets: ${each.toFixed(0)} KB each at the peak`);
  if (open.length < IDLE) faults.push(`only ${open.length} of ${IDLE} sockets opened`);
  if (one !== undefined) faults.push('an owner has more sockets than there are for one');
  if (other === undefined) faults.push('another owner has no socket');
  if (each > MOST_IDLE_KB) faults.push(`an idle socket takes ${each.toFixed(0)} KB`);
  one?.terminate();
  other?.terminate();
}

async function tooLarge(gateway, { tell, faults }) {
  const socket = await openSocket(gateway.url);
  const closed = once(socket, 'close');
  socket.send(`{"x":"${'x'.repeat(BODY_LIMIT_MB * MB)}"}`);
  const [code] = await Promise.race([closed, sleep(10_000).then(() => ['not closed'])]);
  tell(`a message over the limit: ${code}`);
  if (code !== 1009) faults.push(`a message over the limit: ${code}`);
}

/** Messages whose last piece never comes. */
async function leaveUnfinished(gateway, { open, tell, faults, start, count }) {
  await gateway.look();
  const piece = 'x'.repeat(UNFINISHED_MB * MB);
  let closed = 0;
  for (let at = 0; at < count; at++) {
    const socket = await openSocket(gateway.url);
    if (socket === undefined) continue;
    socket.on('close', () => closed++);
    socket.send(piece, { fin: false });
    open.push(socket);
    if (at % 10 === 0) await sleep(50);
  }
  const { slowest, refused } = await honest(gateway, 4000);
  const grown = ((await gateway.look()).peakBytes - start.peakBytes) / MB;
  tell(
    `${count} unfinished messages of ${UNFINISHED_MB} MB: +${grown.toFixed(0)} MB, ${closed} closed, another owner at most ${slowest} ms`,
  );
  if (grown > MOST_GROWTH_MB) faults.push(`unfinished messages took ${grown.toFixed(0)} MB`);
  if (refused > 0 || slowest > SLOWEST_MS)
    faults.push(`unfinished messages: another owner ${slowest} ms, ${refused} refused`);
}

/** Many questions at once, on sockets of which some read nothing. */
async function flood(gateway, { open, tell, faults, start, ms }) {
  await gateway.look();
  let answered = 0;
  for (let at = 0; at < FLOODING + UNREAD; at++) {
    const socket = await openSocket(gateway.url);
    if (socket === undefined) continue;
    if (at < UNREAD) socket.pause();
    socket.on('message', (data) => {
      if (data.includes('"response.completed"')) answered++;
    });
    for (let question = 0; question < QUESTIONS; question++) socket.send(QUESTION);
    open.push(socket);
  }
  const { slowest, refused } = await honest(gateway, ms);
  const grown = ((await gateway.look()).peakBytes - start.peakBytes) / MB;
  tell(
    `${FLOODING + UNREAD} sockets with ${QUESTIONS} questions each, ${UNREAD} unread: +${grown.toFixed(0)} MB, ${answered} answered, another owner at most ${slowest} ms`,
  );
  if (answered === 0) faults.push('no question of a flood was answered');
  if (grown > MOST_GROWTH_MB) faults.push(`a flood took ${grown.toFixed(0)} MB`);
  if (refused > 0 || slowest > SLOWEST_MS) faults.push(`a flood: another owner ${slowest} ms, ${refused} refused`);
}

/** How another owner is answered over HTTP meanwhile. */
async function honest(gateway, ms) {
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
  return { slowest, refused };
}
