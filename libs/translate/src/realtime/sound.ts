/** Sound between the rates and codes of realtime vendors: 16-bit samples, at 24 kHz here, 16 kHz there, 8 kHz for telephones. */

/** Telephones' codes (ITU-T G.711), a byte for each sample. */
export type TelephoneLaw = 'pcmu' | 'pcma';

/** Taps for each step of the finer rate; enough that what the lower rate cannot hold is some 50 dB down. */
const TAPS_PER_STEP = 12;

/** Changes the rate of a stream piece by piece: the pieces together are what the whole would be. */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #filter: Float64Array;
  /** The last samples, for the filter to reach back to. */
  #history: Float64Array;
  /** Steps of the finer rate until the next sample that goes out. */
  #phase = 0;

  /** Of whole ratios such as 24000 to 16000, 2:3. */
  constructor(from: number, to: number) {
    const common = divisor(from, to);
    this.#up = to / common;
    this.#down = from / common;
    const steps = Math.max(this.#up, this.#down);
    this.#filter = lowPass(2 * TAPS_PER_STEP * steps + 1, 1 / steps, this.#up);
    this.#history = new Float64Array(Math.ceil(this.#filter.length / this.#up));
  }

  push(samples: Int16Array): Int16Array {
    if (this.#up === this.#down) return samples;
    const reach = this.#history.length;
    const all = new Float64Array(reach + samples.length);
    all.set(this.#history);
    for (let at = 0; at < samples.length; at++) all[reach + at] = samples[at] ?? 0;
    const steps = samples.length * this.#up;
    const out = new Int16Array(Math.max(0, Math.ceil((steps - this.#phase) / this.#down)));
    let step = this.#phase;
    for (let index = 0; index < out.length; index++, step += this.#down) out[index] = this.#at(all, reach, step);
    this.#phase = step - steps;
    this.#history = all.slice(all.length - reach);
    return out;
  }

  /** One sample: the input, spread out with zeros between, through the filter. */
  #at(all: Float64Array, reach: number, step: number): number {
    let newest = reach + Math.floor(step / this.#up);
    let sum = 0;
    for (let tap = step % this.#up; tap < this.#filter.length && newest >= 0; tap += this.#up, newest--)
      sum += (this.#filter[tap] ?? 0) * (all[newest] ?? 0);
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  }
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** A windowed sinc; `cut` is a share of the finer rate's half. */
function lowPass(length: number, cut: number, gain: number): Float64Array {
  const middle = (length - 1) / 2;
  const taps = Float64Array.from({ length }, (_, at) => {
    const from = at - middle;
    const sinc = from === 0 ? cut : Math.sin(Math.PI * cut * from) / (Math.PI * from);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * at) / (length - 1)));
  });
  const sum = taps.reduce((all, each) => all + each, 0);
  return taps.map((tap) => (tap * gain) / sum);
}

/** Little-endian bytes as samples; half a sample is left out. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.byteLength >> 1);
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(2 * at, true);
  return samples;
}

export function bytesOf(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  samples.forEach((sample, at) => view.setInt16(2 * at, sample, true));
  return bytes;
}

export function fromTelephone(bytes: Uint8Array, law: TelephoneLaw): Int16Array {
  const table = law === 'pcmu' ? MU_LAW : A_LAW;
  return Int16Array.from(bytes, (byte) => table[byte] ?? 0);
}

export function toTelephone(samples: Int16Array, law: TelephoneLaw): Uint8Array {
  return Uint8Array.from(samples, law === 'pcmu' ? muLawOf : aLawOf);
}

const BIAS = 0x84;
const LOUDEST = 32_635;

const MU_LAW = Int16Array.from({ length: 256 }, (_, byte) => {
  const code = ~byte & 0xff;
  const size = (((code & 0x0f) << 3) + BIAS) << ((code >> 4) & 7);
  return (code & 0x80) === 0 ? size - BIAS : BIAS - size;
});

const A_LAW = Int16Array.from({ length: 256 }, (_, byte) => {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 7;
  const size = ((code & 0x0f) << 4) + 8;
  const whole = segment === 0 ? size : (size + 0x100) << (segment - 1);
  return (code & 0x80) === 0 ? -whole : whole;
});

function muLawOf(sample: number): number {
  const size = Math.min(LOUDEST, Math.abs(sample)) + BIAS;
  const segment = 24 - Math.clz32(size);
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((size >> (segment + 3)) & 0x0f)) & 0xff;
}

function aLawOf(sample: number): number {
  const size = Math.min(LOUDEST, Math.abs(sample));
  const segment = size < 256 ? 0 : 24 - Math.clz32(size);
  const step = (size >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55;
}
