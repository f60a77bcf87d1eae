/** Repetitions of an Idempotency-Key count as requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const KEY = 'sk-test-replays-0123456789abcdef';
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    keys: `  - { name: replays, key: ${KEY}, owner: 5, limits: { requests_per_minute: 4 } }`,
  });
});
afterAll(() => gateway.close());

it('the stored answer is given as often as the key may ask, and no more', async () => {
  const seen: { status: number; replayed: string | null; source: string | null }[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] }),
    });
    seen.push({
      status: reply.status,
      replayed: reply.headers.get('idempotent-replayed'),
      source: reply.headers.get('x-gateway-error-source'),
    });
    await reply.text();
  }
  expect(seen).toEqual([
    { status: 200, replayed: null, source: null },
    ...Array.from({ length: 3 }, () => ({ status: 200, replayed: 'true', source: null })),
    ...Array.from({ length: 2 }, () => ({ status: 429, replayed: null, source: 'gateway' })),
  ]);
});
