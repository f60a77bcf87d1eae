/** The first step of every request: an id, a clock, one log line and one metric at its end. */
import type { NextFunction, Request, Response } from 'express';
import type { Meter } from '@model-gateway/core';
import { contextOf, type Context, type ErrorForm } from './context.ts';
import { newRequestId } from './request-id.ts';

const GIVEN_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** One line of the log: always the same members; what is undefined is not printed. */
export interface RequestLine {
  readonly request_id: string;
  readonly client_request_id: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly aborted: true | undefined;
  readonly key_id: number | undefined;
  readonly model: string | undefined;
  readonly error: string | undefined;
  readonly first_byte_ms: number | undefined;
  readonly account_id: number | undefined;
  readonly attempts: number | undefined;
  readonly input_tokens: number | undefined;
  readonly output_tokens: number | undefined;
  readonly units: number | undefined;
}

export interface BeginOptions {
  readonly now: () => number;
  readonly tellRequest: (line: RequestLine) => void;
  readonly meter: Meter;
  /** True while the process shuts down. */
  readonly draining: () => boolean;
}

/** Makes the first middleware. */
export function begin({ now, tellRequest, meter }: BeginOptions) {
  return (request: Request, response: Response, next: NextFunction): void => {
    // Catalogues show some paths with a trailing slash; it is not part of the real path (service.md).
    stripTrailingSlash(request);
    const path = request.path;
    const startedAt = now();
    const context: Context = {
      // Never the caller's own: the ledger charges an id once, whoever chose it.
      requestId: newRequestId(startedAt),
      startedAt,
      errorForm: errorFormOf(path),
      openAiGroup: path === '/v1/chat/completions' || path.startsWith('/v1/videos'),
    };
    response.locals['context'] = context;
    response.setHeader('x-request-id', context.requestId);
    response.once('close', () => finish(request, response, path));
    next();
  };

  function finish(request: Request, response: Response, path: string): void {
    const context = contextOf(response);
    const { trace, key } = context;
    const ms = now() - context.startedAt;
    const aborted = !response.writableFinished;
    const route = routeLabel(path);
    meter.count('gateway_requests', { route, status: String(response.statusCode) });
    meter.observe('gateway_request_seconds', ms / 1000, { route });
    tellRequest({
      request_id: context.requestId,
      client_request_id: givenId(request),
      method: request.method,
      path,
      status: response.statusCode,
      ms,
      aborted: aborted ? true : undefined,
      key_id: key?.id,
      model: context.model,
      error: context.errorCode,
      first_byte_ms: context.firstByteAt === undefined ? undefined : context.firstByteAt - context.startedAt,
      account_id: trace?.accountId,
      attempts: trace?.attempts,
      input_tokens: trace?.usage?.inputTokens,
      output_tokens: trace?.usage?.outputTokens,
      units: trace?.charged,
    });
  }
}

/** The id that the caller has for it, for people who look for both. */
function givenId(request: Request): string | undefined {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : undefined;
}

function stripTrailingSlash(request: Request): void {
  const query = request.url.indexOf('?');
  const end = query === -1 ? request.url.length : query;
  let last = end;
  while (last > 1 && request.url[last - 1] === '/') last--;
  if (last !== end) {
    request.url = request.url.slice(0, last) + request.url.slice(end);
    request.originalUrl = request.url;
  }
}

function errorFormOf(path: string): ErrorForm {
  if (path.startsWith('/v1/messages')) return 'anthropic-messages';
  if (path.startsWith('/v1beta/') || /^\/v1\/models\/[^/]+:/.test(path)) return 'gemini-generate';
  if (path.startsWith('/v1/responses')) return 'openai-responses';
  if (path.startsWith('/v1/video/generations') || path.startsWith('/v1/videos') || path.startsWith('/v1/general/'))
    return 'task';
  return 'openai-chat';
}

/** Ids in paths must not become labels. */
function routeLabel(path: string): string {
  const [, first = '', second = '', third = ''] = path.split('/');
  if (first === 'v1beta' || (second === 'models' && third.includes(':'))) return `/${first}/models`;
  if (first === 'v1')
    return third === 'completions' || third === 'generations' || third === 'edits' || third === 'speech'
      ? `/v1/${second}/${third}`
      : `/v1/${second}`;
  return first === 'admin' ? `/admin/${second}` : `/${first}`;
}
