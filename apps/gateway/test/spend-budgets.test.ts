/** Budgets of the configuration file and of the database: what they refuse, whom they tell apart, and where they are seen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { runCommand } from './run-command.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
const keys: Record<string, string> = {};
const ids: Record<string, number> = {};
beforeAll(async () => {
  twin = await startVendorTwin();
  gateway = await openTestGateway({
    twin,
    clock: () => NOON,
    yaml: `extends: none
money: { overdraft: 0 }
owners: [{ name: red, organization: acme }, { name: blue, organization: acme }, { name: other }]
budgets:
  - { name: acme, scope: organization, values: [acme], window: month, limit: 0.2 }
  - { name: blue, scope: owner, values: [blue], window: week, limit: 0.06 }
  - { name: per-user, scope: user, each: true, window: day, limit: 0.05 }
  - { name: told, scope: tag, tag: project, values: [x], window: total, limit: 0.000002, action: alert, alert_at: [1, 0.5, 0.5] }
accounts:
  - { name: openai, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }
models: [{ code: m, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1000, output: 1000 } }]`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
  for (const { id, name } of await admin.owners.list().all())
    if (['red', 'blue', 'other'].includes(name)) {
      ids[name] = id;
      keys[name] = (await admin.keys.create({ name: `of ${name}`, owner_id: id, mode: 'live' })).secret;
    }
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

async function chat(of: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[of] ?? ''}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await reply.text();
  return reply;
}

/** Which limit ends it, after how many answers. */
async function untilRefused(of: string, headers?: Readonly<Record<string, string>>) {
  for (let served = 0; served < 40; served++) {
    const reply = await chat(of, headers);
    if (reply.status !== 200) return { served, status: reply.status, limit: reply.headers.get('x-gateway-limit') };
  }
  throw new Error('nothing refused it');
}

it('refuse by the narrowest that is used up, and leave others alone', async () => {
  const ada = await untilRefused('other', { 'x-gateway-user': 'ada' });
  expect(ada).toMatchObject({ status: 403, limit: 'budget:per-user' });
  expect(ada.served).toBeGreaterThan(0);
  expect((await chat('other', { 'x-gateway-user': 'bob' })).status).toBe(200);
  // Another owner's, of the same name.
  expect((await chat('red', { 'x-gateway-user': 'ada' })).status).toBe(200);
  expect((await chat('other')).status).toBe(200);
  const blue = await untilRefused('blue');
  expect(blue).toMatchObject({ status: 403, limit: 'budget:blue' });
  const red = await untilRefused('red');
  expect(red).toMatchObject({ status: 403, limit: 'budget:acme' });
  // What one owner has spent the other of the organization does not have.
  expect(red.served).toBeGreaterThan(blue.served);
  expect((await chat('other')).status).toBe(200);
  expect((await chat('other', { 'x-gateway-tags': 'project=x' })).status).toBe(200);
  expect((await chat('other', { 'x-gateway-tags': 'project=x' })).status).toBe(200);
});

it('are in the list of budgets and in the command, and add up', async () => {
  const { data } = await admin.budgets({ of: 'budget' });
  const used = Object.fromEntries(data.map(({ name, used: units }) => [name, units ?? 0]));
  expect(Object.keys(used).sort()).toEqual([
    ...['acme', 'blue'],
    ...[`${ids['other'] ?? 0}:ada`, `${ids['other'] ?? 0}:bob`, `${ids['red'] ?? 0}:ada`]
      .map((part) => `per-user: ${part}`)
      .sort(),
    'told',
  ]);
  expect(used['acme']).toBeLessThanOrEqual(0.2);
  expect(used['acme']).toBeGreaterThan(used['blue'] ?? 1);
  expect(data.find(({ name }) => name === 'acme')).toMatchObject({
    ...{ of: 'budget', bound: 'spend_per_month', unit: 'usd', limit: 0.2, declared: true, owner_id: null },
    resets_at: '2026-12-01T00:00:00.000Z',
  });
  expect(data.find(({ name }) => name === 'told')?.share).toBeGreaterThan(1);
  const rules = Object.fromEntries(data.map(({ name, rule }) => [name, rule]));
  expect(rules['told']).toEqual({ name: 'told', action: 'alert', alert_at: [0.5, 1] });
  expect(rules[`per-user: ${ids['other'] ?? 0}:ada`]).toEqual({ name: 'per-user', action: 'refuse', alert_at: null });
  expect(await admin.ledger.verify()).toMatchObject({ ok: true });
  const shown = await runCommand(['budgets', '--of', 'budget', '--url', gateway.url], {
    env: { GATEWAY_ADMIN_KEY: gateway.adminKey },
  });
  expect(shown.out).toMatch(/acme \(\d+\) +spend_per_month +\$0\.20 /);
});

