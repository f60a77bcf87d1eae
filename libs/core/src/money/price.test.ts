import { describe, expect, it } from 'vitest';
import { UNITS_PER_DOLLAR, type Usage } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Price } from '../catalogue.ts';
import { billDetail, billOf, totalOf, type BillLine } from './price.ts';

const plain = { group: 1 };
const units = (usage: Usage, price: Price, factors: Parameters<typeof billOf>[2] = plain): number =>
  billOf(usage, price, factors).units;

describe('a bill', () => {
  it.each([
    {
      name: 'input and output',
      usage: { inputTokens: 1_000_000, outputTokens: 1_000_000 },
      price: { input: 1, output: 2 },
      dollars: 3,
    },
    {
      name: 'cached input once, at its own price',
      usage: { inputTokens: 1_000_000, cachedInputTokens: 400_000 },
      price: { input: 10, cached_input: 1 },
      dollars: 6.4,
    },
    {
      name: 'cached input at the input price where it has none',
      usage: { inputTokens: 1_000_000, cachedInputTokens: 400_000 },
      price: { input: 10 },
      dollars: 10,
    },
    {
      name: 'what was written to the cache once',
      usage: { inputTokens: 1_000_000, cachedInputTokens: 200_000, cacheWriteTokens: 300_000 },
      price: { input: 10, cached_input: 1, cache_write: 20 },
      dollars: 5 + 0.2 + 6,
    },
    {
      name: 'no more cached than there is input',
      usage: { inputTokens: 100_000, cachedInputTokens: 900_000 },
      price: { input: 10, cached_input: 1 },
      dollars: 0.1,
    },
    {
      name: 'reasoning once, inside the output',
      usage: { outputTokens: 1_000_000, reasoningTokens: 400_000 },
      price: { output: 10 },
      dollars: 10,
    },
    {
      name: 'reasoning at its own price',
      usage: { outputTokens: 1_000_000, reasoningTokens: 400_000 },
      price: { output: 10, reasoning: 20 },
      dollars: 14,
    },
    {
      name: 'sound and pictures inside the tokens',
      usage: {
        inputTokens: 1_000_000,
        inputAudioTokens: 100_000,
        inputImageTokens: 200_000,
        outputTokens: 1_000_000,
        outputAudioTokens: 100_000,
        outputImageTokens: 200_000,
      },
      price: { input: 1, input_audio: 10, input_image: 5, output: 2, output_audio: 20, output_image: 10 },
      dollars: 0.7 + 1 + 1 + 1.4 + 2 + 2,
    },
    {
      name: 'cached sound and cached pictures at prices of their own, and the rest of them as fresh',
      usage: {
        ...{ inputTokens: 1_000_000, inputAudioTokens: 500_000, inputImageTokens: 200_000 },
        ...{ cachedInputTokens: 600_000, cachedInputAudioTokens: 400_000, cachedInputImageTokens: 100_000 },
      },
      price: {
        ...{ input: 1, input_audio: 10, input_image: 5 },
        ...{ cached_input: 0.5, cached_input_audio: 2, cached_input_image: 3 },
      },
      // Text: 200k fresh, 100k cached. Sound: 100k and 400k. Pictures: 100k and 100k.
      dollars: 0.2 + 0.05 + 1 + 0.8 + 0.5 + 0.3,
    },
    {
      name: 'cached sound as cached input where it has no price',
      usage: {
        inputTokens: 1_000_000,
        inputAudioTokens: 1_000_000,
        cachedInputTokens: 1_000_000,
        cachedInputAudioTokens: 1_000_000,
      },
      price: { input: 1, input_audio: 10, cached_input: 0.5 },
      dollars: 0.5,
    },
    { name: 'pictures', usage: { images: 3 }, price: { image: 0.04 }, dollars: 0.12 },
    { name: 'seconds, fractions of them too', usage: { seconds: 2.5 }, price: { second: 0.1 }, dollars: 0.25 },
    { name: 'characters', usage: { characters: 500_000 }, price: { character: 15 }, dollars: 7.5 },
    {
      name: 'searches beside tokens',
      usage: { inputTokens: 1_000_000, webSearches: 2 },
      price: { input: 1, web_search: 0.01 },
      dollars: 1.02,
    },
    {
      name: 'an explicit zero is zero',
      usage: { inputTokens: 0, outputTokens: 0 },
      price: { input: 1, output: 2 },
      dollars: 0,
    },
    { name: 'nothing for what has no price', usage: { images: 5, inputTokens: 9 }, price: { output: 2 }, dollars: 0 },
  ])('$name', ({ usage, price, dollars }) => {
    expect(units(usage, price)).toBe(Math.round(dollars * UNITS_PER_DOLLAR));
  });

  it('multiplies resolution, sound and group', () => {
    const price = { second: 0.1, resolution_factors: { '1080p': 2 }, audio_factor: 1.5 };
    const factors = { group: 0.5, resolution: '1080p', audio: true };
    expect(units({ seconds: 10 }, price, factors)).toBe(10 * 0.1 * 2 * 1.5 * 0.5 * UNITS_PER_DOLLAR);
    expect(units({ seconds: 10 }, price, { group: 1, resolution: '720p', audio: false })).toBe(UNITS_PER_DOLLAR);
  });

  it('is rounded half up, once over all lines', () => {
    // One token at 1 dollar a million is half a unit.
    expect(units({ inputTokens: 1 }, { input: 1 })).toBe(1);
    expect(units({ inputTokens: 1, outputTokens: 1 }, { input: 0.5, output: 0.5 })).toBe(1);
    expect(units({ inputTokens: 1 }, { input: 0.999999 })).toBe(0);
    expect(units({ inputTokens: 3, outputTokens: 3 }, { input: 0.5, output: 0.49 })).toBe(1);
  });
});

