/** The Express app: what every request passes, in order, and the steps of each operation. */
import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import type { ApiKeyAuthenticator, CallerCaps, Limiter, Log, SignedLinks } from '@model-gateway/core';
import type { ConsoleSessions } from '../resources/console/sessions.ts';
import type { ClientSecrets } from '../resources/realtime/client-secrets.ts';
import { DOCS_MOUNT, serveMounts, type Mount } from './mounts.ts';
import { answerNotImplemented, inOrder, type Handler, type Handlers, type OperationId } from './operation.ts';
import { operations, type Operation } from './route-table.ts';
import type { Exchange } from './exchange.ts';
import { identify } from './request-identity.ts';
import { authenticate, type AuthenticateParts } from './steps/authenticate.ts';
import { begin, type BeginOptions } from './steps/begin.ts';
import { BodyBudget } from './steps/body-budget.ts';
import type { Listen } from './steps/capture-content.ts';
import { idempotently, type RunIdempotently } from './steps/idempotency.ts';
import { replayCounter, withinLimits, withModelAccess } from './steps/limits.ts';
import { createDiscard, createErrorPrinter, errorBody, type Discard } from './steps/print-error.ts';
import { readJsonBody } from './steps/read-body.ts';
import { validate } from './steps/validate.ts';

/** How long the gateway keeps reading a refused body, and how many bytes of it. A body that is refused for its size is above the limit itself. */
const DISCARD_MS = 10_000;
const DISCARD_LIMITS = 2;

export interface AppOptions extends BeginOptions {
  readonly messages: MessageClasses;
  readonly handlers: Handlers;
  readonly authenticator: ApiKeyAuthenticator;
  readonly limiter: Limiter;
  /** Budgets above keys; undefined while there are none. */
  readonly caps?: () => CallerCaps | undefined;
  readonly runIdempotently: RunIdempotently;
  readonly links: Pick<SignedLinks, 'verify'>;
  readonly clientSecrets: Pick<ClientSecrets, 'find'>;
  /** Tokens of identity providers; undefined where none is configured. */
  readonly tokens?: AuthenticateParts['tokens'];
  /** Sessions of browsers; undefined where there are none. */
  readonly sessions: Pick<ConsoleSessions, 'find'> | undefined;
  /** SHA-256, hexadecimal. */
  readonly adminKeyHash: () => string;
  /** The admin API's own port, if it has one; known when the ports are open. */
  readonly adminPort?: () => number | undefined;
  /** Bytes of a JSON body. */
  readonly bodyLimit: number;
  /** Bytes of all bodies together that are being received or handled. */
  readonly bodyMemory: number;
  /** What is served beside the operations of the document. */
  readonly mounts: readonly Mount[];
  readonly log: Log;
  /** Receives requests whose prompts and answers are kept; absent if none are. */
  readonly listen?: Listen;
}

/** Builds the app; also says which operations of the document it does not serve. */
export function createApp(options: AppOptions): { readonly app: Express; readonly missing: readonly OperationId[] } {
  const app = express();
  adopt(app, options.messages);
  app.disable('x-powered-by');
  app.disable('etag');
  // `/Admin` is another path than `/admin`.
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');

  const discard = createDiscard({ bytes: DISCARD_LIMITS * options.bodyLimit, milliseconds: DISCARD_MS });
  app.use(inOrder([begin(options), oneSpelling(discard), runSteps(options)]));
  app.use(printErrors(options.log, discard));
  return { app, missing: operations.filter(({ id }) => options.handlers[id] === undefined).map(({ id }) => id) };
}

/**
 * A path has only one spelling, so a proxy that blocks it blocks all access. A path with a slash at its end, as in some catalogues (docs/service.md),
 * redirects to the one without. The portal's pages are excepted, because their links are relative.
 */
function oneSpelling(discard: Discard): RequestHandler {
  return (request, response, next) => {
    const { path, url } = request;
    if (!path.endsWith('/') || path === '/' || path.startsWith(`${DOCS_MOUNT}/`)) {
      next();
      return;
    }
    let slashes = 1;
    while (path.at(-slashes - 1) === '/') slashes++;
    const name = path.slice(path.lastIndexOf('/', path.length - slashes - 1) + 1, -slashes);
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    const error = new GatewayError('not_found', `no path has a slash at its end; ${path.slice(0, 200)} has one`);
    response.locals.exchange.errorCode = error.code;
    discard(request);
    // Relative, because a proxy may add its own prefix to the path.
    response.location(name === '' ? '/' : `${'../'.repeat(slashes)}${name}${query}`);
    response.status(308).json(errorBody(error, response.locals.exchange));
  };
}

/** Runs the steps of the operation that belongs to the path. */
function runSteps(options: AppOptions): RequestHandler {
  const stepsOf = operationSteps(options);
  const known = new Map(operations.map((operation) => [operation.id, inOrder(stepsOf(operation))]));
  const unknown = inOrder(stepsOf(undefined));
  return (request, response, next) => {
    const { operation } = response.locals.exchange.match;
    const steps = operation === undefined ? unknown : known.get(operation.id);
    return (steps ?? unknown)(request, response, next);
  };
}

