import { describe, expect, it } from 'vitest';
import { counted, dollars, money, record, table } from './output.ts';
import { priceTable } from '../resources/models/prices.ts';

describe('dollars', () => {
  it.each([
    [0, '$0.00'],
    [1.5, '$1.50'],
    [0.125, '$0.125'],
    [-2.5, '-$2.50'],
    [0.000002, '$0.000002'],
    [1234.5, '$1234.50'],
  ])('%d is %s', (amount, said) => expect(dollars(amount)).toBe(said));

  it('units are the same money', () => {
    expect([money(1), money(750_000), money(-500_000)]).toEqual(['$0.000002', '$1.50', '-$1.00']);
  });
});

it('numbers stand to the right, and nobody else moves the cursor', () => {
  expect(
    table(
      ['name', 'amount'],
      [
        ['a\u001b[2Jb', '$1.50'],
        ['c', '-$20.00'],
      ],
    ),
  ).toBe('name     amount\na [2Jb    $1.50\nc       -$20.00');
  expect(
    record([
      ['name', 'a\nb'],
      ['key', 'c'],
    ]),
  ).toBe('name  a b\nkey   c');
  expect(table(['x'], [['y'.repeat(100)]]).split('\n')[1]).toHaveLength(60);
});

it('one is no plural', () => {
  expect([counted(1, 'test request'), counted(17, 'test request')]).toEqual(['1 test request', '17 test requests']);
});

it('prices: tokens by the million, everything else by the piece, factors as they are', () => {
  const model = { object: 'model', created: 0, owned_by: 'v', formats: [], endpoints: [], simulated: false } as const;
  const text = priceTable(
    [
      {
        ...model,
        formats: [],
        endpoints: [],
        id: 'c',
        kind: 'chat',
        price: { input: 1.25, output: 10, web_search: 0.01 },
      },
      {
        ...model,
        formats: [],
        endpoints: [],
        id: 'v',
        kind: 'video',
        price: { second: 0.1, audio_factor: 1.5, resolution_factors: { '1080p': 1.6 } },
      },
      { ...model, formats: [], endpoints: [], id: 'f', kind: 'chat', price: {} },
    ],
    (_style, said) => said,
  );
  expect(text.split('\n').slice(0, 4)).toEqual([
    'model  kind   input  output  and',
    'c      chat   $1.25  $10.00  $0.01 a web search',
    'v      video                 $0.10 a second, sound ×1.5, 1080p ×1.6',
    'f      chat',
  ]);
});
