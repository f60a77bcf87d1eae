import { describe, expect, it } from 'vitest';
import { bytesOf, fromTelephone, Resampler, samplesOf, toTelephone } from './sound.ts';

const SECONDS = 0.5;
const sine = (hertz: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate * SECONDS }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * hertz * at) / rate)),
  );

/** How loud a tone is within a sound. */
function loudness(samples: Int16Array, hertz: number, rate: number): number {
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, at) => {
    real += sample * Math.cos((2 * Math.PI * hertz * at) / rate);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * at) / rate);
  });
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}

function inPieces(resampler: Resampler, samples: Int16Array, size: number): Int16Array {
  const pieces: number[] = [];
  for (let at = 0; at < samples.length; at += size) pieces.push(...resampler.push(samples.subarray(at, at + size)));
  return Int16Array.from(pieces);
}

describe('a resampler', () => {
  it.each([
    [24_000, 16_000],
    [8_000, 16_000],
    [24_000, 8_000],
    [16_000, 24_000],
  ])('from %i to %i keeps the length and the tone', (from, to) => {
    const out = new Resampler(from, to).push(sine(1000, from));
    expect(Math.abs(out.length - to * SECONDS)).toBeLessThanOrEqual(1);
    expect(loudness(out, 1000, to)).toBeGreaterThan(7500);
  });

  it('leaves out what the lower rate cannot hold, in place of another tone', () => {
    const out = new Resampler(24_000, 16_000).push(sine(10_000, 24_000));
    // 10 kHz would be heard as 6 kHz.
    expect(loudness(out, 6000, 16_000)).toBeLessThan(100);
  });

  it('makes of pieces what it makes of the whole', () => {
    const sound = sine(440, 24_000);
    const whole = new Resampler(24_000, 16_000).push(sound);
    for (const size of [1, 7, 480, 4801]) expect(inPieces(new Resampler(24_000, 16_000), sound, size)).toEqual(whole);
  });
});

it.each(['pcmu', 'pcma'] as const)('%s comes back about as it was', (law) => {
  const sound = sine(700, 8000);
  const back = fromTelephone(toTelephone(sound, law), law);
  const worst = Math.max(...sound.map((sample, at) => Math.abs(sample - (back[at] ?? 0))));
  expect(worst).toBeLessThan(300);
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
  const again = toTelephone(fromTelephone(codes, law), law);
  // µ-law has two zeros.
  expect([...codes].filter((code) => again[code] !== code && code !== 0x7f)).toEqual([]);
});

it('samples are little-endian bytes', () => {
  expect([...bytesOf(Int16Array.of(1, -2))]).toEqual([1, 0, 254, 255]);
  expect([...samplesOf(Uint8Array.of(1, 0, 254, 255, 9))]).toEqual([1, -2]);
});
