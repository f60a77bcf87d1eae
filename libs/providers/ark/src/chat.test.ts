import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { ark } from './adapter.ts';

const error = { code: 'InternalServiceError', message: 'x', param: '', type: 'InternalServerError' };

describe('what only chat says', () => {
  it('an error event is a refusal', () => {
    expect(ark.readFault(vendorReply(200, { error }))).toMatchObject({
      code: 'upstream_unavailable',
      taken: 'unknown',
    });
    const refused = { code: 'InputTextSensitiveContentDetected', message: 'x' };
    expect(ark.readFault(vendorReply(200, { error: refused }))).toMatchObject({ code: 'content_refused' });
  });

  it.each([
    ['a failed task', { id: 'cgt-1', status: 'failed', error }],
    ['a picture beside a failed one', { created: 1, data: [{ url: 'x' }, { error }] }],
    ['an answer', { id: 'x', choices: [] }],
  ])('%s is an answer', (_name, json) => {
    expect(ark.readFault(vendorReply(200, json))).toBeUndefined();
  });

  it.each([
    ['model_not_found', 'upstream_rejected_model'],
    ['UnsupportedModel', 'upstream_rejected_model'],
    ['InvalidEndpointOrModel.NotFound', 'upstream_rejected_model'],
    ['ResourceNotFound', 'task_not_exist'],
  ])('404 %s is %s', (code, ours) => {
    expect(ark.readFault(vendorReply(404, { error: { code, message: 'x' } }))).toMatchObject({ code: ours });
  });
});
