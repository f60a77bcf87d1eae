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

it.each<[string, GatewayError, string]>([
  ['a limit of the key', new GatewayError('rate_limited', 'x', { retryAfterSeconds: 3 }), 'gateway'],
  ['an empty balance', new GatewayError('insufficient_quota', 'x'), 'gateway'],
  ['a wrong body', new GatewayError('invalid_request', 'x'), 'gateway'],
  ['a 429 of the vendor', new GatewayError('upstream_rate_limited', 'x', { vendorStatus: 429 }), 'upstream'],
  ['accounts at their limit', new GatewayError('upstream_rate_limited', 'x'), 'upstream'],
  ['a vendor that is silent', new GatewayError('upstream_timeout', 'x'), 'upstream'],
  ['a body that the vendor refuses', new GatewayError('invalid_request', 'x', { vendorStatus: 400 }), 'upstream'],
])('%s says where it comes from', (_, error, source) => {
  expect(errorHeaders(error)['x-gateway-error-source']).toBe(source);
});
