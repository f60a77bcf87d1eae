import { describe, expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { videoRow } from '../../tasks/testing/harness.ts';
import type { ModelRow } from '../../catalogue.ts';
import { createVideoPrices, videoUsage } from './video-price.ts';

const prices = createVideoPrices(() => ({
  models: new Map(),
  accounts: [],
  priceVersion: 'v',
  groupFactors: { default: 1 },
  twinOnly: false,
}));
/** What is set aside at a dollar per second. */
const held = (limits: JsonObject, duration: number | undefined): number => {
  const row = { ...videoRow({ code: 'm', videoShape: 'content' }), price: { second: 1 }, limits };
  const input = { ...(duration !== undefined && { duration }) } as VideoCreate;
  return prices.quote(row, input, 'default').amount / 500_000;
};

it.each([
  { name: 'what was asked', limits: { durations: { min: 4, max: 15, default: 5 } }, duration: 7, seconds: 7 },
  { name: 'nothing asked', limits: { durations: { min: 4, max: 15, default: 5 } }, duration: undefined, seconds: 5 },
  { name: 'the model decides', limits: { durations: { min: 4, max: 15, default: 5 } }, duration: -1, seconds: 15 },
  {
    name: 'the model decides of a list',
    limits: { durations: { values: [6, 10], default: 6 } },
    duration: -1,
    seconds: 10,
  },
  { name: 'the model decides within the source', limits: { max_seconds: 30 }, duration: -1, seconds: 30 },
  { name: 'the model decides, and the row knows nothing', limits: {}, duration: -1, seconds: 5 },
])('a hold covers $name: $seconds s', ({ limits, duration, seconds }) => {
  expect(held(limits, duration)).toBe(seconds);
});

describe('a finished film', () => {
  const row = { ...videoRow({ code: 'm', videoShape: 'content' }), price: { second: 1 }, limits: {} };
  const settled = (reported: Usage, input: JsonObject = { duration: 4 }, over: Partial<ModelRow> = {}) =>
    prices.settle({ ...row, ...over }, 'default', reported, input);
  const dollars = ({ charged }: { readonly charged: number }): number => charged / 500_000;

  it.each([
    { name: 'as its vendor reports it', reported: { seconds: 3 }, billed: 3 },
    { name: 'a little longer than was asked for', reported: { seconds: 4.8 }, billed: 4.8 },
    { name: 'as it was asked for, where nothing is reported', reported: {}, billed: 4 },
    { name: 'zero counts as nothing', reported: { seconds: 0 }, billed: 4 },
  ])('$name: $billed s', ({ reported, billed }) => {
    expect(dollars(settled(reported))).toBe(billed);
    expect(settled(reported).isBelieved).toBe(true);
  });

  it.each([4000, 99_999_999, 1e308, Infinity, Number.NaN, -4])(
    'as it was asked for where %d seconds are reported, which the bill keeps',
    (seconds) => {
      const bill = settled({ seconds });
      expect(dollars(bill)).toBe(4);
      expect(bill).toMatchObject({ isBelieved: false, usage: { seconds: 4 }, detail: { reported: { seconds } } });
    },
  );

  it('by its tokens no more than its size and length can have', () => {
    const tokens = { price: { output_tokens: 1 } };
    const asked = { duration: 5, resolution: '720p' };
    const usual = videoUsage({ ...row, ...tokens }, asked).outputTokens ?? 0;
    expect(settled({ outputTokens: Math.floor(usual * 1.2) }, asked, tokens).isBelieved).toBe(true);
    expect(settled({ outputTokens: usual * 1000 }, asked, tokens).usage.outputTokens).toBe(usual);
    // 1080p has 2.27 times the pixels; where nothing is asked for, it is the vendor who decides.
    expect(settled({ outputTokens: usual * 2.2 }, { duration: 5 }, tokens).isBelieved).toBe(true);
    expect(settled({ outputTokens: usual * 2.2 }, asked, tokens).isBelieved).toBe(false);
  });
});

it.each([
  { name: 'a count', input: { extra: { parameters: { sampleCount: 3 } } }, seconds: 12, videos: 3 },
  { name: 'a length by another name', input: { extra: { num_frames: 900 } }, seconds: 15, videos: 1 },
  { name: 'settings in the prompt', input: { prompt: 'a cat --dur 12' }, seconds: 15, videos: 1 },
  {
    name: 'what says nothing of either',
    input: { prompt: 'a cat -- grey', extra: { seed: 99 } },
    seconds: 4,
    videos: 1,
  },
])('$name is set aside for: $videos of $seconds s together', ({ input, seconds, videos }) => {
  const row = { ...videoRow({ code: 'm', videoShape: 'content' }), price: { second: 1 }, limits: { max_seconds: 15 } };
  expect(videoUsage(row, { duration: 4, ...input })).toEqual({ videos, seconds });
});
