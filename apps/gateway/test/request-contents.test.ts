/** Prompts and answers that are kept with the log of requests: who sees them, what is in them, and for how long. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContentSweeper } from '@model-gateway/core';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import { readConfig } from '../src/config/config.ts';
import { openRequestContents } from '../src/server/request-contents.ts';

const KEPT = 'sk-live-kept-0123456789abcdefgh';
const KEPT_TEST = 'sk-test-kept-0123456789abcdefgh';
const STRANGER = 'sk-live-kept-stranger-0123456789';
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwx';
const YAML = `requests: { log: bodies, body_limit: 2000, bodies_keep_days: 3 }
security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
guardrails: [{ name: projects, mode: observe, patterns: [{ name: project, pattern: 'PRJ-[0-9]{4}' }] }]
groups: { default: { factor: 1 } }`;
const KEYS = [
  `  - { name: kept, key: ${KEPT}, owner: 1, keep_bodies: true }`,
  `  - { name: kept-test, key: ${KEPT_TEST}, owner: 1, keep_bodies: true }`,
  `  - { name: kept-stranger, key: ${STRANGER}, owner: 2, keep_bodies: true }`,
].join('\n');

interface Content {
  readonly messages: readonly { role: string; text: string }[];
  readonly request: unknown;
  readonly answer: unknown;
  readonly cut: boolean;
  readonly kept_until: string;
  readonly fault: string | null;
}

let gateway: TestGateway;
let database: TestDatabase;
let time = Date.now();
beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  gateway = await openTestGateway({ yaml: YAML, keys: KEYS, databaseUrl: database.url, clock: () => time });
});
afterAll(async () => {
  await gateway.close();
  await database.close();
});

const authorized = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

async function send(path: string, body: object, key = KEPT): Promise<string> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: authorized(key),
    body: JSON.stringify(body),
  });
  await reply.arrayBuffer();
  return reply.headers.get('x-request-id') ?? '';
}

async function read(path: string, key: string): Promise<{ status: number; content: Content | null }> {
  const reply = await fetch(`${gateway.url}${path}`, { headers: authorized(key) });
  const { content = null } = (await reply.json()) as { content?: Content | null };
  return { status: reply.status, content };
}

async function contentOf(id: string, key = KEPT): Promise<Content> {
  const { status, content } = await read(`/v1/requests/${id}`, key);
  expect(status).toBe(200);
  if (content === null) throw new Error('nothing was kept');
  return content;
}

const PROMPT = 'Tell me about the harbour of PRJ-1234.';
const ASKED = { model: 'gpt-5.2', messages: [{ role: 'user', content: PROMPT }] };

describe('what was asked and answered', () => {
  it.each([
    ['openai-chat', '/v1/chat/completions', { ...ASKED }],
    ['openai-chat, streamed', '/v1/chat/completions', { ...ASKED, stream: true }],
    ['openai-responses', '/v1/responses', { model: 'gpt-5.2', instructions: 'Be brief.', input: PROMPT }],
    ['openai-responses, streamed', '/v1/responses', { model: 'gpt-5.2', input: PROMPT, stream: true, store: false }],
    ['anthropic-messages', '/v1/messages', { ...ASKED, max_tokens: 99 }],
    ['anthropic-messages, streamed', '/v1/messages', { ...ASKED, max_tokens: 99, stream: true }],
    ['gemini-generate', '/v1beta/models/gpt-5.2:generateContent', { contents: [{ parts: [{ text: PROMPT }] }] }],
    ['gemini-generate, streamed', '/v1beta/models/gpt-5.2:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: PROMPT }] }] }], // prettier-ignore
    ['gemini-generate, in pieces', '/v1beta/models/gpt-5.2:streamGenerateContent', { contents: [{ parts: [{ text: PROMPT }] }] }], // prettier-ignore
  ])('is kept: %s', async (_, path, body) => {
    const content = await contentOf(await send(path, body));
    const texts = content.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(texts.at(-2)).toBe('user: Tell me about the harbour of [project].');
    expect(texts.at(-1)).toMatch(/^assistant: .+/);
    expect(content).toMatchObject({ cut: false, fault: null });
  });
});

describe('what is kept of it', () => {
  it('has no secrets: neither those of the words nor the key that came in a header, in no byte of the database', async () => {
    const words = `My key is ${SECRET}, mail me at jane.doe@example.com, and I am ${KEPT}.`;
    const id = await send('/v1/chat/completions', {
      ...{ model: 'gpt-5.2', stream: true, user: 'john@example.com', metadata: { card: '4111 1111 1111 1111' } },
      messages: [{ role: 'user', content: words }],
    });
    const { request, answer } = await contentOf(id);
    expect(request).toMatchObject({
      user: '[email]',
      metadata: { card: '[credit_card]' },
      messages: [{ content: 'My key is [api_key], mail me at [email], and I am [api_key].' }],
    });
    expect(JSON.stringify(answer)).toContain('mail me at [email]');
    const file = database.url.replace(/^sqlite:/, '');
    const bytes = Buffer.concat([file, `${file}-wal`].map((name) => readFileSync(name)));
    expect(bytes.includes('harness-live')).toBe(true);
    for (const word of [SECRET, 'jane.doe', 'mail me at', '[email]', 'the harbour', KEPT])
      expect([word, bytes.includes(word)]).toEqual([word, false]);
  });

  it('is cut where it is too long: the newest messages are kept, and no half of a secret', async () => {
    // The key goes over the place of the cut.
    const long = `${'word '.repeat(386)}${SECRET} ${'word '.repeat(9_000)}`;
    const messages = [...Array.from({ length: 50 }, (_, at) => ({ role: 'user', content: `old ${at}` })), { role: 'user', content: long }]; // prettier-ignore
    const { request, cut, messages: shown } = await contentOf(await send('/v1/chat/completions', { model: 'gpt-5.2', messages })); // prettier-ignore
    const text = JSON.stringify(request);
    expect(cut).toBe(true);
    expect(text.length).toBeLessThan(2_500);
    expect(text).not.toContain('sk-proj');
    expect(text).toMatch(/word \[cut: \d+ characters\]/);
    expect(text).toContain('[cut: 50 earlier ones]');
    expect(shown[0]).toEqual({ role: 'note', text: '[cut: 50 earlier ones]' });
  });

  it('has media as their type and size', async () => {
    const png = Buffer.alloc(3_000, 1).toString('base64');
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
    const shown = await contentOf(
      await send('/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }] }), // prettier-ignore
    );
    expect(shown).toMatchObject({
      cut: false,
      request: {
        messages: [{ content: [{ text: 'What is it?' }, { image_url: { url: '[image/png, 3000 bytes]' } }] }],
      },
    });
    const source = { type: 'base64', media_type: 'image/png', data: Buffer.alloc(90, 1).toString('base64') };
    const message = { role: 'user', content: [{ type: 'image', source }] };
    const other = await contentOf(await send('/v1/messages', { model: 'gpt-5.2', max_tokens: 9, messages: [message] }));
    expect(JSON.stringify(other.request)).toContain('"data":"[image/png, 90 bytes]"');
  });

  it('is there for other kinds: bodies without their media', async () => {
    const speech = await contentOf(await send('/v1/audio/speech', { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Say it.' })); // prettier-ignore
    expect(speech).toMatchObject({ messages: [], request: { input: 'Say it.' } });
    expect(speech.answer).toMatch(/^\[audio\/\w+, \d+ bytes\]$/);
    const vectors = await contentOf(
      await send('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Say it.' }),
    );
    expect(vectors).toMatchObject({ answer: { data: [{ embedding: expect.stringMatching(/^\[\d+ numbers\]$/) }] } });
  });

  it('is there for what was refused', async () => {
    const refused = await contentOf(await send('/v1/chat/completions', { model: 'gpt-5.2', messages: 'hello' }));
    expect(refused).toMatchObject({ request: { messages: 'hello' }, answer: { error: { message: expect.any(String) } } }); // prettier-ignore
  });

  it('is what came until the caller left', async () => {
    const stop = new AbortController();
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: authorized(KEPT),
      body: JSON.stringify({
        ...ASKED,
        stream: true,
        messages: [{ role: 'user', content: 'a long story '.repeat(400) }],
      }),
      signal: stop.signal,
    });
    const reader = reply.body?.getReader();
    await reader?.read();
    stop.abort();
    await reader?.read().catch(() => undefined);
    const id = reply.headers.get('x-request-id') ?? '';
    const isThere = async (): Promise<boolean> => (await read(`/v1/requests/${id}`, KEPT)).content !== null;
    while (!(await isThere()));
    const { answer } = await contentOf(id);
    expect(answer).toMatchObject({ object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] });
  });
});

describe('who may read it', () => {
  it('is its owner in its mode, and an operator, who leaves a line in the audit log', async () => {
    const ids = {
      [KEPT]: await send('/v1/chat/completions', ASKED, KEPT),
      [KEPT_TEST]: await send('/v1/chat/completions', ASKED, KEPT_TEST),
      [STRANGER]: await send('/v1/chat/completions', ASKED, STRANGER),
    };
    for (const [owner, id] of Object.entries(ids))
      for (const reader of [KEPT, KEPT_TEST, STRANGER]) {
        const { status, content } = await read(`/v1/requests/${id}`, reader);
        expect([owner, reader, status]).toEqual([owner, reader, owner === reader ? 200 : 404]);
        expect(content !== null).toBe(owner === reader);
      }
    // Another key of the same owner and mode sees what that owner sees.
    expect((await read(`/v1/requests/${ids[KEPT]}`, gateway.liveKey)).content).not.toBeNull();
    expect((await read(`/admin/requests/${ids[KEPT]}`, KEPT)).status).toBe(401);
    const audit = async (): Promise<readonly { action: string; subject: string }[]> => {
      const reply = await fetch(`${gateway.url}/admin/audit?action=request.read`, { headers: authorized(gateway.adminKey) }); // prettier-ignore
      return ((await reply.json()) as { data: { action: string; subject: string }[] }).data;
    };
    expect(await audit()).toEqual([]);
    expect((await read(`/admin/requests/${ids[STRANGER]}`, gateway.adminKey)).content).not.toBeNull();
    expect(await audit()).toMatchObject([
      { subject: `request ${ids[STRANGER]}`, after: { owner_id: 2, mode: 'live' } },
    ]);
    // Where nothing was kept nothing was read.
    const plain = await send('/v1/chat/completions', ASKED, gateway.liveKey);
    expect(await read(`/admin/requests/${plain}`, gateway.adminKey)).toEqual({ status: 200, content: null });
    expect(await audit()).toHaveLength(1);
  });

  it('is nobody when its time is over', async () => {
    const id = await send('/v1/chat/completions', ASKED);
    const { kept_until: until } = await contentOf(id);
    expect(Date.parse(until) - time).toBe(3 * 86_400_000);
    time += 3 * 86_400_000;
    expect(await read(`/v1/requests/${id}`, KEPT)).toEqual({ status: 200, content: null });
    const { requests } = gateway.server.parts.store;
    const place = { id, at: time - 3 * 86_400_000 };
    expect(await requests.content(place)).toBeDefined();
    const sweeper = createContentSweeper({ store: requests, now: () => time + 1, log: pino({ level: 'silent' }), keepMs: 3 * 86_400_000 }); // prettier-ignore
    await sweeper.sweep();
    await sweeper.stop();
    expect(await requests.content(place)).toBeUndefined();
    // The row of the request stays for its own time.
    expect((await read(`/v1/requests/${id}`, KEPT)).status).toBe(200);
  });
});

describe('where nothing is to be kept', () => {
  const opened = async (log: 'metadata' | 'bodies', keys: readonly string[]): Promise<boolean> => {
    await using resources = new AsyncDisposableStack();
    const { store, catalogue, meter } = gateway.server.parts;
    const config = { requests: { log, keepDays: 30, bodiesKeepDays: 7, bodyLimit: 10 }, encryptionKeys: keys };
    const parts = { config, store, catalogue, meter, now: () => time, log: pino({ level: 'silent' }) };
    return openRequestContents(resources, parts).listen !== undefined;
  };
  const KEY = Buffer.alloc(32, 7).toString('base64');

  it('nobody listens', async () => {
    expect(await opened('metadata', [KEY])).toBe(false);
    expect(await opened('bodies', [])).toBe(false);
    expect(await opened('bodies', [KEY])).toBe(true);
  });

  it('a key of the admin API keeps when it is told to, and no longer', async () => {
    const call = async (method: string, path: string, body?: object): Promise<{ key: { id: number; keep_bodies: boolean }; secret: string; keep_bodies: boolean }> => // prettier-ignore
      (await (await fetch(`${gateway.url}${path}`, { method, headers: authorized(gateway.adminKey), ...(body !== undefined && { body: JSON.stringify(body) }) })).json()) as never; // prettier-ignore
    const { key, secret } = await call('POST', '/admin/keys', { name: 'keeps-nothing', owner_id: 1 });
    expect(key.keep_bodies).toBe(false);
    const before = await send('/v1/chat/completions', ASKED, secret);
    expect((await call('PATCH', `/admin/keys/${key.id}`, { keep_bodies: true })).keep_bodies).toBe(true);
    const after = await send('/v1/chat/completions', ASKED, secret);
    expect((await call('POST', `/admin/keys/${key.id}/rotate`, {})).key.keep_bodies).toBe(true);
    expect((await read(`/v1/requests/${before}`, secret)).content).toBeNull();
    expect((await read(`/v1/requests/${after}`, secret)).content).not.toBeNull();
  });

  it('a configuration that would keep them in the clear, or too long, is a fault with its place', () => {
    const faultsOf = (yaml: string, env: Record<string, string> = {}): string => {
      const file = join(mkdtempSync(join(tmpdir(), 'model-gateway-test-')), 'gateway.yaml');
      writeFileSync(file, yaml);
      try {
        readConfig({ GATEWAY_CONFIG: file, ...env });
        return '';
      } catch (error) {
        return String(error);
      }
    };
    const postgres = { DATABASE_URL: 'postgres://127.0.0.1:1/gateway' };
    expect(faultsOf('requests: { log: bodies }', postgres)).toMatch(
      /requests\.log: 'bodies' needs security\.encryption_key .*gateway\.yaml:1:13/,
    );
    expect(faultsOf('requests: { log: bodies }', { ...postgres, GATEWAY_ENCRYPTION_KEY: KEY })).toBe('');
    // The gateway makes one.
    expect(faultsOf('requests: { log: bodies }')).toBe('');
    expect(faultsOf('requests: { keep_days: 3, bodies_keep_days: 4 }')).toContain(
      'requests.bodies_keep_days: expected no more than requests.keep_days, which is 3',
    );
  });
});
