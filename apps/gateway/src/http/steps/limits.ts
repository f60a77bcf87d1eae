/** What the key of a request may do: its limits, around a handler, and the models it may name. */
import type { Request, Response } from 'express';
import {
  isLimited,
  requestTokens,
  wholeOf,
  type Gauge,
  type Limiter,
  type LimitState,
  type Permit,
  type RunOf,
  kindNamed,
  type ApiKeyAuthenticator,
  type KindName,
} from '@model-gateway/core';
import { GatewayError, isJsonObject, OPERATIONS } from '@model-gateway/contracts';
import type { Handler } from '../operation.ts';
import type { Operation } from '../route-table.ts';
import { isForm } from '../form.ts';
import { refuseControl, wantsMessageOnLimit } from '../request-control.ts';

/** Wraps the handler of an operation that counts against the limits of a key. */
export function withinLimits(operation: Operation, limiter: Limiter, handler: Handler): Handler {
  if (!operation.limited) return handler;
  // Counting tokens is no chat.
  const chatDialect = operation.paid ? operation.dialect : undefined;
  return (request, response) => {
    const { key, rawBody, knownCaller } = response.locals.exchange;
    // Batch lines have their own limit, as at vendors, so they take nothing from interactive requests.
    if (key === undefined || !isLimited(key.limits) || knownCaller?.spending !== undefined)
      return handler(request, response);
    const tokens = requestTokens(rawBody?.length ?? 0, request.body);
    const chat = key.limits.repeatedCallsPerRun === undefined ? undefined : chatIn(chatDialect, request, rawBody);
    const run = { run: knownCaller?.identity?.run, ...(chat !== undefined && { chat }) };
    const acquiring = limiter.acquire(key, tokens, run);
    const enter = (permit: Permit): unknown =>
      chatDialect !== undefined && permit.refusal?.code === 'run_limit_reached' && wantsMessageOnLimit(request)
        ? sayRefusal(permit, handler, request, response)
        : inside(permit, handler, request, response);
    return acquiring instanceof Promise ? acquiring.then(enter) : enter(acquiring);
  };
}

/** The chat that a request asks for. */
function chatIn(dialect: Operation['dialect'], { path, body }: Request, bytes: Buffer | undefined): RunOf['chat'] {
  const asked: unknown = body;
  return dialect !== undefined && isJsonObject(asked) ? { dialect, path, body: asked, bytes } : undefined;
}

/** Makes the step that counts a repetition as a request that uses no tokens. Throws `rate_limited`. */
export function replayCounter({ limited }: Operation, limiter: Limiter): (response: Response) => void | Promise<void> {
  const count = (permit: Permit, response: Response): void => {
    writeLimits(response, permit.state);
    if (permit.refusal !== undefined) throw permit.refusal;
    permit.release({ input: 0, output: 0 });
  };
  return (response) => {
    const { key } = response.locals.exchange;
    if (!limited || key === undefined || !isLimited(key.limits)) return;
    const acquiring = limiter.acquire(key, { inputTokens: 0, outputTokens: 0 });
    return acquiring instanceof Promise
      ? acquiring.then((permit) => count(permit, response))
      : count(acquiring, response);
  };
}

/** The handler answers with it, in the form of the request. */
function sayRefusal({ refusal, state }: Permit, handler: Handler, request: Request, response: Response): unknown {
  writeLimits(response, state);
  response.locals.exchange.refusal = refusal;
  return handler(request, response);
}

function inside(permit: Permit, handler: Handler, request: Request, response: Response): unknown {
  writeLimits(response, permit.state);
  if (permit.refusal !== undefined) throw permit.refusal;
  const release = (): void => {
    const { trace } = response.locals.exchange;
    const usage = trace?.further === undefined ? trace?.usage : wholeOf(trace).usage;
    permit.release({ input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 });
  };
  if (response.locals.exchange.key?.limits.concurrentRequests !== undefined)
    response.once('close', () => permit.leave());
  const { answered } = permit;
  if (answered !== undefined) response.once('finish', () => isAnswer(response) && answered());
  let done: unknown;
  try {
    done = handler(request, response);
  } catch (error) {
    release();
    throw error;
  }
  if (done instanceof Promise) {
    return done.then(release, (error: unknown) => {
      // While the vendor continues an answer after the caller has disconnected, the answer still counts as concurrent.
      const { late } = response.locals.exchange.trace ?? {};
      if (late === undefined) release();
      else void late.then(release);
      throw error;
    });
  }
  release();
  return done;
}

