import type { Exchange } from '../core/exchange.ts';
import { random, seedOf } from '../core/values.ts';

const SECONDS_PER_SEGMENT = 4;
const WORDS_PER_SECOND = 2.5;
const WORDS =
  'the tide comes in at noon and every boat leaves harbour with bread ropes lamps maps songs wind gulls rain salt light'.split(
    ' ',
  );

/** A stretch of a recording, in seconds. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
}

export interface TimedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** How long a recording is; undefined for what is no sound. */
export async function lengthOf(bytes: Buffer): Promise<number | undefined> {
  const { ALL_FORMATS, BufferSource, Input } = await import('mediabunny');
  try {
    using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const track = await input.getPrimaryAudioTrack();
    return (await track?.computeDuration()) ?? 0;
  } catch {
    return undefined;
  }
}

/** Words that only the bytes of the recording decide, at speaking pace; silence has none. */
export function heardIn(bytes: Buffer, seconds: number): readonly Stretch[] {
  if (isSilent(bytes)) return [];
  const roll = random(seedOf(bytes.toString('latin1')));
  const stretches: Stretch[] = [];
  for (let start = 0; start < seconds; start += SECONDS_PER_SEGMENT) {
    const end = Math.min(seconds, start + SECONDS_PER_SEGMENT);
    const count = Math.max(1, Math.round((end - start) * WORDS_PER_SECOND));
    const words = Array.from({ length: count }, () => WORDS[Math.floor(roll() * WORDS.length)] ?? 'the');
    stretches.push({ start, end, words });
  }
  return stretches;
}

/** A WAV of nothing but zeros. */
function isSilent(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') return false;
  const data = bytes.indexOf('data');
  return data !== -1 && bytes.subarray(data + 8).every((byte) => byte === 0);
}

export function textOf(heard: readonly Stretch[]): string {
  return heard.map(({ words }) => `${words.join(' ')}.`).join(' ');
}

/** The words of a stretch, each as long as the others. */
export function timesOf({ start, end, words }: Stretch): readonly TimedWord[] {
  const each = (end - start) / words.length;
  return words.map((word, index) => ({ word, start: start + index * each, end: start + (index + 1) * each }));
}

/** The same with the point that ends the stretch, as vendors write words that are punctuated. */
export function punctuated(stretch: Stretch): readonly TimedWord[] {
  const times = timesOf(stretch);
  return times.map((time, index) => (index === times.length - 1 ? { ...time, word: `${time.word}.` } : time));
}

const PIECE = 8192;

/** Sends the bytes of a file piece by piece, as they are made; false when the client left before the end. */
export async function sendSound(
  exchange: Exchange,
  file: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const pieces = exchange.events(headers, '');
  for (let at = 0; at < file.length; at += PIECE) {
    if (!(await pieces.send(file.subarray(at, at + PIECE)))) return false;
  }
  pieces.end();
  return true;
}
