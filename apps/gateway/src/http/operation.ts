/** Routes by operationId: the document says method, path, bodies and statuses; TypeScript holds a handler to them. */
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError, type operations } from '@model-gateway/contracts';
import { openApiDocument } from './validation.ts';

export type OperationId = keyof operations;

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

interface Route {
  readonly id: OperationId;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
}

/** All operations of the document as Express routes. */
export function documentRoutes(): readonly Route[] {
  return Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]): Route[] =>
      operationId === undefined
        ? []
        : [{ id: operationId as OperationId, method: method as Route['method'], path: expressPath(path) }],
    ),
  );
}

/** `/v1beta/models/{model}:generateContent` → `/v1beta/models/:model\:generateContent` */
function expressPath(path: string): string {
  return path.replace(/:(?=[a-zA-Z])/g, '\\:').replace(/\{(\w+)\}/g, ':$1');
}

export interface WiredOperations {
  /** Without a handler: they answer 501. */
  readonly missing: readonly OperationId[];
  /** Answers paths without parameters: they are looked up, not searched for as the router does, one by one. */
  readonly lookUp: RequestHandler;
  /** The routes of all. */
  readonly mount: (app: Express) => void;
}

/** Ties every operation of the document to its handler. */
export function wireOperations(handlers: Handlers): WiredOperations {
  const routes = documentRoutes().map(({ id, method, path }) => {
    const handler = handlers[id];
    return { id, method, path, isMissing: handler === undefined, answer: wrap(handler ?? notImplemented(id)) };
  });
  const fixed = new Map(
    routes
      .filter(({ path }) => !path.includes(':'))
      .map(({ method, path, answer }) => [`${method.toUpperCase()} ${path}`, answer]),
  );
  return {
    missing: routes.filter(({ isMissing }) => isMissing).map(({ id }) => id),
    lookUp: (request, response, next) => {
      const answer = fixed.get(`${request.method} ${request.path}`);
      if (answer === undefined) next();
      else answer(request, response, next);
    },
    mount: (app) => {
      for (const { method, path, answer } of routes) app[method](path, answer);
    },
  };
}

function wrap(handler: Handler) {
  return (request: Request, response: Response, next: NextFunction): void => {
    try {
      const done = handler(request, response);
      if (done instanceof Promise) done.catch(next);
    } catch (error) {
      next(error);
    }
  };
}

function notImplemented(id: string): Handler {
  return () => {
    throw new GatewayError('not_implemented', `${id} is part of the document and not served by this version yet`);
  };
}
