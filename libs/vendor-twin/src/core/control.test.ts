import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, asker, type Heard } from '../test-kit.ts';

let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ control: true, media: 'tiny' });
});
afterAll(() => twin.close());
beforeEach(async () => {
  await ask(`${twin.url}/_twin/reset`, { method: 'POST' });
});

const JSON_TYPE = { 'content-type': 'application/json' };
const script = async (body: unknown): Promise<Heard> =>
  ask(`${twin.url}/_twin/faults`, { body: JSON.stringify(body), headers: JSON_TYPE });
const openai = asker(() => twin, 'openai');
const said = (content: string, more: object = {}): object => ({
  body: { model: 'gpt-5.2', messages: [{ role: 'user', content }], ...more },
});
const chat = async (more: object = {}, content = 'hello'): Promise<Heard> =>
  openai('/chat/completions', said(content, more));
const claude = async (more: object = {}): Promise<Heard> =>
  ask(`${twin.baseUrl('anthropic')}/v1/messages`, {
    body: { model: 'claude-sonnet-5', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], ...more },
    headers: { 'x-api-key': twin.credentials('anthropic')['api_key'] ?? '', 'anthropic-version': '2023-06-01' },
  });

describe('/_twin', () => {
  it('is there for who asked for it', async () => {
    const closed = await startVendorTwin({ media: 'tiny' });
    expect((await ask(`${closed.url}/_twin`)).status).toBe(404);
    expect((await ask(`${closed.url}/_twin/faults`, { body: '{"fault":"hang"}', headers: JSON_TYPE })).status).toBe(
      404,
    );
    await closed.close();
  });

  it('says where each vendor is', async () => {
    const { json } = await ask(`${twin.url}/_twin`);
    expect(json.url).toBe(twin.url);
    expect(json.vendors).toContainEqual({
      name: 'openai',
      base_url: twin.baseUrl('openai'),
      credentials: twin.credentials('openai'),
    });
  });

  it('scripts faults that are met so many times, in the words of whichever vendor meets them', async () => {
    const scripted = await script({ fault: 'status', status: 429, retry_after: 7, times: 2 });
    expect(scripted.status).toBe(201);
    expect(scripted.json).toEqual({
      faults: [{ fault: 'status', status: 429, headers: { 'retry-after': '7' }, left: 2 }],
    });
    const first = await chat();
    expect(first.status).toBe(429);
    expect(first.headers.get('retry-after')).toBe('7');
    expect(first.json.error.code).toBe('rate_limit_exceeded');
    expect((await claude()).json.error.type).toBe('rate_limit_error');
    expect((await chat()).status).toBe(200);
    expect((await ask(`${twin.url}/_twin/faults`)).json).toEqual({ faults: [] });
  });

  it('aims them by vendor, operation, path and model, all of which must fit', async () => {
    await script([
      { fault: 'status', status: 503, vendor: 'anthropic' },
      { fault: 'status', status: 500, model: 'gpt-4o' },
      { fault: 'status', status: 502, operation: 'embedding' },
      { fault: 'status', status: 504, path: '/v1/images/generations', model: 'gpt-image-2' },
    ]);
    expect((await chat()).status).toBe(200);
    expect((await chat({ model: 'gpt-4o' })).status).toBe(500);
    expect((await claude()).status).toBe(503);
    const embed = async (): Promise<Heard> =>
      openai('/embeddings', { body: { model: 'text-embedding-3-small', input: 'a' } });
    expect([(await embed()).status, (await embed()).status]).toEqual([502, 200]);
    expect((await openai('/images/generations', { body: { model: 'gpt-image-2', prompt: 'a' } })).status).toBe(504);
  });

  it('finds the model in a path and in a form, too', async () => {
    await script([
      { fault: 'status', status: 503, model: 'gemini-3-pro' },
      { fault: 'status', status: 503, model: 'whisper-1' },
    ]);
    const generate = async (model: string): Promise<number> =>
      (
        await ask(`${twin.baseUrl('gemini')}/v1beta/models/${model}:generateContent`, {
          body: { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
          headers: { 'x-goog-api-key': twin.credentials('gemini')['api_key'] ?? '' },
        })
      ).status;
    expect([await generate('gemini-3-flash'), await generate('gemini-3-pro')]).toEqual([200, 503]);
    const form = new FormData();
    form.append('model', 'whisper-1');
    form.append('file', new Blob([new Uint8Array(64)]), 'a.wav');
    expect((await openai('/audio/transcriptions', { body: form })).status).toBe(503);
  });

  it('keeps a fault until it is cleared', async () => {
    await script({ fault: 'reset', vendor: 'openai', times: 'always' });
    for (const _ of [1, 2, 3]) await expect(chat()).rejects.toThrow('fetch failed');
    expect((await ask(`${twin.url}/_twin/faults`)).json.faults[0]).toMatchObject({ fault: 'reset', left: 'always' });
    expect((await ask(`${twin.url}/_twin/faults`, { method: 'DELETE' })).json).toEqual({ faults: [] });
    expect((await chat()).status).toBe(200);
  });

  it.each([
    [{ fault: 'storm' }, 'fault is wrong: expected one of status,'],
    [{}, 'fault is missing'],
    [{ fault: 'hang', ms: 3 }, 'ms is not known for this fault'],
    [{ fault: 'status' }, 'status is missing'],
    [{ fault: 'status', status: 200 }, 'status is wrong: expected between 400 and 599'],
    [{ fault: 'status', status: 429, headers: { a: 1 } }, 'headers.a has the wrong type'],
    [{ fault: 'hang', vendor: 'openia' }, 'vendor is wrong: expected one of openai'],
    [{ fault: 'hang', operation: 'chats' }, 'operation is wrong'],
    [{ fault: 'hang', times: 0 }, 'times is wrong'],
    [[{ fault: 'hang' }, { fault: 'slow', ms: -1 }], '[1].ms is wrong'],
  ])('refuses %j', async (body, message) => {
    const { status, json } = await script(body);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await ask(`${twin.url}/_twin/faults`)).json).toEqual({ faults: [] });
  });

  it('takes JSON alone, so that no page of a browser can script it', async () => {
    const url = `${twin.url}/_twin/faults`;
    const plain = await ask(url, { body: '{"fault":"hang"}', headers: { 'content-type': 'text/plain' } });
    expect(plain.status).toBe(415);
    expect((await ask(url, { body: 'hang', headers: JSON_TYPE })).status).toBe(400);
    expect((await ask(url, { body: '7', headers: JSON_TYPE })).status).toBe(400);
    expect((await ask(`${twin.url}/_twin/fault`)).json.error.message).toContain('POST');
  });

  it('shows what arrived, without credentials', async () => {
    await chat({}, 'the words');
    await claude();
    await ask(`${twin.baseUrl('gemini')}/v1beta/models?key=AIza-real&pageSize=1`);
    const { json, text } = await ask(`${twin.url}/_twin/requests`);
    expect(
      json.requests.map(({ vendor, operation, status }: { [name: string]: unknown }) => [vendor, operation, status]),
    ).toEqual([
      ['openai', 'chat', 200],
      ['anthropic', 'chat', 200],
      ['gemini', 'models', expect.any(Number)],
    ]);
    expect(json.requests[0].body.messages[0].content).toBe('the words');
    expect(text).not.toMatch(/sk-twin|AIza-real/);
    expect((await ask(`${twin.url}/_twin/requests?vendor=anthropic`)).json.requests).toHaveLength(1);
    expect((await ask(`${twin.url}/_twin/requests?operation=models`)).json.requests[0].path).toBe(
      '/v1beta/models?key=…&pageSize=1',
    );
    await ask(`${twin.url}/_twin/reset`, { method: 'POST' });
    expect((await ask(`${twin.url}/_twin/requests`)).json).toEqual({ requests: [] });
  });
});

