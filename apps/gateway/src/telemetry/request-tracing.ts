/** Spans: one for a request, one for every attempt at a vendor within it, and those of work on tasks. Names as OpenTelemetry has them, 2026-11. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context as OtelContext,
  type Span,
  type Tracer,
  isSpanContextValid,
  TraceFlags,
  type SpanContext,
} from '@opentelemetry/api';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import { operationOf, providerOf, type AttemptEnd, type Tracing } from '@model-gateway/core';
import { TraceState } from '@opentelemetry/core';

export interface RequestBegin {
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly requestId: string;
  readonly traceParent: string | undefined;
  readonly traceState: string | undefined;
}

export interface RequestEnd {
  readonly status: number;
  readonly aborted: boolean;
  readonly errorCode: string | undefined;
  readonly keyId: number | undefined;
  readonly mode: string | undefined;
  /** Milliseconds from the request to the first byte of a streamed answer. */
  readonly firstByteMs: number | undefined;
  /** What was said, for the attempt that answered; asked for only where it is recorded. */
  readonly content: (() => Attributes) | undefined;
}

export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether anybody will see it. */
  readonly isRecorded: boolean;
  /** Runs the rest of the request within the span. */
  run<T>(rest: () => T): T;
  ended(end: RequestEnd): void;
}

export interface RequestTracing extends Tracing {
  request(begin: RequestBegin): RequestSpan;
  /** The trace of what runs now, for lines of the log. */
  ids(): { readonly trace_id: string; readonly span_id: string } | undefined;
  /** Characters of messages that are recorded; undefined: none. */
  readonly contentLimit: number | undefined;
}

/** An attempt that has ended and waits for the end of its request, which may know more of it. */
interface Attempt {
  readonly span: Span;
  readonly beganAt: number;
  endedAt: number | undefined;
}

/** What runs within one asynchronous context. */
interface Running {
  readonly span: Span;
  readonly context: OtelContext;
  readonly beganAt: number;
  /** The last one. */
  attempt: Attempt | undefined;
  isOver: boolean;
}

/** Makes the spans of one process. */
export function createRequestTracing(tracer: Tracer, contentLimit: number | undefined): RequestTracing {
  const storage = new AsyncLocalStorage<Running>();

  const begin = (name: string, kind: SpanKind, given: { attributes: Attributes; parent: OtelContext }): Running => {
    const beganAt = clock();
    const span = tracer.startSpan(name, { kind, attributes: given.attributes, startTime: beganAt }, given.parent);
    const context = trace.setSpan(given.parent, span);
    return { span, context, beganAt, attempt: undefined, isOver: false };
  };
  const current = (): Span | undefined => {
    const running = storage.getStore();
    return running?.attempt?.endedAt === undefined ? (running?.attempt?.span ?? running?.span) : running.span;
  };

  return {
    contentLimit,
    request({ method, route, path, requestId, traceParent, traceState }) {
      const running = begin(`${method} ${route}`, SpanKind.SERVER, {
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'url.path': path,
          'url.scheme': 'http',
          'gateway.request.id': requestId,
        },
        parent: parentOf(traceParent, traceState),
      });
      const { span } = running;
      return {
        ...span.spanContext(),
        isRecorded: span.isRecording(),
        run: (rest) => storage.run(running, rest),
        ended: (end) => endRequest(running, end),
      };
    },
    attempt({ offer, model, kind, dialect, number, after }) {
      const running = storage.getStore();
      const { account } = offer;
      const operation = operationOf(kind);
      const asked = model ?? offer.model;
      const beganAt = clock();
      const span = tracer.startSpan(
        `${operation} ${asked}`,
        {
          kind: SpanKind.CLIENT,
          startTime: beganAt,
          attributes: {
            'gen_ai.operation.name': operation,
            'gen_ai.provider.name': providerOf(account),
            'gen_ai.request.model': asked,
            'gen_ai.response.model': offer.model,
            ...addressOf(account.baseUrl),
            'gateway.account.id': account.id,
            'gateway.attempt': number,
            ...(dialect !== undefined && { 'gateway.dialect': dialect }),
            ...(after !== undefined && { 'gateway.retry.reason': after }),
          },
        },
        running?.context ?? ROOT_CONTEXT,
      );
      const attempt: Attempt = { span, beganAt, endedAt: undefined };
      if (running !== undefined) {
        close(running.attempt);
        running.attempt = attempt;
      }
      return {
        ended(end) {
          if (attempt.endedAt !== undefined) return;
          attempt.endedAt = clock();
          describeEnd(span, end);
          // The end of the request may know more of the attempt that answered it.
          if (running === undefined || running.isOver || end.error !== undefined) close(attempt);
        },
      };
    },
    async work({ name, taskId, traceParent, attributes }, run) {
      const running = begin(`${name} task`, SpanKind.CLIENT, {
        attributes: { 'gateway.task.id': taskId, ...attributes },
        parent: parentOf(traceParent),
      });
      const { span } = running;
      try {
        return await storage.run(running, () =>
          run({
            outcome(word, isFault) {
              span.setAttribute('gateway.outcome', word);
              if (isFault) span.setStatus({ code: SpanStatusCode.ERROR, message: word });
            },
          }),
        );
      } catch (error) {
        fail(span, codeOf(error));
        throw error;
      } finally {
        span.end(clock());
      }
    },
    traceParent() {
      const span = current();
      return span === undefined ? undefined : writeTraceParent(span.spanContext());
    },
    ids() {
      const running = storage.getStore();
      if (running === undefined) return undefined;
      const { traceId, spanId } = running.span.spanContext();
      return { trace_id: traceId, span_id: spanId };
    },
  };
}

