/** How much sound a packet holds, by what its decoder would make of it; docs/wire/media-files.md names the pages. */

export interface MpegFrame {
  /** Of the whole frame. */
  readonly bytes: number;
  readonly samples: number;
  readonly rate: number;
}

export const OPUS_RATE = 48_000;
/** Bytes of a FLAC frame that hold its whole header. */
export const FLAC_HEADER_BYTES = 16;

const KBPS_OF_MPEG1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const KBPS_OF_LAYER1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const KBPS_OF_LAYERS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG_RATES = [44_100, 48_000, 32_000];
const AAC_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
/** AAC-LD and AAC-ELD. */
const SHORT_AAC = new Set([23, 39]);
const EAC3_BLOCKS = [1, 2, 3, 6];
const SAMPLES_PER_AC3_BLOCK = 256;

/** The frame of MPEG audio (layers 1 to 3) that begins here; undefined when none does. Frames of a free bit rate have no length of their own. */
export function mpegFrame([first = 0, second = 0, third = 0]: Uint8Array): MpegFrame | undefined {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const base = MPEG_RATES[(third >> 2) & 3];
  if (version === 1 || layer === 4 || base === undefined) return undefined;
  const isMpeg1 = version === 3;
  const table = isMpeg1 ? KBPS_OF_MPEG1[layer - 1] : layer === 1 ? KBPS_OF_LAYER1 : KBPS_OF_LAYERS;
  const kbps = table?.[third >> 4] ?? 0;
  if (kbps === 0) return undefined;
  const rate = isMpeg1 ? base : version === 2 ? base / 2 : base / 4;
  const padding = (third >> 1) & 1;
  if (layer === 1) return { bytes: 4 * (Math.floor((12_000 * kbps) / rate) + padding), samples: 384, rate };
  const samples = layer === 3 && !isMpeg1 ? 576 : 1152;
  return { bytes: Math.floor((samples * 125 * kbps) / rate) + padding, samples, rate };
}

/** Samples at 48 kHz of a packet of Opus: RFC 6716, 3.1 and 3.2. */
export function opusSamples([head = 0, second = 0]: Uint8Array): number {
  const config = head >> 3;
  const frameMs =
    config < 12
      ? ([10, 20, 40, 60][config & 3] ?? 0)
      : config < 16
        ? ([10, 20][config & 1] ?? 0)
        : 2.5 * 2 ** (config & 3);
  const frames = [1, 2, 2, second & 0x3f][head & 3] ?? 0;
  return (frameMs * frames * OPUS_RATE) / 1000;
}

/** Packets of AAC hold as many samples at the rate of their core, whatever SBR makes of them. `config` is an AudioSpecificConfig (ISO 14496-3). */
export function aacPacket(config: Uint8Array | undefined, rateOfContainer: number): { samples: number; rate: number } {
  const plain = { samples: 1024, rate: rateOfContainer };
  if (config === undefined || config.length < 2) return plain;
  const bits =
    Buffer.from(config.subarray(0, 6)).reduce((all, byte) => all * 256 + byte, 0) *
    256 ** Math.max(0, 6 - config.length);
  const field = (at: number, length: number): number => Math.floor(bits / 2 ** (48 - at - length)) % 2 ** length;
  const isLongType = field(0, 5) === 31;
  const type = isLongType ? 32 + field(5, 6) : field(0, 5);
  const at = isLongType ? 11 : 5;
  const index = field(at, 4);
  const rate = index === 15 ? field(at + 4, 24) : AAC_RATES[index];
  if (rate === undefined || rate === 0) return plain;
  return { samples: SHORT_AAC.has(type) ? 512 : 1024, rate };
}

/** Samples of a frame of AC-3 or E-AC-3 (ETSI TS 102 366). */
export function ac3Samples(frame: Uint8Array, isEnhanced: boolean): number {
  const fifth = frame[4] ?? 0;
  const blocks = !isEnhanced || fifth >> 6 === 3 ? 6 : (EAC3_BLOCKS[(fifth >> 4) & 3] ?? 6);
  return blocks * SAMPLES_PER_AC3_BLOCK;
}

/** Samples of a frame of DTS (ETSI TS 102 114, 5.3.1); 0 where it has no core. */
export function dtsSamples(frame: Uint8Array): number {
  if (frame.length < 6 || Buffer.from(frame.subarray(0, 4)).readUInt32BE() !== 0x7ffe8001) return 0;
  return ((((frame[4] ?? 0) & 1) << 6) + ((frame[5] ?? 0) >> 2) + 1) * 32;
}

export interface FlacFrame {
  readonly samples: number;
  /** 0: that of the stream. */
  readonly rate: number;
  /** Of this frame, or of its first sample. */
  readonly number: number;
  readonly isNumberOfSample: boolean;
  /** What does not change within a stream: how frames are numbered, rate and size of samples. */
  readonly kind: number;
}

