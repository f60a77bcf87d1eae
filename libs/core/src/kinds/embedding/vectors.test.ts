/** Vectors between numbers and base64, and what is none. */
import { describe, expect, it } from 'vitest';
import type { EmbeddingCreate, Vector } from '@model-gateway/provider-kit';
import fc from 'fast-check';
import { base64Of, checkVectors, floatsOf } from './vectors.ts';

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 64 });

it('numbers, written as base64 and read again, are the same 32-bit floats', () => {
  fc.assert(
    fc.property(floats, (vector) => {
      expect(floatsOf(base64Of(vector))).toEqual(vector.map(Math.fround));
    }),
  );
});

it('base64 is little-endian, as OpenAI’s clients read it, and passes untouched', () => {
  expect(base64Of([1, -2])).toBe('AACAPwAAAMA=');
  expect(base64Of('AACAPwAAAMA=')).toBe('AACAPwAAAMA=');
  expect(floatsOf('AACAPwAAAMA=')).toEqual([1, -2]);
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
    expect(() => checkVectors(vectors, wanted)).not.toThrow();
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
    expect(() => checkVectors(vectors, wanted)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });
});
