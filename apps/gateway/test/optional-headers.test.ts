/** What a request may carry and need not is checked when it comes, whatever came before it; the address is told of as the caller wrote it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] };

describe('optional headers', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({ yaml: 'log: { level: silent }' });
  });
  afterAll(() => gateway.close());

  const post = async (path: string, headers: Readonly<Record<string, string>>, body: unknown = CHAT) => {
    const reply = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };

  it.each(['/v1/chat/completions', '/v1/chat/completions/', '/v1/chat/completions?trace=a+b'])(
    'are checked with and after requests without them: %s',
    async (path) => {
      expect((await post(path, {})).status).toBe(200);
      const wrong = await post(path, { 'idempotency-key': 'x'.repeat(256) });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/idempotency-key/i)]);
      expect((await post(path, {})).status).toBe(200);
      expect((await post(path, { 'idempotency-key': path })).status).toBe(200);
      expect((await post(path, {}, { ...CHAT, messages: 7 })).text).toMatch(/messages/);
      expect((await post(path, { 'idempotency-key': `${path} 2` }, { ...CHAT, messages: 7 })).text).toMatch(/messages/);
    },
  );

  it('and queries of fixed addresses are checked', async () => {
    const list = async (query: string) => {
      const reply = await fetch(`${gateway.url}/v1/requests${query}`, {
        headers: { authorization: `Bearer ${gateway.testKey}` },
      });
      return { status: reply.status, text: await reply.text() };
    };
    expect((await list('?limit=2')).status).toBe(200);
    const wrong = await list('?limit=none');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/limit/)]);
    expect((await list('?from=2026-01-01T02:00:00+02:00')).status).toBe(200);
  });
});
