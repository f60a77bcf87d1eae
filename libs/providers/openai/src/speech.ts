import { GatewayError, type Json, type Usage, type JsonObject } from '@model-gateway/contracts';
import {
  addUsage,
  charactersIn,
  malformedReply,
  midReplyError,
  numberAt,
  parseVendorJson,
  readEventsOrBody,
  refusalBody,
  SAMPLE_RATE,
  secondsOfSamples,
  SOUND_MIMES,
  speechFormat,
  SPEECH_SECONDS,
  startedSound,
  textAt,
  usageOf,
  WAV_HEADER_BYTES,
  wholeSamples,
  type SoundFormat,
  type SpeechAdapter,
  type SpeechCreate,
  type Upstream,
  type UpstreamStream,
  defined,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

const PATH = '/audio/speech';
const FORMATS = Object.keys(SOUND_MIMES) as SoundFormat[];

/** OpenAI's /audio/speech: binary sound as it arrives, or the vendor's events; long texts in several requests, one after the other (docs/wire/speech.md#openai-speech-endpoint). */
export const speech: SpeechAdapter = {
  async speak(input, upstream) {
    const format = formatOf(input);
    refuseTags(input);
    const texts = piecesOf(input, format, upstream.quirks);
    const heard: Heard = { tokens: {}, bytes: 0 };
    const { dropped } = toOpenAiSpeech(input, { text: '', format }, upstream);
    const usage = () => ({
      characters: charactersIn(input.text),
      ...heard.tokens,
      ...lengthOf(heard.bytes, format, texts),
    });
    const [text = ''] = texts;
    if (texts.length === 1) {
      const reply = await ask(input, { text, format }, upstream);
      const type = reply.headers['content-type'] ?? '';
      const isEvents = input.asEvents === true && type.includes('text/event-stream');
      const sound = isEvents ? eventTexts(reply, upstream, heard) : heardSound(reply, format, { upstream, heard });
      return {
        mime: isEvents ? 'text/event-stream' : (mimeOf(format) ?? type),
        ...(isEvents && { isEvents, soundBytes: () => heard.bytes }),
        ...(hasRate(format) && { sampleRate: SAMPLE_RATE }),
        audio: await startedSound(sound),
        usage,
        dropped,
      };
    }
    const sound =
      format === 'wav'
        ? joinedWav(spoken(texts, input, 'pcm16', { upstream, heard }))
        : spoken(texts, input, format, { upstream, heard });
    return {
      mime: mimeOf(format) ?? 'application/octet-stream',
      ...(hasRate(format) && { sampleRate: SAMPLE_RATE }),
      audio: await startedSound(sound),
      usage,
      dropped,
    };
  },
};

/** One of the formats that are known, or in the vendor's own form whatever the caller wrote. */
function formatOf(input: SpeechCreate): string {
  const isOwn = input.shape === 'speech' && input.format !== 'pcm' && !FORMATS.some((each) => each === input.format);
  return isOwn ? input.format : speechFormat(input, FORMATS);
}

function mimeOf(format: string): string | undefined {
  return Object.hasOwn(SOUND_MIMES, format) ? SOUND_MIMES[format as SoundFormat] : undefined;
}

function hasRate(format: string): boolean {
  return format === 'wav' || format === 'pcm16';
}

/** What the answers have told so far. */
interface Heard {
  tokens: Usage;
  bytes: number;
}

interface Listening {
  readonly upstream: Upstream;
  readonly heard: Heard;
}

function ask(
  input: SpeechCreate,
  piece: { readonly text: string; readonly format: string },
  upstream: Upstream,
): Promise<UpstreamStream> {
  const { body } = toOpenAiSpeech(input, piece, upstream);
  return upstream.stream({ method: 'POST', path: PATH, json: body, firstByteSeconds: SPEECH_SECONDS });
}

async function* spoken(
  texts: readonly string[],
  input: SpeechCreate,
  format: string,
  listening: Listening,
): AsyncGenerator<Uint8Array> {
  for (const text of texts)
    yield* heardSound(await ask(input, { text, format }, listening.upstream), format, listening);
}

async function* heardSound(
  reply: UpstreamStream,
  format: string,
  { upstream, heard }: Listening,
): AsyncGenerator<Uint8Array> {
  const sound = soundOf(reply, upstream, heard);
  for await (const piece of format === 'pcm16' ? wholeSamples(sound) : sound) {
    heard.bytes += piece.byteLength;
    yield piece;
  }
}

/** The vendor's events as they came, listened to in passing. */
async function* eventTexts(reply: UpstreamStream, upstream: Upstream, heard: Heard): AsyncGenerator<Uint8Array> {
  let done = false;
  for await (const { name, json } of readEventsOrBody(reply.body)) {
    if (isRefused(json)) throw refusalIn(json, upstream);
    const audio = textAt(json, 'audio');
    if (audio !== undefined) heard.bytes += Buffer.byteLength(audio, 'base64');
    if (name === 'speech.audio.done') {
      done = true;
      heard.tokens = addUsage([heard.tokens, tokensOf(json)]);
    }
    yield Buffer.from(`event: ${name}\ndata: ${JSON.stringify(json)}\n\n`);
  }
  if (!done) throw brokenOff();
}

/** Sound as bytes, or as events with base64; JSON in its place is a refusal that came with status 200. */
async function* soundOf(reply: UpstreamStream, upstream: Upstream, heard: Heard): AsyncGenerator<Uint8Array> {
  const type = reply.headers['content-type'] ?? '';
  if (type.includes('text/event-stream')) {
    yield* soundOfEvents(reply, upstream, heard);
  } else if (type.includes('json')) {
    throw refusalIn(parseVendorJson((await refusalBody(reply.body)).toString('utf8')), upstream);
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
  if (!done) throw brokenOff();
}

function brokenOff(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the vendor’s stream ended in the middle of the speech', {
    taken: 'unknown',
  });
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
function lengthOf(bytes: number, format: string, texts: readonly string[]): Usage {
  if (format === 'pcm16') return { seconds: secondsOfSamples(bytes, SAMPLE_RATE) };
  if (format !== 'wav') return {};
  return { seconds: secondsOfSamples(texts.length > 1 ? bytes : Math.max(0, bytes - WAV_HEADER_BYTES), SAMPLE_RATE) };
}

const MOST_CHARACTERS = 4096;
const DEFAULT_VOICE = 'alloy';
/** What the vendor makes where nobody says. */
const USUAL_FORMAT = 'mp3';

/** Formats whose pieces may follow each other in one file. */
const JOINABLE = new Set(['pcm16', 'mp3', 'aac', 'wav']);

/** One request's body: the caller's own as it came, where it is OpenAI's. The tts-1 family knows neither `instructions` nor events. */
export function toOpenAiSpeech(
  input: SpeechCreate,
  piece: { readonly text: string; readonly format: string },
  { model, quirks }: Pick<Upstream, 'model' | 'quirks'>,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const isFirst = model.startsWith('tts-1');
  const deaf = isFirst && input.instructions !== undefined;
  const own = input.shape === 'speech';
  const asksEvents = quirks['stream_format'] === 'sse';
  const streamFormat = asksEvents ? 'sse' : input.stream && !own ? 'audio' : undefined;
  const said: JsonObject = own ? { ...input.body } : {};
  if (isFirst) {
    delete said['instructions'];
    delete said['stream_format'];
  }
  const format = piece.format === 'pcm16' ? 'pcm' : piece.format;
  const isUsual = own && format === USUAL_FORMAT && (said['response_format'] ?? undefined) === undefined;
  return {
    body: {
      ...said,
      ...defined({
        model,
        input: piece.text,
        voice: own && input.body !== undefined ? undefined : (input.voice ?? DEFAULT_VOICE),
        instructions: deaf ? undefined : input.instructions,
        response_format: isUsual ? undefined : format,
        speed: input.speed,
        stream_format: streamFormat,
      }),
    },
    dropped: [...(deaf ? ['instructions'] : []), ...(own ? [] : Object.keys(input.extra))],
  };
}

const SINGING = /^[(（](?:唱歌|sing|singing)[)）]/i;
const STYLE_TAG = /^[(（][^()（）]{1,60}[)）]/;
const INLINE_TAG = /\[[^[\]]{1,40}\]|（[^（）]{1,40}）/;

/** Throws 400 for tags this vendor would read aloud, in a chat request, whose contract has them. In /v1/audio/speech parentheses are punctuation. */
export function refuseTags(input: SpeechCreate): void {
  if (input.shape === 'speech') return;
  const tag = SINGING.exec(input.text) ?? STYLE_TAG.exec(input.text) ?? INLINE_TAG.exec(input.text);
  if (tag === null) return;
  throw new GatewayError(
    'invalid_request',
    `messages: this model does not support audio tags such as ${tag[0]}; say how to speak in a user message`,
    { param: 'messages' },
  );
}

/** The text in pieces the vendor takes, cut after a sentence, else at a space; joined they are the text. 400 where pieces of sound cannot be joined. */
export function piecesOf(input: SpeechCreate, format: string, quirks: JsonObject): readonly string[] {
  const said = quirks['max_characters'];
  const most = typeof said === 'number' ? said : MOST_CHARACTERS;
  if (input.text.length <= most) return [input.text];
  if (!JOINABLE.has(format)) {
    const param = input.shape === 'speech' ? 'input' : 'messages';
    throw new GatewayError(
      'invalid_request',
      `${param}: ${format} can be made of at most ${most} characters, the text has ${input.text.length}; mp3, wav and pcm have no such limit`,
      { param },
    );
  }
  const pieces: string[] = [];
  for (let rest = input.text; rest !== '';) {
    const piece = rest.length <= most ? rest : rest.slice(0, cutOf(rest.slice(0, most)));
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？\n]+/g;

function cutOf(window: string): number {
  for (const end of [SENTENCE_END, /\s+/g]) {
    const last = [...window.matchAll(end)].at(-1);
    if (last !== undefined) return last.index + last[0].length;
  }
  // Never between the halves of one character.
  const code = window.charCodeAt(window.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? window.length - 1 : window.length;
}

/** The 44 bytes that make 16-bit mono samples a WAV file. */
export function wavHeader(samplesBytes: number, sampleRate: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samplesBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samplesBytes, 40);
  return header;
}
