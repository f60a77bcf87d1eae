/** One Idempotency-Key: one vendor call, one charge, equal bytes; in parallel, over replicas, across a restart and after kill -9. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '@model-gateway/core';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import fc from 'fast-check';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let twin: VendorTwin;
let database: TestDatabase;
let gateway: TestGateway;
let requests = 0;

const open = (): Promise<TestGateway> =>
  openTestGateway({
    twin,
    databaseUrl: database.url,
    keys: '  - { name: limited, key: sk-test-limited-0123456789, owner: 3, limits: { requests_per_minute: 2 } }',
  });

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  database = await openTestDatabase('sqlite');
  gateway = await open();
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
  await database.close();
});

interface Asked {
  readonly path: string;
  readonly body: object | (() => FormData);
  readonly key?: string;
  readonly on?: TestGateway;
  readonly signal?: AbortSignal;
}
interface Told {
  readonly status: number;
  readonly type: string;
  readonly bytes: string;
  readonly replayed: boolean;
  readonly headers: Headers;
}
async function ask(
  idempotencyKey: string | undefined,
  { path, body, key, on = gateway, signal }: Asked,
): Promise<Told> {
  const form = typeof body === 'function';
  const reply = await fetch(`${on.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key ?? on.testKey}`,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(!form && { 'content-type': 'application/json' }),
    },
    body: form ? (body as () => FormData)() : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
  const bytes = Buffer.from(await reply.arrayBuffer()).toString('base64');
  const { headers, status } = reply;
  return {
    status,
    bytes,
    headers,
    type: headers.get('content-type') ?? '',
    replayed: headers.get('idempotent-replayed') === 'true',
  };
}
const freshKey = (): string => `once-${++requests}-${Math.random()}`;

/** Charges of chat and media, when all of them are written. */
async function charges(of: readonly TestGateway[] = [gateway]): Promise<readonly LedgerEntry[]> {
  // A charge too many may come late.
  await new Promise((resolve) => setTimeout(resolve, 300));
  // Each has charges that it has not written yet.
  for (const { server } of of) await server.own.flush();
  return (await of[0]!.server.parts.store.ledger.entries({ kind: 'capture', limit: 100_000 })).filter(
    ({ taskId }) => taskId === undefined,
  );
}
const vendorCalls = (): number => twin.ledger.totals().answers;

const say = (text: string) => [{ role: 'user', content: text }];
const KINDS: readonly (Asked & { readonly name: string })[] = [
  { name: 'chat completions', path: '/v1/chat/completions', body: { model: 'gpt-5.2', messages: say('Hello') } },
  {
    name: 'chat completions, streamed',
    path: '/v1/chat/completions',
    body: { model: 'gpt-5.2', stream: true, messages: say('[[twin:long=40]]') },
  },
  { name: 'responses', path: '/v1/responses', body: { model: 'gpt-5.2', input: 'Hello' } },
  {
    name: 'messages, streamed over a translation',
    path: '/v1/messages',
    body: { model: 'gpt-5.2', max_tokens: 200, stream: true, messages: say('[[twin:long=40]]') },
  },
  {
    name: 'generateContent as an array',
    path: '/v1beta/models/gemini-3.1-pro:streamGenerateContent',
    body: { contents: [{ role: 'user', parts: [{ text: '[[twin:long=40]]' }] }] },
  },
  {
    name: 'pictures',
    path: '/v1/images/generations',
    body: { model: 'doubao-seedream-4-5', prompt: 'A lighthouse', size: '2k' },
  },
  {
    name: 'speech',
    path: '/v1/audio/speech',
    body: { model: 'mimo-v2.5-tts', input: 'Good evening.', voice: 'Mia', response_format: 'wav' },
  },
  {
    name: 'an edit, with a new boundary for every try',
    path: '/v1/images/edits',
    body: () => {
      const form = new FormData();
      form.set('model', 'gpt-image-2');
      form.set('prompt', 'Paint the boat red');
      form.set('image', new Blob([PIXEL], { type: 'image/png' }), 'boat.png');
      return form;
    },
  },
];

