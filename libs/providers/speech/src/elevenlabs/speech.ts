import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  isUsualSpeed,
  numberAt,
  sortSpeechExtra,
  soundReply,
  speechFormat,
  SPEECH_SECONDS,
  usageOf,
  vendorVoice,
  VOICE_QUIRKS,
  type SoundFormat,
  type SpeechAdapter,
  type SpeechCreate,
  type Upstream,
  type UpstreamRequest,
  type VendorVoices,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

export const quirks = VOICE_QUIRKS;

/** Voices that every account has, for the names of OpenAI's (docs/wire/elevenlabs.md#voices); George is the one of the vendor's own examples. */
const VOICES: VendorVoices = {
  usual: 'JBFqnCBsd6RMkjVDRZzb',
  byName: {
    alloy: 'EXAVITQu4vr4xnSDxMaL',
    ash: 'TX3LPaxmHKxFdv7VOQHJ',
    ballad: 'cjVigY5qzO86Huf0OWal',
    coral: 'FGY2WhTYpPnrIDTdsKH5',
    echo: 'iP95p4xoKVk53GoZ742B',
    fable: 'JBFqnCBsd6RMkjVDRZzb',
    nova: 'cgSgspJ2msm6clMCkdW9',
    onyx: 'nPczCjzI2devNBz1zQrb',
    sage: 'Xb7hH8MSUJpSbSDYk0k2',
    shimmer: 'pFZP5JQG7iQjIQuC4Bku',
    verse: 'onwK4e9ZLuTAKqWW03F9',
  },
};
const FORMATS = ['mp3', 'opus', 'wav', 'pcm16'] as const;
const OUTPUTS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_128',
  wav: 'wav_24000',
  pcm16: 'pcm_24000',
};
/** A WAV file is not streamed: its head says how long it is. */
const STREAMED: readonly SoundFormat[] = ['mp3', 'opus', 'pcm16'];
const SLOWEST = 0.7;
const FASTEST = 1.2;
/** The vendor's fields that change no price and reach nothing that somebody else keeps. */
const FIELDS = new Set([
  'language_code',
  'voice_settings',
  'seed',
  'previous_text',
  'next_text',
  'apply_text_normalization',
  'apply_language_text_normalization',
]);

/** `POST /v1/text-to-speech/{voice}` and its `/stream` (docs/wire/elevenlabs.md#speech): sound in bytes, as it is made. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const { request, format, dropped } = toElevenLabsSpeech(input, upstream);
    const reply = await upstream.stream(request);
    // Credits, which are not characters for every model: kept beside the bill.
    const reported = usageOf({ units: numberAt(reply.headers, 'character-cost') });
    return soundReply(reply, upstream, { format, text: input.text, dropped, reported, readFault });
  },
};

export interface AskedSpeech {
  readonly request: UpstreamRequest;
  readonly format: SoundFormat;
  readonly dropped: readonly string[];
}

export function toElevenLabsSpeech(
  input: SpeechCreate,
  { model, quirks: own }: Pick<Upstream, 'model' | 'quirks'>,
): AskedSpeech {
  const format = speechFormat(input, FORMATS);
  const { sent, dropped } = sortSpeechExtra(input, FIELDS);
  const speed = speedOf(input);
  const settings: JsonObject = isJsonObject(sent['voice_settings']) ? sent['voice_settings'] : {};
  const voice = encodeURIComponent(vendorVoice(input, own, VOICES));
  const path = STREAMED.includes(format) ? `/v1/text-to-speech/${voice}/stream` : `/v1/text-to-speech/${voice}`;
  return {
    request: {
      method: 'POST',
      path: `${path}?output_format=${OUTPUTS[format]}`,
      json: {
        ...sent,
        text: input.text,
        model_id: model,
        ...(speed !== undefined && { voice_settings: { ...settings, speed } }),
      } satisfies JsonObject,
      firstByteSeconds: SPEECH_SECONDS,
    },
    format,
    dropped: [
      ...(input.instructions === undefined ? [] : ['instructions']),
      ...(isUsualSpeed(input.speed) || speed !== undefined ? [] : ['speed']),
      ...dropped,
    ],
  };
}

/** The vendor speaks a little slower or faster; what is beyond is not asked for. */
function speedOf({ speed }: SpeechCreate): number | undefined {
  return speed !== undefined && !isUsualSpeed(speed) && speed >= SLOWEST && speed <= FASTEST ? speed : undefined;
}
