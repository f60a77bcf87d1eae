import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { readFault } from './fault.ts';

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  readFault(vendorReply(status, { code, message: 'said', request_id: 'r' }, headers));

describe('readFault', () => {
  it.each<[number, string, string]>([
    [400, 'InvalidParameter', 'invalid_request'],
    [400, 'InvalidParameter.Duration', 'invalid_request'],
    [400, 'InvalidParameter.DataInspection', 'invalid_request'],
    [400, 'InvalidURL', 'invalid_request'],
    [400, 'DataInspectionFailed', 'content_refused'],
    [400, 'Arrearage', 'upstream_rejected_key'],
    [401, 'InvalidApiKey', 'upstream_rejected_key'],
    [403, 'AccessDenied', 'upstream_rejected_key'],
    [403, 'AccessDenied.Unpurchased', 'upstream_rejected_key'],
    [403, 'Model.AccessDenied', 'upstream_rejected_key'],
    [403, 'AllocationQuota.FreeTierOnly', 'upstream_rejected_key'],
    [404, 'ModelNotFound', 'upstream_rejected_model'],
    [429, 'Throttling', 'upstream_rate_limited'],
    [429, 'Throttling.RateQuota', 'upstream_rate_limited'],
    [429, 'Throttling.AllocationQuota', 'upstream_rate_limited'],
    [500, 'InternalError', 'upstream_unavailable'],
    [500, 'InternalError.Algo', 'upstream_unavailable'],
    [500, 'InternalError.Timeout', 'upstream_timeout'],
    [503, 'WordOfTomorrow', 'upstream_unavailable'],
    [400, 'WordOfTomorrow', 'invalid_request'],
    [403, 'WordOfTomorrow', 'upstream_rejected_key'],
    [404, 'WordOfTomorrow', 'task_not_exist'],
    [429, 'WordOfTomorrow', 'upstream_rate_limited'],
  ])('%i %s is %s', (status, code, ours) => {
    expect(refusal(status, code)).toMatchObject({
      code: ours,
      vendorCode: code,
      message: 'said',
      taken: status < 500 ? 'no' : 'unknown',
    });
  });

  it('keeps when to come back', () => {
    expect(refusal(429, 'Throttling', { 'retry-after': '4' })).toMatchObject({ retryAfterSeconds: 4 });
  });

  it('reads compatible mode’s own errors', () => {
    expect(readFault(vendorReply(401, { error: { code: 'invalid_api_key', message: 'no' } }))).toMatchObject({
      code: 'upstream_rejected_key',
    });
  });

  it('finds nothing in a failed job', () => {
    expect(
      readFault(vendorReply(200, { output: { task_status: 'FAILED', code: 'InternalError', message: 'x' } })),
    ).toBeUndefined();
  });
});
