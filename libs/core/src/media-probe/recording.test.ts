/** How long a recording is: by what is in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { measureRecording } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'recording-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function measured(bytes: Uint8Array) {
  const path = join(folder, String(files++));
  writeFileSync(path, bytes);
  return measureRecording(path);
}

const RATE = 44_100;
/** An m4a of so many packets of AAC, each of which says that it lasts so long. */
async function m4a(packets: number, secondsOfEach = 1024 / RATE): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat(), target });
  const source = new EncodedAudioPacketSource('aac');
  output.addAudioTrack(source);
  await output.start();
  const config = {
    codec: 'mp4a.40.2',
    numberOfChannels: 2,
    sampleRate: RATE,
    description: new Uint8Array([0x12, 0x10]),
  };
  for (let at = 0; at < packets; at++)
    await source.add(new EncodedPacket(new Uint8Array(40), 'key', at * secondsOfEach, secondsOfEach), {
      decoderConfig: config,
    });
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0));
}

/** A WebM of so many packets of Opus, 60 ms each, of which each says that it lasts so long. */
async function webm(packets: number, secondsOfEach = 0.06): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const config = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000 };
  // SILK of 20 ms, three of them in a packet.
  const sound = new Uint8Array([(1 << 3) | 3, 3, 0, 0, 0]);
  for (let at = 0; at < packets; at++)
    await source.add(new EncodedPacket(sound, 'key', at * secondsOfEach, secondsOfEach), { decoderConfig: config });
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0));
}

/** A WAV whose head says that it has so many bytes of sound. */
function wav(samples: number, said = samples): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(said, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

describe('length', () => {
  it('of a WAV is that of its samples', async () => {
    expect(await measured(wav(12_000))).toEqual({ bytes: 12_044, mime: 'audio/wav', format: 'wav', seconds: 1.5 });
  });

  it('of one that claims more than it has is that of what it has', async () => {
    expect(await measured(wav(8_000, 80_000_000))).toMatchObject({ seconds: 1 });
    // What a recorder writes that does not know the length yet.
    expect(await measured(wav(8_000, 0xffffffff))).toMatchObject({ seconds: 1 });
  });

  it('of an m4a is that of its packets', async () => {
    expect(await measured(await m4a(431))).toMatchObject({ format: 'mp4', seconds: expect.closeTo(10, 1) });
  });

  it('of one whose table of times says less is that of its packets all the same', async () => {
    expect(await measured(await m4a(431, 0.0001))).toMatchObject({ seconds: expect.closeTo(10, 1) });
  });

  it.each([0.06, 0.001])('of a WebM of Opus is that of its packets, also when they claim %s s', async (claimed) => {
    expect(await measured(await webm(100, claimed))).toMatchObject({ format: 'webm', seconds: expect.closeTo(6, 0) });
  });
});

describe('what cannot be used', () => {
  it('an m4a that is cut', async () => {
    const whole = await m4a(100);
    expect(await measured(whole.subarray(0, whole.length - 50))).toMatchObject({
      broken: expect.stringContaining('cut off'),
    });
  });

  it('an empty file, text and a picture have no format', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('text'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')])
      expect((await measured(bytes)).format).toBeUndefined();
  });
});
