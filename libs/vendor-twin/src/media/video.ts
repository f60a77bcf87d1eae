import encoders from 'h264-mp4-encoder';
import {
  AudioSample,
  type AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  type EncodedPacket,
} from 'mediabunny';
import { aacSource } from './aac.ts';
import { random } from '../core/values.ts';
import { paint } from './paint.ts';
import { VIDEO_FPS, type VideoSpec } from './spec.ts';

const AUDIO_RATE = 48_000;
/** The encoder's own delay: without it the sound would outlast the picture. */
const AUDIO_TAIL = 2112;

/** An H.264 (and AAC) mp4 of exactly this size and length: one second is encoded and repeated, the sound is made for the whole length. */
export async function makeVideo(spec: VideoSpec): Promise<Uint8Array> {
  const second = await encodeSecond(spec);
  using input = new Input({ source: new BufferSource(second), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (track === null || decoderConfig === null || decoderConfig === undefined)
    throw new Error('the encoder made no video');
  const packets = new EncodedPacketSink(track).packets(undefined, undefined, { verifyKeyPackets: true });
  const loop: EncodedPacket[] = [];
  for await (const packet of packets) loop.push(packet);

  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const video = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(video, { frameRate: VIDEO_FPS });
  const audio = spec.audio ? soundTrack(output) : undefined;
  await output.start();
  const frames = Math.max(1, Math.round(spec.seconds * VIDEO_FPS));
  for (let frame = 0; frame < frames; frame += 1) {
    const packet = loop[frame % loop.length];
    if (packet === undefined) throw new Error('the encoder made no frames');
    const timing = { timestamp: frame / VIDEO_FPS, duration: 1 / VIDEO_FPS };
    await video.add(packet.clone(timing), { decoderConfig });
  }
  video.close();
  if (audio !== undefined) await playTune(audio, spec);
  await output.finalize();
  if (target.buffer === null) throw new Error('the file was not written');
  return new Uint8Array(target.buffer);
}

function soundTrack(output: Output): AudioSampleSource {
  const audio = aacSource();
  output.addAudioTrack(audio);
  return audio;
}

/** One second of frames: the picture of the prompt, with a light that circles once in that second. */
async function encodeSecond(spec: VideoSpec): Promise<Uint8Array> {
  const width = even(spec.width);
  const height = even(spec.height);
  const encoder = await encoders.createH264MP4Encoder();
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = VIDEO_FPS;
  encoder.groupOfPictures = VIDEO_FPS;
  encoder.quantizationParameter = 30;
  encoder.speed = 10;
  encoder.initialize();
  const still = planesOf(paint(width, height, spec.text, spec.seed).rgb, width, height);
  const frames = Math.min(VIDEO_FPS, Math.max(1, Math.round(spec.seconds * VIDEO_FPS)));
  for (let frame = 0; frame < frames; frame += 1) {
    const planes = still.slice();
    light(planes, width, height, frame / VIDEO_FPS);
    encoder.addFrameYuv(planes);
  }
  encoder.finalize();
  const bytes = encoder.FS.readFile(encoder.outputFilename).slice();
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return bytes;
}

/** The three planes of a picture, colour at half size (I420, BT.601). */
function planesOf(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const pixels = width * height;
  const planes = new Uint8Array(pixels + pixels / 2);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 3;
      const red = rgb[at] ?? 0;
      const green = rgb[at + 1] ?? 0;
      const blue = rgb[at + 2] ?? 0;
      planes[y * width + x] = 16 + ((66 * red + 129 * green + 25 * blue) >> 8);
      if (((x | y) & 1) === 0) {
        const chroma = (y >> 1) * (width >> 1) + (x >> 1);
        planes[pixels + chroma] = 128 + ((-38 * red - 74 * green + 112 * blue) >> 8);
        planes[pixels + (pixels >> 2) + chroma] = 128 + ((112 * red - 94 * green - 18 * blue) >> 8);
      }
    }
  }
  return planes;
}

function light(planes: Uint8Array, width: number, height: number, turn: number): void {
  const radius = Math.max(3, Math.min(width, height) * 0.06);
  const x = width / 2 + Math.cos(turn * 2 * Math.PI) * width * 0.32;
  const y = height * 0.3 + Math.sin(turn * 2 * Math.PI) * height * 0.18;
  for (let row = Math.max(0, Math.ceil(y - radius)); row < Math.min(height, y + radius); row += 1) {
    const half = Math.sqrt(Math.max(0, radius ** 2 - (row - y) ** 2));
    planes.fill(
      235,
      row * width + Math.max(0, Math.ceil(x - half)),
      row * width + Math.min(width, Math.floor(x + half)),
    );
  }
}

/** A quiet tune of its own for every seed: half a second a note, from a pentatonic scale. */
async function playTune(audio: AudioSampleSource, spec: VideoSpec): Promise<void> {
  const roll = random(spec.seed);
  const samples = Math.max(AUDIO_RATE / 10, Math.round(spec.seconds * AUDIO_RATE) - AUDIO_TAIL);
  const scale = [0, 2, 4, 7, 9, 12];
  const root = 196 * 2 ** (Math.floor(roll() * 6) / 12);
  const noteLength = AUDIO_RATE / 2;
  for (let start = 0; start < samples; start += noteLength) {
    const note = new Float32Array(Math.min(noteLength, samples - start));
    const pitch = root * 2 ** ((scale[Math.floor(roll() * scale.length)] ?? 0) / 12);
    for (let at = 0; at < note.length; at += 1) {
      const envelope =
        Math.min(1, at / 480) * Math.exp(-at / (noteLength * 0.6)) * Math.min(1, (note.length - at) / 480);
      note[at] = 0.3 * envelope * Math.sin((2 * Math.PI * pitch * at) / AUDIO_RATE);
    }
    const sample = new AudioSample({
      data: note,
      format: 'f32',
      numberOfChannels: 1,
      sampleRate: AUDIO_RATE,
      timestamp: start / AUDIO_RATE,
    });
    await audio.add(sample);
    sample.close();
  }
  audio.close();
}

function even(side: number): number {
  return Math.max(16, side - (side % 2));
}
