/** Budgets of keys, owners and accounts side by side, the fullest first: over sockets, with a clock of the test's own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { runCommand } from './run-command.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT = '2026-11-22T00:00:00.000Z';
/** A chat costs at most so much: small enough for a balance of cents. */
const CHAT = { model: 'm', max_completion_tokens: 20, messages: [{ role: 'user', content: 'hi' }] };

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let now = NOON;
beforeAll(async () => {
  twin = await startVendorTwin();
  gateway = await openTestGateway({
    twin,
    clock: () => now,
    yaml: `extends: none
accounts:
  - { name: openai, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' }, budget: { requests_per_day: 4 } }
models: [{ code: m, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1000, output: 1000 } }]`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

async function chat(secret: string): Promise<number> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(CHAT),
  });
  await reply.text();
  return reply.status;
}

it('shows every limit of money, what is used of it, and when it begins anew', async () => {
  const owner = await admin.owners.create({ name: 'search', credit_limit: 500_000, monthly_budget: 2_000_000 });
  const prepaid = await admin.owners.create({ name: 'prepaid' });
  const empty = await admin.owners.create({ name: 'empty' });
  await admin.owners.topUp(prepaid.id, { usd: 3 });
  const limits = {
    spend_per_hour: 25,
    spend_per_day: 0.1,
    spend_per_week: 40,
    spend_total: 50,
    requests_per_minute: 9,
  };
  const { key, secret } = await admin.keys.create({ name: 'indexer', owner_id: owner.id, mode: 'live', limits });
  const gone = await admin.keys.create({ name: 'revoked', owner_id: owner.id, mode: 'live', limits });
  await admin.keys.revoke(gone.key.id);
  const without = await admin.keys.create({ name: 'no cap', owner_id: owner.id, mode: 'live', limits: { requests_per_minute: 9 } }); // prettier-ignore
  expect(await chat(secret)).toBe(200);
  const { data, has_more } = await admin.budgets();
  const [day, hour, week, total] = data.filter(({ of }) => of === 'key');
  expect(hour).toMatchObject({ bound: 'spend_per_hour', limit: 25, resets_at: '2026-11-21T13:00:00.000Z' });
  expect(week).toMatchObject({ bound: 'spend_per_week', limit: 40, resets_at: '2026-11-23T00:00:00.000Z' });
  expect(hour?.used).toBeGreaterThanOrEqual(day?.used ?? Infinity);
  expect(day).toMatchObject({
    ...{ of: 'key', id: key.id, name: 'indexer', owner_id: owner.id, owner_name: 'search', declared: false },
    ...{ bound: 'spend_per_day', unit: 'usd', limit: 0.1, resets_at: MIDNIGHT },
  });
  expect(day?.used).toBeGreaterThan(0);
  expect(day?.left).toBeCloseTo(0.1 - (day?.used ?? 0), 6);
  expect(day?.share).toBeCloseTo((day?.used ?? 0) / 0.1, 6);
  expect(total).toMatchObject({ bound: 'spend_total', limit: 50, used: day?.used, resets_at: null });
  expect(data.filter(({ of }) => of === 'key').map(({ id }) => id)).not.toContain(gone.key.id);
  expect(data.filter(({ of }) => of === 'key').map(({ id }) => id)).not.toContain(without.key.id);
  expect(data).toContainEqual(expect.objectContaining({ of: 'owner', id: owner.id, bound: 'credit', limit: 1, used: day?.used })); // prettier-ignore
  expect(data).toContainEqual(expect.objectContaining({ of: 'owner', id: owner.id, bound: 'monthly_budget', limit: 4, used: day?.used, resets_at: '2026-12-01T00:00:00.000Z' })); // prettier-ignore
  expect(data).toContainEqual(expect.objectContaining({ of: 'owner', id: prepaid.id, bound: 'balance', limit: null, left: 3, share: null })); // prettier-ignore
  expect(data).toContainEqual(expect.objectContaining({ of: 'owner', id: empty.id, left: 0, share: 1 }));
  expect(data).toContainEqual(expect.objectContaining({ of: 'account', name: 'openai', bound: 'requests_per_day', unit: 'requests', limit: 4, used: 1, left: 3, share: 0.25, resets_at: MIDNIGHT })); // prettier-ignore
  const shares = data.map(({ share }) => share ?? -1);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(has_more).toBe(false);
  const part = await admin.budgets({ of: 'key', limit: 1 });
  expect(part).toMatchObject({ data: [{ of: 'key', bound: 'spend_per_day' }], has_more: true });
});

it('begins anew with the day', async () => {
  now = Date.UTC(2026, 10, 22, 1);
  const { data } = await admin.budgets({ of: 'key' });
  expect(data.find(({ bound }) => bound === 'spend_per_day')).toMatchObject({ used: 0, share: 0 });
  expect(data.find(({ bound }) => bound === 'spend_total')?.used).toBeGreaterThan(0);
  now = NOON;
});

it('is a table of the command, of a gateway elsewhere and of the database here', async () => {
  const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
  const far = await runCommand(['budgets', '--of', 'key', '--url', gateway.url], { env });
  expect(far.out).toMatch(/indexer \(\d+\) +search \(\d+\) +spend_per_day +\$0\.10 /);
  const here = await runCommand(['budgets', '--of', 'owner', '--json'], { env: { DATABASE_URL: gateway.databaseUrl } });
  expect(JSON.parse(here.out)).toContainEqual(expect.objectContaining({ of: 'owner', name: 'prepaid', left: 3 }));
});
