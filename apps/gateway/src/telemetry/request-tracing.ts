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
import {
  operationOf,
  providerOf,
  type AttemptAsked,
  type AttemptEnd,
  type AttemptSpan,
  type TaskWork,
  type TaskWorkSpan,
  type Tracing,
} from '@model-gateway/core';
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
  return new Spans(tracer, contentLimit);
}

class Spans implements RequestTracing {
  readonly contentLimit: number | undefined;
  private readonly tracer: Tracer;
  private readonly storage = new AsyncLocalStorage<Running>();

  constructor(tracer: Tracer, contentLimit: number | undefined) {
    this.tracer = tracer;
    this.contentLimit = contentLimit;
  }

  request({ method, route, path, requestId, traceParent, traceState }: RequestBegin): RequestSpan {
    const running = this.begin(`${method} ${route}`, SpanKind.SERVER, {
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': path,
        'url.scheme': 'http',
        'gateway.request.id': requestId,
      },
      parent: parentOf(traceParent, traceState),
    });
    return new ServerSpan(running, this.storage);
  }

  attempt(asked: AttemptAsked): AttemptSpan {
    const running = this.storage.getStore();
    const beganAt = clock();
    const span = this.tracer.startSpan(
      `${operationOf(asked.kind)} ${asked.model ?? asked.offer.model}`,
      { kind: SpanKind.CLIENT, startTime: beganAt, attributes: attemptAttributes(asked) },
      running?.context ?? ROOT_CONTEXT,
    );
    const attempt = new Attempt(span, beganAt, running);
    if (running !== undefined) {
      running.attempt?.close();
      running.attempt = attempt;
    }
    return attempt;
  }

  async work<T>(
    { name, taskId, traceParent, attributes }: TaskWork,
    run: (span: TaskWorkSpan) => Promise<T>,
  ): Promise<T> {
    const running = this.begin(`${name} task`, SpanKind.CLIENT, {
      attributes: { 'gateway.task.id': taskId, ...attributes },
      parent: parentOf(traceParent),
    });
    const { span } = running;
    try {
      return await this.storage.run(running, () =>
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
  }

  traceParent(): string | undefined {
    const running = this.storage.getStore();
    if (running === undefined) return undefined;
    const { attempt } = running;
    const span = attempt === undefined || attempt.endedAt !== undefined ? running.span : attempt.span;
    return writeTraceParent(span.spanContext());
  }

  ids(): { readonly trace_id: string; readonly span_id: string } | undefined {
    const running = this.storage.getStore();
    if (running === undefined) return undefined;
    const { traceId, spanId } = running.span.spanContext();
    return { trace_id: traceId, span_id: spanId };
  }

  private begin(name: string, kind: SpanKind, given: { attributes: Attributes; parent: OtelContext }): Running {
    const beganAt = clock();
    const span = this.tracer.startSpan(name, { kind, attributes: given.attributes, startTime: beganAt }, given.parent);
    const context = trace.setSpan(given.parent, span);
    return { span, context, beganAt, attempt: undefined, isOver: false };
  }
}

class ServerSpan implements RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isRecorded: boolean;
  private readonly running: Running;
  private readonly storage: AsyncLocalStorage<Running>;

  constructor(running: Running, storage: AsyncLocalStorage<Running>) {
    const { traceId, spanId } = running.span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.isRecorded = running.span.isRecording();
    this.running = running;
    this.storage = storage;
  }

  run<T>(rest: () => T): T {
    return this.storage.run(this.running, rest);
  }

  ended(end: RequestEnd): void {
    const { running } = this;
    const { span, attempt } = running;
    running.isOver = true;
    attempt?.describeAnswer(end, running.beganAt);
    if (attempt?.endedAt !== undefined) attempt.close();
    span.setAttribute('http.response.status_code', end.status);
    if (end.keyId !== undefined) span.setAttribute('gateway.key.id', end.keyId);
    if (end.mode !== undefined) span.setAttribute('gateway.mode', end.mode);
    const error = end.errorCode ?? (end.aborted ? 'cancelled' : undefined);
    if (error !== undefined) span.setAttribute('error.type', error);
    // What the caller did wrong is no fault of the server's.
    if (end.status >= 500)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(error !== undefined && { message: error }) });
    span.end(clock());
  }
}

/** An attempt. When it has ended, it waits for the end of its request, which may know more of it. */
class Attempt implements AttemptSpan {
  readonly span: Span;
  endedAt: number | undefined = undefined;
  private readonly beganAt: number;
  private readonly running: Running | undefined;

  constructor(span: Span, beganAt: number, running: Running | undefined) {
    this.span = span;
    this.beganAt = beganAt;
    this.running = running;
  }

  ended(end: AttemptEnd): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = clock();
    describeEnd(this.span, end);
    if (this.running === undefined || this.running.isOver || end.error !== undefined) this.close();
  }

  /** What the end of the request knows of the attempt that answered it. */
  describeAnswer({ firstByteMs, content }: RequestEnd, requestBeganAt: number): void {
    if (!this.span.isRecording()) return;
    if (firstByteMs !== undefined) {
      const seconds = (firstByteMs - (this.beganAt - requestBeganAt)) / 1000;
      this.span.setAttributes({
        'gen_ai.request.stream': true,
        'gen_ai.response.time_to_first_chunk': Math.max(0, seconds),
      });
    }
    if (content !== undefined) this.span.setAttributes(content());
  }

  close(): void {
    if (this.span.isRecording()) this.span.end(this.endedAt ?? clock());
  }
}

function attemptAttributes({ offer, model, kind, dialect, number, after }: AttemptAsked): Attributes {
  const { account } = offer;
  return {
    'gen_ai.operation.name': operationOf(kind),
    'gen_ai.provider.name': providerOf(account),
    'gen_ai.request.model': model ?? offer.model,
    'gen_ai.response.model': offer.model,
    ...addressOf(account.baseUrl),
    'gateway.account.id': account.id,
    'gateway.attempt': number,
    ...(dialect !== undefined && { 'gateway.dialect': dialect }),
    ...(after !== undefined && { 'gateway.retry.reason': after }),
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
