/** An upstream to a vendor of the test's own, and a stranger beside it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Account, ProviderAdapter, Upstream } from '../provider-adapter.ts';
import { createUntrustedFetcher } from '../media-url.ts';
import { openUpstream, type AnsweredHeaders } from '../upstream.ts';
import { createUpstreamPools, type UpstreamPools } from '../upstream-pools.ts';

/** The credential of the account that asks. */
export const SECRET = 'vendor-secret-0123456789';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A vendor that does exactly what a test says. */
export class Vendor {
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

/** What a test changes of an upstream; deadlines in seconds. */
interface How {
  readonly adapter?: Partial<Pick<ProviderAdapter, 'authorize' | 'readFault' | 'identifiers'>>;
  readonly account?: Partial<Account>;
  readonly firstByte?: number;
  readonly isFirstByteSaid?: boolean;
  readonly idle?: number;
  readonly signal?: AbortSignal;
  readonly strangersMayBePrivate?: boolean;
  readonly pools?: UpstreamPools;
  readonly answered?: AnsweredHeaders;
}

/** Opens two vendors for the tests of the file; before each test they answer `{}` and have received nothing. */
export function useUpstream() {
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
      ...(how.answered !== undefined && { answered: how.answered }),
      deadlines: {
        connect: 20,
        firstByte: how.firstByte ?? 5,
        isFirstByteSaid: how.isFirstByteSaid === true,
        idle: how.idle ?? 5,
      },
      pools: how.pools ?? pools,
      untrustedFetcher: how.strangersMayBePrivate === true ? openFetcher : untrustedFetcher,
      now: () => 1_790_000_000_123,
      ...(how.signal !== undefined && { signal: how.signal }),
    });
  return { vendor, elsewhere, pools, open };
}

/** The error that this attempt ends with; anything else fails the test. */
export const refusal = async (attempt: Promise<unknown>): Promise<GatewayError> => {
  const error: unknown = await attempt.then(
    () => new Error('not refused'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GatewayError) return error;
  throw error;
};

export const get = { method: 'GET', path: '/thing?a=1' } as const;
export const post = { method: 'POST', path: '/things', json: { a: 1 } } as const;
