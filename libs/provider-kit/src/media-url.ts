/**
 * The only way to addresses that come from callers or vendors' replies: untrusted. http/https only, public addresses only, checked at
 * connect time on the address actually used, every redirect hop re-checked, size and time bounded (docs/architecture.md#security).
 */
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { GatewayError } from '@model-gateway/contracts';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import type { MediaLimits } from './adapter.ts';
import { createFetchTurns, createPaceJudge, type MediaPace } from './fetch-turns.ts';

const MAX_REDIRECTS = 5;
const CONNECT_SECONDS = 5;
const FIRST_BYTE_SECONDS = 30;
const IDLE_SECONDS = 30;
/** 50 MB at a megabyte a second; a picture of a slow server too, but no byte a second. */
export const USUAL_PACE: MediaPace = { graceSeconds: 5, leastBytesPerSecond: 16_384, deadlineSeconds: 60 };
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface UntrustedFetcherOptions {
  /** `10.0.0.0/8`, `127.0.0.1:9000`: what the operator means to open (security.allow_private). */
  readonly allowPrivate: readonly string[];
  /** How names become addresses; default the system's resolver. */
  readonly lookup?: typeof dnsLookup;
  /** How fast a file that is read whole must come; `USUAL_PACE` when absent. */
  readonly pace?: MediaPace;
  /** Milliseconds of any clock that only rises; default the process's own. */
  readonly now?: () => number;
}

export interface MediaResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface UntrustedFetcher {
  /**
   * Reads a file whole; 400 `invalid_request` naming `limits.param` when it cannot be had, comes too slowly, is too large or is of another
   * type. `onBehalfOf` names whose wish it is: a few files at once for each, the others wait; `rate_limited` when too many wait.
   */
  fetch(
    url: string,
    limits: MediaLimits,
    signal?: AbortSignal,
    onBehalfOf?: string,
  ): Promise<{ readonly bytes: Uint8Array; readonly mime: string }>;
  /** Opens a file as a stream; `headers` may carry a Range. Redirects are followed and re-checked. Extra headers go to the first origin only, a Range to every one. */
  open(url: string, options: OpenOptions): Promise<MediaResponse>;
  /** Whether the address is certainly never called: its host is `localhost` or a literal address (in any spelling) that is not public. Names are judged when they are called. */
  isNeverCalled(url: string): boolean;
  close(): Promise<void>;
}
export interface OpenOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly firstByteSeconds?: number;
  /** Between two pieces of the body; 30 when absent. */
  readonly idleSeconds?: number;
  /** Webhooks: a redirect is the receiver's fault, not followed. */
  readonly followRedirects?: boolean;
}

interface Fetched {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

interface Opening {
  readonly range: [ipaddr.IPv4 | ipaddr.IPv6, number];
  readonly port: number | undefined;
}

/** Thrown before or inside the connector; its message is the reason a caller is told, so it names no address. */
class ForbiddenAddress extends Error {}
const NOT_PUBLIC = 'the address is not a public one';

/**
 * Whoever reads a body meets its error there. A body that is thrown away unread has no reader, and an error event without a listener would
 * end the process: `body.destroy()` emits one.
 */
export function readersBusiness(): void {
  // Nothing to do.
}

/** Makes the only fetcher of untrusted addresses. */
export function createUntrustedFetcher(options: UntrustedFetcherOptions): UntrustedFetcher {
  return new GuardedFetcher(options);
}

class GuardedFetcher implements UntrustedFetcher {
  private readonly openings: readonly Opening[];
  private readonly pace: MediaPace;
  private readonly now: () => number;
  private readonly turns = createFetchTurns();
  private readonly agent: Agent;

  constructor({ allowPrivate, lookup = dnsLookup, pace = USUAL_PACE, now }: UntrustedFetcherOptions) {
    this.openings = allowPrivate.map(parseOpening);
    this.pace = pace;
    this.now = now ?? (() => performance.now());
    this.agent = new Agent({
      connect: guardedConnector(this.openings, lookup),
      headersTimeout: FIRST_BYTE_SECONDS * 1000,
      bodyTimeout: IDLE_SECONDS * 1000,
      connections: 64,
      pipelining: 1,
    });
  }

