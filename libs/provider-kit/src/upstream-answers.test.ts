/** What an upstream asks and what it gives back. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { SignableRequest } from './adapter.ts';
import { SECRET, useUpstream, refusal, get, post } from './testing/upstream.ts';

const { vendor, open } = useUpstream();

describe('an upstream asks', () => {
  it('below the base, with JSON, signed over exactly what is sent', async () => {
    let signed: SignableRequest | undefined;
    const upstream = open({
      adapter: {
        authorize: (request, _account, now) => {
          signed = request;
          return { authorization: `at ${now}`, 'x-left-out': '', 'x-own': 'y' };
        },
      },
    });
    await upstream.send({ ...post, headers: { 'x-left-out': 'please' } });
    const [request] = vendor.received;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/things' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'at 1790000000123',
      'x-own': 'y',
    });
    expect(request?.headers).not.toHaveProperty('x-left-out');
    expect(request?.body.toString()).toBe('{"a":1}');
    expect(signed).toMatchObject({ method: 'POST', url: `${vendor.url}/v1/things` });
    expect(Buffer.from(signed?.bodyBytes ?? []).toString()).toBe('{"a":1}');
  });

  it('waits for a signature that takes a call of its own, which is not signed', async () => {
    vendor.answer = (response) => response.end('{"access_token":"t"}');
    const upstream = open({
      adapter: {
        authorize: async (request) => {
          const reply = await request.send?.({
            method: 'POST',
            url: `${vendor.url}/token`,
            headers: { 'x-form': '1' },
            body: 'grant',
          });
          return { authorization: `Bearer ${JSON.stringify(reply?.json)}` };
        },
      },
    });
    await upstream.send(get);
    expect(vendor.received.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /token', 'GET /v1/thing?a=1']);
    expect(vendor.received[0]?.headers).not.toHaveProperty('authorization');
    expect(vendor.received[0]?.body.toString()).toBe('grant');
    expect(vendor.received[1]?.headers.authorization).toBe('Bearer {"access_token":"t"}');
  });

  it('a signature that cannot be had took no job', async () => {
    vendor.answer = (response) => response.destroy();
    const upstream = open({
      adapter: {
        authorize: async (request) => {
          await request.send?.({ method: 'POST', url: `${vendor.url}/token`, headers: {}, body: '' });
          return {};
        },
      },
    });
    expect((await refusal(upstream.send(post))).details.taken).toBe('no');
  });

  it('as many at once as the caller wants: none waits for another’s connection', async () => {
    const most = 600;
    const waiting: ServerResponse[] = [];
    vendor.answer = (response) => {
      waiting.push(response);
      if (waiting.length === most) for (const each of waiting) each.end('{}');
    };
    const upstream = open({ firstByte: 30 });
    const replies = await Promise.all(Array.from({ length: most }, () => upstream.send(get)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
  });

  it('sends bytes as they are, and forms as a stream of known length', async () => {
    await open().send({
      method: 'POST',
      path: '/x',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"n":1e2}'),
    });
    expect(vendor.received[0]?.body.toString()).toBe('{"n":1e2}');
    await open().send({ method: 'POST', path: '/x', form: [{ name: 'n', value: '1' }] });
    expect(vendor.received[1]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(vendor.received[1]?.headers['content-length']).toBe(String(vendor.received[1]?.body.byteLength));
  });

  it('shows adapters no secrets, but what they must know', () => {
    const upstream = open({
      account: { credentials: { api_key: SECRET, sub_app_id: '15' } },
      adapter: { identifiers: ['sub_app_id'] },
    });
    expect(upstream.account).toEqual({
      id: 3,
      baseUrl: `${vendor.url}/v1`,
      settings: { wire: 'x', sub_app_id: '15' },
    });
    expect(JSON.stringify(upstream)).not.toContain(SECRET);
    expect(upstream).toMatchObject({ model: 'vendor-model', quirks: { fine: true } });
  });
});

describe('an upstream answers', () => {
  it('with status, headers, bytes and JSON, long integers kept', async () => {
    vendor.answer = (response) => response.writeHead(202, { 'X-Trace': 'a' }).end('{"id":860000000000000123}');
    expect(await open().send(get)).toMatchObject({
      status: 202,
      headers: { 'x-trace': 'a' },
      json: { id: '860000000000000123' },
    });
  });

  it('with no JSON where there is none', async () => {
    vendor.answer = (response) => response.end('<html>');
    expect(await open().send(get)).toMatchObject({ status: 200, json: undefined });
  });

  it('within bounds', async () => {
    vendor.answer = (response) => response.end(Buffer.alloc(1001, 0x20));
    const error = await refusal(open().send({ ...get, maxReplyBytes: 1000 }));
    expect(error).toMatchObject({ code: 'upstream_malformed', details: { taken: 'unknown' } });
    expect((await open().send({ ...get, maxReplyBytes: 1001 })).body).toHaveLength(1001);
  });
});
