/** The way of every request, in its order. Each step is a file beside this one. */
import type { Request, RequestHandler, Response } from 'express';
import type { ApiKeyAuthenticator, Limiter, Log, SignedLinks } from '@model-gateway/core';
import type { ConsoleSessions } from '../../resources/console/sessions.ts';
import { createBodyBudget } from '../body/budget.ts';
import { createDiscard } from '../discard.ts';
import type { Listen } from '../heard-request.ts';
import { serveMounts, type Mount } from '../mounts.ts';
import { answerNotImplemented, type Handler, type Handlers } from '../operation.ts';
import { operations, type Operation } from '../route-table.ts';
import { authenticate } from './authenticate.ts';
import { begin, type BeginOptions } from './begin.ts';
import { idempotently, type RunIdempotently } from './idempotency.ts';
import { inOrder } from './in-order.ts';
import { replayCounter, withinLimits } from './limits.ts';
import { withModelAccess } from './model-access.ts';
import { createErrorPrinter } from './print-error.ts';
import { readJsonBody } from './read-body.ts';
import { onRightPort } from './right-port.ts';
import { validate } from './validate.ts';

/** How long the rest of a body that was refused is waited for, and how much of it: what is refused for its size is over the limit itself. */
const DISCARD_MS = 10_000;
const DISCARD_LIMITS = 2;

export interface PipelineParts extends BeginOptions {
  readonly handlers: Handlers;
  readonly authenticator: ApiKeyAuthenticator;
  readonly limiter: Limiter;
  readonly runIdempotently: RunIdempotently;
  readonly links: Pick<SignedLinks, 'verify'>;
  /** Sessions of browsers; undefined where there are none. */
  readonly sessions: Pick<ConsoleSessions, 'find'> | undefined;
  /** SHA-256, hexadecimal. */
  readonly adminKeyHash: () => string;
  /** Where the admin API is when it has a port of its own; known when the ports are open. */
  readonly adminPort: () => number | undefined;
  /** Bytes of a JSON body. */
  readonly bodyLimit: number;
  /** Bytes of all bodies that are under way. */
  readonly bodyMemory: number;
  /** What is served beside the operations of the document. */
  readonly mounts: readonly Mount[];
  readonly log: Log;
  /** Listens to requests whose prompts and answers are kept; absent: there are none. */
  readonly listen?: Listen;
}

/** Makes the one middleware of the app. */
export function createPipeline(parts: PipelineParts): RequestHandler {
  const { listen } = parts;
  const bodyBudget = createBodyBudget({ total: parts.bodyMemory, largest: parts.bodyLimit });
  const arrive = inOrder([
    begin(parts), // an id, the operation that the address stands for, one line of the log
    onRightPort(parts.adminPort),
    serveMounts(parts.mounts),
    authenticate(parts), // 401; only then 404, 405
    readJsonBody(parts.bodyLimit, bodyBudget), // 413, 415
    validate(), // 400
  ]);
  const answers = new Map(operations.map((operation) => [operation.id, answerOf(operation)]));
  const printError = createErrorPrinter({
    log: parts.log,
    discard: createDiscard({ bytes: DISCARD_LIMITS * parts.bodyLimit, milliseconds: DISCARD_MS }),
  });

  /** A repetition is counted when its answer is there; what is over the limits is refused before the model is looked at. */
  function answerOf(operation: Operation): Handler {
    const handler = parts.handlers[operation.id] ?? answerNotImplemented(operation.id);
    const modelChecked = withModelAccess(operation, parts.authenticator, handler);
    const limited = withinLimits(operation, parts.limiter, modelChecked);
    return idempotently(operation, parts.runIdempotently, limited, replayCounter(operation, parts.limiter));
  }

  return (request: Request, response: Response): void => {
    const fail = (error: unknown): void => printError(error, request, response);
    arrive(request, response, (error?: unknown) => {
      if (listen !== undefined) listen(request, response);
      if (error !== undefined) {
        fail(error);
        return;
      }
      const { match, span } = response.locals.exchange;
      const { operation } = match;
      const answer = operation === undefined ? undefined : answers.get(operation.id);
      if (answer === undefined) {
        fail(new Error('a request without an operation came through authentication'));
        return;
      }
      try {
        // Bodies are read by events, which belong to no request: its span is made current when it has come.
        const done = span === undefined ? answer(request, response) : span.run(() => answer(request, response));
        if (done instanceof Promise) {
          done.catch(fail);
          response.locals.exchange.bodyHold?.keepFor(done);
        }
      } catch (thrown) {
        fail(thrown);
      }
    });
  };
}
