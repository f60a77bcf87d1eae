/** How long a recording is, by its sound and not by what it says of itself (docs/wire/media-files.md). Runs in the worker; the file is read from where it lies. */
import { open, type FileHandle } from 'node:fs/promises';
import type { AudioCodec, InputAudioTrack } from 'mediabunny';
import type { Measure } from './measure.ts';
import {
  aacPacket,
  ac3Samples,
  dtsSamples,
  FLAC_HEADER_BYTES,
  flacFrame,
  mpegFrame,
  OPUS_RATE,
  opusSamples,
  vorbisOf,
} from './packet-samples.ts';
import {
  FileWindow,
  scanFlac,
  scanMpegAudio,
  scanOgg,
  scanProgramStream,
  scanWav,
  SoundCodingError,
  type Scanned,
} from './sound-scan.ts';

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
  'video/MP1S': 'mpeg',
  'video/MP2P': 'mpeg',
};
const BOXED = new Set(['m4a', 'mp4']);
const HEAD_BYTES = 4100;
/** Encoders add a few packets of their own. */
const TOLERANCE_SECONDS = 0.2;
/** By the code of a sample entry in MP4 and QuickTime. */
const SAMPLES_OF_PACKETS: Readonly<Record<string, number>> = { alac: 4096, ima4: 64, samr: 160, sawb: 320 };
/** How a document of EBML begins, and what names its kind in the bytes behind. */
const EBML = Buffer.from('1a45dfa3', 'hex');
const EBML_DOC_TYPE = Buffer.from('4282', 'hex');
const EBML_HEAD_BYTES = 80;
const MOST_PARTS = 1000;
type Sound = Pick<Measure, 'seconds' | 'mostSeconds' | 'broken'>;
type Scan = (file: FileWindow) => Scanned | undefined;
const SCANS: Readonly<Record<string, Scan>> = {
  wav: scanWav,
  mp3: scanMpegAudio,
  flac: scanFlac,
  ogg: scanOgg,
  mpeg: scanProgramStream,
};
/** `pcm-s24be` has 24 bits. */
const PCM_WIDTHS = /^pcm-[suf](\d+)/;

/** Reads format and length. The libraries are loaded when first needed. */
export async function measureRecording(path: string): Promise<Measure> {
  const file = await open(path);
  try {
    const { size: bytes } = await file.stat();
    const head = Buffer.alloc(Math.min(bytes, HEAD_BYTES));
    await file.read(head, 0, head.length, 0);
    const { fileTypeFromBuffer } = await import('file-type');
    // `audio/ogg; codecs=opus`
    const mime = (await fileTypeFromBuffer(head))?.mime.replace(/;.*$/, '') ?? (isLongWav(head) ? 'audio/wav' : '');
    const format = FORMATS[mime];
    const known: Measure = { bytes, mime };
    if (format === undefined) return known;
    if (BOXED.has(format) && (await isCut(file, bytes)))
      return { ...known, format, broken: 'is cut off: the file ends before its content does' };
    try {
      return { ...known, format, ...(await soundOf(path, SCANS[format], new FileWindow(file.fd, bytes))) };
    } catch (error) {
      if (error instanceof SoundCodingError) return { ...known, format, broken: error.message };
      return { ...known, format, broken: 'cannot be read: its structure is damaged' };
    }
  } finally {
    await file.close();
  }
}

/** A WAV of more than 4 GB, or of a recorder that did not know: EBU Tech 3306, ITU-R BS.2088. */
function isLongWav(head: Buffer): boolean {
  return /^(?:RF64|BW64)....WAVE/s.test(head.toString('latin1', 0, 12));
}

/** What is in a file of one kind of sound is counted; tracks of the others are counted packet by packet. */
async function soundOf(path: string, scan: Scan | undefined, file: FileWindow): Promise<Sound> {
  const scanned = scan?.(file);
  if (scanned !== undefined) return scanned.seconds > 0 ? scanned : { broken: 'has no content: its duration is 0' };
  const starts = [...ebmlStarts(file), file.size];
  // Files of Matroska that were put behind one another are played as one; of the others, the first is.
  if (starts.length <= 2) return soundOfTracks(path, 0, file.size);
  let sum = 0;
  for (const [index, start] of starts.slice(0, -1).entries()) {
    const { seconds = 0 } = await soundOfTracks(path, start, starts[index + 1] ?? file.size);
    sum += seconds;
  }
  return sum > 0 ? { seconds: sum } : { broken: 'has no content: its duration is 0' };
}

/** Where documents of EBML begin. */
function ebmlStarts(file: FileWindow): number[] {
  if (!file.at(0, EBML.length).equals(EBML)) return [];
  const starts: number[] = [];
  for (let at = 0; at < file.size && starts.length <= MOST_PARTS; at = file.find(EBML, at + 1))
    if (file.at(at, EBML_HEAD_BYTES).includes(EBML_DOC_TYPE)) starts.push(at);
  if (starts.length > MOST_PARTS) throw new SoundCodingError(`has more than ${MOST_PARTS} parts`);
  return starts;
}

