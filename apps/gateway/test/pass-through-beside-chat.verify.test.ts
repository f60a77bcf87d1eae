/** What a client asks for beside chat arrives at a vendor of the same wire, and what that answers comes back: byte for byte, but for `spec/pass-through-exceptions.yaml`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, PIXEL, type TestGateway } from '@model-gateway/testing';
import { parse } from 'yaml';
import { startRecordingVendor, type Answer, type RecordingVendor } from './pass-through/recording-vendor.ts';
import { samplesOf, type Sample } from './pass-through/samples.ts';
import { soundFile } from './sound-files.ts';

const usage = { prompt_tokens: 1, total_tokens: 1 };
const vector = { object: 'embedding', index: 0, embedding: [0.5, 0.25] };
const verdict = { flagged: false, categories: {}, category_scores: {}, category_applied_input_types: {} };

interface Operation {
  readonly path: string;
  readonly type: string;
  readonly base: JsonObject;
  readonly reply: JsonObject;
  /** The members in the spelling of the wire. */
  readonly spelling?: (name: string) => string;
  /** What nobody knows of it. */
  readonly strangers: readonly JsonObject[];
  /** What comes back for `reply`; the same with the model's own code when absent. */
  readonly shown?: (reply: JsonObject) => JsonObject;
}
const GOOGLE = '/v1beta/models/embedder-google';
const content = { parts: [{ text: 'hello' }] };
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const named = (model: string) => (reply: JsonObject) => ({ ...reply, model });

const OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/embeddings',
    type: 'Embedding',
    base: { model: 'embedder', input: 'hello' },
    reply: { object: 'list', data: [vector], model: 'embedder', usage },
    strangers: [
      { input: '' },
      { input: ['a', ''], encoding_format: 'x_unknown', output_dtype: 'int8' },
      { input: [{ image: 'https://example.com/a.png' }], dimensions: null, user: null, encoding_format: null },
    ],
    shown: named('embedder'),
  },
  {
    path: '/v1/moderations',
    type: 'Moderation',
    base: { model: 'moderator', input: 'hello' },
    reply: { id: 'modr-1', model: 'moderator', results: [verdict] },
    strangers: [{ input: '' }, { input: [{ type: 'x_unknown', of: 1 }] }],
    shown: named('moderator'),
  },
  {
    path: '/v1/rerank',
    type: 'Rerank',
    base: { model: 'reranker', query: 'q', documents: ['a'] },
    reply: {
      id: 'r',
      model: 'reranker',
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      usage,
    },
    spelling: snake,
    strangers: [
      { query: '', documents: ['', 'b'] },
      { query: { image: 'x' }, documents: [{ image: 'y' }], top_n: null },
    ],
    shown: named('reranker'),
  },
  {
    path: '/v1/images/generations',
    type: 'Picture',
    base: { model: 'painter', prompt: 'a boat' },
    reply: { created: 7, data: [{ b64_json: PIXEL }], usage: { total_tokens: 3, input_tokens: 1, output_tokens: 2 } },
    strangers: [
      { size: 'square_hd', quality: 'x_unknown', n: null, seed: 7, watermark: false, steps: 30 },
      { style: null, user: null, background: null, output_compression: null },
    ],
  },
  {
    path: '/v1/audio/speech',
    type: 'Speech',
    base: { model: 'speaker', input: 'hello', voice: 'alloy' },
    reply: {},
    strangers: [
      { input: '', voice: { id: 'voice_1' } },
      { voice: 'nobody-listed', response_format: 'x_unknown', speed: 9, instructions: null },
    ],
  },
  {
    path: `${GOOGLE}:embedContent`,
    type: 'EmbedContent',
    base: { content },
    reply: { embedding: { values: [0.5, 0.25] }, usageMetadata: { promptTokenCount: 1 } },
    strangers: [
      { content: { parts: [{ text: '' }] }, taskType: 'X_UNKNOWN', title: null },
      { content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }, { text: 'b' }] } },
    ],
  },
];

let vendor: RecordingVendor;
let gateway: TestGateway;
let cases = 0;

