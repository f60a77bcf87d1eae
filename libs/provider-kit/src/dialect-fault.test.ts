import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '@model-gateway/contracts';
import type { UpstreamReply } from './adapter.ts';
import { readDialectFault } from './dialect-fault.ts';

function reply(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamReply {
  return { status, headers, body: Buffer.alloc(0), json: body as UpstreamReply['json'] };
}

const openAi = (fields: Record<string, unknown>): unknown => ({ error: { message: 'said', param: null, ...fields } });
const anthropic = (type: string, message = 'said'): unknown => ({ type: 'error', error: { type, message } });

describe('what a refusal means', () => {
  it.each<{ name: string; status: number; body: unknown; code: ErrorCode }>([
    { name: 'a bad request', status: 400, body: openAi({ type: 'invalid_request_error' }), code: 'invalid_request' },
    {
      name: 'an input too long by its code',
      status: 400,
      body: openAi({ type: 'invalid_request_error', code: 'context_length_exceeded' }),
      code: 'context_length_exceeded',
    },
    {
      name: 'an input too long by its sentence',
      status: 400,
      body: openAi({
        type: 'BadRequestError',
        code: 400,
        message: "This model's maximum context length is 4096 tokens",
      }),
      code: 'context_length_exceeded',
    },
    ...[
      [
        'llama.cpp',
        'exceed_context_size_error',
        'request (2019 tokens) exceeds the available context size (512 tokens)',
      ],
      ['llama.cpp, by its sentence', 'x', 'request (2019 tokens) exceeds the available context size (512 tokens)'],
      ['SGLang', 'BadRequestError', "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
      ['TGI', 'Validation', 'Input validation error: `inputs` must have less than 2048 tokens. Given: 9000'],
      [
        'TGI, with its answer',
        'x',
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9',
      ],
      ['Ollama', 'x', 'the input length exceeds the context length'],
    ].map(([who, type, message]) => ({
      name: `an input too long at ${who}`,
      status: 400,
      body: openAi({ type, code: 400, message }),
      code: 'context_length_exceeded' as const,
    })),
    {
      name: 'an input too long at Anthropic',
      status: 400,
      body: anthropic('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
      code: 'context_length_exceeded',
    },
    {
      name: 'content refused',
      status: 400,
      body: openAi({ type: 'invalid_request_error', code: 'content_policy_violation' }),
      code: 'content_refused',
    },
    {
      name: 'a picture refused',
      status: 400,
      body: openAi({ type: 'image_generation_user_error', code: 'moderation_blocked' }),
      code: 'content_refused',
    },
    {
      name: 'content refused in compatible mode',
      status: 400,
      body: openAi({ type: 'data_inspection_failed', code: 'data_inspection_failed' }),
      code: 'content_refused',
    },
    {
      name: 'a family of moderation words',
      status: 400,
      body: openAi({ code: 'InputTextSensitiveContentDetected.PolicyViolation' }),
      code: 'content_refused',
    },
    {
      name: 'a wrong key',
      status: 401,
      body: openAi({ type: 'invalid_request_error', code: 'invalid_api_key' }),
      code: 'upstream_rejected_key',
    },
    { name: 'a wrong key without a word', status: 401, body: openAi({}), code: 'upstream_rejected_key' },
    {
      name: 'the account’s quota is not the caller’s',
      status: 429,
      body: openAi({ type: 'insufficient_quota', code: 'insufficient_quota' }),
      code: 'upstream_rejected_key',
    },
    {
      name: 'a spending limit told as 400',
      status: 400,
      body: openAi({ type: 'invalid_request_error', code: 'billing_hard_limit_reached' }),
      code: 'upstream_rejected_key',
    },
    {
      name: 'credit used up told as a bad request',
      status: 400,
      body: anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
      code: 'upstream_rejected_key',
    },
    { name: 'no permission', status: 403, body: anthropic('permission_error'), code: 'upstream_rejected_key' },
    { name: 'a bill', status: 402, body: anthropic('billing_error'), code: 'upstream_rejected_key' },
    {
      name: 'an unknown model',
      status: 404,
      body: openAi({ type: 'invalid_request_error', code: 'model_not_found' }),
      code: 'upstream_rejected_model',
    },
    { name: 'an unknown model without a word', status: 404, body: openAi({}), code: 'upstream_unavailable' },
    {
      name: 'an unknown model by its param',
      status: 404,
      body: openAi({ param: 'model' }),
      code: 'upstream_rejected_model',
    },
    {
      name: 'an unknown model told as a bad request',
      status: 400,
      body: openAi({ type: 'invalid_request_error', code: 'invalid_request_error', message: 'Model Not Exist' }),
      code: 'upstream_rejected_model',
    },
    {
      name: 'an unknown model by a sentence with its name',
      status: 400,
      body: openAi({ message: 'The model `acme/x-1` does not exist.' }),
      code: 'upstream_rejected_model',
    },
    {
      name: 'a model that is not there at the moment',
      status: 400,
      body: openAi({ message: 'The model `acme/x-1` is not available.' }),
      code: 'upstream_unavailable',
    },
    {
      name: 'a bad request with a model and a not found in it',
      status: 400,
      body: openAi({ message: 'This model requires a tool result for every call; call_7 was not found' }),
      code: 'invalid_request',
    },
    ...[
      "Conversation with id 'conv_0123456789' not found.",
      'No such File object: file-abc',
      "Container with id 'cntr_1' not found.",
      "Vector store with id 'vs_1' not found.",
      'The response resp_1 no longer exists.',
    ].map((message) => ({
      name: `what the caller named and the vendor does not have: ${message}`,
      status: 404,
      body: openAi({ type: 'invalid_request_error', message }),
      code: 'invalid_request' as const,
    })),
    {
      name: 'a path that the vendor does not have',
      status: 404,
      body: openAi({ type: 'invalid_request_error', message: 'Unknown request URL: POST /v1/respones.' }),
      code: 'upstream_unavailable',
    },
    {
      name: 'a context window exceeded',
      status: 400,
      body: openAi({ message: 'Your input exceeds the context window of this model.' }),
      code: 'context_length_exceeded',
    },
    {
      name: 'a bad request about a model',
      status: 400,
      body: openAi({ type: 'invalid_request_error', message: 'temperature is not supported with this model' }),
      code: 'invalid_request',
    },
    {
      name: 'an unknown id of the caller’s',
      status: 404,
      body: openAi({ type: 'invalid_request_error', param: 'previous_response_id' }),
      code: 'invalid_request',
    },
    {
      name: 'a rate limit',
      status: 429,
      body: openAi({ type: 'requests', code: 'rate_limit_exceeded' }),
      code: 'upstream_rate_limited',
    },
    { name: 'a rate limit without a word', status: 429, body: openAi({}), code: 'upstream_rate_limited' },
    { name: 'slow down', status: 429, body: openAi({ code: 'slow_down' }), code: 'upstream_rate_limited' },
    { name: 'a conflict', status: 409, body: anthropic('conflict_error'), code: 'upstream_unavailable' },
    { name: 'a body too large', status: 413, body: anthropic('request_too_large'), code: 'invalid_request' },
    { name: 'unprocessable', status: 422, body: openAi({}), code: 'invalid_request' },
    { name: 'a server fault', status: 500, body: openAi({ type: 'server_error' }), code: 'upstream_unavailable' },
    { name: 'overload', status: 529, body: anthropic('overloaded_error'), code: 'upstream_unavailable' },
    {
      name: 'overload told as 503',
      status: 503,
      body: openAi({ code: 'server_is_overloaded' }),
      code: 'upstream_unavailable',
    },
    { name: 'a timeout', status: 504, body: anthropic('timeout_error'), code: 'upstream_timeout' },
    { name: 'a timeout by its status', status: 408, body: openAi({}), code: 'upstream_timeout' },
    {
      name: 'an error that is a text',
      status: 404,
      body: { error: 'model "x" not found' },
      code: 'upstream_rejected_model',
    },
    { name: 'a detail that is a text', status: 400, body: { detail: 'no such field' }, code: 'invalid_request' },
    {
      name: 'a list of details',
      status: 422,
      body: { detail: [{ msg: 'too short', loc: [] }] },
      code: 'invalid_request',
    },
    { name: 'an error in a list', status: 400, body: [openAi({ code: 400 })], code: 'invalid_request' },
    {
      name: 'the old error object',
      status: 400,
      body: { object: 'error', message: 'said', code: 40001 },
      code: 'invalid_request',
    },
  ])('$name', ({ status, body, code }) => {
    expect(readDialectFault(reply(status, body))).toMatchObject({ code });
  });

  it('lets a vendor’s own words win', () => {
    const body = openAi({ type: 'server_error', code: 'odd_word' });
    expect(readDialectFault(reply(500, body), { odd_word: 'content_refused' })).toMatchObject({
      code: 'content_refused',
    });
  });

  it('keeps the vendor’s place, word and sentence', () => {
    const body = openAi({ message: 'Too high.', param: 'temperature', code: 'unsupported_value' });
    expect(readDialectFault(reply(400, body))).toEqual({
      code: 'invalid_request',
      message: 'Too high.',
      vendorCode: 'unsupported_value',
      param: 'temperature',
    });
  });

  it('prefers the stable error code of Anthropic’s details', () => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'x', details: { error_code: 'e7' } },
    };
    expect(readDialectFault(reply(400, body))).toMatchObject({ vendorCode: 'e7' });
  });
});

