import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { videoRow } from '../../tasks/testing/harness.ts';
import { createVideoPrices } from './video-price.ts';

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
