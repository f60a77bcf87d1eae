/** Real media files of any size and length, made in milliseconds. Not part of the product. */
import encoders from 'h264-mp4-encoder';
import {
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MovOutputFormat,
  MP4,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import sharp from 'sharp';

export type PictureFormat = 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif';

export function dataUrl(bytes: Uint8Array, mime = 'application/octet-stream'): string {
  return `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`;
}

export function picture(
  width: number,
  height: number,
  format: PictureFormat = 'png',
  orientation = 1,
): Promise<Buffer> {
  const plain = sharp({ create: { width, height, channels: 3, background: 'teal' } });
  return (orientation === 1 ? plain : plain.withMetadata({ orientation })).toFormat(format).toBuffer();
}

/** An uncompressed bitmap stored from the top: its height is negative in the file. */
export function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + row * height);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(-height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

export interface ClipOptions {
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  readonly rate?: number;
  readonly container?: 'mp4' | 'mov';
}

/** One encoded frame, repeated. */
export async function clip({
  width = 1280,
  height = 720,
  seconds = 5,
  rate = 24,
  container = 'mp4',
}: ClipOptions = {}): Promise<Uint8Array> {
  using input = new Input({ source: new BufferSource(await oneFrame(width, height)), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  const packet = track === null ? null : await new EncodedPacketSink(track).getFirstPacket();
  if (packet === null || decoderConfig === null || decoderConfig === undefined) throw new Error('no frame');
  const target = new BufferTarget();
  const format = container === 'mp4' ? new Mp4OutputFormat() : new MovOutputFormat();
  const output = new Output({ format, target });
  const video = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(video, { frameRate: rate });
  await output.start();
  const frames = Math.max(1, Math.round(seconds * rate));
  for (let frame = 0; frame < frames; frame++) {
    await video.add(packet.clone({ timestamp: frame / rate, duration: 1 / rate }), { decoderConfig });
  }
  await output.finalize();
  if (target.buffer === null) throw new Error('no file');
  return new Uint8Array(target.buffer);
}

async function oneFrame(width: number, height: number): Promise<Uint8Array> {
  const encoder = await encoders.createH264MP4Encoder();
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = 24;
  encoder.quantizationParameter = 45;
  encoder.initialize();
  encoder.addFrameYuv(new Uint8Array((width * height * 3) / 2).fill(128));
  encoder.finalize();
  const bytes = encoder.FS.readFile(encoder.outputFilename).slice();
  encoder.delete();
  return bytes;
}

/** Silence: 8-bit mono at 8 kHz, so that long ones stay small; `rate` makes heavy ones. */
export function wav(seconds: number, rate = 8000): Buffer {
  const data = Math.round(seconds * rate);
  const file = Buffer.alloc(44 + data, 128);
  file.write('RIFF');
  file.writeUInt32LE(36 + data, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(data, 40);
  return file;
}

/** MPEG-1 Layer III frames of silence, 128 kbit/s at 44.1 kHz. */
export function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * 44_100) / 1152) }, () => frame));
}
