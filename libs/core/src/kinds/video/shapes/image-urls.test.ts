import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { LINK, read, refusal } from './testing/bodies.ts';

describe('image-urls (family C)', () => {
  it.each([
    { count: 0, roles: [] },
    { count: 1, roles: ['first_frame'] },
    { count: 2, roles: ['first_frame', 'last_frame'] },
    { count: 3, roles: ['reference', 'reference', 'reference'] },
  ])('$count images', ({ count, roles }) => {
    const imageUrls = Array.from({ length: count }, () => LINK);
    const { draft } = read('image-urls', { prompt: 'Waves', imageUrls, aspect_ratio: '16:9', resolution: '1080p' });
    expect(draft.images.map(({ role }) => role)).toEqual(roles);
    expect(draft).toMatchObject({ prompt: 'Waves', ratio: '16:9', resolution: '1080p', extra: {} });
  });

  it('takes either spelling, and the generation type', () => {
    const { draft } = read('image-urls', {
      prompt: 'x',
      image_urls: [LINK],
      aspectRatio: '9:16',
      generationType: 'REFERENCE_2_VIDEO',
    });
    expect(draft).toMatchObject({ ratio: '9:16', images: [{ role: 'reference', param: 'image_urls[0]' }] });
  });

  it.each<{ name: string; body: JsonObject; param: string }>([
    { name: 'no prompt', body: { imageUrls: [LINK] }, param: 'prompt' },
    { name: 'a prompt that is no text', body: { prompt: 5 }, param: 'prompt' },
    { name: 'images as text', body: { prompt: 'x', imageUrls: LINK }, param: 'imageUrls' },
    { name: 'four images', body: { prompt: 'x', imageUrls: [LINK, LINK, LINK, LINK] }, param: 'imageUrls[3]' },
    { name: 'an image that is no address', body: { prompt: 'x', imageUrls: [7] }, param: 'imageUrls[0]' },
    {
      name: 'images for text to video',
      body: { prompt: 'x', imageUrls: [LINK], generationType: 'TEXT_2_VIDEO' },
      param: 'generationType',
    },
  ])('refuses $name', ({ body, param }) => {
    expect(refusal('image-urls', body).param).toBe(param);
  });
});
