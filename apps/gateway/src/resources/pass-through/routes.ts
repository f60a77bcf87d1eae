/** `/pass/{account}/…`: requests to a vendor's own paths, as far as the operator has opened them (docs/guides/pass-through.md). */
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS } from '@model-gateway/contracts';
import {
  newTrace,
  openedPathOf,
  ownIdempotencyKey,
  PASS_THROUGH_PREFIX,
  passOn,
  passThroughFor,
  queryWithout,
  type ApiKeyAuthenticator,
  type Catalogue,
  type OpenedPath,
  type PassedAnswer,
  type PassThroughParts,
} from '@model-gateway/core';
import type { UpstreamRequest } from '@model-gateway/provider-kit';
import type { Handler, Handlers } from '../../http/operation.ts';
import { pipeBody, writeTrace } from '../../http/reply.ts';
import { refuseControl } from '../../http/request-control.ts';
import { tokenOf } from '../../http/steps/authenticate.ts';
import { createDiscard } from '../../http/steps/print-error.ts';

export interface PassThroughRouteParts extends PassThroughParts {
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
}

/** Of the caller's headers these go along; the gateway's key, cookies and whatever leads elsewhere are not among them. */
const SENT =
  /^(?:accept|accept-language|content-(?:type|encoding|language|disposition|md5)|range|if-[a-z-]+|anthropic-(?:version|beta)|openai-beta|x-goog-(?:upload-[a-z-]+|fieldmask))$/;
/**
 * Of the vendor's headers these stay behind: the connection's own, those that speak for its origin or lead elsewhere, orders to proxies and
 * caches before this gateway, and what names or opens the account.
 */
const KEPT_BACK = new RegExp(
  `^(?:${[
    'connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|server|via|date',
    'set-cookie2?|www-authenticate|alt-svc|strict-transport-security|access-control-.*|content-security-policy.*|clear-site-data',
    'service-worker-.*|nel|report-to|reporting-endpoints|refresh|location|content-location',
    'x-accel-.*|x-sendfile.*|x-lighttpd-.*|x-reproxy-.*|surrogate-.*|(?:.*-)?cdn-.*',
    'x-gateway-.*|x-ratelimit-.*|anthropic-ratelimit-.*|(?:x-)?request-id',
    'openai-(?:organization|project)|anthropic-organization-id|x-goog-user-project|x-goog-upload-(?:url|control-url)',
  ].join('|')})$`,
);
/** What lets a cache give an answer to others than its caller. */
const SHARED_CACHING = /^(?:public|private|s-maxage|proxy-revalidate|immutable)\b/i;
const DISCARD = { bytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** Handlers of the operations, one for each method. */
export function passThroughRoutes(parts: PassThroughRouteParts): Handlers {
  const discard = createDiscard(DISCARD);
  const pass: Handler = async (request, response) => {
    const { exchange } = response.locals;
    const { account: name = '', path = '' } = request.params as Record<string, string>;
    const { caller } = exchange;
    refuseControl(request);
    const passThrough = passThroughFor(parts.catalogue(), name, caller.key);
    const model = PASS_THROUGH_PREFIX + passThrough.account;
    exchange.knownModel = model;
    parts.authenticator.checkModel(caller.key, model);
    const opened = openedPathOf(passThrough, request.method, path);
    const offer = passThrough.offers[caller.mode];
    if (offer === undefined)
      throw new GatewayError('unavailable', 'no account answers for keys of this mode at the moment');
    const body = bodyOf(request, passThrough.bodyLimit);
    const trace = (exchange.trace = newTrace());
    let answer: PassedAnswer;
    try {
      answer = await passOn(
        parts,
        {
          caller,
          opened,
          offer,
          endpoint: OPERATIONS.getPassThrough.path,
          request: {
            method: request.method as UpstreamRequest['method'],
            path: `/${path}${queryWithout(queryOf(request), tokenOf(request))}`,
            headers: headersOf(request, opened, response),
            ...(body.source !== undefined && { source: body.source }),
          },
          isSent: body.isSent,
        },
        trace,
      );
    } finally {
      writeTrace(response, trace);
    }
    if (answer.refusal !== undefined) exchange.errorCode = answer.refusal.code;
    exchange.firstByteAt = parts.now();
    exchange.streamed = true;
    await send(answer, response);
    discard(request);
  };
  return {
    getPassThrough: pass,
    postPassThrough: pass,
    putPassThrough: pass,
    patchPassThrough: pass,
    deletePassThrough: pass,
  };
}

function queryOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}

function headersOf(request: Request, { headers: more }: OpenedPath, response: Response): Record<string, string> {
  const sent: Record<string, string> = { 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && (SENT.test(name) || more.has(name)))
      sent[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const given = request.headers['idempotency-key'];
  if (typeof given === 'string')
    sent['idempotency-key'] = ownIdempotencyKey(given, response.locals.exchange.caller.key);
  return sent;
}

interface Body {
  /** Absent where there is none. */
  readonly source?: NonNullable<UpstreamRequest['source']>;
  readonly isSent: () => boolean;
}

/** The body as it comes, at the vendor's pace. Throws `body_too_large` where it says that it is; one that does not is cut at the limit. */
function bodyOf(request: Request, limit: number): Body {
  const length = request.headers['content-length'];
  const isSent = (): boolean => request.complete;
  if (request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0'))
    return { isSent: () => true };
  const size = length === undefined ? undefined : Number(length);
  if (size !== undefined && size > limit) throw tooLarge(limit);
  async function* open(): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      // A refusal can only be read while the connection stands.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        read += chunk.length;
        if (read > limit) throw tooLarge(limit);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof GatewayError
        ? error
        : new GatewayError('invalid_request', 'the body broke off', { taken: 'no' });
    }
  }
  return { source: { size, open }, isSent };
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('body_too_large', `the body is larger than the ${limit} bytes that are passed on here`, {
    taken: 'no',
  });
}

/** How long the caller may keep an answer, which is nobody else's. */
function privately(said: string): string {
  const kept = said.split(',').map((directive) => directive.trim());
  return ['private', ...kept.filter((directive) => directive !== '' && !SHARED_CACHING.test(directive))].join(', ');
}

async function send({ status, headers, body, refusal }: PassedAnswer, response: Response): Promise<void> {
  const named = new Set((headers['connection'] ?? '').split(',').map((name) => name.trim().toLowerCase()));
  for (const [name, value] of Object.entries(headers)) {
    // A refusal is read before it is sent, and may have become shorter.
    if (KEPT_BACK.test(name) || named.has(name) || (refusal !== undefined && name === 'content-length')) continue;
    response.setHeader(name, value);
  }
  response.setHeader('cache-control', privately(headers['cache-control'] ?? ''));
  // A page of somebody else's must not act as one of the gateway's in a browser that is signed in.
  response.setHeader('content-security-policy', "sandbox; default-src 'none'");
  response.setHeader('x-content-type-options', 'nosniff');
  if (status >= 400) response.setHeader('x-gateway-error-source', 'upstream');
  response.writeHead(status);
  try {
    await pipeBody(body, response);
  } catch {
    // The head has gone out: a cut connection is the only honest end.
    response.destroy();
  }
}
