/** Overview, usage, log of requests, ledger and balance say the same cost, to the unit, whenever a request is charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ env: { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') } });
});
afterAll(() => gateway.close());

async function ask<T = JsonObject>(path: string, body?: JsonObject, key = gateway.liveKey): Promise<T> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  expect({ path, status: reply.status, text }).toMatchObject({
    status: expect.toSatisfy((status: number) => status < 300),
  });
  return JSON.parse(text) as T;
}
const admin = <T = JsonObject>(path: string, body?: JsonObject): Promise<T> => ask<T>(path, body, gateway.adminKey);

interface Row {
  readonly charged: number;
  readonly kind: string | null;
}

it('on mixed traffic: chat, pictures, vectors, a video, an answer in the background, a correction of the balance', async () => {
  const hello = { messages: [{ role: 'user', content: 'Hello' }] };
  await ask('/v1/chat/completions', { model: 'gpt-5.2', ...hello });
  await ask('/v1/messages', { model: 'claude-sonnet-5', max_tokens: 100, ...hello });
  await ask('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello' });
  await ask('/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'a kite' });
  const video = await ask<{ id: string }>('/v1/videos', { model: 'sora-2', prompt: 'a kite', seconds: '4' });
  const late = await ask<{ id: string }>('/v1/responses', { model: 'gpt-5.2', input: 'Hello', background: true });
  await until(async () => (await ask<{ status: string }>(`/v1/videos/${video.id}`)).status === 'completed');
  await until(async () => (await ask<{ status: string }>(`/v1/responses/${late.id}`)).status === 'completed');
  await admin('/admin/owners/1/topups', { usd: 3 });
  await admin('/admin/owners/1/adjustments', { amount: -123, note: 'a correction' });

  const period = `from=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}&to=${encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())}`;
  const figures = async () => {
    await gateway.server.own.flush();
    const sum = (rows: readonly Row[]): number => rows.reduce((total, { charged }) => total + charged, 0);
    const [overview, usage, requests, captures, entries, owner] = await Promise.all([
      admin<{ total: Row; data: Row[] }>(`/admin/overview?mode=live&${period}`),
      admin<{ data: Row[] }>(`/admin/usage?mode=live&group_by=model&${period}`),
      admin<{ data: Row[] }>('/admin/requests?mode=live&limit=100'),
      admin<{ data: Row[] }>('/admin/ledger?kind=capture&limit=500'),
      admin<{ data: { amount: number; charged: number; kind: string }[] }>('/admin/ledger?owner_id=1&limit=500'),
      admin<{ balance: number }>('/admin/owners/1'),
    ]);
    return {
      tile: overview.total.charged,
      bars: sum(overview.data),
      usage: sum(usage.data),
      requests: sum(requests.data),
      video: requests.data.find(({ kind }) => kind === 'video')?.charged ?? 0,
      ledger: sum(captures.data),
      balance: owner.balance,
      statement: entries.data.reduce((total, { amount }) => total + amount, 0),
    };
  };
  await until(async () => (await figures()).requests === (await figures()).ledger);
  const said = await figures();
  const { ledger } = said;
  expect(ledger).toBeGreaterThan(0);
  expect(said.video).toBeGreaterThan(ledger / 2);
  expect(said).toMatchObject({ tile: ledger, bars: ledger, usage: ledger, requests: ledger });
  expect(said.balance).toBe(3 * 500_000 - 123 - ledger);
  expect(said.statement).toBe(said.balance);
});
