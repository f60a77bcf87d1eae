/// <reference lib="dom" />
/** What operators hold against their vendors, in Chromium: bills beside the ledger, lists of models beside the catalogue, requests on another model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  startScriptedVendor,
  type ScriptedVendor,
  type TestGateway,
} from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import type { Browser, Page } from 'playwright-core';
import { axe, createDriver, widthBeyond } from './console-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
/** Where pictures of the pages go, to be looked at; nowhere when it is not set. */
const PICTURES = process.env['CONSOLE_PICTURES'];
const NARROW = { width: 390, height: 900, scheme: 'dark', language: 'zh-CN' } as const;

let gateway: TestGateway;
let twin: VendorTwin;
let maker: ScriptedVendor;
let admin: Admin;
let browser: Browser;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });

/** What the maker lists, in the form of OpenRouter. */
const LIST = [
  {
    id: 'same',
    context_length: 1000,
    pricing: { prompt: '0.000001', completion: '0.000003', request: '0' },
    deprecation: '2027-01-31T00:00:00Z',
  },
  { id: 'dear', context_length: 1000, pricing: { prompt: '0.000002', completion: '0.000003' } },
  { id: 'fresh', context_length: 500, pricing: { prompt: '0.0000005', completion: '0.000002' } },
  { id: 'unpriced' },
];
const ITEMS = { fast: 'gpt-5.2-2025-12-11', other: 'gpt-5-mini-2025-08-07' } as const;

