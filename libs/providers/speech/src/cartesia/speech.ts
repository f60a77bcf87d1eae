import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  isUsualSpeed,
  sortSpeechExtra,
  soundReply,
  speechFormat,
  SPEECH_SECONDS,
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

/** Voices that the vendor recommends, for names of OpenAI's (docs/wire/cartesia.md#voices). */
const VOICES: VendorVoices = {
  usual: 'f786b574-daa5-4673-aa0c-cbe3e8534c02',
  byName: {
    alloy: 'f786b574-daa5-4673-aa0c-cbe3e8534c02',
    ash: '228fca29-3a0a-435c-8728-5cb483251068',
    coral: 'e07c00bc-4134-4eae-9ea4-1a55fb45746b',
    echo: 'c961b81c-a935-4c17-bfb3-ba2239de8c2f',
    nova: '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
    shimmer: '9626c31c-bec5-4cca-baa8-f8ba9e84c8bc',
  },
};
const FORMATS = ['mp3', 'wav', 'pcm16'] as const;
const OUTPUTS: Readonly<Record<(typeof FORMATS)[number], JsonObject>> = {
  mp3: { container: 'mp3', bit_rate: 128_000, sample_rate: 44_100 },
  wav: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 },
  pcm16: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
};
const SLOWEST = 0.6;
const FASTEST = 1.5;
/** The vendor's fields that change no price. `save` keeps the sound at the vendor. */
const FIELDS = new Set(['generation_config', 'language', 'locale', 'normalization']);

/** `POST /tts/bytes` (docs/wire/cartesia.md#speech): sound in bytes, as it is made. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const { request, format, dropped } = toCartesiaSpeech(input, upstream);
    const reply = await upstream.stream(request);
    return soundReply(reply, upstream, { format, text: input.text, dropped, readFault });
  },
};

export function toCartesiaSpeech(
  input: SpeechCreate,
  { model, quirks: own }: Pick<Upstream, 'model' | 'quirks'>,
): { readonly request: UpstreamRequest; readonly format: SoundFormat; readonly dropped: readonly string[] } {
  const format = speechFormat(input, FORMATS);
  const { sent, dropped } = sortSpeechExtra(input, FIELDS);
  const { speed = 1 } = input;
  const isSpoken = !isUsualSpeed(speed) && speed >= SLOWEST && speed <= FASTEST;
  const config = isJsonObject(sent['generation_config']) ? sent['generation_config'] : {};
  return {
    request: {
      method: 'POST',
      path: '/tts/bytes',
      json: {
        ...sent,
        model_id: model,
        transcript: input.text,
        voice: { id: vendorVoice(input, own, VOICES) },
        output_format: OUTPUTS[format],
        ...(isSpoken && { generation_config: { ...config, speed } }),
      } satisfies JsonObject,
      firstByteSeconds: SPEECH_SECONDS,
    },
    format,
    dropped: [
      ...(input.instructions === undefined ? [] : ['instructions']),
      ...(isUsualSpeed(speed) || isSpoken ? [] : ['speed']),
      ...dropped,
    ],
  };
}
