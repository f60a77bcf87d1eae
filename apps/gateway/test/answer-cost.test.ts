/** What an answer cost is said with it, and is what the ledger charged: of every paid operation that answers at once, whole or as a stream. */
import { expect, it } from 'vitest';
import { UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import { soundFile } from './sound-files.ts';
import { useGateway } from './whole-answers.ts';

const { gateway, post } = useGateway();

const TEXT = 'The tide turns at noon. '.repeat(40);
const HELLO = [{ role: 'user', content: TEXT }];
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: TEXT }] }] };
const MODELS_PATH = '/v1beta/models/gemini-3.1-pro-preview';
const EMBEDDER_PATH = '/v1beta/models/gemini-embedding-001';

function recording(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(soundFile(3))]), 'talk.wav');
  return form;
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: () => JsonObject | FormData;
}
const WHOLE: readonly Case[] = [
  { name: 'chat', path: '/v1/chat/completions', body: () => ({ model: 'gpt-5.2', messages: HELLO }) },
  {
    name: 'translated chat',
    path: '/v1/chat/completions',
    body: () => ({ model: 'claude-sonnet-5', messages: HELLO }),
  },
  { name: 'responses', path: '/v1/responses', body: () => ({ model: 'gpt-5.2', input: TEXT }) },
  {
    name: 'messages',
    path: '/v1/messages',
    body: () => ({ model: 'claude-sonnet-5', max_tokens: 99, messages: HELLO }),
  },
  { name: 'generateContent', path: `${MODELS_PATH}:generateContent`, body: () => CONTENTS },
  { name: 'embeddings', path: '/v1/embeddings', body: () => ({ model: 'text-embedding-3-large', input: TEXT }) },
  {
    name: 'embedContent',
    path: `${EMBEDDER_PATH}:embedContent`,
    body: () => ({ content: { parts: [{ text: TEXT }] } }),
  },
  { name: 'moderation', path: '/v1/moderations', body: () => ({ input: TEXT }) },
  { name: 'rerank', path: '/v1/rerank', body: () => ({ model: 'rerank-v3.5', query: 'tide', documents: [TEXT, 'x'] }) },
  { name: 'images', path: '/v1/images/generations', body: () => ({ model: 'doubao-seedream-4-5', prompt: TEXT }) },
  {
    name: 'transcription',
    path: '/v1/audio/transcriptions',
    body: () => recording({ model: 'whisper-1' }),
  },
];
const STREAMED: readonly Case[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: () => ({ model: 'gpt-5.2', messages: HELLO, stream: true, stream_options: { include_usage: true } }),
  },
  {
    name: 'translated chat',
    path: '/v1/chat/completions',
    body: () => ({ model: 'claude-sonnet-5', messages: HELLO, stream: true, stream_options: { include_usage: true } }),
  },
  { name: 'responses', path: '/v1/responses', body: () => ({ model: 'gpt-5.2', input: TEXT, stream: true }) },
  {
    name: 'messages',
    path: '/v1/messages',
    body: () => ({ model: 'claude-sonnet-5', max_tokens: 99, messages: HELLO, stream: true }),
  },
  { name: 'streamGenerateContent', path: `${MODELS_PATH}:streamGenerateContent?alt=sse`, body: () => CONTENTS },
  { name: 'a JSON array of them', path: `${MODELS_PATH}:streamGenerateContent`, body: () => CONTENTS },
  {
    name: 'images',
    path: '/v1/images/generations',
    body: () => ({ model: 'doubao-seedream-4-5', prompt: TEXT, stream: true }),
  },
  {
    name: 'speech',
    path: '/v1/audio/speech',
    body: () => ({
      model: 'gpt-4o-mini-tts',
      voice: 'alloy',
      input: TEXT,
      stream_format: 'sse',
      response_format: 'pcm',
    }),
  },
  {
    name: 'transcription',
    path: '/v1/audio/transcriptions',
    body: () => recording({ model: 'gpt-4o-transcribe', stream: 'true' }),
  },
];

async function ask({ path, body }: Case, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const sent = body();
  const isForm = sent instanceof FormData;
  return fetch(`${gateway().url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway().liveKey}`,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isForm ? sent : JSON.stringify(sent),
  });
}

/** Dollars, by the ledger. */
async function charged(reply: Response): Promise<number> {
  await gateway().server.own.flush();
  const requestId = reply.headers.get('x-request-id') ?? '';
  const entries = await gateway().server.parts.store.ledger.entries({ requestId, kind: 'capture', limit: 9 });
  expect(entries).toHaveLength(1);
  return (entries[0]?.charged ?? NaN) / UNITS_PER_DOLLAR;
}

/** Of every usage in the text, in their order. */
function costsIn(text: string): (number | undefined)[] {
  const data = text.startsWith('[')
    ? (JSON.parse(text) as unknown[])
    : [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
  return data.flatMap((each) => {
    const { usage, usageMetadata, response } = each as Record<
      string,
      { cost?: number; usage?: { cost?: number } | null }
    >;
    const found = usage ?? usageMetadata ?? response?.usage ?? undefined;
    return found === undefined ? [] : [found.cost];
  });
}

it.each(WHOLE)('a whole answer says in a header what it cost: $name', async (each) => {
  const reply = await ask(each);
  expect([reply.status, await reply.text()]).toEqual([200, expect.anything()]);
  const cost = reply.headers.get('x-gateway-cost') ?? '';
  expect(cost).toMatch(/^\d+(\.\d+)?$/);
  expect(Number(cost)).toBe(await charged(reply));
});

it.each(STREAMED)('a stream says it in its last usage, where that is asked for: $name', async (each) => {
  const reply = await ask(each, { 'x-gateway-include-cost': 'true' });
  const text = await reply.text();
  expect([reply.status, reply.headers.get('x-gateway-cost')]).toEqual([200, null]);
  const costs = costsIn(text);
  expect(costs.at(-1)).toBe(await charged(reply));
  expect(costs.at(-1)).toBeGreaterThan(0);
  expect(costs.slice(0, -1).every((cost) => cost === undefined)).toBe(true);
  const plain = await (await ask(each)).text();
  expect(plain).not.toContain('"cost"');
  // Nothing but the cost is different: as many events of the same kinds leave in the same order.
  const shape = (events: string) => [...events.matchAll(/^event: .*$|\[DONE\]/gm)].map(([line]) => line);
  expect(shape(text)).toEqual(shape(plain));
});

it('a refusal costs nothing and says no cost', async () => {
  const { status, headers } = await post('/v1/embeddings', { model: 'text-embedding-3-large', input: 7 });
  expect([status, headers.get('x-gateway-cost')]).toEqual([400, null]);
});
