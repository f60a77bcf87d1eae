/**
 * The one safe way to ask a vendor: a connection pool per account, deadlines for connect, first byte and silence, refusals as
 * GatewayError, and the answer to the question "may the vendor have taken it?".
 */
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Dispatcher } from 'undici';
import { addressOf, baseOf, below, type Address } from './account-address.ts';
import type { Account, SignableRequest, Upstream, UpstreamReply, UpstreamRequest, UpstreamStream } from './adapter.ts';
import type { ProviderAdapter } from './provider-adapter.ts';
import { inSlices } from './end-of-turn.ts';
import { encodeForm } from './form.ts';
import { parseVendorJson } from './json.ts';
import { parseLargeJson, parseLongTexts } from './long-texts.ts';
import { flatHeaders, readersBusiness, type UntrustedFetcher } from './media-url.ts';
import { LARGEST_REFUSAL, refusalBody, wholeBody } from './reply-body.ts';
import { faultOfStatus, faultToError, transportError, withTaken } from './refusal.ts';
import type { UpstreamPools } from './upstream-pools.ts';
import { storable, cleanVendorText } from './vendor-text.ts';
import { askWhole, SLICED_FROM, type WholeReply } from './whole-reply.ts';

const MAX_REPLY_BYTES = 96 * 1024 * 1024;
const EMPTY = new Uint8Array(0);
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface Deadlines {
  /** Seconds, fractions allowed. */
  readonly connect: number;
  readonly firstByte: number;
  /** The operator's own word: it holds for requests that are usually given more time, too. */
  readonly isFirstByteSaid?: boolean;
  readonly idle: number;
}

/** Seconds until the answer must have begun. */
function firstByteOf({ firstByteSeconds }: UpstreamRequest, { firstByte, isFirstByteSaid }: Deadlines): number {
  return isFirstByteSaid === true ? firstByte : (firstByteSeconds ?? firstByte);
}

export interface UpstreamOptions {
  readonly account: Account;
  readonly adapter: Pick<ProviderAdapter, 'authorize' | 'readFault' | 'identifiers' | 'ownsHost'>;
  readonly model: string;
  readonly quirks: JsonObject;
  readonly deadlines: Deadlines;
  /** Sent with every call, lower-case names; what the request itself says goes before. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly pools: UpstreamPools;
  readonly untrustedFetcher: UntrustedFetcher;
  readonly now: () => number;
  /** Aborted when the caller has gone: the vendor's call is cancelled with it. */
  readonly signal?: AbortSignal;
  /** W3C trace context for the account's own host; absent where it is told nothing. */
  readonly traceParent?: () => string | undefined;
  /** Told of the headers of every answer of the account's own host, refusals included. */
  readonly heard?: (headers: Readonly<Record<string, string>>) => void;
  /** Where the headers of the account's last answer are kept for its caller, refusals included. */
  readonly answered?: AnsweredHeaders;
}

/** What a request keeps of its vendor's answer beside the body. */
export interface AnsweredHeaders {
  vendorHeaders: Readonly<Record<string, string>> | undefined;
  /** Whose request it is. */
  readonly payer?: number | undefined;
  /** Gives back the room of a large reply that its answer is made of: to be called when the answer has been read. */
  releaseReply?: () => void;
}

interface Prepared {
  /** Not the account's own host: it must not see the account's credentials. */
  readonly isForeign: boolean;
  readonly request: Dispatcher.DispatchOptions & { readonly origin: string; readonly headers: Record<string, string> };
}

interface Sent {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Dispatcher.ResponseData['body'];
}

