/** Vendors of vectors, verdicts and scores that refuse, break off and talk rubbish: a typed error, nothing charged, another vendor where there is one. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { errorOf, useGateway } from './whole-answers.ts';

let now = Date.UTC(2026, 10, 22, 10);
const { gateway, post, charges } = useGateway({
  clock: () => now,
  yaml: `models:
  - { code: anywhere, kind: embedding, price: { input: 1 }, offers: [{ account: openai, model: text-embedding-3-small, priority: 1 }, { account: dashscope, model: text-embedding-v4, priority: 2 }] }
  - { code: any-rerank, kind: rerank, price: { input: 1 }, offers: [{ account: jina, model: jina-reranker-v2, priority: 1 }, { account: dashscope, model: qwen3-rerank, priority: 2 }] }`,
});
// What failed an hour ago is forgotten.
beforeEach(() => void (now += 3_600_000));

const ASKED: readonly (readonly [vendor: TwinVendor, operation: Operation, path: string, body: Json])[] = [
  ['openai', 'embedding', '/v1/embeddings', { model: 'text-embedding-3-small', input: ['one', 'two'] }],
  ['dashscope', 'embedding', '/v1/embeddings', { model: 'text-embedding-v4', input: ['one', 'two'] }],
  ['ark', 'embedding', '/v1/embeddings', { model: 'doubao-embedding-large', input: ['one', 'two'] }],
  ['gemini', 'embedding', '/v1/embeddings', { model: 'gemini-embedding-001', input: ['one', 'two'] }],
  [
    'gemini',
    'embedding',
    '/v1beta/models/gemini-embedding-001:embedContent',
    { content: { parts: [{ text: 'one' }] } },
  ],
  [
    'cohere',
    'embedding',
    '/v2/embed',
    { model: 'embed-v4.0', texts: ['one', 'two'], embedding_types: ['float', 'int8'] },
  ],
  ['openai', 'moderation', '/v1/moderations', { input: ['one', 'two'] }],
  ['cohere', 'rerank', '/v1/rerank', { model: 'rerank-v3.5', query: 'one', documents: ['one', 'two'] }],
  ['dashscope', 'rerank', '/v1/rerank', { model: 'qwen3-rerank', query: 'one', documents: ['one', 'two'] }],
];
const WRONG: readonly Json[] = [
  {},
  [],
  { data: [], embeddings: [], results: [], output: {} },
  { data: [{ index: 0, embedding: [1] }], embeddings: [{ values: [1] }, {}], results: [{}], output: { results: [{}] } },
  {
    data: [{ embedding: ['a'] }, { embedding: [1] }],
    embeddings: [{ values: [1] }, { values: [1, 2] }],
    results: [{ index: 5, relevance_score: 1 }, 7],
    output: {
      results: [
        { index: 0, relevance_score: 1 },
        { index: 0, relevance_score: 1 },
      ],
    },
  },
];
const FAULTS: readonly (readonly [name: string, fault: TwinFault, statuses: readonly number[]])[] = [
  ['429', { kind: 'status', status: 429, headers: { 'retry-after': '3' } }, [503]],
  ['500', { kind: 'status', status: 500 }, [502, 503]],
  ['401: a key of the operator’s', { kind: 'status', status: 401 }, [502, 503]],
  ['a reset', { kind: 'reset' }, [502, 503]],
  ['no answer', { kind: 'no-answer' }, [502, 503]],
  ['a cut', { kind: 'cut', afterBytes: 20 }, [502, 503]],
  ['half of it', { kind: 'torn-json' }, [502, 503]],
  ['rubbish', { kind: 'malformed' }, [502, 503]],
  ...WRONG.map((body, index) => [`wrong JSON ${index}`, { kind: 'status', status: 200, body }, [502, 503]] as const),
];

describe.each(ASKED)('%s %s by %s', (vendor, operation, path, body) => {
  it.each(FAULTS)('%s', async (_name, fault, statuses) => {
    const [before] = await charges();
    gateway().twin.faults.next(vendor, operation, fault);
    const reply = await post(path, body);
    expect(gateway().twin.faults.pending()).toBe(0);
    expect(statuses).toContain(reply.status);
    expect(reply.headers.get('x-gateway-error-source')).toBe('upstream');
    const error = errorOf(reply);
    if (path.startsWith('/v1beta')) expect(error).toMatchObject({ code: reply.status, status: expect.any(String) });
    else expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) });
    expect(JSON.stringify(reply.json)).not.toMatch(/sk-twin|127\.0\.0\.1|TypeError|undefined/);
    if (fault.kind === 'status' && fault.status === 429)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await charges()).toEqual(before === undefined ? [] : expect.arrayContaining([before]));
    expect((await charges())[0]).toEqual(before);
  });
});

describe('another vendor is asked', () => {
  it.each([
    ['embedding' as const, 'openai' as const, '/v1/embeddings', { model: 'anywhere', input: ['one', 'two'] }],
    [
      'rerank' as const,
      'jina' as const,
      '/v1/rerank',
      { model: 'any-rerank', query: 'one', documents: ['one', 'two'] },
    ],
  ])('%s', async (operation, vendor, path, body) => {
    for (const fault of FAULTS.slice(0, 6).map(([, each]) => each)) {
      now += 3_600_000;
      gateway().twin.faults.next(vendor, operation, fault);
      const [before] = await charges();
      const reply = await post(path, body);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('x-gateway-attempts')).toBe('2');
      expect((await charges())[1]).toEqual(before);
    }
  });

  it('for what the first has no words for: token ids wait for the one who reads them', async () => {
    gateway().twin.requests.clear();
    expect((await post('/v1/embeddings', { model: 'anywhere', input: [1, 2, 3] })).status).toBe(200);
    gateway().twin.faults.next('openai', 'embedding', { kind: 'status', status: 500 });
    now += 3_600_000;
    const reply = await post('/v1/embeddings', { model: 'anywhere', input: [1, 2, 3] });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(gateway().twin.requests.list({ vendor: 'dashscope' })).toEqual([]);
  });
});

it('a caller who hangs up is no fault of the vendor’s, and what it answered is charged', async () => {
  // Looked up before anything is asked: a slow look would find what this request costs.
  const [before] = await charges();
  const gone = new AbortController();
  const asked = fetch(`${gateway().url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway().testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'text-embedding-3-small',
      input: 'gone [[twin:slow=150]] '.repeat(1) + 'tide '.repeat(200),
    }),
    signal: gone.signal,
  }).catch(() => undefined);
  while (gateway().twin.requests.last()?.body.includes('gone') !== true)
    await new Promise((done) => setImmediate(done));
  gone.abort();
  await asked;
  let newest = before;
  while (newest === before || JSON.stringify(newest) === JSON.stringify(before)) [newest] = await charges();
  expect(newest).toMatchObject({ model: 'text-embedding-3-small' });
});
