/** The length of files that hold one kind of sound (WAV, MP3, FLAC, Ogg), by all that is in them: what their heads say of it is not believed. */
import { readSync } from 'node:fs';
import {
  FLAC_HEADER_BYTES,
  flacFrame,
  mpegFrame,
  opusSamples,
  OPUS_RATE,
  VorbisSamples,
  type FlacFrame,
} from './packet-samples.ts';

export interface Scanned {
  readonly seconds: number;
  /** More than the bytes can hold in their coding; absent where they can hold anything. */
  readonly mostSeconds?: number;
}

const WINDOW_BYTES = 1024 * 1024;

/** Reads a file forwards, a megabyte at a time. Blocks: for a thread of its own. */
export class FileWindow {
  readonly size: number;
  private readonly fd: number;
  private start = 0;
  private bytes: Buffer;

  /** `bytes` are those that have been read from its beginning; all of them where there is no file. */
  constructor(fd: number, size: number, bytes: Buffer = Buffer.alloc(0)) {
    this.fd = fd;
    this.size = size;
    this.bytes = bytes;
  }

  /** So many bytes from there on, valid until the next call; fewer at the end of the file. */
  at(position: number, length: number): Buffer {
    return this.from(position, length).subarray(0, length);
  }

  /** Where the bytes are next, from there on; the file's size when nowhere. */
  find(bytes: Buffer | number, from: number): number {
    const length = typeof bytes === 'number' ? 1 : bytes.length;
    for (let position = from; position < this.size;) {
      const window = this.from(position, length);
      const found = window.indexOf(bytes);
      if (found >= 0) return position + found;
      if (window.length < length) break;
      position += window.length - length + 1;
    }
    return this.size;
  }

  /** All that is in memory from there on, at least so many bytes unless the file ends. */
  private from(position: number, least: number): Buffer {
    const left = Math.max(0, this.size - position);
    const offset = position - this.start;
    if (offset < 0 || offset + Math.min(least, left) > this.bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.min(left, Math.max(least, WINDOW_BYTES)));
      this.bytes = bytes.subarray(0, readSync(this.fd, bytes, 0, bytes.length, position));
      this.start = position;
    }
    return this.bytes.subarray(position - this.start);
  }
}

/** Behind a tag of ID3v2 that begins there, or the place itself. */
function behindTag(file: FileWindow, at: number): number {
  const head = file.at(at, 10);
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return at;
  const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6);
  const end = at + 10 + (((a & 127) << 21) | ((b & 127) << 14) | ((c & 127) << 7) | (d & 127));
  return end <= file.size ? end : at + 10;
}

/** Less than a frame of MPEG-2 at 8 kbit/s, the lowest rate. */
const LEAST_MPEG_BYTES_PER_SECOND = 990;

/** Counts frames of MPEG audio, wherever they are: files that were put behind one another are one. */
export function scanMpegAudio(file: FileWindow, start = 0, end = file.size): Scanned | undefined {
  let seconds = 0;
  let frames = 0;
  let inStep = false;
  let at = behindTag(file, start);
  while (at + 4 <= end) {
    const frame = mpegFrame(file.at(at, 4));
    if (frame !== undefined && (inStep || isFrameBehind(file, at + frame.bytes, end))) {
      if (frames > 0 || !isIndexFrame(file.at(at, 64))) seconds += frame.samples / frame.rate;
      frames++;
      inStep = true;
      at += frame.bytes;
      continue;
    }
    inStep = false;
    const behind = behindTag(file, at);
    at = behind > at ? behind : file.find(0xff, at + 1);
  }
  return frames === 0 ? undefined : { seconds, mostSeconds: (end - start) / LEAST_MPEG_BYTES_PER_SECOND };
}

function isFrameBehind(file: FileWindow, at: number, end: number): boolean {
  if (at + 4 > end) return at <= end;
  return mpegFrame(file.at(at, 4)) !== undefined || /^(?:ID3|TAG|APE)/.test(file.at(at, 3).toString('latin1'));
}

/** The first frame of a file may hold a table in place of sound. */
function isIndexFrame(head: Buffer): boolean {
  return ['Xing', 'Info', 'VBRI'].some((word) => head.includes(word));
}

