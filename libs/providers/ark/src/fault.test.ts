import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { readFault } from './fault.ts';

const refusal = (status: number, code: string, message = 'said', headers: Record<string, string> = {}) =>
  readFault(vendorReply(status, { error: { code, message } }, headers));

describe('readFault', () => {
  it.each<[number, string, string]>([
    [400, 'MissingParameter', 'invalid_request'],
    [400, 'InvalidParameter.TaskTypeConstraint', 'invalid_request'],
    [400, 'SensitiveContentDetected.SevereViolation', 'content_refused'],
    [400, 'InputImageSensitiveContentDetected.PrivacyInformation', 'content_refused'],
    [400, 'InputTextRiskDetection', 'content_refused'],
    [400, 'ContentSecurityDetectionError', 'upstream_unavailable'],
    [400, 'InvalidEndpoint.ClosedEndpoint', 'upstream_unavailable'],
    [401, 'AuthenticationError', 'upstream_rejected_key'],
    [401, 'InvalidAccountStatus', 'upstream_rejected_key'],
    [403, 'AccountOverdueError', 'upstream_rejected_key'],
    [403, 'OperationDenied.ServiceNotOpen', 'upstream_rejected_key'],
    [404, 'InvalidEndpointOrModel.ModelIDAccessDisabled', 'upstream_unavailable'],
    [404, 'ModelNotOpen', 'upstream_unavailable'],
    [429, 'RateLimitExceeded.EndpointRPMExceeded', 'upstream_rate_limited'],
    [429, 'ModelAccountIpmRateLimitExceeded', 'upstream_rate_limited'],
    [429, 'RequestBurstTooFast', 'upstream_rate_limited'],
    [429, 'ServerOverloaded', 'upstream_rate_limited'],
    [500, 'InternalServiceError', 'upstream_unavailable'],
    [500, 'WordOfTomorrow', 'upstream_unavailable'],
    [403, 'WordOfTomorrow', 'upstream_rejected_key'],
    [429, 'WordOfTomorrow', 'upstream_rate_limited'],
    [404, 'WordOfTomorrow', 'task_not_exist'],
    [400, 'WordOfTomorrow', 'invalid_request'],
  ])('%i %s is %s', (status, code, ours) => {
    expect(refusal(status, code)).toMatchObject({
      code: ours,
      vendorCode: code,
      taken: status < 500 ? 'no' : 'unknown',
    });
  });

  it('reads the two meanings of QuotaExceeded from the message', () => {
    expect(refusal(429, 'QuotaExceeded', 'too many tasks in the queue')?.code).toBe('upstream_rate_limited');
    expect(refusal(429, 'QuotaExceeded', 'the free allowance is used up')?.code).toBe('upstream_rejected_key');
  });

  it('names the parameter from the field or from the code', () => {
    const said = readFileSync(new URL('../fixtures/videos-start.parameter.400.json', import.meta.url), 'utf8');
    expect(readFault(vendorReply(400, said))).toMatchObject({
      code: 'invalid_request',
      param: 'duration',
      message: 'duration is out of range',
    });
    expect(refusal(400, 'MissingParameter.content')).toMatchObject({ param: 'content' });
    expect(refusal(400, 'InvalidParameter.TaskTypeConstraint')).not.toHaveProperty('param');
  });

  it('passes on when to come back', () => {
    expect(refusal(429, 'RateLimitExceeded', 'slow', { 'retry-after': '7' })).toMatchObject({ retryAfterSeconds: 7 });
  });

  it('does not show endpoint names of ours', () => {
    expect(refusal(404, 'InvalidEndpointOrModel.NotFound', 'ep-2026-secret is unknown')?.message).not.toContain('ep-');
  });

  it('finds nothing in a task, even a failed one', () => {
    expect(readFault(vendorReply(200, { status: 'failed', error: { code: 'InternalServiceError' } }))).toBeUndefined();
  });

  it('leaves a page of HTML to its status', () => {
    expect(readFault(vendorReply(502, '<html>'))).toBeUndefined();
  });
});
