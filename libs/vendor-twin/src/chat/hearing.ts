import { random, seedOf } from '../core/values.ts';

/** Of a frame that is looked at for a voice, in milliseconds. */
const FRAME_MS = 20;
/** Of 16-bit samples: beneath it nobody speaks. */
const QUIET = 500;
const WORDS_PER_SECOND = 2.5;
const WORDS =
  'the tide comes in at noon and every boat leaves harbour with bread ropes lamps maps songs wind gulls rain salt light'.split(
    ' ',
  );

/** When somebody began or ceased to speak, in milliseconds of all sound so far. */
export interface Voiced {
  readonly what: 'started' | 'stopped';
  readonly atMs: number;
}

export interface Ear {
  /** Samples a second. */
  readonly rate: number;
  /** Of quiet, until somebody has ceased to speak. */
  readonly silenceMs: number;
}

/** Hears by loudness when somebody speaks. */
export class VoiceDetector {
  readonly #ear: Ear;
  #heardMs = 0;
  #left: Int16Array = new Int16Array(0);
  #quietMs = 0;
  #isSpeaking = false;

  constructor(ear: Ear) {
    this.#ear = ear;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  push(samples: Int16Array): Voiced[] {
    const size = (this.#ear.rate * FRAME_MS) / 1000;
    const all = joined([this.#left, samples]);
    const found: Voiced[] = [];
    let at = 0;
    for (; at + size <= all.length; at += size) {
      const isLoud = loudnessOf(all.subarray(at, at + size)) > QUIET;
      if (isLoud && !this.#isSpeaking) found.push({ what: 'started', atMs: this.#heardMs });
      if (isLoud) {
        this.#isSpeaking = true;
        this.#quietMs = 0;
      }
      this.#heardMs += FRAME_MS;
      if (isLoud || !this.#isSpeaking) continue;
      this.#quietMs += FRAME_MS;
      if (this.#quietMs < this.#ear.silenceMs) continue;
      this.#isSpeaking = false;
      this.#quietMs = 0;
      found.push({ what: 'stopped', atMs: this.#heardMs });
    }
    this.#left = all.slice(at);
    return found;
  }
}

function loudnessOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/** Words that only the samples decide, at speaking pace; silence has none. */
export function wordsIn(samples: Int16Array, rate: number): string {
  if (loudnessOf(samples) < 1) return '';
  const roll = random(seedOf(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('latin1')));
  const count = Math.max(1, Math.round((samples.length / rate) * WORDS_PER_SECOND));
  return `${Array.from({ length: count }, () => WORDS[Math.floor(roll() * WORDS.length)] ?? 'the').join(' ')}.`;
}

/** 16-bit little-endian samples; a byte too many is left out. */
export function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(Math.floor(bytes.length / 2));
  for (let at = 0; at < samples.length; at += 1) samples[at] = bytes.readInt16LE(at * 2);
  return samples;
}

export function joined(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Telephones' µ-law and A-law (ITU-T G.711), a byte for each sample. */
export function telephoneSamples(bytes: Buffer, law: 'pcmu' | 'pcma'): Int16Array {
  return Int16Array.from(bytes, law === 'pcmu' ? fromMuLaw : fromALaw);
}

export function telephoneBytes(samples: Int16Array, law: 'pcmu' | 'pcma'): Buffer {
  return Buffer.from(Array.from(samples, law === 'pcmu' ? toMuLaw : toALaw));
}

function fromMuLaw(byte: number): number {
  const code = ~byte & 0xff;
  const size = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return (code & 0x80) === 0 ? size - 0x84 : 0x84 - size;
}

function toMuLaw(sample: number): number {
  const size = Math.min(32_635, Math.abs(sample)) + 0x84;
  const exponent = 31 - Math.clz32(size >> 7);
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((size >> (exponent + 3)) & 0x0f)) & 0xff;
}

function fromALaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code & 0x70) >> 4;
  const mantissa = ((code & 0x0f) << 4) + 8;
  const size = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return (code & 0x80) === 0 ? -size : size;
}

function toALaw(sample: number): number {
  const size = Math.min(32_635, Math.abs(sample));
  const exponent = size < 256 ? 0 : 31 - Math.clz32(size >> 7);
  const mantissa = (size >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return ((sample >= 0 ? 0x80 : 0) | (exponent << 4) | mantissa) ^ 0x55;
}
