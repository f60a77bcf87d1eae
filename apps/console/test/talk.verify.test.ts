/// <reference lib="dom" />
/** A spoken conversation in Chromium, whose microphone hears a file over and over. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  until,
  type TestGateway,
} from '@model-gateway/testing';
import { make } from '@model-gateway/vendor-twin/media';
import type { Browser, Page } from 'playwright-core';
import { axe, createDriver, widthBeyond } from './console-driver.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });
const RATE = 24_000;
const PAUSE_SECONDS = 3;

let gateway: TestGateway;
let browser: Browser;
let folder: string;
const driver = createDriver({ browser: () => browser, gateway: () => gateway });
const { open, close, signIn, faults } = driver;

describeInBrowser('a conversation in Chromium', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-talk-'));
    const heard = join(folder, 'heard.wav');
    const speech = { kind: 'speech', text: 'what is the tide today', voice: 'alloy', format: 'pcm' } as const;
    writeFileSync(heard, wavOf(Buffer.from(await make({ ...speech, sung: false, speed: 1 }))));
    gateway = await openTestGateway({ consoleFolder: await builtConsole(), twinOptions: { media: 'real' } });
    const fake = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'];
    browser = await openTestBrowser([
      ...fake,
      `--use-file-for-fake-audio-capture=${heard}`,
      '--autoplay-policy=no-user-gesture-required',
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (page: Page): Promise<void> => page.getByRole('button', { name: 'Start talking' }).click();
  const said = (page: Page, who: 'user' | 'assistant') => page.locator(`[role=log] .turn.${who}`);

  it('is heard, written down, answered, interrupted, muted, priced and ended', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground?kind=talk');
    expect(await axe(page)).toEqual([]);
    await start(page);
    await said(page, 'assistant').filter({ hasText: 'You said' }).first().waitFor();
    await said(page, 'user').filter({ hasNotText: '(spoken)' }).first().waitFor();
    await page.getByText('simulated', { exact: true }).waitFor();
    await page.getByText('≈ $').waitFor();
    // The next question comes while the answer is heard.
    await page.getByText('(interrupted)').first().waitFor();
    expect(await axe(page)).toEqual([]);
    await shoot(page, 'talk-1440.png');

    await page.getByRole('button', { name: 'Mute the microphone' }).click();
    await page.getByRole('button', { name: 'Unmute the microphone' }).waitFor();
    await page.getByLabel('Say it in writing').fill('the written word');
    await page.getByRole('button', { name: 'Send' }).click();
    await said(page, 'assistant').filter({ hasText: 'the written word' }).first().waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('The conversation is over.').waitFor();
    const { data } = (await (
      await fetch(`${gateway.url}/admin/requests?limit=50`, {
        headers: { authorization: `Bearer ${gateway.adminKey}` },
      })
    ).json()) as { data: { operation: string; cost_usd?: number; status: number }[] };
    expect(
      data.filter(({ operation, status }) => operation === 'connectRealtime' && status === 200).length,
    ).toBeGreaterThan(1);
    expect(faults).toEqual([]);
    await close(page);
  });

  it('is held with Gemini Live, too, and ends when its page is left', async () => {
    const page = await open();
    await signIn(page, gateway.testKey, 'playground?kind=talk');
    await page.getByRole('combobox', { name: 'Model' }).fill('gemini');
    await page.getByRole('option', { name: /native-audio/ }).click();
    const opened = page.waitForEvent('websocket');
    await start(page);
    const socket = await opened;
    await said(page, 'assistant').filter({ hasText: 'You said' }).first().waitFor();
    await page.getByText('(interrupted)').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await driver.move(page, 'playground?kind=speech');
    await page.getByLabel('Text to speak').waitFor();
    await until(() => socket.isClosed());
    await close(page);
  });

  it('says in words what keeps it from being held, on a narrow dark page in Chinese', async () => {
    const page = await open({ width: 390, scheme: 'dark', language: 'zh-CN' });
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await signIn(page, gateway.testKey, 'playground?kind=talk');
    await page.getByRole('button', { name: '开始对话' }).click();
    await page.getByText('浏览器无权使用麦克风').waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await widthBeyond(page)).toBe(0);
    await shoot(page, 'talk-390.png');
    await close(page);
  });
});

/** For people who look at what a test has seen, where SCREENSHOTS names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const shots = process.env['SCREENSHOTS'];
  if (shots !== undefined) await page.screenshot({ path: join(shots, name), fullPage: true });
}

/** The samples and a pause, as a file. */
function wavOf(samples: Buffer): Buffer {
  const bytes = Buffer.concat([samples, Buffer.alloc(RATE * 2 * PAUSE_SECONDS)]);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes.length, 40);
  return Buffer.concat([head, bytes]);
}
