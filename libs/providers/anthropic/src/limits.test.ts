import { expect, it } from 'vitest';
import { anthropic } from './adapter.ts';

const NOW = Date.UTC(2026, 10, 22, 10);

it('what is left of requests, and of the tokens of which least is left', () => {
  const headers = {
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-11-22T10:00:02Z',
    'anthropic-ratelimit-input-tokens-remaining': '30000',
    'anthropic-ratelimit-input-tokens-reset': '2026-11-22T10:00:30Z',
    'anthropic-ratelimit-output-tokens-remaining': '8000',
    'anthropic-ratelimit-output-tokens-reset': '2026-11-22T10:01:00Z',
  };
  expect(anthropic.readLimits?.(headers, NOW)).toEqual({
    requests: { remaining: 49, resetMs: 2_000 },
    tokens: { remaining: 8_000, resetMs: 60_000 },
  });
});

it('what is past is there again, and what is no moment says nothing', () => {
  const headers = (reset: string) => ({
    'anthropic-ratelimit-tokens-remaining': '0',
    'anthropic-ratelimit-tokens-reset': reset,
  });
  expect(anthropic.readLimits?.(headers('2026-11-22T09:59:00Z'), NOW)?.tokens?.resetMs).toBe(0);
  expect(anthropic.readLimits?.(headers('soon'), NOW)).toBeUndefined();
});