beforeAll(async () => {
  vendor = await startRecordingVendor(answerTo);
  const accountOf = (id: number, name: string, base: string): string =>
    `  - { id: ${id}, name: ${name}, vendor: ${name}, base_url: '${vendor.url}${base}', credentials: { api_key: vendor-key-0123456789 } }`;
  const modelOf = (code: string, kind: string, price: string, account = 'openai'): string =>
    `  - { code: ${code}, kind: ${kind}, price: { ${price} }, offers: [{ account: ${account}, model: ${code} }] }`;
  gateway = await openTestGateway({
    // One owner: what the account keeps is his.
    owners: 'one',
    yaml: `extends: none\naccounts:
${[accountOf(1, 'openai', '/v1'), accountOf(2, 'openai-compatible', '/v1'), accountOf(3, 'gemini', '')].join('\n')}
models:
${[
  modelOf('embedder', 'embedding', 'input: 1'),
  modelOf('moderator', 'moderation', 'input: 1'),
  modelOf('reranker', 'rerank', 'input: 1', 'openai-compatible'),
  modelOf('painter', 'image-edit', 'image: 0.01'),
  modelOf('gpt-image-1', 'image-edit', 'image: 0.01'),
  modelOf('speaker', 'speech', 'character: 1'),
  modelOf('writer', 'transcription', 'second: 0.001').replace('price:', 'limits: { translates: true }, price:'),
  modelOf('embedder-google', 'embedding', 'input: 1', 'gemini'),
].join('\n')}`,
  });
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const SPEECH_EVENTS: readonly JsonObject[] = [
  { type: 'speech.audio.delta', audio: 'AAAA', x_unknown: { a: null } },
  { type: 'x_unknown', of: ['anything'] },
  { type: 'speech.audio.done', usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, x_unknown: 4 } },
];
const speechText = (): string =>
  SPEECH_EVENTS.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');

function answerTo(path: string, body: string): Answer {
  if (path.endsWith('/audio/speech'))
    return body.includes('"stream_format":"sse"')
      ? { type: 'text/event-stream', body: speechText() }
      : { type: 'audio/mpeg', body: Buffer.from('ID3 sound') };
  if (path.includes('/audio/t'))
    return { type: 'application/json', body: JSON.stringify({ text: 'hello', segments: [] }) };
  if (path.endsWith('batchEmbedContents')) {
    const { requests } = JSON.parse(body) as { requests: unknown[] };
    const embeddings = requests.map(() => ({ values: [0.5, 0.25] }));
    return { type: 'application/json', body: JSON.stringify({ embeddings, usageMetadata: { promptTokenCount: 1 } }) };
  }
  const { reply } = OPERATIONS.find((each) => path.endsWith(each.path.replace(/^\/v1(?:beta)?/, ''))) ?? OPERATIONS[3]!;
  return { type: 'application/json', body: JSON.stringify(sized(reply, body)) };
}

/** As many results as inputs. */
function sized(reply: JsonObject, body: string): JsonObject {
  const { input, documents } = JSON.parse(body.startsWith('{') ? body : '{}') as JsonObject;
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  if (Array.isArray(reply['data']) && isList && reply['object'] === 'list')
    return { ...reply, data: input.map((_, index) => ({ ...vector, index })) };
  if (Array.isArray(reply['results']) && isList && typeof input[0] === 'string')
    return { ...reply, results: input.map(() => verdict) };
  if (Array.isArray(reply['results']) && Array.isArray(documents))
    return { ...reply, results: documents.map((_, index) => ({ index, relevance_score: 0.5 })) };
  return reply;
}

const asked = async (path: string, body: string): Promise<{ status: number; text: string }> => {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body,
  });
  return { status: reply.status, text: await reply.text() };
};

/** A content without parts asks for nothing: the vendor would refuse it, and the gateway does. */
function asksForNothing(value: Json): boolean {
  if (!isJsonObject(value) || !isJsonObject(value['content'])) return false;
  const { parts } = value['content'];
  return !Array.isArray(parts) || parts.length === 0;
}

