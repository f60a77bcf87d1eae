/** The first step of every request: an id, a clock, which operation it is for, one log line and one metric at its end. */
import type { NextFunction, Request, Response } from 'express';
import type { ErrorCode, OperationFacts } from '@model-gateway/contracts';
import type { Meter, RequestLog, RequestRow } from '@model-gateway/core';
import type { ClientAddress } from '../client-address.ts';
import type { DeprecatedModels } from '../deprecated-models.ts';
import { Exchange } from '../exchange.ts';
import { clientRequestIdOf, newRequestId } from '../request-id.ts';
import { furtherRow, promptIn, requestRow, measureAnswer, beginSpan, endOf } from '../request-record.ts';
import { matchOperation } from '../route-table.ts';
import type { RequestTracing } from '../../telemetry/request-tracing.ts';

/** Of a path in a line of the log: callers write it. */
const LONGEST_PATH = 256;

/** One line of the log: always the same members; what is undefined is not printed. */
export interface RequestLine {
  readonly request_id: string;
  readonly trace_id: string | undefined;
  readonly span_id: string | undefined;
  readonly client_request_id: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly address: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly aborted: true | undefined;
  readonly key_id: number | undefined;
  readonly model: string | undefined;
  /** The model that answered, where a route or a fallback led to another one. */
  readonly answered_model: string | undefined;
  readonly error: ErrorCode | undefined;
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
  readonly clientAddress: ClientAddress;
  readonly deprecated?: DeprecatedModels;
  /** Adds what is read for every page of metrics. */
  readonly watch?: (source: () => readonly { readonly name: string; readonly value: number }[]) => void;
  readonly tracing?: RequestTracing;
  /** Absent if the operator wants none. */
  readonly requestLog?: Pick<RequestLog, 'add' | 'promptSecret'>;
}

interface RouteSeries {
  readonly statuses: Map<number, (by: number) => void>;
  readonly seconds: (value: number) => void;
}

/** Makes the first step. */
export function begin({
  now,
  tellRequest,
  meter,
  clientAddress,
  watch,
  tracing,
  requestLog,
  deprecated,
}: BeginOptions) {
  let running = 0;
  /** By what the operation table calls a route: there are no more of them than operations. */
  const routes = new Map<string, RouteSeries>();
  const seriesOf = (route: string): RouteSeries => {
    let series = routes.get(route);
    if (series === undefined) {
      series = { statuses: new Map(), seconds: meter.series('gateway_request_seconds', { route }) };
      routes.set(route, series);
    }
    return series;
  };
  watch?.(() => [{ name: 'gateway_requests_in_flight', value: running }]);
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    running++;
    const startedAt = now();
    const match = matchOperation(request.method, path);
    if (match.path !== undefined && request.url.startsWith(path))
      request.url = match.path + request.url.slice(path.length);
    // Never the caller's own id, because the ledger charges an id only once.
    const requestId = newRequestId(startedAt);
    const exchange = new Exchange({ requestId, startedAt, address: clientAddress(request), match });
    exchange.deprecated = deprecated;
    response.locals.exchange = exchange;
    request.params = match.parameters;
    response.setHeader('x-request-id', exchange.requestId);
    const given = clientRequestIdOf(request.headers);
    if (given !== undefined) response.setHeader('x-client-request-id', given);
    // The name that Anthropic's SDKs read.
    if (match.place.errors === 'anthropic-messages') response.setHeader('request-id', exchange.requestId);
    response.once('close', () => finish(request, response, path));
    if (tracing !== undefined && match.place.access !== 'public') beginSpan(tracing, request, exchange);
    next();
  };

  function finish(request: Request, response: Response, path: string): void {
    const exchange = response.locals.exchange;
    const { trace, key } = exchange;
    trace?.releaseReply?.();
    const ms = now() - exchange.startedAt;
    const aborted = !response.writableFinished;
    // A line that is sent with others is counted and logged when its answer has come.
    if (exchange.knownCaller?.delivery?.isHandedOver === true) {
      running--;
      exchange.span?.ended(endOf(exchange, response.statusCode, aborted));
      return;
    }
    const route = exchange.match.place.metric;
    const { statuses, seconds } = seriesOf(route);
    let counted = statuses.get(response.statusCode);
    if (counted === undefined) {
      const labels = { route, status: String(response.statusCode) };
      statuses.set(response.statusCode, (counted = meter.series('gateway_requests', labels)));
    }
    counted(1);
    seconds(ms / 1000);
    measureAnswer(meter, exchange, { ms, aborted });
    running--;
    exchange.span?.ended(endOf(exchange, response.statusCode, aborted));
    if (requestLog !== undefined && key !== undefined && isLogged(exchange.match.operation)) {
      const reading = promptIn(exchange, { keyId: key.id, body: request.body, secret: requestLog.promptSecret });
      // Few prompts are so long that a step does not read them.
      const first = reading?.next();
      const prompt = first?.done === true ? first.value : undefined;
      const end = { headers: request.headers, status: response.statusCode, ms, aborted, prompt };
      const row = requestRow(exchange, key, end);
      requestLog.add(row, first?.done === false ? reading : undefined);
      keepFurtherRows(requestLog.add, exchange, row);
    }
    tellRequest({
      request_id: exchange.requestId,
      trace_id: exchange.span?.traceId,
      span_id: exchange.span?.spanId,
      client_request_id: clientRequestIdOf(request.headers),
      method: request.method,
      path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path,
      address: exchange.address,
      status: response.statusCode,
      ms,
      aborted: aborted ? true : undefined,
      key_id: key?.id,
      model: exchange.knownModel,
      answered_model:
        trace?.row === undefined || trace.attempts === 0 || trace.row.code === exchange.knownModel
          ? undefined
          : trace.row.code,
      error: exchange.errorCode,
      first_byte_ms: exchange.firstByteAt === undefined ? undefined : exchange.firstByteAt - exchange.startedAt,
      account_id: trace?.accountId,
      attempts: trace?.attempts,
      input_tokens: trace?.usage?.inputTokens,
      output_tokens: trace?.usage?.outputTokens,
      units: trace?.charged,
    });
  }
}

/** Whether the log of requests has what an operation answers: everything that counts against limits, unless the document says otherwise. */
function isLogged(operation: OperationFacts | undefined): boolean {
  return operation?.limited === true && operation.logged !== false;
}

/** Further requests made for the same answer as the caller's. */
function keepFurtherRows(keep: (row: RequestRow) => void, { trace }: Exchange, row: RequestRow): void {
  if (trace?.further === undefined) return;
  for (const further of trace.further) keep(furtherRow(row, further));
  trace.furtherEnded = (further) => keep(furtherRow(row, further));
}
