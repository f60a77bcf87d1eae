/** Prices that depend on how a request asks and how long it is. */
import { expect, it } from 'vitest';
import type { Usage } from '@model-gateway/contracts';
import type { Price } from '../catalogue.ts';
import { billDetail, billOf, totalOf } from './price.ts';

const LONG = { above: 200_000, input: 2, output: 1.5 };
const M = 1_000_000;

it.each<{ name: string; usage: Usage; price: Price; asked?: number; dollars: number }>([
  {
    name: 'what is kept for an hour, at its own price',
    usage: { inputTokens: M, cacheWriteTokens: 600_000, cacheWriteLongTokens: 400_000 },
    price: { input: 3, cache_write: 3.75, cache_write_1h: 6 },
    dollars: 1.2 + 0.75 + 2.4,
  },
  {
    name: 'what is kept for an hour at twice the input where it has none',
    usage: { inputTokens: M, cacheWriteTokens: M, cacheWriteLongTokens: M },
    price: { input: 3, cache_write: 3.75 },
    dollars: 6,
  },
  {
    name: 'what is kept for an hour at the input price where writing has none',
    usage: { inputTokens: M, cacheWriteTokens: M, cacheWriteLongTokens: M },
    price: { input: 3 },
    dollars: 3,
  },
  {
    name: 'no more kept for an hour than was written',
    usage: { inputTokens: M, cacheWriteTokens: 100_000, cacheWriteLongTokens: M },
    price: { input: 1, cache_write: 2, cache_write_1h: 4 },
    dollars: 0.9 + 0.4,
  },
  {
    name: 'an input as long as the bound at the usual prices',
    usage: { inputTokens: 200_000, outputTokens: M },
    price: { input: 5, output: 10, long_context: LONG },
    dollars: 11,
  },
  {
    name: 'a longer one at those of long ones, all of it',
    usage: { inputTokens: 200_001, outputTokens: M },
    price: { input: 5, output: 10, long_context: LONG },
    dollars: 2.00001 + 15,
  },
  {
    name: 'tokens times what was asked for, searches as they are',
    usage: { inputTokens: M, outputTokens: M, webSearches: 3 },
    price: { input: 1, output: 2, web_search: 1 },
    asked: 2,
    dollars: 6 + 3,
  },
])('$name', ({ usage, price, asked, dollars }) => {
  const bill = billOf(usage, price, { group: 1, ...(asked !== undefined && { asked }) });
  expect(bill.units).toBe(Math.round(dollars * 500_000));
  expect(totalOf(bill.lines, 1).units).toBe(bill.units);
});

it('an entry keeps a report that was not believed', () => {
  const bill = billOf({ inputTokens: 1 }, { input: 1 }, { group: 1 });
  expect(billDetail(bill, { inputTokens: 1 }, { inputTokens: 9 })).toMatchObject({ reported: { inputTokens: 9 } });
  expect(billDetail(bill, { inputTokens: 1 })).not.toHaveProperty('reported');
});
