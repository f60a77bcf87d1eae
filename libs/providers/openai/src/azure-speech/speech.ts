import { GatewayError } from '@model-gateway/contracts';
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

/** Voices of every region, for the names of OpenAI's (docs/wire/azure-speech.md#speech). */
const VOICES: VendorVoices = {
  usual: 'en-US-AvaMultilingualNeural',
  byName: {
    alloy: 'en-US-AvaMultilingualNeural',
    ash: 'en-US-AndrewMultilingualNeural',
    ballad: 'en-GB-RyanNeural',
    coral: 'en-US-EmmaMultilingualNeural',
    echo: 'en-US-BrianMultilingualNeural',
    fable: 'en-GB-SoniaNeural',
    nova: 'en-US-JennyNeural',
    onyx: 'en-US-GuyNeural',
    sage: 'en-US-AriaNeural',
    shimmer: 'en-US-JaneNeural',
    verse: 'en-US-DavisNeural',
  },
};
const FORMATS = ['mp3', 'opus', 'wav', 'pcm16'] as const;
const OUTPUTS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  mp3: 'audio-24khz-96kbitrate-mono-mp3',
  opus: 'ogg-24khz-16bit-mono-opus',
  wav: 'riff-24khz-16bit-mono-pcm',
  pcm16: 'raw-24khz-16bit-mono-pcm',
};
const SLOWEST = 0.5;
const FASTEST = 2;
/** Voices of this kind cost more: an offer has them by its model. */
const HIGH_DEFINITION = /:DragonHD/i;

/** `POST /cognitiveservices/v1` (docs/wire/azure-speech.md#speech): SSML in, sound in bytes out, as it is made. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const { request, format, dropped } = toAzureSpeech(input, upstream);
    const reply = await upstream.stream(request);
    return soundReply(reply, upstream, { format, text: input.text, dropped, readFault });
  },
};

export function toAzureSpeech(
  input: SpeechCreate,
  { model, quirks: own, account }: Pick<Upstream, 'model' | 'quirks' | 'account'>,
): { readonly request: UpstreamRequest; readonly format: SoundFormat; readonly dropped: readonly string[] } {
  const format = speechFormat(input, FORMATS);
  const voice = vendorVoice(input, own, VOICES);
  if (HIGH_DEFINITION.test(voice) && !model.endsWith('-hd'))
    throw new GatewayError('invalid_request', `voice: '${voice.slice(0, 60)}' has another price than this model`, {
      param: 'voice',
    });
  const { speed = 1 } = input;
  const isSpoken = !isUsualSpeed(speed) && speed >= SLOWEST && speed <= FASTEST;
  // The resource's own address has speech below a path of its own.
  const prefix = account.settings['wire'] === 'text-to-speech' ? '' : '/tts';
  return {
    request: {
      method: 'POST',
      path: `${prefix}/cognitiveservices/v1`,
      headers: {
        'content-type': 'application/ssml+xml',
        'x-microsoft-outputformat': OUTPUTS[format],
        'user-agent': 'model-gateway',
      },
      body: Buffer.from(ssmlOf(input.text, voice, isSpoken ? speed : undefined)),
      firstByteSeconds: SPEECH_SECONDS,
    },
    format,
    dropped: [
      ...(input.instructions === undefined ? [] : ['instructions']),
      ...(isUsualSpeed(speed) || isSpoken ? [] : ['speed']),
      ...sortSpeechExtra(input, new Set()).dropped,
    ],
  };
}

/** What a voice's name says of its language: `en-US` of `en-US-AvaMultilingualNeural`. */
const LOCALE = /^[a-z]{2,3}-[A-Z][A-Za-z]+/;

/** The text as SSML: what it has of markup is spoken, not obeyed. */
export function ssmlOf(text: string, voice: string, speed: number | undefined): string {
  const locale = LOCALE.exec(voice)?.[0] ?? 'en-US';
  const spoken = escaped(text);
  const paced = speed === undefined ? spoken : `<prosody rate="${speed}">${spoken}</prosody>`;
  return `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${locale}"><voice name="${escaped(voice)}">${paced}</voice></speak>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML has no way to write become spaces. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
