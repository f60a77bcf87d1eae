/// <reference lib="dom" />
/** What people do in the playground, on Models and on Overview: run things and see them without scrolling, choose by price, see what it cost. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import type { TestGateway } from '@model-gateway/testing';
import type { Locator, Page } from 'playwright-core';
import { filmBody, SCHEMAS, shapeOf } from '../src/playground/film-body.ts';
import { fieldsOf, takenBy, withFields, type Field } from '../src/playground/schema-fields.ts';
import { axe, type Driver } from './console-driver.ts';

const SIZES = [
  { width: 1440, height: 900, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
] as const;
const shots = process.env['SCREENSHOTS'];

/** Whether all of it lies in the window, and nothing over its middle. */
function isInSight(place: Locator): Promise<boolean> {
  return place.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return isInside && found !== null && (element.contains(found) || found.contains(element));
  });
}
const scrolled = (page: Page): Promise<number> => page.evaluate(() => window.scrollY);

export function playgroundWork(driver: Driver, gateway: () => TestGateway): void {
  const { open, close, signIn, move } = driver;

  it.each(SIZES)('shows a chat and a film beside their buttons: $width × $height, $scheme', async (visit) => {
    const page = await open(visit);
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    await page.getByText('Enter sends, Shift+Enter starts a new line.').waitFor();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    for (let question = 1; question <= 4; question++) {
      await message.fill(`Question ${question}`);
      await message.press('Shift+Enter');
      await message.pressSequentially('and more');
      await message.press('Enter');
      await page
        .locator('.stats')
        .nth(question - 1)
        .waitFor();
      expect(await message.inputValue()).toBe('');
    }
    expect(await page.locator('.said').last().textContent()).toBe('Question 4\nand more');
    // The end of the conversation is followed as it grows.
    for (const place of [send, page.locator('.stats').last(), page.locator('.turn.assistant .tag').last()])
      expect(await isInSight(place)).toBe(true);
    expect(await page.locator('.turn.assistant .tag').last().textContent()).toBe('simulated');
    if (shots !== undefined) await page.screenshot({ path: `${shots}/chat-${visit.width}-${visit.scheme}.png` });

    await move(page, 'playground?kind=video');
    await page.getByLabel('Prompt').fill('waves at night');
    const generate = page.getByRole('button', { name: 'Generate' });
    await generate.click();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    expect(await generate.isDisabled()).toBe(true);
    for (const place of [generate, cancel, page.getByRole('progressbar')]) expect(await isInSight(place)).toBe(true);
    const film = page.locator('video');
    await film.waitFor();
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    await cancel.waitFor({ state: 'detached' });
    for (const place of [generate, film, page.locator('.work-now .tag')]) expect(await isInSight(place)).toBe(true);
    expect(await generate.isEnabled()).toBe(true);
    expect(await scrolled(page)).toBe(0);
    expect(await axe(page)).toEqual([]);
    if (shots !== undefined) await page.screenshot({ path: `${shots}/film-${visit.width}-${visit.scheme}.png` });
    await close(page);
  });

  it('keeps the button in sight however many fields there are, and brings the result to it', async () => {
    for (const visit of SIZES) {
      const page = await open(visit);
      await signIn(page, gateway().testKey, 'playground?kind=image');
      await page.getByLabel('Prompt').fill('a paper boat');
      await page.getByText('Parameters').click();
      await page.getByRole('combobox', { name: 'watermark' }).scrollIntoViewIfNeeded();
      const generate = page.getByRole('button', { name: 'Generate' });
      expect(await isInSight(generate)).toBe(true);
      await generate.click();
      const picture = page.locator('.work-now img');
      await picture.waitFor();
      await page.waitForFunction(() => (document.querySelector('img')?.naturalWidth ?? 0) > 0);
      expect(await isInSight(picture)).toBe(true);
      expect(await isInSight(generate)).toBe(true);
      await close(page);
    }
  });

  it('asks the vendor to stop a film, and says beside it where that is too late', async () => {
    const page = await open({ width: 390, height: 844 });
    const message = 'the task cannot be cancelled any more';
    await page.route('**/v1/video/generations/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 409, json: { code: 'conflict', message, data: null } })
        : route.continue(),
    );
    await signIn(page, gateway().testKey, 'playground?kind=video');
    await page.getByLabel('Prompt').fill('waves at night');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain(message);
    expect(await isInSight(alert)).toBe(true);
    // It goes on, and its film is shown all the same.
    await page.locator('video').waitFor();
    expect(await page.getByRole('button', { name: 'Generate' }).isEnabled()).toBe(true);
    await close(page);
  });

  it('copies a message, sends one again in other words, and asks for an answer once more', async () => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    for (const [at, text] of ['first question', 'second question'].entries()) {
      await message.fill(text);
      await message.press('Enter');
      await page.locator('.stats').nth(at).waitFor();
    }
    await page.getByRole('button', { name: 'Copy the message' }).first().click();
    await page.getByRole('button', { name: 'Copy the message' }).first().getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('first question');
    await page.getByRole('button', { name: 'Edit and send again' }).first().click();
    await page.getByLabel('Edit your message').fill('other words');
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('You said: other words').waitFor();
    await page.locator('.stats').waitFor();
    // What had been said after it was an answer to something else.
    expect(await page.locator('.said').allTextContents()).toEqual(['other words']);
    const asked = page.waitForRequest('**/v1/chat/completions');
    await page.getByRole('button', { name: 'Ask again' }).click();
    const { messages } = (await asked).postDataJSON() as { messages: readonly unknown[] };
    expect(messages).toEqual([{ role: 'user', content: 'other words' }]);
    await page.locator('.stats').waitFor();
    expect(await page.locator('.turn.assistant').count()).toBe(1);
    await close(page);
  });

  it('does not send while an input method is open', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    await message.fill('ni hao');
    await message.evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
    );
    expect(await message.inputValue()).toBe('ni hao');
    expect(await page.locator('.turn').count()).toBe(0);
    await close(page);
  });

  historyWork(driver, gateway);
  fieldsWork(driver, gateway);
  modelsWork(driver, gateway);
  overviewWork(driver, gateway);
}

