/** Tags of keys, what is used of a key, webhooks of one owner, and a call that tries an account. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, createClient, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const OTHER_TEST_KEY = 'sk-test-stranger-0123456789abcdef';
const VENDOR_KEY = 'vendor-key-0123456789';
let now = Date.UTC(2026, 10, 22, 10);
let gateway: TestGateway;
let admin: Admin;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: stranger-test, key: ${OTHER_TEST_KEY}, owner: 2, webhook_secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw }`,
    yaml: `security: { allow_private: ['127.0.0.1'] }
accounts:
  - { name: closed, vendor: openai-compatible, base_url: 'http://127.0.0.1:1/v1', credentials: { api_key: ${VENDOR_KEY} }, budget: { requests_per_minute: 8, dollars_per_day: 20 } }
models:
  - { code: closed-model, kind: chat, price: { input: 1, output: 1 }, offers: [{ account: closed, model: m, dialect: openai-chat }] }`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

async function ask(key: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
}
const clientOf = (apiKey: string) => createClient({ baseUrl: gateway.url, apiKey, maxRetries: 0 });

it('finds keys by a tag, literally, and changes all tags at once', async () => {
  const tags = { team: 'search', 'odd%_"name"': '50%_=x' };
  const { key } = await admin.keys.create({ name: 'tagged', owner_id: 1, tags });
  await admin.keys.create({ name: 'other tags', owner_id: 1, tags: { team: 'searching' } });
  expect(key.tags).toEqual(tags);
  const found = async (tag: string): Promise<string[]> =>
    (await admin.keys.list({ tag }).all()).map(({ name }) => name);
  expect(await found('team=search')).toEqual(['tagged']);
  expect(await found('odd%_"name"=50%_=x')).toEqual(['tagged']);
  expect(await found('team=%')).toEqual([]);
  expect(await found('team=sear_h')).toEqual([]);
  expect((await admin.keys.update(key.id, { tags: { env: 'prod' } })).tags).toEqual({ env: 'prod' });
  expect(await found('team=search')).toEqual([]);
  const { key: next } = await admin.keys.rotate(key.id, {});
  expect(next.tags).toEqual({ env: 'prod' });
  await expect(admin.keys.list({ tag: 'team' }).all()).rejects.toMatchObject({ status: 400, param: 'tag' });
});

it('says of any key what is used of its limits', async () => {
  const limits = { spend_per_day: 2, spend_total: 5, requests_per_minute: 9 };
  const { key, secret } = await admin.keys.create({ name: 'limited', owner_id: 1, mode: 'test', limits });
  await ask(secret, '/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] });
  const use = await admin.keys.limits(key.id);
  expect(use.limits).toEqual((await clientOf(secret).account.me()).limits);
  const [, day, total] = use.limits;
  expect(day).toMatchObject({ name: 'spend_per_day', limit: 2, resets_at: '2026-11-23T00:00:00.000Z' });
  expect(day?.used).toBeGreaterThan(0);
  expect(total).toMatchObject({ name: 'spend_total', used: day?.used, resets_at: null });
  await expect(admin.keys.limits(987_654)).rejects.toMatchObject({ status: 404 });
});

it('shows an owner the webhooks of its own mode, and delivers nobody else’s again', async () => {
  const body = { ...VIDEO, callback_url: 'http://127.0.0.1:1/hook?token=secret' };
  for (const key of [gateway.testKey, OTHER_TEST_KEY]) await ask(key, '/v1/video/generations', body);
  for (let round = 0; round < 6; round++) {
    now += 600_000;
    await gateway.server.tasks.runDue();
  }
  const own = clientOf(gateway.testKey).account.webhooks;
  const [mine, ...others] = await own.list().all();
  expect(mine).toMatchObject({ url: 'http://127.0.0.1:1/hook' });
  expect(others).toEqual([]);
  expect(await own.list({ task_id: 'task_none' }).all()).toEqual([]);
  expect(await own.list({ pending: mine?.status !== 'pending' }).all()).toEqual([]);
  expect(await own.replay(mine!.id)).toMatchObject({ id: mine!.id, status: 'pending', attempts: 0 });
  for (const key of [gateway.liveKey, OTHER_TEST_KEY]) {
    const { webhooks } = clientOf(key).account;
    expect((await webhooks.list().all()).map(({ id }) => id)).not.toContain(mine!.id);
    await expect(webhooks.replay(mine!.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  }
});

it('tries an account, tells what its budget is, and never its key', async () => {
  const { data } = await admin.accounts();
  const closed = data.find(({ name }) => name === 'closed')!;
  expect(closed.budgets).toEqual([
    { bound: 'requests_per_minute', limit: 8, used: 0 },
    { bound: 'dollars_per_day', limit: 20, used: 0 },
  ]);
  const tested = await admin.testAccount(closed.id);
  expect(tested).toMatchObject({ account: 'closed', ok: false, finding: 'wrong-base-url', status: null });
  expect(JSON.stringify(tested)).not.toContain(VENDOR_KEY);
  const twin = data.find(({ name }) => name === 'twin openai')!;
  expect(twin.budgets).toEqual([]);
  expect(await admin.testAccount(twin.id)).toMatchObject({ ok: true, finding: 'works' });
  // Trying one is no use of it, and no failure.
  const after = (await admin.accounts()).data.find(({ id }) => id === closed.id);
  expect(after).toMatchObject({ failures: 0, last_fault: null, budgets: closed.budgets });
  await expect(admin.testAccount(987_654)).rejects.toMatchObject({ status: 404 });
});
