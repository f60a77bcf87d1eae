/** The span of a request: what it says at the beginning and at the end. */
import type { Request } from 'express';
import type { RequestEnd, RequestTracing } from '../../telemetry/request-tracing.ts';
import type { Exchange } from '../exchange.ts';

/** Begins the span, as a part of the caller's trace where it names one. */
export function beginSpan(tracing: RequestTracing, request: Request, exchange: Exchange): void {
  exchange.span = tracing.request({
    method: request.method,
    route: exchange.match.place.metric,
    path: request.path,
    requestId: exchange.requestId,
    traceParent: headerOf(request, 'traceparent'),
    traceState: headerOf(request, 'tracestate'),
  });
}

/** What is known when the answer has ended. */
export function endOf(exchange: Exchange, status: number, aborted: boolean): RequestEnd {
  const { errorCode, key, knownCaller, streamed, firstByteAt, startedAt, content } = exchange;
  return {
    status,
    aborted,
    errorCode,
    keyId: key?.id,
    mode: knownCaller?.mode,
    firstByteMs: streamed && firstByteAt !== undefined ? firstByteAt - startedAt : undefined,
    content: content === undefined ? undefined : () => content.attributes(),
  };
}

function headerOf(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
