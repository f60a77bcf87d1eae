/** Hints in a refusal: the code that was most likely meant. */
import { expect, it } from 'vitest';
import { nearestCodes } from './nearest.ts';

const CODES = ['claude-sonnet-4-5', 'claude-sonnet-5', 'claude-opus-4-8', 'claude-haiku-4-5', 'gpt-5.2', 'gpt-5-mini'];
const NAMES = [
  ...CODES.map((code) => [code, code] as const),
  ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'] as const,
];

it.each([
  ['claude-haiku-4-5-20260101', ['claude-haiku-4-5']],
  ['claude-haiku-4-5@20260101', ['claude-haiku-4-5']],
  ['Claude-Haiku-4.5', ['claude-haiku-4-5']],
  ['claude-sonnet-4', ['claude-sonnet-5']],
  ['gpt-5.2[1m]', ['gpt-5.2']],
  ['gpt5.2', ['gpt-5.2']],
  ['gpt-5-nano', ['gpt-5-mini']],
  ['', []],
  ['x', []],
  ['llama-4-scout', []],
])('%s: %j', (written, codes) => {
  expect(nearestCodes(written, NAMES)).toEqual(codes);
});

it('a family of which none is near is named, three at most', () => {
  const found = nearestCodes('claude-instant-v1-100k-legacy', NAMES);
  expect(found).toHaveLength(3);
  for (const code of found) expect(code).toMatch(/^claude-/);
});
