/** Commands that call models: a gateway with its twin, a key in the environment, files in a folder of the test. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, startCommand, type Said, type Surroundings } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
const at = (name: string): string => join(folder, name);
let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { media: 'tiny', seconds: { video: 0.2 } } });
  env = { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.testKey };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

function run(line: readonly string[], more: Surroundings = {}): Promise<Said> {
  return runCommand(line, { env, ...more });
}

describe('chat', () => {
  it('answers the words of the line, and what comes through a pipe below them', async () => {
    expect(await run(['chat', 'Hello', 'there', '-m', 'gpt-5.2'])).toEqual({
      code: 0,
      out: 'You said: Hello there\n',
      error: '',
    });
    const piped = await run(['chat', 'Summarise:', '-m', 'claude-haiku-4-5'], { input: 'A long text\n' });
    expect(piped.out).toBe('You said: Summarise:\n\nA long text\n');
  });

  it('--json is the whole answer alone', async () => {
    const { out } = await run(['chat', 'Hello', '-m', 'gpt-5.2', '--json']);
    expect(JSON.parse(out)).toMatchObject({ object: 'chat.completion', model: 'gpt-5.2' });
  });

  it('keeps a conversation in a file of this user alone', async () => {
    const file = at('talk.json');
    const line = ['-m', 'gpt-5.2', '-c', file];
    await run(['chat', 'One', '-s', 'Be brief.', ...line]);
    await run(['chat', 'Two', ...line]);
    const { messages } = JSON.parse(readFileSync(file, 'utf8')) as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    expect(messages[4]).toMatchObject({
      content: expect.stringContaining('My instructions: Be brief.\nTurns so far: 3.'),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(at('none.json'), '[]');
    expect((await run(['chat', 'x', '-m', 'gpt-5.2', '-c', at('none.json')])).error).toContain('is no conversation');
  });

  it('on a terminal talks on: what was said is sent along, a refusal ends nothing', async () => {
    const input = 'First\n/model nope\nLost\n/model gpt-5.2\nSecond\n/clear\n/exit';
    const said = await run(['chat', '-m', 'gpt-5.2', '-c', at('loop.json')], { tty: true, input });
    expect(said.code).toBe(0);
    expect(said.out).toMatch(/You said: First\n[^]*You said: Second\n[^]*forgotten/);
    expect(said.error).toMatch(/-m: there is no such model for this key/);
    expect(JSON.parse(readFileSync(at('loop.json'), 'utf8'))).toEqual({ messages: [] });
  });

  it.each([
    { line: ['chat', 'x'], code: 2, says: 'Say which model with -m; gateway models --kind chat lists' },
    { line: ['chat', '-m', 'gpt-5.2'], code: 2, says: 'Say what you want' },
    { line: ['chat', 'x', '-m', 'nope'], code: 2, says: '-m: there is no such model for this key' },
    { line: ['chat', 'x', '-m', 'gpt-5.2', '--key', 'sk-test-wrong'], code: 1, says: 'refused the key' },
    { line: ['chat', '[[twin:500]] x', '-m', 'gpt-5.2'], code: 1, says: '(request req_' },
  ])('$line: $says', async ({ line, code, says }) => {
    const said = await run(line);
    expect(said).toMatchObject({ code, out: '', error: expect.stringContaining(says) });
    expect(said.error).toMatch(/^[^\n]+\n$/);
  });

  it('without a key says where one comes from', async () => {
    const said = await runCommand(['chat', 'x', '-m', 'gpt-5.2', '--url', gateway.url]);
    expect(said).toMatchObject({ code: 1, error: expect.stringContaining('gateway keys create --test makes one') });
  });
});

describe('pictures and sounds', () => {
  it('pictures are saved, in either form of the models, and changed', async () => {
    const out = at('a.png');
    expect(await run(['image', 'a lighthouse', '-m', 'doubao-seedream-4-5', '-o', out])).toEqual({
      code: 0,
      out: `${out}\n`,
      error: '',
    });
    const several = await run(['image', 'boats', '-m', 'wan2.6-t2i', '-n', '2', '-o', at('b.png'), '--json']);
    expect(JSON.parse(several.out)).toMatchObject({ files: [at('b-1.png'), at('b-2.png')] });
    expect(statSync(at('b-2.png')).size).toBeGreaterThan(50);
    await run(['image', 'make it night', '-m', 'gpt-image-2', '-i', at('b-1.png'), '-o', at('c.png')]);
    expect(readFileSync(at('c.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('a picture that is not there is said', async () => {
    const said = await run(['image', 'x', '-m', 'gpt-image-2', '-i', at('missing.png'), '-o', at('d.png')]);
    expect(said).toMatchObject({ code: 1, error: expect.stringContaining('missing.png') });
    expect(existsSync(at('d.png'))).toBe(false);
  });

  it('speech is saved with the first voice of its model, or goes to standard output', async () => {
    const file = at('tide.wav');
    const { out } = await run(['speech', 'High tide', '-m', 'mimo-v2.5-tts', '--format', 'wav', '-o', file, '--json']);
    expect(JSON.parse(out)).toMatchObject({ voice: 'mimo_default', file });
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF');
    const sound = await run(['speech', 'High tide', '-m', 'gpt-4o-mini-tts', '--format', 'wav', '-o', '-']);
    expect(sound.out.slice(0, 4)).toBe('RIFF');
  });
});

describe('videos', () => {
  it('one is started, and gone on with by its id', async () => {
    const started = await run(['video', 'a boat', '-m', 'veo-3.1', '--seconds', '8']);
    const id = /gateway video --resume (\S+)/.exec(started.out)?.[1];
    const file = at('boat.mp4');
    const { out, error } = await run(['video', '--resume', String(id), '-o', file]);
    expect(out).toBe(`${file}\n`);
    expect(error).toMatch(/^100% \S+ is ready$/m);
    expect(readFileSync(file).subarray(4, 8).toString()).toBe('ftyp');
  });

  it('one is waited for with a bar on a terminal', async () => {
    const line = ['video', 'a boat', '-m', 'kling-v3', '-o', at('kling.mp4')];
    const { code, error } = await run(line, { tty: true });
    expect(code).toBe(0);
    expect(error).toMatch(/ 100% \S+ is ready, \d+ s/);
  });

  it('one that fails is exit code 1, with the reason', async () => {
    const said = await run(['video', '[[twin:fail]] a boat', '-m', 'veo-3.1', '--wait', '-o', at('no.mp4')]);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.error).toMatch(/[^\n]+\n$/);
    expect(existsSync(at('no.mp4'))).toBe(false);
  });
});

describe('models', () => {
  it('those of the key, of a kind, with prices', async () => {
    const { out } = await run(['models', '--kind', 'speech', '--prices']);
    expect(out).toMatch(/^mimo-v2\.5-tts +speech +\$15\.00 a million characters$/m);
    expect(out).not.toContain('gpt-5.2');
    const all = JSON.parse((await run(['models', '--json'])).out) as { id: string }[];
    expect(all.map(({ id }) => id)).toContain('gpt-5.2');
  });

  it('without a gateway those of the configuration', async () => {
    const { code, out } = await runCommand(['models', '--kind', 'video']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^sora-2 +video +openai-compatible +seconds$/m)]);
  });
});

it('the program itself, started: an answer through a pipe', async () => {
  const said = await startCommand(['chat', '-m', 'gpt-5.2'], { env, input: 'Hello' });
  expect(said).toEqual({ code: 0, out: 'You said: Hello\n', error: '' });
});
