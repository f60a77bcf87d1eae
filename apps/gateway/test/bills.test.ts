/** A vendor's bill beside the ledger: requests through a gateway, exports written for them, the check by the API and by the command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { runCommand } from './run-command.ts';

const NOON = Date.UTC(2026, 9, 1, 12);
const DAY = 86_400_000;

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let folder: string;
let now = NOON;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bills-'));
  twin = await startVendorTwin();
  const credentials = `{ api_key: '${twin.credentials('openai')['api_key'] ?? ''}' }`;
  const account = (name: string): string => `{ name: ${name}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: ${credentials} }`; // prettier-ignore
  gateway = await openTestGateway({
    twin,
    clock: () => now,
    yaml: `extends: none
groups: { default: { factor: 1 }, dear: { factor: 3 } }
accounts: [${account('one')}, ${account('two')}]
models:
  - { code: fast, kind: chat, offers: [{ account: one, model: gpt-5.2-2025-12-11, dialect: openai-chat }], price: { input: 10000, output: 40000, batch: 0.5 } }
  - { code: other, kind: chat, offers: [{ account: two, model: gpt-5-mini, dialect: openai-chat }], price: { input: 2000, output: 8000 } }`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
  const dear = await admin.keys.create({ name: 'dear', mode: 'live', group: 'dear' });
  // Two days, both models, a group that pays three times the price, and a test key, which costs no vendor anything.
  for (const secret of [gateway.liveKey, dear.secret, gateway.testKey]) await chat(secret, 'fast');
  await chat(gateway.liveKey, 'other');
  now += DAY;
  await chat(gateway.liveKey, 'fast');
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
});

async function chat(secret: string, model: string): Promise<void> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_completion_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await reply.text();
  expect(reply.status).toBe(200);
}

const ITEMS = { fast: 'gpt-5.2-2025-12-11', other: 'gpt-5-mini-2025-08-07' } as const;

interface Row {
  readonly day: string;
  readonly item: string;
  readonly amount: number;
}

/** What the vendor charges for what went through the gateway: charges of the ledger by their lines, without the groups' factors. */
async function trueRows(): Promise<readonly Row[]> {
  const entries = (await admin.ledger.list({ kind: 'capture', limit: 100 })).items.filter(
    ({ owner_id: owner }) => owner > 0,
  );
  return entries.flatMap(({ created_at: at, model, detail }) =>
    (detail['lines'] as { item: string; quantity: number; price: number; per: number }[]).map((line) => ({
      day: at.slice(0, 10),
      item: `${ITEMS[model as keyof typeof ITEMS]}, ${line.item.replace('_', ' ')}`,
      amount: (line.quantity * line.price) / line.per,
    })),
  );
}

const csvOf = (rows: readonly Row[]): string =>
  ['start_time_iso,amount_value,amount_currency,line_item,project_id', ...rows.map(({ day, item, amount }) => `${day}T00:00:00Z,${amount.toFixed(9)},usd,"${item}",proj_${item.includes('mini') ? 'b' : 'a'}`)].join('\n'); // prettier-ignore

async function check(rows: readonly Row[], more: readonly string[] = []) {
  const file = join(folder, 'export.csv');
  writeFileSync(file, csvOf(rows));
  const line = ['bills', 'check', file, '--vendor', 'openai', '--url', gateway.url, '--json', ...more];
  const said = await runCommand(line, { env: { GATEWAY_ADMIN_KEY: gateway.adminKey }, now: () => now });
  return { ...said, found: JSON.parse(said.out) as Awaited<ReturnType<Admin['checkBill']>> };
}

describe('a clean export', () => {
  it('is silent: groups’ factors and test keys are no cost', async () => {
    const { code, found } = await check(await trueRows());
    expect(found).toMatchObject({ ok: true, compared: 3, differences: [], unknown: [], other: [], from: '2026-10-01', to: '2026-10-02' }); // prettier-ignore
    expect(found.vendor_usd).toBeGreaterThan(0);
    expect(found.ledger_usd).toBeCloseTo(found.vendor_usd, 6);
    expect(code).toBe(0);
  });

  it('is silent by account too, where projects are named', async () => {
    const { found } = await check(await trueRows(), ['--project', 'proj_a=one', '--project', 'proj_b=two', '--tolerance', '0.000001']); // prettier-ignore
    expect(found).toMatchObject({ ok: true, compared: 3 });
  });
});