const tokens = fc.nat({ max: 5_000_000 });
const usage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: tokens,
    cachedInputTokens: tokens,
    cacheWriteTokens: tokens,
    inputAudioTokens: tokens,
    outputTokens: tokens,
    reasoningTokens: tokens,
    outputImageTokens: tokens,
    images: fc.nat(20),
    seconds: fc.nat(60_000).map((milliseconds) => milliseconds / 1000),
    characters: tokens,
  },
  { requiredKeys: [] },
);
const dollars = fc.nat(200_000_000).map((millionths) => millionths / 1_000_000);
const price: fc.Arbitrary<Price> = fc.record(
  {
    input: dollars,
    cached_input: dollars,
    cache_write: dollars,
    input_audio: dollars,
    output: dollars,
    reasoning: dollars,
    output_image: dollars,
    image: dollars,
    second: dollars,
    character: dollars,
  },
  { requiredKeys: [] },
);
const group = fc.constantFrom(1, 1, 0.5, 1.25, 0);

describe('any bill', () => {
  it('is what its stored detail comes to', () => {
    fc.assert(
      fc.property(usage, price, group, (used, prices, factor) => {
        const bill = billOf(used, prices, { group: factor });
        const kept = JSON.parse(JSON.stringify(billDetail(bill, used))) as { lines: BillLine[]; group_factor: number };
        expect(totalOf(kept.lines, kept.group_factor).units).toBe(bill.units);
        expect(Number.isSafeInteger(bill.units) && bill.units >= 0).toBe(true);
      }),
    );
  });

  it('prices every token once', () => {
    fc.assert(
      fc.property(usage, price, (used, prices) => {
        const { lines } = billOf(used, { ...prices, input: prices.input ?? 1, output: prices.output ?? 1 }, plain);
        const count = (...items: string[]): number =>
          lines.reduce((sum, { item, quantity }) => sum + (items.includes(item) ? quantity : 0), 0);
        expect(count('input', 'cached_input', 'cache_write', 'input_audio')).toBe(used.inputTokens ?? 0);
        expect(count('output', 'reasoning', 'output_image')).toBe(used.outputTokens ?? 0);
      }),
    );
  });

  it('comes to the same in doubles as in exact numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ quantity: tokens, price: dollars }), { maxLength: 5 }), (rows) => {
        const lines = rows.map((row): BillLine => ({ item: 'input', ...row, per: 1_000_000, factor: 1 }));
        // A line that costs nothing but has a factor keeps the quick way out.
        const exact: BillLine[] = [...lines, { item: 'second', quantity: 0, price: 1, per: 1, factor: 2 }];
        expect(totalOf(lines, 1).units).toBe(totalOf(exact, 1).units);
      }),
      { numRuns: 500 },
    );
  });

  it('never falls when more was used', () => {
    fc.assert(
      fc.property(tokens, tokens, price, (some, more, prices) => {
        expect(units({ outputTokens: some + more }, prices)).toBeGreaterThanOrEqual(
          units({ outputTokens: some }, prices),
        );
      }),
    );
  });
});