/** The steps of a request, by its operation, without those that the operation does not need or that are not configured. */
function operationSteps(options: AppOptions): (operation: Operation | undefined) => readonly RequestHandler[] {
  const { adminPort, listen, bodyLimit: largest, bodyMemory: total } = options;
  const authenticated = authenticate(options); // 401; only then 404, 405
  const readBody = readJsonBody(largest, new BodyBudget({ total, largest }));
  const atRightPort = adminPort === undefined ? [] : [onRightPort(adminPort)];
  const capture = listen === undefined ? [] : [listen];

  return (operation) => {
    if (operation === undefined) return [...atRightPort, serveMounts(options.mounts), authenticated];
    // Pass-through bodies are streamed: they are neither held in memory nor parsed.
    if (operation.forwards === true) return [...atRightPort, authenticated, answer(operation, options)];
    return [
      ...atRightPort,
      authenticated,
      ...capture,
      ...(operation.method === 'GET' ? [] : [readBody]), // 413, 415
      validate(operation), // 400
      answer(operation, options), // 409, 429, 403, and what the operation says
    ];
  };
}

/** The last step. A repetition is counted when its answer exists; a request above the limits is refused before its model is checked. */
function answer(operation: Operation, options: AppOptions): RequestHandler {
  const { authenticator, limiter, runIdempotently, handlers, tracing, caps } = options;
  const modelChecked = withModelAccess(
    operation,
    authenticator,
    handlers[operation.id] ?? answerNotImplemented(operation.id),
  );
  const limited = withinLimits(operation, limiter, modelChecked);
  const once = idempotently(operation, runIdempotently, limited, replayCounter(operation, limiter));
  const handle = tracing === undefined ? once : inSpan(once);
  return (request, response) => {
    if (operation.limited) {
      identify(request, response.locals.exchange, request.body);
      putUnder(response.locals.exchange, caps?.());
    }
    const done = handle(request, response);
    if (!(done instanceof Promise)) return;
    response.locals.exchange.bodyHold?.keepFor(done);
    return done;
  };
}

/** Whom the request is made for may be learned later, from a form: the caps are asked when money is set aside. */
function putUnder(exchange: Exchange, caps: CallerCaps | undefined): void {
  if (caps !== undefined && exchange.knownCaller !== undefined)
    exchange.knownCaller = { ...exchange.knownCaller, caps };
}

/** Bodies are read in event handlers outside the request's context, so its span is made current when the body is complete. */
function inSpan(handler: Handler): Handler {
  return (request, response) => {
    const { span } = response.locals.exchange;
    return span === undefined ? handler(request, response) : span.run(() => handler(request, response));
  };
}

/** Prints the error that a step or a handler threw. */
function printErrors(log: Log, discard: Discard): ErrorRequestHandler {
  const print = createErrorPrinter({ log, discard });
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => print(error, request, response);
}

/** For `http.createServer`. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Makes the classes of one server. Express gives every message another prototype when it arrives; the engine then knows two shapes of it
 * and looks members up the slow way. Made with the right prototype a message keeps its shape. The means are public ones: `http.createServer` takes the
 * classes, `express.request` and `app.request` are Express's documented prototypes.
 *
 * Measured before it was kept (Node 24, Express 5.3, three middlewares and a JSON body of 1.5 kB, seven interleaved rounds of 8,000 requests): 25.5 µs of
 * CPU a request instead of 30.7 in the best rounds, 29.5 instead of 39.0 in the median ones.
 */
export function createMessageClasses(): MessageClasses {
  class Incoming extends IncomingMessage {}
  class Outgoing extends ServerResponse {}
  /* oxlint-disable eslint-core/no-restricted-syntax -- its gain is measured above */
  Object.setPrototypeOf(Incoming.prototype, express.request);
  Object.setPrototypeOf(Outgoing.prototype, express.response);
  /* oxlint-enable eslint-core/no-restricted-syntax */
  return { IncomingMessage: Incoming, ServerResponse: Outgoing as typeof ServerResponse };
}

/** Tells an app that the messages it gets are of these classes. */
export function adopt(app: Express, classes: MessageClasses): void {
  app.request = Object.assign(classes.IncomingMessage.prototype, { app }) as unknown as Express['request'];
  app.response = Object.assign(classes.ServerResponse.prototype, { app }) as unknown as Express['response'];
}

/** Makes the step that keeps the two apart by the port a request came in on. Without a port of its own everything is on one. `adminPort` is asked per request: it is known when the ports are open. */
export function onRightPort(adminPort: () => number | undefined): RequestHandler {
  return (request, response, next) => {
    const port = adminPort();
    if (port === undefined) {
      next();
      return;
    }
    const { access, everyPort, adminPort: onAdminPort } = response.locals.exchange.match.place;
    const isForAdmin = access === 'admin' || onAdminPort === true;
    if (everyPort === true || isForAdmin === (request.socket.localPort === port)) {
      next();
      return;
    }
    throw new GatewayError('not_found', `there is no ${request.method} ${request.path.slice(0, 200)} on this port`);
  };
}
