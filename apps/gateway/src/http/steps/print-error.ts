/** Prints every error in the caller's dialect, so that its SDK raises its own typed error (docs/architecture.md#errors). */
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { asFault, faultMessage, type Log } from '@model-gateway/core';
import { databaseFault } from '@model-gateway/store';
import { dialects } from '@model-gateway/translate';
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../exchange.ts';
import { faultToTell, wordsOf, type ValidatorFault } from '../body-check.ts';

interface ValidatorError {
  readonly status: number;
  readonly message?: string;
  readonly errors?: readonly ValidatorFault[];
}

/** Makes the printer: what the caller is told of whatever was thrown. */
export function createErrorPrinter({ log, discard }: { readonly log: Log; readonly discard: Discard }) {
  return (thrown: unknown, request: Request, response: Response): void => {
    const exchange = response.locals.exchange;
    const error = toGatewayError(thrown, request);
    exchange.errorCode = error.code;
    if (error !== thrown && error.code === 'unavailable')
      log.warn({ err: thrown, request_id: exchange.requestId, path: request.path }, 'the database cannot be used');
    if (error.code === 'internal')
      log.error({ err: thrown, request_id: exchange.requestId, path: request.path }, 'a fault of our own');
    if (response.headersSent) {
      // The head has gone out: a cut connection is the only honest end.
      request.socket.destroy();
      return;
    }
    for (const [name, value] of Object.entries(errorHeaders(error))) response.setHeader(name, value);
    // First: Node throws away by itself, and without bounds, what nobody reads when an answer ends.
    discard(request);
    response.status(error.status(exchange.openAiStatuses)).json(errorBody(error, exchange));
  };
}

/** Where it comes from, retry-after in whole seconds, allow, and the word to OpenAI's and Anthropic's SDKs that trying again is no use. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const { retryAfterSeconds, allow, limit, vendorStatus } = error.details;
  const isUpstream = vendorStatus !== undefined || error.code.startsWith('upstream_');
  const hopeless =
    error.code === 'insufficient_quota' ||
    error.code === 'run_limit_reached' ||
    error.code === 'submission_unknown' ||
    error.code === 'upstream_rejected_model' ||
    error.code === 'not_implemented' ||
    error.code === 'conflict' ||
    // The vendor would be asked, and paid, once more.
    error.details.answered !== undefined;
  return {
    'x-gateway-error-source': isUpstream ? 'upstream' : 'gateway',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.max(0, Math.ceil(retryAfterSeconds))) }),
    ...(limit !== undefined && { 'x-gateway-limit': limit }),
    ...(allow !== undefined && { allow: allow.join(', ') }),
    ...(hopeless && { 'x-should-retry': 'false' }),
  };
}

/** The body of an error in the request's form. */
export function errorBody(
  error: GatewayError,
  { match, requestId, openAiStatuses }: Pick<Exchange, 'match' | 'requestId' | 'openAiStatuses'>,
): JsonObject {
  const { errors } = match.place;
  const status = error.status(openAiStatuses);
  if (errors === 'json-rpc') return faultMessage(null, asFault(error, requestId));
  if (errors !== 'task') return dialects[errors].encodeError(error, requestId, status);
  const openAi = dialects['openai-chat'].encodeError(error, requestId, status);
  return { ...openAi, code: error.code, message: error.message, data: null };
}

function toGatewayError(thrown: unknown, request: Request): GatewayError {
  if (thrown instanceof GatewayError) return (thrown.code === 'internal' ? databaseFault(thrown) : undefined) ?? thrown;
  if (isValidatorError(thrown)) return fromValidator(thrown, request);
  const unavailable = databaseFault(thrown);
  if (unavailable !== undefined) return unavailable;
  return new GatewayError('internal', 'something went wrong in the gateway; give the request id to its operator', {
    cause: thrown,
  });
}

function isValidatorError(thrown: unknown): thrown is ValidatorError {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'status' in thrown &&
    typeof thrown.status === 'number' &&
    'path' in thrown
  );
}

function fromValidator(error: ValidatorError, request: Request): GatewayError {
  switch (error.status) {
    case 404:
      return new GatewayError(
        'not_found',
        `there is no ${request.method} ${request.path.slice(0, 200)}; ${OPERATIONS.getOpenapi.path} lists all paths`,
      );
    case 413:
      return new GatewayError('body_too_large', 'the body is too large');
    case 415:
      return new GatewayError(
        'unsupported_media_type',
        `the content-type '${(request.headers['content-type'] ?? '').slice(0, 80)}' is not accepted by this path`,
      );
    default: {
      const faults = error.errors ?? [];
      const told = faultToTell(faults);
      const param = told === undefined ? '' : placeOf(told.path);
      const message =
        told === undefined
          ? (error.message ?? 'the request does not match the document')
          : `${param === '' ? 'the body' : param} ${wordsOf(told, faults)}`;
      return new GatewayError('invalid_request', message, param === '' ? {} : { param });
    }
  }
}

const PARTS_OF_A_REQUEST = ['/body', '/query', '/params', '/headers'];

/** `/body/messages/0/role` → `messages[0].role` */
function placeOf(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .slice(PARTS_OF_A_REQUEST.some((part) => path.startsWith(part)) ? 1 : 0)
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`), '');
}

/** Goes on reading a request that has been answered, and throws away what comes. Returns at once. */
export type Discard = (request: IncomingMessage) => void;

export interface DiscardLimits {
  /** Bytes of the rest that are read at most. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/**
 * Makes it. Who sends a body often looks at the answer only when all of it has been sent: a connection that is closed before loses the
 * answer. One that goes on for longer than the limits allow is cut.
 */
export function createDiscard({ bytes, milliseconds }: DiscardLimits): Discard {
  return (request) => {
    if (request.complete || request.destroyed) return;
    let size = 0;
    const cut = (): void => {
      clearTimeout(deadline);
      request.socket.destroy();
    };
    // A process that ends waits for nobody's body.
    const deadline = setTimeout(cut, milliseconds).unref();
    const stop = (): void => clearTimeout(deadline);
    request.removeAllListeners('data');
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) cut();
    });
    request.once('end', stop);
    request.once('close', stop);
    // A sender that gives up is no fault of ours.
    request.on('error', stop);
    request.resume();
  };
}
