import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { SpeechCreate, SpeechReply, Upstream } from '@model-gateway/provider-kit';
import {
  readWav,
  speechCreate,
  startScriptedVendor,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { openai } from './openai.ts';
import { piecesOf, refuseTags, toOpenAiSpeech, speech } from './speech.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const mini = { model: 'gpt-4o-mini-tts', quirks: {} };
const body = (given: Partial<SpeechCreate>, target: Pick<Upstream, 'model' | 'quirks'> = mini) => {
  const input = speechCreate({ text: 'Hello', shape: 'speech', ...given });
  return toOpenAiSpeech(input, { text: input.text, format: input.format }, target);
};

describe('the request', () => {
  it.each<{ name: string; given: Partial<SpeechCreate>; sends: JsonObject; dropped?: string[] }>([
    { name: 'a voice is needed', given: {}, sends: { voice: 'alloy' } },
    {
      name: 'every word OpenAI has',
      given: { shape: 'chat', voice: 'coral', instructions: 'softly', speed: 0.25, stream: true },
      sends: { voice: 'coral', instructions: 'softly', speed: 0.25, stream_format: 'audio' },
    },
    { name: 'pcm16 is called pcm', given: { format: 'pcm16' }, sends: { voice: 'alloy', response_format: 'pcm' } },
    {
      name: 'a body as it came, null members and a voice by its id too',
      given: {
        asEvents: true,
        body: { voice: { id: 'voice_1' }, tomorrow: 1, instructions: null, speed: null, stream_format: 'sse' },
      },
      sends: { voice: { id: 'voice_1' }, tomorrow: 1, instructions: null, speed: null, stream_format: 'sse' },
    },
    {
      name: 'what a chat request says besides is named',
      given: { shape: 'chat', extra: { temperature: 0 } },
      sends: { voice: 'alloy' },
      dropped: ['temperature'],
    },
  ])('$name', ({ given, sends, dropped = [] }) => {
    expect(body(given)).toEqual({
      body: { model: 'gpt-4o-mini-tts', input: 'Hello', response_format: 'wav', ...sends },
      dropped,
    });
  });

  it('the tts-1 family hears no instructions', () => {
    const { body: made, dropped } = body({ instructions: 'softly' }, { model: 'tts-1-hd', quirks: {} });
    expect(made).not.toHaveProperty('instructions');
    const own = { voice: 'alloy', stream_format: 'sse', instructions: 'softly' };
    expect(body({ asEvents: true, body: own }, { model: 'tts-1', quirks: {} }).body).toEqual({
      model: 'tts-1',
      input: 'Hello',
      voice: 'alloy',
      response_format: 'wav',
    });
    expect(dropped).toEqual(['instructions']);
  });
});

describe('tags', () => {
  it.each([
    ['chat', '(唱歌)啦啦啦'],
    ['chat', '（Sing）la la la'],
    ['chat', '(happy) Good morning'],
    ['chat', 'Well [laughs] then'],
    ['chat', '好的（深呼吸）我们开始'],
  ] as const)('in a %s request %j would be read aloud', (shape, text) => {
    expect(() => refuseTags(speechCreate({ shape, text }))).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'messages' } }),
    );
  });
  it.each([
    ['speech', '(see below) and [1]'],
    ['speech', 'We sing (singing)'],
    ['chat', 'Call me (later) please'],
    ['chat', ''],
  ] as const)('in a %s request %j is text', (shape, text) => {
    expect(() => refuseTags(speechCreate({ shape, text }))).not.toThrow();
  });
});

