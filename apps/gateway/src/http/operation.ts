/** Handlers of operations: the document says which bodies and statuses there are; TypeScript holds a handler to them. */
import type { Request, Response, NextFunction, RequestHandler } from 'express';
import { GatewayError, type operations } from '@model-gateway/contracts';
import type { OperationId } from './route-table.ts';

export type { OperationId };

/** The JSON body an operation takes. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

/** A status and JSON body the document has for the operation. */
export type ReplyOf<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: operations[Id]['responses'][Status] extends {
    content: { 'application/json': infer Body };
  }
    ? { readonly status: Status; readonly body: Body }
    : never;
}[keyof operations[Id]['responses']];

export type Handler = (request: Request, response: Response) => unknown;
/** Every implemented operation and its handler. */
export type Handlers = Partial<Record<OperationId, Handler>>;

/** Ties a handler to what the document promises of its operation. */
export function operation<Id extends OperationId>(
  handle: (call: {
    readonly body: BodyOf<Id>;
    readonly request: Request;
    readonly response: Response;
  }) => Promise<ReplyOf<Id>> | ReplyOf<Id>,
): Handler {
  return async (request, response) => {
    const reply = await handle({ body: request.body as BodyOf<Id>, request, response });
    response.status(Number(reply.status)).json(reply.body);
  };
}

/** The handler of an operation that the document has and this version does not. */
export function answerNotImplemented(id: OperationId): Handler {
  return () => {
    throw new GatewayError('not_implemented', `${id} is part of the document and not served by this version yet`);
  };
}

/** Middlewares as one: the router matches and wraps each of its own anew for every request. */
export function inOrder(steps: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    let at = 0;
    const go = (error?: unknown): void => {
      const step = steps[at++];
      if (step === undefined || (error !== undefined && error !== null)) {
        next(error);
        return;
      }
      try {
        const done: unknown = step(request, response, go);
        if (done instanceof Promise) done.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    go();
  };
}
