import { aac } from './aac.ts';
import { littleEndian, notesOf, secondsOf, speak, wav, SPEECH_RATE, type Note } from './speech.ts';
import type { SpeechSpec } from './spec.ts';

/** Speech as a file of the asked format. */
export async function makeSpeech(spec: SpeechSpec): Promise<Uint8Array> {
  switch (spec.format) {
    case 'wav':
      return wav(speak(spec));
    case 'pcm':
      return littleEndian(speak(spec));
    case 'mp3':
      return mp3(notesOf(spec));
    case 'flac':
      return flac(speak(spec));
    case 'aac':
      return aac(speak(spec));
    case 'opus':
      return silentOpus(secondsOf(spec));
  }
}

/** Writes numbers of any width, the highest bit first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #left = 8;
  #byte = 0;

  get length(): number {
    return this.#bytes.length * 8 + (8 - this.#left);
  }

  write(value: number, width: number): void {
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      this.#left -= 1;
      this.#byte |= (Math.floor(value / 2 ** bit) & 1) << this.#left;
      if (this.#left === 0) {
        this.#bytes.push(this.#byte);
        this.#byte = 0;
        this.#left = 8;
      }
    }
  }

  /** The bytes so far, the last one filled up with zeros. */
  bytes(): Buffer {
    return Buffer.from(this.#left === 8 ? this.#bytes : [...this.#bytes, this.#byte]);
  }
}

/** A cyclic redundancy check, highest bit first, starting at zero: made once for its polynomial, fast for every use. */
export function crcOf(polynomial: number, width: 8 | 16 | 32): (bytes: Uint8Array) => number {
  const shift = 32 - width;
  const high = polynomial << shift;
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ high : sum << 1;
    return sum;
  });
  return (bytes) => {
    let sum = 0;
    for (const byte of bytes) sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
    return sum >>> shift;
  };
}

const BLOCK = 4096;
const headerCheck = crcOf(0x07, 8);
const frameCheck = crcOf(0x8005, 16);

/** A FLAC file of 16-bit mono samples, stored as they are. */
export function flac(samples: Int16Array): Buffer {
  const head = new BitWriter();
  head.write(0x664c6143, 32); // fLaC
  head.write(0x80, 8); // the last block of metadata, of kind STREAMINFO
  head.write(34, 24);
  head.write(BLOCK, 16);
  head.write(BLOCK, 16);
  head.write(0, 48); // frame sizes unknown
  head.write(SPEECH_RATE, 20);
  head.write(0, 3); // one channel
  head.write(15, 5); // sixteen bits
  head.write(samples.length, 36);
  head.write(0, 128); // no checksum of the whole
  const frames: Buffer[] = [head.bytes()];
  for (let start = 0; start < samples.length; start += BLOCK) {
    frames.push(flacFrame(samples.subarray(start, start + BLOCK), start / BLOCK));
  }
  return Buffer.concat(frames);
}

function flacFrame(samples: Int16Array, number: number): Buffer {
  // Block size: sixteen bits below; rate: 24 kHz; mono, sixteen bits.
  const opening = Buffer.concat([Buffer.from([0xff, 0xf8, 0x77, 0x08]), utf8Number(number), Buffer.alloc(2)]);
  opening.writeUInt16BE(samples.length - 1, opening.length - 2);
  const verbatim = 0x02;
  const data = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => data.writeInt16BE(sample, index * 2));
  const body = Buffer.concat([opening, Buffer.from([headerCheck(opening), verbatim]), data]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(frameCheck(body));
  return Buffer.concat([body, end]);
}

/** Frame numbers are written the way UTF-8 writes code points. */
function utf8Number(value: number): Buffer {
  return Buffer.from(String.fromCodePoint(value));
}

/** 64 kbit/s at 24 kHz: MPEG-2 layer III, one granule of 576 samples and exactly 192 bytes a frame. */
const FRAME_SAMPLES = 576;
const FRAME_BYTES = 192;
const LINE_HERTZ = SPEECH_RATE / 2 / FRAME_SAMPLES;
const LINES_PER_BAND = 18;
/** How loud a spectral line of one is; 210 would be full scale for a value of one. */
const GAIN = 196;
/** Signs of a line over four frames that make it a steady tone: for even and for odd lines of a band. */
const SIGNS = [
  [0, 1, 1, 0],
  [0, 0, 1, 1],
] as const;