describe('long texts', () => {
  const cut = (text: string, most: number, format = 'mp3') =>
    piecesOf(speechCreate({ text }), format, { max_characters: most });

  it.each([
    { name: 'short ones stay whole', text: 'One. Two.', most: 9, pieces: ['One. Two.'] },
    { name: 'after a sentence', text: 'One is. Two are more.', most: 12, pieces: ['One is. ', 'Two are ', 'more.'] },
    { name: 'after a Chinese sentence', text: '一二。三四。五', most: 5, pieces: ['一二。', '三四。五'] },
    { name: 'at a space where no sentence ends', text: 'aaa bbb ccc', most: 9, pieces: ['aaa bbb ', 'ccc'] },
    { name: 'anywhere when there is none', text: 'aaaaaaaa', most: 3, pieces: ['aaa', 'aaa', 'aa'] },
    { name: 'never inside a character', text: '😀😀😀', most: 3, pieces: ['😀', '😀', '😀'] },
  ])('are cut $name', ({ text, most, pieces }) => {
    expect(cut(text, most)).toEqual(pieces);
    expect(cut(text, most).join('')).toBe(text);
  });

  it('have OpenAI’s limit unless the catalogue knows another', () => {
    expect(piecesOf(speechCreate({ text: 'a'.repeat(4096) }), 'flac', {})).toHaveLength(1);
    expect(piecesOf(speechCreate({ text: 'a'.repeat(4097) }), 'pcm16', {})).toHaveLength(2);
  });

  it.each(['flac', 'opus'])('cannot be made as %s, whose pieces cannot be joined', (format) => {
    expect(() => cut('aaaa', 3, format)).toThrow(/at most 3 characters, the text has 4; mp3, wav and pcm/);
  });
});

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());
  const open = async (answer: (request: ScriptedRequest) => ScriptedReply): Promise<Upstream> => {
    vendor = await startScriptedVendor(answer);
    return vendor.upstream(openai, { basePath: '/v1', model: 'gpt-4o-mini-tts' });
  };
  const sound = (bytes: Uint8Array, type = 'audio/pcm'): ScriptedReply => ({
    bytes,
    headers: { 'content-type': type },
  });
  const heard = async ({ audio }: SpeechReply): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of audio) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const textOf = ({ json }: ScriptedRequest): string => (json as { input: string }).input;

  it('passes the sound on and counts what it can', async () => {
    const upstream = await open(() => sound(Buffer.alloc(4800, 1)));
    const reply = await speech.speak(speechCreate({ text: 'Hi 😀', format: 'pcm16', stream: true }), upstream);
    expect(reply).toMatchObject({ mime: 'audio/pcm', sampleRate: 24_000 });
    expect(await heard(reply)).toHaveLength(4800);
    expect(reply.usage()).toEqual({ characters: 4, seconds: 0.1 });
    expect(vendor?.requests[0]).toMatchObject({ path: '/v1/audio/speech', json: { response_format: 'pcm' } });
  });

  it('joins raw samples of a long text in order', async () => {
    const upstream = {
      ...(await open((request) => sound(Buffer.from(textOf(request).slice(0, 2))))),
      quirks: { max_characters: 4 },
    };
    const reply = await speech.speak(speechCreate({ text: 'aa. bb. cc.', format: 'pcm16' }), upstream);
    expect((await heard(reply)).toString()).toBe('aabbcc');
    expect(reply.usage()).toMatchObject({ characters: 11 });
  });

  it('makes one WAV file of a long text', async () => {
    const upstream = { ...(await open(() => sound(Buffer.alloc(24_000, 7)))), quirks: { max_characters: 4 } };
    const reply = await speech.speak(speechCreate({ text: 'aa. bb.', format: 'wav' }), upstream);
    expect(readWav(await heard(reply))).toMatchObject({ seconds: 1, sampleRate: 24_000, channels: 1, bits: 16 });
    expect(reply).toMatchObject({ mime: 'audio/wav' });
    expect(reply.usage().seconds).toBe(1);
    expect(vendor?.requests.map(({ json }) => (json as JsonObject)['response_format'])).toEqual(['pcm', 'pcm']);
  });

  it('reads the stream with events where the catalogue wants its token counts', async () => {
    const events = { text: fixture('speech-stream.200.sse'), headers: { 'content-type': 'text/event-stream' } };
    const upstream = { ...(await open(() => events)), quirks: { stream_format: 'sse' } };
    const reply = await speech.speak(speechCreate({ format: 'pcm16' }), upstream);
    expect([...(await heard(reply))]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(reply.usage()).toMatchObject({ inputTokens: 9, outputTokens: 21 });
    expect(vendor?.requests[0]?.json).toMatchObject({ stream_format: 'sse' });
  });

  it('a stream with events that has no end is no success', async () => {
    const cut = fixture('speech-stream.200.sse').split('data: {"type": "speech.audio.done"')[0] ?? '';
    const upstream = await open(() => ({ text: cut, headers: { 'content-type': 'text/event-stream' } }));
    const reply = await speech.speak(speechCreate({ format: 'pcm16' }), upstream);
    await expect(heard(reply)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it.each<{ name: string; reply: ScriptedReply; code: string }>([
    {
      name: 'a refusal with status 200',
      reply: { json: { error: { message: 'no', code: 'content_filter' } } },
      code: 'content_refused',
    },
    { name: 'JSON that is no refusal', reply: { json: { ok: true } }, code: 'upstream_malformed' },
    {
      name: 'JSON that is longer than a refusal',
      reply: { json: { more: 'x'.repeat(300_000), error: { message: 'no', code: 'content_filter' } } },
      code: 'upstream_malformed',
    },
    { name: 'torn JSON', reply: { text: '{"ok":' }, code: 'upstream_malformed' },
    { name: 'a page', reply: { text: '<html>', headers: { 'content-type': 'text/html' } }, code: 'upstream_malformed' },
    { name: 'silence', reply: sound(Buffer.alloc(0)), code: 'upstream_malformed' },
    { name: 'half a sample', reply: sound(Buffer.alloc(1)), code: 'upstream_malformed' },
    { name: 'a hang-up', reply: 'hang-up', code: 'upstream_unavailable' },
  ])('$name is refused before the first byte', async ({ reply, code }) => {
    const upstream = await open(() => reply);
    await expect(speech.speak(speechCreate({ format: 'pcm16' }), upstream)).rejects.toMatchObject({ code });
  });

  it('asks nobody for a format nobody makes', async () => {
    const upstream = await open(() => sound(Buffer.alloc(2)));
    await expect(speech.speak(speechCreate({ format: 'midi' }), upstream)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(vendor?.requests).toEqual([]);
  });
});