describe('projects that are not named', () => {
  it('are apart, with the account that nobody has named, and are no difference', async () => {
    const rows = await trueRows();
    const { found, code } = await check(rows, ['--project', 'proj_a=one', '--tolerance', '0.000001']);
    const of = (item: string): number => rows.filter((row) => row.item.startsWith(item)).reduce((sum, { amount }) => sum + amount, 0); // prettier-ignore
    expect(found).toMatchObject({ ok: false, compared: 2, differences: [], unknown: [] });
    expect(found.other_projects).toEqual([{ project: 'proj_b', usd: expect.closeTo(of(ITEMS.other), 5) as number, days: 1 }]); // prettier-ignore
    expect(found.other_accounts).toEqual([{ account: 'two', usd: expect.closeTo(of(ITEMS.other), 5) as number }]);
    expect(code).toBe(1);
    // Whoever asks about one account alone has not asked about the other one, nor about the projects that are of it.
    const alone = await check(rows, ['--account', 'one', '--project', 'proj_a=one', '--project', 'proj_b=two', '--tolerance', '0.000001']); // prettier-ignore
    expect(alone.found).toMatchObject({ ok: true, compared: 2, other_projects: [], other_accounts: [] });
  });

  it('can be lines without a project; an unknown item of theirs is asked about once they are named', async () => {
    const day = '2026-10-01';
    const line = (item: string, project: string) => ({ day, item, project, kind: 'usage', amount: '2' }) as const;
    const ask = {
      ...({ vendor: 'openai', from: day, to: day, tolerance_usd: 1000 } as const),
      lines: [line(ITEMS.fast, ''), line('mystery', ''), line(ITEMS.other, 'constructor')],
    };
    const found = await admin.checkBill({ ...ask, projects: { p: 'one' } });
    expect(found).toMatchObject({ vendor_usd: 0, unknown: [] });
    expect(found.other_projects).toEqual([{ project: '', usd: 4, days: 1 }, { project: 'constructor', usd: 2, days: 1 }]); // prettier-ignore
    const named = await admin.checkBill({ ...ask, projects: { '': 'one', constructor: 'two' } });
    expect(named).toMatchObject({ vendor_usd: 4, other_projects: [], other_accounts: [] });
    expect(named.unknown).toEqual([{ item: 'mystery', usd: 2, days: 1 }]);
  });

  it('are read by people, with what names them', async () => {
    const file = join(folder, 'projects.csv');
    writeFileSync(file, `${csvOf(await trueRows())}\n2026-10-01T00:00:00Z,7,usd,"${ITEMS.fast}, input",`);
    const run = (project: string) => runCommand(['bills', 'check', file, '--vendor', 'openai', '--project', project, '--url', gateway.url], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } }); // prettier-ignore
    const { out } = await run('proj_a=one');
    expect(out).toMatch(/name their accounts with --project:[\s\S]*\(none\) +\$7\.00 +1\n/);
    expect(out).toContain('--project =ACCOUNT names lines without a project.');
    expect(out).toMatch(/Not compared: the account two, \$\d/);
    expect((await run('=one')).out).toMatch(/\$7\.00/);
    expect((await run('=')).error).toContain("'=' is no pair");
  });
});

