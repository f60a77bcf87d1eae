/** What an edit’s mask says to each vendor: the same place, in that vendor’s colours. */
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { FormPart, Upstream, UpstreamRequest, VendorAdapter } from '@model-gateway/provider-kit';
import { imageCreate } from '@model-gateway/testing';
import { ideogram } from './ideogram/ideogram.ts';
import { recraft } from './recraft/recraft.ts';
import { stability } from './stability/stability.ts';

const SIDE = 256;
const file = (bytes: Buffer, param: string) => ({
  filename: `${param}.png`,
  mime: 'image/png',
  size: bytes.byteLength,
  param,
  open: async function* () {
    yield bytes;
  },
});
/** Transparent in its upper half. */
const halfTransparent = async () => {
  const rgba = Buffer.alloc(SIDE * SIDE * 4, 255).fill(0, 0, (SIDE * SIDE * 4) / 2);
  return sharp(rgba, { raw: { width: SIDE, height: SIDE, channels: 4 } })
    .png()
    .toBuffer();
};

it.each<[string, VendorAdapter, string, string, number]>([
  ['Stability', stability, 'inpaint', 'edit/inpaint', 255],
  ['Ideogram', ideogram, 'ideogram-v3', 'inpaint', 0],
  ['Recraft', recraft, 'recraftv3', 'inpaint', 255],
])('%s', async (_, adapter, model, path, changed) => {
  const sent: UpstreamRequest[] = [];
  const upstream = {
    model,
    quirks: {},
    send: async (request: UpstreamRequest) => {
      sent.push(request);
      return Promise.reject(new Error('sent'));
    },
  } as unknown as Upstream;
  const bytes = await halfTransparent();
  const input = imageCreate({ shape: 'edit', images: [file(bytes, 'image')], mask: file(bytes, 'mask') });
  await expect(adapter.images?.generate(input, upstream)).rejects.toThrow('sent');
  expect(sent[0]?.path).toMatch(new RegExp(`${path}$`));
  expect(await bytesOf(sent[0]?.form, 'image')).toEqual(bytes);
  const { data, info } = await sharp(await bytesOf(sent[0]?.form, 'mask'))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([SIDE, SIDE]);
  expect([data[0], data.at(-1)]).toEqual([changed, 255 - changed]);
});

async function bytesOf(form: readonly FormPart[] = [], name: string): Promise<Buffer> {
  const part = form.find((each) => each.name === name);
  if (part === undefined || 'value' in part) throw new Error(`no file ${name}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of part.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}
