import { ApiError } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { ERRORS, GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import { geminiGenerate } from './index.ts';

function body(status: string, message = 'm', details: JsonObject[] = []): JsonObject {
  return { error: { code: 400, message, status, details } };
}

describe('reading refusals', () => {
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
  ])('%i %s', (status, word, code) => {
    const error = geminiGenerate.decodeError(status, {}, body(word));
    expect([error.code, error.message, error.details.vendorCode]).toEqual([code, 'm', word]);
    expect(geminiGenerate.decodeError(status, {}, [body(word)]).code).toBe(code);
  });

  it('a bad key is a 400 at Google', () => {
    const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
    const error = geminiGenerate.decodeError(400, {}, body('INVALID_ARGUMENT', 'bad', [reason]));
    expect([error.code, error.details.vendorCode]).toEqual(['upstream_rejected_key', 'API_KEY_INVALID']);
    expect(geminiGenerate.decodeError(400, {}, body('INVALID_ARGUMENT', 'API key not valid.')).code).toBe(
      'upstream_rejected_key',
    );
    expect(geminiGenerate.decodeError(400, {}, body('FAILED_PRECONDITION', 'Please enable billing.')).code).toBe(
      'upstream_rejected_key',
    );
  });

  it('a full context is told by its sentence', () => {
    const message = 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).';
    expect(geminiGenerate.decodeError(400, {}, body('INVALID_ARGUMENT', message)).code).toBe('context_length_exceeded');
  });

  it('bug 46: RetryInfo says how long to wait', () => {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '11.2s' };
    expect(
      geminiGenerate.decodeError(429, {}, body('RESOURCE_EXHAUSTED', 'm', [retry])).details.retryAfterSeconds,
    ).toBe(12);
    expect(
      geminiGenerate.decodeError(429, { 'retry-after': '4' }, body('RESOURCE_EXHAUSTED')).details.retryAfterSeconds,
    ).toBe(4);
    expect(geminiGenerate.decodeError(400, {}, body('INVALID_ARGUMENT', 'm', [retry])).details).not.toHaveProperty(
      'retryAfterSeconds',
    );
  });

  it('names the field', () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'contents[0].parts' }] },
    ];
    expect(geminiGenerate.decodeError(400, {}, body('INVALID_ARGUMENT', 'm', details)).details.param).toBe(
      'contents[0].parts',
    );
  });

  it('inside a 200 the code in the body counts', () => {
    expect(geminiGenerate.decodeError(200, {}, { error: { code: 429, message: 'x' } }).code).toBe(
      'upstream_rate_limited',
    );
  });

  it.each([undefined, '', [], {}, { error: 'text' }])('survives %j', (odd) => {
    expect(geminiGenerate.decodeError(502, {}, odd).code).toBe('upstream_unavailable');
  });
});

describe('writing refusals', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])("%s is read back, and Google's SDK can raise it", (code) => {
    const error = new GatewayError(code, 'because', { param: 'contents[0]', retryAfterSeconds: 2.5 });
    const written = geminiGenerate.encodeError(error, 'req_9', error.status());
    expect(written['error']).toMatchObject({
      code: error.status(),
      message: 'because',
      status: expect.stringMatching(/^[A-Z_]+$/),
    });
    const raised = new ApiError({ message: JSON.stringify(written), status: error.status() });
    expect(raised.status).toBe(error.status());
    const details = (written['error'] as JsonObject)['details'] as JsonObject[];
    expect(details.map((detail) => String(detail['@type']).split('.').at(-1))).toEqual([
      'ErrorInfo',
      'BadRequest',
      'RetryInfo',
      'RequestInfo',
    ]);
    expect(details[2]?.['retryDelay']).toBe('3s');
  });
});
