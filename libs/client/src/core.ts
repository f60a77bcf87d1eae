/** The one way out: any operation of the document, typed, over the transport. */
import createFetch, { type Client as PathClient } from 'openapi-fetch';
import { BinaryReply } from './binary.ts';
import { Call } from './call.ts';
import type { paths } from './contracts.ts';
import { variable } from './environment.ts';
import {
  OPERATIONS,
  type BodyOf,
  type HeadersOf,
  type OperationId,
  type PathOf,
  type QueryOf,
  type ReplyOf,
} from './operations.ts';
import { Pages } from './pages.ts';
import { EventStream, type StreamFormat } from './stream.ts';
import { deadlineOf, send, sleep, type Mode, type RequestOptions, type TransportSettings } from './transport.ts';

/** A key, or what gives it anew for every request. */
export type KeySource = string | (() => string | Promise<string>);

export interface ClientOptions {
  /** Where the gateway is; without it `MODEL_GATEWAY_URL`. */
  readonly baseUrl?: string;
  /** The key; without it `MODEL_GATEWAY_API_KEY`. */
  readonly apiKey?: KeySource;
  /** Only for `client.admin`; without it `MODEL_GATEWAY_ADMIN_KEY`. */
  readonly adminKey?: KeySource;
  /** Milliseconds for one attempt; ten minutes without it. */
  readonly timeoutMs?: number;
  /** Attempts after the first one; 2 without it. */
  readonly maxRetries?: number;
  /** Milliseconds: when the gateway asks for a longer pause than this, the error is thrown at once. 60,000 without it. */
  readonly maxRetryDelayMs?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global fetch. */
  readonly fetch?: TransportSettings['fetch'];
}

/** What an operation is called with. A multipart form stands in for its body. */
export interface Input<Id extends OperationId> {
  readonly path?: PathOf<Id>;
  readonly query?: QueryOf<Id>;
  readonly header?: HeadersOf<Id>;
  readonly body?: BodyOf<Id> | FormData | Promise<FormData>;
}

const TIMEOUT_MS = 600_000;
const MAX_RETRIES = 2;
const MAX_RETRY_DELAY_MS = 60_000;

export class Core {
  readonly baseUrl: string;
  /** openapi-fetch over the same transport: `client.api.GET('/v1/models')`. Its errors are thrown, as everywhere here. */
  readonly api: PathClient<paths>;
  readonly #settings: TransportSettings;

  constructor(options: ClientOptions) {
    const baseUrl = options.baseUrl ?? variable('MODEL_GATEWAY_URL');
    if (baseUrl === undefined) throw new TypeError('no gateway address: give baseUrl or set MODEL_GATEWAY_URL');
    // Addresses copied from another SDK's settings end in /v1; the paths here begin with it.
    this.baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#settings = {
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      keyFor: keysOf(this.baseUrl, options),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      maxRetryDelayMs: options.maxRetryDelayMs ?? MAX_RETRY_DELAY_MS,
      random: Math.random,
      sleep,
    };
    this.api = createFetch<paths>({
      baseUrl: this.baseUrl,
      ...(options.headers !== undefined && { headers: options.headers }),
      fetch: async (request) => {
        const response = await send(request, {}, 'open', this.#settings);
        deadlineOf(response)?.rest();
        return response;
      },
    });
  }

  /** Calls any operation by its id. JSON is parsed, text is text, a file is a Blob. */
  call<Id extends OperationId>(id: Id, input: Input<Id> = {}, options: RequestOptions = {}): Call<ReplyOf<Id>> {
    return new Call(this.open(id, input, options, 'whole'), async (response) => {
      const type = response.headers.get('content-type') ?? '';
      const data = type.includes('json')
        ? response.json()
        : type.startsWith('text/')
          ? response.text()
          : response.blob();
      return (await data) as ReplyOf<Id>;
    });
  }

  /** Calls any operation whose answer is a file. */
  download<Id extends OperationId>(id: Id, input: Input<Id>, options: RequestOptions = {}): Call<BinaryReply> {
    return new Call(this.open(id, input, options, 'open'), (response) => new BinaryReply(response));
  }

  /** Calls any operation that streams; `format` says how its events are read and added up. */
  stream<Id extends OperationId, Event, Whole>(
    id: Id,
    input: Input<Id>,
    format: StreamFormat<Event, Whole>,
    options: RequestOptions = {},
  ): EventStream<Event, Whole> {
    const hangUp = new AbortController();
    const { signal } = options;
    if (signal?.aborted === true) hangUp.abort(signal.reason);
    signal?.addEventListener('abort', () => hangUp.abort(signal.reason), { once: true, signal: hangUp.signal });
    const headers = { accept: 'text/event-stream', ...options.headers };
    return new EventStream(
      this.open(id, input, { ...options, headers, signal: hangUp.signal }, 'open'),
      format,
      hangUp,
    );
  }

  /** A list by any operation that pages; `read` finds the items and the cursor of the next page. */
  pages<Id extends OperationId, Item>(
    id: Id,
    query: (after: string | number | undefined) => QueryOf<Id>,
    read: (reply: ReplyOf<Id>) => { items: readonly Item[]; next: string | number | null | undefined },
    options?: RequestOptions,
  ): Pages<Item> {
    return new Pages(async (after) => {
      const { items, next } = read(await this.call(id, { query: query(after) }, options));
      return { items, next: next ?? undefined };
    });
  }

  /** The response itself. Throws ApiError for every refusal. */
  async open<Id extends OperationId>(id: Id, input: Input<Id>, options: RequestOptions, mode: Mode): Promise<Response> {
    const [method, path] = OPERATIONS[id];
    // `Input` has checked what openapi-fetch cannot check of an operation chosen at run time.
    const request = this.api.request as unknown as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ response: Response }>;
    const { response } = await request(method, path, {
      params: { path: input.path, query: input.query, header: input.header },
      body: await input.body,
      headers: options.headers,
      parseAs: 'stream',
      fetch: (made: Request) => send(made, options, mode, this.#settings),
    });
    return response;
  }

  /** Opens an address out of an answer. It is a stranger's: no key goes with it. */
  fetchFile(url: string, options: RequestOptions = {}): Call<BinaryReply> {
    const settings = { ...this.#settings, keyFor: () => undefined };
    return new Call(
      send(new Request(url, { headers: { ...options.headers } }), options, 'open', settings),
      (response) => new BinaryReply(response),
    );
  }
}

/** Which key opens a path; the paths for load balancers and signed links take none. */
function keysOf(baseUrl: string, options: ClientOptions): TransportSettings['keyFor'] {
  const apiKey = options.apiKey ?? variable('MODEL_GATEWAY_API_KEY');
  const adminKey = options.adminKey ?? variable('MODEL_GATEWAY_ADMIN_KEY');
  return (url) => {
    const path = url.slice(baseUrl.length);
    const admin = path.startsWith('/admin');
    if (!admin && !path.startsWith('/v1')) return undefined;
    const key = admin ? adminKey : apiKey;
    if (key === undefined)
      throw new TypeError(
        admin
          ? 'no admin key: give adminKey or set MODEL_GATEWAY_ADMIN_KEY'
          : 'no key: give apiKey or set MODEL_GATEWAY_API_KEY',
      );
    return typeof key === 'string' ? key : key();
  };
}