function historyWork({ open, close, signIn, go, move }: Driver, gateway: () => TestGateway): void {
  it('keeps the last runs in the browser, of each person apart, without media, and opens one again', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground');
    const message = page.getByLabel('Your message');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PIXEL });
    await page.locator('.given li').waitFor();
    await message.fill('Remember this, and never sk-secret-0123456789');
    await message.press('Enter');
    await page.locator('.stats').waitFor();
    await move(page, 'playground?kind=embedding');
    await page.getByLabel('Text, one a line').fill('one\ntwo');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('dimensions').first().waitFor();
    const kept = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
    expect(kept).toContain('Remember this');
    expect(kept).not.toMatch(/data:|0123456789|csrf/);

    // The page is loaded anew: what it held is gone.
    await go(page, 'playground');
    expect(await page.locator('.turn').count()).toBe(0);
    await page.getByRole('button', { name: 'History' }).first().click();
    await page.getByRole('dialog').getByText('Embeddings · text-embedding-3-small').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('dialog').getByText('Remember this').click();
    await page.getByText('You said: Remember this').waitFor();
    // It goes on as the same run.
    await message.fill('And this');
    await message.press('Enter');
    await page.locator('.stats').nth(1).waitFor();
    await page.getByRole('button', { name: 'History' }).first().click();
    expect(await page.locator('.runs li').count()).toBe(2);
    await page.locator('.run', { hasText: 'one' }).click();
    await page.getByLabel('Text, one a line').waitFor();
    expect(await page.getByLabel('Text, one a line').inputValue()).toBe('one\ntwo');
    await page.getByText('dimensions').first().waitFor();

    await page.context().clearCookies();
    await signIn(page, gateway().otherKey, 'playground');
    await page.getByRole('button', { name: 'History' }).first().click();
    await page.getByText('No runs yet').waitFor();
    await page.context().clearCookies();
    await signIn(page, gateway().testKey, 'playground');
    await page.getByRole('button', { name: 'History' }).first().click();
    await page.getByRole('button', { name: 'Clear the history' }).click();
    await page.getByText('No runs yet').waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    await close(page);
  });
}