/** Opens the upstream handle of one vendor model of one account. */
export function openUpstream(options: UpstreamOptions): Upstream {
  const { adapter, signal } = options;
  // Their values are kept out of what the vendor says, as credentials are.
  const account: Account =
    options.headers === undefined ? options.account : { ...options.account, headers: options.headers };

  /** The account's own host, or another one of its vendor's. */
  const isOwn = (origin: string): boolean => {
    if (origin === baseOf(account.baseUrl).origin) return true;
    return origin.startsWith('https://') && adapter.ownsHost?.(new URL(origin).hostname, account.baseUrl) === true;
  };

  /** Synchronous unless the signature takes a call of its own. */
  const prepare = (request: UpstreamRequest): Prepared | Promise<Prepared> => {
    const address = request.url === undefined ? below(account.baseUrl, request.path) : addressOf(new URL(request.url));
    const encoded = encodeBody(request);
    const isForeign = request.url !== undefined && !isOwn(address.origin);
    const headers: Record<string, string> = {
      ...(isForeign ? undefined : options.headers),
      ...encoded.headers,
      ...request.headers,
    };
    if (options.traceParent !== undefined && !isForeign) addTraceParent(headers, options.traceParent());
    const prepared: Prepared = {
      isForeign,
      request: {
        origin: address.origin,
        path: address.path,
        method: request.method,
        headers,
        body:
          encoded.stream !== undefined
            ? Readable.from(encoded.stream(), { objectMode: false })
            : (encoded.bytes ?? null),
        headersTimeout: firstByteOf(request, options.deadlines) * 1000,
        bodyTimeout: options.deadlines.idle * 1000,
      },
    };
    const signing = isForeign ? undefined : sign(headers, address, request, encoded.bytes ?? EMPTY);
    return signing === undefined ? prepared : signing.then(() => prepared);
  };

  /** Only of an account's own host: those that replies name are without number. */
  const poolOf = ({ request }: Prepared): Dispatcher => options.pools.for(request.origin, options.deadlines.connect);

  const transmit = async (request: UpstreamRequest, hops = 0): Promise<Sent> => {
    const prepared = await prepare(request);
    if (prepared.isForeign) return strangers(request, prepared.request.headers);
    try {
      const reply = await poolOf(prepared).request({ ...prepared.request, ...(signal !== undefined && { signal }) });
      reply.body.on('error', readersBusiness);
      const sent = { status: reply.statusCode, headers: flatHeaders(reply.headers), body: reply.body };
      return request.url === undefined ? sent : await redirected(request, sent, hops);
    } catch (error) {
      throw transportError(error, 'before it answered');
    }
  };

  /** A file's address may lead elsewhere: within the account's origin with its credentials, anywhere else as a stranger. */
  const redirected = async (request: UpstreamRequest, sent: Sent, hops: number): Promise<Sent> => {
    const location = sent.headers['location'];
    if (request.method !== 'GET' || location === undefined || !REDIRECTS.has(sent.status)) return sent;
    await sent.body.dump();
    if (hops >= MAX_REDIRECTS || !URL.canParse(location, request.url)) {
      throw new GatewayError('upstream_malformed', 'the vendor’s file could not be found', { taken: 'no' });
    }
    return transmit({ ...request, url: new URL(location, request.url).href }, hops + 1);
  };

  /** A vendor's reply may name any address: it goes through the untrusted fetcher, without credentials, and is only ever read. */
  const strangers = async (request: UpstreamRequest, headers: Record<string, string>): Promise<Sent> => {
    if (request.method !== 'GET') {
      throw new GatewayError(
        'upstream_malformed',
        'the vendor named a foreign address for a request with credentials',
        {
          taken: 'no',
        },
      );
    }
    try {
      return await options.untrustedFetcher.open(request.url ?? '', {
        headers,
        ...(signal !== undefined && { signal }),
        firstByteSeconds: firstByteOf(request, options.deadlines),
      });
    } catch (error) {
      throw transportError(error, 'before it answered');
    }
  };

  const sign = (
    headers: Record<string, string>,
    address: Address,
    request: UpstreamRequest,
    bodyBytes: Uint8Array,
  ): undefined | Promise<void> => {
    const signable: SignableRequest = {
      method: request.method,
      url: address.origin + address.path,
      headers,
      bodyBytes,
      send: (exchange) => sendUnsigned(exchange, options),
    };
    const signed = adapter.authorize(signable, account, options.now());
    if (signed instanceof Promise) return signed.then((late) => addHeaders(headers, late));
    addHeaders(headers, signed);
    return undefined;
  };

  const readWhole = async ({ status, headers, body }: Sent, limit = MAX_REPLY_BYTES): Promise<UpstreamReply> =>
    // The status of a refusal has said already what a cut connection would leave open.
    withJson({
      ...{ status, headers },
      body: status >= 400 ? await refusalBody(body, { orLess: true }) : await wholeBody(body, limit),
    });

  const hear = (headers: Readonly<Record<string, string>>): void => {
    if (options.answered !== undefined) options.answered.vendorHeaders = headers;
    options.heard?.(headers);
  };

  const refuse = (reply: UpstreamReply, notFound?: 'task'): void => {
    const fault = adapter.readFault(reply) ?? faultOfStatus(reply);
    if (fault === undefined) return;
    const missing = notFound === 'task' && reply.status === 404;
    throw faultToError(missing ? { ...fault, code: 'task_not_exist' } : fault, account, reply);
  };

  return {
    model: options.model,
    account: { id: account.id, baseUrl: account.baseUrl, settings: settingsOf(account, adapter.identifiers ?? []) },
    quirks: options.quirks,
    now: options.now,
    async send(request) {
      const limit = request.maxReplyBytes ?? MAX_REPLY_BYTES;
      let reply: UpstreamReply;
      if (request.url !== undefined) {
        // An address of a file may redirect: it is followed with a stream at hand.
        reply = await readWhole(await transmit(request), limit);
      } else {
        const preparing = prepare(request);
        const prepared = preparing instanceof Promise ? await preparing : preparing;
        const { longTexts } = request;
        const limits = {
          largest: limit,
          largestRefusal: LARGEST_REFUSAL,
          payer: options.answered?.payer,
          ...(longTexts !== undefined && {
            read: (chunks: readonly Uint8Array[], size: number) => parseLongTexts(chunks, size, longTexts),
          }),
        };
        const whole = await askWhole(poolOf(prepared), prepared.request, limits, signal);
        keepRoom(whole, options.answered);
        reply = whole.body.length < SLICED_FROM ? withJson(whole) : await withLargeJson(whole);
        if (!prepared.isForeign) hear(reply.headers);
      }
      refuse(reply, request.notFound);
      return request.answer?.whole?.(reply) ?? reply;
    },
    async stream(request): Promise<UpstreamStream> {
      const sent = await transmit(request);
      hear(sent.headers);
      if (sent.status >= 400) refuse(await readWhole(sent));
      const read = request.answer?.stream?.(sent.body, sent.headers);
      if (read === undefined) return streamOf(sent);
      read.on('error', readersBusiness);
      const headers = { ...sent.headers, 'content-type': 'text/event-stream' };
      return { status: sent.status, headers, body: guardedBody(read), raw: read };
    },
    async connect(request) {
      const { openSocket, isSocket } = await import('./upstream-socket.ts');
      const { request: prepared } = await prepare({ method: 'GET', ...request });
      const { connect, firstByte } = options.deadlines;
      const opened = await openSocket({
        ...{ url: prepared.origin + prepared.path, headers: prepared.headers },
        seconds: request.seconds ?? connect + firstByte,
        ...(signal !== undefined && { signal }),
      });
      if (isSocket(opened)) return opened;
      hear(opened.headers);
      refuse(opened);
      throw new GatewayError('upstream_malformed', 'the vendor did not open a WebSocket', { taken: 'no' });
    },
    async converse(socket, message) {
      const { SocketAnswer } = await import('./upstream-socket.ts');
      const raw = new SocketAnswer(socket, message, {
        deadlines: options.deadlines,
        ...(signal !== undefined && { signal }),
      });
      raw.on('error', readersBusiness);
      const refused = await raw.begun();
      if (refused !== undefined) refuse(refused);
      return { raw };
    },
    async forward(request): Promise<UpstreamStream> {
      const sent = await transmit(request);
      hear(sent.headers);
      return streamOf(sent);
    },
    fetchMedia: (url, limits) => options.untrustedFetcher.fetch(url, limits, signal),
    pause: (ms) => pause(ms, signal),
    scrub: (text) => cleanVendorText(text, account),
    storable: (payload) => storable(payload, account),
  };
}

