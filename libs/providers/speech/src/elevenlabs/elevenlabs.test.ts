/** ElevenLabs against the twin (docs/wire/elevenlabs.md). */
import { describe, expect, it } from 'vitest';
import type { MusicCreate } from '@model-gateway/provider-kit';
import {
  describeSpeechAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  speechCreate,
  transcriptionCreate,
} from '@model-gateway/testing';
import { elevenlabs } from './elevenlabs.ts';
import { toElevenLabsMusic } from './music.ts';
import { toElevenLabsSpeech } from './speech.ts';
import { toElevenLabsTranscription } from './transcriptions.ts';

describeSpeechAdapter(elevenlabs, 'elevenlabs', {
  model: 'eleven_multilingual_v2',
  input: { shape: 'speech' },
  json: false,
  moderation: {
    status: 400,
    body: { detail: { type: 'validation_error', code: 'content_against_policy', message: 'No.' } },
  },
});
describeTranscriptionAdapter(elevenlabs, 'elevenlabs', { model: 'scribe_v2', speakers: true });

describe('speech', () => {
  const model = 'eleven_v3';
  const asked = (given: Parameters<typeof speechCreate>[0], quirks = {}) =>
    toElevenLabsSpeech(speechCreate({ shape: 'speech', ...given }), { model, quirks });

  it.each([
    ['mp3', '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_44100_128'],
    ['opus', '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=opus_48000_128'],
    ['pcm16', '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=pcm_24000'],
    ['wav', '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=wav_24000'],
  ])('%s is asked for', (format, path) => {
    expect(asked({ format }).request.path).toBe(path);
  });

  it.each(['aac', 'flac'])('%s is refused with what there is', (format) => {
    expect(() => asked({ format })).toThrow(/makes no (?:aac|flac); possible are mp3, opus, wav, pcm/);
  });

  it('voices go by the names that the offer gives them, and by their own', () => {
    expect(asked({ voice: 'alloy' }).request.path).toMatch(/EXAVITQu4vr4xnSDxMaL/);
    const quirks = { voices: { alloy: 'Xb7hH8MSUJpSbSDYk0k2' }, default_voice: 'alloy' };
    for (const voice of ['alloy', undefined])
      expect(asked({ ...(voice !== undefined && { voice }) }, quirks).request.path).toMatch(/Xb7hH8MSUJpSbSDYk0k2/);
    expect(asked({ voice: '../../v1/user' }, quirks).request.path).toMatch(
      /^\/v1\/text-to-speech\/..%2F..%2Fv1%2Fuser/,
    );
  });

  it('a speed is sent where the vendor has it, beside the settings of the caller', () => {
    const extra = { voice_settings: { stability: 0.4 } };
    expect(asked({ speed: 1.1, extra })).toMatchObject({
      request: { json: { voice_settings: { stability: 0.4, speed: 1.1 } } },
      dropped: [],
    });
    const fast = asked({ speed: 2 });
    expect(fast.dropped).toEqual(['speed']);
    expect(fast.request.json).not.toHaveProperty('voice_settings');
  });

  it('what is not sent is named', () => {
    const given = { instructions: 'Softly.', extra: { seed: 3, use_pvc_as_ivc: true } };
    expect(asked(given)).toMatchObject({ request: { json: { seed: 3 } }, dropped: ['instructions', 'use_pvc_as_ivc'] });
  });
});

it('what costs more is not asked for', () => {
  const extra = ['keyterms', 'entity_detection', 'use_multi_channel', 'detect_speaker_roles', 'webhook'].map(
    (name) => [name, 'true'] as const,
  );
  const input = transcriptionCreate(recordingOf(1), 1, { prompt: 'Ahoy', extra: [...extra, ['num_speakers', '2']] });
  const { request, dropped } = toElevenLabsTranscription(input, { model: 'scribe_v2' });
  expect(dropped).toEqual(['prompt', ...extra.map(([name]) => name)]);
  expect(request.form?.map(({ name }) => name)).toEqual(['model_id', 'num_speakers', 'file']);
});

it.each<readonly [status: number, detail: unknown, fault: object]>([
  [401, { status: 'invalid_api_key', message: 'Invalid API key' }, { code: 'upstream_rejected_key' }],
  // A quota that is used up is told as that, not as a wrong key.
  [401, { status: 'quota_exceeded', message: 'x' }, { code: 'upstream_rejected_key', vendorCode: 'quota_exceeded' }],
  [404, { code: 'voice_not_found', message: 'x' }, { code: 'invalid_request', param: 'voice' }],
  [
    400,
    { code: 'max_character_limit_exceeded', message: 'x', param: 'text' },
    { code: 'invalid_request', param: 'input' },
  ],
  [400, { code: 'model_not_found', message: 'x' }, { code: 'upstream_rejected_model' }],
  [
    422,
    [{ loc: ['body', 'text'], msg: 'Field required', type: 'missing' }],
    { code: 'invalid_request', param: 'input' },
  ],
  [429, { status: 'too_many_concurrent_requests', message: 'x' }, { code: 'upstream_rate_limited' }],
  [429, { status: 'system_busy', message: 'x' }, { code: 'upstream_rate_limited' }],
  [500, { status: 'internal', message: 'x' }, { code: 'upstream_unavailable' }],
])('a %s of %j', (status, detail, fault) => {
  const reply = { status, headers: {}, body: Buffer.alloc(0), json: { detail } as never };
  expect(elevenlabs.readFault(reply)).toMatchObject(fault);
});

describe('music', () => {
  const asked = (given: Partial<MusicCreate>, model = 'music_v2') =>
    toElevenLabsMusic({ prompt: 'A shanty', seconds: 12.5, format: 'mp3', extra: {}, ...given }, { model });

  it('a song is asked for with its length', () => {
    const { request, dropped } = asked({ lyrics: 'Heave ho', instrumental: true, seed: 1, extra: { tempo: 3 } });
    expect(request).toMatchObject({ path: '/v1/music?output_format=mp3_44100_128' });
    expect(request.json).toEqual({
      prompt: 'A shanty\n\nLyrics:\nHeave ho',
      music_length_ms: 12_500,
      model_id: 'music_v2',
      force_instrumental: true,
    });
    expect(dropped).toEqual(['seed', 'tempo']);
  });

  it('a sound effect is asked for elsewhere', () => {
    const given = { lyrics: 'la', format: 'opus', extra: { loop: true, tempo: 3 } };
    const { request, dropped } = asked(given, 'eleven_text_to_sound_v2');
    expect(request).toMatchObject({
      path: '/v1/sound-generation?output_format=opus_48000_128',
      json: { text: 'A shanty', duration_seconds: 12.5, model_id: 'eleven_text_to_sound_v2', loop: true },
    });
    expect(dropped).toEqual(['lyrics', 'tempo']);
  });
});