/** A picture of one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

type Model = components['schemas']['CatalogueModel'];

function fieldsWork({ open, close, signIn, move }: Driver, gateway: () => TestGateway): void {
  it('shows only the fields that the chosen model takes, fixed choices as lists', async () => {
    const page = await open();
    await signIn(page, gateway().testKey, 'playground?kind=video');
    const choose = async (code: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Model', exact: true }).fill(code);
      await page.getByRole('option', { name: code, exact: true }).click();
    };
    await page.getByText('Parameters').click();
    await choose('doubao-seedance-2-0-fast');
    const field = (name: string): Locator =>
      page.getByRole('combobox', { name, exact: true }).or(page.getByRole('textbox', { name, exact: true }));
    await field('resolution').click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['480p', '720p']);
    await page.keyboard.press('Escape');
    for (const foreign of ['camera_fixed', 'draft', 'service_tier']) expect(await field(foreign).count()).toBe(0);
    await choose('happyhorse-1.0-i2v');
    await field('resolution').waitFor();
    expect(await field('ratio').count()).toBe(0);
    await choose('sora-2');
    await field('seconds').click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['4', '8', '12']);
    await page.keyboard.press('Escape');

    await move(page, 'playground');
    await choose('claude-opus-5');
    expect(await field('Temperature').count()).toBe(0);
    expect(await field('Reasoning').count()).toBe(1);
    await choose('deepseek-chat');
    await field('Temperature').fill('0.5');
    expect(await field('Reasoning').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add files' }).count()).toBe(0);
    // What was typed for another model is not sent to one that does not take it.
    await choose('claude-opus-5');
    const asked = page.waitForRequest('**/v1/chat/completions');
    await page.getByLabel('Your message').fill('Hello');
    await page.getByLabel('Your message').press('Enter');
    expect((await asked).postDataJSON()).not.toHaveProperty('temperature');
    await close(page);
  });

  describe('each field that is shown of a video', () => {
    it('is taken: nothing of it is refused or dropped', async () => {
      const api = JSON.parse(
        readFileSync(new URL('../../../libs/contracts/src/generated/openapi.json', import.meta.url), 'utf8'),
      ) as NonNullable<Parameters<typeof fieldsOf>[0]>;
      const headers = { authorization: `Bearer ${gateway().testKey}`, 'content-type': 'application/json' };
      const { data } = (await (await fetch(`${gateway().url}/v1/models`, { headers })).json()) as { data: Model[] };
      const found: unknown[] = [];
      let count = 0;
      for (const model of data.filter(({ kind, limits }) => kind === 'video' && limits?.['mode'] !== 'video-edit')) {
        const shape = shapeOf(model.formats);
        const fields = takenBy(model, fieldsOf(api, SCHEMAS[shape], [...FREE]));
        count += fields.length;
        const values = Object.fromEntries(fields.map((field) => [field.path.join('.'), valueOf(field)]));
        const frame = { name: 'a.png', type: 'image/png', url: `data:image/png;base64,${FRAME}` };
        const needsFrame = ['i2v', 'r2v'].includes(String(model.limits?.['mode'])) || model.id === 'runway/gen4_turbo';
        const body = withFields(filmBody(shape, model.id, 'waves', needsFrame ? [frame] : []), fields, values);
        const reply = await fetch(`${gateway().url}/v1/video/generations`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const dropped = reply.headers.get('x-gateway-dropped');
        if (!reply.ok || dropped !== null) found.push({ model: model.id, dropped, said: await reply.text() });
        else await reply.body?.cancel();
      }
      expect(found).toEqual([]);
      expect(count).toBeGreaterThan(60);
    });
  });
}

