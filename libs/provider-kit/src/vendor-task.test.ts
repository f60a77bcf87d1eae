import { describe, expect, it } from 'vitest';
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './adapter.ts';
import { createJob, malformedReply, MAX_POLL_BYTES, pollJob, tooLate } from './vendor-task.ts';

/** The edge: what came over the wire. */
function answering(answer: Json | undefined | GatewayError): { upstream: Upstream; asked: UpstreamRequest[] } {
  const asked: UpstreamRequest[] = [];
  const send = (request: UpstreamRequest): Promise<UpstreamReply> => {
    asked.push(request);
    if (answer instanceof GatewayError) return Promise.reject(answer);
    return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), json: answer });
  };
  return { upstream: { send } as Upstream, asked };
}
const request = { method: 'GET', path: '/tasks/1' } as const;

describe('pollJob', () => {
  it('hands over the answer, and reads no more than a status is', async () => {
    const { upstream, asked } = answering({ status: 'queued' });
    expect(await pollJob(upstream, request)).toMatchObject({ json: { status: 'queued' }, reply: { status: 200 } });
    expect(asked).toEqual([{ ...request, maxReplyBytes: MAX_POLL_BYTES }]);
    await pollJob(upstream, { ...request, maxReplyBytes: 1 });
    expect(asked[1]?.maxReplyBytes).toBe(1);
  });

  it('no JSON is a fault of the poll', async () => {
    await expect(pollJob(answering(undefined).upstream, request)).rejects.toMatchObject({ code: 'upstream_malformed' });
  });

  it('only “no such task” is missing; every other refusal is thrown as it is', async () => {
    const missing = new GatewayError('task_not_exist', 'gone', { vendorCode: 'NotFound' });
    expect(await pollJob(answering(missing).upstream, request)).toEqual({
      missing: { error: { code: 'NotFound', message: 'gone' } },
    });
    for (const code of [
      'upstream_rate_limited',
      'upstream_unavailable',
      'invalid_request',
      'upstream_rejected_key',
    ] as const) {
      const error = new GatewayError(code, 'x');
      await expect(pollJob(answering(error).upstream, request)).rejects.toBe(error);
    }
  });
});

describe('createJob', () => {
  it('“no such thing” is the model, which another vendor may have', async () => {
    const missing = new GatewayError('task_not_exist', 'ep-secret', { vendorCode: 'NotFound', taken: 'unknown' });
    await expect(createJob(answering(missing).upstream, request)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: 'the vendor does not offer this model to the gateway',
      details: { taken: 'no' },
    });
  });

  it('every other refusal is thrown as it is', async () => {
    const error = new GatewayError('content_refused', 'x');
    await expect(createJob(answering(error).upstream, request)).rejects.toBe(error);
  });
});

it('a reply that makes no sense may have been a job; a late cancel is a conflict', () => {
  expect(malformedReply('x')).toMatchObject({ code: 'upstream_malformed', details: { taken: 'unknown' } });
  expect(tooLate('running')).toMatchObject({ code: 'conflict' });
});