function streamOf({ status, headers, body }: Sent): UpstreamStream {
  return { status, headers, body: guardedBody(body), raw: body };
}

function keepRoom({ release }: WholeReply, answered: AnsweredHeaders | undefined): void {
  if (release === undefined) return;
  if (answered === undefined) {
    release();
    return;
  }
  answered.releaseReply?.();
  answered.releaseReply = release;
}

function withJson(reply: WholeReply): UpstreamReply {
  if (reply.json !== undefined) return { ...reply, json: reply.json };
  const { buffer, byteOffset, byteLength } = reply.body;
  return { ...reply, json: parseVendorJson(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) };
}

/** Some milliseconds at a time: other requests go on meanwhile. */
async function withLargeJson(reply: WholeReply): Promise<UpstreamReply> {
  const { buffer, byteOffset, byteLength } = reply.body;
  return { ...reply, json: await inSlices(parseLargeJson(Buffer.from(buffer, byteOffset, byteLength))) };
}

function addTraceParent(headers: Record<string, string>, traceParent: string | undefined): void {
  if (traceParent !== undefined) headers['traceparent'] = traceParent;
}

/** An adapter takes a header away by an empty text. */
function addHeaders(headers: Record<string, string>, signed: Readonly<Record<string, string>>): void {
  Object.assign(headers, signed);
  for (const name in headers) {
    if (headers[name] === '') Reflect.deleteProperty(headers, name);
  }
}

