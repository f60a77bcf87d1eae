/** An estimate of very much text is refused before it holds others up; one of a large request is answered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

it.each([
  { megabytes: 15, status: 200 },
  { megabytes: 17, status: 413 },
])('of $megabytes MB: $status', async ({ megabytes, status }) => {
  const messages = [{ role: 'user', content: 'a'.repeat(megabytes * 1024 * 1024) }];
  const reply = await fetch(`${gateway.url}/v1/estimate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: '/v1/chat/completions', body: { model: 'gpt-5.2', messages } }),
  });
  expect({ status: reply.status, text: await reply.text() }).toEqual({
    status,
    text: expect.stringContaining(status === 200 ? '"usd"' : 'at most 16 MB'),
  });
});
