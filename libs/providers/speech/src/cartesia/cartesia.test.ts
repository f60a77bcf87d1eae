/** Cartesia against the twin (docs/wire/cartesia.md). */
import { describe, expect, it } from 'vitest';
import {
  describeSpeechAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  speechCreate,
  transcriptionCreate,
} from '@model-gateway/testing';
import { cartesia } from './cartesia.ts';
import { toCartesiaSpeech } from './speech.ts';
import { toCartesiaTranscription } from './transcriptions.ts';

describeSpeechAdapter(cartesia, 'cartesia', { model: 'sonic-3', input: { shape: 'speech' }, json: false });
describeTranscriptionAdapter(cartesia, 'cartesia', { model: 'ink-whisper', speakers: false });

describe('speech', () => {
  const asked = (given: Parameters<typeof speechCreate>[0], quirks = {}) =>
    toCartesiaSpeech(speechCreate({ shape: 'speech', ...given }), { model: 'sonic-3', quirks });

  it.each(['opus', 'aac', 'flac'])('%s is refused with what there is', (format) => {
    expect(() => asked({ format })).toThrow(/makes no (?:opus|aac|flac); possible are mp3, wav, pcm/);
  });

  it('a speed is sent where the vendor has it, beside the settings of the caller', () => {
    const extra = { generation_config: { emotion: 'calm' }, language: 'de', save: true };
    expect(asked({ speed: 1.2, extra })).toMatchObject({
      request: { json: { generation_config: { emotion: 'calm', speed: 1.2 }, language: 'de' } },
      dropped: ['save'],
    });
    expect(asked({ speed: 2, instructions: 'Softly.' }).dropped).toEqual(['instructions', 'speed']);
  });

  it('voices go by the names that the offer gives them, by OpenAI’s, and by their own', () => {
    const voiceOf = (voice: string, quirks = {}) => asked({ voice }, quirks).request.json;
    expect(voiceOf('alloy')).toMatchObject({ voice: { id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' } });
    expect(voiceOf('alloy', { voices: { alloy: 'mine' } })).toMatchObject({ voice: { id: 'mine' } });
    expect(voiceOf('mine')).toMatchObject({ voice: { id: 'mine' } });
  });
});

it('asks for words where segments are made of them', () => {
  const asked = (form: 'json' | 'verbose_json') =>
    toCartesiaTranscription(
      transcriptionCreate(recordingOf(1), 1, { form, prompt: 'Ahoy', temperature: '0', extra: [['x', '1']] }),
      { model: 'ink-whisper' },
    );
  expect(asked('json').request.form?.map(({ name }) => name)).toEqual(['model', 'file']);
  expect(asked('verbose_json').request.form?.map(({ name }) => name)).toEqual([
    'model',
    'timestamp_granularities[]',
    'file',
  ]);
  expect(asked('json').dropped).toEqual(['prompt', 'temperature', 'x']);
});

it.each<readonly [status: number, json: object, fault: object]>([
  [401, { error_code: null, title: 'Unauthorized', message: 'x' }, { code: 'upstream_rejected_key' }],
  [
    402,
    { error_code: 'quota_exceeded', title: 'x', message: 'y' },
    { code: 'upstream_rejected_key', vendorCode: 'quota_exceeded' },
  ],
  [404, { error_code: 'voice_not_found', title: 'x', message: 'y' }, { code: 'invalid_request', param: 'voice' }],
  [404, { error_code: 'model_not_found', title: 'x', message: 'y' }, { code: 'upstream_rejected_model' }],
  [400, { error_code: null, title: 'x', message: 'y' }, { code: 'invalid_request', message: 'y' }],
  [429, { error_code: 'concurrency_limited', title: 'x', message: 'y' }, { code: 'upstream_rate_limited' }],
  [500, { error_code: null, title: 'x', message: 'y' }, { code: 'upstream_unavailable' }],
])('a %s of %j', (status, json, fault) => {
  expect(cartesia.readFault({ status, headers: {}, body: Buffer.alloc(0), json: json as never })).toMatchObject(fault);
});
