/** Overview, usage (however it is split), log of requests, ledger, statement and balance say the same cost, to the unit, whenever a request is charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ env: { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') } });
});
afterAll(() => gateway.close());

async function ask<T = JsonObject>(path: string, body?: JsonObject, key = gateway.liveKey, tags?: string): Promise<T> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(tags !== undefined && { 'x-gateway-tags': tags }),
    },
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
  const tagged = <T>(path: string, body: JsonObject, team: string) =>
    ask<T>(path, body, gateway.liveKey, `team=${team}`);
  await tagged('/v1/chat/completions', { model: 'gpt-5.2', ...hello }, 'search');
  await ask('/v1/messages', { model: 'claude-sonnet-5', max_tokens: 100, ...hello });
  await tagged('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello' }, 'search');
  await ask('/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'a kite' });
  const video = await tagged<{ id: string }>(
    '/v1/videos',
    { model: 'sora-2', prompt: 'a kite', seconds: '4' },
    'films',
  );
  const late = await tagged<{ id: string }>(
    '/v1/responses',
    { model: 'gpt-5.2', input: 'Hello', background: true },
    'late',
  );
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

  const usage = (query: string) =>
    admin<{ data: (Row & { group: JsonObject; names: JsonObject })[]; total: Row }>(`/admin/usage?${query}&${period}`);
  const sumOf = (rows: readonly Row[]): number => rows.reduce((total, { charged }) => total + charged, 0);
  for (const group of ['day', 'model', 'key', 'owner', 'endpoint', 'account', 'vendor', 'tag', 'vendor,tag,day']) {
    const { data, total } = await usage(`group_by=${group}&tag=team`);
    expect({ group, rows: sumOf(data), total: total.charged }).toEqual({ group, rows: ledger, total: ledger });
  }
  const teams = await usage('group_by=tag&tag=team');
  expect(teams.data.map(({ group }) => group['tag'])).toEqual(['', 'films', 'late', 'search']);
  expect(teams.data.find(({ group }) => group['tag'] === 'films')?.charged).toBe(said.video);
  expect((await usage('group_by=vendor')).data.map(({ group }) => group['vendor'])).toEqual(
    expect.arrayContaining(['anthropic', 'openai']),
  );
  expect((await usage('group_by=owner,key')).data[0]?.names).toMatchObject({
    owner: expect.any(String),
    key: expect.any(String),
  });

  interface Statement {
    readonly closing_balance: number;
    readonly closing_reserved: number;
    readonly totals: { readonly charges: { readonly amount: number } };
    readonly lines: readonly { kind: string; model: string | null; amount: number }[];
  }
  const statements = await Promise.all(
    ['detail=days', 'detail=requests', 'holds=true'].map((query) =>
      admin<Statement>(`/admin/owners/1/statement?${query}&${period}`),
    ),
  );
  for (const { totals, closing_balance: closing, closing_reserved: reserved } of statements)
    expect([-totals.charges.amount, closing - reserved]).toEqual([ledger, said.balance]);
  const byModel = (await usage('group_by=model')).data.map(({ group, charged }) => [group['model'], 0 - charged]);
  const lines = statements[0]?.lines.filter(({ kind }) => kind === 'charge') ?? [];
  expect(lines.map(({ model, amount }) => [model, amount])).toEqual(byModel);
});

it('are not split by a tag without its name', async () => {
  const reply = await fetch(`${gateway.url}/admin/usage?group_by=tag`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'tag' } }]);
});