describeInBrowser('what vendors say, in Chromium', () => {
  beforeAll(async () => {
    twin = await startVendorTwin({ media: 'tiny' });
    maker = await startScriptedVendor(({ path, headers }) =>
      path === '/v1/models' && headers['authorization'] === 'Bearer a-key-of-the-maker'
        ? { json: { data: LIST } }
        : { status: 401, json: { error: { message: 'no such key' } } },
    );
    const openai = (name: string): string => `  - { name: ${name}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }`; // prettier-ignore
    const row = (code: string, account: string, model: string, price: string): string => `  - { code: ${code}, kind: chat, limits: { max_input_tokens: 1000 }, offers: [{ account: ${account}, model: ${model}, dialect: openai-chat }], price: ${price} }`; // prettier-ignore
    gateway = await openTestGateway({
      twin,
      consoleFolder: await builtConsole(),
      yaml: `extends: none
log: { level: silent }
config: { source: database }
requests: { log: bodies }
security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
accounts:
${openai('one')}
${openai('two')}
  - { name: maker, vendor: openai-compatible, base_url: '${maker.url}/v1', credentials: { api_key: a-key-of-the-maker } }
  - { name: stranger, vendor: openai-compatible, base_url: '${maker.url}/v1', credentials: { api_key: a-wrong-key } }
models:
${row('fast', 'one', 'gpt-5.2-2025-12-11', '{ input: 10000, output: 40000 }')}
${row('other', 'two', 'gpt-5-mini', '{ input: 2000, output: 8000 }')}
${row('same', 'maker', 'same', '{ input: 1, output: 3 }')}
${row('dear', 'maker', 'dear', '{ input: 1, output: 3 }')}
${row('left', 'maker', 'left', '{ input: 1, output: 3 }')}
`,
    });
    admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
    for (const model of ['fast', 'fast', 'other']) await chat(gateway.liveKey, model);
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await twin.close();
    await maker.close();
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

  /** Nothing for axe, nothing that hangs out; and a picture where one is wanted. */
  async function look(page: Page, name: string): Promise<void> {
    await driver.settle(page);
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
    expect(await axe(page)).toEqual([]);
    expect(await widthBeyond(page)).toBeLessThanOrEqual(0);
  }

  interface BillRow {
    readonly day: string;
    readonly item: string;
    readonly amount: number;
    readonly project: string;
  }

  /** What the vendor charges for what went through the gateway. */
  async function trueRows(): Promise<readonly BillRow[]> {
    const entries = (await admin.ledger.list({ kind: 'capture', limit: 100 })).items;
    return entries.flatMap(({ created_at: at, model, detail }) =>
      (detail['lines'] as { item: string; quantity: number; price: number; per: number }[]).map((line) => ({
        day: at.slice(0, 10),
        item: `${ITEMS[model as keyof typeof ITEMS]}, ${line.item.replace('_', ' ')}`,
        amount: (line.quantity * line.price) / line.per,
        project: model === 'fast' ? 'proj_a' : 'proj_b',
      })),
    );
  }

  const csvOf = (rows: readonly BillRow[]): Buffer =>
    gzipSync(
      [
        'start_time_iso,amount_value,amount_currency,line_item,project_id',
        ...rows.map((row) => `${row.day}T00:00:00Z,${row.amount.toFixed(9)},usd,"${row.item}",${row.project}`),
      ].join('\n'),
    );

  /** The true bill with one request more of a model, and an item that is no model. */
  async function planted(): Promise<readonly BillRow[]> {
    const rows = await trueRows();
    const day = rows[0]?.day ?? '';
    return [
      ...rows,
      { day, item: `${ITEMS.other}, input`, amount: 3, project: 'proj_b' },
      { day, item: 'code interpreter sessions', amount: 0.3, project: 'proj_a' },
    ];
  }

  const give = (page: Page, buffer: Buffer, name = 'costs.csv.gz'): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/gzip', buffer });
  const compare = async (page: Page, name = 'Compare'): Promise<void> => {
    const answered = page.waitForResponse('**/admin/bills/check');
    await page.getByRole('button', { name, exact: true }).click();
    expect((await answered).status()).toBe(200);
    await driver.settle(page);
  };
  const lines = (page: Page): Promise<string[]> => page.locator('.line').allInnerTexts();

  it('compares a bill with the ledger: what differs and why, all of it, and the same as a file', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'bills');
    await look(page, 'bills-empty');
    const sent = page.waitForRequest('**/admin/bills/check');
    await give(page, csvOf(await planted()));
    await compare(page);
    // As many lines as items and days, and no row of the file.
    const body = (await sent).postDataJSON() as { lines: { item: string; amount: string }[] };
    expect(body.lines.length).toBe(new Set((await planted()).map(({ item }) => item)).size);
    expect(await lines(page)).toHaveLength(1);
    const line = page.locator('.line').first();
    expect(await line.innerText()).toMatch(/gpt-5-mini[\s\S]*\+\$3\.00[\s\S]*Somebody uses the vendor’s key outside/);
    await page.getByText('of 2 that were compared').waitFor();
    await look(page, 'bills');
    await page.getByText('Everything compared').click();
    await expect.poll(() => lines(page)).toHaveLength(2);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const saved = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(saved[0]).toBe('day,model,account,requests,vendor_usd,ledger_usd,difference_usd,causes,explanation');
    expect(saved.slice(1).map((each) => each.split(',').slice(1, 4))).toEqual([
      ['gpt-5-mini', '', '1'],
      ['gpt-5-2', '', '2'],
    ]);
    await line.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The vendor counted more than the gateway sent').waitFor();
    await look(page, 'bills-row');
    await driver.close(page);
  });

  it('takes what the operator knows: the model of an item, and the account of a project', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'bills');
    await give(page, csvOf(await planted()));
    await compare(page);
    await page.getByRole('combobox', { name: 'code interpreter sessions' }).fill('other');
    await page.getByRole('option', { name: 'other', exact: true }).click();
    await page.locator('section.card').filter({ hasText: 'Items of no known model' }).getByRole('button', { name: 'Compare again' }).click(); // prettier-ignore
    await page.locator('.line').filter({ hasText: '+$3.30' }).waitFor();
    expect(await page.getByText('Items of no known model').count()).toBe(0);
    const nameProject = async (project: string, account: string): Promise<void> => {
      await page.getByRole('combobox', { name: project }).click();
      await page.getByRole('option', { name: account, exact: true }).click();
      await compare(page, 'Compare again');
    };
    // What is not named is apart, and nobody's use of the key elsewhere.
    await nameProject('proj_a', 'one');
    await page.getByText(/one project without an account \$3\.\d+, the account two without a project/).waitFor();
    expect(await page.locator('.line').filter({ hasText: '+$3.00' }).count()).toBe(0);
    await nameProject('proj_b', 'two');
    // The item of proj_a is of the other account now.
    await expect.poll(() => page.locator('.line').filter({ hasText: 'two' }).innerText()).toContain('+$3.00');
    expect(await page.locator('.line').filter({ hasText: 'one' }).innerText()).toContain('+$0.30');
    // The bar above the page covers a part of what is scrolled beneath it.
    await page.evaluate(() => window.scrollTo(0, 0));
    await look(page, 'bills-accounts');
    await driver.close(page);
  });

  it('says in words what is wrong with a file, and at its field what the gateway refuses', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'bills');
    await give(page, Buffer.from('a,b\n1,2\n'), 'other.csv');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('This is no cost export of openai that is known; its columns are a, b.').waitFor();
    expect(await axe(page)).toEqual([]);
    await give(page, Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'broken.csv.gz');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('The file is no gzip, is cut off, or is several gzip files in one').waitFor();
    await give(page, Buffer.concat([csvOf(await trueRows()), csvOf(await trueRows())]), 'two.csv.gz');
    await page.getByText('The file is no gzip').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('Unpack it and choose the unpacked file.').waitFor();
    const rows = await trueRows();
    await give(page, csvOf(rows));
    await page.getByLabel('First day (UTC)').fill('2020-01-01');
    await page.getByLabel('Last day (UTC)').fill(rows[0]?.day ?? '');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByText('a check covers 31 days at most').waitFor();
    expect(await page.getByLabel('First day (UTC)').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('First day (UTC)').fill(rows[0]?.day ?? '');
    await compare(page);
    await page.getByText('Both sides agree').waitFor();
    await look(page, 'bills-agree');
    await driver.close(page);
  });

  it('shows nothing of a file that is not chosen any more, and asks about the largest projects first', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'bills');
    let answer = (): void => undefined;
    let failed = 0;
    page.on('requestfailed', (request) => (failed += Number(request.url().endsWith('/admin/bills/check'))));
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/admin/bills/check', async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await give(page, csvOf(await planted()));
    const asked = page.waitForRequest('**/admin/bills/check');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await asked;
    const day = (await trueRows())[0]?.day ?? '';
    const many = Array.from({ length: 55 }, (_, index) => ({ day, item: `${ITEMS.other}, input`, amount: index + 1, project: index === 9 ? '' : `p${index + 1}` })); // prettier-ignore
    await give(page, csvOf(many), 'many.csv.gz');
    await expect.poll(() => failed).toBe(1);
    await page.getByText('Nothing is compared yet').waitFor();
    answer();
    await page.unroute('**/admin/bills/check');
    await compare(page);
    const projects = page.locator('section.card').filter({ hasText: 'Projects of the vendor (55)' });
    expect(await projects.getByRole('combobox').count()).toBe(50);
    expect(await projects.locator('label').first().innerText()).toBe('p55');
    await projects.getByText('Without a project').waitFor();
    await projects.getByText('5 smaller ones are not shown.').waitFor();
    await look(page, 'bills-projects');
    await driver.close(page);
  });

  it('adds up a large file, and can be stopped while it reads', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'bills');
    const [first] = await trueRows();
    const row = `${first?.day ?? ''}T00:00:00Z,0.0001,usd,"${ITEMS.other}, input","${'p'.repeat(60)}"\n`;
    const large = Buffer.from(
      `start_time_iso,amount_value,amount_currency,line_item,project_id\n${row.repeat(50_000)}`,
    );
    await give(page, large, 'large.csv');
    const sent = page.waitForRequest('**/admin/bills/check');
    await compare(page);
    expect(((await sent).postDataJSON() as { lines: object[] }).lines).toMatchObject([{ amount: '5' }]);
    // A disk that gives nothing more.
    await page.evaluate(() => {
      Blob.prototype.stream = () => new ReadableStream({ pull: () => new Promise(() => undefined) });
    });
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().endsWith('/admin/bills/check'))));
    await give(page, large, 'stuck.csv');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('button', { name: '0 % read · Cancel' }).click();
    await page.getByText('Nothing is compared yet').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(asked).toBe(0);
    await driver.close(page);
  });

  it('stands on a phone, in Chinese', async () => {
    const page = await driver.open(NARROW);
    await driver.signIn(page, gateway.adminKey, 'bills');
    await give(page, csvOf(await planted()));
    await compare(page, '比较');
    await page.locator('.line').first().waitFor();
    await look(page, 'bills-390');
    await page.locator('.line').first().getByRole('button').click();
    await page.getByRole('dialog').getByText('有人在网关之外使用该供应商的密钥。').waitFor();
    await look(page, 'bills-row-390');
    await driver.move(page, 'models?view=changes&account=maker');
    await page.getByRole('button', { name: '查询该供应商' }).click();
    await page.locator('.line').filter({ hasText: 'fresh' }).getByRole('button').click();
    await page.getByRole('dialog').getByText('code: maker/fresh').waitFor();
    await look(page, 'models-390');
    await driver.move(page, 'requests');
    await page.getByRole('link', { name: '在另一模型上试用' }).click();
    await page.getByRole('button', { name: '估算' }).waitFor();
    await look(page, 'replay-390');
    await driver.close(page);
  });

  it('asks a vendor for its models when told to, says what differs, and takes a model over', async () => {
    const page = await driver.open();
    const before = maker.requests.length;
    await driver.signIn(page, gateway.adminKey, 'models');
    await page.getByRole('link', { name: 'New models' }).click();
    await page.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: 'maker' }).click();
    await page.waitForURL('**/models?view=changes&account=maker');
    await look(page, 'models-before');
    expect(maker.requests).toHaveLength(before);
    await page.getByRole('button', { name: 'Ask the vendor' }).click();
    await page.getByText('lists 4 models: 2 new, 1 gone, 1 will be retired, 1 with another price').waitFor();
    expect(maker.requests).toHaveLength(before + 1);
    expect(await page.locator('.line').filter({ hasText: 'another price' }).innerText()).toMatch(/dear[\s\S]*input 1[\s\S]*input 2/); // prettier-ignore
    await look(page, 'models-changes');
    const open = async (model: string) => {
      await page.locator('.line').filter({ hasText: model }).getByRole('button').click();
      return page.getByRole('dialog', { name: model });
    };
    const shut = async (dialog: Awaited<ReturnType<typeof open>>): Promise<void> => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    for (const [model, words] of [
      ['left', 'The account does not list it any more'],
      ['unpriced', 'add one before you offer the model'],
    ] as const) {
      const dialog = await open(model);
      await dialog.getByText(words).waitFor();
      expect(await dialog.getByRole('button', { name: 'Take it over' }).count()).toBe(0);
      await shut(dialog);
    }
    const dialog = await open('fresh');
    const yaml = await dialog.getByLabel('In the file, below models:').innerText();
    expect(yaml).toContain('price: { input: 0.5, output: 2 }');
    await look(page, 'models-change');
    await driver.confirm(page, 'Take it over');
    await page.getByText('lists 4 models: 1 new, 1 gone, 1 will be retired, 1 with another price').waitFor();
    // A row that has the day is not told again.
    await (await open('same')).getByText('retires: "2027-01-31"').waitFor();
    await driver.confirm(page, 'Take it over');
    await page.getByText('lists 4 models: 1 new, 1 gone, 1 with another price').waitFor();
    expect((await admin.configEntries.get('models', 'same')).kept).toEqual({ retires: '2027-01-31' });
    expect((await admin.models()).data.find(({ id }) => id === 'maker/fresh')).toMatchObject({ price: { input: 0.5, output: 2 } }); // prettier-ignore
    // All of them: one that refuses the key hides nothing of the others.
    await driver.go(page, 'models?view=changes');
    await page.getByRole('button', { name: 'Ask all vendors' }).click();
    await page.getByText(/credentials .* were refused/).waitFor();
    await page.getByText('lists 4 models').waitFor();
    await look(page, 'models-all');
    await driver.move(page, 'accounts');
    await page.getByRole('button', { name: 'maker', exact: true }).click();
    await page.getByRole('link', { name: 'New models of the vendor' }).click();
    await page.waitForURL('**/models?view=changes&account=maker');
    await driver.close(page);
  });

  it('estimates requests on another model, and sends a sample within its budget', async () => {
    const { key, secret } = await admin.keys.create({ name: 'harbour bot', owner_id: 1, keep_bodies: true });
    // Of a machine under load the log cuts some: there are more than are sent.
    for (let count = 0; count < 6; count++) await chat(secret, 'fast');
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, `requests?key_id=${key.id}`);
    await page.getByRole('link', { name: 'Try on another model' }).click();
    expect(await page.getByRole('combobox', { name: 'Key' }).inputValue()).toBe('harbour bot');
    await look(page, 'replay-empty');
    await page.getByRole('combobox', { name: 'The other model' }).fill('nobody');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByRole('combobox', { name: 'The other model' }).fill('other');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByText('On other, estimated').waitFor();
    const estimate = await admin.estimateReplay({ key_id: key.id, model: 'other' });
    expect(estimate.requests).toBe(6);
    await look(page, 'replay-estimate');
    await page.getByLabel('Requests, 100 at most').fill('2');
    await page.getByLabel('Budget (USD)').fill('5');
    const asked = (): number => twin.requests.list({ vendor: 'openai', operation: 'chat' }).length;
    const before = asked();
    await page.getByRole('button', { name: 'Send 2 requests for $5.00 at most' }).click();
    await page.getByText(/^2 compared: /).waitFor();
    expect(asked() - before).toBe(2);
    expect(await page.locator('article').count()).toBe(2);
    expect(await page.locator('article').first().innerText()).toMatch(/hi[\s\S]*As recorded[\s\S]*other/);
    await look(page, 'replay-sample');
    const made = (await admin.audit.list({ action: 'key.create' }).all()).find(({ after }) => JSON.stringify(after).includes('replay of harbour bot')); // prettier-ignore
    expect(made?.after).toMatchObject({ owner_id: 1, mode: 'live', models: ['other'], limits: { spend_total: 5 } });
    const revoked = await admin.audit.list({ action: 'key.revoke' }).all();
    expect(revoked.map(({ subject }) => subject)).toContain(made?.subject);
    // What is used up ends it; nothing more is sent.
    await page.getByLabel('Budget (USD)').fill('0.0001');
    await page.getByRole('button', { name: 'Send 2 requests for' }).click();
    await page.getByText('It ended because the budget is used.').waitFor();
    await page.getByRole('switch', { name: 'Simulated vendors answer' }).click();
    await page.getByRole('button', { name: 'Send 2 requests', exact: true }).click();
    await page.getByText(/^2 compared: /).waitFor();
    const [newest] = (await admin.requests.list({ user: 'replay', limit: 1 })).items;
    expect(newest).toMatchObject({ mode: 'test', model: 'other', session: 'replay', run: 'replay' });
    await driver.close(page);
  });

  it('had no fault on the way, and asked nobody but the gateway', () => {
    expect(driver.faults).toEqual([]);
    expect(driver.elsewhere).toEqual([]);
  });
});
