/** What is written of a request when its answer has ended: its row in the log of requests, its metrics, its span. */
import type { IncomingHttpHeaders } from 'node:http';
import { ERRORS, GatewayError, isJsonObject, OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import {
  type FailedAttempt,
  type FurtherRequest,
  type InterruptedRequest,
  type KeyRecord,
  type RequestAttempt,
  type RequestRow,
  type Trace,
  droppedParameter,
  operationOf,
  parameterLabel,
  perOffer,
  providerOf,
  readPromptTurn,
  type Meter,
  type PromptReading,
} from '@model-gateway/core';
import type { Request } from 'express';
import type { Exchange } from './exchange.ts';
import { clientRequestIdOf, timeOfRequestId } from './request-id.ts';
import type { RequestEnd, RequestTracing } from '../telemetry/request-tracing.ts';

const LONGEST_CLIENT = 120;
const LONGEST_MODEL = 256;
const LONGEST_MESSAGE = 500;
/** Why tasks drop a field. */
const NO_SETTING = 'the vendor has no such setting';
const MOST_DROPPED = 50;
/** What a database may refuse in a text: control characters, and halves of pairs. */
const UNCLEAN = /[\u0000-\u001f\u007f\ud800-\udfff]/;
const DURATION = 'gen_ai.server.request.duration';
const CONTROLS = /[\u0000-\u001f\u007f]/g;

/** The vendor may have been asked, and nobody knows what it did. */
const INTERRUPTED = 'submission_unknown';

/** How the answer ended, as the client sees it. */
export interface AnswerEnd {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly ms: number;
  readonly aborted: boolean;
  readonly prompt?: RequestRow['prompt'];
}

/** The row of a request whose process stopped before it could write one. What nobody lived to write down is not there. */
export function interruptedRow(request: InterruptedRequest, kindOf: (model: string) => string | undefined): RequestRow {
  const { id, ownerId, keyId, endpoint, model, charged } = request;
  const operation = Object.entries<OperationFacts>(OPERATIONS).find(
    ([name, { method, path, socket, kind }]) =>
      // Turns are paid by the path of their conversation; sockets of no kind ask as requests do.
      name === endpoint || (path === endpoint && (method === 'POST' || (socket === true && kind !== undefined))),
  );
  return {
    ...{ id, keyId, model, charged, at: timeOfRequestId(id) ?? 0 },
    ...{ ownerId: Math.abs(ownerId), mode: ownerId < 0 ? 'test' : 'live' },
    operation: operation?.[0] ?? '',
    kind: model === undefined ? undefined : kindOf(model),
    ...{ status: ERRORS[INTERRUPTED].status, error: INTERRUPTED },
    ...{ aborted: false, streamed: false, ms: 0, attempts: 0 },
  };
}

/** The row of a request. It is made for every one: it only points to what is known already, and has all members always. */
export function requestRow(
  exchange: Exchange,
  key: KeyRecord,
  { headers, status, ms, aborted, prompt }: AnswerEnd,
): RequestRow {
  const { requestId, startedAt, match, knownModel: model, trace, task, firstByteAt } = exchange;
  const { operation } = match;
  const client = headers['user-agent'];
  return {
    id: requestId,
    at: startedAt,
    ownerId: key.ownerId,
    mode: key.mode,
    keyId: key.id,
    operation: operation?.id ?? '',
    kind: trace?.row?.kind ?? operation?.kind,
    model: model === undefined ? undefined : clean(model, LONGEST_MODEL),
    status,
    error: exchange.errorCode,
    aborted,
    streamed: exchange.streamed,
    ms,
    firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
    accountId: trace?.accountId ?? task?.accountId,
    vendor: trace?.vendor ?? task?.vendor,
    upstreamModel: trace?.offer?.model ?? task?.upstreamModel,
    askedMs: askedMsOf(trace, startedAt),
    route: trace?.route,
    attempts: trace?.attempts ?? task?.attempts ?? 0,
    inputTokens: trace?.usage?.inputTokens,
    cachedInputTokens: trace?.usage?.cachedInputTokens,
    outputTokens: trace?.usage?.outputTokens,
    charged: trace?.charged ?? 0,
    address: exchange.address,
    client: client === undefined ? undefined : clean(client, LONGEST_CLIENT),
    clientRequestId: clientRequestIdOf(headers),
    dropped: droppedIn(task ?? trace),
    lost: lostIn(task ?? trace),
    guardrails: trace?.guardrails,
    prompt,
    tags: exchange.knownCaller?.tags,
    identity: exchange.knownCaller?.identity,
    failures: failuresIn(trace, startedAt),
  };
}

/** The row of a request that was made for an answer beside its caller's own. */
export function furtherRow(row: RequestRow, { id, at, ms, kind, model, error, trace }: FurtherRequest): RequestRow {
  return {
    ...row,
    id,
    at,
    ms,
    operation: kind === 'mcp' ? 'callMcpServer' : row.operation,
    kind: kind === 'mcp' ? undefined : kind,
    model: clean(model, LONGEST_MODEL),
    status: error === undefined ? 200 : ERRORS[error].status,
    error,
    aborted: false,
    streamed: kind === 'chat' && row.streamed,
    firstByteMs: undefined,
    accountId: trace.accountId,
    vendor: trace.vendor,
    upstreamModel: trace.offer?.model,
    askedMs: askedMsOf(trace, at),
    route: trace.route,
    attempts: trace.attempts,
    inputTokens: trace.usage?.inputTokens,
    cachedInputTokens: trace.usage?.cachedInputTokens,
    outputTokens: trace.usage?.outputTokens,
    charged: trace.charged,
    dropped: droppedIn(trace),
    lost: lostIn(trace),
    guardrails: trace.guardrails,
    prompt: undefined,
    failures: failuresIn(trace, at),
  };
}

export interface PromptAsked {
  readonly keyId: number;
  readonly body: unknown;
  readonly secret: string;
}

/** Reads the prompt of a chat, to explain later what its vendor's cache did. The answer has been sent. */
export function promptIn(
  { match, trace, rawBody }: Exchange,
  { body, ...asked }: PromptAsked,
): PromptReading | undefined {
  const dialect = match.operation?.dialect;
  if (dialect === undefined || trace === undefined || rawBody === undefined || !isJsonObject(body)) return undefined;
  return readPromptTurn({ ...asked, trace, dialect, body, bytes: rawBody.length });
}

/** When its vendor was asked; undefined where none was. */
function askedMsOf(trace: Trace | undefined, startedAt: number): number | undefined {
  return trace === undefined || trace.askedAt === 0 ? undefined : trace.askedAt - startedAt;
}

function failuresIn(trace: Trace | undefined, startedAt: number): readonly RequestAttempt[] | undefined {
  return trace?.failures?.map((each) => attemptOf(each, startedAt));
}

type DroppedField = string | { readonly field: string; readonly reason: string };
type Dropping = { readonly dropped: readonly DroppedField[] } | undefined;

function droppedIn(known: Dropping): readonly string[] | undefined {
  return known === undefined || known.dropped.length === 0
    ? undefined
    : known.dropped.slice(0, MOST_DROPPED).map(fieldOf);
}

function lostIn(known: Dropping): RequestRow['lost'] {
  return known === undefined || known.dropped.length === 0
    ? undefined
    : known.dropped
        .slice(0, MOST_DROPPED)
        .map((each) =>
          droppedParameter(fieldOf(each), typeof each === 'string' ? NO_SETTING : clean(each.reason, LONGEST_MODEL)),
        );
}

function fieldOf(dropped: DroppedField): string {
  return clean(typeof dropped === 'string' ? dropped : dropped.field, LONGEST_MODEL);
}

function attemptOf({ offer, model, askedAt, endedAt, error }: FailedAttempt, startedAt: number): RequestAttempt {
  const known = error instanceof GatewayError ? error : undefined;
  const status = known?.details.vendorStatus;
  return {
    accountId: offer.account.id,
    vendor: offer.account.vendor,
    model,
    upstreamModel: offer.model,
    startedMs: askedAt - startedAt,
    ms: endedAt - askedAt,
    error: known?.code ?? 'internal',
    ...(status !== undefined && { status }),
    ...(known !== undefined && { message: clean(known.details.vendorWords ?? known.message, LONGEST_MESSAGE) }),
  };
}

function clean(text: string, longest: number): string {
  const bounded = text.length > longest ? text.slice(0, longest) : text;
  return UNCLEAN.test(bounded) ? bounded.replace(CONTROLS, ' ').toWellFormed() : bounded;
}

/** Measures nothing where no vendor was asked. `ms` is the time to the end of the answer. */
export function measureAnswer(
  meter: Meter,
  exchange: Exchange,
  { ms, aborted }: { readonly ms: number; readonly aborted: boolean },
): void {
  const { trace, task, firstByteAt, streamed, startedAt, errorCode } = exchange;
  for (const label of labelsOf(task ?? trace)) meter.count('gateway_dropped_parameters_total', { parameter: label });
  if (streamed && firstByteAt !== undefined) {
    const route = exchange.match.place.metric;
    meter.observe('gateway_first_byte_seconds', (firstByteAt - startedAt) / 1000, { route });
  }
  if (trace?.row === undefined || trace.offer === undefined) return;
  const { labels, duration, timeToFirst, timePerToken } = seriesOf(meter, trace.row, trace.offer);
  const error = errorCode ?? (aborted ? 'cancelled' : undefined);
  const seconds = ms / 1000;
  if (error !== undefined) {
    meter.observe(DURATION, seconds, { ...labels, 'error.type': error });
    return;
  }
  duration(seconds);
  if (!streamed || firstByteAt === undefined) return;
  const toFirst = (firstByteAt - startedAt) / 1000;
  timeToFirst(toFirst);
  const further = (trace.usage?.outputTokens ?? 0) - 1;
  if (further > 0) timePerToken((seconds - toFirst) / further);
}

/** A parameter counts once for a request. */
function labelsOf(known: Dropping): Iterable<string> {
  return known === undefined || known.dropped.length === 0
    ? []
    : new Set(known.dropped.map((each) => parameterLabel(fieldOf(each))));
}

const seriesOf = perOffer((meter, row, offer) => {
  const labels = {
    'gen_ai.operation.name': operationOf(row.kind),
    'gen_ai.provider.name': providerOf(offer?.account),
    // Callers find the names of a wildcard: they make no series.
    'gen_ai.request.model': row.wildcard ?? row.code,
    'gen_ai.response.model': row.wildcard ?? offer?.model ?? row.code,
  };
  return {
    labels,
    duration: meter.series(DURATION, labels),
    timeToFirst: meter.series('gen_ai.server.time_to_first_token', labels),
    timePerToken: meter.series('gen_ai.server.time_per_output_token', labels),
  };
});

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