async function soundOfTracks(path: string, start: number, end: number): Promise<Sound> {
  const { FilePathSource, Input, FLAC, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } = await import('mediabunny');
  const whole = new FilePathSource(path);
  using input = new Input({
    source: whole.slice(start, end - start),
    formats: [WAVE, MP3, FLAC, OGG, MP4, QTFF, WEBM, MATROSKA],
  });
  const tracks = await input.getAudioTracks();
  if (tracks.length === 0) return { broken: 'has no sound: there is no audio track in it' };
  const codings = await Promise.all(tracks.map(codingOf));
  if (codings.every((coding) => coding === undefined))
    throw new SoundCodingError(
      `has sound in a coding that cannot be measured (${String(await tracks[0]?.getInternalCodecId())})`,
    );
  let longest: Scanned = { seconds: 0 };
  for (const track of tracks) {
    const found = await lengthOf(track);
    if (found.seconds > longest.seconds) longest = found;
  }
  return longest.seconds > 0 ? longest : { broken: 'has no content: its duration is 0' };
}

/** The table of times in a file is the caller's to write; how much sound its packets hold is not. */
async function lengthOf(track: InputAudioTrack): Promise<Scanned> {
  const told = await track.computeDuration();
  const { seconds, mostSeconds } = await heldBy(track);
  return {
    seconds: seconds > told + TOLERANCE_SECONDS ? seconds : told,
    ...(mostSeconds !== undefined && { mostSeconds }),
  };
}

/** Undefined where nothing tells how long it is but the file itself. */
async function codingOf(track: InputAudioTrack): Promise<string | undefined> {
  const codec = await track.getCodec();
  const id = String(await track.getInternalCodecId());
  return codec ?? (Object.hasOwn(SAMPLES_OF_PACKETS, id) ? id : undefined);
}

/** By its packets; 0 where their coding does not tell. */
async function heldBy(track: InputAudioTrack): Promise<Scanned> {
  const codec = await track.getCodec();
  if (codec === null) return { seconds: await heldByUnknown(track) };
  const width = PCM_WIDTHS.exec(codec);
  if (width !== null || codec === 'ulaw' || codec === 'alaw') {
    const bytesOfSecond =
      (await track.getSampleRate()) * (await track.getNumberOfChannels()) * (Number(width?.[1] ?? 8) / 8);
    const seconds = (await bytesOf(track)) / bytesOfSecond;
    return { seconds, mostSeconds: seconds };
  }
  if (codec === 'aac') {
    const packet = aacPacket(await configOf(track), await track.getSampleRate());
    const { packetCount } = await track.computePacketStats();
    return { seconds: (packetCount * packet.samples) / packet.rate };
  }
  const secondsOf = await packetReader(track, codec);
  if (secondsOf === undefined) return { seconds: 0 };
  const { EncodedPacketSink } = await import('mediabunny');
  let seconds = 0;
  for await (const { data } of new EncodedPacketSink(track).packets()) seconds += secondsOf(data);
  return { seconds };
}

/** By the number of its packets, where the coding is one that the reader passes on without knowing it. */
async function heldByUnknown(track: InputAudioTrack): Promise<number> {
  const samples = SAMPLES_OF_PACKETS[String(await track.getInternalCodecId())];
  if (samples === undefined) return 0;
  const { packetCount } = await track.computePacketStats();
  return (packetCount * samples) / (await track.getSampleRate());
}

async function bytesOf(track: InputAudioTrack): Promise<number> {
  const { EncodedPacketSink } = await import('mediabunny');
  let bytes = 0;
  for await (const { byteLength } of new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true }))
    bytes += byteLength;
  return bytes;
}

/** How many seconds one of its packets holds. */
async function packetReader(
  track: InputAudioTrack,
  codec: AudioCodec,
): Promise<((packet: Uint8Array) => number) | undefined> {
  const rate = await track.getSampleRate();
  const config = await configOf(track);
  switch (codec) {
    case 'opus':
      return (packet) => opusSamples(packet) / OPUS_RATE;
    case 'mp3':
      return (packet) => secondsOfMpeg(packet);
    case 'vorbis': {
      const vorbis = config === undefined ? undefined : vorbisOf(config);
      return vorbis && ((packet) => vorbis.add(packet) / vorbis.rate);
    }
    case 'flac':
      return (packet) => {
        const frame = flacFrame(packet.subarray(0, FLAC_HEADER_BYTES));
        return frame === undefined ? 0 : frame.samples / (frame.rate === 0 ? rate : frame.rate);
      };
    case 'ac3':
    case 'eac3':
      return (packet) => ac3Samples(packet, codec === 'eac3') / rate;
    case 'dts':
      return (packet) => dtsSamples(packet) / rate;
    default:
      return undefined;
  }
}

/** A packet may hold several frames. */
function secondsOfMpeg(packet: Uint8Array): number {
  let seconds = 0;
  for (let at = 0; at + 4 <= packet.length;) {
    const frame = mpegFrame(packet.subarray(at, at + 4));
    if (frame === undefined) break;
    seconds += frame.samples / frame.rate;
    at += frame.bytes;
  }
  return seconds;
}

async function configOf(track: InputAudioTrack): Promise<Uint8Array | undefined> {
  const source: unknown = (await track.getDecoderConfig())?.description;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined;
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
