import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { readFault } from './fault.ts';

const refusal = (code: number, status = 200, headers: Record<string, string> = {}) =>
  readFault(vendorReply(status, { base_resp: { status_code: code, status_msg: 'said' } }, headers));

describe('readFault, on HTTP 200', () => {
  it.each<[number, string, 'no' | 'unknown']>([
    [1000, 'upstream_unavailable', 'unknown'],
    [1001, 'upstream_timeout', 'unknown'],
    [1013, 'upstream_unavailable', 'unknown'],
    [1024, 'upstream_unavailable', 'unknown'],
    [1033, 'upstream_unavailable', 'unknown'],
    [1002, 'upstream_rate_limited', 'no'],
    [1039, 'upstream_rate_limited', 'no'],
    [1041, 'upstream_rate_limited', 'no'],
    [2045, 'upstream_rate_limited', 'no'],
    [2056, 'upstream_rate_limited', 'no'],
    [1004, 'upstream_rejected_key', 'no'],
    [2049, 'upstream_rejected_key', 'no'],
    [1008, 'upstream_rejected_key', 'no'],
    [2061, 'upstream_rejected_key', 'no'],
    [2038, 'upstream_rejected_key', 'no'],
    [1026, 'content_refused', 'no'],
    [1027, 'content_refused', 'no'],
    [2013, 'invalid_request', 'no'],
    [1042, 'invalid_request', 'no'],
    [9999, 'upstream_unavailable', 'unknown'],
  ])('%i is %s, taken %s', (code, ours, taken) => {
    expect(refusal(code)).toMatchObject({ code: ours, vendorCode: String(code), taken, message: 'said' });
  });

  it('keeps when to come back', () => {
    expect(refusal(1002, 429, { 'retry-after': '9' })).toMatchObject({ retryAfterSeconds: 9 });
  });

  it('takes a failed task for an answer', () => {
    const failed = readFileSync(new URL('../fixtures/videos-check.fail.200.json', import.meta.url), 'utf8');
    expect(readFault(vendorReply(200, failed))).toBeUndefined();
  });

  it('finds nothing in success, and nothing in a page of HTML', () => {
    expect(refusal(0)).toBeUndefined();
    expect(readFault(vendorReply(502, '<html>'))).toBeUndefined();
  });
});
