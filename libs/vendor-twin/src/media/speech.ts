import { random, seedOf } from '../core/values.ts';
import type { SpeechSpec } from './spec.ts';

/** What the twin's voices are sampled at, in hertz: 16-bit mono. */
export const SPEECH_RATE = 24_000;
const LONGEST_SECONDS = 300;
const SCALE = [0, 2, 4, 5, 7, 9, 11, 12];

/** One tone, or a pause when it has no pitch. */
export interface Note {
  readonly samples: number;
  readonly hertz: number;
}

type Words = Pick<SpeechSpec, 'text' | 'voice' | 'sung' | 'speed'>;

/**
 * A voice that is no voice: a tone for every syllable, at speaking pace, with pauses where the text has them. The voice's name sets the
 * pitch; sung text walks up and down a scale in held notes.
 */
export function notesOf({ text, voice, sung, speed }: Words): Note[] {
  const pitch = 110 + (seedOf(voice) % 120);
  const roll = random(seedOf(text));
  const notes: Note[] = [];
  let left = LONGEST_SECONDS * SPEECH_RATE;
  for (const [index, { seconds, silent }] of syllables(text).entries()) {
    const samples = Math.min(left, Math.round(((sung ? 2 : 1) * seconds * SPEECH_RATE) / speed));
    left -= samples;
    notes.push({ samples, hertz: silent ? 0 : sung ? sungPitch(pitch, index) : pitch * (0.9 + 0.25 * roll()) });
  }
  return notes;
}

/** How long it takes to say, in seconds: known without making a sound. */
export function secondsOf(words: Words): number {
  return lengthOf(notesOf(words)) / SPEECH_RATE;
}

function lengthOf(notes: readonly Note[]): number {
  return Math.max(
    SPEECH_RATE / 10,
    notes.reduce((sum, note) => sum + note.samples, 0),
  );
}

/** The same as samples: slow work, for the media thread. */
export function speak(words: Words): Int16Array {
  const notes = notesOf(words);
  const sound = new Int16Array(lengthOf(notes));
  let start = 0;
  for (const { samples, hertz } of notes) {
    if (hertz > 0) tone(sound.subarray(start, start + samples), hertz);
    start += samples;
  }
  return sound;
}

function sungPitch(pitch: number, index: number): number {
  const round = SCALE.length * 2 - 2;
  const step = index % round;
  const degree = SCALE[step < SCALE.length ? step : round - step] ?? 0;
  return pitch * 2 ** (degree / 12);
}

interface Syllable {
  readonly seconds: number;
  readonly silent: boolean;
}

function syllables(text: string): Syllable[] {
  const found: Syllable[] = [];
  for (const [token] of text.matchAll(
    /[aeiouyäöü]+|[.!?…。！？\n]|[,;:，；：、]|\d|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]| /giu,
  )) {
    if (token === ' ') found.push({ seconds: 0.04, silent: true });
    else if (/[.!?…。！？\n]/u.test(token)) found.push({ seconds: 0.35, silent: true });
    else if (/[,;:，；：、]/u.test(token)) found.push({ seconds: 0.18, silent: true });
    else found.push({ seconds: 0.19, silent: false });
  }
  return found.length > 0 ? found : [{ seconds: 0.2, silent: false }];
}

/** A tone with overtones that swells and fades. */
function tone(into: Int16Array, hertz: number): void {
  const ramp = Math.max(1, Math.min(into.length / 3, SPEECH_RATE * 0.03));
  for (let at = 0; at < into.length; at += 1) {
    const angle = (2 * Math.PI * hertz * at) / SPEECH_RATE;
    const wave = Math.sin(angle) + 0.5 * Math.sin(2 * angle) + 0.25 * Math.sin(3 * angle);
    const envelope = Math.min(1, at / ramp, (into.length - at) / ramp);
    into[at] = Math.round(9000 * envelope * wave);
  }
}

/** The samples as little-endian bytes, whatever the machine. */
export function littleEndian(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => bytes.writeInt16LE(sample, index * 2));
  return bytes;
}

/** A RIFF file around 16-bit mono samples. */
export function wav(samples: Int16Array): Buffer {
  const data = littleEndian(samples);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SPEECH_RATE, 24);
  head.writeUInt32LE(SPEECH_RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