/** So do empty lists of texts: the base has some. */
function withoutNothing(value: JsonObject): JsonObject {
  const entries = Object.entries(value).filter(
    ([name, inner]) => !(['input', 'documents'].includes(name) && Array.isArray(inner) && inner.length === 0),
  );
  return Object.fromEntries(entries);
}

const respelled = (value: Json, spelling: (name: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(value as JsonObject).map(([name, inner]) => [spelling(name), inner]));

function withStrangers<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withStrangers) as Value;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, withStrangers(inner)]);
  return { ...Object.fromEntries(members), x_unknown: { list: [1, null, 'é'] } } as Value;
}

describe.each(OPERATIONS)('$path', ({ path, type, base, spelling = (name) => name, strangers, reply, shown }) => {
  const samples = (): readonly Sample[] => {
    const official = samplesOf(type).filter(({ value }) => !asksForNothing(value));
    const own = strangers.map((value) => ({ place: JSON.stringify(value), value }));
    return [...official, ...own].map(({ place, value }) => ({
      place,
      value: withoutNothing(respelled(value, spelling)),
    }));
  };

  it('every member of the official type, null, unknown members and words arrive as they were sent', async () => {
    const lost: string[] = [];
    const all = samples();
    expect(all.length).toBeGreaterThan(strangers.length + 3);
    for (const { place, value } of [...all, ...all.map(strangersInside)]) {
      const number = cases++;
      const sent = JSON.stringify({ ...base, ...(value as JsonObject), x_case: number });
      const { status, text } = await asked(path, sent);
      const came = vendor.arrived.get(number)?.body.toString();
      if (came !== sent || status !== 200) lost.push(`${place}: ${status} sent ${sent}, came ${came ?? text}`);
    }
    expect(lost).toEqual([]);
  });

  it.runIf(Object.keys(reply).length > 0)('what the vendor answers comes back, unknown members too', async () => {
    const number = cases++;
    const told = withStrangers(reply);
    vendor.answers.set(number, { type: 'application/json', body: JSON.stringify(told) });
    const { status, text } = await asked(path, JSON.stringify({ ...base, x_case: number }));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject(shown?.(told) ?? told);
  });

  function strangersInside({ place, value }: Sample): Sample {
    // What is judged by its type is no object of the form.
    const inner = Object.entries(value as JsonObject).map(([name, each]) => [
      name,
      name === 'input' ? each : withStrangers(each),
    ]);
    return { place: `${place} with strangers`, value: { ...Object.fromEntries(inner), x_unknown: [null] } };
  }
});

it('a batch of Google’s arrives as it came, each with a length of its own, under the vendor’s name of the model', async () => {
  const lost: string[] = [];
  for (const { place, value } of samplesOf('EmbedContents')) {
    const { requests } = value as unknown as { requests: JsonObject[] };
    if (requests.length === 0 || requests.some(asksForNothing)) continue;
    const number = cases++;
    const both = [...requests, { ...requests[0], outputDimensionality: 2, x_unknown: null }];
    const { status, text } = await asked(
      `${GOOGLE}:batchEmbedContents`,
      JSON.stringify({ requests: both, x_case: number }),
    );
    const came: unknown = JSON.parse(vendor.arrived.get(number)?.body.toString() ?? 'null');
    const wanted = { requests: both.map((each) => ({ ...each, model: 'models/embedder-google' })), x_case: number };
    if (status !== 200 && !/in place of/.test(text)) lost.push(`${place}: ${status} ${text}`);
    expect(came, place).toEqual(wanted);
  }
  expect(lost).toEqual([]);
});

it('the vendor’s own speech events come back, with unknown ones and the whole usage', async () => {
  const body = { model: 'speaker', input: 'hello', voice: 'alloy', stream_format: 'sse' };
  const { status, text } = await asked('/v1/audio/speech', JSON.stringify(body));
  expect([status, text]).toEqual([200, speechText()]);
});

