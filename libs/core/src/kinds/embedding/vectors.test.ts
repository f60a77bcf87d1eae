/** Vectors between numbers and base64, and what is none. */
import { describe, expect, it } from 'vitest';
import type { EmbeddingCreate, Vector, VectorType } from '@model-gateway/provider-kit';
import fc from 'fast-check';
import { base64Of, checkVectors, hasManyNumbers, numbersOf } from './vectors.ts';

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 64 });

it('numbers, written as base64 and read again, are the same 32-bit floats', () => {
  fc.assert(
    fc.property(floats, (vector) => {
      expect(numbersOf(base64Of(vector))).toEqual(vector.map(Math.fround));
    }),
  );
});

it('base64 is little-endian, as OpenAI’s clients read it, and passes untouched', () => {
  expect(base64Of([1, -2])).toBe('AACAPwAAAMA=');
  expect(base64Of('AACAPwAAAMA=')).toBe('AACAPwAAAMA=');
  expect(numbersOf('AACAPwAAAMA=')).toEqual([1, -2]);
});

describe('what is checked of an answer', () => {
  const asked = (count: number, dimensions?: number): EmbeddingCreate => ({
    shape: 'input',
    body: {},
    inputs: Array.from({ length: count }, (_, index) => ({ content: 'a', param: `input[${index}]` })),
    encoding: 'float',
    extra: {},
    ...(dimensions !== undefined && { dimensions }),
  });
  const NAN = base64Of([1, Number.NaN]);

  it.each<readonly [name: string, vectors: readonly Vector[], wanted: EmbeddingCreate]>([
    ['numbers', [[1, 2]], asked(1)],
    ['base64', [base64Of([1, 2])], asked(1, 2)],
    ['both', [base64Of([1, 2]), [3, 4]], asked(2)],
  ])('%s are well', (_name, vectors, wanted) => {
    expect(() => checkVectors({ vectors }, wanted)).not.toThrow();
  });

  it.each<readonly [name: string, vectors: readonly Vector[], wanted: EmbeddingCreate]>([
    ['too few', [[1]], asked(2)],
    ['too many', [[1], [1]], asked(1)],
    ['an empty one', [[]], asked(1)],
    ['an empty text', [''], asked(1)],
    ['two lengths', [[1], [1, 2]], asked(2)],
    ['another length than asked for', [[1, 2]], asked(1, 3)],
    ['something that is no number', [['a'] as unknown as number[]], asked(1)],
    ['nothing in a vector', [[null] as unknown as number[]], asked(1)],
    ['infinity', [[Infinity]], asked(1)],
    ['bytes that are no number', [NAN], asked(1)],
    ['bytes that are no floats', ['AAA='], asked(1)],
  ])('%s are refused', (_name, vectors, wanted) => {
    expect(() => checkVectors({ vectors }, wanted)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });

  const typed = (type: VectorType, dimensions?: number): EmbeddingCreate => ({
    ...asked(1, dimensions),
    types: [type],
  });
  it.each<readonly [type: VectorType, good: Vector, bad: Vector]>([
    ['int8', [-128, 0, 127], [-129, 0, 0]],
    ['int8', base64Of([1, 2, 3], 'int8'), base64Of([1, 2], 'int8')],
    ['uint8', [0, 255, 1], [0, -1, 1]],
    ['uint8', [0, 255, 1], [0.5, 1, 2]],
  ])('three numbers of %s are %j, and not %j', (type, good, bad) => {
    expect(() => checkVectors({ vectors: [good] }, typed(type, 3))).not.toThrow();
    expect(() => checkVectors({ vectors: [bad] }, typed(type, 3))).toThrow('');
  });

  it('of binary ones each number packs eight', () => {
    expect(() => checkVectors({ vectors: [[-1, 7]] }, typed('binary', 16))).not.toThrow();
    expect(() => checkVectors({ vectors: [[255, 7]] }, typed('ubinary', 16))).not.toThrow();
    expect(() => checkVectors({ vectors: [[255, 7]] }, typed('binary', 16))).toThrow(/binary/);
    expect(() => checkVectors({ vectors: [[1]] }, typed('binary', 16))).toThrow(/1 numbers in place of 2/);
  });

  it('every type that was asked for is there', () => {
    const both: EmbeddingCreate = { ...asked(1), types: ['float', 'int8'] };
    const vectors = [[0.5, 1]];
    expect(() => checkVectors({ vectors, further: { int8: [[1, 2]] } }, both)).not.toThrow();
    expect(() => checkVectors({ vectors }, both)).toThrow(/0 vectors for 1/);
    expect(() => checkVectors({ vectors, further: { int8: [[1, 200]] } }, both)).toThrow(/int8/);
  });
});

it.each<readonly [type: VectorType, numbers: readonly number[], base64: string]>([
  ['int8', [-1, 127, -128], '/3+A'],
  ['binary', [-1, 127, -128], '/3+A'],
  ['uint8', [255, 127, 128], '/3+A'],
  ['ubinary', [255, 127, 128], '/3+A'],
])('%s as base64 is its bytes', (type, numbers, base64) => {
  expect(base64Of(numbers, type)).toBe(base64);
  expect(numbersOf(base64, type)).toEqual(numbers);
});

it('an answer is large by the numbers of all its types, not of the first alone', () => {
  const small = [new Array<number>(64).fill(1)];
  const large = [new Array<number>(600_000).fill(1)];
  expect(hasManyNumbers(small)).toBe(false);
  expect(hasManyNumbers(small, { int8: small })).toBe(false);
  expect(hasManyNumbers(small, { int8: large })).toBe(true);
});