/** Fields that have no value which is right for everybody. */
const FREE = [
  'model',
  'prompt',
  'content',
  'media',
  'imageUrls',
  'file_infos',
  'first_frame_image',
  'input_reference',
  'callback_url',
  'last_frame_url',
  'last_frame_image',
  'ext_info',
];
const FRAME = PIXEL.toString('base64');

function valueOf({ type, words, least }: Field): string | number | boolean {
  const [first = '', second = first] = words;
  // The longest films are not made in every resolution.
  if (words.length > 0) return Number.isNaN(Number(first)) ? second : first;
  if (type === 'boolean') return false;
  return type === 'text' ? 'some words' : (least ?? 4000);
}

function modelsWork({ open, close, signIn, go }: Driver, gateway: () => TestGateway): void {
  it('has prices with their units and limits on Models, in the order that is asked for, without an API key too', async () => {
    const page = await open();
    await signIn(page, gateway().adminKey, 'models');
    const row = (code: string): Locator => page.locator('.line', { has: page.locator(`button:text-is("${code}")`) });
    expect(await row('gpt-5.2').textContent()).toContain('$1.75 per 1M tokens$14.00 per 1M tokens400K128K');
    await page.getByRole('button', { name: 'Output price' }).click();
    await page.waitForURL('**/models?order=output');
    await page.getByRole('button', { name: 'Output price' }).click();
    await page.waitForURL('**/models?order=-output');
    const header = page.getByRole('columnheader', { name: 'Output price' });
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    // Of what comes out alone where nothing is paid for what goes in.
    const shown = await page.locator('.line').evaluateAll((lines) => lines.map((line) => [...line.querySelectorAll('.price')].at(-1)?.textContent ?? '')); // prettier-ignore
    const outputs = shown.map((text) => Number(/\$([\d.]+)/.exec(text)?.[1]));
    expect(outputs.length).toBeGreaterThan(5);
    expect(outputs).toEqual(outputs.toSorted((one, other) => other - one));
    await go(page, 'models?vendor=ark&kind=video');
    await page.locator('.line').first().waitFor();
    expect(await page.locator('.line button.open').allTextContents()).toEqual([
      'doubao-seedance-2-0-fast',
      'doubao-seedance-2-0',
    ]);
    await page.locator('.line button.open').first().click();
    await page.getByRole('dialog').getByText('$5.10 per million output tokens').waitFor();
    expect(await axe(page)).toEqual([]);
    await close(page);
  });
}

function overviewWork({ open, close, signIn }: Driver, gateway: () => TestGateway): void {
  it('breaks the cost down by names, of the requests that are counted beside it', async () => {
    const headers = { authorization: `Bearer ${gateway().liveKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] });
    const reply = await fetch(`${gateway().url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(reply.status).toBe(200);
    const page = await open();
    await signIn(page, gateway().adminKey, '?mode=live');
    const costs = page.getByRole('region', { name: 'Cost breakdown' });
    await costs.getByRole('link', { name: 'gpt-5.2' }).waitFor();
    await costs.getByText('Key', { exact: true }).click();
    await page.waitForURL('**by=key');
    await costs.getByRole('link', { name: 'harness-live' }).click();
    await page.waitForURL(/\/requests\?.*key_id=\d+/);
    await page.locator('.line').first().waitFor();
    await page.goBack();
    await costs.getByText('Account', { exact: true }).click();
    await page.waitForURL('**by=account');
    await costs.locator('.bar', { hasText: 'openai' }).waitFor();
    // The same requests in the tile, in its median and in the errors.
    const tile = (name: string): Promise<string> => page.locator(`.figure:has(> span:text-is("${name}"))`).innerText();
    const [, count] = /Requests\n+(\d+)/.exec(await tile('Requests')) ?? [];
    expect(await tile('Median latency')).toContain(`of ${count} requests`);
    expect(await tile('Errors')).toMatch(new RegExp(`\\d of ${count} requests`));
    expect(await axe(page)).toEqual([]);
    await close(page);
  });
}
