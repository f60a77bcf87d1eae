/** The first step of every request: an id, a clock, which operation it is for, one log line and one metric at its end. */
import type { Request, RequestHandler, Response } from 'express';
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
export function begin(options: BeginOptions): RequestHandler {
  return new RequestsUnderWay(options).begin;
}

/** How a request ended. */
interface End {
  readonly status: number;
  readonly ms: number;
  readonly aborted: boolean;
}

/** Every request from its arrival until its connection is done with it. */
class RequestsUnderWay {
  private readonly now: () => number;
  private readonly tellRequest: (line: RequestLine) => void;
  private readonly meter: Meter;
  private readonly clientAddress: ClientAddress;
  private readonly deprecated: DeprecatedModels | undefined;
  private readonly tracing: RequestTracing | undefined;
  private readonly requestLog: BeginOptions['requestLog'];
  private running = 0;
  /** By what the operation table calls a route: there are no more of them than operations. */
  private readonly routes = new Map<string, RouteSeries>();

  constructor(options: BeginOptions) {
    this.now = options.now;
    this.tellRequest = options.tellRequest;
    this.meter = options.meter;
    this.clientAddress = options.clientAddress;
    this.deprecated = options.deprecated;
    this.tracing = options.tracing;
    this.requestLog = options.requestLog;
    options.watch?.(() => [{ name: 'gateway_requests_in_flight', value: this.running }]);
  }

  readonly begin: RequestHandler = (request, response, next) => {
    const { path } = request;
    this.running++;
    const startedAt = this.now();
    const match = matchOperation(request.method, path);
    if (match.path !== undefined && request.url.startsWith(path))
      request.url = match.path + request.url.slice(path.length);
    // Never the caller's own id, because the ledger charges an id only once.
    const requestId = newRequestId(startedAt);
    const exchange = new Exchange({ requestId, startedAt, address: this.clientAddress(request), match });
    exchange.deprecated = this.deprecated;
    response.locals.exchange = exchange;
    request.params = match.parameters;
    response.setHeader('x-request-id', requestId);
    const given = clientRequestIdOf(request.headers);
    if (given !== undefined) response.setHeader('x-client-request-id', given);
    // The name that Anthropic's SDKs read.
    if (match.place.errors === 'anthropic-messages') response.setHeader('request-id', requestId);
    response.once('close', () => this.finish(request, response, path));
    if (this.tracing !== undefined && match.place.access !== 'public') beginSpan(this.tracing, request, exchange);
    next();
  };

  private finish(request: Request, response: Response, path: string): void {
    const exchange = response.locals.exchange;
    exchange.trace?.releaseReply?.();
    const { statusCode: status } = response;
    const end: End = { status, ms: this.now() - exchange.startedAt, aborted: !response.writableFinished };
    // A line that is sent with others is counted and logged when its answer has come.
    const isHandedOver = exchange.knownCaller?.delivery?.isHandedOver === true;
    if (!isHandedOver) this.measure(exchange, end);
    this.running--;
    exchange.span?.ended(endOf(exchange, status, end.aborted));
    if (isHandedOver) return;
    this.record(request, exchange, end);
    this.tellRequest(lineOf(request, exchange, path, end));
  }

  private measure(exchange: Exchange, end: End): void {
    const route = exchange.match.place.metric;
    const { statuses, seconds } = this.seriesOf(route);
    let counted = statuses.get(end.status);
    if (counted === undefined) {
      const labels = { route, status: String(end.status) };
      statuses.set(end.status, (counted = this.meter.series('gateway_requests', labels)));
    }
    counted(1);
    seconds(end.ms / 1000);
    measureAnswer(this.meter, exchange, end);
  }

  private seriesOf(route: string): RouteSeries {
    let series = this.routes.get(route);
    if (series === undefined) {
      series = { statuses: new Map(), seconds: this.meter.series('gateway_request_seconds', { route }) };
      this.routes.set(route, series);
    }
    return series;
  }

  /** Writes the row of the log of requests. */
  private record(request: Request, exchange: Exchange, { status, ms, aborted }: End): void {
    const { requestLog } = this;
    const { key } = exchange;
    if (requestLog === undefined || key === undefined || !isLogged(exchange.match.operation)) return;
    const reading = promptIn(exchange, { keyId: key.id, body: request.body, secret: requestLog.promptSecret });
    // Few prompts are so long that a step does not read them.
    const first = reading?.next();
    const prompt = first?.done === true ? first.value : undefined;
    const row = requestRow(exchange, key, { headers: request.headers, status, ms, aborted, prompt });
    requestLog.add(row, first?.done === false ? reading : undefined);
    keepFurtherRows(requestLog, exchange, row);
  }
}

function lineOf(request: Request, exchange: Exchange, path: string, { status, ms, aborted }: End): RequestLine {
  const { trace, span, knownModel, firstByteAt } = exchange;
  return {
    request_id: exchange.requestId,
    trace_id: span?.traceId,
    span_id: span?.spanId,
    client_request_id: clientRequestIdOf(request.headers),
    method: request.method,
    path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path,
    address: exchange.address,
    status,
    ms,
    aborted: aborted ? true : undefined,
    key_id: exchange.key?.id,
    model: knownModel,
    answered_model:
      trace?.row === undefined || trace.attempts === 0 || trace.row.code === knownModel ? undefined : trace.row.code,
    error: exchange.errorCode,
    first_byte_ms: firstByteAt === undefined ? undefined : firstByteAt - exchange.startedAt,
    account_id: trace?.accountId,
    attempts: trace?.attempts,
    input_tokens: trace?.usage?.inputTokens,
    output_tokens: trace?.usage?.outputTokens,
    units: trace?.charged,
  };
}

/** Whether the log of requests has what an operation answers: everything that counts against limits, unless the document says otherwise. */
function isLogged(operation: OperationFacts | undefined): boolean {
  return operation?.limited === true && operation.logged !== false;
}

/** Further requests made for the same answer as the caller's. */
function keepFurtherRows(log: Pick<RequestLog, 'add'>, { trace }: Exchange, row: RequestRow): void {
  if (trace?.further === undefined) return;
  for (const further of trace.further) log.add(furtherRow(row, further));
  trace.furtherEnded = (further) => log.add(furtherRow(row, further));
}
