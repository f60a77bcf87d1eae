/** What speech adapters share. */
import { GatewayError, type DeclaredFields, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Fault, Upstream, UpstreamReply, UpstreamStream } from './adapter.ts';
import type { SpeechCreate, SpeechReply } from './speech-adapter.ts';
import { midReplyError } from './image-form.ts';
import { parseVendorJson } from './json.ts';
import { refusalBody } from './reply-body.ts';
import { malformedReply } from './vendor-task.ts';

/** Speech is answered when it is whole: minutes of sound take a while. */
export const SPEECH_SECONDS = 180;

/** Characters as vendors count them for money: code points. */
export function charactersIn(text: string): number {
  return Array.from(text).length;
}

/** Seconds of 16-bit mono samples, to the millisecond. */
export function secondsOfSamples(bytes: number, sampleRate: number): number {
  return Math.round((bytes / 2 / sampleRate) * 1000) / 1000;
}

/** The caller's format among those a model makes (`pcm` is `pcm16`), or 400 naming the field and what is possible. */
export function speechFormat<Format extends string>(input: SpeechCreate, formats: readonly Format[]): Format {
  const asked = input.format === 'pcm' ? 'pcm16' : input.format;
  const format = formats.find((known) => known === asked);
  if (format !== undefined) return format;
  const forSpeech = input.shape === 'speech';
  const param = forSpeech ? 'response_format' : 'audio.format';
  const possible = formats.map((known) => (known === 'pcm16' && forSpeech ? 'pcm' : known)).join(', ');
  throw new GatewayError('invalid_request', `${param}: this model makes no ${input.format}; possible are ${possible}`, {
    param,
  });
}

/** 16-bit samples in whole numbers: the odd last byte of a piece waits for the next one. */
export async function* wholeSamples(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let odd: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const joined = odd.byteLength === 0 ? piece : Buffer.concat([odd, piece]);
    const even = joined.byteLength - (joined.byteLength % 2);
    odd = joined.subarray(even);
    if (even > 0) yield joined.subarray(0, even);
  }
}

/**
 * Resolves when the first sound is there, so that a refusal before it can still be answered by another offer; then all pieces in order.
 * Rejects with `upstream_malformed` when there is none. Leaving the loop early closes the vendor's stream.
 */
export async function startedSound(pieces: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (first.done !== true && first.value.byteLength === 0) first = await iterator.next();
  if (first.done === true) throw malformedReply('it holds no sound');
  return resumed(first.value, iterator);
}

async function* resumed(first: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** Media types of the formats of speech. */
export const SOUND_MIMES = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm16: 'audio/pcm',
} as const;
export type SoundFormat = keyof typeof SOUND_MIMES;
/** What the house's wav and pcm16 are sampled at, in hertz. */
export const SAMPLE_RATE = 24_000;
export const WAV_HEADER_BYTES = 44;

/** What offers may say of the voices of a vendor that has others than OpenAI. */
export const VOICE_QUIRKS: DeclaredFields = {
  voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
  default_voice: { type: 'text', about: 'The voice of requests that name none.' },
};

/** What a vendor has for the voices that OpenAI's clients name, and its voice where nobody names one. */
export interface VendorVoices {
  readonly usual: string;
  readonly byName: Readonly<Record<string, string>>;
}

/** The vendor's name of the voice that is asked for: as the offer has it, as the vendor's own list has it, or as it is. */
export function vendorVoice(
  { voice }: Pick<SpeechCreate, 'voice'>,
  { voices, default_voice: chosen }: JsonObject,
  { usual, byName }: VendorVoices,
): string {
  const asked = voice ?? (typeof chosen === 'string' ? chosen : usual);
  return namedIn(voices, asked) ?? namedIn(byName, asked) ?? asked;
}

function namedIn(names: unknown, name: string): string | undefined {
  if (typeof names !== 'object' || names === null || !Object.hasOwn(names, name)) return undefined;
  const value = (names as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a speed is one that changes nothing. */
export function isUsualSpeed(speed: number | undefined): boolean {
  return speed === undefined || speed === 1;
}

/** The caller's further fields among those that the vendor has and that change no price; and the names of all others, which are not sent. */
export function sortSpeechExtra(
  { extra, shape }: Pick<SpeechCreate, 'extra' | 'shape'>,
  known: ReadonlySet<string>,
): { readonly sent: JsonObject; readonly dropped: readonly string[] } {
  const isSent = (name: string): boolean => shape === 'speech' && known.has(name);
  const names = Object.keys(extra);
  return {
    sent: Object.fromEntries(names.filter(isSent).map((name) => [name, extra[name] ?? null])),
    dropped: names.filter((name) => !isSent(name)),
  };
}

export interface SoundAsked {
  readonly format: SoundFormat;
  readonly text: string;
  readonly dropped: readonly string[];
  /** What the answer's headers tell. */
  readonly reported?: Usage;
  readonly readFault: (reply: UpstreamReply) => Fault | undefined;
}

/** The reply of a vendor that answers with the bytes of a sound file, as they arrive. JSON or text in their place is a refusal or no answer. */
export async function soundReply(
  reply: UpstreamStream,
  upstream: Pick<Upstream, 'scrub'>,
  { format, text, dropped, reported, readFault }: SoundAsked,
): Promise<SpeechReply> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    const sound = soundBytes(reply, upstream, readFault);
    for await (const piece of format === 'pcm16' ? wholeSamples(sound) : sound) {
      bytes += piece.byteLength;
      yield piece;
    }
  }
  return {
    mime: SOUND_MIMES[format],
    ...(hasRate(format) && { sampleRate: SAMPLE_RATE }),
    audio: await startedSound(counted()),
    usage: () => ({ characters: charactersIn(text), ...reported, ...lengthOfSound(bytes, format) }),
    dropped,
  };
}

/** Whether a format is samples, of whose bytes the length is known. */
export function hasRate(format: SoundFormat): boolean {
  return format === 'wav' || format === 'pcm16';
}

/** Seconds of sound, where the bytes tell. */
export function lengthOfSound(bytes: number, format: SoundFormat): Usage {
  if (!hasRate(format)) return {};
  const samples = format === 'wav' ? Math.max(0, bytes - WAV_HEADER_BYTES) : bytes;
  return { seconds: secondsOfSamples(samples, SAMPLE_RATE) };
}

async function* soundBytes(
  reply: UpstreamStream,
  upstream: Pick<Upstream, 'scrub'>,
  readFault: SoundAsked['readFault'],
): AsyncGenerator<Uint8Array> {
  const type = reply.headers['content-type'] ?? '';
  if (type.startsWith('text/')) throw malformedReply('it is text instead of sound');
  if (!type.includes('json')) {
    yield* reply.body;
    return;
  }
  const body = await refusalBody(reply.body);
  const json = parseVendorJson(body.toString('utf8'));
  const fault = json === undefined ? undefined : readFault({ status: 200, headers: reply.headers, body, json });
  throw fault === undefined ? malformedReply('it is JSON instead of sound') : midReplyError(fault, upstream);
}
