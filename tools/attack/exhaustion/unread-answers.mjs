/** A tenant asks for large batches of vectors on many sockets and reads nothing; then an honest one asks for a very large batch. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const SOCKETS = 100;
const UNREAD_FOR_MS = 25_000;
/** Those who wait for room the longest and are let in, and what they do not read. */
const HUNG_UP_WITHIN_MS = 80_000;
const READ_MS = 5_000;
const MOST_GROWTH_MB = 750;
const MOST_DELAY_MS = 200;
const TRIES = 4;
const DIMENSIONS = 1536;
const BATCH = { unread: 530, honest: 2000 };
const vectors = (count) => {
  const vector = JSON.stringify(Array.from({ length: DIMENSIONS }, (_none, at) => Math.sin(at + 1)));
  const items = Array.from(
    { length: count },
    (_none, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  return Buffer.from(
    `{"object":"list","data":[${items.join()}],"model":"m","usage":{"prompt_tokens":9,"total_tokens":9}}`,
  );
};
const bodyOf = (model, count) =>
  JSON.stringify({ model, dimensions: DIMENSIONS, input: Array.from({ length: count }, () => 'a') });
const row = (model, count) =>
  `  - { code: ${model}, kind: embedding, offers: [{ account: sink, model: ${model}, quirks: { max_inputs: ${count} } }], price: { input: 0 } }`;

export async function leaveAnswersUnread({ say }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const start = (count) =>
    startWatched({ answers: { '/v1/embeddings': vectors(count) }, lines: row('vectors', count) });
  let gateway = await start(BATCH.unread);
  try {
    const body = bodyOf('vectors', BATCH.unread);
    const first = await ask(gateway.url, '/v1/embeddings', { key: KEYS[1], body });
    if (first.status !== 200) faults.push(`a batch was answered ${first.status}: ${first.text.slice(0, 120)}`);
    const idle = await gateway.look();
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => unread(gateway.url, body)));
    const from = Date.now();
    let peak = 0;
    const until = Date.now() + UNREAD_FOR_MS;
    const honest = [];
    while (Date.now() < until) {
      const began = Date.now();
      const { status } = await ask(gateway.url, '/v1/embeddings', { key: KEYS[1], body });
      honest.push({ status, ms: Date.now() - began });
      peak = Math.max(peak, (await gateway.look()).peakBytes);
      await sleep(1000);
    }
    const grown = (peak - idle.peakBytes) / MB;
    const slowest = Math.max(...honest.map(({ ms }) => ms));
    const good = honest.filter(({ status }) => status === 200).length;
    tell(
      `${SOCKETS} unread answers of ${(vectors(BATCH.unread).length / MB).toFixed(0)} MB: +${grown.toFixed(0)} MB; another owner answered ${good} of ${honest.length}, slowest ${slowest} ms`,
    );
    if (grown > MOST_GROWTH_MB) faults.push(`unread answers took ${grown.toFixed(0)} MB`);
    if (good < honest.length) faults.push(`another owner was answered ${good} of ${honest.length} times`);
    await sleep(Math.max(0, from + HUNG_UP_WITHIN_MS - Date.now()));
    const whole = await readersLeft(sockets, vectors(BATCH.unread).length);
    tell(`${whole} of ${SOCKETS} answers still held after ${HUNG_UP_WITHIN_MS / 1000} s`);
    if (whole > 0) faults.push(`${whole} readers who read nothing were not hung up on`);
    for (const socket of sockets) socket.destroy();
    await gateway.stop();

    gateway = await start(BATCH.honest);
    const large = bodyOf('vectors', BATCH.honest);
    let least = Infinity;
    let size = 0;
    for (let turn = 0; turn < TRIES && least > MOST_DELAY_MS; turn++) {
      await gateway.look();
      const { status, text } = await ask(gateway.url, '/v1/embeddings', { body: large });
      const { delayMs } = await gateway.look();
      least = Math.min(least, delayMs);
      size = text.length;
      if (status !== 200 || JSON.parse(text).data.length !== BATCH.honest)
        faults.push(`a batch of ${BATCH.honest} was answered ${status}: ${text.slice(0, 120)}`);
    }
    tell(`a batch of ${(size / MB).toFixed(0)} MB: longest delay ${least.toFixed(0)} ms`);
    if (least > MOST_DELAY_MS) faults.push(`a large batch held the event loop up for ${least.toFixed(0)} ms`);
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
  }
}

/** How many have all of their answer when they begin to read now. */
async function readersLeft(sockets, size) {
  const came = sockets.map((socket) => {
    const seen = { bytes: 0 };
    socket.on('data', (bytes) => {
      seen.bytes += bytes.length;
    });
    socket.resume();
    return seen;
  });
  await sleep(READ_MS);
  return came.filter(({ bytes }) => bytes >= 0.9 * size).length;
}

/** Sends the request, and reads nothing of its answer. */
async function unread(url, body) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const head = [
    'POST /v1/embeddings HTTP/1.1',
    'host: x',
    'connection: close',
    `authorization: Bearer ${KEYS[0]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}
