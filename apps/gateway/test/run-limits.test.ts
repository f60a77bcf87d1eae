/** Limits of a run: a refusal that ends agents, in each chat format, and nothing for keys without them. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const NOON = Date.UTC(2026, 10, 21, 12);
const MESSAGES = [{ role: 'user', content: 'hi' }];
/** Path and body of a chat in each format; each costs at most 20 tokens of output. */
const FORMATS = {
  'openai-chat': ['/v1/chat/completions', { model: 'm', max_completion_tokens: 20, messages: MESSAGES }],
  'openai-responses': ['/v1/responses', { model: 'm', max_output_tokens: 20, input: 'hi', store: false }],
  'anthropic-messages': ['/v1/messages', { model: 'm', max_tokens: 20, messages: MESSAGES }],
  'gemini-generate': [
    '/v1beta/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 20 } },
  ],
} as const;

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let owner: number;
let now = NOON;
beforeAll(async () => {
  twin = await startVendorTwin();
  gateway = await openTestGateway({
    twin,
    clock: () => now,
    yaml: `extends: none
money: { overdraft: 0 }
security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
accounts:
  - { name: openai, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }
models: [{ code: m, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1000, output: 1000 } }, { code: voice, kind: speech, offers: [{ account: openai, model: gpt-4o-mini-tts }], price: { character: 0.000015 } }]`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
  owner = (await admin.owners.create({ name: 'agents', credit_limit: null })).id;
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

let names = 0;
async function keyWith(limits: Readonly<Record<string, number>>): Promise<string> {
  return (await admin.keys.create({ name: `key ${++names}`, owner_id: owner, mode: 'live', limits })).secret;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function chat(
  secret: string,
  headers: Readonly<Record<string, string>> = {},
  format: keyof typeof FORMATS = 'openai-chat',
  fields: JsonObject = {},
): Promise<Reply> {
  const [path, usual] = FORMATS[format];
  const body = { ...usual, ...fields };
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

describe('a run', () => {
  it.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])(
    'that has used its budget is told to stop, by a final error in the format %s',
    async (format) => {
      const secret = await keyWith({ spend_per_run: 0.05 });
      const run = { 'x-gateway-run': `run of ${format}` };
      let reply = await chat(secret, run, format);
      expect(reply.status).toBe(200);
      for (let request = 0; request < 12 && reply.status === 200; request++) reply = await chat(secret, run, format);
      expect(reply.status).toBe(400);
      expect(reply.text).toMatch(
        /The budget of this run is used: \$0\.0\d+ of \$0\.05.*Stop and report what you have\./,
      );
      expect(reply.text).toMatch(/run_limit_reached|RUN_LIMIT_REACHED|invalid_request_error/);
      expect(reply.headers.get('x-gateway-limit')).toBe('spend_per_run');
      expect(reply.headers.get('x-should-retry')).toBe('false');
      expect(reply.headers.get('retry-after')).toBeNull();
      // Another run has a budget of its own.
      expect((await chat(secret, { 'x-gateway-run': 'another' }, format)).status).toBe(200);
      expect(await admin.ledger.verify()).toMatchObject({ ok: true });
    },
  );

  it('is known by the ids that agents send', async () => {
    const secret = await keyWith({ requests_per_run: 1 });
    for (const header of ['x-claude-code-session-id', 'session_id', 'x-gateway-run']) {
      expect((await chat(secret, { [header]: 'a' + header })).status).toBe(200);
      expect((await chat(secret, { [header]: 'a' + header })).status).toBe(400);
      expect((await chat(secret, { [header]: 'b' + header })).status).toBe(200);
    }
  });

  it('without an id is the one of the key and the day', async () => {
    const [secret, other] = [await keyWith({ requests_per_run: 1 }), await keyWith({ requests_per_run: 1 })];
    expect((await chat(secret)).status).toBe(200);
    const refused = await chat(secret);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(
      'This run has made the one request that it may make. Stop and report what you have.',
    );
    expect(refused.headers.get('x-gateway-limit')).toBe('requests_per_run');
    expect((await chat(other)).status).toBe(200);
    now = NOON + 13 * 3_600_000;
    expect((await chat(secret)).status).toBe(200);
    now = NOON;
  });

  it('has its minutes from its first request on', async () => {
    const secret = await keyWith({ minutes_per_run: 30 });
    const run = { 'x-gateway-run': 'timed' };
    expect((await chat(secret, run)).status).toBe(200);
    now = NOON + 29 * 60_000;
    expect((await chat(secret, run)).status).toBe(200);
    now = NOON + 30 * 60_000;
    const refused = await chat(secret, run);
    expect(refused.text).toContain('The 30 minutes of this run are over. Stop and report what you have.');
    expect(refused.headers.get('x-gateway-limit')).toBe('minutes_per_run');
    now = NOON;
  });

  it('counts in the caps of its key too, and a refusal names which', async () => {
    const secret = await keyWith({ spend_per_run: 5, spend_per_hour: 0.000002 });
    const refused = await chat(secret, { 'x-gateway-run': 'x' });
    expect([refused.status, refused.headers.get('x-gateway-limit')]).toEqual([429, 'spend_per_hour']);
  });
});

const ON_LIMIT = { 'x-gateway-on-limit': 'message' };
const openAi = (apiKey: string): OpenAI => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });

/** What the vendors' own SDKs read of the last message, whole and streamed. */
const READERS: Readonly<Record<string, (apiKey: string, run: string) => Promise<readonly string[]>>> = {
  async 'openai-chat'(apiKey, run) {
    const ask = { model: 'm', max_completion_tokens: 20, messages: [{ role: 'user', content: 'hi' }] } as const;
    const headers = { ...ON_LIMIT, 'x-gateway-run': run };
    const whole = await openAi(apiKey).chat.completions.create({ ...ask, messages: [...ask.messages] }, { headers });
    const stream = openAi(apiKey).chat.completions.stream({ ...ask, messages: [...ask.messages] }, { headers });
    const streamed = await stream.finalChatCompletion();
    return [whole, streamed].map(({ choices: [choice] }) => `${choice?.finish_reason}: ${choice?.message.content}`);
  },
  async 'openai-responses'(apiKey, run) {
    const ask = { model: 'm', max_output_tokens: 20, input: 'hi' };
    const headers = { ...ON_LIMIT, 'x-gateway-run': run };
    const whole = await openAi(apiKey).responses.create(ask, { headers });
    const streamed = await openAi(apiKey).responses.stream(ask, { headers }).finalResponse();
    return [whole, streamed].map(({ status, output_text }) => `${status}: ${output_text}`);
  },
  async 'anthropic-messages'(apiKey, run) {
    const client = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
    const ask = { model: 'm', max_tokens: 20, messages: [{ role: 'user' as const, content: 'hi' }] };
    const headers = { ...ON_LIMIT, 'x-gateway-run': run };
    const whole = await client.messages.create(ask, { headers });
    const streamed = await client.messages.stream(ask, { headers }).finalMessage();
    return [whole, streamed].map(
      ({ stop_reason, content: [part] }) => `${stop_reason}: ${part?.type === 'text' ? part.text : part?.type}`,
    );
  },
  async 'gemini-generate'(apiKey, run) {
    const httpOptions = { baseUrl: gateway.url, headers: { ...ON_LIMIT, 'x-gateway-run': run } };
    const { models } = new GoogleGenAI({ apiKey, httpOptions });
    const ask = { model: 'm', contents: 'hi', config: { maxOutputTokens: 20 } };
    const whole = await models.generateContent(ask);
    const chunks = [];
    for await (const chunk of await models.generateContentStream(ask)) chunks.push(chunk);
    const reasonOf = ({ candidates }: { candidates?: { finishReason?: string }[] }): string =>
      String(candidates?.[0]?.finishReason);
    return [
      `${reasonOf(whole)}: ${whole.text}`,
      `${reasonOf(chunks.at(-1) ?? {})}: ${chunks.map(({ text }) => text ?? '').join('')}`,
    ];
  },
};
const ENDS: Readonly<Record<string, string>> = {
  'openai-chat': 'stop',
  'openai-responses': 'completed',
  'anthropic-messages': 'end_turn',
  'gemini-generate': 'STOP',
};

describe('a limit that is told in a message', () => {
  it.each(Object.keys(READERS))(
    'is the last message of the model, for the SDK of %s, and costs nothing',
    async (format) => {
      const secret = await keyWith({ requests_per_run: 1 });
      const run = `last words in ${format}`;
      expect((await chat(secret, { 'x-gateway-run': run })).status).toBe(200);
      const asked = twin.requests.list().length;
      const said = await READERS[format]?.(secret, run);
      const text = `${ENDS[format]}: This run has made the one request that it may make. Stop and report what you have.`;
      expect(said).toEqual([text, text]);
      expect(twin.requests.list()).toHaveLength(asked);
      expect(await admin.ledger.verify()).toMatchObject({ ok: true });
    },
  );

  it.each([
    [
      { spend_per_run: 0.000002 },
      'spend_per_run',
      /^The budget of this run is used.* Stop and report what you have\.$/,
    ],
    [{ spend_per_hour: 0.000002 }, 'spend_per_hour', /^This request may cost .* Stop and report what you have\.$/],
    [{ minutes_per_run: 1 }, 'minutes_per_run', / Stop and report what you have\.$/],
  ])('%j: names the limit, and the log has the refusal', async (limits, limit, text) => {
    const secret = await keyWith(limits);
    const run = { 'x-gateway-run': `named ${limit}` };
    if (limit === 'minutes_per_run') {
      expect((await chat(secret, run)).status).toBe(200);
      now = NOON + 60_000;
    }
    const reply = await chat(secret, { ...run, ...ON_LIMIT });
    now = NOON;
    expect([reply.status, reply.headers.get('x-gateway-limit'), reply.headers.get('x-gateway-account')]).toEqual([200, limit, null]); // prettier-ignore
    const { choices, usage } = JSON.parse(reply.text) as { choices: { message: { content: string } }[]; usage: Json };
    expect(choices[0]?.message.content).toMatch(text);
    expect(usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0 });
    const logged = await admin.requests.get(reply.headers.get('x-request-id') ?? '');
    expect(logged.request).toMatchObject({
      status: 200,
      error: expect.stringMatching(/^(run_limit_reached|insufficient_quota)$/) as string,
    });
  });

  it('is an error without the word, with another word a fault of the request, and other refusals stay errors', async () => {
    const secret = await keyWith({ requests_per_run: 1 });
    const run = { 'x-gateway-run': 'plain' };
    expect((await chat(secret, { ...run, ...ON_LIMIT })).status).toBe(200);
    expect((await chat(secret, { ...run, 'x-gateway-on-limit': 'error' })).status).toBe(400);
    const wrong = await chat(secret, { ...run, 'x-gateway-on-limit': 'shout' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('x-gateway-on-limit')]);
    const hasty = await keyWith({ requests_per_minute: 1 });
    expect((await chat(hasty, { ...run, ...ON_LIMIT })).status).toBe(200);
    expect((await chat(hasty, { ...run, ...ON_LIMIT })).status).toBe(429);
    const unknown = await chat(await keyWith({ spend_per_run: 1 }), ON_LIMIT, 'openai-chat', { model: 'nobody' });
    expect(unknown.status).toBe(400);
  });

  it('is an error where nobody would read the message as one: in the background, of a conversation made short', async () => {
    const secret = await keyWith({ requests_per_run: 1 });
    const ask = async (run: string, path: string, fields: JsonObject): Promise<Reply> => {
      const reply = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          ...ON_LIMIT,
          'x-gateway-run': run,
        },
        body: JSON.stringify({ model: 'm', input: 'hi', ...fields }),
      });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    };
    for (const [path, fields] of [
      ['/v1/responses', { background: true, store: true }],
      ['/v1/responses/compact', {}],
    ] as const) {
      expect((await ask(path, '/v1/responses', { store: false })).status).toBe(200);
      const asked = twin.requests.list().length;
      const refused = await ask(path, path, fields);
      expect([refused.status, refused.headers.get('x-gateway-limit')]).toEqual([400, 'requests_per_run']);
      expect(twin.requests.list()).toHaveLength(asked);
    }
    // Where the money of the run is used, too.
    const poor = await keyWith({ spend_per_run: 0.000002 });
    const short = await fetch(`${gateway.url}/v1/responses/compact`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${poor}`,
        'content-type': 'application/json',
        ...ON_LIMIT,
        'x-gateway-run': 'poor',
      },
      body: JSON.stringify({ model: 'm', input: 'hi' }),
    });
    expect([short.status, short.headers.get('x-gateway-limit')]).toEqual([400, 'spend_per_run']);
  });

  it('is an error for sound in a chat', async () => {
    const secret = await keyWith({ requests_per_run: 1 });
    const run = { ...ON_LIMIT, 'x-gateway-run': 'spoken' };
    const fields = {
      model: 'voice',
      audio: { voice: 'alloy', format: 'mp3' },
      modalities: ['text', 'audio'],
      messages: [{ role: 'assistant', content: 'hi' }],
    };
    expect((await chat(secret, run)).status).toBe(200);
    const asked = twin.requests.list().length;
    const refused = await chat(secret, run, 'openai-chat', fields);
    expect([refused.status, refused.headers.get('x-gateway-limit')]).toEqual([400, 'requests_per_run']);
    expect(twin.requests.list()).toHaveLength(asked);
  });

  it('is kept as a response that can be gone on from', async () => {
    const secret = await keyWith({ requests_per_run: 1 });
    const ask = (run: string, fields: JsonObject = {}): Promise<Reply> =>
      chat(secret, { ...ON_LIMIT, 'x-gateway-run': run }, 'openai-responses', { store: true, ...fields });
    expect((await ask('first')).status).toBe(200);
    const { id } = JSON.parse((await ask('first')).text) as { id: string };
    const next = await ask('second', { previous_response_id: id });
    expect([next.status, next.text]).toEqual([200, expect.any(String)]);
    expect(next.headers.get('x-gateway-limit')).toBeNull();
    const [seen] = twin.requests.list().slice(-1);
    expect(JSON.stringify(seen?.json)).toContain('This run has made the one request that it may make.');
  });
});

/** A conversation in which the model has read the same file so many times. */
const ROUNDS: Readonly<Record<keyof typeof FORMATS, (times: number) => JsonObject>> = {
  'openai-chat': (times) => ({
    messages: talk(times, MESSAGES, (id) => [
      {
        role: 'assistant',
        tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: '{"path":"/a"}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'not found' },
    ]),
  }),
  'openai-responses': (times) => ({
    input: talk(times, MESSAGES, (id) => [
      { type: 'function_call', call_id: id, name: 'read_file', arguments: '{"path":"/a"}' },
      { type: 'function_call_output', call_id: id, output: 'not found' },
    ]),
  }),
  'anthropic-messages': (times) => ({
    messages: talk(times, MESSAGES, (id) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read_file', input: { path: '/a' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'not found' }] },
    ]),
  }),
  'gemini-generate': (times) => ({
    contents: talk(times, [{ role: 'user', parts: [{ text: 'hi' }] }], () => [
      { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { path: '/a' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'not found' } } }] },
    ]),
  }),
};

function talk(times: number, begin: readonly Json[], round: (id: string) => readonly Json[]): Json[] {
  return [...begin, ...Array.from({ length: times }, (_, at) => round(`call_${at}`)).flat()];
}

describe('a run in a loop', () => {
  it.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])(
    'that makes the same call again and again is told to stop, in the format %s',
    async (format) => {
      const [secret, free] = [await keyWith({ repeated_calls_per_run: 3 }), await keyWith({ requests_per_run: 9 })];
      expect((await chat(secret, {}, format, ROUNDS[format](3))).status).toBe(200);
      const refused = await chat(secret, {}, format, ROUNDS[format](4));
      expect(refused.status).toBe(400);
      const { error } = JSON.parse(refused.text) as { error: { message: string } };
      expect(error.message).toContain(
        'The same call of `read_file` was made 4 times with the same arguments and the same result. Stop and report what you have.',
      );
      expect(refused.headers.get('x-gateway-limit')).toBe('repeated_calls_per_run');
      expect(refused.headers.get('x-should-retry')).toBe('false');
      expect((await chat(free, {}, format, ROUNDS[format](4))).status).toBe(200);
    },
  );

  it('that asks the same again and again, and is answered, is told to stop until it asks something else', async () => {
    const secret = await keyWith({ repeated_calls_per_run: 2 });
    const run = { 'x-gateway-run': 'same' };
    const statuses = async (...fields: readonly JsonObject[]): Promise<readonly number[]> => {
      const found: number[] = [];
      for (const each of fields) found.push((await chat(secret, run, 'openai-chat', each)).status);
      return found;
    };
    expect(await statuses({}, {}, {}, {})).toEqual([200, 200, 400, 400]);
    expect((await chat(secret, run)).text).toContain(
      'The same request was answered 2 times in this run. Stop and report what you have.',
    );
    expect((await chat(secret, { 'x-gateway-run': 'another' })).status).toBe(200);
    expect(await statuses({ seed: 1 }, {}, { seed: 1 }, {}, {}, {})).toEqual([200, 200, 200, 200, 200, 400]);
  });

  it('is no repetition after errors or broken streams, of a kept answer, or of clients without a run', async () => {
    const secret = await keyWith({ repeated_calls_per_run: 1 });
    const run = { 'x-gateway-run': 'retries' };
    twin.faults.next('openai', 'chat', { kind: 'status', status: 400 });
    expect((await chat(secret, run)).status).toBe(400);
    const stream = { stream: true };
    twin.faults.next('openai', 'chat', { kind: 'cut', afterEvents: 3 });
    const cut = await chat(secret, run, 'openai-chat', stream).catch(() => undefined);
    expect(cut?.text ?? '').not.toContain('[DONE]');
    expect((await chat(secret, run, 'openai-chat', stream)).text).toContain('[DONE]');
    expect((await chat(secret, run, 'openai-chat', stream)).headers.get('x-gateway-limit')).toBe(
      'repeated_calls_per_run',
    );
    const kept = { ...run, 'idempotency-key': 'once' };
    for (let time = 0; time < 3; time++) expect((await chat(secret, kept)).status).toBe(200);
    for (let time = 0; time < 3; time++) expect((await chat(secret)).status).toBe(200);
  });

  it('counts no tokens: counting them again is no loop', async () => {
    const secret = await keyWith({ repeated_calls_per_run: 1 });
    for (let time = 0; time < 3; time++) {
      const reply = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'x-gateway-run': 'count' },
        body: JSON.stringify({ model: 'm', messages: MESSAGES }),
      });
      expect(reply.status).toBe(200);
    }
  });
});
