import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { dialectFacts } from './dialect-facts.ts';
import { declaredOutputCap } from './output-cap.ts';

const bodyWith = (path: string, cap: number): JsonObject =>
  path.split('.').reduceRight<JsonObject | number>((inner, name) => ({ [name]: inner }), cap) as JsonObject;

it.each(Object.entries(dialectFacts).flatMap(([dialect, { outputCaps }]) => outputCaps.map((path) => [dialect, path])))(
  'the cap of %s is read at %s',
  (_dialect, path) => {
    expect(declaredOutputCap(bodyWith(path, 99.5))).toBe(100);
    expect(declaredOutputCap(bodyWith(path, 0))).toBeUndefined();
  },
);

it('the field that counts first comes first', () => {
  expect(declaredOutputCap({ max_tokens: 7, max_completion_tokens: 9 })).toBe(9);
  expect(declaredOutputCap({ generationConfig: 5, max_tokens: '7' })).toBeUndefined();
  expect(declaredOutputCap({})).toBeUndefined();
});
