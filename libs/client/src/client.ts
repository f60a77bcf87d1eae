/** The client: every operation by its id, and the same operations under readable names. */
import createFetch, { type Client as PathClient } from 'openapi-fetch';
import { Call } from './call.ts';
import type { paths } from './contracts.ts';
import { variable } from './environment.ts';
import { chatFormat } from './formats/chat.ts';
import {
  OPERATIONS,
  type BodyOf,
  type HeadersOf,
  type OperationId,
  type PathOf,
  type QueryOf,
  type ReplyOf,
  type Schemas,
} from './operations.ts';
import { EventStream, type StreamFormat } from './stream.ts';
import { send, sleep, type Mode, type RequestOptions, type TransportSettings } from './transport.ts';
import { waitFor, type WaitOptions } from './wait-for-video.ts';

type Key = string | (() => string | Promise<string>);

export interface ClientOptions {
  /** Where the gateway is; without it `MODEL_GATEWAY_URL`. */
  readonly baseUrl?: string;
  /** The key, or what gives it; without it `MODEL_GATEWAY_API_KEY`. */
  readonly apiKey?: Key;
  /** Only for `client.admin`; without it `MODEL_GATEWAY_ADMIN_KEY`. */
  readonly adminKey?: Key;
  /** Milliseconds for one attempt, ten minutes without it. */
  readonly timeoutMs?: number;
  /** Attempts after the first one, 2 without it. */
  readonly maxRetries?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global fetch. */
  readonly fetch?: TransportSettings['fetch'];
}

/** What an operation is called with. */
export interface Input<Id extends OperationId> {
  readonly path?: PathOf<Id>;
  readonly query?: QueryOf<Id>;
  readonly header?: HeadersOf<Id>;
  readonly body?: BodyOf<Id> | FormData;
}

const TIMEOUT_MS = 600_000;
const MAX_RETRIES = 2;
const MAX_RETRY_DELAY_MS = 60_000;

/** Makes a client. Throws when no address is given or set. */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

export class Client {
  readonly baseUrl: string;
  /** openapi-fetch on the same transport: `client.api.GET('/v1/models')`. */
  readonly api: PathClient<paths>;
  readonly #settings: TransportSettings;

  constructor(options: ClientOptions) {
    const baseUrl = options.baseUrl ?? variable('MODEL_GATEWAY_URL');
    if (baseUrl === undefined) throw new TypeError('no gateway address: give baseUrl or set MODEL_GATEWAY_URL');
    // Addresses copied from another SDK's settings end in /v1; the paths here begin with it.
    this.baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    const apiKey = options.apiKey ?? variable('MODEL_GATEWAY_API_KEY');
    const adminKey = options.adminKey ?? variable('MODEL_GATEWAY_ADMIN_KEY');
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#settings = {
      fetch,
      keyFor(path) {
        const admin = path.includes('/admin/');
        if (!admin && !path.includes('/v1')) return undefined;
        const key = admin ? adminKey : apiKey;
        if (key === undefined) {
          throw new TypeError(
            admin
              ? 'no admin key: give adminKey or set MODEL_GATEWAY_ADMIN_KEY'
              : 'no key: give apiKey or set MODEL_GATEWAY_API_KEY',
          );
        }
        return typeof key === 'string' ? key : key();
      },
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      maxRetryDelayMs: MAX_RETRY_DELAY_MS,
      random: Math.random,
      sleep,
    };
    this.api = createFetch<paths>({
      baseUrl: this.baseUrl,
      ...(options.headers !== undefined && { headers: options.headers }),
      fetch: (request) => send(request, {}, 'open', this.#settings),
    });
  }

  /** Calls any operation by its id; the answer is its JSON. */
  call<Id extends OperationId>(id: Id, input: Input<Id> = {}, options: RequestOptions = {}): Call<ReplyOf<Id>> {
    return new Call(
      this.#open(id, input, options, 'whole'),
      async (response) => (await response.json()) as ReplyOf<Id>,
    );
  }

  /** Calls any operation by its id; the answer is a stream read by `format`. */
  stream<Id extends OperationId, Event, Whole>(
    id: Id,
    input: Input<Id>,
    format: StreamFormat<Event, Whole>,
    options: RequestOptions = {},
  ): EventStream<Event, Whole> {
    const hangUp = new AbortController();
    options.signal?.addEventListener('abort', () => hangUp.abort(options.signal?.reason), { once: true });
    if (options.signal?.aborted === true) hangUp.abort(options.signal.reason);
    const response = this.#open(id, input, { ...options, signal: hangUp.signal }, 'open');
    return new EventStream(response, format, hangUp);
  }

  async #open(id: OperationId, input: Input<OperationId>, options: RequestOptions, mode: Mode): Promise<Response> {
    const [method, path] = OPERATIONS[id];
    // The types of `call` have checked what openapi-fetch cannot check for an operation chosen at run time.
    const request = this.api.request as unknown as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ response: Response }>;
    const { response } = await request(method, path, {
      params: { path: input.path, query: input.query, header: input.header },
      body: input.body,
      headers: options.headers,
      parseAs: 'stream',
      fetch: (made: Request) => send(made, options, mode, this.#settings),
    });
    return response;
  }

  /** Chat in the chat-completions format; every chat model can be named. */
  readonly chat = {
    /** Answers a conversation at once. */
    create: (body: BodyOf<'createChatCompletion'>, options?: RequestOptions): Call<Schemas['ChatCompletion']> =>
      this.call('createChatCompletion', { body }, options),
    /** Answers a conversation piece by piece. */
    stream: (body: BodyOf<'createChatCompletion'>, options?: RequestOptions) =>
      this.stream('createChatCompletion', { body: { ...body, stream: true } }, chatFormat, options),
  };

  readonly videos = {
    /** Starts a video; `.wait()` on the call follows it to its end. */
    create: (body: BodyOf<'createVideoTask'>, options?: RequestOptions): Call<Schemas['VideoAcknowledgement']> =>
      this.call('createVideoTask', { body }, options),
    /** The record of a task. */
    get: (taskId: string, options?: RequestOptions): Call<Schemas['VideoTask']> => this.#task(taskId, {}, options),
  };

  readonly models = {
    /** What can be named in `model`. */
    list: (options?: RequestOptions): Call<Schemas['ModelList']> =>
      this.call('listModels', {}, options) as Call<Schemas['ModelList']>,
    get: (model: string, options?: RequestOptions): Call<Schemas['Model']> =>
      this.call('getModel', { path: { model } }, options) as Call<Schemas['Model']>,
  };

  /** Resolves with the task's record when it succeeded; throws TaskFailedError when it failed. */
  waitForVideo(taskId: string, options?: WaitOptions<Schemas['VideoTask']>): Promise<Schemas['VideoTask']> {
    return waitFor(
      {
        look: (wait, request) => this.#task(taskId, { wait }, request),
        outcome: ({ status, fail_reason }) =>
          status === 'SUCCESS' ? '' : status === 'FAILURE' ? fail_reason || 'the task failed' : undefined,
        mark: ({ status, progress }) => `${status} ${progress}`,
        sleep,
      },
      options,
    );
  }

  #task(task_id: string, query: QueryOf<'getVideoTask'>, options: RequestOptions = {}): Call<Schemas['VideoTask']> {
    return new Call(
      this.#open('getVideoTask', { path: { task_id }, query }, options, 'whole'),
      async (response) => ((await response.json()) as Schemas['VideoTaskReply']).data,
    );
  }
}
