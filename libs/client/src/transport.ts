/** One logical request: key, idempotency, attempts with jittered pauses, deadlines. */
import type { UploadProgress } from './uploads.ts';
import { ApiError, apiErrorOf, ConnectionError, readRetryAfter, TimeoutError } from './errors.ts';

/** What every call takes beside its body. */
export interface RequestOptions {
  /** Aborts the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds for one attempt; of a stream, for its first byte and between two pieces. */
  readonly timeoutMs?: number;
  /** Attempts after the first one. */
  readonly maxRetries?: number;
  /** Made by itself for every POST, one per call; `false` sends none. */
  readonly idempotencyKey?: string | false;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told how far the upload of a form has come, anew at every attempt. */
  readonly onUpload?: UploadProgress;
  /** Of a chat stream: the gateway keeps it for a while, and a connection that is lost is made again where it broke. */
  readonly resumable?: boolean;
}

export interface TransportSettings {
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  /** The key that opens an address, if it takes one. */
  readonly keyFor: (url: string) => string | undefined | Promise<string | undefined>;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** A wait the gateway asks for that is longer than this is left to the caller. */
  readonly maxRetryDelayMs: number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** `whole`: the body is read inside the attempt, so that a cut answer is asked for again. `open`: the body is the caller's. */
export type Mode = 'whole' | 'open';

/** The deadline of an open body; the reader of a stream pushes it on. */
export interface Deadline {
  readonly signal: AbortSignal;
  touch(): void;
  /** No more deadline, but the caller's signal still hangs up. */
  rest(): void;
  stop(): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
/** A timer cannot be set for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const deadlines = new WeakMap<Response, Deadline>();

/** The deadline that belongs to a response in `open` mode. */
export function deadlineOf(response: Response): Deadline | undefined {
  return deadlines.get(response);
}

/** What is sent, the same at every attempt. */
export interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string | FormData | ArrayBuffer;
}

/** Sends a request. Throws ApiError, ConnectionError, or the reason of the aborted signal. */
export async function send(
  { url, ...request }: Outgoing,
  options: RequestOptions,
  mode: Mode,
  settings: TransportSettings,
): Promise<Response> {
  const { headers } = request;
  const { signal, timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries, idempotencyKey } = options;
  if (!headers.has('authorization')) {
    const key = await settings.keyFor(url);
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  }
  if (request.method === 'POST' && idempotencyKey !== false && !headers.has('idempotency-key'))
    headers.set('idempotency-key', idempotencyKey ?? randomKey());

  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const deadline = startDeadline(timeoutMs, signal);
    let pause: number | undefined;
    try {
      const sent = options.onUpload === undefined ? request : await countedRequest(request, options.onUpload);
      const response = await settings.fetch(url, { ...sent, signal: deadline.signal });
      if (response.ok && mode === 'open') {
        deadlines.set(response, deadline);
        return response;
      }
      const body = await response.arrayBuffer();
      deadline.stop();
      if (response.ok) return rebuilt(response, body);
      if (attempt < maxRetries) pause = pauseFor(response, attempt, settings);
      if (pause === undefined) throw apiErrorOf(response.status, response.headers, parsed(body));
    } catch (error) {
      deadline.stop();
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      if (attempt >= maxRetries) throw connectionError(error, deadline.signal);
      pause = backOff(attempt, settings.random());
    }
    await settings.sleep(pause, signal);
  }
}

/** What is sent is the same; it only tells how far it has come. */
async function countedRequest(request: Omit<Outgoing, 'url'>, progress: UploadProgress): Promise<RequestInit> {
  if (!(request.body instanceof FormData)) return request;
  // Loaded when it is first needed: most programs upload nothing.
  const { countedForm } = await import('./uploads.ts');
  const { headers: made, ...form } = await countedForm(request.body, progress);
  const headers = new Headers(request.headers);
  new Headers(made).forEach((value, name) => headers.set(name, value));
  return { ...request, ...form, headers };
}

/** Milliseconds to the next attempt; undefined when another one is no use, or only after longer than the caller waits. */
function pauseFor({ status, headers }: Response, attempt: number, settings: TransportSettings): number | undefined {
  const advice = headers.get('x-should-retry');
  const retryable = status === 408 || status === 429 || (status >= 500 && status !== 501);
  if (advice === 'false' || (advice !== 'true' && !retryable)) return undefined;
  const asked = readRetryAfter(headers);
  if (asked === undefined) return backOff(attempt, settings.random());
  // Those who were all told the same second do not all come in it.
  const pause = asked * 1000 * (1 + settings.random() * 0.1);
  return pause > settings.maxRetryDelayMs ? undefined : pause;
}

function backOff(attempt: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (1 - random * 0.5);
}

/** A signal that aborts with a TimeoutError after so many milliseconds of silence, or with `outer`. */
export function startDeadline(ms: number | undefined, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = (): void => clearTimeout(timer);
  const touch = (): void => {
    rest();
    if (ms !== undefined && ms <= LONGEST_TIMER_MS)
      timer = setTimeout(() => controller.abort(new TimeoutError(`no answer within ${ms} ms`)), ms);
    // The socket keeps a program running, not the clock beside it.
    (timer as { unref?(): unknown } | undefined)?.unref?.();
  };
  const pass = (): void => controller.abort(outer?.reason);
  const stop = (): void => {
    rest();
    outer?.removeEventListener('abort', pass);
  };
  outer?.addEventListener('abort', pass, { once: true });
  if (outer?.aborted === true) pass();
  else touch();
  return { signal: controller.signal, touch, rest, stop };
}

/** What a failed fetch is to the caller. */
export function connectionError(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof TimeoutError) return signal.reason;
  if (error instanceof ConnectionError) return error;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return new ConnectionError(`the gateway could not be reached (${reason})`, { cause: error });
}

function rebuilt({ status, statusText, headers }: Response, body: ArrayBuffer): Response {
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

function parsed(body: ArrayBuffer): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Resolves after some milliseconds, or rejects with the signal's reason at once. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}

/** 128 random bits. `crypto.randomUUID` is missing on plain-http pages. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
