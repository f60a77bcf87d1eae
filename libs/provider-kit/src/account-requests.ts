/** Requests of an account on their way: addressed, signed and sent, to its own host or, without its credentials, to another one. */
import { Readable } from 'node:stream';
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Dispatcher } from 'undici';
import { addressOf, baseOf, below, type Address } from './account-address.ts';
import type { SignableRequest, UpstreamRequest } from './adapter.ts';
import { encodeForm } from './form.ts';
import { parseVendorJson } from './json.ts';
import { flatHeaders, readersBusiness } from './media-url.ts';
import { transportError, withTaken } from './refusal.ts';
import { LARGEST_REFUSAL, wholeBody } from './reply-body.ts';
import type { Deadlines, UpstreamOptions } from './upstream-options.ts';

const EMPTY = new Uint8Array(0);
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface PreparedRequest {
  /** Not the account's own host: it must not see the account's credentials. */
  readonly isForeign: boolean;
  readonly request: Dispatcher.DispatchOptions & { readonly origin: string; readonly headers: Record<string, string> };
}

export interface OpenedReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Dispatcher.ResponseData['body'];
}

/** Synchronous unless the signature takes a call of its own. */
export function prepare(
  options: UpstreamOptions,
  request: UpstreamRequest,
): PreparedRequest | Promise<PreparedRequest> {
  const { account, traceParent, deadlines } = options;
  const address = request.url === undefined ? below(account.baseUrl, request.path) : addressOf(new URL(request.url));
  const encoded = encodeBody(request);
  const isForeign = request.url !== undefined && !isOwn(options, address.origin);
  const headers: Record<string, string> = {
    ...(isForeign ? undefined : options.headers),
    ...encoded.headers,
    ...request.headers,
  };
  if (traceParent !== undefined && !isForeign) addTraceParent(headers, traceParent());
  const prepared: PreparedRequest = {
    isForeign,
    request: {
      origin: address.origin,
      path: address.path,
      method: request.method,
      headers,
      body:
        encoded.stream !== undefined ? Readable.from(encoded.stream(), { objectMode: false }) : (encoded.bytes ?? null),
      headersTimeout: firstByteOf(request, deadlines) * 1000,
      bodyTimeout: deadlines.idle * 1000,
    },
  };
  const signing = isForeign ? undefined : sign(options, headers, address, request, encoded.bytes ?? EMPTY);
  return signing === undefined ? prepared : signing.then(() => prepared);
}

/** Only of an account's own host: those that replies name are without number. */
export function poolOf({ pools, deadlines }: UpstreamOptions, { request }: PreparedRequest): Dispatcher {
  return pools.for(request.origin, deadlines.connect);
}

export async function transmit(options: UpstreamOptions, request: UpstreamRequest, hops = 0): Promise<OpenedReply> {
  const { signal } = options;
  const prepared = await prepare(options, request);
  if (prepared.isForeign) return askStranger(options, request, prepared.request.headers);
  try {
    const pool = poolOf(options, prepared);
    const reply = await pool.request({ ...prepared.request, ...(signal !== undefined && { signal }) });
    reply.body.on('error', readersBusiness);
    const sent = { status: reply.statusCode, headers: flatHeaders(reply.headers), body: reply.body };
    return request.url === undefined ? sent : await redirected(options, request, sent, hops);
  } catch (error) {
    throw transportError(error, 'before it answered');
  }
}

/** A file's address may lead elsewhere: within the account's origin with its credentials, anywhere else as a stranger. */
async function redirected(
  options: UpstreamOptions,
  request: UpstreamRequest,
  sent: OpenedReply,
  hops: number,
): Promise<OpenedReply> {
  const location = sent.headers['location'];
  if (request.method !== 'GET' || location === undefined || !REDIRECTS.has(sent.status)) return sent;
  await sent.body.dump();
  if (hops >= MAX_REDIRECTS || !URL.canParse(location, request.url)) {
    throw new GatewayError('upstream_malformed', 'the vendor’s file could not be found', { taken: 'no' });
  }
  return transmit(options, { ...request, url: new URL(location, request.url).href }, hops + 1);
}

/** A vendor's reply may name any address: it goes through the untrusted fetcher, without credentials, and is only ever read. */
async function askStranger(
  { untrustedFetcher, signal, deadlines }: UpstreamOptions,
  request: UpstreamRequest,
  headers: Record<string, string>,
): Promise<OpenedReply> {
  if (request.method !== 'GET') {
    throw new GatewayError('upstream_malformed', 'the vendor named a foreign address for a request with credentials', {
      taken: 'no',
    });
  }
  try {
    return await untrustedFetcher.open(request.url ?? '', {
      headers,
      ...(signal !== undefined && { signal }),
      firstByteSeconds: firstByteOf(request, deadlines),
    });
  } catch (error) {
    throw transportError(error, 'before it answered');
  }
}

/** The account's own host, or another one of its vendor's. */
function isOwn({ account: { baseUrl }, adapter }: UpstreamOptions, origin: string): boolean {
  if (origin === baseOf(baseUrl).origin) return true;
  return origin.startsWith('https://') && adapter.ownsHost?.(new URL(origin).hostname, baseUrl) === true;
}

function sign(
  options: UpstreamOptions,
  headers: Record<string, string>,
  address: Address,
  request: UpstreamRequest,
  bodyBytes: Uint8Array,
): undefined | Promise<void> {
  const signable: SignableRequest = {
    method: request.method,
    url: address.origin + address.path,
    headers,
    bodyBytes,
    send: (exchange) => sendUnsigned(exchange, options),
  };
  const signed = options.adapter.authorize(signable, options.account, options.now());
  if (signed instanceof Promise) return signed.then((late) => addHeaders(headers, late));
  addHeaders(headers, signed);
  return undefined;
}

/** Seconds until the answer must have begun. */
function firstByteOf({ firstByteSeconds }: UpstreamRequest, { firstByte, isFirstByteSaid }: Deadlines): number {
  return isFirstByteSaid === true ? firstByte : (firstByteSeconds ?? firstByte);
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
