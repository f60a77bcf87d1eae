/** Clients of answers.mjs: each intent has an Idempotency-Key, a text of its own and the ids that replies gave its requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { STREAMED } from './answers-config.mjs';

const PATIENCE_MS = 30_000;
const TRIES = 6;
const SECONDS = 2;
const RATE = 8_000;

/** What is asked, by kind; the text is found again in what the vendor was sent. */
const ASKED = {
  embedding: (text) => ['/v1/embeddings', json({ model: 'vectors', input: text, encoding_format: 'float' })],
  moderation: (text) => ['/v1/moderations', json({ model: 'verdicts', input: text })],
  rerank: (text) => ['/v1/rerank', json({ model: 'scores', query: text, documents: ['High tide.', 'Bills.'] })],
  transcription: (text) => ['/v1/audio/transcriptions', recording(text)],
};
const KINDS = Object.keys(ASKED);

/** Makes the clients; `intents` has what was asked for and what each was told. */
export function createAsker({ key, random, urls, isOver }) {
  const intents = [];
  let heard = 0;
  const anyOf = (all) => all[Math.floor(random() * all.length)];
  /** Somebody who lives; waits for the next life. Undefined when there is none to come. */
  const somebody = async () => {
    while (urls().length === 0 && !isOver()) await sleep(20);
    return anyOf(urls());
  };
  const send = (url, path, { headers, ...options }) =>
    fetch(`${url}${path}`, {
      ...options,
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });

  const askWhole = async (intent) => {
    const [path, request] = ASKED[intent.kind](`${intent.name} [[twin:slow=${Math.floor(random() * 150)}]]`);
    for (let tries = 0; tries < TRIES; tries++) {
      const url = await somebody();
      if (url === undefined) return;
      try {
        const headers = { ...request.headers, 'idempotency-key': intent.name };
        const reply = await send(url, path, { method: 'POST', ...request, headers });
        intent.requestIds.push(reply.headers.get('x-request-id'));
        intent.answer = { status: reply.status, body: await reply.json() };
        heard += 1;
        if (reply.status < 500 || code(intent.answer) === 'submission_unknown') return;
      } catch {
        await sleep(30); // the process died under it
      }
    }
  };

  /** Reads until it ends or its process dies; goes on elsewhere, where there is another. */
  const askStream = async (intent) => {
    const url = await somebody();
    if (url === undefined) return;
    const messages = [{ role: 'user', content: `${intent.name} [[twin:long=60]]` }];
    const body = { model: STREAMED, stream: true, max_tokens: 2_000, messages };
    const headers = { 'x-gateway-resumable': 'true' };
    try {
      const asked = json(body);
      const reply = await send(url, '/v1/chat/completions', {
        method: 'POST',
        ...asked,
        headers: { ...asked.headers, ...headers },
      });
      intent.requestIds.push(reply.headers.get('x-request-id'));
      intent.streamId = reply.headers.get('x-gateway-stream-id') ?? undefined;
      await readEvents(reply, intent.heard, () => (heard += 1));
    } catch {
      // the process died under it
    }
    if (intent.streamId === undefined || hasEnded(intent.heard)) return;
    const other = await somebody();
    if (other === undefined) return;
    await resume(other, intent).catch(() => undefined);
  };

  const resume = async (url, intent) => {
    const last = intent.heard.at(-1)?.id ?? 0;
    const reply = await send(url, `/v1/streams/${intent.streamId}`, {
      headers: last > 0 ? { 'last-event-id': String(last) } : {},
    });
    intent.resumed = reply.status;
    if (reply.status === 200) await readEvents(reply, intent.heard, () => (heard += 1));
  };

  return {
    intents,
    /** Answers, and events of streams. */
    heardSoFar: () => heard,
    async askOnce() {
      const kind = random() < 0.4 ? 'stream' : anyOf(KINDS);
      const intent = { name: `question-${intents.length}-of-all`, kind, requestIds: [], heard: [] };
      intents.push(intent);
      await (kind === 'stream' ? askStream(intent) : askWhole(intent));
    },
    /** What is kept of every stream, from its beginning. */
    async readAll(url) {
      const kept = new Map();
      for (const { streamId } of intents) {
        if (streamId === undefined) continue;
        const reply = await send(url, `/v1/streams/${streamId}`, {});
        const events = [];
        if (reply.status === 200) await readEvents(reply, events);
        kept.set(streamId, { status: reply.status, events });
      }
      return kept;
    },
  };
}

/** Whether the last event says that nothing comes behind it: the end of the format, or its error. */
export function hasEnded(events) {
  const last = events.at(-1)?.data;
  return last === '[DONE]' || isError(last);
}

export function isError(data) {
  return data !== undefined && data !== '[DONE]' && JSON.parse(data).error !== undefined;
}

/** `{ id, data }` of each event that came whole; an error that ends a stream has no number. */
async function readEvents(reply, events, onEvent = () => undefined) {
  let text = '';
  for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      events.push({ id: id === undefined ? undefined : Number(id), data });
      onEvent();
    }
  }
}

function json(body) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function recording(prompt) {
  const body = new FormData();
  body.append('model', 'words');
  body.append('prompt', prompt);
  body.append('file', new Blob([wav()], { type: 'audio/wav' }), 'talk.wav');
  return { body };
}

function wav() {
  const samples = Buffer.from(Array.from({ length: SECONDS * RATE }, (_, at) => 128 + (at % 32)));
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  for (const [at, number] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ])
    head.writeUInt16LE(number, at);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

export function code({ body }) {
  return body?.error?.code;
}
