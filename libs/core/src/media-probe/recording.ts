/** How long a recording is, by its sound and not by what it says of itself (docs/wire/media-files.md). Runs in the worker; the file is read from where it lies. */
import { open, type FileHandle } from 'node:fs/promises';
import type { InputAudioTrack } from 'mediabunny';
import type { Measure } from './measure.ts';

/** What the file is by its first bytes, and the ending that vendors know it by. */
const FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'application/ogg': 'ogg',
  'video/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'video/mp4': 'mp4',
  'video/x-m4v': 'mp4',
  'video/quicktime': 'mp4',
  'audio/webm': 'webm',
  'video/webm': 'webm',
};
const BOXED = new Set(['m4a', 'mp4']);
const HEAD_BYTES = 4100;
/** Samples of one packet of AAC, whatever its container says. */
const AAC_PACKET = 1024;
/** Encoders add a few packets of their own. */
const TOLERANCE_SECONDS = 1;

/** Reads format and length. The libraries are loaded when first needed. */
export async function measureRecording(path: string): Promise<Measure> {
  const file = await open(path);
  try {
    const { size: bytes } = await file.stat();
    const head = Buffer.alloc(Math.min(bytes, HEAD_BYTES));
    await file.read(head, 0, head.length, 0);
    const { fileTypeFromBuffer } = await import('file-type');
    // `audio/ogg; codecs=opus`
    const mime = (await fileTypeFromBuffer(head))?.mime.replace(/;.*$/, '') ?? '';
    const format = FORMATS[mime];
    const known: Measure = { bytes, mime };
    if (format === undefined) return known;
    if (BOXED.has(format) && (await isCut(file, bytes)))
      return { ...known, format, broken: 'is cut off: the file ends before its content does' };
    try {
      return { ...known, format, ...(await soundOf(path)) };
    } catch {
      return { ...known, format, broken: 'cannot be read: its structure is damaged' };
    }
  } finally {
    await file.close();
  }
}

async function soundOf(path: string): Promise<Pick<Measure, 'seconds' | 'broken'>> {
  const { FilePathSource, Input, FLAC, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } = await import('mediabunny');
  using input = new Input({
    source: new FilePathSource(path),
    formats: [WAVE, MP3, FLAC, OGG, MP4, QTFF, WEBM, MATROSKA],
  });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) return { broken: 'has no sound: there is no audio track in it' };
  const seconds = await lengthOf(track);
  return seconds > 0 ? { seconds } : { broken: 'has no content: its duration is 0' };
}

/** The table of times in a file is the caller's to write; how much sound a packet of AAC or Opus holds is not. */
async function lengthOf(track: InputAudioTrack): Promise<number> {
  const told = await track.computeDuration();
  const held = await heldBy(track);
  return held > told + TOLERANCE_SECONDS ? held : told;
}

async function heldBy(track: InputAudioTrack): Promise<number> {
  const codec = await track.getCodec();
  if (codec === 'aac') {
    const { packetCount } = await track.computePacketStats();
    return (packetCount * AAC_PACKET) / (await track.getSampleRate());
  }
  if (codec !== 'opus') return 0;
  const { EncodedPacketSink } = await import('mediabunny');
  let ms = 0;
  for await (const { data } of new EncodedPacketSink(track).packets()) ms += opusMs(data);
  return ms / 1000;
}

/** What a packet of Opus says in its first bytes: RFC 6716, 3.1 and 3.2. */
function opusMs([head = 0, second = 0]: Uint8Array): number {
  const config = head >> 3;
  const frame =
    config < 12
      ? ([10, 20, 40, 60][config & 3] ?? 0)
      : config < 16
        ? ([10, 20][config & 1] ?? 0)
        : 2.5 * 2 ** (config & 3);
  const frames = [1, 2, 2, second & 0x3f][head & 3] ?? 0;
  return frame * frames;
}

/** Whether one of the outermost boxes claims more bytes than there are: header readers would not notice. */
async function isCut(file: FileHandle, bytes: number): Promise<boolean> {
  const head = Buffer.alloc(16);
  let at = 0;
  while (at + 8 <= bytes) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const short = head.readUInt32BE(0);
    // 0: to the end of the file; 1: the size follows in 64 bits.
    if (short === 0) return false;
    if (short === 1 && bytesRead < 16) return true;
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (size < 8) return true;
    at += size;
  }
  return at > bytes;
}
