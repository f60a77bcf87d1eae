/** Requests are checked against the document by express-openapi-validator. */
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { openApiDocument } from '../document.ts';
import { isForm } from '../form.ts';
import type { Operation, OperationId } from '../route-table.ts';
import { inOrder } from './in-order.ts';
import { documentOf, optionalHeaders } from './one-operation.ts';
import { SLICED_FROM } from './read-body.ts';

/** `=2026-01-01T02:00:00+02:00`: legal in a query, where forms read a blank out of the `+`. */
const BARE_ZONE = /(=\d{4}-\d\d-\d\dT[\d:.%A]+)\+(?=\d\d)/gi;

/** What one operation is validated by. */
interface Validators {
  /** Those that cost work for every request, and that hardly any request carries. */
  readonly optionalHeaders: readonly string[];
  /** Made when first needed. */
  withHeaders?: RequestHandler;
  withoutHeaders?: RequestHandler;
}

/**
 * Makes the step that validates. Every operation has validators of its own, over the document cut down to it, made at its first request:
 * the validator tries the paths of its document one by one, for every request (docs/decisions/0011-validation-by-public-means.md). Forms are left to their routes.
 * After a large body others have a turn before the work goes on: a body of very many values takes tens of milliseconds here, and again there.
 */
export function validate(): RequestHandler {
  const known = new Map<OperationId, Validators>();
  return (request: Request, response: Response, next): void => {
    const { operation } = response.locals.exchange.match;
    if (operation === undefined || isForm(request)) {
      next();
      return;
    }
    if (request.url.includes('+')) request.url = request.url.replace(BARE_ZONE, '$1%2B');
    let validators = known.get(operation.id);
    if (validators === undefined) {
      validators = { optionalHeaders: optionalHeaders(openApiDocument(), addressOf(operation)) };
      known.set(operation.id, validators);
    }
    const isLarge = (response.locals.exchange.rawBody?.length ?? 0) >= SLICED_FROM;
    validatorFor(request, validators, operation)(
      request,
      response,
      isLarge ? (fault?: unknown) => setImmediate(() => next(fault)) : next,
    );
  };
}

function validatorFor({ headers }: Request, validators: Validators, operation: Operation): RequestHandler {
  for (const name of validators.optionalHeaders) {
    if (headers[name] !== undefined) return (validators.withHeaders ??= validatorOf(operation, false));
  }
  return (validators.withoutHeaders ??= validatorOf(operation, true));
}

function validatorOf(operation: Operation, withoutOptionalHeaders: boolean): RequestHandler {
  const isFixed = operation.parameters.length === 0;
  const cut = { ...addressOf(operation), withoutOptionalHeaders, ...(isFixed && { mount: '/' }) };
  const steps = OpenApiValidator.middleware({
    apiSpec: documentOf(openApiDocument(), cut) as never,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    // Trailing slashes are taken off `request.url` before.
    useRequestUrl: true,
    validateFormats: true,
    ajvFormats: { mode: 'fast' },
  });
  return isFixed ? mounted(withKnownOperation(steps)) : inOrder(steps);
}

type Step = ReturnType<typeof OpenApiValidator.middleware>[number];
type Checked = Parameters<Step>[0];

/**
 * The validator's steps for an address without parameters. The first of them find the operation of a request, which is the same one for all:
 * what they found for the first request (`request.openapi`, of the validator's public types) is given to the others, which go on with the steps behind.
 */
function withKnownOperation(steps: readonly Step[]): RequestHandler {
  let known: { readonly openapi: NonNullable<Checked['openapi']>; readonly rest: RequestHandler } | undefined;
  const all = inOrder(
    steps.map((step, at) => (request: Checked, response, next): unknown => {
      if (request.openapi !== undefined) known ??= { openapi: request.openapi, rest: inOrder(steps.slice(at)) };
      return step(request, response, next);
    }),
  );
  return (request: Checked, response, next): void => {
    if (known === undefined) {
      all(request, response, next);
      return;
    }
    request.openapi = { ...known.openapi };
    known.rest(request, response, next);
  };
}

/** Shows the validator the address as Express would show it a mounted one: it makes a pattern of its path anew for every request. */
function mounted(validator: RequestHandler): RequestHandler {
  return (request, response, next): void => {
    const { url } = request;
    const query = url.indexOf('?');
    request.url = query === -1 ? '/' : `/${url.slice(query)}`;
    validator(request, response, (fault?: unknown) => {
      request.url = url;
      next(fault);
    });
  };
}

function addressOf({ path, method }: Operation): { readonly path: string; readonly method: string } {
  return { path, method: method.toLowerCase() };
}