it('are kept in the database over those of the file, take effect at once, and can be undone', async () => {
  const user = { 'x-gateway-user': 'eve', 'x-gateway-tags': 'team=late' };
  expect((await chat('other', user)).status).toBe(200);
  const whole = { scope: 'tag', tag: 'team', values: ['late'], window: 'day', limit: 0.000002 };
  const { change } = await admin.configEntries.put('budgets', 'late', { value: whole });
  expect(change).toMatchObject({ section: 'budgets', name: 'late' });
  const spent = await untilRefused('other', user);
  expect(spent).toMatchObject({ status: 403, limit: 'budget:late' });
  expect(spent.served).toBeLessThan(2);
  // Members over the budget of the file: its scope, values and window stay.
  const raised = await admin.configEntries.put('budgets', 'per-user', { value: { limit: 9 } });
  expect(raised.differences).toEqual(['budget per-user: limit']);
  expect((await chat('other', { 'x-gateway-user': 'ada' })).status).toBe(200);
  expect((await chat('other', user)).status).toBe(403);
  await admin.configEntries.undo(change?.id ?? 0);
  expect((await chat('other', user)).status).toBe(200);
  await admin.configEntries.put('budgets', 'per-user', { removed: true });
  expect((await admin.budgets({ of: 'budget' })).data.map(({ name }) => name).sort()).toEqual(['acme', 'blue', 'told']);
  await admin.configEntries.delete('budgets', 'per-user');
  expect((await chat('other', { 'x-gateway-user': 'ada' })).status).toBe(403);
});

it.each([
  ['a budget without its window', { scope: 'key', limit: 1 }, 'budgets[bad].window: a budget needs its window'],
  [
    'a tag that is not named',
    { scope: 'tag', window: 'day', limit: 1 },
    'budgets[bad].tag: a budget of a tag names its',
  ],
  ['a tag of a key', { scope: 'key', tag: 'x', window: 'day', limit: 1 }, 'budgets[bad].tag: only a budget of a tag'],
  ['a share that is none', { scope: 'key', window: 'day', limit: 1, alert_at: [50] }, 'budgets[bad].alert_at[0]: '],
  ['a window that is none', { scope: 'key', window: 'year', limit: 1 }, 'budgets[bad].window: expected one of hour'],
])('refuse %s', async (_what, value, said) => {
  await expect(admin.configEntries.put('budgets', 'bad', { value })).rejects.toThrow(said);
});

