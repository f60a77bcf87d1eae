/** A tenant asks for large batches of vectors, and for large pictures, on many sockets and reads nothing; then an honest one asks for a very large batch. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const SOCKETS = 100;
const UNREAD_FOR_MS = 25_000;
const HUNG_UP_WITHIN_MS = 80_000;
const READ_MS = 5_000;
/** Those who wait for the room of others have their answers when they begin to read; the others have been hung up on. */
const LEAST_CUT = 20;
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
const PICTURE_BYTES = 11 * MB;
/** A PNG by its chunks, of this many bytes. */
function png() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(1024, 0);
  head.writeUInt32BE(1024, 4);
  head.set([8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', Buffer.alloc(PICTURE_BYTES, 7)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
const picture = () =>
  Buffer.from(
    `{"created":1,"data":[{"b64_json":"${png().toString('base64')}"}],"usage":{"input_tokens":9,"output_tokens":9,"total_tokens":18}}`,
  );
const PICTURES = `  - { code: pictures, kind: image, body: messages, offers: [{ account: sink, model: gpt-image-1 }], price: { image: 0 } }`;
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
  await leaveUnread(await start(BATCH.unread), {
    what: 'vectors',
    path: '/v1/embeddings',
    body: bodyOf('vectors', BATCH.unread),
    size: vectors(BATCH.unread).length,
    tell,
    faults,
  });
  await leaveUnread(await startWatched({ answers: { '/v1/images/generations': picture() }, lines: PICTURES }), {
    what: 'pictures',
    path: '/v1/images/generations',
    body: JSON.stringify({ model: 'pictures', prompt: 'a kite', response_format: 'b64_json' }),
    size: picture().length,
    tell,
    faults,
  });
  const gateway = await start(BATCH.honest);
  try {
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

/** Many sockets ask and read nothing, while another owner asks and reads. */
async function leaveUnread(gateway, { what, path, body, size, tell, faults }) {
  try {
    const first = await ask(gateway.url, path, { key: KEYS[1], body });
    if (first.status !== 200) faults.push(`${what} were answered ${first.status}: ${first.text.slice(0, 120)}`);
    const idle = await gateway.look();
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => unread(gateway.url, path, body)));
    const from = Date.now();
    let peak = 0;
    const until = Date.now() + UNREAD_FOR_MS;
    const honest = [];
    while (Date.now() < until) {
      const began = Date.now();
      const { status } = await ask(gateway.url, path, { key: KEYS[1], body });
      honest.push({ status, ms: Date.now() - began });
      peak = Math.max(peak, (await gateway.look()).peakBytes);
      await sleep(1000);
    }
    const late = (await gateway.look()).peakBytes;
    const grown = (peak - idle.peakBytes) / MB;
    const slowest = Math.max(...honest.map(({ ms }) => ms));
    const good = honest.filter(({ status }) => status === 200).length;
    tell(
      `${SOCKETS} unread ${what} of ${(size / MB).toFixed(0)} MB: +${grown.toFixed(0)} MB, at the end +${((late - idle.peakBytes) / MB).toFixed(0)} MB; another owner answered ${good} of ${honest.length}, slowest ${slowest} ms`,
    );
    if (grown > MOST_GROWTH_MB) faults.push(`unread ${what} took ${grown.toFixed(0)} MB`);
    if (good < honest.length) faults.push(`another owner was answered ${good} of ${honest.length} times`);
    await sleep(Math.max(0, from + HUNG_UP_WITHIN_MS - Date.now()));
    const later = ((await gateway.look()).peakBytes - idle.peakBytes) / MB;
    if (later > MOST_GROWTH_MB) faults.push(`unread ${what} took ${later.toFixed(0)} MB`);
    const cut = SOCKETS - (await readersLeft(sockets, size));
    tell(`after ${HUNG_UP_WITHIN_MS / 1000} s +${later.toFixed(0)} MB, ${cut} of ${SOCKETS} hung up on`);
    if (cut < LEAST_CUT) faults.push(`${cut} readers who read nothing were hung up on`);
    for (const socket of sockets) socket.destroy();
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
async function unread(url, path, body) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'connection: close',
    `authorization: Bearer ${KEYS[0]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}