  fetch(url: string, limits: MediaLimits, signal?: AbortSignal, onBehalfOf?: string): Promise<Fetched> {
    const read = (): Promise<Fetched> => this.readWhole(url, limits, signal);
    return onBehalfOf === undefined ? read() : this.turns.take(onBehalfOf, read, signal);
  }

  async open(url: string, how: OpenOptions): Promise<MediaResponse> {
    let address = checkedUrl(url);
    const origin = address.origin;
    for (let hop = 0; ; hop++) {
      const reply = await this.ask(address, address.origin === origin ? how.headers : rangeOf(how.headers), how);
      const location = reply.headers['location'];
      // A body is meant for the address it was sent to, and for no other.
      const follows = how.followRedirects !== false && how.body === undefined;
      if (!follows || !REDIRECTS.has(reply.statusCode) || typeof location !== 'string') {
        return { status: reply.statusCode, headers: flatHeaders(reply.headers), body: reply.body };
      }
      await reply.body.dump();
      if (hop >= MAX_REDIRECTS) throw new ForbiddenAddress('it redirects too often');
      address = checkedUrl(URL.canParse(location, address.href) ? new URL(location, address.href).href : location);
    }
  }

  isNeverCalled(url: string): boolean {
    const { hostname, port, protocol } = new URL(url);
    const literal = literalOf(hostname);
    // A name that is loopback by standard (RFC 6761): as good as its address.
    const address = /^(?:.*\.)?localhost\.?$/.test(hostname) ? '127.0.0.1' : literal;
    return isIP(address) !== 0 && !isAllowed(address, portOf(port, protocol), this.openings);
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private async ask(address: URL, headers: OpenOptions['headers'], how: OpenOptions): Promise<Dispatcher.ResponseData> {
    const reply = await request(address, {
      dispatcher: this.agent,
      method: how.method ?? 'GET',
      headers: { 'accept-encoding': 'identity', ...headers },
      body: how.body ?? null,
      ...(how.firstByteSeconds !== undefined && { headersTimeout: how.firstByteSeconds * 1000 }),
      ...(how.idleSeconds !== undefined && { bodyTimeout: how.idleSeconds * 1000 }),
      ...(how.signal !== undefined && { signal: how.signal }),
    });
    reply.body.on('error', readersBusiness);
    return reply;
  }

  private async readWhole(url: string, limits: MediaLimits, signal: AbortSignal | undefined): Promise<Fetched> {
    const { deadlineSeconds } = this.pace;
    const judge = createPaceJudge(this.pace, this.now);
    const late = AbortSignal.timeout(deadlineSeconds * 1000);
    try {
      const reply = await this.open(url, {
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        firstByteSeconds: Math.min(FIRST_BYTE_SECONDS, deadlineSeconds),
      });
      if (reply.status !== 200) {
        await dumpRefusal(reply);
        throw unusable(limits.param, `the address answered ${reply.status} instead of 200`);
      }
      const bytes = await readBounded(reply, limits, judge);
      return { bytes, mime: await acceptedType(bytes, limits) };
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      signal?.throwIfAborted();
      if (late.aborted) throw unusable(limits.param, `it took longer than ${deadlineSeconds} seconds`);
      throw unusable(limits.param, reasonOf(error));
    }
  }
}

/** By the bytes: what the address says of them is only its word. */
async function acceptedType(bytes: Uint8Array, { types, param }: MediaLimits): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(bytes))?.mime ?? '';
  if (types.includes(mime)) return mime;
  const found = mime === '' ? 'of an unknown type' : mime;
  throw unusable(param, `the file is ${found}; allowed are ${types.join(', ')}`);
}

/** The host of a URL without the brackets around IPv6. */
function literalOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf(port: string, protocol: string): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Which part is wanted is no secret, and the wrong part is no answer. */
function rangeOf(headers: OpenOptions['headers']): Record<string, string> {
  const range = headers?.['range'];
  return range === undefined ? {} : { range };
}

/** What a refusal says is of no use; more of it than this is not read to keep its connection. */
async function dumpRefusal({ body }: MediaResponse): Promise<void> {
  await body.dump({ limit: 16_384 });
}

