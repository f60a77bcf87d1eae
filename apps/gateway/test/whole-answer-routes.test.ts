/** Vectors, scores and verdicts of models that lead to other models, and what callers may say of the way. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { chargesOf } from './ask-in-format.ts';

let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `models:
  - { code: vectors, kind: embedding, routes: [{ model: text-embedding-v4 }, { model: text-embedding-3-small, when: { input_tokens: { from: 1000 } } }], fallbacks: { on_error: [gemini-embedding-001] } }
`,
  });
});
afterEach(() => {
  gateway.twin.faults.clear();
  now += 3_600_000;
});
afterAll(() => gateway.close());

async function post(path: string, body: JsonObject, headers: Record<string, string> = {}) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: reply.status,
    route: reply.headers.get('x-gateway-route'),
    json: (await reply.json()) as { data?: { embedding: number[] }[]; error?: { param: string } },
  };
}
const embed = (input: string, headers?: Record<string, string>) =>
  post('/v1/embeddings', { model: 'vectors', input }, headers);

it('goes where the route leads, by the size of the texts too', async () => {
  expect(await embed('a boat')).toMatchObject({ status: 200, route: 'text-embedding-v4; route; weighted' });
  const long = await embed('a boat at dawn '.repeat(500));
  expect(long.status).toBe(200);
  expect(long.json.data?.[0]?.embedding).not.toHaveLength(0);
});

it('goes elsewhere when the vendor fails, and bills who answered by their own price', async () => {
  gateway.twin.faults.always('dashscope', '*', { kind: 'status', status: 500 });
  const reply = await embed('a boat');
  expect(reply).toMatchObject({ status: 200, route: 'gemini-embedding-001; on_error' });
  expect(reply.json.data?.[0]?.embedding).toHaveLength(3072);
  expect((await chargesOf(gateway))[0]).toMatchObject({ model: 'gemini-embedding-001', detail: { asked: 'vectors' } });
});

it('does what the caller says of it: no fallback, a ceiling, and no deadline', async () => {
  gateway.twin.faults.always('dashscope', '*', { kind: 'status', status: 500 });
  expect(await embed('a boat', { 'x-gateway-no-fallback': 'true' })).toMatchObject({ status: 503 });
  gateway.twin.faults.clear();
  now += 3_600_000;
  expect(await embed('a boat '.repeat(2000), { 'x-gateway-max-cost': '0.0000001' })).toMatchObject({
    status: 400,
    json: { error: { param: 'x-gateway-max-cost' } },
  });
  expect(await embed('a boat', { 'x-gateway-timeout': '3' })).toMatchObject({
    status: 400,
    json: { error: { param: 'x-gateway-timeout' } },
  });
  const ranked = await post(
    '/v1/rerank',
    { model: 'rerank-v3.5', query: 'a boat', documents: ['a boat', 'a bill'] },
    { 'x-gateway-vendors': 'nobody' },
  );
  expect(ranked.status).toBe(400);
});
