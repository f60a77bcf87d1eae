/** AssemblyAI against the twin (docs/wire/assemblyai.md), and against a vendor that plays what the twin does not. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import {
  describeTranscriptionAdapter,
  recordingOf,
  startScriptedVendor,
  transcriptionCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { assemblyai } from './assemblyai.ts';
import { toAssemblyAiTranscript, transcriptions } from './transcriptions.ts';

describeTranscriptionAdapter(assemblyai, 'assemblyai', { model: 'universal-2', speakers: true });

describe('the job', () => {
  const asked = (given: Parameters<typeof transcriptionCreate>[2], model = 'universal-2') =>
    toAssemblyAiTranscript(transcriptionCreate(recordingOf(1), 1, given), { model }, 'https://a');

  it('finds the language out where nobody names one', () => {
    expect(asked({}).body).toEqual({
      audio_url: 'https://a',
      speech_models: ['universal-2'],
      language_detection: true,
    });
    expect(asked({ language: 'en-GB', form: 'diarized_json' }).body).toEqual({
      audio_url: 'https://a',
      speech_models: ['universal-2'],
      language_code: 'en_GB',
      speaker_labels: true,
    });
  });

  it('tells the Pro models alone how to write', () => {
    const given = { prompt: 'Ahoy', temperature: '0.2' };
    expect(asked(given).dropped).toEqual(['prompt', 'temperature']);
    expect(asked(given, 'universal-3-pro')).toMatchObject({ body: { prompt: 'Ahoy', temperature: 0.2 }, dropped: [] });
  });

  it('what costs more or answers elsewhere is not asked for', () => {
    const extra = ['summarization', 'redact_pii', 'webhook_url', 'speech_models', 'multichannel'].map(
      (name) => [name, 'true'] as const,
    );
    const { body, dropped } = asked({ extra: [...extra, ['speakers_expected', '2'], ['punctuate', 'false']] });
    expect(dropped).toEqual(extra.map(([name]) => name));
    expect(body).toMatchObject({ speakers_expected: 2, punctuate: false, speech_models: ['universal-2'] });
  });
});

describe('asking after it', () => {
  let vendor: ScriptedVendor;
  let states: ScriptedReply[] = [];
  const done = { json: { status: 'completed', text: 'Ahoy.', audio_duration: 1, words: [] } };
  beforeAll(async () => {
    vendor = await startScriptedVendor(({ method, path }) => {
      if (method === 'GET') return states.shift() ?? done;
      return { json: path === '/v2/upload' ? { upload_url: 'https://cdn/1' } : { id: 'job-1', status: 'queued' } };
    });
  });
  afterEach(() => {
    states = [];
    vendor.requests.length = 0;
  });
  afterAll(() => vendor.close());

  /** Without waiting, by a clock that goes on with every pause. */
  const transcribe = async () => {
    let now = 0;
    const upstream = {
      ...vendor.upstream(assemblyai, { model: 'universal-2', credentials: { api_key: 'k' } }),
      now: () => now,
      pause: async (ms: number) => {
        now += ms;
      },
    };
    return transcriptions.transcribe(transcriptionCreate(recordingOf(1), 1), upstream);
  };

  it('goes on while the state cannot be read, and submits once', async () => {
    states = [{ json: { status: 'queued' } }, { status: 429, json: { error: 'x' } }, { status: 500 }, 'hang-up'];
    expect(await transcribe()).toMatchObject({ body: { text: 'Ahoy.' }, usage: { seconds: 1 } });
    expect(vendor.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/v2/upload',
      '/v2/transcript',
    ]);
  });

  it('does not give a paid job up for bad minutes, and says in the end that the vendor may have it', async () => {
    states = Array.from({ length: 20 }, () => ({ status: 429, json: { error: 'Too Many Requests' } }));
    expect(await transcribe()).toMatchObject({ body: { text: 'Ahoy.' } });
    states = Array.from({ length: 2000 }, () => ({ status: 503 }));
    await expect(transcribe()).rejects.toMatchObject({ code: 'upstream_timeout', details: { taken: 'unknown' } });
  });

  it('a job that is gone is not the caller’s fault', async () => {
    states = [{ status: 400, json: { error: 'Transcript lookup error, transcript id not found' } }];
    await expect(transcribe()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'unknown' },
    });
  });

  it('ends with a job that never does', async () => {
    states = Array.from({ length: 2000 }, () => ({ json: { status: 'processing' } }));
    await expect(transcribe()).rejects.toMatchObject({ code: 'upstream_timeout', details: { taken: 'unknown' } });
  });

  it.each<readonly [error: string, outcome: object]>([
    [
      'Transcoding failed. File does not appear to contain audio.',
      { code: 'invalid_request', details: { param: 'file' } },
    ],
    ['Something broke.', { code: 'upstream_unavailable' }],
  ])('a job that failed: %s', async (error, outcome) => {
    states = [{ json: { status: 'error', error } }];
    await expect(transcribe()).rejects.toMatchObject(outcome);
  });

  it.each<readonly [status: string]>([['pondering'], ['']])('a state nobody knows: %j', async (status) => {
    states = [{ json: { status } }];
    await expect(transcribe()).rejects.toMatchObject({ code: 'upstream_malformed' });
  });
});

it.each<readonly [status: number, json: Json, fault: object | undefined]>([
  [401, { error: 'Authentication error, API token missing/invalid' }, { code: 'upstream_rejected_key' }],
  // A plain 400 that is no fault of the caller.
  [400, { error: 'Your current account balance is negative.' }, { code: 'upstream_rejected_key', vendorCode: 'quota' }],
  [400, { error: '"speech_models" is invalid: \'x\' is not a known model.' }, { code: 'upstream_rejected_model' }],
  [400, { error: 'language_code must be a supported language' }, { code: 'invalid_request' }],
  [429, { error: 'Too Many Requests' }, { code: 'upstream_rate_limited' }],
  [500, { error: 'Server error' }, { code: 'upstream_unavailable' }],
  [200, { status: 'error', error: 'Transcoding failed.' }, undefined],
])('a %s of %j', (status, json, fault) => {
  const read = assemblyai.readFault({ status, headers: {}, body: Buffer.alloc(0), json });
  if (fault === undefined) expect(read).toBeUndefined();
  else expect(read).toMatchObject(fault);
});