/** Milliseconds since 1970, finer than the clock of the house: spans are compared with those of other processes. */
function clock(): number {
  return performance.timeOrigin + performance.now();
}

function parentOf(traceParent: string | undefined, traceState?: string): OtelContext {
  const remote = readTraceParent(traceParent, traceState);
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
}

function endRequest(running: Running, end: RequestEnd): void {
  const { span, attempt, beganAt } = running;
  running.isOver = true;
  if (attempt !== undefined && attempt.span.isRecording()) {
    const { firstByteMs, content } = end;
    if (firstByteMs !== undefined) {
      const seconds = (firstByteMs - (attempt.beganAt - beganAt)) / 1000;
      attempt.span.setAttributes({
        'gen_ai.request.stream': true,
        'gen_ai.response.time_to_first_chunk': Math.max(0, seconds),
      });
    }
    if (content !== undefined) attempt.span.setAttributes(content());
  }
  if (attempt?.endedAt !== undefined) close(attempt);
  span.setAttribute('http.response.status_code', end.status);
  if (end.keyId !== undefined) span.setAttribute('gateway.key.id', end.keyId);
  if (end.mode !== undefined) span.setAttribute('gateway.mode', end.mode);
  const error = end.errorCode ?? (end.aborted ? 'cancelled' : undefined);
  if (error !== undefined) span.setAttribute('error.type', error);
  // What the caller did wrong is no fault of the server's.
  if (end.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, ...(error !== undefined && { message: error }) });
  span.end(clock());
}

function close(attempt: Attempt | undefined): void {
  if (attempt?.span.isRecording() === true) attempt.span.end(attempt.endedAt ?? clock());
}

function describeEnd(span: Span, { error, isGone, usage, charged }: AttemptEnd): void {
  if (!span.isRecording()) return;
  if (usage !== undefined) span.setAttributes(usageAttributes(usage));
  if (charged !== undefined) span.setAttribute('gateway.charged_units', charged);
  if (isGone === true) span.setAttribute('error.type', 'cancelled');
  else if (error !== undefined) {
    fail(span, codeOf(error));
    const vendorCode = error instanceof GatewayError ? error.details.vendorCode : undefined;
    if (vendorCode !== undefined) span.setAttribute('gateway.vendor.code', vendorCode);
  }
}

function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Never a message: it may have a caller's or a vendor's words. */
function codeOf(error: unknown): string {
  return error instanceof GatewayError ? error.code : '_OTHER';
}

function addressOf(baseUrl: string): Attributes {
  if (!URL.canParse(baseUrl)) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  return { 'server.address': hostname, 'server.port': Number(port === '' ? (protocol === 'http:' ? 80 : 443) : port) };
}

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST_STATE = 512;

/** The span that a header names; undefined for what is none: it is ignored, as the recommendation says. */
export function readTraceParent(header: string | undefined, state?: string): SpanContext | undefined {
  const match = header === undefined ? null : TRACE_PARENT.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '00', rest] = match;
  // Later versions may have more behind the flags; the first has not, and 255 is none.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: (parseInt(flags, 16) & TraceFlags.SAMPLED) === 0 ? TraceFlags.NONE : TraceFlags.SAMPLED,
    isRemote: true,
    ...(state !== undefined && state !== '' && state.length <= LONGEST_STATE && { traceState: new TraceState(state) }),
  };
  return isSpanContextValid(found) ? found : undefined;
}

/** The header that names a span. */
export function writeTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Our counts by the names of OpenTelemetry's conventions for generative AI. */
const NAMES = {
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  inputAudioTokens: 'gen_ai.usage.audio.input_tokens',
  outputAudioTokens: 'gen_ai.usage.audio.output_tokens',
  inputImageTokens: 'gen_ai.usage.image.input_tokens',
  images: 'gateway.usage.images',
  seconds: 'gateway.usage.seconds',
  videos: 'gateway.usage.videos',
  characters: 'gateway.usage.characters',
} as const satisfies Partial<Record<keyof Usage, string>>;

/** What an attempt used, as attributes of its span. */
export function usageAttributes(usage: Usage): Attributes {
  const attributes: Attributes = {};
  for (const [count, name] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
    const value = usage[count];
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}
