/** Guardrails over the running gateway: all four formats, whole and streamed, to vendors of the same wire and of another one. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import OpenAI from 'openai';
import { pino } from 'pino';

const MAIL = 'ann.lee@example.com';
const CARD = '4111 1111 1111 1111';
const VENDORS = { openai: 'openai-chat', anthropic: 'anthropic-messages', gemini: 'gemini-generate' } as const;
const MODELS = { openai: 'gpt-5.2', anthropic: 'claude-sonnet-5', gemini: 'gemini-2.0-flash' } as const;

let twin: VendorTwin;
let gateway: TestGateway;
let said = '';

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const accounts = Object.keys(VENDORS).map((name, index) => {
    const vendor = name as keyof typeof VENDORS;
    return `  - { id: ${index + 1}, name: ${vendor}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }`;
  });
  const models = ['masked', 'sent', 'refused', 'watched', 'stopped', 'free'].flatMap((use) =>
    Object.entries(VENDORS).map(
      ([vendor, dialect]) =>
        `  - { code: ${use}-${vendor}, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: ${vendor}, model: ${MODELS[vendor as keyof typeof MODELS]}, dialect: ${dialect} }], price: { input: 1, output: 10 } }`,
    ),
  );
  const log = pino(
    new Writable({
      write(chunk, _encoding, done) {
        said += String(chunk);
        done();
      },
    }),
  );
  gateway = await openTestGateway({
    twin,
    log,
    keys: `  - { name: guarded-key, key: sk-live-guarded-0123456789abcdef, owner: 1, group: careful }`,
    yaml: `extends: none
groups: { careful: { factor: 1 } }
accounts:
${accounts.join('\n')}
  - { id: 9, name: cut, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' }, on_disconnect: abort }
models:
  - { code: stopped-at-once, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: cut, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: 10 } }
${models.join('\n')}
guardrails:
  - { name: personal, mode: mask, on: [answer], models: ['masked-*'], detect: [email, credit_card] }
  - { name: outgoing, mode: mask, on: [request], models: ['sent-*'], detect: [email, credit_card], words: [Project Blue] }
  - { name: no-keys, mode: refuse, on: [request], models: ['refused-*'], detect: [api_key, private_key] }
  - { name: curious, mode: observe, models: ['watched-*'], patterns: [{ name: ticket, pattern: 'INC-[0-9]{6}' }] }
  - { name: not-out, mode: refuse, on: [answer], models: ['stopped-*'], words: [falcon] }
  - { name: by-key, mode: refuse, on: [request], keys: ['guarded-*'], words: [kestrel] }
  - { name: by-group, mode: refuse, on: [request], groups: [careful], words: [merlin] }
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

interface Format {
  readonly path: (model: string, stream: boolean) => string;
  readonly body: (model: string, text: string, stream: boolean) => JsonObject;
}
const FORMATS: Readonly<Record<string, Format>> = {
  'openai-chat': {
    path: () => '/v1/chat/completions',
    body: (model, text, stream) => ({ model, stream, messages: [{ role: 'user', content: text }] }),
  },
  'openai-responses': {
    path: () => '/v1/responses',
    body: (model, text, stream) => ({ model, stream, input: text }),
  },
  'anthropic-messages': {
    path: () => '/v1/messages',
    body: (model, text, stream) => ({ model, stream, max_tokens: 500, messages: [{ role: 'user', content: text }] }),
  },
  'gemini-generate': {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

async function ask(format: string, model: string, text: string, stream = false, key = gateway.liveKey) {
  const { path, body } = FORMATS[format] as Format;
  const reply = await fetch(gateway.url + path(model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body(model, text, stream)),
  });
  return { status: reply.status, text: await reply.text(), guardrails: reply.headers.get('x-gateway-guardrails') };
}

/** All pieces of text in a stream, joined: what a person reads. */
function spokenIn(stream: string): string {
  const texts = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '{}']) => {
    const event = JSON.parse(data) as {
      delta?: string | { text?: string };
      choices?: { delta: { content?: string } }[];
      candidates?: { content?: { parts?: { text?: string }[] } }[];
    };
    if (typeof event.delta === 'string') return event.delta;
    return (
      event.delta?.text ??
      event.choices?.[0]?.delta.content ??
      event.candidates?.[0]?.content?.parts?.map(({ text = '' }) => text).join('') ??
      ''
    );
  });
  return texts.join('');
}

const crossings = Object.keys(FORMATS).flatMap((format) =>
  Object.keys(VENDORS).flatMap((vendor) => [true, false].map((stream) => ({ format, vendor, stream }))),
);

