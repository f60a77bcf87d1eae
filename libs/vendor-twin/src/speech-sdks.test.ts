/** The vendors' own clients against the twin: speech and transcripts (docs/wire/deepgram.md, docs/wire/cartesia.md, docs/wire/assemblyai.md). */
import Cartesia from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { AssemblyAI } from 'assemblyai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from './index.ts';
import { makeSpeech } from './media/speech-file.ts';

const SPOKEN = {
  kind: 'speech',
  text: 'High tide at noon.',
  voice: 'a',
  format: 'wav',
  sung: false,
  speed: 1,
} as const;

let twin: VendorTwin;
let recording: Buffer;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  recording = Buffer.from(await makeSpeech(SPOKEN));
});
afterAll(async () => twin.close());

const keyOf = (vendor: 'assemblyai' | 'cartesia' | 'deepgram'): string => TWIN_CREDENTIALS[vendor]['api_key'] ?? '';

describe('Deepgram’s client', () => {
  const client = (apiKey = keyOf('deepgram')) =>
    new DeepgramClient({ apiKey, baseUrl: twin.baseUrl('deepgram'), maxRetries: 0 });

  it('hears words, their times and speakers', async () => {
    const heard = await client().listen.v1.media.transcribeFile(recording, {
      model: 'nova-3',
      smart_format: true,
      diarize: true,
      detect_language: true,
    });
    if (!('results' in heard)) throw new Error('taken for a callback');
    const [channel] = heard.results.channels;
    expect(channel).toMatchObject({ detected_language: 'en' });
    const [first] = channel?.alternatives?.[0]?.words ?? [];
    expect(first).toMatchObject({ start: 0, speaker: 0, punctuated_word: expect.any(String) });
    expect(heard.metadata.duration).toBeGreaterThan(1);
  });

  it('speaks', async () => {
    const sound = await client().speak.v1.audio.generate({
      text: 'High tide.',
      model: 'aura-2-thalia-en',
      encoding: 'linear16',
      container: 'wav',
      sample_rate: 24_000,
    });
    expect(Buffer.from(await sound.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
  });

  it('lists models that hear, and voices', async () => {
    const { stt, tts } = await client().manage.v1.models.list();
    expect(stt?.map(({ canonical_name: name }) => name)).toContain('nova-3-general');
    expect(tts?.map(({ canonical_name: name }) => name)).toContain('aura-2-thalia-en');
  });

  it('knows what is refused', async () => {
    await expect(client().speak.v1.audio.generate({ text: 'a', model: 'aura-2-nobody' })).rejects.toMatchObject({
      statusCode: 400,
      body: { err_code: 'Bad Request' },
    });
    await expect(client('wrong').speak.v1.audio.generate({ text: 'a' })).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe('Cartesia’s client', () => {
  const client = (apiKey = keyOf('cartesia')) =>
    new Cartesia({ apiKey, baseURL: twin.baseUrl('cartesia'), maxRetries: 0 });

  it('speaks', async () => {
    const reply = await client().tts.generate({
      model_id: 'sonic-3',
      transcript: 'High tide.',
      voice: { id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' },
      output_format: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 },
    });
    expect(Buffer.from(await reply.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
  });

  it('hears words and their times', async () => {
    const heard = await client().stt.transcribe({
      file: new File([new Uint8Array(recording)], 'audio.wav'),
      model: 'ink-whisper',
      language: 'en',
      timestamp_granularities: ['word'],
    });
    expect(heard.text).not.toBe('');
    expect(heard.words?.[0]).toMatchObject({ start: 0, word: expect.any(String) });
  });

  it('knows what is refused', async () => {
    const asked = client('wrong').stt.transcribe({ file: new File(['a'], 'a.wav'), model: 'ink-whisper' });
    await expect(asked).rejects.toBeInstanceOf(Cartesia.AuthenticationError);
  });
});

describe('AssemblyAI’s client', () => {
  const client = (apiKey = keyOf('assemblyai')) => new AssemblyAI({ apiKey, baseUrl: twin.baseUrl('assemblyai') });

  it('uploads, submits and asks until there is a transcript', async () => {
    const transcript = await client().transcripts.transcribe(
      { audio: recording, speech_models: ['universal-3-pro'], language_detection: true, speaker_labels: true },
      { pollingInterval: 10 },
    );
    expect(transcript).toMatchObject({ status: 'completed', speech_model_used: 'universal-3-pro' });
    expect(transcript.words?.[0]).toMatchObject({ start: 0, speaker: 'A' });
  });

  it('knows what is refused', async () => {
    await expect(client('wrong').files.upload(recording)).rejects.toThrow(/Authentication error/);
    const asked = client().transcripts.submit({ audio: recording, speech_models: ['no-such-model'] });
    await expect(asked).rejects.toThrow(/is not a known model/);
  });
});
