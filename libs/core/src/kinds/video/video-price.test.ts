import { describe, expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { videoRow } from '../../tasks/testing/harness.ts';
import type { ModelRow } from '../../catalogue.ts';
import { billOf } from '../../money/price.ts';
import { keptVendorWords } from './video-class.ts';
import { createVideoPrices, videoFactors, videoUsage, type VideoAsked } from './video-price.ts';

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

describe('the class of a video', () => {
  const limits = { resolutions: ['360p', '720P', '1080p'] };
  const price = { second: 1, resolution_factors: { '720p': 2, '1080P': 4 }, audio_factor: 1.5 };
  const of = (over: Partial<ModelRow>) => ({
    ...videoRow({ code: 'm', videoShape: 'prompt' }),
    limits,
    price,
    ...over,
  });
  const factor = (asked: VideoAsked, over: Partial<ModelRow> = {}): number => {
    const { resolution = '', audio = false } = videoFactors(of(over), asked);
    const { units } = billOf({ seconds: 1 }, { ...price, ...over.price }, { group: 1, resolution, audio });
    return units / 500_000;
  };

  it.each<[asked: VideoAsked, factor: number]>([
    [{}, 2],
    [{ resolution: '360P' }, 1],
    [{ resolution: ' 1080p ' }, 4],
    [{ size: '1920x1088' }, 4],
    [{ size: '640*360' }, 1],
    [{ size: '1344x768' }, 2],
    [{ resolution: '2160p' }, 4],
    [{ size: '3840x2160' }, 4],
    [{ size: 'large' }, 4],
    [{ audio: true }, 3],
    [{ extra: { quality: '1080p' } }, 4],
    [{ extra: { quality: 'best' } }, 4],
    [{ extra: { 'parameters.resolution': 1080 } }, 4],
    [{ extra: { output_config: { Resolution: '1080P', AudioGeneration: 'Enabled' } } }, 6],
    [{ resolution: '1080p', extra: { mode: 'std' } }, 4],
    [{ resolution: '360p', extra: { mode: 'pro' } }, 4],
    [{ resolution: '360p', prompt: 'a fox --rs 1080p' }, 4],
    [{ audio: false, extra: { sound: 'on' } }, 3],
    [{ extra: { sound: 'off', font_size: 40, seed: 7 } }, 2],
  ])('%j costs %d times a second', (asked, expected) => {
    expect(factor(asked)).toBe(expected);
  });

  it('of a row without classes is one of its factors, one of its sizes, or the dearest', () => {
    const over = {
      limits: { sizes: ['1280x720', '1792x1024'] },
      price: { second: 1, resolution_factors: { '1080p': 4 } },
    };
    expect(factor({}, over)).toBe(1);
    expect(factor({ resolution: '720p' }, over)).toBe(1);
    expect(factor({ size: '1080x1920' }, over)).toBe(4);
    expect(factor({ resolution: '540p' }, over)).toBe(4);
    expect(factor({ size: '1792x1024' }, { ...over, price: { second: 1, resolution_factors: { '4k': 4 } } })).toBe(1);
  });

  it('without a word for it is what the row says that its vendor makes', () => {
    expect(factor({}, { limits: { ...limits, default_resolution: '1080P' } })).toBe(4);
    expect(factor({}, { limits: { resolutions: ['360p', '1080p'] } })).toBe(1);
  });

  it('is kept with a task that says it elsewhere: its bill is of what was set aside', () => {
    const input = { extra: { mode: 'pro', sound: 'on' }, duration: 2 };
    const bill = prices.settle(
      of({}),
      'default',
      { seconds: 2 },
      { duration: 2, elsewhere: keptVendorWords(input) ?? {} },
    );
    expect(bill.charged).toBe(prices.quote(of({}), { ...input }, 'default').amount);
    expect(bill.charged).toBe(2 * 4 * 1.5 * 500_000);
    expect(keptVendorWords({ extra: { seed: 1 } })).toBeUndefined();
  });
});
