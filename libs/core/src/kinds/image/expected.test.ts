/** What pictures use at most. */
import { expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Price } from '../../catalogue.ts';
import { mostOfImages, usageOfImages, type ImagesAsked } from './expected.ts';

const row = { limits: {} };
const asked = (more: Partial<ImagesAsked>): ImagesAsked => ({ prompt: 'a', images: [], extra: {}, ...more });
const group = (options?: JsonObject): JsonObject => ({
  sequential_image_generation: 'auto',
  ...(options !== undefined && { sequential_image_generation_options: options }),
});

it.each<{ name: string; input: Partial<ImagesAsked>; images: number }>([
  { name: 'one', input: {}, images: 1 },
  { name: 'those asked for', input: { count: 4 }, images: 4 },
  { name: 'of a group the most that there can be', input: { extra: group() }, images: 15 },
  { name: 'of a group the most that it may have', input: { extra: group({ max_images: 3 }) }, images: 3 },
  { name: 'of a group never more than there can be', input: { extra: group({ max_images: 999 }) }, images: 15 },
  { name: 'of a group whose bound is no number', input: { count: 2, extra: group({ max_images: '14' }) }, images: 15 },
  { name: 'of a group the count where that is its bound', input: { count: 4, extra: group() }, images: 4 },
  { name: 'without a group', input: { extra: { sequential_image_generation: 'disabled' } }, images: 1 },
])('$name: $images', ({ input, images }) => {
  expect(mostOfImages(asked(input), row).images).toBe(images);
});

it('tokens are those of the row’s limits where it has them, of sources and masks, and of drafts', () => {
  const source = { url: 'https://a/b', param: 'image' };
  const limits = { max_output_tokens: 500, max_image_tokens: 100 };
  const input = asked({ prompt: '漢字', images: [source], mask: source, count: 2, partialImages: 3 });
  expect(mostOfImages(input, { limits })).toEqual({
    images: 2,
    inputTokens: 6 + 64 + 200,
    inputImageTokens: 200,
    outputTokens: 2 * (500 + 3_000),
  });
});

it('a report is billed, and in its place what was set aside for each that came where it tells nothing that has a price', () => {
  const most = { images: 2, inputTokens: 5, outputTokens: 10 };
  const billed = (reported: Usage, price: Price, pictures = 1): Usage =>
    usageOfImages(reported, { pictures, most, price });
  expect(billed({}, { image: 1 })).toEqual({ images: 1 });
  expect(billed({ images: 2, outputTokens: 3 }, { output: 1 })).toEqual({ images: 2, outputTokens: 3 });
  for (const nothing of [{}, { outputTokens: 0 }, { outputTokens: -7 }])
    expect(billed(nothing, { output: 1 })).toEqual({ images: 1, inputTokens: 5, outputTokens: 5, estimated: true });
  expect(billed({ outputTokens: 0 }, { output: 1 }, 0)).toEqual({ images: 0 });
});
