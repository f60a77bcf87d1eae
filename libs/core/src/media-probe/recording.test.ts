/** How long a recording is: by what is in it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    expect(await measured(wav(12_000))).toEqual({
      bytes: 12_044,
      mime: 'audio/wav',
      format: 'wav',
      seconds: 1.5,
      mostSeconds: 1.5,
    });
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

/** Two seconds each; `fixtures/README.md` says how they were made. */
function fixture(name: string): Buffer {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}

/** Matroska under the name of WebM, which says nothing of the codings inside. */
function asWebm(matroska: Buffer): Buffer {
  const name = Buffer.from('\x42\x82\x88matroska', 'latin1');
  const at = matroska.indexOf(name);
  const other = Buffer.from('\x42\x82\x84webm\xec\x82\0\0', 'latin1');
  return Buffer.concat([matroska.subarray(0, at), other, matroska.subarray(at + name.length)]);
}

/** The bytes with others in place of those behind a word. */
function patched(bytes: Buffer, word: string, offset: number, by: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  by.copy(copy, copy.indexOf(word, 0, 'latin1') + offset);
  return copy;
}

/** Every block of Matroska at the time 0 of its cluster, and every cluster at that of the file: a liar's table of times. */
function timeless(webm: Buffer): Buffer {
  const copy = Buffer.from(webm);
  const cluster = copy.indexOf(Buffer.from('1f43b675', 'hex'));
  for (let at = copy.indexOf(0xa3, cluster); at >= 0; at = copy.indexOf(0xa3, at + 1)) {
    const first = copy[at + 1] ?? 0;
    const width = first >= 0x80 ? 1 : first >= 0x40 ? 2 : 0;
    if (width === 0 || copy[at + 1 + width] !== 0x81) continue;
    copy.writeUInt16BE(0, at + 2 + width);
  }
  const duration = copy.indexOf(Buffer.from('4489', 'hex'));
  if (duration > 0 && duration < cluster) copy.fill(0, duration + 3, duration + 3 + ((copy[duration + 2] ?? 0) & 15));
  return copy;
}

const word = (value: number, bytes = 4): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};

describe('every coding', () => {
  it.each([
    ...[
      'aac.m4a',
      'alac.m4a',
      'flac.flac',
      'flac.ogg',
      'opus.ogg',
      'speex.ogg',
      'vorbis.ogg',
      'opus.webm',
      'vorbis.webm',
    ],
    ...['gsm.wav', 'ima-adpcm.wav', 'ms-adpcm.wav', 'mpeg.mp3', 'mpeg.mpg'],
  ])('%s lasts two seconds', async (name) => {
    const found = await measured(fixture(name));
    expect(found).not.toHaveProperty('broken');
    expect(Math.abs((found.seconds ?? 0) - 2)).toBeLessThan(0.15);
  });
  it.each(['ac3.mkv', 'flac.mkv', 'mpeg.mkv', 'pcm.mkv'])('%s lasts two seconds', async (name) => {
    const { seconds = 0, format } = await measured(asWebm(fixture(name)));
    expect(format).toBe('webm');
    expect(Math.abs(seconds - 2)).toBeLessThan(0.15);
  });
});

describe('a file that says less than it has', () => {
  it.each([
    { name: 'a WAV with a short chunk', bytes: () => patched(wav(16_000), 'data', 4, word(800)) },
    { name: 'a WAV with large blocks', bytes: () => patched(wav(16_000), 'fmt ', 20, word(8000, 2)) },
    {
      name: 'an MP3 with a table of one frame',
      bytes: () => patched(fixture('mpeg.mp3'), 'Info', 8, Buffer.from([0, 0, 0, 1])),
    },
    {
      name: 'a FLAC of a few samples',
      bytes: () => patched(fixture('flac.flac'), 'fLaC', 4 + 4 + 14, Buffer.from([0, 0, 1, 0])),
    },
    { name: 'Vorbis in WebM without times', bytes: () => timeless(fixture('vorbis.webm')) },
    { name: 'Opus in WebM without times', bytes: () => timeless(fixture('opus.webm')) },
    { name: 'PCM in Matroska without times', bytes: () => timeless(asWebm(fixture('pcm.mkv'))) },
    { name: 'FLAC in Matroska without times', bytes: () => timeless(asWebm(fixture('flac.mkv'))) },
    { name: 'MP3 in Matroska without times', bytes: () => timeless(asWebm(fixture('mpeg.mkv'))) },
    { name: 'AC-3 in Matroska without times', bytes: () => timeless(asWebm(fixture('ac3.mkv'))) },
  ])('$name lasts as long as its sound', async ({ bytes }) => {
    const { seconds = 0 } = await measured(bytes());
    expect(Math.abs(seconds - 2)).toBeLessThan(0.15);
  });

  it.each(['vorbis.ogg', 'opus.ogg', 'flac.ogg', 'speex.ogg', 'mpeg.mp3', 'flac.flac', 'opus.webm', 'vorbis.webm'])(
    'five times %s is five times as long',
    async (name) => {
      const { seconds = 0 } = await measured(Buffer.concat(Array.from({ length: 5 }, () => fixture(name))));
      expect(Math.abs(seconds - 10)).toBeLessThan(0.6);
    },
  );

  it('links of several codings are added', async () => {
    const { seconds = 0 } = await measured(
      Buffer.concat([fixture('vorbis.ogg'), fixture('flac.ogg'), fixture('opus.ogg')]),
    );
    expect(Math.abs(seconds - 6)).toBeLessThan(0.3);
  });

  it('what follows the sound of a WAV as chunks of its own is none', async () => {
    const list = Buffer.concat([Buffer.from('LIST'), word(4000), Buffer.from('INFO'), Buffer.alloc(3996)]);
    expect(await measured(Buffer.concat([wav(16_000), list]))).toMatchObject({
      seconds: 2,
      mostSeconds: expect.closeTo(2.5, 1),
    });
  });
});

describe('what cannot be used', () => {
  it('a WAV in a coding that is not known says which', async () => {
    expect(await measured(patched(wav(16_000), 'fmt ', 8, word(0x161, 2)))).toMatchObject({
      broken: 'has sound in a coding that cannot be measured (WAV format 0x161)',
    });
  });

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