function settingsOf(account: Account, identifiers: readonly string[]): Readonly<Record<string, string>> {
  if (identifiers.length === 0) return account.settings;
  const shown = Object.entries(account.credentials).filter(([name]) => identifiers.includes(name));
  return { ...account.settings, ...Object.fromEntries(shown) };
}

async function sendUnsigned(
  exchange: {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body: string;
  },
  options: UpstreamOptions,
): Promise<{ readonly status: number; readonly json: Json | undefined }> {
  const address = new URL(exchange.url);
  try {
    const reply = await options.pools.for(address.origin, options.deadlines.connect).request({
      origin: address.origin,
      path: address.pathname + address.search,
      method: exchange.method,
      headers: exchange.headers,
      body: exchange.body,
      headersTimeout: options.deadlines.firstByte * 1000,
      bodyTimeout: options.deadlines.idle * 1000,
    });
    const body = await wholeBody(reply.body, LARGEST_REFUSAL);
    return { status: reply.statusCode, json: parseVendorJson(Buffer.from(body).toString('utf8')) };
  } catch (error) {
    // The job itself was not sent yet.
    throw withTaken(transportError(error, 'while signing in'), 'no');
  }
}

function encodeBody(request: UpstreamRequest): {
  readonly headers: Record<string, string>;
  readonly bytes?: Uint8Array;
  readonly stream?: () => AsyncIterable<Uint8Array>;
} {
  if (request.form !== undefined) return encodeForm(request.form);
  if (request.source !== undefined) {
    const { size, open } = request.source;
    return { headers: size === undefined ? {} : { 'content-length': String(size) }, stream: open };
  }
  if (request.body !== undefined) return { headers: {}, bytes: request.body };
  if (request.json === undefined) return { headers: {} };
  return { headers: { 'content-type': 'application/json' }, bytes: Buffer.from(JSON.stringify(request.json)) };
}

async function* guardedBody(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw transportError(error, 'in the middle of its answer');
  } finally {
    body.destroy();
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw new GatewayError('upstream_unavailable', 'the request was cancelled', { cause: error });
  }
}