describe.each(crossings)('$format from $vendor, streamed: $stream', ({ format, vendor, stream }) => {
  it('an answer is masked', async () => {
    const { status, text, guardrails } = await ask(
      format,
      `masked-${vendor}`,
      `I am ${MAIL}, my card is ${CARD}.`,
      stream,
    );
    expect(status).toBe(200);
    expect(text).not.toMatch(/ann\.lee|example\.com|4111/);
    expect(stream ? spokenIn(text) : text).toContain('I am [email], my card is [credit_card]');
    if (!stream) expect(guardrails).toBe('personal: masked in answer (email credit_card)');
  });

  it('a request is masked before its vendor has it', async () => {
    const { status, text, guardrails } = await ask(format, `sent-${vendor}`, `${MAIL} about project blue`, stream);
    expect(status).toBe(200);
    expect(twin.requests.last(vendor as keyof typeof VENDORS)?.body).toContain('[email] about [word]');
    expect(twin.requests.last(vendor as keyof typeof VENDORS)?.body).not.toContain(MAIL);
    expect(stream ? spokenIn(text) : text).toContain('[email] about [word]');
    expect(guardrails).toBe('outgoing: masked in request (email word)');
  });

  it('a request is refused in the words of its format, and nobody is asked', async () => {
    const asked = twin.requests.list().length;
    const { status, text, guardrails } = await ask(
      format,
      `refused-${vendor}`,
      'use AKIAIOSFODNN7EXAMPLE please',
      stream,
    );
    expect(status).toBe(400);
    expect(text).toContain("refused by the guardrail 'no-keys'");
    expect(text).not.toContain('AKIA');
    expect(guardrails).toBe('no-keys: refused in request (api_key)');
    expect(twin.requests.list()).toHaveLength(asked);
  });

  it('an answer is refused', async () => {
    const { status, text } = await ask(format, `stopped-${vendor}`, 'the quick falcon flies home', stream);
    expect(status).toBe(stream ? 200 : 400);
    expect(text).toContain("refused by the guardrail 'not-out'");
    expect(text).not.toMatch(/falcon|flies/);
  });
});

it('a refused stream whose vendor is left at once ends with the refusal, and is charged for what was said', async () => {
  const { text, status } = await ask(
    'openai-chat',
    'stopped-at-once',
    `the quick falcon ${'flies on '.repeat(300)}`,
    true,
  );
  expect(status).toBe(200);
  expect(text).toContain("refused by the guardrail 'not-out'");
  expect(text).not.toContain('flies');
  await gateway.server.own.flush();
  const [entry] = await gateway.server.parts.store.ledger.entries({ ownerId: 1, order: 'newest', limit: 1 });
  expect(entry).toMatchObject({ model: 'stopped-at-once', kind: 'capture' });
});

it('what is observed is told, and stays as it is', async () => {
  const plain = await ask('openai-chat', 'watched-openai', 'about INC-123456');
  expect(plain.text).toContain('INC-123456');
  expect(plain.guardrails).toBe('curious: seen in request (ticket), curious: seen in answer (ticket)');
  const streamed = await ask('openai-chat', 'watched-openai', 'about INC-123456', true);
  expect(spokenIn(streamed.text)).toContain('INC-123456');
});

it('a model without guardrails is left alone', async () => {
  const { text, guardrails } = await ask('openai-chat', 'free-openai', `${MAIL} falcon`);
  expect(text).toContain(`${MAIL} falcon`);
  expect(guardrails).toBeNull();
});

it('one of a key or a group is for them alone', async () => {
  const key = 'sk-live-guarded-0123456789abcdef';
  for (const word of ['kestrel', 'merlin']) {
    expect((await ask('openai-chat', 'free-openai', word, false, key)).status).toBe(400);
    expect((await ask('openai-chat', 'free-openai', word)).status).toBe(200);
  }
});

it('the log names guardrails and what was found, never the text', async () => {
  await ask('openai-chat', 'masked-openai', `I am ${MAIL}`);
  expect(said).toContain('"guardrail":"personal","stage":"answer","mode":"mask","found":{"email":1}');
  expect(said).not.toMatch(/ann\.lee|4111 1111|AKIA/);
});

it('instructions, earlier turns, results and arguments of tools are looked through, and what tools are for; pictures are not', async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  await openai.chat.completions.create({
    model: 'sent-openai',
    messages: [
      { role: 'system', content: `Serve ${MAIL}.` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"card":4111111111111111}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: `paid by ${MAIL}` },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'image_url', image_url: { url: `https://example.com/${MAIL}.png` } },
        ],
      },
    ],
    tools: [
      { type: 'function', function: { name: 'pay', description: `Ask ${MAIL}`, parameters: { type: 'object' } } },
    ],
  });
  const { messages, tools } = twin.requests.last('openai')?.json as { messages: JsonObject[]; tools: JsonObject[] };
  expect(JSON.stringify(messages.slice(0, 3))).not.toContain(MAIL);
  expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"card":0}' } }] });
  expect(JSON.stringify([messages[3], tools])).toMatch(
    /ann\.lee@example\.com\.png.*"name":"pay","description":"Ask \[email\]"/,
  );
});

