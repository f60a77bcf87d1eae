/** The one way out: any operation of the document, typed, over the transport. */
import { BinaryReply } from './binary.ts';
import { Call } from './call.ts';
import { present, variable } from './environment.ts';
import { KEYED_ROOTS } from './generated/routes.ts';
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
import { send, sleep, type Mode, type Outgoing, type RequestOptions, type TransportSettings } from './transport.ts';

/** A key, or what gives it anew for every request: undefined for a request without one. */
export type KeySource = string | (() => string | undefined | Promise<string | undefined>);

export interface ClientOptions {
  /** Where the gateway is; without it `MODEL_GATEWAY_URL`. */
  readonly baseUrl?: string;
  /** The key; without it `MODEL_GATEWAY_API_KEY`. */
  readonly apiKey?: KeySource;
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
  readonly body?: BodyOf<Id> | FormData | Promise<BodyOf<Id> | FormData>;
}

const TIMEOUT_MS = 600_000;
const MAX_RETRIES = 2;
const MAX_RETRY_DELAY_MS = 60_000;

export class Core {
  readonly baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #settings: TransportSettings;

  /** `keyName`: the variable that holds the key when none is given. */
  constructor(options: ClientOptions, keyName = 'MODEL_GATEWAY_API_KEY') {
    const baseUrl = options.baseUrl ?? variable('MODEL_GATEWAY_URL');
    if (baseUrl === undefined) throw new TypeError('no gateway address: give baseUrl or set MODEL_GATEWAY_URL');
    // Addresses copied from another SDK's settings end in /v1; the paths here begin with it.
    this.baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    const apiKey = options.apiKey ?? variable(keyName);
    this.#headers = options.headers ?? {};
    this.#settings = {
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      keyFor: (url) => {
        // Health, files and the like need none.
        if (apiKey === undefined && KEYED_ROOTS.includes(url.slice(this.baseUrl.length).split(/[/?]/)[1] ?? ''))
          throw new TypeError(`no key: give apiKey or set ${keyName}`);
        return typeof apiKey === 'function' ? apiKey() : apiKey;
      },
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      maxRetryDelayMs: options.maxRetryDelayMs ?? MAX_RETRY_DELAY_MS,
      random: Math.random,
      sleep,
    };
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
    const { resumable, ...others } = options;
    const headers = {
      accept: 'text/event-stream',
      ...(resumable === true && { 'x-gateway-resumable': 'true' }),
      ...options.headers,
    };
    const how = { ...others, signal: hangUp.signal };
    return new EventStream(this.open(id, input, { ...how, headers }, 'open'), format, hangUp, (stream_id, after) => {
      const header = (after === undefined ? input.header : { 'Last-Event-ID': after }) as
        | HeadersOf<'getStream'>
        | undefined;
      return this.open('getStream', { path: { stream_id }, ...(header !== undefined && { header }) }, how, 'open');
    });
  }

  /** A stream that was asked for with `resumable`, behind the event of number `after`; from its beginning without it. */
  resume<Event, Whole>(
    stream_id: string,
    after: number | undefined,
    format: StreamFormat<Event, Whole>,
    options?: RequestOptions,
  ): EventStream<Event, Whole> {
    const header = after === undefined ? {} : { header: { 'Last-Event-ID': String(after) } };
    return this.stream('getStream', { path: { stream_id }, ...header }, format, options);
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
    const [method, template] = OPERATIONS[id];
    const { path, query, header } = input as Record<string, Record<string, string> | undefined>;
    const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ''));
    const search = new URLSearchParams(present(query ?? {})).toString();
    const body = await input.body;
    const isForm = body instanceof FormData;
    const headers = new Headers({
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...this.#headers,
      ...present(header ?? {}),
      ...options.headers,
    });
    return this.send(
      {
        url: this.baseUrl + address + (search === '' ? '' : `?${search}`),
        method: method.toUpperCase(),
        headers,
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      },
      options,
      mode,
    );
  }

  /** Any request, over the same transport. */
  send(request: Outgoing, options: RequestOptions, mode: Mode): Promise<Response> {
    return send(request, options, mode, this.#settings);
  }

  /** Opens a link out of an answer: a picture, a video, a file of the gateway. It may be a stranger's: no key goes with it. */
  file(url: string, options: RequestOptions = {}): Call<BinaryReply> {
    const request = {
      url: new URL(url, `${this.baseUrl}/`).href,
      method: 'GET',
      headers: new Headers(options.headers),
    };
    const settings = { ...this.#settings, keyFor: () => undefined };
    return new Call(send(request, options, 'open', settings), (response) => new BinaryReply(response));
  }
}
