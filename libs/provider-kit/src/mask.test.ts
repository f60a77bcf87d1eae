import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { maskIn, readPicture } from './mask.ts';

const place = { url: 'data:image/png;base64,', param: 'mask' };
const [WIDTH, HEIGHT] = [37, 21];

/** Transparent in the left third. */
function pixels(channels: 2 | 4): Buffer {
  const raw = Buffer.alloc(WIDTH * HEIGHT * channels);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    for (let sample = 0; sample < channels - 1; sample += 1) raw[at * channels + sample] = (at * 7 + sample) % 256;
    raw[at * channels + channels - 1] = at % WIDTH < WIDTH / 3 ? 0 : 255;
  }
  return raw;
}

const png = async (channels: 2 | 4, filters = true) =>
  sharp(pixels(channels), { raw: { width: WIDTH, height: HEIGHT, channels } })
    .png({ adaptiveFiltering: filters })
    .toBuffer();

const greysOf = async (bytes: Uint8Array) => {
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([WIDTH, HEIGHT, 1]);
  return data;
};

describe('a mask that is transparent where the picture is to change', () => {
  it.each([
    ['white', 4, true],
    ['black', 4, true],
    ['white', 4, false],
    ['black', 2, true],
  ] as const)('is %s there, from %i samples a pixel, filtered: %s', async (changed, channels, filters) => {
    const made = await maskIn(place, { bytes: await png(channels, filters), mime: 'image/png' }, changed);
    const greys = await greysOf(made.bytes);
    const inside = changed === 'white' ? 255 : 0;
    const expected = Array.from(greys, (_, at) => (at % WIDTH < WIDTH / 3 ? inside : 255 - inside));
    expect(Array.from(greys)).toEqual(expected);
  });

  it('has 16 bits', async () => {
    const bytes = await sharp(pixels(4), { raw: { width: WIDTH, height: HEIGHT, channels: 4 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer();
    expect(bytes[24]).toBe(16);
    const greys = await greysOf((await maskIn(place, { bytes, mime: 'image/png' }, 'white')).bytes);
    expect([greys[0], greys[WIDTH - 1]]).toEqual([255, 0]);
  });
});

describe('what is no such mask', () => {
  it('is sent as it came', async () => {
    const opaque = await opaqueOf(await png(4));
    const jpeg = await sharp(opaque).jpeg().toBuffer();
    const palette = withChunk(await paletteOf(opaque), 'tRNS', Buffer.from([255, 255]));
    for (const given of [
      { bytes: opaque, mime: 'image/png' },
      { bytes: palette, mime: 'image/png' },
      { bytes: jpeg, mime: 'image/jpeg' },
    ])
      expect(await maskIn(place, given, 'black')).toEqual(given);
  });

  const refused = { code: 'invalid_request', details: { param: 'mask' } };
  it.each([
    [
      'an interlaced one',
      async () =>
        sharp(await png(4))
          .png({ progressive: true })
          .toBuffer(),
    ],
    ['one whose palette is transparent', async () => paletteOf(await png(4))],
    ['one whose black is transparent', async () => withChunk(await opaqueOf(await png(4)), 'tRNS', Buffer.alloc(6))],
    ['one that is cut', async () => (await png(4)).subarray(0, 120)],
    ['one of too many pixels', async () => sized(await png(4), 30_000, 30_000)],
    ['one that is too wide', async () => sized(await png(4), 20_000, 1)],
    ['one without rows', async () => sized(await png(4), WIDTH, HEIGHT + 1)],
  ])('refuses %s', async (_, made) => {
    await expect(maskIn(place, { bytes: await made(), mime: 'image/png' }, 'white')).rejects.toMatchObject(refused);
  });

  it('stops reading where the picture ends', async () => {
    const whole = await png(4);
    const bomb = deflateSync(Buffer.alloc(300 * 1024 * 1024));
    const at = whole.indexOf('IDAT') - 4;
    const head = Buffer.alloc(8);
    head.writeUInt32BE(bomb.byteLength, 0);
    head.write('IDAT', 4, 'latin1');
    const bytes = Buffer.concat([whole.subarray(0, at), head, bomb, Buffer.alloc(4)]);
    // Time of the CPU, which a busy machine does not make longer.
    const since = process.cpuUsage();
    const greys = await greysOf((await maskIn(place, { bytes, mime: 'image/png' }, 'white')).bytes);
    expect(new Set(greys)).toEqual(new Set([255]));
    expect(process.cpuUsage(since).user / 1_000).toBeLessThan(500);
  });
});

it('reads files, and refuses those that are too large before it opens them', async () => {
  const nobody = { fetchMedia: () => Promise.reject(new Error('not asked')) };
  const file = (size: number) => ({
    filename: 'a.png',
    mime: 'image/png',
    size,
    param: 'image',
    open: async function* () {
      yield Buffer.from('AB');
      yield Buffer.from('C');
    },
  });
  const limits = { maxBytes: 3, types: ['image/png'] };
  expect(await readPicture(file(3), nobody, limits)).toEqual({ mime: 'image/png', bytes: Buffer.from('ABC') });
  await expect(readPicture(file(4), nobody, limits)).rejects.toMatchObject({ details: { param: 'image' } });
});

const opaqueOf = (picture: Buffer): Promise<Buffer> => sharp(picture).removeAlpha().png().toBuffer();

async function paletteOf(picture: Buffer): Promise<Buffer> {
  const made = await sharp(picture).png({ palette: true }).toBuffer();
  expect(made[25]).toBe(3);
  return made;
}

/** The picture with a chunk before its pixels. */
function withChunk(picture: Buffer, name: string, data: Buffer): Buffer {
  const at = picture.indexOf('IDAT') - 4;
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.byteLength, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([picture.subarray(0, at), head, data, Buffer.alloc(4), picture.subarray(at)]);
}

function sized(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  return changed;
}