it('tokens are counted of what would be sent', async () => {
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
  await anthropic.messages.countTokens({
    model: 'sent-anthropic',
    messages: [{ role: 'user', content: `I am ${MAIL}` }],
  });
  expect(twin.requests.last('anthropic')?.body).toContain('I am [email]');
});

it('the SDK reads a masked stream, and an error where one is refused', async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  const read = async (model: string, content: string): Promise<string> => {
    const stream = openai.responses.stream({ model, input: content });
    return (await stream.finalResponse()).output_text;
  };
  expect(await read('masked-openai', `I am ${MAIL}`)).toContain('I am [email]');
  await expect(read('stopped-anthropic', 'a falcon')).rejects.toThrow(/not-out/);
});

describe('operators', () => {
  const admin = async (method: string, path: string, body?: object): Promise<{ status: number; body: JsonObject }> => {
    const reply = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as JsonObject };
  };
  const asked = (): number => twin.requests.list().length;

  it('see which there are, and what of them looks for what', async () => {
    const { body } = await admin('GET', '/admin/guardrails');
    expect(body['data']).toHaveLength(7);
    expect(body['data']).toContainEqual({
      ...{ object: 'guardrail', name: 'outgoing', mode: 'mask', stages: ['request'], models: ['sent-*'] },
      ...{ keys: [], groups: [], detect: ['email', 'credit_card'], patterns: [], words: 1, judge: null },
    });
  });

  it.each([
    {
      name: 'masked',
      body: { text: `to ${MAIL}: Project Blue`, model: 'sent-openai' },
      outcome: 'masked',
      text: 'to [email]: [word]',
      found: [['outgoing', 'masked', ['email', 'word']]],
    },
    {
      name: 'the answer of that model is not looked at',
      body: { text: MAIL, model: 'sent-openai', stage: 'answer' },
      outcome: 'passed',
      text: MAIL,
      found: [],
    },
    {
      name: 'a model without any',
      body: { text: MAIL, model: 'free-openai' },
      outcome: 'passed',
      text: MAIL,
      found: [],
    },
    {
      name: 'by the key',
      body: { text: 'a kestrel', model: 'free-openai', key: 'guarded-key' },
      outcome: 'refused',
      text: null,
      found: [['by-key', 'refused', ['word']]],
    },
    {
      name: 'by the group',
      body: { text: 'no merlin: INC-123456', model: 'watched-openai', group: 'careful' },
      outcome: 'refused',
      text: null,
      found: [
        ['curious', 'observed', ['ticket']],
        ['by-group', 'refused', ['word']],
      ],
    },
    {
      name: 'observed',
      body: { text: 'INC-123456', model: 'watched-gemini' },
      outcome: 'observed',
      text: 'INC-123456',
      found: [['curious', 'observed', ['ticket']]],
    },
  ])('try a text, and nothing is sent: $name', async ({ body, outcome, text, found }) => {
    // prettier-ignore
    const before = asked();
    const trial = (await admin('POST', '/admin/guardrails/test', body)).body;
    const all = trial['guardrails'] as unknown as { name: string; outcome: string; found: { label: string }[] }[];
    expect(trial).toMatchObject({ outcome, text });
    expect(all.map((each) => [each.name, each.outcome, each.found.map(({ label }) => label)])).toEqual(found);
    expect(asked()).toBe(before);
  });

  it('refuses no text at all, and one that is too long', async () => {
    for (const text of ['', 'x'.repeat(20_001)])
      expect((await admin('POST', '/admin/guardrails/test', { text })).status).toBe(400);
  });

  it('the log of requests says what they found, also in what they refused', async () => {
    const { path, body } = FORMATS['openai-chat'] as Format;
    const send = (model: string, text: string) =>
      fetch(gateway.url + path(model, false), {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body(model, text, false)),
      }).then(async (reply) => {
        await reply.text();
        return reply.headers.get('x-request-id') ?? '';
      });
    const masked = await send('sent-openai', `to ${MAIL}`);
    const refused = await send('refused-openai', 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789');
    const plain = await send('free-openai', 'hello');
    const found = async (id: string) => (await admin('GET', `/admin/requests/${id}`)).body['request'] as JsonObject;
    expect(await found(masked)).toMatchObject({ guardrails: ['outgoing: masked in request (email)'] });
    expect(await found(refused)).toMatchObject({ guardrails: ['no-keys: refused in request (api_key)'], error: 'content_refused' }); // prettier-ignore
    expect(await found(plain)).toMatchObject({ guardrails: [], error: null });
  });
});
