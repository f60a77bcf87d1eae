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

/** Mounts every operation of the document; those without a handler answer 501 and are returned. */
export function mountOperations(app: Express, handlers: Handlers): readonly OperationId[] {
  const missing: OperationId[] = [];
  /** Paths without parameters are looked up, not searched for: the router tries its routes one by one. */
  const fixed = new Map<string, RequestHandler>();
  app.use((request, response, next) => {
    const handler = fixed.get(`${request.method} ${request.path}`);
    if (handler === undefined) next();
    else void handler(request, response, next);
  });
  for (const { id, method, path } of documentRoutes()) {
    const handler = handlers[id];
    if (handler === undefined) missing.push(id);
    const wrapped = wrap(handler ?? notImplemented(id));
    if (!path.includes(':')) fixed.set(`${method.toUpperCase()} ${path}`, wrapped);
    app[method](path, wrapped);
  }
  return missing;
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
