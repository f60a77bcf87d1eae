/** Google Cloud's speech services against the twin (docs/wire/google-speech.md). */
import { describe, expect, it } from 'vitest';
import {
  describeSpeechAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  speechCreate,
  transcriptionCreate,
} from '@model-gateway/testing';
import { googleSpeech } from './cloud-speech.ts';
import { toGoogleSpeech } from './speech.ts';
import { toGoogleTranscription } from './transcriptions.ts';

describeSpeechAdapter(googleSpeech, 'google-speech', { model: 'chirp3-hd', input: { shape: 'speech' } });
describeTranscriptionAdapter(googleSpeech, 'google-speech', {
  model: 'chirp_2',
  speakers: false,
  settings: { project: 'twin-project' },
});

describe('speech', () => {
  const asked = (given: Parameters<typeof speechCreate>[0], model = 'chirp3-hd', quirks = {}) =>
    toGoogleSpeech(speechCreate({ shape: 'speech', ...given }), { model, quirks });

  it.each([
    ['chirp3-hd', 'alloy', {}, { languageCode: 'en-US', name: 'en-US-Chirp3-HD-Kore' }],
    ['chirp3-hd', 'Puck', { language: 'de-DE' }, { languageCode: 'de-DE', name: 'de-DE-Chirp3-HD-Puck' }],
    ['neural2', 'en-GB-Neural2-A', {}, { languageCode: 'en-GB', name: 'en-GB-Neural2-A' }],
    ['gemini-2.5-flash-tts', 'alloy', {}, { languageCode: 'en-US', name: 'Kore', modelName: 'gemini-2.5-flash-tts' }],
  ])('%s with the voice %s and %j', (model, voice, extra, said) => {
    expect(asked({ voice, extra }, model).body['voice']).toEqual(said);
  });

  it.each([
    ['standard', 'en-US-Studio-O'],
    ['neural2', 'en-US-Chirp3-HD-Kore'],
  ])('%s does not speak as %s, which has another price', (model, voice) => {
    expect(() => asked({ voice }, model)).toThrow(/another price/);
  });

  it('instructions go to the models that follow them', () => {
    const given = { instructions: 'Softly.', speed: 1.5 };
    expect(asked(given)).toMatchObject({ body: { audioConfig: { speakingRate: 1.5 } }, dropped: ['instructions'] });
    expect(asked(given, 'gemini-2.5-flash-tts')).toMatchObject({
      body: { input: { prompt: 'Softly.' }, audioConfig: expect.not.objectContaining({ speakingRate: 1.5 }) },
      dropped: ['speed'],
    });
  });

  it.each([
    ['mp3', { audioEncoding: 'MP3' }],
    ['opus', { audioEncoding: 'OGG_OPUS' }],
    ['wav', { audioEncoding: 'LINEAR16', sampleRateHertz: 24_000 }],
    ['pcm16', { audioEncoding: 'LINEAR16', sampleRateHertz: 24_000 }],
  ])('%s is asked for', (format, config) => {
    expect(asked({ format }).body['audioConfig']).toEqual(config);
  });
});

it.each([
  [{}, 'auto', false],
  [{ language: 'en' }, 'en-US', false],
  [{ language: 'pt_PT', form: 'verbose_json' as const }, 'pt-PT', true],
])('asks for %j', async (given, language, times) => {
  const { request } = await toGoogleTranscription(transcriptionCreate(recordingOf(1), 1, given), {
    model: 'chirp_2',
    account: { id: 1, baseUrl: 'https://a', settings: { project: 'p/1', location: 'eu' } },
  });
  expect(request.path).toBe('/v2/projects/p%2F1/locations/eu/recognizers/_:recognize');
  expect(request.json).toMatchObject({
    config: {
      languageCodes: [language],
      features: times ? { enableWordTimeOffsets: true } : expect.not.objectContaining({ enableWordTimeOffsets: true }),
    },
  });
});

it('the address of recordings is that of the location', () => {
  const { baseUrl } = googleSpeech.declares.wires?.['speech-to-text'] ?? {};
  if (typeof baseUrl !== 'function') throw new Error('one address for all');
  expect(baseUrl({})).toBe('https://us-central1-speech.googleapis.com');
  expect(baseUrl({ location: 'global' })).toBe('https://speech.googleapis.com');
});
