import { GatewayError, type ErrorCode } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { errorHeaders } from './print-error.ts';

it.each<[ErrorCode, string | undefined]>([
  ['insufficient_quota', 'false'],
  ['submission_unknown', 'false'],
  ['upstream_rejected_model', 'false'],
  ['not_implemented', 'false'],
  ['conflict', 'false'],
  ['rate_limited', undefined],
  ['upstream_unavailable', undefined],
])('%s: clients are told to try again: %s', (code, word) => {
  expect(errorHeaders(new GatewayError(code, 'x'))['x-should-retry']).toBe(word);
});

it('an answer that was paid and cannot be given is not asked for again', () => {
  const error = new GatewayError('upstream_malformed', 'x', { answered: { usage: {} } });
  expect(errorHeaders(error)['x-should-retry']).toBe('false');
});
