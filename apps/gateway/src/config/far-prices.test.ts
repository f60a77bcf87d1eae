import { expect, it } from 'vitest';
import { farPrices } from './far-prices.ts';

const model = (code: string, input: number, more: object = {}) => ({ code, kind: 'chat', offers: [{ model: code }], price: { input }, ...more }); // prettier-ignore
const BUILT_IN = [
  model('first', 1, { aliases: ['other'] }),
  model('other', 100, { offers: [{ model: 'first' }] }),
  model('spoken', 10_000, { kind: 'speech', offers: [{ model: 'shared' }] }),
];

/** What a row of the file is told about its price. */
function said(row: object): readonly string[] {
  const layers = { builtIn: {} };
  const models = [{ path: ['models', 0], row, source: {} }];
  return farPrices({ models, builtInModels: BUILT_IN, layers } as never).map(({ message }) => message);
}

it.each([
  ['the row of its code, before one that has it as an alias', model('other', 1), /far from the 100 .* has for other/],
  ['the first that has one of its names', model('mine', 10, { offers: [{ model: 'first' }] }), /far from the 1 .* has for first/], // prettier-ignore
  ['the first by an alias of its own', model('mine', 10, { aliases: ['other'] }), /far from the 1 .* has for first/],
])('a price is compared with %s', (_what, row, words) => {
  expect(said(row)).toEqual([expect.stringMatching(words)]);
});

it('a price is compared with nothing of another kind', () => {
  expect(said(model('mine', 1, { offers: [{ model: 'shared' }] }))).toEqual([]);
});
