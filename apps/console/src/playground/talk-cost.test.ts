import { expect, it } from 'vitest';
import type { Model } from './models.ts';
import { costOf } from './talk-cost.ts';

const priced = (price: Record<string, number>): Model => ({ price }) as unknown as Model;
const TALKS = priced({
  ...{ input: 4, cached_input: 0.4, output: 24, input_audio: 32, cached_input_audio: 0.5, output_audio: 64 },
});
const USED = {
  ...{ input_tokens: 1000, output_tokens: 300 },
  input_token_details: {
    ...{ text_tokens: 400, audio_tokens: 600, cached_tokens: 500 },
    cached_tokens_details: { text_tokens: 100, audio_tokens: 400 },
  },
  output_token_details: { text_tokens: 100, audio_tokens: 200 },
};

it.each([
  {
    name: 'fresh and cached, text and sound by their own prices',
    model: TALKS,
    usage: USED,
    usd: (300 * 4 + 100 * 0.4 + 200 * 32 + 400 * 0.5 + 100 * 24 + 200 * 64) / 1e6,
  },
  {
    name: 'what has no price of its own by the one of text',
    model: priced({ input: 1, output: 2 }),
    usage: USED,
    usd: (1000 + 300 * 2) / 1e6,
  },
  { name: 'by the second', model: priced({ second: 0.5 }), usage: { type: 'duration', seconds: 3 }, usd: 1.5 },
  { name: 'nothing used costs nothing', model: TALKS, usage: { input_tokens: 0, output_tokens: 0 }, usd: 0 },
  { name: 'unknown without a price', model: undefined, usage: USED, usd: undefined },
  { name: 'unknown without usage', model: TALKS, usage: undefined, usd: undefined },
])('$name', ({ model, usage, usd }) => {
  const cost = costOf(model, usage);
  if (usd === undefined) expect(cost).toBeUndefined();
  else expect(cost).toBeCloseTo(usd, 12);
});
