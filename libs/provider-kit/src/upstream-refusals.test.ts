/** How a vendor’s refusal is read and what of it is told. */
import { describe, expect, it } from 'vitest';
import type { Fault, UpstreamReply } from './adapter.ts';
import { SECRET, useUpstream, refusal, get, post } from './testing/upstream.ts';

const { vendor, open } = useUpstream();

describe('refusals of an upstream', () => {
  it.each<[number, string, 'no' | 'unknown']>([
    [301, 'upstream_unavailable', 'no'],
    [400, 'invalid_request', 'no'],
    [401, 'upstream_rejected_key', 'no'],
    [402, 'upstream_rejected_key', 'no'],
    [403, 'upstream_rejected_key', 'no'],
    [404, 'upstream_unavailable', 'no'],
    [408, 'upstream_timeout', 'unknown'],
    [413, 'invalid_request', 'no'],
    [429, 'upstream_rate_limited', 'no'],
    [500, 'upstream_unavailable', 'unknown'],
    [503, 'upstream_unavailable', 'unknown'],
    [504, 'upstream_timeout', 'unknown'],
  ])('%i alone is %s, taken %s', async (status, code, taken) => {
    vendor.answer = (response) => response.writeHead(status, { 'retry-after': '4' }).end('<html>');
    const error = await refusal(open().send(post));
    expect(error).toMatchObject({ code, details: { taken } });
    if (status >= 400 && code !== 'upstream_rejected_key') expect(error.details.retryAfterSeconds).toBe(4);
    expect(error.message).not.toContain('html');
  });

  const withFault = (fault: (reply: UpstreamReply) => Fault | undefined) => open({ adapter: { readFault: fault } });

  it('are the adapter’s to read, on HTTP 200 too', async () => {
    vendor.answer = (response) => response.end('{"bad":true}');
    const error = await refusal(
      withFault(({ json }) => ({
        code: 'content_refused',
        message: JSON.stringify(json),
        vendorCode: 'v',
        param: 'prompt',
        retryAfterSeconds: 2,
      })).send(post),
    );
    expect(error).toMatchObject({
      code: 'content_refused',
      message: '{"bad":true}',
      details: { vendorCode: 'v', param: 'prompt', retryAfterSeconds: 2, taken: 'no' },
    });
  });

  it('say nothing of the gateway’s own key', async () => {
    vendor.answer = (response) => response.writeHead(401).end();
    const error = await refusal(
      withFault(() => ({
        code: 'upstream_rejected_key',
        message: `key ${SECRET} of acme is wrong`,
        vendorCode: 'acme_suspended',
        param: 'key',
      })).send(post),
    );
    // The vendor's words are for the operator; no caller is shown them.
    const { vendorWords, ...told } = error.details;
    expect(JSON.stringify([error.message, told])).not.toMatch(/acme|secret|param/);
    expect(vendorWords).toBe('key [hidden] of acme is wrong');
  });

  it('tell that the gateway’s own quota is used up, in the vendor’s words without its key', async () => {
    vendor.answer = (response) => response.writeHead(429).end();
    const error = await refusal(
      withFault(() => ({
        code: 'upstream_rejected_key',
        message: `You exceeded your current quota (${SECRET})`,
        vendorCode: 'insufficient_quota',
      })).send(post),
    );
    expect(error.message).toContain('You exceeded your current quota');
    expect(error.message).not.toContain(SECRET);
    expect(error.details).toMatchObject({ vendorCode: 'insufficient_quota', taken: 'no' });
  });

  it('are scrubbed', async () => {
    vendor.answer = (response) => response.writeHead(400).end();
    const error = await refusal(
      withFault(() => ({ code: 'invalid_request', message: `bad ${SECRET} at ${vendor.url}/v1/things` })).send(post),
    );
    expect(error.message).not.toContain(SECRET);
    expect(error.message).not.toContain('127.0.0.1');
  });

  it('a 404 is a missing task only where the request says so', async () => {
    vendor.answer = (response) => response.writeHead(404).end();
    expect((await refusal(open().send({ ...get, notFound: 'task' }))).code).toBe('task_not_exist');
    expect((await refusal(open().send(get))).code).toBe('upstream_unavailable');
    vendor.answer = (response) => response.writeHead(500).end();
    expect((await refusal(open().send({ ...get, notFound: 'task' }))).code).toBe('upstream_unavailable');
  });

  it('their words may be endless, or cut: the status stands', async () => {
    vendor.answer = (response) => {
      response.writeHead(429, { 'retry-after': '1' });
      response.end(Buffer.alloc(2 * 1024 * 1024, 0x41));
    };
    expect(await refusal(open().send(post))).toMatchObject({
      code: 'upstream_rate_limited',
      details: { taken: 'no' },
    });
    vendor.answer = (response) => {
      response.writeHead(429, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await refusal(open().send(post))).toMatchObject({
      code: 'upstream_rate_limited',
      details: { taken: 'no' },
    });
  });

  it('of a stream are read whole first', async () => {
    vendor.answer = (response) => response.writeHead(400).end('{"why":"x"}');
    const upstream = withFault(({ status, json }) =>
      status >= 400 ? { code: 'invalid_request', message: JSON.stringify(json) } : undefined,
    );
    expect((await refusal(upstream.stream(post))).message).toBe('{"why":"x"}');
  });
});
