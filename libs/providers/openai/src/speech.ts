import { GatewayError, type Json, type Usage } from '@model-gateway/contracts';
import {
  addUsage,
  charactersIn,
  malformedReply,
  midReplyError,
  numberAt,
  parseVendorJson,
  readEventsOrBody,
  secondsOfSamples,
  speechFormat,
  SPEECH_SECONDS,
  startedSound,
  textAt,
  usageOf,
  wholeSamples,
  type SpeechAdapter,
  type SpeechCreate,
  type Upstream,
  type UpstreamStream,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { piecesOf, refuseTags, toOpenAiSpeech } from './speech-request.ts';
import { wavHeader } from './wav.ts';

const PATH = '/audio/speech';
const SAMPLE_RATE = 24_000;
const WAV_HEADER_BYTES = 44;
const MIMES = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm16: 'audio/pcm',
} as const;
type Format = keyof typeof MIMES;
const FORMATS = Object.keys(MIMES) as Format[];

/** OpenAI's /audio/speech: binary sound as it arrives; long texts in several requests, one after the other (docs/wire/speech.md#openai-speech-endpoint). */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const format = speechFormat(input, FORMATS);
    refuseTags(input);
    const texts = piecesOf(input, format, upstream.quirks);
    const heard: Heard = { tokens: {}, bytes: 0 };
    const { dropped } = toOpenAiSpeech(input, { text: '', format }, upstream);
    const sound =
      texts.length > 1 && format === 'wav'
        ? joinedWav(spoken(texts, input, 'pcm16', { upstream, heard }))
        : spoken(texts, input, format, { upstream, heard });
    return {
      mime: MIMES[format],
      ...((format === 'wav' || format === 'pcm16') && { sampleRate: SAMPLE_RATE }),
      audio: await startedSound(sound),
      usage: () => ({ characters: charactersIn(input.text), ...heard.tokens, ...lengthOf(heard.bytes, format, texts) }),
      dropped,
    };
  },
};

/** What the answers have told so far. */
interface Heard {
  tokens: Usage;
  bytes: number;
}

async function* spoken(
  texts: readonly string[],
  input: SpeechCreate,
  format: Format,
  { upstream, heard }: { readonly upstream: Upstream; readonly heard: Heard },
): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    const { body } = toOpenAiSpeech(input, { text, format }, upstream);
    const reply = await upstream.stream({ method: 'POST', path: PATH, json: body, firstByteSeconds: SPEECH_SECONDS });
    const sound = soundOf(reply, upstream, heard);
    for await (const piece of format === 'pcm16' ? wholeSamples(sound) : sound) {
      heard.bytes += piece.byteLength;
      yield piece;
    }
  }
}

/** Sound as bytes, or as events with base64; JSON in its place is a refusal that came with status 200. */
async function* soundOf(reply: UpstreamStream, upstream: Upstream, heard: Heard): AsyncGenerator<Uint8Array> {
  const type = reply.headers['content-type'] ?? '';
  if (type.includes('text/event-stream')) {
    yield* soundOfEvents(reply, upstream, heard);
  } else if (type.includes('json')) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body) chunks.push(chunk);
    throw refusalIn(parseVendorJson(Buffer.concat(chunks).toString('utf8')), upstream);
  } else if (type.startsWith('text/')) {
    throw malformedReply('it is text instead of sound');
  } else yield* reply.body;
}

async function* soundOfEvents(reply: UpstreamStream, upstream: Upstream, heard: Heard): AsyncGenerator<Uint8Array> {
  let done = false;
  for await (const { name, json } of readEventsOrBody(reply.body)) {
    const audio = textAt(json, 'audio');
    if (name === 'speech.audio.delta' && audio !== undefined) yield Buffer.from(audio, 'base64');
    else if (name === 'speech.audio.done') {
      done = true;
      heard.tokens = addUsage([heard.tokens, tokensOf(json)]);
    } else if (isRefused(json)) throw refusalIn(json, upstream);
  }
  if (!done) {
    throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended in the middle of the speech', {
      taken: 'unknown',
    });
  }
}

/** The length stands in front: a WAV of several answers is known only when the last one is there. */
async function* joinedWav(samples: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of samples) chunks.push(chunk);
  const all = Buffer.concat(chunks);
  yield wavHeader(all.byteLength, SAMPLE_RATE);
  yield all;
}

function isRefused(json: Json): boolean {
  return readFault(asReply(json)) !== undefined;
}

function refusalIn(json: Json | undefined, upstream: Pick<Upstream, 'scrub'>): GatewayError {
  const fault = json === undefined ? undefined : readFault(asReply(json));
  return fault === undefined ? malformedReply('it is JSON instead of sound') : midReplyError(fault, upstream);
}

function asReply(json: Json): Parameters<typeof readFault>[0] {
  return { status: 200, headers: {}, body: new Uint8Array(0), json };
}

function tokensOf(json: Json): Usage {
  return usageOf({
    inputTokens: numberAt(json, 'usage', 'input_tokens'),
    outputTokens: numberAt(json, 'usage', 'output_tokens'),
  });
}

/** Seconds of sound, where the bytes tell. */
function lengthOf(bytes: number, format: Format, texts: readonly string[]): Usage {
  if (format === 'pcm16') return { seconds: secondsOfSamples(bytes, SAMPLE_RATE) };
  if (format !== 'wav') return {};
  return { seconds: secondsOfSamples(texts.length > 1 ? bytes : Math.max(0, bytes - WAV_HEADER_BYTES), SAMPLE_RATE) };
}