/** Whether a caller that asks the same again has no reason to: it has a whole answer, and the answer was not one that costs nothing. */
function isAnswer({ statusCode, locals: { exchange } }: Response): boolean {
  const { errorCode, brokeOff, trace } = exchange;
  return statusCode < 400 && errorCode === undefined && !brokeOff && trace?.cache !== 'hit';
}

const REQUESTS = gaugeHeaders('requests');
const TOKENS = gaugeHeaders('tokens');

/** As OpenAI's clients read them. */
function gaugeHeaders(of: string) {
  return {
    limit: `x-ratelimit-limit-${of}`,
    remaining: `x-ratelimit-remaining-${of}`,
    reset: `x-ratelimit-reset-${of}`,
  };
}

function writeLimits(response: Response, { requests, tokens }: LimitState): void {
  if (requests !== undefined) writeGauge(response, REQUESTS, requests);
  if (tokens !== undefined) writeGauge(response, TOKENS, tokens);
}

function writeGauge(response: Response, names: typeof REQUESTS, { limit, remaining, resetMs }: Gauge): void {
  response.setHeader(names.limit, String(limit));
  response.setHeader(names.remaining, String(remaining));
  response.setHeader(names.reset, durationOf(resetMs));
}

/** `0s`, `7s`, `1m1s` */
function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

const LONGEST_MODEL = 256;

/** Wraps the handler of an operation that names a model. Forms are read by their handlers, which call `admitModel` themselves. */
export function withModelAccess(
  { model, kind, paid, form }: Operation,
  authenticator: ApiKeyAuthenticator,
  handler: Handler,
): Handler {
  if (model === undefined || kind === undefined) return handler;
  // Each request over a socket is charged separately.
  const isRouted = kind === 'chat' || paid || model === 'query';
  const { usualModel } = kindNamed(kind);
  return (request, response) => {
    if (!isRouted) refuseControl(request);
    if (form !== true || !isForm(request)) {
      const named = namedModel(model, request) ?? response.locals.exchange.realtimeSession?.['model'];
      const asked = model === 'optional' ? (named ?? usualModel) : named;
      const isNeeded = model === 'body' || model === 'path';
      if (isNeeded || asked !== undefined) admitModel(authenticator, response, asked, kind);
    }
    return handler(request, response);
  };
}

/** Notes the model of a request. Throws `invalid_request` when it is missing and `forbidden` when the key may not use it. */
export function admitModel(
  authenticator: ApiKeyAuthenticator,
  response: Response,
  model: unknown,
  kind: KindName,
): asserts model is string {
  if (typeof model !== 'string' || model === '') {
    throw new GatewayError(
      'invalid_request',
      `model is missing; name ${kindNamed(kind).called} of GET ${OPERATIONS.listModels.path}`,
      {
        param: 'model',
      },
    );
  }
  if (model.length > LONGEST_MODEL) {
    throw new GatewayError(
      'invalid_request',
      `model has ${model.length} characters; no model code has more than ${LONGEST_MODEL}`,
      {
        param: 'model',
      },
    );
  }
  response.locals.exchange.knownModel = model;
  authenticator.checkModel(response.locals.exchange.caller.key, model);
  response.locals.exchange.deprecated?.tell(response, model);
}

/** It may be missing in a query; the handler decides whether it is required. */
function namedModel(place: NonNullable<Operation['model']>, request: Request): unknown {
  if (place === 'path') return request.params['model'];
  return place === 'query' ? request.query['model'] : modelInBody(request);
}

function modelInBody(request: Request): unknown {
  const body: unknown = request.body;
  if (isJsonObject(body)) return body['model'];
  throw new GatewayError('invalid_request', 'the body must be a JSON object');
}
