import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '@model-gateway/contracts';
import type { Account, Fault, SignableRequest, Upstream, UpstreamReply } from './adapter.ts';
import type { ProviderAdapter } from './provider-adapter.ts';
import { createUntrustedFetcher } from './media-url.ts';
import { retryAfterOf, transportError } from './refusal.ts';
import { createUpstreamPools, openUpstream, type UpstreamPools } from './upstream.ts';

const SECRET = 'vendor-secret-0123456789';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A vendor that does exactly what a test says. */
class Vendor {
  readonly received: Received[] = [];
  answer: (response: ServerResponse, request: Received) => void = (response) => response.end('{}');
  #server: Server | undefined;
  url = '';

  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      void (async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of request) chunks.push(chunk as Uint8Array);
        const { method = '', url = '', headers } = request;
        const received = { method, url, headers, body: Buffer.concat(chunks) };
        this.received.push(received);
        this.answer(response, received);
      })();
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()));
  }
}

describe('an upstream', () => {
  const vendor = new Vendor();
  const elsewhere = new Vendor();
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const openFetcher = createUntrustedFetcher({ allowPrivate: ['127.0.0.1'] });
  beforeAll(async () => {
    await vendor.open();
    await elsewhere.open();
  });
  beforeEach(() => {
    for (const one of [vendor, elsewhere]) {
      one.received.length = 0;
      one.answer = (response) => response.end('{}');
    }
  });
  afterAll(async () => {
    await pools.close();
    await untrustedFetcher.close();
    await openFetcher.close();
    await vendor.close();
    await elsewhere.close();
  });

  interface How {
    readonly adapter?: Partial<Pick<ProviderAdapter, 'authorize' | 'readFault' | 'identifiers'>>;
    readonly account?: Partial<Account>;
    readonly firstByte?: number;
    readonly idle?: number;
    readonly signal?: AbortSignal;
    readonly strangersMayBePrivate?: boolean;
    readonly pools?: UpstreamPools;
  }
  const open = (how: How = {}): Upstream =>
    openUpstream({
      account: {
        id: 3,
        name: 'account-name',
        vendor: 'test',
        baseUrl: `${vendor.url}/v1`,
        credentials: { api_key: SECRET },
        settings: { wire: 'x' },
        ...how.account,
      },
      adapter: {
        authorize: () => ({ authorization: `Bearer ${SECRET}` }),
        readFault: () => undefined,
        ...how.adapter,
      },
      model: 'vendor-model',
      quirks: { fine: true },
      deadlines: { connect: 2, firstByte: how.firstByte ?? 5, idle: how.idle ?? 5 },
      pools: how.pools ?? pools,
      untrustedFetcher: how.strangersMayBePrivate === true ? openFetcher : untrustedFetcher,
      now: () => 1_790_000_000_123,
      ...(how.signal !== undefined && { signal: how.signal }),
    });
  const refusal = async (attempt: Promise<unknown>): Promise<GatewayError> => {
    const error: unknown = await attempt.then(
      () => new Error('not refused'),
      (thrown: unknown) => thrown,
    );
    if (error instanceof GatewayError) return error;
    throw error;
  };
  const get = { method: 'GET', path: '/thing?a=1' } as const;
  const post = { method: 'POST', path: '/things', json: { a: 1 } } as const;

  describe('asks', () => {
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
      expect(vendor.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /token',
        'GET /v1/thing?a=1',
      ]);
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
    }, 40_000);

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

  describe('answers', () => {
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

  describe('refusals', () => {
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
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/acme|secret|param/);
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

  describe('addresses the vendor gives', () => {
    it('on its own origin are asked with the key', async () => {
      await open().send({ method: 'GET', path: '', url: `${vendor.url}/files/1?alt=media` });
      expect(vendor.received[0]).toMatchObject({ url: '/files/1?alt=media' });
      expect(vendor.received[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    });

    it('elsewhere are strangers: no key, and no private address', async () => {
      const request = {
        method: 'GET',
        path: '',
        url: `${elsewhere.url}/files/1`,
        headers: { range: 'bytes=0-1' },
      } as const;
      await refusal(open().send(request));
      expect(elsewhere.received).toEqual([]);
      await open({ strangersMayBePrivate: true }).send(request);
      expect(elsewhere.received[0]?.headers).not.toHaveProperty('authorization');
      expect(elsewhere.received[0]?.headers['range']).toBe('bytes=0-1');
    });

    it('elsewhere get no pool of their own, which would be kept for good', async () => {
      const asked: string[] = [];
      const watched: UpstreamPools = {
        ...pools,
        for: (origin, seconds) => {
          asked.push(origin);
          return pools.for(origin, seconds);
        },
      };
      const upstream = open({ strangersMayBePrivate: true, pools: watched });
      await upstream.send({ method: 'GET', path: '', url: `${elsewhere.url}/files/1` });
      await upstream.send({ method: 'GET', path: '', url: `${vendor.url}/files/2` });
      expect(elsewhere.received).toHaveLength(1);
      expect(asked).toEqual([vendor.url]);
    });

    it('elsewhere are only read', async () => {
      const error = await refusal(
        open({ strangersMayBePrivate: true }).send({ ...post, url: `${elsewhere.url}/things` }),
      );
      expect(error).toMatchObject({ code: 'upstream_malformed', details: { taken: 'no' } });
      expect(elsewhere.received).toEqual([]);
    });

    it('are followed: at home with the key, elsewhere without', async () => {
      vendor.answer = (response, { url }) => {
        if (url === '/files/1') response.writeHead(302, { location: '/files/2' }).end();
        else if (url === '/files/2') response.writeHead(302, { location: `${elsewhere.url}/signed` }).end();
        else response.end();
      };
      elsewhere.answer = (response) => response.end('bytes');
      const upstream = open({ strangersMayBePrivate: true });
      const reply = await upstream.send({ method: 'GET', path: '', url: `${vendor.url}/files/1` });
      expect(Buffer.from(reply.body).toString()).toBe('bytes');
      expect(vendor.received.map(({ headers }) => headers.authorization)).toEqual([
        `Bearer ${SECRET}`,
        `Bearer ${SECRET}`,
      ]);
      expect(elsewhere.received[0]?.headers).not.toHaveProperty('authorization');
      // Not into the house.
      await refusal(open().send({ method: 'GET', path: '', url: `${vendor.url}/files/2` }));
      expect(elsewhere.received).toHaveLength(1);
    });

    it('lead somewhere in the end', async () => {
      vendor.answer = (response) => response.writeHead(302, { location: '/round' }).end();
      expect((await refusal(open().send({ method: 'GET', path: '', url: `${vendor.url}/files/1` }))).code).toBe(
        'upstream_malformed',
      );
      expect(vendor.received).toHaveLength(6);
    });
  });
});

describe('transportError', () => {
  const error = (code: string): Error => Object.assign(new Error('x 10.0.0.7:443'), { code });
  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('%s: nothing was sent', (code) => {
    expect(transportError(error(code), 'x')).toMatchObject({ code: 'upstream_unavailable', details: { taken: 'no' } });
  });

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED', 'HPE_INVALID_CONSTANT', ''])(
    '%s: perhaps',
    (code) => {
      const made = transportError(error(code), 'x');
      expect(made.details.taken).toBe('unknown');
      expect(made.message).not.toContain('10.0.0.7');
    },
  );

  it('looks into causes and bundles', () => {
    expect(transportError(new Error('fetch failed', { cause: error('ECONNREFUSED') }), 'x').details.taken).toBe('no');
    expect(transportError(new AggregateError([error('ENETUNREACH')]), 'x').details.taken).toBe('no');
    expect(transportError('nonsense', 'x').details.taken).toBe('unknown');
  });

  it('leaves our own errors alone', () => {
    const own = new GatewayError('conflict', 'x');
    expect(transportError(own, 'y')).toBe(own);
  });
});

describe('retryAfterOf', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 0.25],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' }, 30],
    [{ 'retry-after': 'Sat, 21 Nov 2026 08:00:00 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT' }, undefined],
  ])('%j: %j', (headers, seconds) => {
    expect(retryAfterOf(headers)).toBe(seconds);
  });
});
