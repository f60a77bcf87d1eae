import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { SpeechCreate } from './speech-adapter.ts';
import { charactersIn, secondsOfSamples, soundReply, speechFormat, startedSound, wholeSamples } from './speech-form.ts';

async function* pieces(...hex: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of hex) yield Buffer.from(piece, 'hex');
}
async function collect(sound: AsyncIterable<Uint8Array>): Promise<string[]> {
  const seen: string[] = [];
  for await (const piece of sound) seen.push(Buffer.from(piece).toString('hex'));
  return seen;
}
const asked = (given: Partial<SpeechCreate>): SpeechCreate => ({
  text: 'x',
  format: 'wav',
  stream: false,
  extra: {},
  ...given,
});

describe('wholeSamples', () => {
  it.each([
    { name: 'even pieces pass', given: ['0102', '0304'], seen: ['0102', '0304'] },
    { name: 'an odd byte waits', given: ['010203', '04'], seen: ['0102', '0304'] },
    { name: 'single bytes pair up', given: ['01', '02', '03', '04'], seen: ['0102', '0304'] },
    { name: 'half a sample at the end is none', given: ['010203'], seen: ['0102'] },
    { name: 'nothing is nothing', given: ['', ''], seen: [] },
  ])('$name', async ({ given, seen }) => {
    expect(await collect(wholeSamples(pieces(...given)))).toEqual(seen);
  });
});

describe('startedSound', () => {
  it('skips empty pieces, keeps the first and all others', async () => {
    expect(await collect(await startedSound(pieces('', '01', '02')))).toEqual(['01', '02']);
  });
  it('refuses silence', async () => {
    await expect(startedSound(pieces('', ''))).rejects.toMatchObject({ code: 'upstream_malformed' });
  });
  it('closes the source when its reader leaves', async () => {
    let released = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from([1]);
      } finally {
        released = true;
      }
    }
    for await (const piece of await startedSound(endless())) {
      expect(piece).toHaveLength(1);
      break;
    }
    expect(released).toBe(true);
  });
});

describe('speechFormat', () => {
  it('takes pcm for pcm16', () => {
    expect(speechFormat(asked({ format: 'pcm' }), ['wav', 'pcm16'])).toBe('pcm16');
  });
  it.each([
    { shape: 'chat' as const, param: 'audio.format', possible: 'wav, pcm16' },
    { shape: 'speech' as const, param: 'response_format', possible: 'wav, pcm' },
  ])('names the field of $shape and what is possible', ({ shape, param, possible }) => {
    const refused = (): unknown => speechFormat(asked({ shape, format: 'flac' }), ['wav', 'pcm16']);
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param } }));
    expect(refused).toThrow(`makes no flac; possible are ${possible}`);
  });
});

it('JSON in place of a sound is read no further than a refusal is long', async () => {
  let read = 0;
  const body = (async function* () {
    for (; read < 1000; read += 1) yield Buffer.alloc(64 * 1024, ' ');
  })();
  const reply = { status: 200, headers: { 'content-type': 'application/json' }, body, raw: Readable.from(body) };
  const asked = { format: 'mp3', text: 'x', dropped: [], readFault: () => undefined } as const;
  await expect(soundReply(reply, { scrub: (text) => text }, asked)).rejects.toMatchObject({
    code: 'upstream_malformed',
  });
  expect(read).toBeLessThan(5);
});

describe('counting', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['唱歌', 2],
    ['😀!', 2],
  ])('%j has %d characters', (text, count) => {
    expect(charactersIn(text)).toBe(count);
  });
  it('tells seconds from bytes', () => {
    expect(secondsOfSamples(48_000, 24_000)).toBe(1);
    expect(secondsOfSamples(0, 24_000)).toBe(0);
  });
});
