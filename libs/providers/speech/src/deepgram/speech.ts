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

/** Voices of Aura 2 for the names of OpenAI's; Thalia is the one of the vendor's own examples. */
const VOICES: VendorVoices = {
  usual: 'thalia-en',
  byName: {
    alloy: 'thalia-en',
    ash: 'arcas-en',
    ballad: 'orpheus-en',
    coral: 'andromeda-en',
    echo: 'apollo-en',
    fable: 'draco-en',
    nova: 'luna-en',
    onyx: 'zeus-en',
    sage: 'athena-en',
    shimmer: 'aurora-en',
    verse: 'orion-en',
  },
};
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm16'] as const;
const ENCODINGS: Readonly<Record<SoundFormat, string>> = {
  mp3: 'encoding=mp3',
  opus: 'encoding=opus&container=ogg',
  aac: 'encoding=aac',
  flac: 'encoding=flac&sample_rate=24000',
  wav: 'encoding=linear16&container=wav&sample_rate=24000',
  pcm16: 'encoding=linear16&container=none&sample_rate=24000',
};
/** A voice is a model of its own; an offer may name their family alone. */
const FAMILY = /^aura(?:-\d+)?$/;
const SLOWEST = 0.7;
const FASTEST = 1.5;

/** `POST /v1/speak` (docs/wire/deepgram.md#speech): sound in bytes, as it is made. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const { request, format, dropped } = toDeepgramSpeech(input, upstream);
    const reply = await upstream.stream(request);
    const reported = usageOf({ characters: numberAt(reply.headers, 'dg-char-count') });
    return soundReply(reply, upstream, { format, text: input.text, dropped, reported, readFault });
  },
};

export function toDeepgramSpeech(
  input: SpeechCreate,
  { model, quirks: own }: Pick<Upstream, 'model' | 'quirks'>,
): { readonly request: UpstreamRequest; readonly format: SoundFormat; readonly dropped: readonly string[] } {
  const format = speechFormat(input, FORMATS);
  const isFamily = FAMILY.test(model);
  const { speed = 1 } = input;
  const isSpoken = !isUsualSpeed(speed) && speed >= SLOWEST && speed <= FASTEST;
  const voice = isFamily ? voiceModel(model, vendorVoice(input, own, VOICES)) : model;
  const query = [`model=${encodeURIComponent(voice)}`, ENCODINGS[format], ...(isSpoken ? [`speed=${speed}`] : [])];
  return {
    request: {
      method: 'POST',
      path: `/v1/speak?${query.join('&')}`,
      json: { text: input.text },
      firstByteSeconds: SPEECH_SECONDS,
    },
    format,
    dropped: [
      ...(input.voice === undefined || isFamily ? [] : ['voice']),
      ...(input.instructions === undefined ? [] : ['instructions']),
      ...(isUsualSpeed(speed) || isSpoken ? [] : ['speed']),
      ...sortSpeechExtra(input, new Set()).dropped,
    ],
  };
}

function voiceModel(family: string, voice: string): string {
  return voice.startsWith('aura') ? voice : `${family}-${voice}`;
}