const FLAC_RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** The frame of FLAC that begins here, its check sum verified: RFC 9639, 9.1. */
export function flacFrame(bytes: Uint8Array): FlacFrame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = bytes;
  if (first !== 0xff || (second & 0xfe) !== 0xf8) return undefined;
  const sizeCode = third >> 4;
  const rateCode = third & 15;
  if (sizeCode === 0 || rateCode === 15 || fourth >> 4 > 10 || (fourth & 1) === 1) return undefined;
  const more = fifth < 0x80 ? 0 : Math.clz32(~(fifth << 24)) - 1;
  if (more > 6 || (fifth >= 0x80 && more < 1)) return undefined;
  let number = more === 0 ? fifth : fifth & (0x3f >> more);
  for (let at = 5; at < 5 + more; at++) number = number * 64 + ((bytes[at] ?? 0) & 0x3f);
  let at = 5 + more;
  const word = (length: number): number => {
    let value = 0;
    for (const end = at + length; at < end; at++) value = value * 256 + (bytes[at] ?? 0);
    return value;
  };
  const samples =
    sizeCode === 1
      ? 192
      : sizeCode < 6
        ? 576 * 2 ** (sizeCode - 2)
        : sizeCode < 8
          ? word(sizeCode - 5) + 1
          : 2 ** sizeCode;
  const rate =
    rateCode < 12
      ? (FLAC_RATES[rateCode] ?? 0)
      : rateCode === 12
        ? word(1) * 1000
        : word(2) * (rateCode === 14 ? 10 : 1);
  if (at >= bytes.length || crc8(bytes.subarray(0, at)) !== bytes[at]) return undefined;
  const kind = (second & 1) * 4096 + rateCode * 16 + ((fourth >> 1) & 7);
  return { samples, rate, number, isNumberOfSample: (second & 1) === 1, kind };
}

function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : (crc << 1) & 0xff;
  }
  return crc;
}

/** Packets of Vorbis: each holds a quarter of its own block and of the one before (Vorbis I, 1.3.2 and 4.3). */
export class VorbisSamples {
  readonly rate: number;
  private readonly blocks: readonly number[];
  private readonly isLong: readonly boolean[];
  private readonly modeMask: number;
  private before = 0;

  /** Of the first and the third header. Throws when they are none. */
  constructor(identification: Uint8Array, setup: Uint8Array) {
    const view = new DataView(identification.buffer, identification.byteOffset, identification.byteLength);
    this.rate = view.getUint32(12, true);
    const sizes = view.getUint8(28);
    this.blocks = [2 ** (sizes & 15), 2 ** (sizes >> 4)];
    this.isLong = modesOf(setup);
    this.modeMask = 2 ** Math.ceil(Math.log2(this.isLong.length)) - 1;
    if (this.rate === 0) throw new Error('no rate');
  }

  add([head = 1]: Uint8Array): number {
    // Headers are no sound.
    if ((head & 1) === 1) return 0;
    const isLong = this.isLong[(head >> 1) & this.modeMask];
    if (isLong === undefined) return 0;
    const block = this.blocks[isLong ? 1 : 0] ?? 0;
    const samples = this.before === 0 ? 0 : (this.before + block) / 4;
    this.before = block;
    return samples;
  }
}

/** Of CodecPrivate in Matroska: the headers behind a table of their lengths. */
export function vorbisOf(description: Uint8Array): VorbisSamples {
  const lengths: number[] = [];
  let at = 1;
  for (let header = 0; header < 2; header++) {
    let length = 0;
    while (description[at] === 255) length += description[at++] ?? 0;
    lengths.push(length + (description[at++] ?? 0));
  }
  const [first = 0, second = 0] = lengths;
  return new VorbisSamples(description.subarray(at, at + first), description.subarray(at + first + second));
}

/** Whether each mode has long blocks. The modes are the end of the setup header and are found from there: what precedes them is not read. */
function modesOf(setup: Uint8Array): boolean[] {
  const bit = (at: number): number => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  const field = (at: number, length: number): number => {
    let value = 0;
    for (let each = length - 1; each >= 0; each--) value = value * 2 + bit(at + each);
    return value;
  };
  let end = setup.length * 8 - 1;
  while (end > 0 && bit(end) === 0) end--;
  let found = 0;
  for (let modes = 1; modes <= 64; modes++) {
    const start = end - 41 * modes;
    if (start < 6 || field(start + 1, 32) !== 0 || field(start + 33, 8) > 63) break;
    if (field(start - 6, 6) === modes - 1) found = modes;
  }
  if (found === 0) throw new Error('no modes');
  return Array.from({ length: found }, (_, index) => bit(end - 41 * (found - index)) === 1);
}
