import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { codeOfSentence, readFault } from './fault.ts';

const refusal = (status: number, code: number, headers: Record<string, string> = {}) =>
  readFault(vendorReply(status, { code, message: 'said', request_id: 'r' }, headers));

describe('readFault', () => {
  it.each<[number, number, string, 'no' | 'unknown']>([
    [401, 1000, 'upstream_rejected_key', 'no'],
    [401, 1001, 'upstream_rejected_key', 'no'],
    [401, 1002, 'upstream_rejected_key', 'no'],
    [401, 1003, 'upstream_unavailable', 'no'],
    [401, 1004, 'upstream_unavailable', 'no'],
    [429, 1100, 'upstream_rejected_key', 'no'],
    [429, 1101, 'upstream_rejected_key', 'no'],
    [429, 1102, 'upstream_rejected_key', 'no'],
    [403, 1103, 'upstream_rejected_key', 'no'],
    [400, 1200, 'invalid_request', 'no'],
    [400, 1201, 'invalid_request', 'no'],
    [404, 1202, 'upstream_unavailable', 'no'],
    [404, 1203, 'task_not_exist', 'no'],
    [400, 1300, 'content_refused', 'no'],
    [400, 1301, 'content_refused', 'no'],
    [429, 1302, 'upstream_rate_limited', 'no'],
    [429, 1303, 'upstream_rate_limited', 'no'],
    [429, 1304, 'upstream_rejected_key', 'no'],
    [500, 5000, 'upstream_unavailable', 'unknown'],
    [503, 5001, 'upstream_unavailable', 'unknown'],
    [504, 5002, 'upstream_timeout', 'unknown'],
    [400, 4321, 'invalid_request', 'no'],
    [403, 4321, 'upstream_rejected_key', 'no'],
    [404, 4321, 'task_not_exist', 'no'],
    [429, 4321, 'upstream_rate_limited', 'no'],
    [500, 4321, 'upstream_unavailable', 'unknown'],
    [200, 1201, 'invalid_request', 'no'],
  ])('%i with %i is %s, taken %s', (status, code, ours, taken) => {
    expect(refusal(status, code)).toMatchObject({ code: ours, vendorCode: String(code), taken, message: 'said' });
  });

  it('keeps when to come back', () => {
    expect(refusal(429, 1302, { 'retry-after': '5' })).toMatchObject({ retryAfterSeconds: 5 });
  });

  it('finds nothing in an answer, and nothing in a page of HTML', () => {
    expect(refusal(200, 0)).toBeUndefined();
    expect(readFault(vendorReply(502, '<html>'))).toBeUndefined();
  });
});

it.each([
  ['Failure to pass the risk control system', 'content_refused'],
  ['The content may violate our policy', 'content_refused'],
  ['Internal error, please retry', 'upstream_unavailable'],
])('“%s” is %s', (sentence, code) => {
  expect(codeOfSentence(sentence)).toBe(code);
});
