import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { SpeechCreate, SpeechReply, Upstream } from '@model-gateway/provider-kit';
import { speechCreate, startScriptedVendor, type ScriptedReply, type ScriptedVendor } from '@model-gateway/testing';
import { mimo } from './adapter.ts';
import { toMimoSpeech, speech } from './speech.ts';

const asked = (given: Partial<SpeechCreate>, model = 'mimo-v2.5-tts') =>
  toMimoSpeech(speechCreate({ text: 'Hello', ...given }), model);

describe('the request', () => {
  it('speaks the assistant’s message, in the preset voice unless told', () => {
    expect(asked({})).toEqual({
      body: {
        model: 'mimo-v2.5-tts',
        messages: [{ role: 'assistant', content: 'Hello' }],
        audio: { format: 'wav', voice: 'mimo_default' },
      },
      format: 'wav',
      stream: false,
      dropped: [],
    });
  });

  it.each(['  (唱歌)啦 啦\n啦  ', '(happy sad)  Hi\u0301 [轻笑]（深呼吸）**x**', '\u{1F600}\u0000"\\'])(
    'says %j byte for byte',
    (text) => {
      expect(asked({ text }).body['messages']).toEqual([{ role: 'assistant', content: text }]);
    },
  );

  it('puts style before the text, and a voice by its own name', () => {
    const { body } = asked({ instructions: 'softly', voice: '冰糖' });
    expect(body['messages']).toEqual([
      { role: 'user', content: 'softly' },
      { role: 'assistant', content: 'Hello' },
    ]);
    expect(body['audio']).toMatchObject({ voice: '冰糖' });
  });

  it.each([
    [1, undefined, []],
    [undefined, undefined, []],
    [1.5, 'Speak at 1.5 times the usual speed.', ['speed']],
  ])('speed %p', (speed, words, dropped) => {
    const made = asked({ ...(speed !== undefined && { speed }) });
    expect(made.dropped).toEqual(dropped);
    expect((made.body['messages'] as JsonObject[]).filter(({ role }) => role === 'user')).toEqual(
      words === undefined ? [] : [{ role: 'user', content: words }],
    );
  });

  it.each<[format: string, stream: boolean, sent: string, streamed: boolean]>([
    ['pcm16', true, 'pcm16', true],
    ['pcm', true, 'pcm16', true],
    ['pcm16', false, 'pcm16', false],
    // Only raw samples can be streamed: a file comes whole, for the caller to read as it arrives.
    ['wav', true, 'wav', false],
    ['mp3', true, 'mp3', false],
  ])('%s with stream %p', (format, stream, sent, streamed) => {
    const made = asked({ format, stream });
    expect(made).toMatchObject({ format: sent, stream: streamed, body: { audio: { format: sent } } });
    expect(made.body['stream']).toBe(streamed ? true : undefined);
  });

  it('has no voice where the model takes none', () => {
    expect(asked({}, 'mimo-v2.5-tts-voicedesign').body['audio']).toEqual({ format: 'wav' });
    const clone = asked({ voice: 'data:audio/wav;base64,QUJD' }, 'mimo-v2.5-tts-voiceclone');
    expect(clone.body['audio']).toMatchObject({ voice: 'data:audio/wav;base64,QUJD' });
  });

  it('passes a chat request’s other fields, and names those of a foreign shape', () => {
    const extra = { temperature: 0, audio: { optimize_text_preview: true, format: 'x' } };
    expect(asked({ extra }).body).toMatchObject({
      temperature: 0,
      audio: { optimize_text_preview: true, format: 'wav' },
    });
    expect(asked({ shape: 'speech', extra: { tomorrow: 1 } })).toMatchObject({ dropped: ['tomorrow'] });
    expect(asked({ shape: 'speech', extra: { tomorrow: 1 } }).body).not.toHaveProperty('tomorrow');
  });

  it('refuses a format it does not make', () => {
    expect(() => asked({ format: 'opus' })).toThrow(
      /audio.format: this model makes no opus; possible are wav, mp3, pcm16/,
    );
  });
});

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());
  const open = async (reply: ScriptedReply): Promise<Upstream> => {
    vendor = await startScriptedVendor(() => reply);
    return vendor.upstream(mimo, { basePath: '/v1', model: 'mimo-v2.5-tts' });
  };
  const heard = async ({ audio }: SpeechReply): Promise<number[][]> => {
    const pieces: number[][] = [];
    for await (const piece of audio) pieces.push([...piece]);
    return pieces;
  };
  const whole = (bytes: Uint8Array, usage?: JsonObject): ScriptedReply => ({
    json: {
      id: 'x',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            audio: { id: 'a-1', data: Buffer.from(bytes).toString('base64'), expires_at: null },
          },
        },
      ],
      ...(usage && { usage }),
    },
  });

  it('hands over the file, its id and what it cost', async () => {
    const upstream = await open(whole(Buffer.alloc(44 + 24_000), { prompt_tokens: 3, completion_tokens: 40 }));
    const reply = await speech.speak(speechCreate({ text: '你好😀' }), upstream);
    expect(reply).toMatchObject({ mime: 'audio/wav', sampleRate: 24_000, id: 'a-1', dropped: [] });
    expect((await heard(reply)).flat()).toHaveLength(24_044);
    expect(reply.usage()).toEqual({ characters: 3, seconds: 0.5, inputTokens: 3, outputTokens: 40 });
    expect(vendor?.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(vendor?.requests[0]?.headers['authorization']).toBe('Bearer vendor-key-0123456789');
  });

  it('knows no length of an mp3', async () => {
    const reply = await speech.speak(speechCreate({ text: 'a', format: 'mp3' }), await open(whole(Buffer.alloc(9))));
    expect(reply).not.toHaveProperty('sampleRate');
    expect(reply.usage()).toEqual({ characters: 1 });
  });

  const chunk = (delta: JsonObject, more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
  const sound = (...bytes: number[]): string =>
    chunk({ audio: { id: 'a-1', data: Buffer.from(bytes).toString('base64') } });
  const stream = (...frames: string[]): ScriptedReply => ({
    text: frames.join(''),
    headers: { 'content-type': 'text/event-stream' },
  });
  const speak = (upstream: Upstream) =>
    speech.speak(speechCreate({ text: 'a', format: 'pcm16', stream: true }), upstream);

  it('streams whole samples, whatever the pieces are', async () => {
    const frames = stream(
      chunk({ role: 'assistant' }),
      sound(1, 2, 3),
      ': ping\n\n',
      'data: {"id":"x"}\n\n',
      sound(4),
      sound(5),
      sound(6, 7, 8),
      chunk({}, { finish_reason: 'stop' }),
      'data: {"id":"x","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":9}}\n\n',
      'data: [DONE]\n\n',
    );
    const reply = await speak(await open(frames));
    expect(reply).toMatchObject({ mime: 'audio/pcm', sampleRate: 24_000, id: 'a-1' });
    expect(await heard(reply)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6, 7, 8],
    ]);
    expect(reply.usage()).toEqual({ characters: 1, seconds: 0, inputTokens: 0, outputTokens: 9 });
    expect(vendor?.requests[0]?.json).toMatchObject({ stream: true, audio: { format: 'pcm16' } });
  });

  it('a finish without its terminator is a success', async () => {
    const reply = await speak(await open(stream(sound(1, 2), chunk({}, { finish_reason: 'stop' }))));
    expect(await heard(reply)).toEqual([[1, 2]]);
  });

  it('a stream without a finish is none, and what was heard is told before', async () => {
    const reply = await speak(await open(stream(sound(1, 2), sound(3, 4))));
    const pieces: number[][] = [];
    const all = (async () => {
      for await (const piece of reply.audio) pieces.push([...piece]);
    })();
    await expect(all).rejects.toMatchObject({ code: 'upstream_unavailable', details: { taken: 'unknown' } });
    expect(pieces).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(reply.usage()).toMatchObject({ characters: 1 });
  });

  it('an error after the first sound ends it as that error', async () => {
    const frames = stream(sound(1, 2), 'data: {"error":{"code":"rate_limit_exceeded","message":"slow"}}\n\n');
    await expect(speak(await open(frames)).then(heard)).rejects.toMatchObject({ code: 'upstream_rate_limited' });
  });

  it('takes a whole answer to a stream', async () => {
    expect(await heard(await speak(await open(whole(Buffer.from([1, 2, 3, 4])))))).toEqual([[1, 2, 3, 4]]);
  });

  it.each<{ name: string; reply: ScriptedReply; code: string }>([
    {
      name: 'an error in place of the first event',
      reply: stream('data: {"error":{"code":"content_filter","message":"no"}}\n\n'),
      code: 'content_refused',
    },
    {
      name: 'an end without a sound',
      reply: stream(chunk({}, { finish_reason: 'stop' }), 'data: [DONE]\n\n'),
      code: 'upstream_malformed',
    },
    { name: 'torn JSON', reply: stream('data: {"choices":\n\n'), code: 'upstream_malformed' },
    { name: 'a hang-up', reply: 'hang-up', code: 'upstream_unavailable' },
    {
      name: 'a refusal',
      reply: { status: 429, headers: { 'retry-after': '3' }, json: { error: { message: 'x' } } },
      code: 'upstream_rate_limited',
    },
  ])('$name is refused before the first byte', async ({ reply, code }) => {
    await expect(speak(await open(reply))).rejects.toMatchObject({ code });
  });

  it.each<{ name: string; json: unknown; code: string }>([
    {
      name: 'an answer without sound',
      json: { choices: [{ finish_reason: 'stop', message: { content: 'x' } }] },
      code: 'upstream_malformed',
    },
    {
      name: 'a filtered answer',
      json: { choices: [{ finish_reason: 'content_filter', message: {} }] },
      code: 'content_refused',
    },
    { name: 'no answer', json: null, code: 'upstream_malformed' },
  ])('$name is $code', async ({ json, code }) => {
    const error: unknown = await speech.speak(speechCreate(), await open({ json })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, details: { taken: code === 'content_refused' ? 'no' : 'unknown' } });
  });
});