/** Counts the frames of native FLAC. */
export function scanFlac(file: FileWindow): Scanned | undefined {
  let at = behindTag(file, 0);
  if (file.at(at, 4).toString('latin1') !== 'fLaC') return undefined;
  at += 4;
  let rateOfStream = 0;
  for (let isLast = false; !isLast && at + 4 <= file.size;) {
    const head = file.at(at, 4 + 18);
    isLast = ((head[0] ?? 0) & 0x80) !== 0;
    if (((head[0] ?? 0) & 0x7f) === 0 && head.length >= 17) rateOfStream = head.readUIntBE(14, 3) >> 4;
    at += 4 + head.readUIntBE(1, 3);
  }
  let seconds = 0;
  let first: FlacFrame | undefined;
  let expected = 0;
  for (at = file.find(0xff, at); at < file.size; at = file.find(0xff, at + 1)) {
    const frame = flacFrame(file.at(at, FLAC_HEADER_BYTES));
    if (frame === undefined) continue;
    first ??= frame;
    // Chance makes a header now and then: one that fits neither the stream nor its place is none.
    if (frame.kind !== first.kind && frame.number !== expected && frame.number !== 0) continue;
    expected = frame.number + (frame.isNumberOfSample ? frame.samples : 1);
    const rate = frame.rate === 0 ? rateOfStream : frame.rate;
    if (rate > 0) seconds += frame.samples / rate;
  }
  return first === undefined ? undefined : { seconds };
}

const START_CODE = Buffer.from([0, 0, 1]);
const LAST_SYSTEM_CODE = 0xba;
const PES_HEAD_BYTES = 64;
const AUDIO_STREAMS = { first: 0xc0, last: 0xdf };

/** The first stream of MPEG audio in an MPEG program stream (ISO 13818-1, 2.5). */
export function scanProgramStream(file: FileWindow): Scanned {
  const payload: Buffer[] = [];
  let stream: number | undefined;
  for (let at = file.find(START_CODE, 0); at < file.size; at = file.find(START_CODE, at)) {
    const head = file.at(at, PES_HEAD_BYTES);
    const code = head[3] ?? 0;
    if (head.length < 9 || code <= LAST_SYSTEM_CODE) {
      at += START_CODE.length;
      continue;
    }
    const end = Math.min(file.size, at + 6 + head.readUInt16BE(4));
    if (code >= AUDIO_STREAMS.first && code <= AUDIO_STREAMS.last && code === (stream ??= code)) {
      const start = Math.min(end, at + payloadOffset(head));
      payload.push(Buffer.from(file.at(start, end - start)));
    }
    at = end;
  }
  const sound = Buffer.concat(payload);
  const scanned = scanMpegAudio(new FileWindow(-1, sound.length, sound));
  if (scanned === undefined)
    throw new SoundCodingError('has no sound that can be measured: there is no MPEG audio in it');
  return scanned;
}

/** Where a packet's content begins. */
function payloadOffset(head: Buffer): number {
  if (((head[6] ?? 0) & 0xc0) === 0x80) return 9 + (head[8] ?? 0);
  // MPEG-1: stuffing, the size of a buffer, then times.
  let at = 6;
  while (head[at] === 0xff) at++;
  if (((head[at] ?? 0) & 0xc0) === 0x40) at += 2;
  const times = (head[at] ?? 0) >> 4;
  return at + (times === 2 ? 5 : times === 3 ? 10 : 1);
}

/** Bytes of a header that are kept; setup headers of Vorbis have some thousands. */
const MOST_HEADER_BYTES = 1024 * 1024;
const PACKET_HEAD_BYTES = FLAC_HEADER_BYTES;
const PAGE = Buffer.from('OggS');

