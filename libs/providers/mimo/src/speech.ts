import { GatewayError, type Json, type JsonObject, type Usage, isJsonObject } from '@model-gateway/contracts';
import {
  charactersIn,
  malformedReply,
  midReplyError,
  numberAt,
  objectAt,
  inOnePiece,
  readEventsOrBody,
  secondsOfSamples,
  SPEECH_SECONDS,
  startedSound,
  textAt,
  usageOf,
  wholeSamples,
  withheld,
  type SpeechAdapter,
  type SpeechReply,
  type Upstream,
  type VendorEvent,
  defined,
  speechFormat,
  type SpeechCreate,
  readDialectFault,
  type Fault,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

const PATH = '/chat/completions';
const SAMPLE_RATE = 24_000;
const WAV_HEADER_BYTES = 44;
const MIMES = { wav: 'audio/wav', mp3: 'audio/mpeg', pcm16: 'audio/pcm' } as const;

/** MiMo's speech in chat-completions clothes (docs/wire/speech.md#mimo): a whole file, or raw samples as they are made. */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const asked = toMimoSpeech(input, upstream.model);
    const request = { method: 'POST', path: PATH, json: asked.body, firstByteSeconds: SPEECH_SECONDS } as const;
    const counted: Usage = { characters: charactersIn(input.text) };
    if (asked.stream) {
      const { body } = await upstream.stream(request);
      return streamedSpeech(body, upstream, asked, counted);
    }
    const { json } = await upstream.send(request);
    return wholeSpeech(json, asked, counted);
  },
};

function wholeSpeech(json: Json | undefined, asked: AskedSpeech, counted: Usage): SpeechReply {
  const message = objectAt(json, 'choices', 0, 'message');
  const bytes = Buffer.from(textAt(message, 'audio', 'data') ?? '', 'base64');
  if (bytes.byteLength === 0) throw silence(json);
  const id = textAt(message, 'audio', 'id');
  const usage = { ...counted, ...tokensOf(objectAt(json, 'usage')), ...lengthOf(bytes.byteLength, asked) };
  return {
    ...formOf(asked),
    audio: inOnePiece(bytes),
    ...(id !== undefined && { id }),
    usage: () => usage,
  };
}

async function streamedSpeech(
  body: AsyncIterable<Uint8Array>,
  upstream: Pick<Upstream, 'scrub'>,
  asked: AskedSpeech,
  counted: Usage,
): Promise<SpeechReply> {
  const heard: Heard = { usage: counted, bytes: 0, id: undefined };
  const audio = await startedSound(wholeSamples(soundOf(readEventsOrBody(body), upstream, heard)));
  return {
    ...formOf(asked),
    audio,
    ...(heard.id !== undefined && { id: heard.id }),
    usage: () => ({ ...heard.usage, ...lengthOf(heard.bytes, asked) }),
  };
}

/** What a stream has told so far. */
interface Heard {
  usage: Usage;
  bytes: number;
  id: string | undefined;
}

async function* soundOf(
  events: AsyncGenerator<VendorEvent>,
  upstream: Pick<Upstream, 'scrub'>,
  heard: Heard,
): AsyncGenerator<Uint8Array> {
  let ended = false;
  for await (const { name, json, whole } of events) {
    if (name === '[DONE]') {
      ended = true;
      break;
    }
    const fault = readFault({ status: 200, headers: {}, body: Buffer.alloc(0), json });
    if (fault !== undefined) throw midReplyError(fault, upstream);
    const audio = objectAt(json, 'choices', 0, whole ? 'message' : 'delta', 'audio');
    heard.id ??= textAt(audio, 'id');
    heard.usage = { ...heard.usage, ...tokensOf(objectAt(json, 'usage')) };
    const piece = Buffer.from(textAt(audio, 'data') ?? '', 'base64');
    heard.bytes += piece.byteLength;
    yield piece;
    // A finish without [DONE] is an end all the same.
    if (whole || textAt(json, 'choices', 0, 'finish_reason') !== undefined) ended = true;
  }
  if (!ended) {
    throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended in the middle of the speech', {
      taken: 'unknown',
    });
  }
}

function formOf({ format, dropped }: AskedSpeech): Pick<SpeechReply, 'mime' | 'sampleRate' | 'dropped'> {
  return { mime: MIMES[format], ...(format !== 'mp3' && { sampleRate: SAMPLE_RATE }), dropped };
}

function silence(json: Json | undefined): GatewayError {
  const reason = textAt(json, 'choices', 0, 'finish_reason');
  if (reason !== 'content_filter') return malformedReply('it holds no sound');
  return withheld('the vendor’s content rules refused the text', { vendorCode: reason, taken: 'no' });
}

function tokensOf(usage: JsonObject | undefined): Usage {
  return usageOf({
    inputTokens: numberAt(usage, 'prompt_tokens'),
    cachedInputTokens: numberAt(usage, 'prompt_tokens_details', 'cached_tokens'),
    outputTokens: numberAt(usage, 'completion_tokens'),
    outputAudioTokens: numberAt(usage, 'completion_tokens_details', 'audio_tokens'),
  });
}

/** Seconds of sound, where the bytes tell. */
function lengthOf(bytes: number, { format }: AskedSpeech): Usage {
  if (format === 'mp3') return {};
  const samples = format === 'wav' ? Math.max(0, bytes - WAV_HEADER_BYTES) : bytes;
  return { seconds: secondsOfSamples(samples, SAMPLE_RATE) };
}

const FORMATS = ['wav', 'mp3', 'pcm16'] as const;
type Format = (typeof FORMATS)[number];

export interface AskedSpeech {
  readonly body: JsonObject;
  readonly format: Format;
  /** Only raw samples can be streamed. */
  readonly stream: boolean;
  readonly dropped: readonly string[];
}

/** The text is the assistant's message, byte for byte: tags, spaces and all. Style is the user's. */
export function toMimoSpeech(input: SpeechCreate, model: string): AskedSpeech {
  const format = speechFormat(input, FORMATS);
  const stream = input.stream && format === 'pcm16';
  const style = styleOf(input);
  const { audio, ...extra } = input.extra;
  // Chat-completions is this vendor's own shape; what /v1/audio/speech adds to it is not.
  const foreign = input.shape === 'speech' ? Object.keys(extra) : [];
  return {
    body: {
      ...(input.shape === 'speech' ? {} : extra),
      model,
      messages: [
        ...(style === undefined ? [] : [{ role: 'user', content: style }]),
        { role: 'assistant', content: input.text },
      ],
      audio: {
        ...(isJsonObject(audio) ? audio : {}),
        ...defined({ format, voice: input.voice ?? defaultVoice(model) }),
      },
      ...(stream && { stream: true }),
    },
    format,
    stream,
    // A pace told in words is not quite the same as a setting.
    dropped: [...(isOrdinary(input.speed) ? [] : ['speed']), ...foreign],
  };
}

function styleOf(input: SpeechCreate): string | undefined {
  const pace = isOrdinary(input.speed) ? undefined : `Speak at ${input.speed ?? 1} times the usual speed.`;
  const words = [input.instructions, pace].filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join('\n');
}

function isOrdinary(speed: number | undefined): boolean {
  return speed === undefined || speed === 1;
}

/** A designed voice is described by the style message and has no name; a cloned one is the caller's recording. */
function defaultVoice(model: string): string | undefined {
  return /voicedesign|voiceclone/.test(model) ? undefined : 'mimo_default';
}

/** The refusal in a reply of MiMo: OpenAI's error body, at any status and inside a stream. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  return readDialectFault(reply);
}