describe('a refusal inside a 200', () => {
  it.each<{ name: string; body: unknown; code: ErrorCode }>([
    { name: 'the first event of a stream', body: anthropic('overloaded_error'), code: 'upstream_unavailable' },
    { name: 'a rate limit in a stream', body: openAi({ code: 'rate_limit_exceeded' }), code: 'upstream_rate_limited' },
    { name: 'a status inside the body', body: openAi({ code: 429 }), code: 'upstream_rate_limited' },
    { name: 'a bad request', body: openAi({ type: 'invalid_request_error' }), code: 'invalid_request' },
    { name: 'a word nobody knows', body: openAi({ code: 'odd' }), code: 'upstream_unavailable' },
    {
      name: 'the error event of Responses',
      body: { type: 'error', code: 'server_error', message: 'x' },
      code: 'upstream_unavailable',
    },
    {
      name: 'a failed event of Responses',
      body: {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } },
      },
      code: 'upstream_rate_limited',
    },
    {
      name: 'a failed Responses object',
      body: { object: 'response', status: 'failed', error: { code: 'invalid_prompt', message: 'x' }, output: [] },
      code: 'content_refused',
    },
  ])('$name', ({ body, code }) => {
    expect(readDialectFault(reply(200, body))).toMatchObject({ code, taken: 'unknown' });
  });

  it.each([
    { name: 'an answer', body: { id: 'x', choices: [] } },
    { name: 'an answer whose error is null', body: { object: 'response', status: 'completed', error: null } },
    { name: 'an incomplete answer', body: { object: 'response', status: 'incomplete', error: {}, output: [] } },
    { name: 'a remark beside results', body: { error: { message: 'one of two' }, data: [{}] } },
    { name: 'a choice with an error beside', body: { error: { message: 'x' }, choices: [{}] } },
    { name: 'an empty error', body: { error: {} } },
    { name: 'no JSON', body: undefined },
    { name: 'a list', body: [] },
  ])('is not $name', ({ body }) => {
    expect(readDialectFault(reply(200, body))).toBeUndefined();
  });
});

