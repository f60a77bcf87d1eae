/** What of a caller's picture a row allows: the price of a picture holds within its bounds. */
import { describe, expect, it } from 'vitest';
import { pictureRow } from '../../paid/testing/harness.ts';
import { decodeImageBody } from './image-body.ts';

const read = (size: string, limits: Record<string, number | string[]>) =>
  decodeImageBody({ model: 'm', prompt: 'a kite', size }, { ...pictureRow(1), limits }).size;

describe('sizes within the pixels of a row', () => {
  const bounds = { min_pixels: 512 * 512 + 1, max_pixels: 1024 * 1024 };

  it.each(['4k', '2K', '1.5k', '2048', '2048x2048', '1025*1024', ' 2048x2048', '2048 × 2048'])('not %s', (size) => {
    expect(() => read(size, bounds)).toThrow(/this model makes at most 1048576/);
  });
  it.each(['512', '0.5k', '512x512'])('nor %s', (size) => {
    expect(() => read(size, bounds)).toThrow(/this model makes at least 262145/);
  });
  it.each(['1k', '1024', '1024x1024', 'auto', 'square_hd', '16:9'])('but %s', (size) => {
    expect(read(size, bounds)).toBe(size);
  });
  it('and a class that the row lists, in any letters', () => {
    expect(read('4k', { ...bounds, sizes: ['4K'] })).toBe('4k');
    expect(() => read('2k', { ...bounds, sizes: ['4K'] })).toThrow(/takes 4K/);
  });
});