/** Adds the links of a chain; of streams that lie side by side, the longest counts. */
export function scanOgg(file: FileWindow): Scanned | undefined {
  let seconds = 0;
  let streams = new Map<number, OggStream>();
  let isHead = false;
  let sounds = 0;
  const endLink = (): void => {
    seconds += Math.max(0, ...[...streams.values()].map((stream) => stream.seconds));
    sounds += [...streams.values()].filter((stream) => stream.isSound).length;
    streams = new Map();
  };
  for (let at = file.find(PAGE, 0); at < file.size; at = file.find(PAGE, at)) {
    const head = file.at(at, 27 + 255);
    const lacing = Buffer.from(head.subarray(27, 27 + (head[26] ?? 0)));
    if (head.length < 27) break;
    const isFirst = ((head[5] ?? 0) & 2) !== 0;
    const serial = head.readUInt32LE(14);
    // The first pages of a link stand together; one behind other pages begins the next.
    if (isFirst && (!isHead || streams.has(serial))) endLink();
    isHead = isFirst;
    let stream = streams.get(serial);
    if (stream === undefined) streams.set(serial, (stream = new OggStream()));
    at += 27 + lacing.length;
    for (const length of lacing) {
      stream.add(file.at(at, length), length < 255);
      at += length;
    }
  }
  endLink();
  return sounds > 0 ? { seconds } : undefined;
}

/** One logical stream. */
class OggStream {
  private ticks = 0;
  private rate = 0;
  private packets = 0;
  private parts: Buffer[] = [];
  private length = 0;
  private first: Buffer = Buffer.alloc(0);
  private samplesOf: ((packet: Uint8Array) => number) | undefined;

  get seconds(): number {
    return this.rate === 0 ? 0 : Math.max(0, this.ticks) / this.rate;
  }

  get isSound(): boolean {
    return this.rate > 0;
  }

  /** A part of a packet. */
  add(bytes: Buffer, isLast: boolean): void {
    const most = this.packets < 3 ? MOST_HEADER_BYTES : PACKET_HEAD_BYTES;
    if (this.length < most) this.parts.push(Buffer.from(bytes.subarray(0, most - this.length)));
    this.length += bytes.length;
    if (!isLast) return;
    const [only = bytes] = this.parts;
    const packet = this.parts.length === 1 ? only : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    this.packet(packet, this.packets++);
  }

  private packet(packet: Buffer, index: number): void {
    if (index === 0) this.identify(packet);
    else if (index === 2 && this.first.toString('latin1', 1, 7) === 'vorbis') this.setUpVorbis(packet);
    else if (packet.length > 0) this.ticks += this.samplesOf?.(packet) ?? 0;
  }

  private identify(packet: Buffer): void {
    this.first = packet;
    const text = packet.toString('latin1', 0, 9);
    if (text.startsWith('OpusHead') && packet.length >= 12) {
      this.rate = OPUS_RATE;
      // What decoders drop at the beginning; 80 ms is what encoders are told to write.
      this.ticks = -Math.min(packet.readUInt16LE(10), 3840);
      this.samplesOf = (each) =>
        each.length >= 8 && Buffer.from(each).toString('latin1', 0, 8) === 'OpusTags' ? 0 : opusSamples(each);
    } else if (text.startsWith('\x7fFLAC') && packet.length >= 34) {
      this.rate = packet.readUIntBE(27, 3) >> 4;
      this.samplesOf = (each) => {
        const frame = flacFrame(each);
        return frame === undefined ? 0 : (frame.samples * this.rate) / (frame.rate === 0 ? this.rate : frame.rate);
      };
    } else if (text.startsWith('Speex   ') && packet.length >= 68) {
      this.rate = packet.readUInt32LE(36);
      // Frames of 20 ms in narrow, wide and ultra-wide band.
      const samples = 160 * 2 ** Math.min(2, packet.readUInt32LE(40)) * Math.max(1, packet.readUInt32LE(64));
      // The second packet is a comment.
      this.samplesOf = () => (this.packets > 2 ? samples : 0);
    }
  }

  private setUpVorbis(setup: Buffer): void {
    try {
      const vorbis = new VorbisSamples(this.first, setup);
      this.rate = vorbis.rate;
      this.samplesOf = (each) => vorbis.add(each);
    } catch {
      this.rate = 0;
    }
  }
}

interface WavFormat {
  readonly tag: number;
  readonly channels: number;
  readonly rate: number;
  readonly blockBytes: number;
  readonly bits: number;
}

const WAV_PCM = 1;
const WAV_ADPCM = 2;
const WAV_FLOAT = 3;
const WAV_ALAW = 6;
const WAV_MULAW = 7;
const WAV_IMA_ADPCM = 0x11;
const WAV_GSM = 0x31;
const WAV_MPEG = 0x50;
const WAV_MP3 = 0x55;
const WAV_EXTENSIBLE = 0xfffe;
const RIFF_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;

