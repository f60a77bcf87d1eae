import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { operationFault, readFault } from './fault.ts';

const google = (code: number, status: string, more: object = {}, headers: Record<string, string> = {}) =>
  readFault(vendorReply(code, { error: { code, status, message: 'said', ...more } }, headers));
const kie = (code: number, msg = 'said', status = 200, headers: Record<string, string> = {}) =>
  readFault(vendorReply(status, { code, msg, data: null }, headers));

describe('Google', () => {
  it.each<[number, string, string]>([
    [400, 'INVALID_ARGUMENT', 'invalid_request'],
    [400, 'FAILED_PRECONDITION', 'upstream_rejected_key'],
    [401, 'UNAUTHENTICATED', 'upstream_rejected_key'],
    [403, 'PERMISSION_DENIED', 'upstream_rejected_key'],
    [404, 'NOT_FOUND', 'task_not_exist'],
    [429, 'RESOURCE_EXHAUSTED', 'upstream_rate_limited'],
    [500, 'INTERNAL', 'upstream_unavailable'],
    [503, 'UNAVAILABLE', 'upstream_unavailable'],
    [504, 'DEADLINE_EXCEEDED', 'upstream_timeout'],
    [400, 'TOMORROW', 'invalid_request'],
    [404, 'TOMORROW', 'task_not_exist'],
    [429, 'TOMORROW', 'upstream_rate_limited'],
    [500, 'TOMORROW', 'upstream_unavailable'],
  ])('%i %s is %s', (code, status, ours) => {
    expect(google(code, status)).toMatchObject({
      code: ours,
      vendorCode: status,
      message: 'said',
      taken: code < 500 ? 'no' : 'unknown',
    });
  });

  it('finds a bad key behind a 400, and refused content', () => {
    expect(google(400, 'INVALID_ARGUMENT', { details: [{ reason: 'API_KEY_INVALID' }] })?.code).toBe(
      'upstream_rejected_key',
    );
    expect(google(400, 'INVALID_ARGUMENT', { message: 'This prompt violates our usage guidelines' })?.code).toBe(
      'content_refused',
    );
  });

  it('names the field, and when to come back', () => {
    expect(
      google(400, 'INVALID_ARGUMENT', { details: [{ fieldViolations: [{ field: 'parameters.durationSeconds' }] }] }),
    ).toMatchObject({ param: 'parameters.durationSeconds' });
    expect(google(429, 'RESOURCE_EXHAUSTED', { details: [{ '@type': 'RetryInfo', retryDelay: '30s' }] })).toMatchObject(
      { retryAfterSeconds: 30 },
    );
    expect(
      google(429, 'RESOURCE_EXHAUSTED', { details: [{ retryDelay: '30s' }] }, { 'retry-after': '7' }),
    ).toMatchObject({ retryAfterSeconds: 7 });
  });

  it.each([
    "Permission denied on resource '//aiplatform.googleapis.com/projects/acme-films-77/locations/us-central1'",
    'Vertex AI API has not been used in project 604399123456 before or it is disabled',
    'Enable it by visiting https://console.example/overview?project=604399123456',
    'Quota of project acme-films-77 is used up',
    'consumer "projects/604399123456" has no access; project: "acme-films-77"',
  ])('does not say whose project it is: %s', (message) => {
    const fault = google(403, 'PERMISSION_DENIED', { message });
    expect(fault?.message).not.toMatch(/acme|604399/);
    expect(fault?.message.length).toBeGreaterThan(20);
  });

  it('leaves a project that is only a word', () => {
    expect(
      google(400, 'INVALID_ARGUMENT', { message: 'the project was refused: project this onto a wall' })?.message,
    ).toBe('the project was refused: project this onto a wall');
  });

  it('takes an operation in error for an answer', () => {
    expect(
      readFault(vendorReply(200, { name: 'operations/1', done: true, error: { code: 13, message: 'internal' } })),
    ).toBeUndefined();
  });

  it.each<[number, string, string]>([
    [3, 'bad duration', 'invalid_request'],
    [3, 'violates our policies', 'content_refused'],
    [4, 'too slow', 'upstream_timeout'],
    [7, 'no', 'upstream_unavailable'],
    [8, 'busy', 'upstream_rate_limited'],
    [13, 'internal', 'upstream_unavailable'],
  ])('an operation’s error %i (%s) is %s', (code, message, ours) => {
    expect(operationFault({ code, message, details: [] })).toEqual({ code: ours, message, vendorCode: String(code) });
  });
});

describe('kie.ai, on HTTP 200', () => {
  it.each<[number, string, string, 'no' | 'unknown']>([
    [400, 'Your prompt was flagged', 'content_refused', 'no'],
    [400, 'Failed to fetch the image', 'invalid_request', 'no'],
    [400, 'the image violates policies', 'content_refused', 'no'],
    [401, 'x', 'upstream_rejected_key', 'no'],
    [402, 'x', 'upstream_rejected_key', 'no'],
    [404, 'x', 'task_not_exist', 'no'],
    [422, 'x', 'invalid_request', 'no'],
    [429, 'x', 'upstream_rate_limited', 'no'],
    [451, 'x', 'invalid_request', 'no'],
    [455, 'x', 'upstream_unavailable', 'no'],
    [500, 'x', 'upstream_unavailable', 'unknown'],
    [501, 'x', 'upstream_unavailable', 'unknown'],
    [505, 'x', 'upstream_unavailable', 'no'],
    [599, 'x', 'upstream_unavailable', 'no'],
  ])('%i (%s) is %s, taken %s', (code, msg, ours, taken) => {
    expect(kie(code, msg)).toMatchObject({ code: ours, vendorCode: String(code), taken });
  });

  it('names the images it could not fetch, and keeps when to come back', () => {
    expect(kie(451)).toMatchObject({ param: 'imageUrls' });
    expect(kie(429, 'x', 429, { 'retry-after': '6' })).toMatchObject({ retryAfterSeconds: 6 });
  });

  it('finds nothing in success, and nothing in a page of HTML', () => {
    expect(kie(200)).toBeUndefined();
    expect(readFault(vendorReply(502, '<html>'))).toBeUndefined();
  });
});
