/** What a media file is by its bytes, not by its name or declared type (docs/wire/media-files.md). Runs in the worker: a hostile file can only hurt that. */
import type { Input } from 'mediabunny';
import { FileWindow, scanMpegAudio, scanWav } from './sound-scan.ts';

export type MediaKind = 'image' | 'video' | 'audio';

export interface Measure {
  readonly bytes: number;
  /** The short name of the format; absent when it is none of the kind's. */
  readonly format?: string;
  /** What the bytes look like otherwise. */
  readonly mime: string;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** No sound of so many bytes lasts longer, in its coding; absent where they can hold any length. */
  readonly mostSeconds?: number;
  /** Mean frames per second. */
  readonly rate?: number;
  /** Why the file cannot be used although its format is right. */
  readonly broken?: string;
}

const FORMATS: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: {
    'image/jpeg': 'jpeg',
    'image/png': 'png',
    'image/apng': 'png',
    'image/webp': 'webp',
    'image/bmp': 'bmp',
    'image/tiff': 'tiff',
    'image/gif': 'gif',
  },
  video: { 'video/mp4': 'mp4', 'video/x-m4v': 'mp4', 'video/quicktime': 'mov' },
  audio: { 'audio/wav': 'wav', 'audio/vnd.wave': 'wav', 'audio/mpeg': 'mp3' },
};
/** EXIF orientations that lay the picture on its side. */
const FIRST_SIDEWAYS = 5;
/** Enough for the mean rate of a clip of 15 seconds at 60 frames. */
const PACKETS = 1000;

/** Reads format, size, dimensions, duration and frame rate. The libraries are loaded when first needed. */
export async function measure(kind: MediaKind, bytes: Uint8Array): Promise<Measure> {
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(bytes))?.mime ?? '';
  const format = FORMATS[kind][mime];
  const known: Measure = { bytes: bytes.byteLength, mime };
  if (format === undefined) return known;
  try {
    const details = kind === 'image' ? await measureImage(bytes) : await measureTracks(kind, bytes);
    return { ...known, format, ...details };
  } catch {
    return { ...known, format, broken: 'cannot be read: its structure is damaged' };
  }
}

async function measureImage(bytes: Uint8Array): Promise<Partial<Measure>> {
  const { imageSize } = await import('image-size');
  // A copy of exactly the file: the reader looks at the memory behind a view, and would read on past a cut file's end.
  const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const { width, height, orientation } = imageSize(whole);
  if (width <= 0 || height <= 0) throw new Error('no size');
  return (orientation ?? 1) >= FIRST_SIDEWAYS ? { width: height, height: width } : { width, height };
}

async function measureTracks(kind: 'video' | 'audio', bytes: Uint8Array): Promise<Partial<Measure>> {
  if (kind === 'audio') return measureAudio(bytes);
  if (isCut(bytes)) return { broken: 'is cut off: the file ends before its content does' };
  const { BufferSource, Input: Reader, MP4, QTFF } = await import('mediabunny');
  using input = new Reader({ source: new BufferSource(bytes), formats: [MP4, QTFF] });
  return await measureVideo(input);
}

async function measureVideo(input: Input): Promise<Partial<Measure>> {
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return { broken: 'has no picture: there is no video track in it' };
  const seconds = await input.computeDuration();
  if (seconds <= 0) return { broken: 'has no content: its duration is 0' };
  const { averagePacketRate } = await track.computePacketStats(PACKETS);
  return {
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    seconds,
    rate: averagePacketRate,
  };
}

function measureAudio(bytes: Uint8Array): Partial<Measure> {
  const sound = new FileWindow(-1, bytes.byteLength, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const scanned = scanWav(sound) ?? scanMpegAudio(sound);
  if (scanned === undefined) return { broken: 'has no sound: there is no audio track in it' };
  const { seconds } = scanned;
  return seconds > 0 ? { seconds } : { broken: 'has no content: its duration is 0' };
}

/** Whether one of the outermost boxes of an mp4 or mov claims more bytes than there are: header readers would not notice. */
function isCut(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 8 <= bytes.byteLength) {
    const short = view.getUint32(at);
    // 0: to the end of the file; 1: the size follows in 64 bits.
    if (short === 0) return false;
    if (short === 1 && at + 16 > bytes.byteLength) return true;
    const size = short === 1 ? Number(view.getBigUint64(at + 8)) : short;
    if (size < 8) return true;
    at += size;
  }
  return at > bytes.byteLength;
}
