/// <reference lib="dom" />
/** Usage and statements in Chromium: what finance looks at, on wide and narrow screens, light and dark, and what it saves and prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  type TestGateway,
} from '@model-gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { axe, createDriver, widthBeyond } from './console-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const DAY = 86_400_000;
const UNITS = 500_000;
const MODELS = [
  'gpt-5.2',
  'claude-sonnet-5',
  'gemini-3.1-pro',
  'sora-2',
  'gpt-5-mini',
  'veo-3.1',
  'text-embedding-3-small',
];

let gateway: TestGateway;
let browser: Browser;
let owner: number;
let secret: string;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });

describeInBrowser('usage and statements in Chromium', () => {
  beforeAll(async () => {
    gateway = await openTestGateway({ consoleFolder: await builtConsole() });
    browser = await openTestBrowser();
    await fillLedger();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  /** Two months of an owner: top-ups, a fee, a credit, charges of all models at the start of this month, of three in turn on every other day that has begun. */
  async function fillLedger(): Promise<void> {
    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    const { ledger } = gateway.server.parts.store;
    owner = (
      await admin.owners.create({
        name: 'Research & Development',
        monthly_budget: 40 * UNITS,
        low_balance: 500 * UNITS,
      })
    ).id;
    const made = await admin.keys.create({ name: 'search service', owner_id: owner, limits: { spend_per_month: 30 } });
    secret = made.secret;
    const today = new Date();
    const [month, now] = [Date.UTC(today.getUTCFullYear(), today.getUTCMonth()), today.getTime()];
    const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1);
    await ledger.topUp(owner, 250 * UNITS, { note: 'Invoice 2026-0917' }, first + 3_600_000);
    await ledger.topUp(owner, 100 * UNITS, { note: 'Invoice 2026-1018' }, month);
    await ledger.adjust(owner, -2 * UNITS, { note: 'Setup fee' }, month + 1);
    const payer = { ownerId: owner, keyId: made.key.id, limits: {} };
    const chargedAt = (at: number) =>
      [...MODELS.entries()].filter(([index]) => at === month || (index + at / DAY) % MODELS.length < 3);
    for (let at = first; at < now; at += DAY)
      await ledger.record(
        chargedAt(at).map(([index, model]) => ({
          ...{ payer, model, requestId: `req_${at}_${index}`, endpoint: '/v1/chat/completions', shortfall: 0 },
          ...{ priceVersion: 'v1', accountId: 1 + (index % 3), at: Math.min(now, at + index * 60_000) },
          charged: Math.round((UNITS * (7 - index) * (5 + ((at / DAY) % 7))) / 83) + index,
          detail: {
            usage: { inputTokens: 900 * (index + 1), outputTokens: 300 },
            tags: { team: index % 2 ? 'search' : 'ads' },
          },
        })),
      );
    await ledger.waive(`req_${month}_2`, { note: 'Outage of the vendor' }, now);
  }

  /** For people who look at what a test has seen, where SCREENSHOTS names a folder. */
  async function shot(page: Page, name: string): Promise<void> {
    const shots = process.env['SCREENSHOTS'];
    if (shots !== undefined)
      await page.screenshot({
        path: join(shots, `${name}.png`),
        fullPage: true,
        clip: { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height: 1500 },
      });
  }

  it.each([
    { width: 1440, scheme: 'light', other: 'dark', language: 'en-US', isEach: true },
    { width: 390, scheme: 'dark', other: 'light', language: 'zh-CN', isEach: false },
  ] as const)(
    'both pages have nothing for axe and nothing that hangs out: $width, $scheme, $language',
    async (visit) => {
      const page = await driver.open(visit);
      await driver.signIn(page, gateway.adminKey, `statement?owner_id=${owner}`);
      const others = [
        `statement?owner_id=${owner}&days=90&holds=true`,
        `statement?owner_id=${owner}&by=tag`,
        'usage?by=vendor&days=30',
        'usage?by=tag&tag=team',
        'owners',
        'ledger',
      ];
      for (const path of [`statement?owner_id=${owner}`, `usage?owner_id=${owner}`, ...(visit.isEach ? others : [])]) {
        await driver.move(page, path);
        await driver.settle(page);
        if (path.startsWith('usage'))
          await page.locator('.chart .recharts-bar-rectangle').first().waitFor({ timeout: 10_000 });
        const name = path.replaceAll(/\W+/g, '-');
        await shot(page, `${visit.width}-${visit.scheme}-${name}`);
        const found = await axe(page);
        await page.emulateMedia({ colorScheme: visit.other });
        const pale = await axe(page, ['color-contrast']);
        await page.emulateMedia({ colorScheme: visit.scheme });
        const beyond = await widthBeyond(page);
        expect({ path, found, pale, beyond }).toEqual({ path, found: [], pale: [], beyond: 0 });
      }
      expect(driver.faults).toEqual([]);
      await driver.close(page);
    },
  );

  it('the statement adds up, opens the charges of a day, and is saved whole and printed', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, `statement?owner_id=${owner}`);
    const sheet = page.locator('.sheet');
    await sheet.getByText('Setup fee').waitFor();
    expect(await sheet.locator('.sheet-head').innerText()).toContain('Research & Development');
    const amounts = await sheet.locator('tbody tr:not(.balance) td:nth-child(5) .money').allInnerTexts();
    const units = (text: string): number =>
      Math.round(Number(text.replaceAll(/[$,\s]/g, '').replace('−', '-')) * UNITS);
    const [opening = '', ...balances] = await sheet.locator('tbody tr td:last-child .money').allInnerTexts();
    expect(amounts.length).toBeGreaterThan(MODELS.length);
    expect(units(opening) + amounts.reduce((sum, text) => sum + units(text), 0)).toBe(units(balances.at(-1) ?? ''));

    const charge = sheet.getByRole('button', { name: 'gpt-5.2', exact: true }).first();
    await charge.click();
    await sheet.locator('.charges li').first().waitFor();
    expect(await sheet.locator('.charges li').count()).toBe(1);

    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV of all charges' }).click();
    const csv = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(csv.at(-1)).toContain('Closing balance');
    expect(csv.filter((line) => line.includes(',charge,')).length).toBeGreaterThanOrEqual(MODELS.length);

    await page.emulateMedia({ media: 'print' });
    await shot(page, 'print');
    expect(
      await page
        .locator('nav, header.top, .page-head')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).display)),
    ).toEqual(['none', 'none', 'none']);
    expect(await sheet.isVisible()).toBe(true);
    await driver.close(page);
  });

  it('the statement splits the charges of a day in every way, to the same balance, and so does its CSV', async () => {
    const page = await driver.open();
    const closing = new Set<string>();
    await driver.signIn(page, gateway.adminKey, `statement?owner_id=${owner}`);
    const sheet = page.locator('.sheet');
    for (const [by, value] of [
      ['model', 'gpt-5.2'],
      ['endpoint', '/v1/chat/completions'],
      ['user', 'Not known'],
      ['tag', 'search'],
    ] as const) {
      await driver.move(page, `statement?owner_id=${owner}&by=${by}`);
      await driver.settle(page);
      await sheet.locator('tbody').getByText(value, { exact: true }).first().waitFor();
      closing.add(await sheet.locator('tbody tr td:last-child .money').last().innerText());
    }
    expect(closing.size).toBe(1);
    await sheet.getByText('Setup fee').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const [head = '', ...lines] = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    const charges = lines.filter((line) => line.includes(',charge,'));
    expect(new Set(charges.map((line) => line.split(',')[head.split(',').indexOf('tag')]))).toEqual(
      new Set(['ads', 'search']),
    );
    expect(driver.faults).toEqual([]);
    await driver.close(page);
  });

  it('usage splits the same sum in every way, and saves all rows', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, 'usage');
    const totals = new Set<string>();
    for (const by of ['model', 'owner', 'key', 'vendor', 'account', 'endpoint', 'tag']) {
      await driver.move(page, `usage?owner_id=${owner}&by=${by}`);
      await driver.settle(page);
      await page.locator('.usage-split tfoot').waitFor();
      totals.add(await page.locator('.usage-split tfoot td').nth(1).innerText());
    }
    expect(totals.size).toBe(1);
    await page.locator('.usage-split tbody').getByText('search').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(csv[0]).toContain('tag team,name,requests');
    expect(
      csv
        .slice(1)
        .map((line) => line.split(',')[0])
        .sort(),
    ).toEqual(['ads', 'search']);
    // The owner's budget and the key's limit, each with what is left.
    expect(await page.locator('.budgets tbody tr').count()).toBe(2);
    await driver.close(page);
  });

  it('a holder of a key sees the usage and the statement of its owner, and no other', async () => {
    const page = await driver.open();
    await driver.signIn(page, secret, 'statement');
    await page.locator('.sheet').getByText('Setup fee').waitFor();
    await driver.move(page, 'usage');
    await page.locator('.usage-split tfoot').waitFor();
    await page.locator('.budgets tbody tr').nth(1).waitFor();
    await driver.move(page, '');
    await driver.settle(page);
    await shot(page, 'member-home');
    expect(await page.locator('.own-money').innerText()).toMatch(/Balance of Research & Development/);
    expect(driver.faults).toEqual([]);
    await driver.close(page);
  });

  it('an owner is edited: name, group, credit, budget and warning', async () => {
    const page = await driver.open();
    await driver.signIn(page, gateway.adminKey, `owners?id=${owner}`);
    await page.getByRole('button', { name: 'Edit owner' }).click();
    await page.getByLabel('Monthly budget, in US dollars').fill('75.5');
    await page.getByLabel('Low-balance warning, in US dollars').fill('');
    await shot(page, 'owner-edit');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit owner' }).waitFor();
    const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
    expect(await admin.owners.get(owner)).toMatchObject({
      name: 'Research & Development',
      monthly_budget: 75.5 * UNITS,
      low_balance: null,
      credit_limit: 0,
    });
    await driver.close(page);
  });
});
