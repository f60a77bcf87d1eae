/// <reference lib="dom" />
/** What operators and owners do beside asking models: keys, accounts, webhooks, statements; and a key that is revoked under its session. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import type { TestGateway } from '@model-gateway/testing';
import { axe, type Driver } from './console-driver.ts';

export function operatorsWork({ open, close, signIn, move }: Driver, gateway: () => TestGateway): void {
  it('finds a key by its tag, shows what is used of its limits, and tries an account', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    await admin.keys.create({
      name: 'a tagged key',
      owner_id: 1,
      tags: { team: 'search' },
      limits: { spend_per_day: 5 },
    });
    await admin.owners.topUp(1, { usd: 2 });
    const page = await open();
    await signIn(page, adminKey, 'keys?tag=team%3Dsearch');
    expect(await page.getByLabel('Tag', { exact: true }).inputValue()).toBe('team=search');
    await page.getByText('team=search').first().waitFor();
    expect(await page.locator('.line').count()).toBe(1);
    await page.getByRole('button', { name: 'a tagged key' }).click();
    await page.getByRole('dialog').getByRole('meter', { name: 'Spend per day (USD)' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await move(page, 'accounts?q=twin');
    await page.getByRole('button', { name: 'twin openai', exact: true }).click();
    await page.getByRole('button', { name: 'Test now' }).click();
    await page.getByText('works: the vendor answered for').waitFor();
    expect(await axe(page)).toEqual([]);
    await move(page, 'owners');
    await page.locator('.line button.open').first().click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByRole('dialog').getByRole('link', { name: 'Statement' }).click();
        await page.getByRole('link', { name: 'Download CSV' }).click();
      })(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect([lines[0], lines.at(-1)]).toEqual([
      expect.stringMatching(/^date,time,kind,/),
      expect.stringContaining('Closing balance'),
    ]);
    await close(page);
  });

  it('makes a key for an owner who is picked by name, and says at its field what is wrong', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    for (const name of ['Research and development', 'Sales']) await admin.owners.create({ name });
    const page = await open();
    await signIn(page, adminKey, 'keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('for research');
    await form.getByRole('combobox', { name: 'Owner' }).fill('RESEARCH');
    await page.getByRole('option', { name: 'Research and development' }).click();
    const spend = form.getByLabel('Spend per day (USD)');
    await spend.fill('-5');
    await form.getByRole('button', { name: 'Create the key' }).click();
    // What was typed stays, and the field says what is wrong with it.
    await form.locator('[aria-invalid="true"]').waitFor();
    expect(await spend.inputValue()).toBe('-5');
    expect(await spend.getAttribute('aria-invalid')).toBe('true');
    expect(await spend.evaluate((field) => document.activeElement === field)).toBe(true);
    expect(await axe(page)).toEqual([]);
    await spend.fill('5');
    await form.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.line').filter({ hasText: 'for research' }).getByText('Research and development').waitFor();
    await page.getByRole('combobox', { name: 'Owner' }).fill('sales');
    await page.getByRole('option', { name: 'Sales' }).click();
    await page.getByText('No keys').first().waitFor();
    expect(await axe(page)).toEqual([]);
    // Of two with one name the number tells which it is, and the field goes on saying the name.
    const twins = [await admin.owners.create({ name: 'Twins' }), await admin.owners.create({ name: 'Twins' })];
    await page.getByRole('combobox', { name: 'Owner' }).fill('twin');
    await page.getByRole('option', { name: `Twins (${twins[1]?.id})` }).click();
    await page.waitForURL(`**/keys?owner_id=${twins[1]?.id}`);
    expect(await page.getByRole('combobox', { name: 'Owner' }).inputValue()).toBe('Twins');
    // Everything that has a name is found by it, from anywhere.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages and commands' }).fill('research and');
    await page.getByRole('option', { name: 'Research and development' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Research and development' }).waitFor();
    expect(await axe(page)).toEqual([]);
    const made = await admin.keys.list({ name: 'for RESEARCH' }).all();
    expect(made).toMatchObject([{ limits: { spend_per_day: 5 } }]);
    await close(page);
  });

  it('verifies the ledger and exports it as jobs, downloads the file, and cancels what still waits', async () => {
    const { adminKey, url } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    const other = await admin.owners.create({ name: 'not exported' });
    for (const id of [1, other.id]) await admin.owners.topUp(id, { usd: 1 });
    const page = await open();
    await signIn(page, adminKey, 'maintenance');
    await page.getByText('No jobs yet').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('done', { exact: true }).first().waitFor();
    await page.getByRole('combobox', { name: 'Job' }).click();
    await page.getByRole('option', { name: 'Export the ledger' }).click();
    await page.getByRole('combobox', { name: 'Owner' }).fill('owner');
    await page.getByRole('option', { name: 'owner 1', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const line = page.locator('.line').filter({ hasText: 'Export the ledger' }).filter({ hasText: 'done' });
    await line.getByRole('button').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^ledger-\d+\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(1 + (await admin.ledger.list({ owner_id: 1, limit: 500 }).all()).length);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // One that another process is said to run goes on until somebody ends it.
    const { store } = gateway().server.parts;
    const { job } = (await store.maintenanceJobs.add(
      { kind: 'invariants', parameters: {}, actor: 'command', createdAt: Date.now() },
      20,
    ))!;
    await store.maintenanceJobs.claim({ process: 'another', now: Date.now(), leaseMs: 600_000, most: 2 });
    const alive = { process: 'another', now: Date.now(), leaseMs: 600_000, done: 40, total: 100 };
    await store.maintenanceJobs.keepAlive(job.id, alive);
    await page.reload();
    await page.locator('.line').filter({ hasText: 'running' }).getByRole('button').click();
    await page.getByRole('dialog').getByText('40 %').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('dialog').getByText('being cancelled', { exact: true }).waitFor();
    await store.maintenanceJobs.end(job.id, 'another', {
      state: 'cancelled',
      at: Date.now(),
      expiresAt: Date.now() + 60_000,
    });
    await page.getByRole('dialog').getByText('cancelled', { exact: true }).waitFor();
    await close(page);
  });

  it('opens the overview on the keys that were used, says what it leaves out, and filters the log by them', async () => {
    const { adminKey, testKey, liveKey, url } = gateway();
    const ask = (key: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }),
      });
    expect((await ask(testKey)).status).toBe(200);
    const page = await open();
    await signIn(page, adminKey);
    await page.getByText('Only test keys were used in this period').waitFor();
    await page.getByRole('region', { name: 'Requests and errors' }).getByText('requests per minute').waitFor();
    await page.getByRole('region', { name: 'Latency' }).getByText('p99').first().waitFor();
    expect(await axe(page)).toEqual([]);
    expect((await ask(liveKey)).status).toBe(200);
    await page.reload();
    await page.getByText(/^Live keys\. \d+ requests of test keys are not included\.$/).waitFor();
    await move(page, 'requests');
    await page.locator('.line').nth(1).waitFor();
    await page.getByRole('radiogroup', { name: 'Kind of keys' }).getByText('Live keys').click();
    await page.waitForURL('**/requests?mode=live');
    await page.locator('.line').filter({ hasText: 'createChatCompletion' }).first().waitFor();
    expect(await page.locator('.line').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await close(page);
  });

  it('ranks documents, and plays speech while it comes', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground?kind=rerank');
    await page.getByLabel('Query').fill('tides');
    await page.getByLabel('Documents, one a line').fill('The moon moves the sea\nBread is baked');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('ol.results li').nth(1).waitFor();
    expect(await axe(page)).toEqual([]);
    await move(page, 'playground?kind=speech');
    await page.getByRole('combobox', { name: 'Model' }).fill('gpt-4o-mini-tts');
    await page.getByRole('option', { name: 'gpt-4o-mini-tts' }).click();
    await page.getByLabel('Text to speak').fill('Good evening');
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText('Heard while it comes').waitFor();
    await page.waitForFunction(() => (document.querySelector('audio')?.readyState ?? 0) > 0);
    await close(page);
  });

  it('asks to sign in again when the key is revoked under its session, and keeps what was typed', async () => {
    const { adminKey, url, testKey } = gateway();
    const admin = createAdmin({ baseUrl: url, apiKey: adminKey });
    const { secret, key } = await admin.keys.create({ name: 'a short-lived key', owner_id: 1, mode: 'test' });
    const page = await open();
    await signIn(page, secret, 'playground');
    await page.getByLabel('Your message').fill('something long');
    await admin.keys.revoke(key.id);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('API key or admin key').fill(testKey);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect(await page.locator('.turn.user').textContent()).toContain('something long');
    await close(page);
  });
}

/** What must not reach another chat, or another person. */
export function leavingWork({ open, close, signIn, move }: Driver, gateway: () => TestGateway): void {
  it('keeps a running answer out of a chat that is opened again', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    await message.fill('The first chat');
    await message.press('Enter');
    await page.locator('.stats').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    const { promise: isOpened, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/v1/chat/completions', async (route) => {
      await isOpened;
      await route.continue();
    });
    await message.fill('The second chat');
    await message.press('Enter');
    await page.getByRole('button', { name: 'Stop all' }).waitFor();
    await page.getByRole('button', { name: 'History' }).first().click();
    await page.getByRole('dialog').getByText('The first chat').click();
    await page.getByText('You said: The first chat').waitFor();
    const answered = page.waitForResponse('**/v1/chat/completions');
    answer();
    await (await answered).finished();
    // Pages are drawn of what is kept.
    await move(page, 'tasks');
    await move(page, 'playground');
    await page.getByText('You said: The first chat').waitFor();
    expect(await page.getByText('The second chat').count()).toBe(0);
    await close(page);
  });

  it('shows nothing of whoever signed out to the next', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    await message.fill('Nobody else is to read this');
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('input[type=password]').fill(gateway().otherKey);
    await page.locator('button[type=submit]').click();
    await message.waitFor();
    expect(await message.inputValue()).toBe('');
    await close(page);
  });
}
