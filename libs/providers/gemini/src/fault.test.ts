import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { gemini } from './adapter.ts';

const body = (code: number, status: string, message = 'said', details: unknown[] = []) => ({
  error: { code, message, status, details },
});
const refusal = (...[code, status, message, details]: Parameters<typeof body>) =>
  gemini.readFault(vendorReply(code, body(code, status, message, details)));

describe('Google’s refusals', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'invalid_request'],
    [400, 'FAILED_PRECONDITION', 'invalid_request'],
    [401, 'UNAUTHENTICATED', 'upstream_rejected_key'],
    [403, 'PERMISSION_DENIED', 'upstream_rejected_key'],
    [404, 'NOT_FOUND', 'upstream_unavailable'],
    [429, 'RESOURCE_EXHAUSTED', 'upstream_rate_limited'],
    [499, 'CANCELLED', 'upstream_unavailable'],
    [500, 'INTERNAL', 'upstream_unavailable'],
    [503, 'UNAVAILABLE', 'upstream_unavailable'],
    [504, 'DEADLINE_EXCEEDED', 'upstream_timeout'],
    [400, 'WORD_OF_TOMORROW', 'invalid_request'],
    [403, 'WORD_OF_TOMORROW', 'upstream_rejected_key'],
    [404, 'WORD_OF_TOMORROW', 'upstream_unavailable'],
    [429, 'WORD_OF_TOMORROW', 'upstream_rate_limited'],
    [504, 'WORD_OF_TOMORROW', 'upstream_timeout'],
    [500, 'WORD_OF_TOMORROW', 'upstream_unavailable'],
  ])('%i %s is %s', (code, status, ours) => {
    expect(refusal(code, status)).toMatchObject({ code: ours, vendorCode: status });
  });

  it.each<[string, number, string, string, unknown[], string]>([
    [
      'a wrong key is a 400 with a reason',
      400,
      'INVALID_ARGUMENT',
      'Please pass a valid key.',
      [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      'upstream_rejected_key',
    ],
    ['or with a sentence', 400, 'INVALID_ARGUMENT', 'API key not valid.', [], 'upstream_rejected_key'],
    [
      'a region',
      400,
      'FAILED_PRECONDITION',
      'User location is not supported for the API use.',
      [],
      'upstream_rejected_key',
    ],
    ['spent credits', 429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.', [], 'upstream_rejected_key'],
    [
      'too long an input',
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      [],
      'context_length_exceeded',
    ],
    [
      'a file of the caller’s',
      403,
      'PERMISSION_DENIED',
      'You do not have permission to access the File x',
      [],
      'invalid_request',
    ],
    [
      'a cache of the caller’s',
      403,
      'PERMISSION_DENIED',
      'CachedContent not found (or permission denied)',
      [],
      'invalid_request',
    ],
  ])('%s', (_name, code, status, message, details, ours) => {
    expect(refusal(code, status, message, details)).toMatchObject({ code: ours });
  });

  it.each([
    ['12s', 12],
    ['0.5s', 0.5],
    ['0s', 0],
    ['soon', undefined],
  ])('reads RetryInfo %s', (retryDelay, seconds) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' }, { retryDelay }];
    expect(refusal(429, 'RESOURCE_EXHAUSTED', 'slow', details)?.retryAfterSeconds).toBe(seconds);
  });

  it('names the field of a violation', () => {
    const details = [{ fieldViolations: [{ field: 'generation_config.temperature', description: 'x' }] }];
    expect(refusal(400, 'INVALID_ARGUMENT', 'x', details)?.param).toBe('generation_config.temperature');
  });

  it('finds the refusal in a stream’s payload and in a list', () => {
    const overloaded = body(503, 'UNAVAILABLE');
    expect(gemini.readFault(vendorReply(200, overloaded))).toMatchObject({
      code: 'upstream_unavailable',
      taken: 'unknown',
    });
    expect(gemini.readFault(vendorReply(503, [overloaded]))).toMatchObject({ code: 'upstream_unavailable' });
  });

  it.each([
    ['an answer', { candidates: [] }],
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }],
    ['no JSON', 'nothing'],
  ])('finds none in %s', (_name, json) => {
    expect(gemini.readFault(vendorReply(200, json))).toBeUndefined();
  });
});

describe('where it asks', () => {
  const path = (given: {
    purpose?: 'generate' | 'count';
    stream?: boolean;
    model?: string;
    settings?: Record<string, string>;
  }) =>
    gemini.chat!.request({
      dialect: 'gemini-generate',
      purpose: 'generate',
      model: 'gemini-3-pro',
      stream: false,
      body: Buffer.from('{}'),
      headers: {},
      settings: {},
      ...given,
    }).path;

  it.each([
    [{}, '/v1beta/models/gemini-3-pro:generateContent'],
    [{ stream: true }, '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse'],
    [{ purpose: 'count' as const, stream: true }, '/v1beta/models/gemini-3-pro:countTokens'],
    [{ settings: { api_version: 'v1' } }, '/v1/models/gemini-3-pro:generateContent'],
    [{ model: 'tunedModels/my one' }, '/v1beta/tunedModels/my%20one:generateContent'],
  ])('%j', (given, expected) => {
    expect(path(given)).toBe(expected);
  });

  it('signs with its own header', () => {
    const account = { id: 1, name: 'n', vendor: 'gemini', baseUrl: 'x', credentials: { api_key: 'k' }, settings: {} };
    const signable = { method: 'POST', url: 'x', headers: {}, bodyBytes: Buffer.alloc(0) };
    expect(gemini.authorize(signable, account, 0)).toEqual({ 'x-goog-api-key': 'k' });
  });

  it('speaks no other dialect', () => {
    const call = {
      dialect: 'openai-chat',
      purpose: 'generate',
      model: 'm',
      stream: false,
      headers: {},
      settings: {},
    } as const;
    expect(() => gemini.chat!.request({ ...call, body: Buffer.from('{}') })).toThrow(/does not speak openai-chat/);
  });
});
