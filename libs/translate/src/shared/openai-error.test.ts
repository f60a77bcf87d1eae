import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import {
  decodeOpenAiError,
  encodeOpenAiError,
  fromStreamError,
  readRetryAfter,
  toStreamError,
} from './openai-error.ts';

describe('decodeOpenAiError', () => {
  it.each([
    {
      name: 'a bad request',
      status: 400,
      body: { error: { message: 'bad', type: 'invalid_request_error', param: 'x', code: 'unsupported_value' } },
      code: 'invalid_request',
      details: { param: 'x', vendorCode: 'unsupported_value' },
    },
    {
      name: 'a full context',
      status: 400,
      body: { error: { message: 'm', code: 'context_length_exceeded' } },
      code: 'context_length_exceeded',
      details: { vendorCode: 'context_length_exceeded' },
    },
    {
      name: 'a full context in words',
      status: 400,
      body: { error: { message: "This model's maximum context length is 8192 tokens" } },
      code: 'context_length_exceeded',
      details: {},
    },
    {
      name: 'refused content',
      status: 400,
      body: { error: { message: 'm', code: 'content_filter' } },
      code: 'content_refused',
      details: { vendorCode: 'content_filter' },
    },
    {
      name: 'our key',
      status: 401,
      body: { error: { message: 'm', code: 'invalid_api_key' } },
      code: 'upstream_rejected_key',
      details: { vendorCode: 'invalid_api_key' },
    },
    {
      name: 'our bill, dressed as a limit',
      status: 429,
      body: { error: { message: 'm', type: 'insufficient_quota', code: 'insufficient_quota' } },
      code: 'upstream_rejected_key',
      details: { vendorCode: 'insufficient_quota' },
    },
    { name: 'our permission', status: 403, body: {}, code: 'upstream_rejected_key', details: {} },
    {
      name: 'a missing model',
      status: 404,
      body: { error: { message: 'm', code: 'model_not_found' } },
      code: 'upstream_rejected_model',
      details: { vendorCode: 'model_not_found' },
    },
    { name: 'a limit', status: 429, body: { error: { message: 'm' } }, code: 'upstream_rate_limited', details: {} },
    { name: 'a slow vendor', status: 504, body: 'gateway timeout', code: 'upstream_timeout', details: {} },
    { name: 'a broken vendor', status: 502, body: undefined, code: 'upstream_unavailable', details: {} },
    {
      name: 'unprocessable',
      status: 422,
      body: { detail: [{ msg: 'field required' }] },
      code: 'invalid_request',
      details: {},
    },
    {
      name: 'an error inside a 200, status in the code',
      status: 200,
      body: { error: { code: 429, message: 'm' } },
      code: 'upstream_rate_limited',
      details: {},
    },
    {
      name: 'an error inside a 200, in words',
      status: 200,
      body: { error: { type: 'server_error', message: 'm' } },
      code: 'upstream_unavailable',
      details: { vendorCode: 'server_error' },
    },
    {
      name: 'vLLM’s flat body',
      status: 400,
      body: { object: 'error', message: 'flat', type: 'BadRequestError', code: 400 },
      code: 'invalid_request',
      details: { vendorCode: 'BadRequestError' },
    },
    {
      name: 'an error that is a word',
      status: 500,
      body: { error: 'boom' },
      code: 'upstream_unavailable',
      details: {},
    },
  ])('$name', ({ status, body, code, details }) => {
    const error = decodeOpenAiError(status, {}, body);
    expect({ code: error.code, details: error.details }).toEqual({ code, details });
    expect(error.message).not.toBe('');
  });

  it.each([
    { name: 'milliseconds first', headers: { 'retry-after-ms': '1500', 'retry-after': '9' }, seconds: 2 },
    { name: 'seconds', headers: { 'retry-after': '7' }, seconds: 7 },
    { name: 'zero seconds', headers: { 'retry-after': '0' }, seconds: 0 },
    {
      name: 'a date beside the vendor’s clock',
      headers: { 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' },
      seconds: 30,
    },
    {
      name: 'the reset of a used-up limit',
      headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '4m0.5s' },
      seconds: 241,
    },
    {
      name: 'the reset of a limit that is left',
      headers: { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '6m0s' },
      seconds: undefined,
    },
    { name: 'nonsense', headers: { 'retry-after': 'soon' }, seconds: undefined },
  ])('waits as told: $name', ({ headers, seconds }) => {
    expect(readRetryAfter(headers)).toBe(seconds);
    expect(decodeOpenAiError(429, headers, {}).details.retryAfterSeconds).toBe(seconds);
  });
});

describe('encodeOpenAiError', () => {
  it.each([
    {
      error: new GatewayError('invalid_request', 'm', { param: 'messages[0]' }),
      body: { message: 'm', type: 'invalid_request_error', param: 'messages[0]', code: null },
    },
    {
      error: new GatewayError('invalid_request', 'm', { vendorCode: 'unsupported_value' }),
      body: { message: 'm', type: 'invalid_request_error', param: null, code: 'unsupported_value' },
    },
    {
      error: new GatewayError('unauthenticated', 'm'),
      body: { message: 'm', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
    },
    {
      error: new GatewayError('insufficient_quota', 'm'),
      body: { message: 'm', type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
    },
    {
      error: new GatewayError('upstream_rate_limited', 'm'),
      body: { message: 'm', type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
    },
    {
      error: new GatewayError('upstream_timeout', 'm'),
      body: { message: 'm', type: 'server_error', param: null, code: 'upstream_timeout' },
    },
  ])('$error.code', ({ error, body }) => {
    expect(encodeOpenAiError(error, error.status(true))).toEqual({ error: body });
  });
});

it('an error keeps its meaning through a stream', () => {
  const error = decodeOpenAiError(0, {}, { error: { code: 'rate_limit_exceeded', message: 'slow down' } });
  expect(toStreamError(error)).toEqual({
    code: 'upstream_rate_limited',
    message: 'slow down',
    vendorCode: 'rate_limit_exceeded',
  });
  expect(fromStreamError(toStreamError(error)).code).toBe('upstream_rate_limited');
});
