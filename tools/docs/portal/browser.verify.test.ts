/// <reference lib="dom" />
/** The portal in Chromium, served by a gateway: how it looks is measured, what it does is done. One browser and one gateway for all. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, openTestBrowser, openTestGateway, type TestGateway } from '@model-gateway/testing';
import type { Browser, Page } from 'playwright-core';
import type { ApiDocument } from './document.ts';
import { createPortal } from './index.ts';
import { lowContrast, overflowing, wrappedTitles } from './looks.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const api = JSON.parse(
  readFileSync(new URL('../../../libs/contracts/src/generated/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument;
const paths = createPortal({ document: api }).paths.filter((path) => path.endsWith('.html'));

let gateway: TestGateway;
let browser: Browser;
const faults: string[] = [];

describeInBrowser('in Chromium', () => {
  beforeAll(async () => {
    gateway = await openTestGateway({
      twinOptions: { media: 'tiny', seconds: { video: 1, subject: 0.3, image: 0.1 } },
    });
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  async function open(path: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => faults.push(`${path}: ${message}`));
    // What the pages' policy refuses is said here.
    page.on('console', (message) => message.type() === 'error' && faults.push(`${path}: ${message.text()}`));
    await page.goto(`${gateway.url}/docs/${path}`);
    return page;
  }
  const close = (page: Page): Promise<void> => page.context().close();

  it('on every page, wide in light and narrow in dark: nothing is too pale, nothing hangs out, titles take a line', async () => {
    const page = await open('index.html');
    const found: unknown[] = [];
    for (const path of paths) {
      await page.goto(`${gateway.url}/docs/${path}`);
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(overflowing);
        const wrapped = width === 390 ? [] : await page.evaluate(wrappedTitles);
        if (wide.length + wrapped.length > 0) found.push({ path, width, wide, wrapped });
        await page.emulateMedia({ colorScheme });
        const pale = await page.evaluate(lowContrast);
        if (pale.length > 0) found.push({ path, width, colorScheme, pale });
      }
    }
    await close(page);
    expect(found).toEqual([]);
  });

  it('finds a page in spite of typing faults, a field, a code of an error and a model, from the keyboard alone', async () => {
    const page = await open('index.html');
    await page.keyboard.press('Control+k');
    for (const [typed, title, to] of [
      ['idempotncy', 'Idempotency', 'guides/idempotency.html'],
      ['generate_audio', 'generate_audio', 'reference/video.html#createVideoTask.generate_audio'],
      ['task_not_exist', 'task_not_exist', 'guides/errors.html'],
      ['seedance fast', 'doubao-seedance-2-0-fast', 'catalogue.html#video'],
    ] as const) {
      await page.locator('#search input').fill(typed);
      await page.locator(`#results a:has-text("${title}")`).first().waitFor();
      const shown = await page
        .locator('#results a')
        .evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute('href')));
      expect({ typed, shown }).toEqual({ typed, shown: expect.arrayContaining([to]) });
    }
    await page.locator('#search input').fill('generate_audio');
    await page.locator('#results a:has-text("generate_audio")[aria-selected=true]').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/reference/video.html#createVideoTask.generate_audio');
    await page.locator('[id="createVideoTask.generate_audio"]').waitFor({ state: 'visible' });
    await close(page);
  });

  it('fills samples with the address, the key and the model that were typed, on other pages too', async () => {
    const page = await open('reference/chat.html');
    await page.locator('.fill summary').click();
    await page.locator('.fill input').fill(gateway.testKey);
    const section = page.locator('#createChatCompletion');
    await section.locator('.try summary').first().click();
    await section.locator('.try-body label:has(code:text-is("model")) input').fill('gpt-5-mini');
    const code = await section.locator('.tabs code').first().textContent();
    expect(code).toContain(`Bearer ${gateway.testKey}`);
    expect(code).toContain('"gpt-5-mini"');
    expect(code).toContain(gateway.url);
    await page.goto(`${gateway.url}/docs/index.html`);
    const other = await page.locator('.tabs code').first().textContent();
    expect(other).toContain(gateway.testKey);
    expect(other).toContain('gpt-5-mini');
    await close(page);
  });

  it('sends a chat from a form, and from the raw view, which show one value', async () => {
    const page = await open('reference/chat.html');
    const section = page.locator('#createChatCompletion');
    await section.locator('.try > summary').click();
    await section.locator('[data-key=key]').fill(gateway.testKey);
    await section.locator('.try-body label:has(code:text-is("messages[0].content")) textarea').fill('Good morning');
    await section.locator('button:text-is("Raw JSON")').click();
    const raw = section.locator('textarea.raw');
    expect(await raw.inputValue()).toContain('"content": "Good morning"');
    await raw.fill((await raw.inputValue()).replace('Good morning', 'Good night'));
    await section.locator('button.send').click();
    await section.locator('.try-answer pre:has-text("Good night")').waitFor();
    await section.locator('button:text-is("Form")').click();
    const field = section.locator('.try-body label:has(code:text-is("messages[0].content")) textarea');
    expect(await field.inputValue()).toBe('Good night');
    await close(page);
  });

  it('without a key sends nothing and puts the cursor into the field of the key', async () => {
    const page = await open('reference/chat.html');
    const asked: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()));
    const section = page.locator('#createChatCompletion');
    await section.locator('.try > summary').click();
    await section.locator('button.send').click();
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['key'])).toBe('key');
    expect(await section.locator('[data-key=key]').getAttribute('aria-invalid')).toBe('true');
    expect(await section.locator('.try-note.warn').textContent()).toContain('keys create --test');
    expect(asked).toEqual([]);
    const shots = process.env['SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/no-key.png` });
    await page.keyboard.type(gateway.testKey);
    expect(await section.locator('.try-note.warn').isHidden()).toBe(true);
    await section.locator('button.send').click();
    await section.locator('.try-answer .status.ok').waitFor();
    await close(page);
  });

  it('offers what a parameter may be as a list, and sends what was chosen', async () => {
    const page = await open('reference/admin.html');
    const section = page.locator('#getUsage');
    await section.locator('.try > summary').click();
    await section.locator('[data-key=admin-key]').fill(gateway.adminKey);
    const mode = section.locator('.try-body > label:has(code:text-is("mode")) select');
    expect(await mode.locator('option').allTextContents()).toEqual(['—', 'live', 'test']);
    await mode.selectOption('test');
    const sent = page.waitForRequest((request) => new URL(request.url()).searchParams.get('mode') === 'test');
    await section.locator('button.send').click();
    await sent;
    await section.locator('.try-answer .status.ok').waitFor();
    const shots = process.env['SCREENSHOTS'];
    if (shots !== undefined) await section.locator('.try').screenshot({ path: `${shots}/choices.png` });
    await close(page);
  });

  it('offers what a part of a body may be as a list, too, and sends what was chosen', async () => {
    const page = await open('reference/video.html');
    const section = page.locator('#createVideoTask');
    await section.locator('.try > summary').click();
    const type = section.locator('.try-body label:has(code:text-is("content[0].type")) select');
    expect(await type.locator('option').allTextContents()).toEqual([
      ...['—', 'text', 'image_url', 'video_url', 'audio_url', 'draft_task'],
    ]);
    expect(await type.inputValue()).toBe('"text"');
    await type.selectOption('image_url');
    await section.locator('button:text-is("Raw JSON")').click();
    expect(await section.locator('textarea.raw').inputValue()).toContain('"type": "image_url"');
    await close(page);
  });

  it('waits for a video, shows its progress and plays it', async () => {
    const page = await open('reference/video.html');
    const section = page.locator('#createVideoTask');
    await section.locator('.try > summary').click();
    await section.locator('[data-key=key]').fill(gateway.testKey);
    await section.locator('button.send').click();
    await section.locator('progress').waitFor();
    const film = section.locator('.try-answer video');
    await film.waitFor({ state: 'visible', timeout: 90_000 });
    await page.waitForFunction(
      () => (document.querySelector<HTMLVideoElement>('.try-answer video')?.readyState ?? 0) > 0,
    );
    expect(await section.locator('.try-progress').textContent()).toContain('SUCCESS');
    const id = (await section.locator('.try-answer .try-note').textContent())?.split(' ')[0];
    await page.locator('#getVideoTask .try > summary').click();
    expect(await page.locator('#getVideoTask label:has(code:text-is("task_id")) input').inputValue()).toBe(id);
    await close(page);
  });

  it('asks before it changes the gateway', async () => {
    const page = await open('reference/admin.html');
    const section = page.locator('#createKey');
    await section.locator('.try > summary').click();
    await section.locator('[data-key=admin-key]').fill(gateway.adminKey);
    await section.locator('button.send').click();
    await page.locator('dialog.ask button:text-is("Do not")').click();
    await section.locator('.try-answer .try-note:text-is("Not sent.")').waitFor();
    await section.locator('button.send').click();
    await page.locator('dialog.ask button:text-is("Send it")').click();
    await section.locator('.try-answer .status.ok').waitFor();
    await page.locator('#listKeys .try > summary').click();
    await page.locator('#listKeys button.send').click();
    await page.locator('#listKeys .try-answer .status.ok').waitFor();
    await close(page);
  });

  it('copies a page as Markdown', async () => {
    const page = await open('guides/errors.html');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // It says so for a moment only.
    await Promise.all([page.locator('.copy-page:text-is("Copied")').waitFor(), page.locator('.copy-page').click()]);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^# Errors\n/);
    await close(page);
  });

  it('had no fault on the way, and nothing that its policy refuses', () => expect(faults).toEqual([]));
});