describe('as records', () => {
  const row = { name: 'made', scope: 'key' as const, values: ['of other'], window: 'day' as const, limit: 0.000002 };
  const called = async (...args: string[]) =>
    runCommand(['budgets', ...args, '--url', gateway.url], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } });

  it('are made, read, changed and deleted, and count from then on', async () => {
    const made = await admin.createBudget(row);
    expect(made).toMatchObject({ object: 'budget_rule', each: false, tag: null, action: 'refuse', declared: false });
    expect(await untilRefused('other')).toMatchObject({ status: 403, limit: 'budget:made' });
    expect(await admin.budget(String(made.id))).toEqual(made);
    const { data } = await admin.budgets({ of: 'budget' });
    expect(data.find(({ id }) => id === made.id)).toMatchObject({ name: 'made', declared: false });
    expect(await admin.updateBudget('made', { limit: 5, values: null })).toEqual({ ...made, limit: 5, values: null });
    expect((await chat('other')).status).toBe(200);
    const [last] = await admin.audit.list({ limit: 1 }).all();
    expect(last).toMatchObject({ action: 'config.put', subject: 'budgets/made' });
    expect(await admin.deleteBudget(String(made.id))).toMatchObject({ name: 'made', deleted: true });
    await expect(admin.budget('made')).rejects.toMatchObject({ status: 404 });
  });

  it('of owners by their names count from the first request on', async () => {
    for (const values of [['other'], ['blue', 'other']]) {
      await admin.createBudget({ ...row, name: 'named', scope: 'owner', values });
      const refused = await chat('other');
      expect([refused.status, refused.headers.get('x-gateway-limit')]).toEqual([403, 'budget:named']);
      await admin.deleteBudget('named');
      expect((await chat('other')).status).toBe(200);
    }
  });

  it('are refused with the name of one that there is, and where the file has them', async () => {
    await expect(admin.createBudget({ ...row, name: 'acme' })).rejects.toMatchObject({ status: 409 });
    await admin.createBudget({ ...row, limit: 100 });
    await expect(admin.createBudget(row)).rejects.toMatchObject({ status: 409 });
    await expect(admin.updateBudget('made', { tag: 'x' })).rejects.toMatchObject({
      ...{ status: 400, param: 'tag' },
      message: expect.stringContaining(': tag: only a budget of a tag names one') as string,
    });
    expect(await admin.budget('made')).toMatchObject({ tag: null, limit: 100 });
    await admin.deleteBudget('made');
    expect(await admin.budget('acme')).toMatchObject({ declared: true });
    await expect(admin.updateBudget('acme', { limit: 1 })).rejects.toMatchObject({ status: 409 });
    await expect(admin.deleteBudget('acme')).rejects.toMatchObject({ status: 409 });
  });

  it('have shares at which you are told, or those of all', async () => {
    const made = await admin.createBudget({ ...row, limit: 100, action: 'alert', alert_at: [1, 0.5] });
    expect(made).toMatchObject({ action: 'alert', alert_at: [0.5, 1] });
    expect(await admin.updateBudget('made', { limit: 90 })).toEqual({ ...made, limit: 90 });
    expect(await admin.updateBudget('made', { alert_at: [] })).toMatchObject({ alert_at: [] });
    expect(await admin.updateBudget('made', { alert_at: null })).toMatchObject({ alert_at: null });
    await expect(admin.updateBudget('made', { alert_at: [50] })).rejects.toMatchObject({ status: 400, param: 'alert_at[0]' }); // prettier-ignore
    await admin.deleteBudget('made');
  });

  it('have no share that a refusing budget does not reach', async () => {
    const unreached = { status: 400, param: 'alert_at', message: expect.stringContaining('use shares up to 1, or action: alert') as string }; // prettier-ignore
    await expect(admin.createBudget({ ...row, alert_at: [0.5, 1.5] })).rejects.toMatchObject(unreached);
    await admin.createBudget({ ...row, limit: 100, action: 'alert', alert_at: [0.5, 1.5] });
    await expect(admin.updateBudget('made', { action: 'refuse' })).rejects.toMatchObject(unreached);
    await admin.updateBudget('made', { action: 'refuse', alert_at: [0.5, 1] });
    await expect(admin.updateBudget('made', { alert_at: [1.01] })).rejects.toMatchObject(unreached);
    // As an entry it is stored: what was left out would refuse nothing.
    const value = { ...row, limit: 100, alert_at: [2] };
    const { warnings } = await admin.configEntries.put('budgets', 'made', { value });
    expect(warnings).toMatchObject([{ path: 'budgets[made].alert_at', message: expect.stringContaining('does not reach 2 of the limit') as string }]); // prettier-ignore
    expect(await admin.updateBudget('made', { limit: 90 })).toMatchObject({ limit: 90, alert_at: [2] });
    await admin.deleteBudget('made');
  });

  it('of each are listed before anybody has spent', async () => {
    await admin.createBudget({ name: 'each-key', scope: 'key', each: true, window: 'hour', limit: 4 });
    const unspent = (await admin.budgets({ of: 'budget' })).data.filter(({ rule }) => rule?.name === 'each-key');
    expect(unspent).toMatchObject([{ name: 'each-key', used: 0, share: 0, declared: false }]);
    expect((await chat('other')).status).toBe(200);
    const spent = (await admin.budgets({ of: 'budget' })).data.filter(({ rule }) => rule?.name === 'each-key');
    expect(spent.map(({ name }) => name)).toEqual([expect.stringMatching(/^each-key: \d+$/)]);
    await admin.deleteBudget('each-key');
  });

  it('are made by the command', async () => {
    const made = await called('create', 'night', '--scope', 'tag', '--tag', 'shift', '--values', 'a, b', '--window', 'hour', '--limit', '3'); // prettier-ignore
    expect(made.out).toBe('Budget night: $3.00 per hour, of tag shift: a, b; they share it.\n');
    const changed = await called('update', 'night', '--each', '--action', 'alert');
    expect(changed.out).toContain('$3.00 per hour, of tag shift: a, b; each has the whole limit; alert only.');
    const shares = await called('update', 'night', '--alert-at', '0.125, 1');
    expect(shares.out).toContain('alert only; alerts at 12.5%, 100%.');
    expect((await called('update', 'night', '--alert-at', 'none')).out).toContain('alert only; no alerts at a share.');
    expect((await called('update', 'night', '--alert-at', 'default')).out).toContain('; alert only.');
    expect(await called('update', 'night', '--alert-at', 'half')).toMatchObject({ code: 2 });
    expect((await called('delete', 'night')).out).toBe('The budget night is deleted.\n');
    expect(await called('update', 'night', '--limit', '1')).toMatchObject({ code: 1 });
    expect(await called('create', 'night', '--scope', 'key')).toMatchObject({ code: 2 });
  });
});
