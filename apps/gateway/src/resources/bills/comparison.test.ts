import { describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { decimalOf, dollarsIn, picoOf } from '@model-gateway/contracts/bills';
import { compareBill, toleranceOf, type Comparing } from './comparison.ts';
import type { LedgerCost } from './ledger-costs.ts';

type BillLine = components['schemas']['VendorBillLine'];

const line = (day: number, amount: string, more: Partial<BillLine> = {}): BillLine => ({
  ...{ day: `2026-10-0${day}`, item: 'gpt-a, input', project: 'p1', kind: 'usage', amount },
  ...more,
});
const cost = (day: number, dollars: string, more: Partial<LedgerCost> = {}): LedgerCost => ({
  ...{ day: `2026-10-0${day}`, model: 'a', account: 1, requests: 10, cost: picoOf(dollars) ?? 0n },
  ...{ cached: 0n, cachedAsFresh: 0n, estimated: 0 },
  ...more,
});
const compare = (lines: readonly BillLine[], costs: readonly LedgerCost[], more: Partial<Comparing> = {}) =>
  compareBill({
    ...{ lines, costs, tolerance: toleranceOf(0.01), accountOf: () => '', accountName: () => '' },
    modelOfItem: (item) => /^gpt-\w/.exec(item)?.[0],
    modelOfCode: (code) => `gpt-${code}`,
    priceOf: () => ({ batch: 0.5 }),
    ...more,
  });

describe('a clean bill', () => {
  it('is silent: items of a model are one sum, and what is no usage is apart', () => {
    const lines = [
      line(1, '7.123456789012'),
      line(1, '2.876543210988', { item: 'gpt-a, output' }),
      line(2, '5', { project: 'p2' }),
      line(2, '-3', { item: 'credits', kind: 'credit' }),
      line(2, '1.9', { item: 'VAT', kind: 'tax' }),
    ];
    const found = compare(lines, [cost(1, '10'), cost(2, '5.004')]);
    expect(found).toMatchObject({ compared: 2, vendor_usd: 15, ledger_usd: 15.004, differences: [], unknown: [] });
    expect(found.matches.map(({ day, vendor_usd: usd, causes }) => [day, usd, causes])).toEqual([
      ['2026-10-01', 10, []],
      ['2026-10-02', 5, []],
    ]);
    expect(found.other).toEqual([
      { kind: 'credit', usd: -3 },
      { kind: 'tax', usd: 1.9 },
    ]);
  });

  it('adds up a million tenths exactly', () => {
    const lines = Array.from({ length: 10_000 }, () => line(1, '0.1'));
    expect(compare(lines, [cost(1, '1000')], { tolerance: 0n }).differences).toEqual([]);
  });
});

describe('a planted difference', () => {
  const steady = [line(3, '4'), line(4, '4'), line(5, '4')];
  const steadyCosts = [cost(3, '4'), cost(4, '4'), cost(5, '4')];
  it.each([
    { name: 'traffic elsewhere', lines: [line(1, '5')], costs: [], causes: ['outside'] },
    { name: 'more than was sent', lines: [line(1, '9.13')], costs: [cost(1, '5')], causes: ['outside'] },
    { name: 'nothing billed', lines: [line(1, '0')], costs: [cost(1, '5')], causes: ['not_billed'] },
    { name: 'the price of batches at the vendor', lines: [line(1, '2.5')], costs: [cost(1, '5')], causes: ['batch'] },
    { name: 'the price of batches in the ledger', lines: [line(1, '10')], costs: [cost(1, '5')], causes: ['batch'] },
    { name: 'a region', lines: [line(1, '5.5')], costs: [cost(1, '5')], causes: ['regional'] },
    {
      name: 'cached tokens',
      lines: [line(1, '8.5')],
      costs: [cost(1, '5', { cached: picoOf('0.5')!, cachedAsFresh: picoOf('4')! })],
      causes: ['cached_tokens'],
    },
    {
      name: 'interrupted answers',
      lines: [line(1, '5.3')],
      costs: [cost(1, '5', { estimated: 2 })],
      causes: ['interrupted'],
    },
    { name: 'less without a reason', lines: [line(1, '4.4')], costs: [cost(1, '5')], causes: ['unknown'] },
  ])('$name is found, and nothing else', ({ lines, costs, causes }) => {
    const { differences } = compare([...lines, ...steady], [...costs, ...steadyCosts]);
    expect(differences.map(({ day }) => day)).toEqual(['2026-10-01']);
    expect(differences[0]?.causes.map((each) => each.cause)).toEqual(causes);
  });

  it('another price is one on every day', () => {
    const { differences } = compare([line(1, '6.5'), line(2, '13'), line(3, '2.6')], [cost(1, '5'), cost(2, '10'), cost(3, '2')]); // prettier-ignore
    expect(differences.map(({ day, causes }) => [day, causes[0]?.cause])).toEqual([['2026-10-02', 'price'], ['2026-10-01', 'price'], ['2026-10-03', 'price']]); // prettier-ignore
  });

  it('days of another zone differ both ways', () => {
    const { differences } = compare([line(1, '6'), line(2, '4')], [cost(1, '5'), cost(2, '5')]);
    expect(differences.map(({ causes }) => causes[0]?.cause)).toEqual(['time_zone', 'time_zone']);
  });

  it('of one account is seen where projects are told apart, and hidden by another one where they are not', () => {
    const lines = [line(1, '6', { project: 'p1' }), line(1, '4', { project: 'p2' })];
    const costs = [cost(1, '5', { account: 1 }), cost(1, '5', { account: 2 })];
    expect(compare(lines, costs).differences).toEqual([]);
    const apart = compare(lines, costs, {
      accountOf: (project) => `a${project.slice(1)}`,
      accountName: (id) => `a${id}`,
    });
    expect(apart.differences.map(({ account, difference_usd }) => [account, difference_usd])).toEqual([['a1', 1], ['a2', -1]]); // prettier-ignore
  });

  it('an unknown item is listed and not compared', () => {
    const found = compare([line(1, '3', { item: 'Code interpreter' }), line(2, '2', { item: 'Code interpreter' })], []);
    expect(found).toMatchObject({
      compared: 0,
      differences: [],
      unknown: [{ item: 'Code interpreter', usd: 5, days: 2 }],
    });
  });
});

describe('decimals', () => {
  it.each([
    { text: '0.1', pico: 100_000_000_000n, back: '0.1' },
    { text: '-12.000000000001', pico: -12_000_000_000_001n, back: '-12.000000000001' },
    { text: '1.5e-7', pico: 150_000n, back: '0.00000015' },
    { text: '2E3', pico: 2_000_000_000_000_000n, back: '2000' },
    { text: '.5', pico: 500_000_000_000n, back: '0.5' },
    { text: '0.0000000000019', pico: 1n, back: '0.000000000001' },
  ])('$text', ({ text, pico, back }) => {
    expect(picoOf(text)).toBe(pico);
    expect(decimalOf(pico)).toBe(back);
  });
  it.each(['', '.', '-', 'abc', '1,5', '1.2.3', '$1', 'NaN', '1e9999'])('%s is none', (text) =>
    expect(picoOf(text)).toBeUndefined(),
  );
  it('cents are dollars', () => expect(dollarsIn(picoOf('12345.6789', -2) ?? 0n)).toBe(123.456789));
});
