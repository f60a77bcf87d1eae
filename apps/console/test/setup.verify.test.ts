/// <reference lib="dom" />
/** The first hour of a gateway, in Chromium: a vendor's key is pasted and tested, a server is added with a price and a fallback, a key is made, a chat arrives. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAdmin, createClient } from '@model-gateway/client';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  startScriptedVendor,
  type ScriptedVendor,
  type TestGateway,
} from '@model-gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { axe, createDriver, type Visit } from './console-driver.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
/** Where pictures of the pages go, to be looked at; nowhere when it is not set. */
const PICTURES = process.env['CONSOLE_PICTURES'];

let gateway: TestGateway;
let ollama: ScriptedVendor;
let isUp = true;
let browser: Browser;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });

async function picture(page: Page, name: string): Promise<void> {
  await driver.settle(page);
  expect(await axe(page)).toEqual([]);
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** A server of somebody's own, which asks for no key. */
const startOllama = () =>
  startScriptedVendor(({ path }) => {
    if (!isUp) return { status: 503, json: { error: { message: 'the model is being loaded' } } };
    if (path === '/v1/models')
      return { json: { object: 'list', data: [{ id: 'rack-chat' }, { id: 'nomic-embed-text' }] } };
    if (path !== '/v1/chat/completions') return { status: 404, text: '404 page not found' };
    const message = { role: 'assistant', content: 'Hello from the rack.' };
    const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { json: { id: 'c1', object: 'chat.completion', created: 1, model: 'rack-chat', choices, usage } };
  });

describeInBrowser('setting up in Chromium', () => {
  beforeAll(async () => {
    ollama = await startOllama();
    gateway = await openTestGateway({
      isFirstStart: true,
      consoleFolder: await builtConsole(),
      yaml: 'log: { level: silent }\nmoney: { overdraft: 1 }',
    });
    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    await admin.owners.create({ name: 'Search team', credit_limit: null });
    await admin.owners.create({ name: 'Another team', credit_limit: null });
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await ollama.close();
  });

  async function open(visit?: Visit, path = ''): Promise<Page> {
    const page = await driver.open(visit);
    await driver.signIn(page, gateway.adminKey, path);
    return page;
  }
  const side = (page: Page) => page.getByRole('dialog', { name: 'Add an account' });
  const key = () => gateway.twin.credentials('openai')['api_key'] ?? '';

  it.each([
    { width: 390, scheme: 'dark', language: 'zh-CN' },
    { width: 1440, scheme: 'dark', language: 'en-US' },
  ] as const)('shows what is to be done at $width px, $scheme, $language, until it is dismissed', async (visit) => {
    const page = await open(visit);
    const list = page.locator('.first-run');
    await list.waitFor();
    await picture(page, `0-first-run-${visit.width}-${visit.scheme}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await list.getByRole('button').first().click();
    await list.waitFor({ state: 'detached' });
    await driver.go(page, '');
    await driver.settle(page);
    expect(await list.count()).toBe(0);
    await driver.close(page);
  });

  it('goes from nothing to a request that arrived', async () => {
    const page = await open();
    const list = page.getByRole('region', { name: 'Set up the gateway' });
    await list.waitFor();
    expect(await list.getByRole('img', { name: 'done', exact: true }).count()).toBe(0);
    await picture(page, '1-first-run');

    // A vendor: what is missing is said at its field, and nothing is saved.
    await list.getByRole('link', { name: 'Add an account' }).click();
    await side(page).getByLabel('Search vendors').waitFor();
    await picture(page, '2-vendors');
    await side(page).getByLabel('Search vendors').fill('openai');
    await side(page)
      .getByRole('button', { name: /^OpenAI openai/ })
      .click();
    await side(page).getByRole('button', { name: 'Save' }).click();
    await side(page).getByText('Enter the API key, or set OPENAI_API_KEY').waitFor();
    await side(page).locator('input[data-invalid]:focus').waitFor();
    await picture(page, '3-key-missing');
    await side(page).getByLabel('API key', { exact: true }).fill('not-the-key-0123456789');
    await side(page).getByText('More settings').click();
    await side(page).getByLabel('Address').fill(gateway.twin.baseUrl('openai'));
    await side(page).getByRole('button', { name: 'Test connection' }).click();
    await side(page).getByText('wrong key: the vendor refused').waitFor();
    await side(page).getByLabel('API key', { exact: true }).fill(key());
    await side(page).getByRole('button', { name: 'Test connection' }).click();
    await side(page).getByText('the vendor answered for').waitFor();
    await side(page).getByText('$1.75 per million input tokens').first().waitFor();
    await picture(page, '4-tested');
    expect((await listed('openai'))?.on).toBe(false);
    await side(page).getByRole('button', { name: 'Save' }).click();
    await side(page).waitFor({ state: 'detached' });
    expect((await listed('openai'))?.on).toBe(true);
    await picture(page, '5-accounts');

    // A key for an owner who is picked by name.
    await driver.move(page, '');
    await list.getByRole('img', { name: 'done', exact: true }).first().waitFor();
    await list.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByLabel('Name', { exact: true }).fill('search service');
    await form.getByText('Live', { exact: true }).click();
    await form.getByRole('combobox', { name: 'Owner' }).fill('search');
    await page.getByRole('option', { name: 'Search team' }).click();
    await form.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();

    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByRole('status').waitFor();
    await list.getByRole('link', { name: 'Open the newest request' }).waitFor();
    await page.getByRole('heading', { name: 'The gateway is set up' }).waitFor();
    await picture(page, '6-set-up');
    await list.getByRole('link', { name: 'Open the newest request' }).click();
    await page.getByText('search service').first().waitFor();
    // What is done is not shown again.
    await driver.go(page, '');
    await driver.settle(page);
    expect(await page.getByRole('region', { name: 'Set up the gateway' }).count()).toBe(0);
    await driver.close(page);
  });

  it('adds a server of its own with a price and a fallback, which answers when the server does not', async () => {
    const page = await open({}, 'accounts?add=account');
    await side(page).getByLabel('Search vendors').fill('ollama');
    await side(page)
      .getByRole('button', { name: /^OpenAI-compatible server/ })
      .click();
    await side(page).getByLabel('Name', { exact: true }).fill('rack');
    await side(page).getByLabel('Address').fill(ollama.url);
    await side(page).getByRole('button', { name: 'Test connection' }).click();
    await side(page).getByText('the base URL lacks /v1').waitFor();
    await side(page).getByLabel('Address').fill(`${ollama.url}/v1`);
    await side(page).getByRole('button', { name: 'Test connection' }).click();
    await side(page).getByText('the server lists 2 models').waitFor();
    await side(page).getByLabel('rack-chat', { exact: true }).check();
    await side(page).getByRole('button', { name: 'Save' }).click();
    await side(page).getByText('Enter a price, or tick “Free”.').first().waitFor();
    await picture(page, '7-price-missing');
    await side(page).getByLabel('per million input tokens').fill('0.1');
    await side(page).getByLabel('per million output tokens').fill('0.2');
    await side(page).getByRole('combobox', { name: 'And fall back to' }).fill('gpt-5-mini');
    await page.getByRole('option', { name: 'gpt-5-mini', exact: true }).click();
    await picture(page, '8-server');
    await side(page).getByRole('button', { name: 'Save' }).click();
    await side(page).waitFor({ state: 'detached' });
    await driver.close(page);

    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    const row = await admin.configEntries.get('models', 'rack-chat');
    expect(row.value).toMatchObject({ price: { input: 0.1, output: 0.2 }, fallbacks: { on_error: ['gpt-5-mini'] } });
    const { secret } = await admin.keys.create({ name: 'rack', mode: 'live', owner_id: 2 });
    const client = createClient({ baseUrl: gateway.url, apiKey: secret, maxRetries: 0 });
    const ask = () => client.chat.create({ model: 'rack-chat', messages: [{ role: 'user', content: 'Hello' }] });
    expect((await ask()).choices[0]?.message.content).toBe('Hello from the rack.');
    isUp = false;
    expect((await ask()).model).toMatch(/^gpt-5-mini/);
    isUp = true;
  });

  it('chats with the server in the playground', async () => {
    const page = await open({}, 'playground');
    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    const { secret } = await admin.keys.create({ name: 'play', mode: 'live', owner_id: 2 });
    await driver.addKey(page, secret);
    await driver.go(page, 'playground');
    await driver.settle(page);
    await page.getByRole('combobox', { name: /Model/ }).first().fill('rack-chat');
    await page
      .getByRole('option', { name: /rack-chat/ })
      .first()
      .click();
    await page
      .getByRole('textbox', { name: /message/i })
      .last()
      .fill('Say hello');
    await page.getByRole('button', { name: 'Send' }).first().click();
    await page.getByText('Hello from the rack.').first().waitFor();
    await picture(page, '9-playground');
    await driver.close(page);
  });

  it('adds Ollama by the steps of the guide, and takes it away again', async () => {
    const page = await open({}, 'accounts');
    const began = performance.now();
    await page.getByRole('button', { name: 'Add an account' }).click();
    await side(page).getByLabel('Search vendors').fill('Ollama');
    await side(page)
      .getByRole('button', { name: /^Ollama ollama$/ })
      .click();
    await side(page).getByLabel('Address').fill(gateway.twin.baseUrl('ollama'));
    await side(page).getByRole('button', { name: 'Test connection' }).click();
    await side(page)
      .getByLabel(/^llama3\.2/)
      .first()
      .check();
    await side(page).getByLabel('per million input tokens').fill('0.1');
    await side(page).getByLabel('per million output tokens').fill('0.2');
    await side(page).getByRole('combobox', { name: 'And fall back to' }).fill('gpt-5-mini');
    await page.getByRole('option', { name: 'gpt-5-mini', exact: true }).click();
    await picture(page, '9-ollama');
    await side(page).getByRole('button', { name: 'Save' }).click();
    await side(page).waitFor({ state: 'detached' });
    // A person types slower than this, and thinks.
    expect(performance.now() - began).toBeLessThan(60_000);
    expect((await listed('ollama'))?.on).toBe(true);
    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    const [row] = (await admin.configEntries.list({ section: 'models', from: 'database' }).all()).filter(({ name }) =>
      name.startsWith('llama3.2'),
    );
    const { secret } = await admin.keys.create({ name: 'ollama', mode: 'live', owner_id: 2 });
    const client = createClient({ baseUrl: gateway.url, apiKey: secret, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    expect((await client.chat.create({ model: row?.name ?? '', messages })).model).toMatch(/^llama3\.2/);
    await admin.configEntries.delete('models', row?.name ?? '');
    await page.getByRole('button', { name: 'ollama', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    await driver.confirm(page, 'Back to the file');
    await page.getByRole('dialog', { name: 'ollama' }).waitFor({ state: 'detached' });
    expect(await listed('ollama')).toMatchObject({ on: false, off_reason: 'OLLAMA_BASE_URL is not set' });
    await driver.close(page);
  });

  it('changes the account: its secret is kept, or replaced', async () => {
    const page = await open({}, 'accounts');
    await page.getByRole('button', { name: 'openai', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'openai', exact: true });
    const secret = form.getByLabel('API key', { exact: true });
    await secret.waitFor();
    expect(await secret.inputValue()).toBe('');
    expect(await secret.getAttribute('placeholder')).toContain('kept');
    await form.getByRole('button', { name: 'Test connection' }).click();
    await form.getByText('the vendor answered for').waitFor();
    await form.getByText('More settings').click();
    await form.getByLabel('Organization').fill('org-of-ours');
    await picture(page, '10-edit');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await listed('openai'))?.on).toBe(true);
    const row = await createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey }).configEntries.get(
      'accounts',
      'openai',
    );
    expect(row.kept).toMatchObject({ credentials: { api_key: '***' }, settings: { organization: 'org-of-ours' } });
    await driver.close(page);
  });

  it.each([
    { width: 390, scheme: 'dark', language: 'zh-CN' },
    { width: 390, scheme: 'light', language: 'en-US' },
    { width: 1440, scheme: 'dark', language: 'en-US' },
  ] as const)('fits $width px, $scheme, $language', async (visit) => {
    const page = await open(visit, 'accounts');
    const name = `${visit.width}-${visit.scheme}`;
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await picture(page, `11-accounts-${name}`);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await driver.go(page, 'accounts?add=account');
    await page.getByRole('dialog').getByRole('textbox').first().fill('groq');
    await picture(page, `12-vendors-${name}`);
    await page.getByRole('dialog').getByRole('button', { name: /^Groq/ }).click();
    await page.getByRole('dialog').locator('input[type=password]').waitFor();
    await picture(page, `13-form-${name}`);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await driver.close(page);
  });

  it('had no fault on the way', () => {
    expect(driver.faults).toEqual([]);
    expect(driver.elsewhere).toEqual([]);
  });

  async function listed(name: string) {
    const { data } = await createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey }).accounts();
    return data.find((each) => each.name === name);
  }
});