describe.each(KINDS)('$name', (kind) => {
  it('in parallel, afterwards and across a restart: one vendor call, one charge, equal bytes', async () => {
    const key = freshKey();
    const [callsBefore, chargesBefore] = [vendorCalls(), (await charges()).length];
    const parallel = await Promise.all(Array.from({ length: 12 }, () => ask(key, kind)));
    const again = [await ask(key, kind), await ask(key, kind)];
    await gateway.close();
    gateway = await open();
    const later = await Promise.all(Array.from({ length: 5 }, () => ask(key, kind)));
    const all = [...parallel, ...again, ...later];
    const first = all.filter(({ replayed }) => !replayed);
    expect(first).toHaveLength(1);
    expect(first[0]!.status).toBe(200);
    expect(Buffer.from(first[0]!.bytes, 'base64').length).toBeGreaterThan(20);
    for (const each of all) expect(each).toMatchObject({ status: 200, bytes: first[0]!.bytes, type: first[0]!.type });
    expect(later[0]!.headers.get('x-gateway-account')).toBe(first[0]!.headers.get('x-gateway-account'));
    expect(vendorCalls() - callsBefore).toBe(1);
    expect((await charges()).length - chargesBefore).toBe(1);
  });
});

it('1 to 50 repetitions of any kind, in parallel and again across a restart: one vendor call, one charge, equal bytes', async () => {
  const chats = KINDS.slice(0, 5);
  const asked: { readonly key: string; readonly kind: Asked; readonly times: number; readonly bytes: string }[] = [];
  const [callsBefore, chargesBefore] = [vendorCalls(), (await charges()).length];
  await fc.assert(
    fc.asyncProperty(
      fc.nat(chats.length - 1),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(5),
      async (which, times, gap) => {
        const [key, calls, kind] = [freshKey(), vendorCalls(), chats[which]!];
        const answers = await Promise.all(
          Array.from({ length: times }, async (_, index) => {
            await new Promise((resolve) => setTimeout(resolve, index * gap));
            return ask(key, kind);
          }),
        );
        expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
        expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
        expect(vendorCalls() - calls).toBe(1);
        asked.push({ key, kind, times, bytes: answers[0]!.bytes });
      },
    ),
    { numRuns: 12 },
  );
  await gateway.close();
  gateway = await open();
  for (const { key, kind, times, bytes } of asked) {
    const again = await Promise.all(Array.from({ length: times }, () => ask(key, kind)));
    for (const each of again) expect(each).toMatchObject({ status: 200, replayed: true, bytes });
  }
  expect(vendorCalls() - callsBefore).toBe(asked.length);
  expect((await charges()).length - chargesBefore).toBe(asked.length);
}, 300_000);