async function readBounded(
  reply: MediaResponse,
  limits: MediaLimits,
  judge: (bytes: number) => string | undefined,
): Promise<Uint8Array> {
  const tooLarge = (): GatewayError => unusable(limits.param, `the file is larger than ${limits.maxBytes} bytes`);
  if (Number(reply.headers['content-length'] ?? 0) > limits.maxBytes) {
    reply.body.destroy();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limits.maxBytes) throw tooLarge();
    const tooSlow = judge(size);
    if (tooSlow !== undefined) throw unusable(limits.param, tooSlow);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function unusable(param: string, reason: string): GatewayError {
  return new GatewayError('invalid_request', `${param} could not be fetched: ${reason}`, { param });
}

function reasonOf(error: unknown): string {
  for (const candidate of [error, (error as Error | undefined)?.cause]) {
    if (candidate instanceof ForbiddenAddress) return candidate.message;
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is unknown';
  if (code === 'ECONNREFUSED') return 'the host refused the connection';
  if (code?.includes('TIMEOUT') === true) return 'the host did not answer in time';
  return 'the download failed';
}

function checkedUrl(url: string): URL {
  if (!URL.canParse(url)) throw new ForbiddenAddress('it is no web address');
  const address = new URL(url);
  if (address.protocol !== 'http:' && address.protocol !== 'https:') {
    throw new ForbiddenAddress('only http and https addresses are fetched');
  }
  if (address.username !== '' || address.password !== '') {
    throw new ForbiddenAddress('it carries a user name or a password');
  }
  return address;
}

/** Checks literals before connecting and resolved names inside the lookup the socket really uses: a name cannot be re-bound in between. */
function guardedConnector(openings: readonly Opening[], resolve: typeof dnsLookup): buildConnector.connector {
  const connectors = new Map<number, buildConnector.connector>();
  return (target, callback) => {
    const port = portOf(target.port, target.protocol);
    const literal = literalOf(target.hostname);
    if (isIP(literal) !== 0 && !isAllowed(literal, port, openings)) {
      callback(new ForbiddenAddress(NOT_PUBLIC), null);
      return;
    }
    let connect = connectors.get(port);
    if (connect === undefined) {
      connect = buildConnector({
        timeout: CONNECT_SECONDS * 1000,
        lookup: guardedLookup(port, openings, resolve),
      });
      if (connectors.size < 256) connectors.set(port, connect);
    }
    connect(target, callback);
  };
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

function guardedLookup(port: number, openings: readonly Opening[], resolve: typeof dnsLookup) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => isAllowed(address, port, openings));
      const first = allowed[0];
      if (first === undefined) return callback(new ForbiddenAddress(NOT_PUBLIC), []);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** Whether a resolved address may be connected to: public, or opened by the operator. */
export function isAllowed(address: string, port: number, openings: readonly Opening[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'unicast' && !isHiddenIpv4(parsed) && !METADATA.includes(parsed.toString())) return true;
  return openings.some(
    ({ range, port: openPort }) =>
      range[0].kind() === parsed.kind() && parsed.match(range) && (openPort === undefined || openPort === port),
  );
}

/** Metadata and management addresses of clouds that lie in public ranges; the others (169.254.169.254, 100.100.100.200, fd00:ec2::254) do not. */
const METADATA = ['168.63.129.16'];

/** `::7f00:1`: an IPv4 address in the deprecated "compatible" spelling, which some systems still connect to. */
function isHiddenIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.parts.slice(0, 6).every((part) => part === 0);
}

/** Reads `10.0.0.0/8`, `127.0.0.1:9000`, `[fd00::1]:80`. Throws on anything else. */
export function parseOpening(text: string): Opening {
  const withPort = /^(?:\[(?<six>[^\]]+)\]|(?<four>[0-9./]+)):(?<port>\d+)$/.exec(text);
  const address = withPort?.groups?.['six'] ?? withPort?.groups?.['four'] ?? text;
  const port = withPort?.groups?.['port'];
  const range = address.includes('/')
    ? ipaddr.parseCIDR(address)
    : ([ipaddr.parse(address), address.includes(':') ? 128 : 32] as [ipaddr.IPv4 | ipaddr.IPv6, number]);
  return { range, port: port === undefined ? undefined : Number(port) };
}

/** Header values as single strings, lower-case names. */
export function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