/**
 * All sound of a WAV: every `data` chunk, and what stands behind the last chunk without being one, since readers differ in how far they believe
 * the chunk's length. Throws the reason as a text when its coding is unknown.
 */
export function scanWav(file: FileWindow): Scanned | undefined {
  let format: WavFormat | undefined;
  const spans: { start: number; end: number }[] = [];
  let longLength: number | undefined;
  if (file.at(8, 4).toString('latin1') !== 'WAVE') return undefined;
  let at = RIFF_HEAD_BYTES;
  while (at + CHUNK_HEAD_BYTES <= file.size) {
    const head = file.at(at, CHUNK_HEAD_BYTES + 40);
    const name = head.toString('latin1', 0, 4);
    let length = head.readUInt32LE(4);
    const start = at + CHUNK_HEAD_BYTES;
    if (!/^[\x20-\x7e]{4}$/.test(name)) {
      // No chunk: sound that the length before it did not tell of.
      if (spans.length > 0) spans.push({ start: at, end: file.size });
      break;
    }
    if (name === 'fmt ') format ??= wavFormat(head.subarray(CHUNK_HEAD_BYTES, CHUNK_HEAD_BYTES + length));
    else if (name === 'ds64' && head.length >= 24) longLength = Number(head.readBigUInt64LE(16));
    else if (name === 'data') {
      if (length === 0xffffffff && longLength !== undefined) length = longLength;
      // What a recorder writes that does not know the length yet.
      if (length === 0 || start + length > file.size) length = file.size - start;
      spans.push({ start, end: start + length });
    } else if (start + length > file.size + 1 && spans.length > 0) spans.push({ start: at, end: file.size });
    at = start + length + (length & 1);
  }
  if (format === undefined || spans.length === 0) return undefined;
  return soundOfWav(file, format, spans);
}

function wavFormat(bytes: Buffer): WavFormat | undefined {
  if (bytes.length < 14) return undefined;
  const tag = bytes.readUInt16LE(0);
  return {
    // The first word of the GUID of an extensible one is its tag.
    tag: tag === WAV_EXTENSIBLE && bytes.length >= 26 ? bytes.readUInt16LE(24) : tag,
    channels: bytes.readUInt16LE(2),
    rate: bytes.readUInt32LE(4),
    blockBytes: bytes.readUInt16LE(12),
    bits: bytes.length >= 16 ? bytes.readUInt16LE(14) : 8,
  };
}

function soundOfWav(
  file: FileWindow,
  format: WavFormat,
  spans: readonly { start: number; end: number }[],
): Scanned | undefined {
  const { tag, rate } = format;
  if (tag === WAV_MP3 || tag === WAV_MPEG) {
    const parts = spans.map(({ start, end }) => scanMpegAudio(file, start, end));
    const seconds = parts.reduce((sum, part) => sum + (part?.seconds ?? 0), 0);
    return { seconds, mostSeconds: file.size / LEAST_MPEG_BYTES_PER_SECOND };
  }
  const density = samplesPerByte(format);
  if (density === undefined)
    throw new SoundCodingError(`has sound in a coding that cannot be measured (WAV format 0x${tag.toString(16)})`);
  if (!(density > 0 && Number.isFinite(density)) || rate === 0) return undefined;
  const first = spans[0]?.start ?? 0;
  const bytes = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  return { seconds: (bytes * density) / rate, mostSeconds: ((file.size - first) * density) / rate };
}

/** Samples of one channel in a byte; undefined where the coding is unknown. The width of a block is the file's word: it is counted, not read, for PCM. */
function samplesPerByte({ tag, channels, blockBytes, bits }: WavFormat): number | undefined {
  switch (tag) {
    case WAV_PCM:
    case WAV_FLOAT:
      return 1 / (channels * Math.ceil(bits / 8));
    case WAV_ALAW:
    case WAV_MULAW:
      return 1 / channels;
    case WAV_IMA_ADPCM:
      return (((blockBytes - 4 * channels) * 2) / channels + 1) / blockBytes;
    case WAV_ADPCM:
      return (((blockBytes - 7 * channels) * 2) / channels + 2) / blockBytes;
    case WAV_GSM:
      return 320 / 65;
    default:
      return undefined;
  }
}

/** The format is known, its coding is not. */
export class SoundCodingError extends Error {}
