import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  charactersIn,
  hasRate,
  isUsualSpeed,
  lengthOfSound,
  malformedReply,
  SAMPLE_RATE,
  sortSpeechExtra,
  SOUND_MIMES,
  speechFormat,
  SPEECH_SECONDS,
  startedSound,
  textAt,
  vendorVoice,
  VOICE_QUIRKS,
  type SoundFormat,
  type SpeechAdapter,
  type SpeechCreate,
  type Upstream,
  type VendorVoices,
} from '@model-gateway/provider-kit';

export const quirks = VOICE_QUIRKS;

/** Voices that the models of the newest two generations share, for the names of OpenAI's (docs/wire/google-speech.md#voices). */
const VOICES: VendorVoices = {
  usual: 'Kore',
  byName: {
    alloy: 'Kore',
    ash: 'Fenrir',
    ballad: 'Orus',
    coral: 'Aoede',
    echo: 'Puck',
    fable: 'Charon',
    nova: 'Leda',
    onyx: 'Algenib',
    sage: 'Sulafat',
    shimmer: 'Zephyr',
    verse: 'Iapetus',
  },
};
const FORMATS = ['mp3', 'opus', 'wav', 'pcm16'] as const;
/** Samples come as a WAV file, whose head is taken off where none is wanted. */
const ENCODINGS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  mp3: 'MP3',
  opus: 'OGG_OPUS',
  wav: 'LINEAR16',
  pcm16: 'LINEAR16',
};
const SLOWEST = 0.25;
const FASTEST = 2;
const FIELDS = new Set(['language']);
const USUAL_LOCALE = 'en-US';
/** What a voice's whole name begins with. */
const LOCALE = /^[a-z]{2,3}-[A-Z]{2}(?=-)/;
const PIECE = 32 * 1024;

/** `POST /v1/text:synthesize` (docs/wire/google-speech.md#speech): a whole file, as base64 in JSON. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const { body, format, dropped } = toGoogleSpeech(input, upstream);
    const { json } = await upstream.send({
      method: 'POST',
      path: '/v1/text:synthesize',
      json: body,
      longTexts: 'audioContent',
      firstByteSeconds: SPEECH_SECONDS,
    });
    const bytes = soundIn(json, format);
    return {
      mime: SOUND_MIMES[format],
      ...(hasRate(format) && { sampleRate: SAMPLE_RATE }),
      audio: await startedSound(inPieces(bytes)),
      usage: () => ({ characters: charactersIn(input.text), ...lengthOfSound(bytes.byteLength, format) }),
      dropped,
    };
  },
};

export interface AskedSpeech {
  readonly body: JsonObject;
  readonly format: SoundFormat;
  readonly dropped: readonly string[];
}

/** An offer's model is the kind of voice that it pays for, such as `chirp3-hd`, or a model of Gemini's, which takes instructions. */
export function toGoogleSpeech(
  input: SpeechCreate,
  { model, quirks: own }: Pick<Upstream, 'model' | 'quirks'>,
): AskedSpeech {
  const format = speechFormat(input, FORMATS);
  const { sent, dropped } = sortSpeechExtra(input, FIELDS);
  const isGemini = model.startsWith('gemini');
  const { speed = 1, instructions } = input;
  const isSpoken = !isUsualSpeed(speed) && !isGemini && speed >= SLOWEST && speed <= FASTEST;
  const asked = vendorVoice(input, own, VOICES);
  const language = sent['language'];
  const locale = typeof language === 'string' ? language : (LOCALE.exec(asked)?.[0] ?? USUAL_LOCALE);
  return {
    body: {
      input: { text: input.text, ...(isGemini && instructions !== undefined && { prompt: instructions }) },
      voice: isGemini
        ? { languageCode: locale, name: asked, modelName: model }
        : { languageCode: locale, name: voiceOf(asked, model, locale) },
      audioConfig: {
        audioEncoding: ENCODINGS[format],
        ...(hasRate(format) && { sampleRateHertz: SAMPLE_RATE }),
        ...(isSpoken && { speakingRate: speed }),
      },
    },
    format,
    dropped: [
      ...(instructions === undefined || isGemini ? [] : ['instructions']),
      ...(isUsualSpeed(speed) || isSpoken ? [] : ['speed']),
      ...dropped,
    ],
  };
}

/** Kinds of voices have prices of their own: a voice of another kind than the offer's is refused. */
function voiceOf(asked: string, kind: string, locale: string): string {
  const marked = KINDS[kind] ?? kind;
  const voice = LOCALE.test(asked) ? asked : `${locale}-${marked}-${asked}`;
  if (voice.toLowerCase().includes(`-${marked.toLowerCase()}-`)) return voice;
  throw new GatewayError('invalid_request', `voice: '${asked.slice(0, 60)}' has another price than this model`, {
    param: 'voice',
  });
}

/** How names of voices say their kind. */
const KINDS: Readonly<Record<string, string>> = {
  'chirp3-hd': 'Chirp3-HD',
  neural2: 'Neural2',
  wavenet: 'Wavenet',
  standard: 'Standard',
  studio: 'Studio',
};

function soundIn(json: Json | undefined, format: SoundFormat): Buffer {
  const bytes = Buffer.from(textAt(json, 'audioContent') ?? '', 'base64');
  if (bytes.byteLength === 0) throw malformedReply('it holds no sound');
  if (format !== 'pcm16') return bytes;
  const data = bytes.toString('latin1', 0, 4) === 'RIFF' ? bytes.indexOf('data', 12, 'latin1') : -1;
  if (data === -1) throw malformedReply('its samples are no WAV file');
  const samples = bytes.subarray(data + 8);
  return samples.subarray(0, samples.byteLength - (samples.byteLength % 2));
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