it('an edit as JSON arrives as it came, with pictures by address and by the id of a file', async () => {
  const picture = { image_url: 'https://example.com/a.png', detail: null };
  for (const images of [
    [picture],
    [{ file_id: 'file-made-elsewhere', x_unknown: 1 }],
    [picture, { file_id: 'file-x' }],
  ]) {
    const number = cases++;
    const mask = { file_id: 'file-mask' };
    const sent = JSON.stringify({
      images,
      prompt: 'a boat',
      n: null,
      mask,
      model: 'gpt-image-1',
      quality: 'x',
      x_case: number,
    });
    const { status, text } = await asked('/v1/images/edits', sent);
    expect([status, vendor.arrived.get(number)?.body.toString() ?? text]).toEqual([200, sent]);
    expect(vendor.arrived.get(number)?.path).toBe('/v1/images/edits');
  }
});

interface Form {
  readonly path: string;
  readonly type: string;
  readonly base: Readonly<Record<string, string>>;
  readonly file: readonly [name: string, bytes: Buffer, filename: string];
  /** What the gateway says where the client says nothing, by `transcript-formats`. */
  readonly added?: Readonly<Record<string, string>>;
}
const FORMS: readonly Form[] = [
  {
    path: '/v1/audio/transcriptions',
    type: 'Transcript',
    base: { model: 'writer' },
    file: ['file', soundFile(1), 'a.wav'],
    added: { response_format: 'json' },
  },
  {
    path: '/v1/audio/translations',
    type: 'Translation',
    base: { model: 'writer' },
    file: ['file', soundFile(1), 'a.wav'],
    added: { response_format: 'json' },
  },
  {
    path: '/v1/images/edits',
    type: 'PictureEdit',
    base: { model: 'painter', prompt: 'a boat' },
    file: ['image', Buffer.from(PIXEL, 'base64'), 'a.png'],
  },
];

describe.each(FORMS)('the form of $path', ({ path, type, base, file: [name, bytes, filename], added }) => {
  it('arrives field by field', async () => {
    const lost: string[] = [];
    for (const { place, value } of samplesOf(type)) {
      const sent = fieldsOf(value as JsonObject);
      if (/^(?:srt|vtt|text)$/.test(sent.find(([field]) => field === 'response_format')?.[1] ?? '')) continue;
      // Times are in verbose_json alone.
      if (sent.some(([field]) => field.startsWith('timestamp_'))) sent.push(['response_format', 'verbose_json']);
      for (const [field, text] of Object.entries(base))
        if (!sent.some(([each]) => each === field)) sent.push([field, text]);
      sent.push(['x_unknown', 'é']);
      const form = new FormData();
      for (const [field, text] of sent) form.append(field, text);
      form.append(name, new Blob([new Uint8Array(bytes)]), filename);
      const reply = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.liveKey}` },
        body: form,
      });
      const text = await reply.text();
      const arrived = vendor.arrived.get(-1);
      vendor.arrived.delete(-1);
      const wanted = [...sent];
      for (const [field, word] of Object.entries(added ?? {}))
        if (!wanted.some(([each]) => each === field)) wanted.push([field, word]);
      const came = arrived === undefined ? [] : await fieldsIn(arrived.body, arrived.headers['content-type'] ?? '');
      if (reply.status !== 200 || JSON.stringify(came.sort()) !== JSON.stringify(wanted.sort()))
        lost.push(
          `${place}: ${reply.status} sent ${JSON.stringify(wanted)}, came ${JSON.stringify(came)} ${text.slice(0, 200)}`,
        );
    }
    expect(lost).toEqual([]);
  });
});

/** As OpenAI's SDK writes them: lists as `name[]`. */
function fieldsOf(value: JsonObject): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    if (inner === null) return [];
    if (Array.isArray(inner)) return inner.map((each): [string, string] => [`${name}[]`, textOf(each)]);
    return [[name, textOf(inner)]];
  });
}
function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
async function fieldsIn(body: Buffer, type: string): Promise<[string, string][]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return [...form].flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []));
}

it('the exceptions beside chat are listed', () => {
  const file = new URL('../../../spec/pass-through-exceptions.yaml', import.meta.url);
  const listed = parse(readFileSync(file, 'utf8')) as readonly { readonly id: string }[];
  expect(listed.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'rerank-documents',
      'gpt-images',
      'callbacks',
      'first-speech',
      'long-requests',
      'transcript-formats',
    ]),
  );
});