/**
 * An mp3 of plain tones. There is no encoder: every note is written straight into the spectrum as a few lines of value one, which the
 * format can say in its simplest code (no scale factors, no big values, table B).
 */
export function mp3(notes: readonly Note[]): Buffer {
  const samples = notes.reduce((sum, note) => sum + note.samples, 0);
  const frames = Math.max(1, Math.ceil(samples / FRAME_SAMPLES));
  const made: Buffer[] = [];
  let index = 0;
  let end = notes[0]?.samples ?? 0;
  for (let frame = 0; frame < frames; frame += 1) {
    const middle = (frame + 0.5) * FRAME_SAMPLES;
    while (middle >= end && index < notes.length - 1) {
      index += 1;
      end += notes[index]?.samples ?? 0;
    }
    made.push(mp3Frame(notes[index]?.hertz ?? 0, frame));
  }
  return Buffer.concat(made);
}

function mp3Frame(hertz: number, frame: number): Buffer {
  const spectrum = new BitWriter();
  if (hertz > 0) writeLines(spectrum, hertz, frame);
  const bits = new BitWriter();
  // Sync, MPEG-2, layer III, no checksum; 64 kbit/s, 24 kHz; mono.
  bits.write(0xfff3_84c4, 32);
  bits.write(0, 9); // no bit reservoir
  bits.write(spectrum.length, 12);
  bits.write(0, 9); // no big values
  bits.write(GAIN, 8);
  bits.write(0, 9 + 1 + 15 + 7 + 1); // no scale factors, long windows, no tables
  bits.write(1, 1); // table B
  return Buffer.concat([bits.bytes(), spectrum.bytes()], FRAME_BYTES);
}

/** The tone and its first overtone, as quadruples of lines from the bottom up. */
function writeLines(bits: BitWriter, hertz: number, frame: number): void {
  const lines = new Set([hertz, hertz * 2, hertz * 3].map((tone) => Math.round(tone / LINE_HERTZ - 0.5)));
  const top = Math.min(FRAME_SAMPLES - 4, Math.max(...lines));
  for (let quad = 0; quad <= top; quad += 4) {
    const lit = [0, 1, 2, 3].map((offset) => lines.has(quad + offset));
    // Table B is the four values turned round, then a sign for each that is not zero.
    bits.write(
      lit.reduce((code, on) => code * 2 + (on ? 0 : 1), 0),
      4,
    );
    lit.forEach((on, offset) => {
      const parity = ((quad + offset) % LINES_PER_BAND) % 2 === 0 ? 0 : 1;
      if (on) bits.write(SIGNS[parity][frame % 4] ?? 0, 1);
    });
  }
}

const checksum = crcOf(0x04c1_1db7, 32);
const SERIAL = 0x7477_696e;
const FRAME_SECONDS = 0.02;
/** Opus counts in 48 kHz whatever goes in. */
const FRAME_TICKS = 960;
const PRE_SKIP = 312;
/** Twenty milliseconds of silence: there is no Opus encoder here. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const PACKETS_PER_PAGE = 50;

/** An Ogg Opus file of silence, of the right length. */
export function silentOpus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(24_000, 12);
  const tags = Buffer.alloc(20);
  tags.write('OpusTags', 0);
  tags.writeUInt32LE(4, 8);
  tags.write('twin', 12);
  const pages = [page([head], 0, { sequence: 0, flags: 2 }), page([tags], 0, { sequence: 1, flags: 0 })];
  const packets = Math.max(1, Math.ceil(seconds / FRAME_SECONDS));
  for (let start = 0; start < packets; start += PACKETS_PER_PAGE) {
    const count = Math.min(PACKETS_PER_PAGE, packets - start);
    const last = start + count === packets;
    const position = last ? PRE_SKIP + Math.round(seconds * 48_000) : (start + count) * FRAME_TICKS;
    const packed = Array.from({ length: count }, () => SILENCE);
    pages.push(page(packed, position, { sequence: pages.length, flags: last ? 4 : 0 }));
  }
  return Buffer.concat(pages);
}

function page(
  packets: readonly Buffer[],
  position: number,
  { sequence, flags }: { readonly sequence: number; readonly flags: number },
): Buffer {
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS', 0);
  head.writeUInt8(flags, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt32LE(SERIAL, 14);
  head.writeUInt32LE(sequence, 18);
  head.writeUInt8(packets.length, 26);
  packets.forEach((packet, index) => head.writeUInt8(packet.length, 27 + index));
  const whole = Buffer.concat([head, ...packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}