describe('planted differences are found, and nothing else', () => {
  it('half the price on one day, a foreign model, an item without a model', async () => {
    const rows = await trueRows();
    const planted = [
      ...rows.map((row) => (row.day === '2026-10-02' ? { ...row, amount: row.amount / 2 } : row)),
      { day: '2026-10-02', item: `${ITEMS.other}, input`, amount: 3 },
      { day: '2026-10-01', item: 'code interpreter sessions', amount: 0.3 },
    ];
    const { code, found } = await check(planted);
    expect(code).toBe(1);
    expect(found.ok).toBe(false);
    const differences = found.differences.map(({ day, model, requests, causes }) => [day, model, requests, causes.map(({ cause }) => cause)]); // prettier-ignore
    expect(differences).toEqual(
      expect.arrayContaining([
        ['2026-10-02', 'gpt-5-mini', 0, ['outside']],
        ['2026-10-02', 'gpt-5-2', 1, expect.arrayContaining(['batch'])],
      ]),
    );
    expect(differences).toHaveLength(2);
    expect(found.unknown).toEqual([{ item: 'code interpreter sessions', usd: 0.3, days: 1 }]);
  });

  it('what the operator says of an item is taken; one account alone leaves the other one out', async () => {
    const rows = [...(await trueRows()), { day: '2026-10-01', item: 'mystery', amount: 5 }];
    expect((await check(rows, ['--model', 'mystery=other'])).found.differences).toMatchObject([{ model: 'gpt-5-mini', difference_usd: 5 }]); // prettier-ignore
    const one = (await trueRows()).filter(({ item }) => item.startsWith(ITEMS.fast));
    expect((await check(one, ['--account', 'one'])).found).toMatchObject({ ok: true, compared: 2 });
    expect((await check(one)).found.differences).toMatchObject([{ model: 'gpt-5-mini', causes: [{ cause: 'not_billed' }] }]); // prettier-ignore
  });

  it('what agrees is listed on demand, beside what differs', async () => {
    const ask: Parameters<Admin['checkBill']>[0] = {
      ...{ vendor: 'openai', from: '2026-10-01', to: '2026-10-02', tolerance_usd: 2 },
      lines: [{ day: '2026-10-02', item: `${ITEMS.other}, input`, project: '', kind: 'usage', amount: '3' }],
    };
    expect(await admin.checkBill(ask)).not.toHaveProperty('matches');
    const { differences, matches, compared } = await admin.checkBill({ ...ask, include_matches: true });
    expect(differences.map(({ model }) => model)).toEqual(['gpt-5-mini']);
    expect(matches?.map(({ day, model, causes }) => [day, model, causes])).toEqual([
      ['2026-10-01', 'gpt-5-2', []],
      ['2026-10-01', 'gpt-5-mini', []],
      ['2026-10-02', 'gpt-5-2', []],
    ]);
    expect(compared).toBe(4);
  });

  it('people read the causes', async () => {
    const file = join(folder, 'people.csv');
    writeFileSync(
      file,
      csvOf([...(await trueRows()), { day: '2026-10-02', item: `${ITEMS.other}, input`, amount: 3 }]),
    );
    const { out, code } = await runCommand(['bills', 'check', file, '--vendor', 'openai', '--url', gateway.url], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } }); // prettier-ignore
    expect(code).toBe(1);
    expect(out).toMatch(/2026-10-02\s+gpt-5-mini\s+\$0\.00|2026-10-02\s+gpt-5-mini\s+\$3\.00/);
    expect(out).toContain('outside: No request for this model went through the gateway');
  });
});

it.each([
  { name: 'another vendor without accounts', body: { vendor: 'aws', lines: [] }, param: 'account' },
  { name: 'an account of nobody', body: { vendor: 'openai', account: 'three', lines: [] }, param: 'account' },
  { name: 'no days', body: { vendor: 'openai', lines: [] }, param: 'lines' },
  { name: 'too many days', body: { vendor: 'openai', from: '2026-01-01', to: '2026-10-01', lines: [] }, param: 'from' },
  {
    name: 'an end before the beginning',
    body: { vendor: 'openai', from: '2026-10-02', to: '2026-10-01', lines: [] },
    param: 'to',
  },
  {
    name: 'a project of no account',
    body: { vendor: 'openai', from: '2026-10-01', to: '2026-10-01', projects: { p: 'three' }, lines: [] },
    param: 'projects',
  },
] as const)('refuses $name', async ({ body, param }) => {
  await expect(admin.checkBill({ ...body, lines: [] })).rejects.toMatchObject({ status: 400, param });
});
