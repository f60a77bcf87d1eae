/// <reference lib="dom" />
/**
 * The console in Chromium, served by a gateway with the twin behind it: what people do there is done. An error in the browser's console, something
 * that the page's policy refuses, and whatever axe finds on a page fail it. One build, one browser and one gateway for all.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  type TestGateway,
} from '@model-gateway/testing';
import type { Browser, Response } from 'playwright-core';
import { ADMIN_PAGES, axe, createDriver, OWNER_PAGES, widthBeyond } from './console-driver.ts';
import { everyPage } from './every-page.ts';
import { liveTasks } from './live-tasks.ts';
import { operatorPages } from './operator-pages.ts';
import { leavingWork, operatorsWork } from './operators-work.ts';
import { playgroundWork } from './playground-work.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const FIRST_PAGE_BYTES = 160 * 1024;
/** A picture of one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

let gateway: TestGateway;
let browser: Browser;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });
const { open, close, signIn, go, move, faults, elsewhere } = driver;

describeInBrowser('the console in Chromium', () => {
  beforeAll(async () => {
    gateway = await openTestGateway({
      consoleFolder: await builtConsole(),
      // For keys of that name alone: what other tests say is looked at by nobody.
      yaml: `guardrails:
  - { name: personal, mode: mask, keys: [guarded], detect: [email] }
  - { name: no-keys, mode: refuse, keys: [guarded], detect: [api_key] }
budgets: [{ name: of-the-file, scope: owner, values: [nobody], window: day, limit: 7, action: alert, alert_at: [0.75, 1.5] }]
`,
      twinOptions: { media: 'tiny', seconds: { video: 1, subject: 0.3, image: 0.1 } },
    });
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  it('signs in with a key: a small first page, a refusal in words, nothing kept in the browser', async () => {
    const page = await open({ isFirst: true });
    const loaded = new Map<string, Promise<number>>();
    const weigh = (response: Response): void => {
      const { pathname } = new URL(response.url());
      if (/^\/console(\/.*\.(js|css|svg))?$/.test(pathname))
        loaded.set(
          pathname,
          response.body().then((body) => gzipSync(body).length),
        );
    };
    page.on('response', weigh);
    await page.goto(`${gateway.url}/console`);
    const field = page.getByLabel('API key or admin key');
    await field.waitFor();
    // A body still asked for when the page is closed would be an error that no test awaits.
    page.off('response', weigh);
    const sizes = await Promise.all(loaded.values());
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_PAGE_BYTES);
    expect(await axe(page)).toEqual([]);
    await field.fill('sk-not-a-key-of-this-gateway');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const fault = page.getByRole('alert');
    await fault.waitFor();
    expect(await fault.textContent()).toMatch(/Request id/);
    await field.fill(gateway.testKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]),
    );
    expect(kept).toBe('[[],[],""]');
    await close(page);
  });

  it('shows an owner nothing of operators, and does not ask for it', async () => {
    const page = await open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await signIn(page, gateway.testKey);
    const links = await page.locator('nav#nav a').allTextContents();
    expect(links).toEqual([
      'Playground',
      'Models',
      'Tasks',
      'Overview',
      'Usage',
      'Requests',
      'Statement',
      'Ledger',
      'Webhooks',
      'Keys',
      'Settings',
      'Docs',
    ]);
    for (const path of OWNER_PAGES) await move(page, path);
    for (const path of ADMIN_PAGES) {
      await move(page, path);
      await page.getByText('There is no such page').waitFor();
    }
    expect(asked.filter((path) => path.startsWith('/admin'))).toEqual([]);
    await close(page);
  });

  it('asks two models at once, shows what it took, and leads to the request', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground');
    await page.getByRole('button', { name: 'Compare with another model' }).click();
    const message = page.getByLabel('Your message');
    await message.fill('Hello **there** <img src=x onerror="window.harmed=1"> ![seen](https://tracker.invalid/a.png)');
    await message.press('Control+Enter');
    await page.locator('.stats').nth(1).waitFor();
    expect(await page.locator('.column').count()).toBe(2);
    expect(await page.locator('.stats').first().textContent()).toMatch(/tokens.*≈ \$/);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(await page.locator('.turn.assistant img').count()).toBe(0);
    await page.getByRole('button', { name: 'Show as code' }).click();
    await page.getByText('openai Python').click();
    const code = page.locator('.code pre');
    expect(await code.textContent()).toContain(`base_url="${gateway.url}/v1"`);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'View the request' }).first().click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    expect(await page.locator('.bars .track').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await page.goBack();
    // What was said is kept while one looks elsewhere.
    await page.locator('.turn.user').first().waitFor();
    await close(page);
  });

  it('calls a tool and takes its result from a form', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground');
    await page.getByRole('button', { name: 'Insert an example' }).first().click();
    await page.getByLabel('Your message').fill('What is the weather in Paris?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Result of get_weather').fill('{"temperature": 21}');
    await page.getByRole('button', { name: 'Submit results' }).click();
    await page.locator('.turn.tool').waitFor();
    await page.locator('.stats').nth(1).waitFor();
    await close(page);
  });

  it('makes a picture, changes one where it is painted, and says a sentence', async () => {
    const page = await open();
    // What a form carries is seen in the page alone.
    await page.addInitScript(() => {
      const { fetch: real } = window;
      window.fetch = async (input, init) => {
        if (input instanceof Request && input.url.endsWith('/v1/images/edits'))
          Object.assign(window, { sent: [...(await input.clone().formData()).keys()] });
        return real(input, init);
      };
    });
    await signIn(page, gateway.testKey, 'playground?kind=image');
    await page.getByLabel('Prompt').fill('a paper boat');
    await page.getByText(/At most \$/).waitFor();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.locator('.wall img').waitFor();
    await page.getByRole('radiogroup').getByText('Edits').click();
    await page.getByText('Choose an image').waitFor();
    await page.getByRole('combobox', { name: 'Model' }).fill('gpt-image-2');
    await page.getByRole('option', { name: 'gpt-image-2' }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL });
    const canvas = page.locator('.paint canvas');
    await canvas.waitFor();
    await canvas.click();
    await page.getByRole('textbox', { name: 'Instruction' }).fill('make it blue');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.wall img').waitFor();
    expect(await page.evaluate(() => (window as unknown as { sent: string[] }).sent)).toEqual(
      expect.arrayContaining(['image', 'mask', 'model', 'prompt']),
    );
    await page.getByRole('radiogroup').getByText('Speech').click();
    await page.getByLabel('Text to speak').fill('Good evening');
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.locator('audio').waitFor();
    await close(page);
  });

  it('makes a film of fields that the document has, follows it, plays it, and lists it among the tasks', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground?kind=video');
    await page.getByText('Parameters').click();
    await page.getByLabel('duration', { exact: true }).waitFor();
    await page.getByLabel('Prompt').fill('waves at night');
    await page.getByRole('button', { name: 'Generate' }).click();
    const film = page.locator('video');
    await film.waitFor({ timeout: 90_000 });
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    expect(await axe(page)).toEqual([]);
    await go(page, 'tasks');
    await page.getByText('waves at night').waitFor();
    await page.locator('.line button.open').first().click();
    await page.getByRole('dialog').locator('video').waitFor();
    await close(page);
  });

  it('keeps filters in the address', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'requests');
    await page.locator('.line').first().waitFor();
    await page.getByLabel('Model', { exact: true }).fill('no-such-model');
    await page.waitForURL('**/requests?model=no-such-model');
    await page.getByText('Nothing fits these filters').waitFor();
    await page.reload();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('no-such-model');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.locator('.line').first().waitFor();
    await close(page);
  });

  it('lets an operator make, use and revoke a key, add money and ask for a route', async () => {
    const page = await open();
    await signIn(page, gateway.adminKey, 'keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('from the console');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = page.getByLabel('Secret', { exact: true });
    await secret.waitFor();
    expect(await secret.textContent()).toMatch(/^\s*sk-test-/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'from the console' }).click();
    await driver.confirm(page, 'Revoke');
    await page.getByText('The key was revoked').waitFor();
    await go(page, 'owners');
    await page.locator('.line button.open').first().click();
    await page.getByLabel('Amount (USD)', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('dialog').getByText('$5.00').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Verify the ledger' }).click();
    await page.getByText('The ledger adds up').waitFor();
    await go(page, 'audit');
    await page.getByText('owner.topup').first().waitFor();
    await go(page, 'routes');
    await page.getByRole('combobox', { name: 'Model' }).fill('gpt-5.2');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: /Candidates, in order/ }).waitFor();
    await go(page, 'playground');
    await page.getByRole('button', { name: 'Create a test key and use it' }).click();
    await page.getByLabel('Your message').waitFor();
    await close(page);
  });

  it('goes on after a session that ended, and loses nothing that was typed', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground');
    const message = page.getByLabel('Your message');
    await message.fill('something long that took time to write');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('API key or admin key').fill(gateway.testKey);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect(await page.locator('.turn.user').textContent()).toContain('something long');
    await close(page);
  });

  it('says that the network is away, and goes on when it is back', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground');
    const message = page.getByLabel('Your message');
    await message.fill('still here');
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('What you typed is still here').waitFor();
    await page.context().setOffline(false);
    // The page looks by itself, too, and may have been first.
    await page
      .locator('.banner')
      .evaluateAll((banners) => banners.forEach((each) => each.querySelector('button')?.click()));
    await page.getByText('What you typed is still here').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Playground' }).click();
    expect(await message.inputValue()).toBe('still here');
    await close(page);
  });

  it('works where the browser has no network and the gateway is on the same machine', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground');
    await page.evaluate(() => dispatchEvent(new Event('offline')));
    await page.getByRole('link', { name: 'Keys' }).click();
    await page
      .getByText(/^sk-test-/)
      .first()
      .waitFor();
    await close(page);
  });

  it('draws of 10,000 models what is in sight, and takes long names and HTML of vendors as text', async () => {
    const page = await open();
    const name = `<img src=x onerror="window.harmed=1">${'long-name-'.repeat(18)}`;
    const model = {
      object: 'model',
      created: 1,
      owned_by: name,
      kind: 'chat',
      formats: [],
      endpoints: [],
      simulated: false,
    };
    const data = Array.from({ length: 10_000 }, (_, at) => ({ ...model, id: `${at}-${name}` }));
    await page.route('**/v1/models', (route) => route.fulfill({ json: { object: 'list', data } }));
    const error = {
      message: '<html><script>window.harmed=1</script>502 Bad Gateway</html>',
      code: 'upstream_unavailable',
    };
    await page.route('**/v1/chat/completions', (route) => route.fulfill({ status: 503, json: { error } }));
    await signIn(page, gateway.testKey, 'models');
    await page.locator('.line').first().waitFor();
    expect(await page.locator('.line').count()).toBeLessThan(80);
    await page.locator('.table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.getByText('9999-<img').waitFor();
    expect(await widthBeyond(page)).toBeLessThanOrEqual(0);
    await move(page, 'playground');
    await page.getByLabel('Your message').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('502 Bad Gateway').waitFor();
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(await widthBeyond(page)).toBeLessThanOrEqual(0);
    await close(page);
  });

  it('goes everywhere from the keyboard', async () => {
    const page = await open();
    await signIn(page, gateway.testKey);
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.waitForURL('**/console/keys');
    await page.keyboard.press('Control+k');
    await page.locator('[role=dialog] [role=combobox]').fill('ledg');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/ledger');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('What they do').waitFor();
    await close(page);
  });

  everyPage(driver, () => gateway);
  operatorsWork(driver, () => gateway);
  leavingWork(driver, () => gateway);
  operatorPages(driver, () => gateway);
  playgroundWork(driver, () => gateway);
  liveTasks(driver, () => gateway);

  it('had no fault on the way, and asked nobody but the gateway', () => {
    expect(faults).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});
