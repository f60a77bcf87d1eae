import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { readFault } from './fault.ts';

const refusal = (code: string, headers: Record<string, string> = {}) =>
  readFault(vendorReply(200, { Response: { Error: { Code: code, Message: 'said' }, RequestId: 'r' } }, headers));

describe('readFault, on HTTP 200', () => {
  it.each<[string, string, 'no' | 'unknown']>([
    ['AuthFailure.InvalidAuthorization', 'upstream_rejected_key', 'no'],
    ['AuthFailure.SecretIdNotFound', 'upstream_rejected_key', 'no'],
    ['AuthFailure.SignatureFailure', 'upstream_rejected_key', 'no'],
    ['AuthFailure.SignatureExpire', 'upstream_unavailable', 'no'],
    ['UnauthorizedOperation', 'upstream_rejected_key', 'no'],
    ['InvalidParameter', 'invalid_request', 'no'],
    ['InvalidParameter.ViolationContent', 'content_refused', 'no'],
    ['InvalidParameter.VoilationContent', 'content_refused', 'no'],
    ['InvalidParameterValue.FileId', 'invalid_request', 'no'],
    ['InvalidParameterValue.SessionIdTooLong', 'invalid_request', 'no'],
    ['InvalidParameterValue.SessionId', 'invalid_request', 'unknown'],
    ['InvalidParameterValue.SubAppId', 'upstream_rejected_key', 'no'],
    ['InvalidParameterValue.TaskId', 'task_not_exist', 'no'],
    ['MissingParameter', 'invalid_request', 'no'],
    ['UnknownParameter', 'invalid_request', 'no'],
    ['UnsupportedOperation', 'invalid_request', 'no'],
    ['ActionOffline', 'upstream_unavailable', 'no'],
    ['RequestLimitExceeded', 'upstream_rate_limited', 'no'],
    ['RequestLimitExceeded.UinLimitExceeded', 'upstream_rate_limited', 'no'],
    ['LimitExceeded.Quota', 'upstream_rejected_key', 'no'],
    ['FailedOperation', 'upstream_unavailable', 'no'],
    ['FailedOperation.InvalidVodUser', 'upstream_rejected_key', 'no'],
    ['ResourceNotFound', 'task_not_exist', 'no'],
    ['ResourceInsufficient', 'upstream_unavailable', 'no'],
    ['InternalError', 'upstream_unavailable', 'unknown'],
    ['WordOfTomorrow', 'upstream_unavailable', 'no'],
  ])('%s is %s, taken %s', (code, ours, taken) => {
    expect(refusal(code)).toMatchObject({ code: ours, vendorCode: code, taken, message: 'said' });
  });

  it('names the parameter where the code does', () => {
    expect(refusal('InvalidParameterValue.FileId')).toMatchObject({ param: 'FileId' });
    expect(refusal('InvalidParameterValue')).not.toHaveProperty('param');
  });

  it('keeps when to come back', () => {
    expect(refusal('RequestLimitExceeded', { 'retry-after': '3' })).toMatchObject({ retryAfterSeconds: 3 });
  });

  it('finds nothing in an answer, and nothing in a page of HTML', () => {
    expect(readFault(vendorReply(200, { Response: { TaskId: 't', RequestId: 'r' } }))).toBeUndefined();
    expect(readFault(vendorReply(502, '<html>'))).toBeUndefined();
  });
});
