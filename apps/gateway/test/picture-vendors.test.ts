/** Vendors whose pictures are asked for in forms of their own: drawn, changed, withheld and paid for through OpenAI's API. */
import { imageSize } from 'image-size';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { errorOf, useGateway } from './whole-answers.ts';

const { gateway, post } = useGateway({ twinOptions: { media: 'real' } });
const client = () => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().liveKey, maxRetries: 0 });
const PROMPT = 'a lighthouse at dusk';

interface Drawing {
  readonly model: string;
  readonly ask: JsonObject;
  readonly size: string;
  readonly dropped?: string;
  readonly dollars: number;
}

const DRAWN: readonly Drawing[] = [
  { model: 'stable-image-core', ask: { size: '1536x1536', seed: 7 }, size: '1536x1536', dollars: 0.03 },
  { model: 'stable-image-ultra', ask: { size: '1920x1080' }, size: '1344x768', dropped: 'size', dollars: 0.08 },
  { model: 'sd3.5-medium', ask: { n: 2, output_format: 'jpeg', seed: 5 }, size: '1024x1024', dollars: 0.07 },
  { model: 'ideogram-3-turbo', ask: { size: '832x1216', n: 2, seed: 3 }, size: '832x1216', dollars: 0.06 },
  { model: 'ideogram-4', ask: { size: '2k', seed: 3 }, size: '2048x2048', dropped: 'seed', dollars: 0.06 },
  { model: 'bedrock/stable-image-core', ask: { size: '1536x1536', n: 2, seed: 1 }, size: '1536x1536', dollars: 0.08 },
  { model: 'recraft-v4.1', ask: { size: '1344x768', n: 2, style: 'any' }, size: '1344x768', dollars: 0.07 },
];

describe('drawn from a text', () => {
  it.each(DRAWN)('$model $ask', async ({ model, ask, size, dropped, dollars }) => {
    const reply = await post('/v1/images/generations', { model, prompt: PROMPT, response_format: 'b64_json', ...ask });
    const pictures = (reply.json['data'] as { b64_json: string }[]).map((each) => Buffer.from(each.b64_json, 'base64'));
    expect(pictures).toHaveLength(Number(ask['n'] ?? 1));
    expect(new Set(pictures.map((each) => each.toString('base64'))).size).toBe(pictures.length);
    for (const picture of pictures) {
      const { width, height, type } = imageSize(picture);
      expect(`${width}x${height}`).toBe(size);
      if (ask['output_format'] !== undefined) expect(type).toBe('jpg');
    }
    expect(reply.headers.get('x-gateway-dropped')).toBe(dropped ?? null);
    expect(Number(reply.headers.get('x-gateway-cost'))).toBeCloseTo(dollars, 6);
  });

  it('and given by a link', async () => {
    for (const model of ['sd3.5-flash', 'ideogram-3', 'recraft-v3']) {
      const { json } = await post('/v1/images/generations', { model, prompt: PROMPT });
      const [{ url }] = json['data'] as [{ url: string }];
      const picture = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(imageSize(picture)).toMatchObject({ width: 1024, height: 1024 });
    }
  });

  it('in Google’s form, by a ratio', async () => {
    const body = { instances: [{ prompt: PROMPT }], parameters: { aspectRatio: '16:9' } };
    const { json, headers } = await post('/v1beta/models/stable-image-ultra:predict', body);
    const [{ bytesBase64Encoded }] = json['predictions'] as [{ bytesBase64Encoded: string }];
    expect(imageSize(Buffer.from(bytesBase64Encoded, 'base64'))).toMatchObject({ width: 1344, height: 768 });
    expect(headers.get('x-gateway-dropped')).toBeNull();
  });
});

describe('changed where a mask is transparent', () => {
  it.each(['stable-image-inpaint', 'ideogram-3', 'recraft-v3'])('%s', async (model) => {
    const plain = {
      create: { width: 320, height: 256, channels: 4, background: { r: 9, g: 90, b: 200, alpha: 1 } },
    } as const;
    const png = async (alpha: number) =>
      toFile(
        await sharp({ create: { ...plain.create, background: { ...plain.create.background, alpha } } })
          .png()
          .toBuffer(),
        'picture.png',
        { type: 'image/png' },
      );
    const edited = await client()
      .images.edit({ model, prompt: PROMPT, image: await png(1), mask: await png(0), response_format: 'b64_json' })
      .withResponse();
    const [picture] = edited.data.data ?? [];
    expect(imageSize(Buffer.from(picture?.b64_json ?? '', 'base64'))).toMatchObject({ width: 320, height: 256 });
    expect(edited.response.headers.get('x-gateway-dropped')).toBeNull();
  });
});

describe('withheld', () => {
  it.each(['stable-image-core', 'sd3.5-large', 'ideogram-3', 'ideogram-4', 'recraft-v3', 'bedrock/sd3.5-large'])(
    '%s: before and after it was drawn',
    async (model) => {
      for (const mark of ['[[twin:refuse]]', '[[twin:moderation]]']) {
        const reply = await post('/v1/images/generations', { model, prompt: `${PROMPT} ${mark}` });
        expect([reply.status, errorOf(reply)['code']]).toEqual([400, 'content_filter']);
      }
    },
  );
});

it('a withheld picture among others keeps its place, and is paid for as the vendor bills it', async () => {
  const body = { model: 'ideogram-3', prompt: `${PROMPT} [[twin:withhold]]`, n: 3 };
  const { json, headers } = await post('/v1/images/generations', body);
  expect(json['data']).toMatchObject([{ error: {} }, { url: expect.any(String) }, { url: expect.any(String) }]);
  expect(Number(headers.get('x-gateway-cost'))).toBeCloseTo(0.18, 6);
});

it.each([
  ['stable-image-core', 'image'],
  ['stable-image-ultra', 'mask'],
  ['ideogram-4', 'image'],
  ['recraft-v4.1', 'mask'],
])('what %s does not take is refused before anybody is asked: %s', async (model, param) => {
  const before = gateway().twin.requests.last()?.body;
  const image = { image_url: 'data:image/png;base64,iVBORw0KGgo=' };
  const reply = await post('/v1/images/edits', {
    model,
    prompt: PROMPT,
    images: [image],
    ...(param === 'mask' && { mask: image }),
  });
  expect([reply.status, String(errorOf(reply)['message'])]).toEqual([400, expect.stringContaining(param)]);
  expect(gateway().twin.requests.last()?.body).toBe(before);
});
