/** Deepgram against the twin (docs/wire/deepgram.md). */
import { describe, expect, it } from 'vitest';
import {
  describeSpeechAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  speechCreate,
  transcriptionCreate,
} from '@model-gateway/testing';
import { deepgram } from './deepgram.ts';
import { toDeepgramSpeech } from './speech.ts';
import { toDeepgramTranscription } from './transcriptions.ts';

describeSpeechAdapter(deepgram, 'deepgram', { model: 'aura-2', input: { shape: 'speech' }, json: false });
describeTranscriptionAdapter(deepgram, 'deepgram', { model: 'nova-3', speakers: true });

describe('speech', () => {
  const asked = (given: Parameters<typeof speechCreate>[0], model = 'aura-2', quirks = {}) =>
    toDeepgramSpeech(speechCreate({ shape: 'speech', ...given }), { model, quirks });

  it.each([
    ['mp3', 'encoding=mp3'],
    ['opus', 'encoding=opus&container=ogg'],
    ['aac', 'encoding=aac'],
    ['flac', 'encoding=flac&sample_rate=24000'],
    ['wav', 'encoding=linear16&container=wav&sample_rate=24000'],
    ['pcm16', 'encoding=linear16&container=none&sample_rate=24000'],
  ])('%s is asked for', (format, query) => {
    expect(asked({ format }).request.path).toBe(`/v1/speak?model=aura-2-thalia-en&${query}`);
  });

  it.each([
    ['aura-2', 'alloy', 'aura-2-thalia-en', []],
    ['aura-2', 'celeste-es', 'aura-2-celeste-es', []],
    ['aura-2', 'aura-asteria-en', 'aura-asteria-en', []],
    ['aura-2', 'x&callback=http://a', 'aura-2-x%26callback%3Dhttp%3A%2F%2Fa', []],
    // An offer that names a voice has that one.
    ['aura-2-zeus-en', 'alloy', 'aura-2-zeus-en', ['voice']],
  ])('%s with the voice %s is %s', (model, voice, said, dropped) => {
    const { request, dropped: names } = asked({ voice }, model);
    expect([request.path.split('&')[0], names]).toEqual([`/v1/speak?model=${said}`, dropped]);
  });

  it('a speed is sent where the vendor has it', () => {
    expect(asked({ speed: 1.2 }).request.path).toMatch(/&speed=1\.2$/);
    expect(asked({ speed: 3, instructions: 'Softly.', extra: { callback: 'http://a' } })).toMatchObject({
      request: { path: expect.not.stringMatching(/speed|callback/) },
      dropped: ['instructions', 'speed', 'callback'],
    });
  });
});

describe('transcription', () => {
  const asked = (given: Parameters<typeof transcriptionCreate>[2]) =>
    toDeepgramTranscription(transcriptionCreate(recordingOf(1), 1, given), { model: 'nova-3' });
  const queryOf = (path: string) => Object.fromEntries(new URLSearchParams(path.split('?')[1]));

  it('finds the language out where nobody names one', () => {
    expect(queryOf(asked({}).request.path)).toEqual({ model: 'nova-3', smart_format: 'true', detect_language: 'true' });
    expect(queryOf(asked({ language: 'de', form: 'diarized_json' }).request.path)).toEqual({
      model: 'nova-3',
      smart_format: 'true',
      language: 'de',
      diarize: 'true',
    });
  });

  it('what costs more or answers elsewhere is not asked for', () => {
    const extra = ['keyterm', 'redact', 'summarize', 'multichannel', 'callback', 'model'].map(
      (name) => [name, 'x'] as const,
    );
    const { request, dropped } = asked({
      prompt: 'Ahoy',
      temperature: '0.2',
      extra: [...extra, ['numerals', 'true']],
    });
    expect(dropped).toEqual(['prompt', 'temperature', ...extra.map(([name]) => name)]);
    expect(queryOf(request.path)).toEqual({
      model: 'nova-3',
      smart_format: 'true',
      detect_language: 'true',
      numerals: 'true',
    });
  });
});

it.each<readonly [status: number, json: object, fault: object]>([
  [401, { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.' }, { code: 'upstream_rejected_key' }],
  [402, { err_code: 'ASR_PAYMENT_REQUIRED', err_msg: 'x' }, { code: 'upstream_rejected_key' }],
  [403, { category: 'FORBIDDEN', message: 'x', details: 'y' }, { code: 'upstream_rejected_key', message: 'y' }],
  [400, { err_code: 'Bad Request', err_msg: 'Bad Request: corrupt or unsupported data' }, { code: 'invalid_request' }],
  [
    400,
    { err_code: 'Bad Request', err_msg: 'Bad Request: No such model/language/tier combination found.' },
    { code: 'upstream_rejected_model' },
  ],
  [413, { err_code: 'PAYLOAD_TOO_LARGE', err_msg: 'x' }, { code: 'invalid_request' }],
  [429, { err_code: 'TOO_MANY_REQUESTS', err_msg: 'x' }, { code: 'upstream_rate_limited' }],
  [503, { err_code: 'SERVICE_UNAVAILABLE', err_msg: 'x' }, { code: 'upstream_unavailable' }],
])('a %s of %j', (status, json, fault) => {
  expect(deepgram.readFault({ status, headers: {}, body: Buffer.alloc(0), json: json as never })).toMatchObject(fault);
});
