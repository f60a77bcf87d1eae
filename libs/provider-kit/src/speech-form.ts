/** What speech adapters share. */
import { GatewayError } from '@model-gateway/contracts';
import type { SpeechCreate } from './adapter.ts';
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