describe('how long to wait', () => {
  const limited = openAi({ code: 'rate_limit_exceeded' });
  it.each<{ name: string; headers: Record<string, string>; seconds: number | undefined }>([
    { name: 'seconds', headers: { 'retry-after': '7' }, seconds: 7 },
    { name: 'zero seconds are said, too', headers: { 'retry-after': '0' }, seconds: 0 },
    { name: 'milliseconds win', headers: { 'retry-after-ms': '1500', 'retry-after': '9' }, seconds: 1.5 },
    {
      name: 'a date against the reply’s own',
      headers: { 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' },
      seconds: 30,
    },
    {
      name: 'the limit that is used up',
      headers: {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m30.5s',
        'x-ratelimit-remaining-tokens': '9',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      seconds: 90.5,
    },
    {
      name: 'milliseconds in a duration',
      headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '250ms' },
      seconds: 0.25,
    },
    {
      name: 'the later of two at Anthropic',
      headers: {
        date: 'Sat, 21 Nov 2026 10:00:00 GMT',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-21T10:00:05Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-21T10:00:20Z',
      },
      seconds: 20,
    },
    { name: 'nobody says', headers: {}, seconds: undefined },
    {
      name: 'nonsense',
      headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'soon' },
      seconds: undefined,
    },
  ])('$name', ({ headers, seconds }) => {
    expect(readDialectFault(reply(429, limited, headers))?.retryAfterSeconds).toBe(seconds);
  });

  it('is not told where waiting does not help', () => {
    const fault = readDialectFault(reply(429, openAi({ code: 'insufficient_quota' }), { 'retry-after': '7' }));
    expect(fault).not.toHaveProperty('retryAfterSeconds');
  });
});