/** A stream on each wire on which chat models stream. */
const WIRES = [
  {
    wire: 'openai-chat',
    vendor: 'openai',
    path: '/chat/completions',
    body: { stream: true, stream_options: { include_usage: true } },
  },
  { wire: 'openai-responses', vendor: 'openai', path: '/responses', body: { input: 'hello', stream: true } },
  {
    wire: 'anthropic-messages',
    vendor: 'anthropic',
    path: '/v1/messages',
    body: { model: 'claude-sonnet-5', max_tokens: 100, stream: true },
  },
  {
    wire: 'gemini',
    vendor: 'gemini',
    path: '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  },
  {
    wire: 'bedrock, converse',
    vendor: 'bedrock',
    path: '/model/amazon.nova-pro-v1:0/converse-stream',
    body: { messages: [{ role: 'user', content: [{ text: 'hello' }] }] },
  },
  {
    wire: 'bedrock, invoke',
    vendor: 'bedrock',
    path: '/model/anthropic.claude-sonnet-5/invoke-with-response-stream',
    body: {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    },
  },
  { wire: 'ollama', vendor: 'ollama', path: '/api/chat', body: { model: 'llama3.2:3b' } },
] as const;
type Wire = (typeof WIRES)[number];

const MESSAGES = { messages: [{ role: 'user', content: 'hello' }] };

async function open({ vendor, path, body }: Wire, signal?: AbortSignal): Promise<Response> {
  const usual = path.startsWith('/v1beta') || path.startsWith('/model') || path === '/responses' ? {} : MESSAGES;
  const key = twin.credentials(vendor)['api_key'] ?? '';
  const reply = await fetch(`${twin.baseUrl(vendor)}${path}`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      ...(vendor === 'anthropic' && { 'x-api-key': key }),
      ...(vendor === 'gemini' && { 'x-goog-api-key': key }),
      ...(['openai', 'bedrock', 'ollama'].includes(vendor) && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ ...(vendor === 'openai' && { model: 'gpt-5.2' }), ...usual, ...body }),
    ...(signal !== undefined && { signal }),
  });
  expect([path, reply.status]).toEqual([path, 200]);
  return reply;
}

