/** A vendor of a few lines on a real socket, for what the vendor twin does not play; and the values adapter tests are made of. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '@model-gateway/contracts';
import {
  createUntrustedFetcher,
  createUpstreamPools,
  openUpstream,
  parseVendorJson,
  type Account,
  type Deadlines,
  type ProviderAdapter,
  type Upstream,
  type UpstreamReply,
  type VideoCreate,
} from '@model-gateway/provider-kit';

export interface ScriptedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  readonly json: Json | undefined;
}
export type ScriptedReply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
      readonly bytes?: Uint8Array;
    }
  /** The connection is cut without an answer. */
  | 'hang-up';

export interface ScriptedVendor {
  readonly url: string;
  /** Every request received, oldest first. */
  readonly requests: ScriptedRequest[];
  /** Opens an upstream handle to this vendor for an adapter; `baseUrl` is the server's address plus `basePath`. */
  upstream(adapter: ProviderAdapter, options?: ScriptedUpstreamOptions): Upstream;
  close(): Promise<void>;
}
export interface ScriptedUpstreamOptions {
  readonly basePath?: string;
  readonly model?: string;
  readonly credentials?: Record<string, string>;
  readonly settings?: Record<string, string>;
  readonly deadlines?: Partial<Deadlines>;
  readonly now?: () => number;
  /** Addresses opened for media; default: loopback. */
  readonly allowPrivate?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Starts the server; `answer` decides every reply. */
export async function startScriptedVendor(
  answer: (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>,
): Promise<ScriptedVendor> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
      const body = Buffer.concat(chunks);
      const text = body.toString('utf8');
      const request: ScriptedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
        text,
        json: parseVendorJson(text),
      };
      requests.push(request);
      const reply = await answer(request);
      if (reply === 'hang-up') {
        incoming.socket.destroy();
        return;
      }
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.bytes ?? reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pools = createUpstreamPools();
  const closers: (() => Promise<void>)[] = [];
  return {
    url,
    requests,
    upstream(adapter, options = {}) {
      const untrustedFetcher = createUntrustedFetcher({ allowPrivate: options.allowPrivate ?? ['127.0.0.1'] });
      closers.push(() => untrustedFetcher.close());
      return openUpstream({
        account: testAccount(adapter.id, url + (options.basePath ?? ''), options),
        adapter,
        model: options.model ?? 'vendor-model',
        quirks: {},
        deadlines: { connect: 20, firstByte: 5, idle: 5, ...options.deadlines },
        pools,
        untrustedFetcher,
        now: options.now ?? (() => 1_790_000_000_000),
        ...(options.signal !== undefined && { signal: options.signal }),
      });
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
      await pools.close();
      await closeServer(server);
    },
  };
}

function testAccount(
  vendor: string,
  baseUrl: string,
  options: Pick<ScriptedUpstreamOptions, 'credentials' | 'settings'>,
): Account {
  return {
    id: 7,
    name: 'the-account-name',
    vendor,
    baseUrl,
    credentials: options.credentials ?? { api_key: 'vendor-key-0123456789' },
    settings: options.settings ?? {},
  };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** A create in the neutral form; everything not given is absent. */
export function videoCreate(given: Partial<VideoCreate> = {}): VideoCreate {
  return {
    shape: 'content',
    body: {},
    images: [],
    videos: [],
    audios: [],
    subjects: [],
    dedupeKey: 'task-key-0123456789abcdef',
    extra: {},
    ...given,
  };
}

/** A reply as `readFault` sees it. */
export function vendorReply(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: Buffer.from(text), json: parseVendorJson(text) };
}

/** What pure translators need of an Upstream: nothing is scrubbed. */
export const asItIs: Pick<Upstream, 'scrub' | 'storable'> = {
  scrub: (text) => text,
  storable: (payload) => payload,
};
