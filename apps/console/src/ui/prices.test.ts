import { describe, expect, it } from 'vitest';
import { inputPrice, outputPrice, priceWords } from './prices.ts';

describe('prices in words', () => {
  it('name what is paid, by which unit', () => {
    const price = { input: 1.25, cached_input: 0.125, output: 10, web_search: 0.01 };
    expect(priceWords(price)).toEqual([
      '$1.25 per million input tokens',
      '$0.125 per million cached input tokens',
      '$10.00 per million output tokens',
      '$0.01 per web search',
    ]);
  });

  it('say what multiplies them, and when', () => {
    const price = {
      second: 0.1,
      resolution_factors: { '1080p': 1.6 },
      audio_factor: 1.5,
      batch: 0.5,
      long_context: { above: 200_000, input: 2, output: 1.5 },
      factors: { service_tier: { priority: 2 } },
    };
    expect(priceWords(price)).toEqual([
      '$0.10 per second',
      '1080p: × 1.6',
      'With sound: × 1.5',
      'In batches: × 0.5',
      'Above 200,000 input tokens: input × 2, output × 1.5',
      'service_tier priority: × 2',
    ]);
  });

  it.each([
    ['chat', { input: 2, output: 8 }, '2 per 1M tokens', '8 per 1M tokens'],
    ['video by tokens', { output_tokens: 5 }, '', '5 per 1M tokens'],
    ['video by seconds', { second: 0.1 }, '', '0.1 per second'],
    ['images', { image: 0.04 }, '', '0.04 per image'],
    ['rerank', { search_unit: 0.002 }, '0.002 per search', ''],
    ['what costs nothing', { input: 0 }, '0 per 1M tokens', ''],
  ])('%s: what goes in and what comes out', (_, price, input, output) => {
    const words = (of: ReturnType<typeof inputPrice>): string => (of === undefined ? '' : `${of.usd} ${of.unit}`);
    expect([words(inputPrice(price)), words(outputPrice(price))]).toEqual([input, output]);
  });
});
