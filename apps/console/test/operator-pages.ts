/// <reference lib="dom" />
/** Pages of operators, by what people do there: the log of requests as a file, jumped through, and under filters that are kept. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import type { TestGateway } from '@model-gateway/testing';
import type { Page } from 'playwright-core';
import { axe, widthBeyond, type Driver } from './console-driver.ts';

/** Texts of rows that are cut. */
const cutCells = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.line .cell')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.scrollHeight > cell.clientHeight + 2)
      .map((cell) => cell.textContent),
  );

/** Chooses in a field that opens a list. */
async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

export function operatorPages(
  { open, close, signIn, move, settle, confirm }: Driver,
  gateway: () => TestGateway,
): void {
  const send = (key: string, path: string, body: object): Promise<Response> =>
    fetch(`${gateway().url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const chat = (key: string, model = 'gpt-5.2') =>
    send(key, '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });

  it('shows the log of requests whole, jumps through it, keeps filters under a name, and saves it to the last row', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    const { secret, key } = await admin.keys.create({ name: 'nightly indexer', mode: 'test' });
    for (let count = 0; count < 3; count++) expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret, 'no-such-model')).status).toBe(400);
    await send(secret, '/v1/messages/count_tokens', { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Hi' }] }); // prettier-ignore
    // Two rows a page: the file has all pages, not the first.
    const page = await open();
    await page.route('**/admin/requests?*', (route) => {
      const asked = new URL(route.request().url());
      if (asked.searchParams.get('limit') === '500') asked.searchParams.set('limit', '2');
      return route.continue({ url: asked.href });
    });
    await signIn(page, adminKey, `requests?key_id=${key.id}`);
    await page.locator('.line').filter({ hasText: 'no-such-model' }).waitFor();
    await settle(page);
    expect(await page.locator('.line').count()).toBe(5);
    expect(await cutCells(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const [head = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(head.split(',')).toEqual(expect.arrayContaining(['id', 'owner_name', 'key_name', 'operation', 'error', 'error_shown'])); // prettier-ignore
    expect(lines).toHaveLength(5);
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(5);
    for (const line of lines) expect(line).toContain('nightly indexer');
    // A page that cannot be read: nothing is saved, and it is said.
    await page.route('**/admin/requests?*after=*', (route) => route.fulfill({ status: 500, json: { error: { message: 'it broke', code: 'internal' } } })); // prettier-ignore
    let saved = false;
    page.on('download', () => (saved = true));
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByText('Nothing was saved: after 2 rows it broke').waitFor();
    expect(saved).toBe(false);
    await page.unroute('**/admin/requests?*after=*');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('the indexer');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.waitForURL('**/console/requests');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'the indexer' }).click();
    await page.waitForURL(`**/requests?key_id=${key.id}`);
    await page.getByRole('button', { name: 'Jump to a time' }).click();
    await page.getByRole('menuitem', { name: 'An hour ago' }).click();
    await page.getByText('The list begins at').waitFor();
    await page.getByText('Nothing fits these filters').waitFor();
    await page.getByRole('button', { name: 'Back to the newest' }).click();
    await page.locator('.line').filter({ hasText: 'no-such-model' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await close(page);
  });

  it('shows what is used of every limit, the fullest first, and changes the cap of a key there', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    const owner = await admin.owners.create({ name: 'budget owner' });
    await admin.owners.topUp(owner.id, { usd: 9 });
    const { key } = await admin.keys.create({ name: 'a capped key', owner_id: owner.id, mode: 'live', limits: { spend_per_month: 40 } }); // prettier-ignore
    const page = await open();
    await signIn(page, adminKey, 'budgets');
    await page.getByRole('radiogroup', { name: 'Budgets of' }).getByText('Keys').click();
    await page.waitForURL('**/budgets?of=key');
    const line = page.locator('.line').filter({ hasText: 'a capped key' });
    expect(await line.textContent()).toContain('budget owner');
    expect(await line.textContent()).toContain('$40.00');
    expect(await cutCells(page)).toEqual([]);
    await line.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('meter', { name: 'Spend per month (USD)' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Spend per month (USD)', exact: true }).fill('55');
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await admin.keys.get(key.id)).limits).toEqual({ spend_per_month: 55 });
    await page.locator('.line').filter({ hasText: '$55.00' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Budgets of' }).getByText('Owners').click();
    await page.locator('.line').filter({ hasText: 'budget owner' }).filter({ hasText: '$9.00' }).waitFor();
    await close(page);
  });

  it('makes a budget above keys, changes it with what the gateway says at its field, and deletes it', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    await admin.owners.create({ name: 'budgeted' });
    const page = await open();
    await signIn(page, adminKey, 'budgets?of=budget');
    // The file's own budget is marked, and shown without a form.
    const declared = page.locator('.line').filter({ hasText: 'of-the-file' });
    expect(await declared.textContent()).toMatch(/from file.*alert only/);
    await declared.getByRole('button').click();
    const side = page.getByRole('dialog', { name: 'of-the-file' });
    await side.getByText('This budget is declared in the configuration file').waitFor();
    await side.getByText('75 %, 150 %').waitFor();
    expect(await side.locator('form').count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New budget' }).click();
    const form = page.getByRole('form', { name: 'New budget' });
    const create = form.getByRole('button', { name: 'Create budget' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('of-the-file');
    expect(await create.isDisabled()).toBe(true);
    await form.getByRole('combobox', { name: 'Whose requests count' }).fill('budgeted');
    await page.getByRole('option', { name: 'budgeted', exact: true }).click();
    await form.getByRole('textbox', { name: 'Limit, in US dollars' }).fill('25');
    await choose(page, 'Alerts', 'At shares of its own');
    const shares = form.getByRole('combobox', { name: 'Shares of the limit, in percent' });
    await shares.fill('half');
    await shares.press('Enter');
    await form.getByText('half is no share: write a percentage such as 80.').waitFor();
    expect(await create.isDisabled()).toBe(true);
    expect(await axe(page)).toEqual([]);
    for (let count = 0; count < 3; count++) await shares.press('Backspace');
    await form.getByText('Write at least one share').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await shares.fill('80');
    await shares.press('Enter');
    await shares.fill('100');
    await shares.press('Enter');
    await shares.fill('50');
    await shares.press('Enter');
    await create.click();
    await form.getByText("there is a budget 'of-the-file' already").waitFor();
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('from-the-console');
    await create.click();
    await form.waitFor({ state: 'detached' });
    const made = { scope: 'owner', values: ['budgeted'], each: false, window: 'month', limit: 25, action: 'refuse' };
    expect(await admin.budget('from-the-console')).toMatchObject({ ...made, alert_at: [0.5, 0.8, 1] });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('.line').filter({ hasText: 'from-the-console' }).getByRole('button').click();
    const edit = page.getByRole('form', { name: 'The budget from-the-console' });
    await choose(page, 'Budget of', 'Tag');
    await edit.getByRole('textbox', { name: 'Name of the tag' }).fill('team');
    await choose(page, 'Window, in UTC', 'Week, from Monday');
    await choose(page, 'Beyond the limit', 'Alert only');
    await choose(page, 'Alerts', 'At no share');
    expect(await axe(page)).toEqual([]);
    expect(await widthBeyond(page)).toBe(0);
    await edit.getByRole('button', { name: 'Save', exact: true }).click();
    await edit.waitFor({ state: 'detached' });
    const changed = { scope: 'tag', tag: 'team', values: null, window: 'week', action: 'alert', alert_at: [] };
    expect(await admin.budget('from-the-console')).toMatchObject({ ...changed, limit: 25 });
    await page.locator('.line').filter({ hasText: 'from-the-console' }).getByRole('button').click();
    await confirm(page, 'Delete');
    await page.locator('.line').filter({ hasText: 'from-the-console' }).waitFor({ state: 'detached' });
    await expect(admin.budget('from-the-console')).rejects.toMatchObject({ status: 404 });
    // A line of one of many opens the budget of all of them, under its own name.
    await page.setViewportSize({ width: 1280, height: 900 });
    await admin.createBudget({ name: 'per-key', scope: 'key', each: true, window: 'day', limit: 9 });
    await page.route('**/admin/budgets?*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { data: { name: string }[] };
      const data = list.data.map((row) => (row.name === 'per-key' ? { ...row, name: 'per-key: 77' } : row));
      await route.fulfill({ response, json: { ...list, data } });
    });
    await page.reload();
    await page.locator('.line').filter({ hasText: 'per-key: 77' }).getByRole('button').click();
    const each = page.getByRole('dialog', { name: 'per-key', exact: true });
    await each.getByText('This budget is for each key. A change counts for all of them.').waitFor();
    await each.getByText('per-key: 77').waitFor();
    expect(await axe(page)).toEqual([]);
    await each.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The budget per-key refuses nothing from now on. What was spent stays in the ledger.').waitFor(); // prettier-ignore
    await page.keyboard.press('Escape');
    await admin.deleteBudget('per-key');
    await page.setViewportSize({ width: 390, height: 844 });
    // Where the file alone says which budgets there are, nothing can be made.
    await page.route('**/admin/config', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), kept_in: 'file' } });
    });
    await page.reload();
    await page.getByText('Budgets above keys are kept in the configuration file here').waitFor();
    expect(await page.getByRole('button', { name: 'New budget' }).isDisabled()).toBe(true);
    expect(await widthBeyond(page)).toBe(0);
    expect(await axe(page)).toEqual([]);
    await close(page);
  });

  it('tries a text against the guardrails without asking anybody, and shows what they refused', async () => {
    const { adminKey, url, twin } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    const { secret } = await admin.keys.create({ name: 'guarded', mode: 'test' });
    const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    await send(secret, '/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content: KEY }] });
    const page = await open();
    await signIn(page, adminKey, 'guardrails');
    await page.locator('.line').filter({ hasText: 'no-keys: refused in request (api_key)' }).waitFor();
    const asked = twin.requests.list().length;
    await page.getByLabel('Text', { exact: true }).fill('Write to ann@example.com');
    await page.getByLabel('Key name').fill('guarded');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Write to [email]').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Text', { exact: true }).fill(KEY);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('api_key (1)').waitFor();
    expect(twin.requests.list()).toHaveLength(asked);
    // What was tried was no request.
    expect(await page.locator('.line').count()).toBe(1);
    // The page of models shows the same catalogue.
    await move(page, 'models');
    await page.getByText('gpt-5.2', { exact: true }).first().waitFor();
    await close(page);
  });

  it('shows who signed in and what they may do, blocks one, and lets them in again', async () => {
    const { adminKey, server } = gateway();
    const page = await open();
    await signIn(page, adminKey, 'people');
    await page.getByText('No identity provider is configured: people sign in with keys.').waitFor();
    await page.getByText('What each role may do').waitFor();
    const { people } = server.parts.store;
    const ann = {
      issuer: 'https://id.example.com',
      subject: 'a1',
      name: 'ann@example.com',
      role: 'member',
      ownerId: 1,
    } as const;
    await people.signedIn(ann, Date.now());
    await people.signedIn({ ...ann, subject: 'b2', name: 'bob@example.com', role: 'admin' }, Date.now());
    await page.reload();
    await page.getByRole('button', { name: 'ann@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'ann@example.com' });
    await dialog.getByText('Sees the owner’s requests').waitFor();
    expect(await axe(page)).toEqual([]);
    await confirm(page, 'Block');
    await dialog.getByText('blocked', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Let in again' }).click();
    await dialog.getByText('signed out', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'admin' }).click();
    await page.waitForURL('**/people?role=admin');
    await page.locator('.line').filter({ hasText: 'bob@example.com' }).waitFor();
    await page.locator('.line').filter({ hasText: 'ann@example.com' }).waitFor({ state: 'detached' });
    await close(page);
  });
}
