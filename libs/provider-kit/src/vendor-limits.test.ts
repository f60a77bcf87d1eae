/** What is left of vendors' limits, from their headers. */
import { expect, it } from 'vitest';
import { readOpenAiLimits } from './vendor-limits.ts';

it.each([
  ['1s', 1_000],
  ['6m0s', 360_000],
  ['1h2m3.5s', 3_723_500],
  ['20ms', 20],
  ['12', 12_000],
  ['400d', 86_400_000],
])('%s are %d ms', (text, ms) => {
  const headers = { 'x-ratelimit-remaining-requests': '7', 'x-ratelimit-reset-requests': text };
  expect(readOpenAiLimits(headers)).toEqual({ requests: { remaining: 7, resetMs: ms } });
});

it('requests and tokens are told apart, and what is no number says nothing', () => {
  const headers = (remaining: string, reset: string) => ({
    'x-ratelimit-remaining-tokens': remaining,
    'x-ratelimit-reset-tokens': reset,
  });
  expect(readOpenAiLimits({ ...headers('0', '1s'), 'x-ratelimit-remaining-requests': '3' })).toEqual({
    tokens: { remaining: 0, resetMs: 1_000 },
  });
  for (const [remaining, reset] of [
    ['', '1s'],
    ['many', '1s'],
    ['-1', '1s'],
    ['3', 'soon'],
    ['3', ''],
    ['3', '1s'.repeat(50)],
  ])
    expect(readOpenAiLimits(headers(remaining ?? '', reset ?? ''))).toBeUndefined();
  expect(readOpenAiLimits({})).toBeUndefined();
});
