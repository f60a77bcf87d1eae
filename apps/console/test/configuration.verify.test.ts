/// <reference lib="dom" />
/** The page of the configuration in Chromium: a model is edited, its faults and differences are seen, it is saved and undone. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  type TestGateway,
} from '@model-gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { axe, createDriver, type Visit } from './console-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let gateway: TestGateway;
let browser: Browser;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });

describeInBrowser('the configuration in Chromium', () => {
  beforeAll(async () => {
    gateway = await openTestGateway({
      consoleFolder: await builtConsole(),
      yaml: `
config: { source: database }
log: { level: silent }
models:
  - code: smart
    strategy: cheapest
    routes:
      - { model: gpt-5.2, weight: 3 }
      - { model: gpt-5-mini, when: { groups: [free], input_tokens: { below: 1000 } } }
    fallbacks: { on_error: [gemini-3.1-pro] }
  - { code: gpt-5.2, fallbacks: { on_error: [gpt-5-mini] } }
  - { code: gpt-5-mini, fallbacks: { on_error: [gpt-5.2] } }
`,
    });
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  async function open(visit?: Visit): Promise<Page> {
    const page = await driver.open(visit);
    await driver.signIn(page, gateway.adminKey, 'configuration');
    return page;
  }

  const priceNow = () => gateway.server.catalogue().models.get('gpt-5.2')?.price.input;

  it('a price is edited: faults inline, the difference before saving, in effect at once, and undone', async () => {
    const page = await open();
    const before = priceNow();
    await page.getByText('kept in the database').waitFor();
    await page.getByLabel('Name').fill('gpt-5.2');
    await page.getByRole('button', { name: 'gpt-5.2', exact: true }).click();
    const field = page.getByLabel('Kept in the database');
    const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
    await tab('JSON');
    await field.fill('{ "price": ');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This is no JSON').first().waitFor();
    // Half a text is no form, and is there still when one comes back.
    await tab('Form');
    await page.getByText('cannot be read as a row yet').waitFor();
    await tab('JSON');
    expect(await field.inputValue()).toBe('{ "price": ');

    await field.fill('{ "prise": {}, "offers": [{ "account": "opnai", "model": "x", "dialect": "openai-chat" }] }');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('models[gpt-5.2].prise').waitFor();
    await page.getByText('models[gpt-5.2].offers[0].account').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await axe(page)).toEqual([]);
    await tab('Form');
    const offer = page.getByRole('group', { name: 'offers[0]' });
    await offer.locator('input[aria-invalid=true]').waitFor();
    expect(await offer.locator('input[aria-invalid=true]').inputValue()).toBe('opnai');
    expect(await axe(page)).toEqual([]);
    await offer.getByLabel('account *').fill('openai');
    // What was wrong with the account that stood there is wrong no longer.
    await offer.locator('input[aria-invalid=true]').waitFor({ state: 'detached' });
    await tab('JSON');
    expect(JSON.parse(await field.inputValue())).toMatchObject({ offers: [{ account: 'openai', model: 'x' }] });

    await field.fill('{ "price": { "input": 77 } }');
    await tab('Form');
    const price = page.getByRole('dialog').getByLabel('output', { exact: true });
    await price.fill('8.');
    expect(await price.inputValue()).toBe('8.');
    await price.fill('88');
    // What was checked is another text: it is checked again before it can be saved.
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/price\.input .+ → 77/).waitFor();
    expect(priceNow()).toBe(before);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(priceNow()).toBe(77);

    await page.getByRole('tab', { name: 'Changes' }).click();
    await driver.confirm(page, 'Undo');
    await page.getByText('undoes 1').waitFor();
    expect(priceNow()).toBe(before);
    await driver.close(page);
  });

  it('an account is added with a reference and taken away again, on a narrow dark screen in Chinese', async () => {
    const page = await open({ width: 390, scheme: 'dark', language: 'zh-CN' });
    await page.getByRole('button', { name: '添加' }).click();
    await page.getByRole('dialog').getByText('账户', { exact: true }).click();
    await page.getByRole('dialog').getByLabel('名称').fill('added/account');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: '下一步' }).click();
    await page.getByRole('button', { name: '检查' }).click();
    await page.getByText('account added/account is new').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const names = () => gateway.server.catalogue().accounts.map(({ name }) => name);
    expect(names()).toContain('added/account');

    await page.getByRole('button', { name: '筛选' }).click();
    await page.getByLabel('名称').fill('added');
    // What fits no longer has gone from the list: it is the one that was asked for.
    await page.waitForURL('**search=added');
    await page.getByRole('button', { name: 'added/account' }).click();
    await driver.confirm(page, '删除');
    await page.getByText('没有找到').waitFor();
    expect(names()).not.toContain('added/account');
    await driver.close(page);
  });

  it('a route is drawn as a tree: members with their conditions, offers in the order in which they are asked, fallbacks', async () => {
    const page = await open();
    await driver.move(page, 'routes');
    await page.getByRole('combobox', { name: 'Model' }).fill('smart');
    const tree = page.getByRole('region', { name: 'The tree of smart' });
    await tree.getByText('input_tokens: below 1000').waitFor();
    await tree.getByText('as above').first().waitFor();
    await driver.settle(page);
    // From the model to an account: under "Members" the model, under that its offers, under them the account.
    const member = tree.locator('.tree > li > ul > li').filter({ hasText: 'Members' }).locator('> ul > li').first();
    expect(await member.locator('> .node').textContent()).toMatch(/gpt-5\.2\s*weight 3/);
    expect(await member.locator('> ul > li > ul > li').first().textContent()).toMatch(/^openai/);
    expect(await tree.locator('.place').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Mode', exact: true }).click();
    await page.getByRole('option', { name: 'test' }).click();
    await page.getByRole('button', { name: 'Explain' }).click();
    await tree.locator('.place').first().waitFor();
    // Its own account first; then that of its fallback, which is beneath it.
    expect(await member.locator('.place').allTextContents()).toEqual(['1', '2']);
    expect(await axe(page)).toEqual([]);
    await driver.close(page);
  });

  it.each([
    { width: 1440, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)(
    'a route is changed as a form, checked, saved and explained: $width pixels, $scheme',
    async ({ width, scheme }) => {
      const rowOf = async (): Promise<Record<string, unknown>> => {
        const path = '/admin/config/entries/models/smart';
        const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${gateway.adminKey}` } });
        return ((await reply.json()) as { value: Record<string, unknown> }).value;
      };
      const before = await rowOf();
      const page = await open({ width, scheme });
      await driver.move(page, 'routes');
      await page.getByRole('combobox', { name: 'Model' }).fill('smart');
      await page.getByText('Change this route').click();
      const form = page.getByRole('form', { name: 'The route as a form' });
      const steps = form.locator('fieldset');
      await steps.nth(1).waitFor();
      // What stands there is what is in effect, with its conditions.
      expect(await steps.nth(0).getByLabel('Weight').inputValue()).toBe('3');
      expect(await steps.nth(1).getByLabel('Input tokens below').inputValue()).toBe('1000');
      await form.getByRole('button', { name: 'Add a step' }).click();
      const third = steps.nth(2);
      await third.getByLabel('Model', { exact: true }).fill('gpt-5-mni');
      await form.getByRole('button', { name: 'Check' }).click();
      await form.getByText("there is no model 'gpt-5-mni' (did you mean gpt-5-mini?)").waitFor();
      // What is refused is not saved.
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('It would be refused').waitFor();
      expect(await rowOf()).toEqual(before);
      await third.getByLabel('Model', { exact: true }).fill('gpt-5-mini');
      await third.getByLabel('Weight').fill('2');
      await third.getByText('Only for some requests').click();
      await third.getByRole('combobox', { name: 'Tags' }).fill('team=search');
      await third.getByRole('combobox', { name: 'Tags' }).press('Enter');
      await steps.nth(0).getByLabel('Weight').fill('5');
      expect(await axe(page)).toEqual([]);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').first().waitFor();
      expect(await rowOf()).toMatchObject({
        strategy: before['strategy'],
        routes: [
          { model: 'gpt-5.2', weight: 5 },
          (before['routes'] as unknown[])[1],
          { model: 'gpt-5-mini', weight: 2, when: { tags: { team: ['search'] } } },
        ],
        fallbacks: before['fallbacks'],
      });
      // The explanation beside it is of the new route.
      await page.getByRole('heading', { name: /Candidates, in order/ }).waitFor();
      await form.getByRole('button', { name: 'Remove Step 3' }).click();
      await steps.nth(0).getByLabel('Weight').fill('3');
      await form.getByRole('button', { name: 'Save' }).click();
      await steps.nth(2).waitFor({ state: 'detached' });
      await vi.waitFor(async () => expect(await rowOf()).toEqual(before));
      await driver.close(page);
    },
  );

  it('had no fault on the way', () => {
    expect(driver.faults).toEqual([]);
  });
});