/** The pieces of a stream, and when each came: milliseconds from the request on. */
async function timed(wire: Wire): Promise<{ readonly at: number; readonly text: string }[]> {
  const began = performance.now();
  const pieces: { at: number; text: string }[] = [];
  for await (const chunk of (await open(wire)).body ?? [])
    pieces.push({ at: performance.now() - began, text: Buffer.from(chunk).toString('latin1') });
  return pieces;
}

/** Longer than any test may take: what comes nevertheless did not wait. */
const TOO_LONG = 600_000;
/** Whether the last word of the answer is there, plain or in base64. */
const saidIn = (text: string): boolean =>
  [
    text,
    ...[...text.matchAll(/"bytes":"([^"]+)"/g)].map(([, bytes = '']) => Buffer.from(bytes, 'base64').toString()),
  ].some((each) => /hello/.test(each));
const SAYS_USAGE = /"usage":\{|"finishReason"|"eval_count":/;

describe('faults that only the API names', () => {
  it.each(WIRES)('slow-first-token, $wire: the first event comes late', async (wire) => {
    await script({ fault: 'slow-first-token', ms: 150 });
    expect((await timed(wire))[0]!.at).toBeGreaterThanOrEqual(145);
  });

  it.each(WIRES)('slow-first-token, $wire: the headers come at once', async (wire) => {
    await script({ fault: 'slow-first-token', ms: TOO_LONG });
    const hangUp = new AbortController();
    await open(wire, hangUp.signal);
    hangUp.abort();
  });

  it.each(WIRES)('late-usage, $wire: the usage comes late', async (wire) => {
    await script({ fault: 'late-usage', ms: 150 });
    const pieces = await timed(wire);
    // Where it is sealed in another frame, the end is what comes behind it.
    const usage = pieces.findLast(({ text }) => SAYS_USAGE.test(text)) ?? pieces.at(-1);
    expect(usage!.at).toBeGreaterThanOrEqual(145);
  });

  it.each(WIRES)('late-usage, $wire: all of the text comes at once', async (wire) => {
    await script({ fault: 'late-usage', ms: TOO_LONG });
    const hangUp = new AbortController();
    let text = '';
    for await (const chunk of (await open(wire, hangUp.signal)).body ?? []) {
      text += Buffer.from(chunk).toString('latin1');
      if (saidIn(text)) break;
    }
    hangUp.abort();
    expect(saidIn(text)).toBe(true);
  });

  it('slow-first-token: a whole answer waits, and is whole', async () => {
    await script({ fault: 'slow-first-token', ms: 150 });
    const began = performance.now();
    expect((await chat()).json.choices[0].message.content).toContain('You said: hello');
    expect(performance.now() - began).toBeGreaterThanOrEqual(145);
  });

  it('refusal: a model declines in its own way', async () => {
    await script({ fault: 'refusal', times: 3 });
    expect((await chat()).json.choices[0].message.refusal).toBe('I cannot help with that.');
    expect((await claude()).json.stop_reason).toBe('refusal');
    expect((await openai('/images/generations', { body: { model: 'gpt-image-2', prompt: 'a' } })).json).toMatchObject({
      error: { code: 'moderation_blocked' },
    });
    expect((await chat()).json.choices[0].message.refusal).toBeNull();
  });

  it.each(WIRES)('cut, $wire: a stream breaks off after so many events, once', async (wire) => {
    await script({ fault: 'cut', after_events: 2 });
    await expect(timed(wire)).rejects.toThrow('terminated');
    expect(saidIn((await timed(wire)).map(({ text }) => text).join(''))).toBe(true);
  });
});
