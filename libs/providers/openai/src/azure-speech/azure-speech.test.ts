/** Azure's Speech service against the twin (docs/wire/azure-speech.md). */
import { describe, expect, it } from 'vitest';
import {
  describeSpeechAdapter,
  describeTranscriptionAdapter,
  recordingOf,
  speechCreate,
  transcriptionCreate,
} from '@model-gateway/testing';
import { azureSpeech } from './azure-speech.ts';
import { ssmlOf, toAzureSpeech } from './speech.ts';
import { toAzureTranscription } from './transcriptions.ts';

describeSpeechAdapter(azureSpeech, 'azure-speech', { model: 'neural', input: { shape: 'speech' }, json: false });
describeTranscriptionAdapter(azureSpeech, 'azure-speech', { model: 'fast', speakers: true, isOneModel: true });

describe('speech', () => {
  const asked = (given: Parameters<typeof speechCreate>[0], model = 'neural', settings = {}) =>
    toAzureSpeech(speechCreate({ shape: 'speech', ...given }), {
      model,
      quirks: {},
      account: { id: 1, baseUrl: 'https://a', settings },
    });
  const bodyOf = ({ request }: ReturnType<typeof asked>) => Buffer.from(request.body ?? []).toString();

  it('a text is spoken, whatever markup is in it', () => {
    const text = '1 < 2 & "3" > \'2\' </voice><voice name="x">\u0007é𝄞';
    expect(bodyOf(asked({ text, voice: 'en-GB-RyanNeural' }))).toBe(
      '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="en-GB"><voice name="en-GB-RyanNeural">1 &lt; 2 &amp; &quot;3&quot; &gt; &apos;2&apos; &lt;/voice&gt;&lt;voice name=&quot;x&quot;&gt; é𝄞</voice></speak>',
    );
    expect(ssmlOf('a', '"/><break time="9s"/>', undefined)).toContain('<voice name="&quot;/&gt;&lt;break');
  });

  it('a region’s address has speech at another path than a resource’s', () => {
    expect(asked({}).request.path).toBe('/tts/cognitiveservices/v1');
    expect(asked({}, 'neural', { wire: 'text-to-speech' }).request.path).toBe('/cognitiveservices/v1');
  });

  it('a voice of another price is refused', () => {
    const voice = 'en-US-Ava:DragonHDLatestNeural';
    expect(() => asked({ voice })).toThrow(/another price/);
    expect(bodyOf(asked({ voice }, 'neural-hd'))).toContain(voice);
  });

  it('a speed is sent where the vendor has it', () => {
    expect(bodyOf(asked({ speed: 1.5 }))).toContain('<prosody rate="1.5">');
    expect(asked({ speed: 4, instructions: 'Softly.', extra: { pitch: 1 } }).dropped).toEqual([
      'instructions',
      'speed',
      'pitch',
    ]);
  });

  it.each(['aac', 'flac'])('%s is refused with what there is', (format) => {
    expect(() => asked({ format })).toThrow(/possible are mp3, opus, wav, pcm/);
  });
});

it.each([
  [{}, {}],
  [{ language: 'en' }, { locales: ['en-US'] }],
  [{ language: 'de-AT' }, { locales: ['de-AT'] }],
  [{ language: 'zh' }, { locales: ['zh-CN'] }],
  [{ form: 'diarized_json' as const }, { diarization: { enabled: true, maxSpeakers: 10 } }],
  [{ prompt: 'Ahoy', temperature: '0', extra: [['channels', '[0,1]']] as const }, {}],
])('asks for %j', (given, definition) => {
  const { request, dropped } = toAzureTranscription(transcriptionCreate(recordingOf(1), 1, given));
  const [part] = request.form ?? [];
  expect(JSON.parse(part !== undefined && 'value' in part ? part.value : '')).toEqual(definition);
  expect(dropped).toEqual('extra' in given ? ['prompt', 'temperature', 'channels'] : []);
});

it.each<readonly [status: number, json: object | undefined, text: string, fault: object]>([
  [401, { error: { code: '401', message: 'Access denied' } }, '', { code: 'upstream_rejected_key' }],
  [429, { error: { code: '429', message: 'Requests have exceeded' } }, '', { code: 'upstream_rate_limited' }],
  [400, undefined, 'Unsupported voice x.', { code: 'invalid_request', message: 'Unsupported voice x.' }],
  [400, undefined, '', { code: 'invalid_request' }],
  [
    400,
    { code: 'InvalidRequest', message: 'x', innerError: { code: 'InvalidLocale', message: 'y' } },
    '',
    { code: 'invalid_request', message: 'y', vendorCode: 'InvalidLocale' },
  ],
  [502, undefined, '<html>', { code: 'upstream_unavailable' }],
])('a %s of %j and %j', (status, json, text, fault) => {
  const body = Buffer.from(text);
  expect(azureSpeech.readFault({ status, headers: {}, body, json: json as never })).toMatchObject(fault);
});
