/** Stability's models on Bedrock against the twin (docs/wire/bedrock.md#images). */
import { describe, expect, it } from 'vitest';
import type { ImageCreate } from '@model-gateway/provider-kit';
import { describeImageAdapter, imageCreate, PICTURE } from '@model-gateway/testing';
import { bedrock } from './adapter.ts';
import { fromStability, toStability } from './images.ts';

const picture = { url: `data:image/png;base64,${PICTURE}`, param: 'image' };
const filtered = (reason: string) => ({
  status: 200,
  body: { seeds: [1], finish_reasons: [`Filter reason: ${reason}`], images: [] },
});

describeImageAdapter(bedrock, 'bedrock', {
  model: 'stability.stable-image-ultra-v1:1',
  input: { size: '1024x1024', seed: 3, outputFormat: 'webp', negativePrompt: 'fog' },
  makes: { width: 1024, height: 1024 },
  moderation: filtered('prompt'),
});
describeImageAdapter(bedrock, 'bedrock', {
  model: 'stability.sd3-5-large-v1:0',
  input: { shape: 'edit', images: [picture] },
  makes: { width: 256, height: 256 },
  moderation: filtered('input image'),
});
describeImageAdapter(bedrock, 'bedrock', {
  model: 'us.stability.stable-image-inpaint-v1:0',
  input: { shape: 'edit', images: [picture], mask: { ...picture, param: 'mask' } },
  makes: { width: 256, height: 256 },
  moderation: filtered('output image'),
});

describe('what Stability’s models on Bedrock are asked', () => {
  const CORE = 'stability.stable-image-core-v1:1';
  const SD3 = 'stability.sd3-5-large-v1:0';
  it.each<[string, Partial<ImageCreate>, string, object, readonly string[]]>([
    ['the nearest ratio', { size: '1920x1080' }, CORE, { aspect_ratio: '16:9' }, ['size']],
    ['its square', { size: '1536x1536' }, CORE, { aspect_ratio: '1:1' }, []],
    ['Google’s ratio', { size: '1024x1280', shape: 'predict' }, CORE, { aspect_ratio: '4:5' }, []],
    ['no format that it does not make', { outputFormat: 'webp' }, SD3, { mode: 'text-to-image' }, ['output_format']],
    [
      'the caller’s own members',
      { images: [picture], extra: { strength: 0.1, odd: 1 } },
      SD3,
      { mode: 'image-to-image', strength: 0.1 },
      ['odd'],
    ],
    ['a name of JPEG', { outputFormat: 'jpg' }, CORE, { output_format: 'jpeg' }, []],
    ['what it has no word for', { quality: 'high', user: 'u' }, CORE, {}, ['quality', 'user']],
  ])('%s', (_, given, model, body, dropped) => {
    expect(toStability(imageCreate(given), model)).toEqual({
      body: { prompt: 'A paper boat', output_format: 'png', ...body },
      dropped,
    });
  });

  it.each<[string, Partial<ImageCreate>, string, string]>([
    ['a picture for Core', { images: [picture] }, CORE, 'image'],
    ['a second picture', { images: [picture, { ...picture, param: 'image[1]' }] }, SD3, 'image[1]'],
    ['a mask where none is taken', { images: [picture], mask: { ...picture, param: 'mask' } }, SD3, 'mask'],
    ['inpainting of nothing', {}, 'stability.stable-image-inpaint-v1:0', 'image'],
  ])('refuses %s', (_, given, model, param) => {
    expect(() => toStability(imageCreate(given), model)).toThrow(expect.objectContaining({ details: { param } }));
  });

  it('a failed inference is the vendor’s affair', () => {
    expect(() => fromStability({ finish_reasons: ['Inference error'], images: [] })).toThrow(
      expect.objectContaining({ code: 'upstream_unavailable' }),
    );
  });
});
