/** `gateway transcribe`: to standard output, into a file, as JSON, and what is wrong with a line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said } from './run-command.ts';
import { soundFile } from './sound-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-transcribe-'));
const talk = join(folder, 'talk.wav');
let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await openTestGateway();
  env = { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.testKey };
  writeFileSync(talk, soundFile(6));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});
const run = (...line: readonly string[]): Promise<Said> => runCommand(['transcribe', ...line], { env });

it('prints the text', async () => {
  const { code, out, error } = await run(talk, '-m', 'whisper-1', '--language', 'en', '--prompt', 'A harbour');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^[a-z].*\. [a-z].*\.\n$/);
});

it('saves subtitles, of a translation too', async () => {
  const file = join(folder, 'talk.srt');
  expect((await run(talk, '-m', 'whisper-1', '--format', 'srt', '-o', file)).out).toBe(`${file}\n`);
  expect(readFileSync(file, 'utf8')).toMatch(/^1\n00:00:00,000 --> 00:00:04,000\n/);
  expect((await run(talk, '-m', 'whisper-1', '--translate', '--format', 'vtt')).out).toMatch(/^WEBVTT\n/);
});

it('--json is what the gateway answered', async () => {
  expect(JSON.parse((await run(talk, '-m', 'whisper-1', '--json')).out)).toMatchObject({
    text: expect.any(String),
    usage: { seconds: 6 },
  });
});

it('says what is wrong', async () => {
  expect(await run(join(folder, 'none.wav'), '-m', 'whisper-1')).toMatchObject({
    code: 1,
    error: expect.stringContaining('none.wav cannot be read'),
  });
  expect(await run(talk)).toMatchObject({ code: 2, error: expect.stringContaining('--kind transcription') });
  expect(await run(talk, '-m', 'whisper-1', '--translate', '--language', 'en')).toMatchObject({ code: 2 });
  expect(await run(talk, '-m', 'whisper-1', '--translate', '--format', 'diarized_json')).toMatchObject({ code: 2 });
  expect(await run(talk, '-m', 'gpt-4o-transcribe', '--format', 'srt')).toMatchObject({
    code: 2,
    error: expect.stringContaining('json, text'),
  });
});
