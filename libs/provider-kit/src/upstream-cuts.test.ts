/** Deadlines, cut connections and callers who go. */
import { describe, expect, it } from 'vitest';
import { useUpstream, refusal, get, post } from './testing/upstream.ts';

const { vendor, open } = useUpstream();

describe('deadlines and cuts', () => {
  it('silence before the first byte', async () => {
    vendor.answer = () => undefined;
    expect(await refusal(open({ firstByte: 0.1 }).send(post))).toMatchObject({
      code: 'upstream_timeout',
      details: { taken: 'unknown' },
    });
  });

  it('a request may be given more time', async () => {
    vendor.answer = (response) => setTimeout(() => response.end('{}'), 1200);
    expect(await open({ firstByte: 0.1 }).send({ ...post, firstByteSeconds: 5 })).toMatchObject({ status: 200 });
  });

  it('but not more than the operator has said', async () => {
    vendor.answer = () => undefined;
    const upstream = open({ firstByte: 0.1, isFirstByteSaid: true });
    for (const how of ['send', 'stream'] as const)
      expect(await refusal(upstream[how]({ ...post, firstByteSeconds: 60 }))).toMatchObject({
        code: 'upstream_timeout',
      });
  });

  it('silence in the middle', async () => {
    vendor.answer = (response) => response.write('{"half":');
    expect(await refusal(open({ idle: 0.1 }).send(post))).toMatchObject({
      code: 'upstream_timeout',
      details: { taken: 'unknown' },
    });
  });

  it('a cut before and in the middle of the answer', async () => {
    vendor.answer = (response) => response.destroy();
    expect(await refusal(open().send(post))).toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'unknown' },
    });
    vendor.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    };
    expect(await refusal(open().send(post))).toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'unknown' },
    });
  });

  it('nobody there took nothing', async () => {
    const error = await refusal(open({ account: { baseUrl: 'http://127.0.0.1:1' } }).send(post));
    expect(error).toMatchObject({ code: 'upstream_unavailable', details: { taken: 'no' } });
    expect(error.message).not.toContain('127.0.0.1');
  });

  it('a caller who has gone cancels the vendor', async () => {
    const caller = new AbortController();
    let hungUp: Promise<void> | undefined;
    vendor.answer = (response) => {
      hungUp = new Promise((resolve) => response.once('close', resolve));
      caller.abort();
    };
    expect(await refusal(open({ signal: caller.signal }).send(post))).toMatchObject({
      code: 'upstream_unavailable',
      message: 'the request was cancelled',
    });
    await hungUp;
    await expect(open({ signal: caller.signal }).pause(60_000)).rejects.toMatchObject({
      message: 'the request was cancelled',
    });
  });

  it('a stream that is cut says so where it is read, and one thrown away harms nobody', async () => {
    vendor.answer = (response) => {
      response.writeHead(200);
      response.write('one', () => setImmediate(() => response.destroy()));
    };
    const { body } = await open().stream(get);
    const read = async (): Promise<void> => {
      for await (const chunk of body) expect(chunk.byteLength).toBeGreaterThan(0);
    };
    expect(await refusal(read())).toMatchObject({ code: 'upstream_unavailable' });
    vendor.answer = (response) => response.write('one');
    for await (const chunk of (await open().stream(get)).body) {
      expect(Buffer.from(chunk).toString()).toBe('one');
      break;
    }
  });
});
