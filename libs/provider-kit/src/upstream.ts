/**
 * The one safe way to ask a vendor: a connection pool per account, deadlines for connect, first byte and silence, refusals as
 * GatewayError, and the answer to the question "may the vendor have taken it?".
 */
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import { poolOf, prepare, transmit, type OpenedReply } from './account-requests.ts';
import type {
  Account,
  SocketMessage,
  SocketOpening,
  Upstream,
  UpstreamReply,
  UpstreamSocket,
  UpstreamStream,
} from './adapter.ts';
import { inSlices } from './end-of-turn.ts';
import { parseVendorJson } from './json.ts';
import { parseLargeJson, parseLongTexts } from './long-texts.ts';
import { readersBusiness } from './media-url.ts';
import { faultOfStatus, faultToError, transportError } from './refusal.ts';
import { LARGEST_REFUSAL, refusalBody, wholeBody } from './reply-body.ts';
import type { AnsweredHeaders, UpstreamOptions } from './upstream-options.ts';
import { storable, cleanVendorText } from './vendor-text.ts';
import { askWhole, SLICED_FROM, type WholeReply } from './whole-reply.ts';

export type { AnsweredHeaders, Deadlines, UpstreamOptions } from './upstream-options.ts';

const MAX_REPLY_BYTES = 96 * 1024 * 1024;

/**
 * Opens the upstream handle of one vendor model of one account. It is a plain object, which callers copy with a member replaced; the
 * account's secrets are no part of it.
 */
export function openUpstream(given: UpstreamOptions): Upstream {
  const { headers } = given;
  // Their values are kept out of what the vendor says, as credentials are.
  const options = headers === undefined ? given : { ...given, account: { ...given.account, headers } };
  const { account, adapter, signal } = options;
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
        reply = await readWhole(await transmit(options, request), limit);
      } else {
        const preparing = prepare(options, request);
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
        const whole = await askWhole(poolOf(options, prepared), prepared.request, limits, signal);
        keepRoom(whole, options.answered);
        reply = whole.body.length < SLICED_FROM ? withJson(whole) : await withLargeJson(whole);
        if (!prepared.isForeign) hear(options, reply.headers);
      }
      refuse(options, reply, request.notFound);
      return request.answer?.whole?.(reply) ?? reply;
    },
    async stream(request): Promise<UpstreamStream> {
      const sent = await transmit(options, request);
      hear(options, sent.headers);
      if (sent.status >= 400) refuse(options, await readWhole(sent));
      const read = request.answer?.stream?.(sent.body, sent.headers);
      if (read === undefined) return streamOf(sent);
      read.on('error', readersBusiness);
      const asEvents = { ...sent.headers, 'content-type': 'text/event-stream' };
      return { status: sent.status, headers: asEvents, body: guardedBody(read), raw: read };
    },
    connect: (request) => connect(options, request),
    converse: (socket, message) => converse(options, socket, message),
    async forward(request): Promise<UpstreamStream> {
      const sent = await transmit(options, request);
      hear(options, sent.headers);
      return streamOf(sent);
    },
    fetchMedia: (url, limits) => options.untrustedFetcher.fetch(url, limits, signal),
    pause: (ms) => pause(ms, signal),
    scrub: (text) => cleanVendorText(text, account),
    storable: (payload) => storable(payload, account),
  };
}

function settingsOf(account: Account, identifiers: readonly string[]): Readonly<Record<string, string>> {
  if (identifiers.length === 0) return account.settings;
  const shown = Object.entries(account.credentials).filter(([name]) => identifiers.includes(name));
  return { ...account.settings, ...Object.fromEntries(shown) };
}

async function connect(options: UpstreamOptions, request: SocketOpening): Promise<UpstreamSocket> {
  const { openSocket, isSocket } = await import('./upstream-socket.ts');
  const { request: prepared } = await prepare(options, { method: 'GET', ...request });
  const { signal, deadlines } = options;
  const opened = await openSocket({
    ...{ url: prepared.origin + prepared.path, headers: prepared.headers },
    seconds: request.seconds ?? deadlines.connect + deadlines.firstByte,
    ...(signal !== undefined && { signal }),
  });
  if (isSocket(opened)) return opened;
  hear(options, opened.headers);
  refuse(options, opened);
  throw new GatewayError('upstream_malformed', 'the vendor did not open a WebSocket', { taken: 'no' });
}

async function converse(
  options: UpstreamOptions,
  socket: UpstreamSocket,
  message: SocketMessage,
): Promise<Pick<UpstreamStream, 'raw'>> {
  const { SocketAnswer } = await import('./upstream-socket.ts');
  const { signal, deadlines } = options;
  const raw = new SocketAnswer(socket, message, { deadlines, ...(signal !== undefined && { signal }) });
  raw.on('error', readersBusiness);
  const refused = await raw.begun();
  if (refused !== undefined) refuse(options, refused);
  return { raw };
}

function hear({ answered, heard }: UpstreamOptions, headers: Readonly<Record<string, string>>): void {
  if (answered !== undefined) answered.vendorHeaders = headers;
  heard?.(headers);
}

function refuse({ adapter, account }: UpstreamOptions, reply: UpstreamReply, notFound?: 'task'): void {
  const fault = adapter.readFault(reply) ?? faultOfStatus(reply);
  if (fault === undefined) return;
  const missing = notFound === 'task' && reply.status === 404;
  throw faultToError(missing ? { ...fault, code: 'task_not_exist' } : fault, account, reply);
}

async function readWhole({ status, headers, body }: OpenedReply, limit = MAX_REPLY_BYTES): Promise<UpstreamReply> {
  return withJson({
    ...{ status, headers },
    // The status of a refusal has said already what a cut connection would leave open.
    body: status >= 400 ? await refusalBody(body, { orLess: true }) : await wholeBody(body, limit),
  });
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

function keepRoom({ release }: WholeReply, answered: AnsweredHeaders | undefined): void {
  if (release === undefined) return;
  if (answered === undefined) {
    release();
    return;
  }
  answered.releaseReply?.();
  answered.releaseReply = release;
}

function streamOf({ status, headers, body }: OpenedReply): UpstreamStream {
  return { status, headers, body: guardedBody(body), raw: body };
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
