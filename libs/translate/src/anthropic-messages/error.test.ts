import { APIError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ERRORS, GatewayError, type ErrorCode } from '@model-gateway/contracts';
import { anthropicMessages } from './index.ts';

describe('reading refusals', () => {
  const body = (type: string, message = 'm', more: Record<string, string> = {}) => ({
    type: 'error',
    error: { type, message, ...(more['error_code'] !== undefined && { details: { error_code: more['error_code'] } }) },
    request_id: 'req_1',
  });

  it.each([
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'upstream_rejected_key'],
    [402, 'billing_error', 'upstream_rejected_key'],
    [403, 'permission_error', 'upstream_rejected_key'],
    [404, 'not_found_error', 'upstream_unavailable'],
    [409, 'conflict_error', 'upstream_unavailable'],
    [413, 'request_too_large', 'body_too_large'],
    [429, 'rate_limit_error', 'upstream_rate_limited'],
    [500, 'api_error', 'upstream_unavailable'],
    [504, 'timeout_error', 'upstream_timeout'],
    [529, 'overloaded_error', 'upstream_unavailable'],
    [200, 'overloaded_error', 'upstream_unavailable'],
    [429, 'a word of next year', 'upstream_rate_limited'],
    [529, 'a word of next year', 'upstream_unavailable'],
  ])('%i %s', (status, type, code) => {
    const error = anthropicMessages.decodeError(status, {}, body(type));
    expect([error.code, error.message, error.details.vendorCode]).toEqual([code, 'm', type]);
  });

  it.each([
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_length_exceeded'],
    ['Your credit balance is too low to access the API.', 'upstream_rejected_key'],
    ['messages.0: all text blocks must be non-empty', 'invalid_request'],
  ])('400: %s', (message, code) => {
    expect(anthropicMessages.decodeError(400, {}, body('invalid_request_error', message)).code).toBe(code);
  });

  it('bug 25: keeps the structured code', () => {
    const error = anthropicMessages.decodeError(429, {}, body('rate_limit_error', 'm', { error_code: 'spend_limit' }));
    expect(error.details.vendorCode).toBe('spend_limit');
  });

  it.each([
    { name: 'seconds', headers: { 'retry-after': '7' }, waits: 7 },
    { name: 'milliseconds first', headers: { 'retry-after-ms': '1500', 'retry-after': '9' }, waits: 2 },
    {
      name: 'the reset of a limit that is used up',
      headers: {
        date: 'Sat, 21 Nov 2026 12:00:00 GMT',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-21T12:00:30Z',
        'anthropic-ratelimit-requests-remaining': '5',
        'anthropic-ratelimit-requests-reset': '2026-11-21T13:00:00Z',
      },
      waits: 30,
    },
    { name: 'nothing', headers: {}, waits: undefined },
  ])('waits: $name', ({ headers, waits }) => {
    const error = anthropicMessages.decodeError(429, headers, body('rate_limit_error'));
    expect(error.details.retryAfterSeconds).toBe(waits);
  });

  it.each([undefined, '', 'gateway down', [], { error: 'text' }, { type: 'error' }])('survives %j', (odd) => {
    expect(anthropicMessages.decodeError(502, {}, odd).code).toBe('upstream_unavailable');
  });
});

describe('writing refusals', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('%s raises a typed error of the SDK', (code) => {
    const error = new GatewayError(code, 'because', { param: 'messages[0]', vendorCode: 'v' });
    const body = anthropicMessages.encodeError(error, 'req_9', error.status());
    const raised = APIError.generate(error.status(), body, undefined, new Headers());
    expect(raised).toBeInstanceOf(APIError);
    expect(raised.message).toContain('because');
    expect(body).toMatchObject({
      type: 'error',
      error: {
        type: expect.stringMatching(/_error$|^request_too_large$/),
        message: 'because',
        details: { error_code: 'v' },
      },
      request_id: 'req_9',
    });
  });
});