describe('a caller who hangs up', () => {
  it('finds the whole answer when it comes again: the work went on', async () => {
    const asked = {
      path: '/v1/chat/completions',
      body: { model: 'gpt-5.2', stream: true, messages: say('[[twin:dribble=20]] [[twin:long=60]]') },
    };
    const [key, calls] = [freshKey(), vendorCalls()];
    const hangUp = new AbortController();
    const reply = await fetch(`${gateway.url}${asked.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.testKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(asked.body),
      signal: hangUp.signal,
    });
    await reply.body!.getReader().read();
    hangUp.abort();
    const again = await ask(key, asked);
    expect(again.replayed).toBe(true);
    expect(Buffer.from(again.bytes, 'base64').toString()).toContain('[DONE]');
    expect(vendorCalls() - calls).toBe(1);
    expect(twin.ledger.answers('openai').at(-1)?.aborted).toBe(false);
  });
});

describe('another body', () => {
  it('is a 409 that an SDK does not repeat, and the first answer stays', async () => {
    const key = freshKey();
    const first = await ask(key, KINDS[0]!);
    const other = await ask(key, { ...KINDS[0]!, body: { model: 'gpt-5.2', messages: say('Another') } });
    expect(other.status).toBe(409);
    expect(other.headers.get('x-should-retry')).toBe('false');
    expect((await ask(key, KINDS[0]!)).bytes).toBe(first.bytes);
  });

  it('the same body on another path is another request too', async () => {
    const key = freshKey();
    const body = { model: 'claude-sonnet-5', messages: say('Hello'), max_tokens: 50 };
    expect((await ask(key, { path: '/v1/chat/completions', body })).status).toBe(200);
    expect((await ask(key, { path: '/v1/messages', body })).status).toBe(409);
  });

  it('keys of different owners do not meet', async () => {
    const key = freshKey();
    await ask(key, KINDS[0]!);
    const other = await ask(key, { ...KINDS[0]!, key: gateway.otherKey });
    expect(other).toMatchObject({ status: 200, replayed: false });
  });
});

describe('what cost nothing', () => {
  it.each([
    { name: 'a vendor that fails', text: '[[twin:400*1]] Hello', first: 400 },
    { name: 'a rate-limited vendor', text: '[[twin:429*2]] Hello', first: 429 },
  ])('$name: the key is free, and the next try is made', async ({ text, first }) => {
    const key = freshKey();
    const asked = { path: '/v1/chat/completions', body: { model: 'gpt-5-mini', messages: say(`${text} ${key}`) } };
    expect(await ask(key, asked)).toMatchObject({ status: first, replayed: false });
    for (let tries = 0; tries < 60; tries++) {
      const again = await ask(key, asked);
      if (again.status === 200) {
        expect(again.replayed).toBe(false);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('it never came through');
  });

  it('a stream that broke before it said anything', async () => {
    const key = freshKey();
    const asked = {
      path: '/v1/messages',
      body: { model: 'claude-sonnet-5', max_tokens: 50, stream: true, messages: say(`[[twin:cut=1*1]] ${key}`) },
    };
    const before = (await charges()).length;
    const broken = await ask(key, asked);
    expect(Buffer.from(broken.bytes, 'base64').toString()).toContain('error');
    expect((await charges()).length).toBe(before);
    const again = await ask(key, asked);
    expect(again).toMatchObject({ status: 200, replayed: false });
    expect(Buffer.from(again.bytes, 'base64').toString()).toContain('message_stop');
  });

  it('a stream that broke after it said something is paid and stays as it is', async () => {
    const key = freshKey();
    const asked = {
      path: '/v1/messages',
      body: {
        model: 'claude-sonnet-5',
        max_tokens: 500,
        stream: true,
        messages: say(`[[twin:cut=12*1]] [[twin:long=80]] ${key}`),
      },
    };
    const before = (await charges()).length;
    const broken = await ask(key, asked);
    expect(await ask(key, asked)).toMatchObject({ status: 200, replayed: true, bytes: broken.bytes });
    const [entry] = (await charges()).slice(before);
    expect(entry?.detail).toMatchObject({ usage: { estimated: true } });
    expect(entry!.charged).toBeGreaterThan(0);
  });

  it('a bad body, also when it is sent to be repeated', async () => {
    const key = freshKey();
    const bad = { path: '/v1/chat/completions', body: { model: 'gpt-0', messages: say('x') } };
    expect((await ask(key, bad)).status).toBe(400);
    expect(await ask(key, bad)).toMatchObject({ status: 400, replayed: false });
  });
});

describe('beside limits', () => {
  it('a repetition counts as a request', async () => {
    const key = freshKey();
    const asked = { ...KINDS[0]!, key: 'sk-test-limited-0123456789' };
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await ask(key, asked)).status));
    expect(statuses.toSorted()).toEqual([200, 200, ...Array<number>(8).fill(429)]);
    expect((await ask(undefined, asked)).status).toBe(429);
  });

  it.each([{ name: 'too long', key: 'x'.repeat(256) }])('a key that is $name is a 400', async ({ key }) => {
    expect((await ask(key, KINDS[0]!)).status).toBe(400);
  });
});

describe('two replicas on PostgreSQL', () => {
  it('share keys: one vendor call, one charge, equal bytes', async () => {
    const shared = await openTestDatabase('postgres');
    const pair = [
      await openTestGateway({ twin, databaseUrl: shared.url }),
      await openTestGateway({ twin, databaseUrl: shared.url }),
    ];
    try {
      for (const kind of [KINDS[0]!, KINDS[1]!, KINDS[5]!]) {
        const [key, calls] = [freshKey(), vendorCalls()];
        const before = (await charges(pair)).length;
        const all = await Promise.all(
          Array.from({ length: 30 }, (_, index) => ask(key, { ...kind, on: pair[index % 2]! })),
        );
        expect(new Set(all.map(({ bytes }) => bytes)).size).toBe(1);
        expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
        expect(vendorCalls() - calls).toBe(1);
        expect((await charges(pair)).length - before).toBe(1);
      }
    } finally {
      for (const each of pair) await each.close();
      await shared.close();
    }
  });
});
