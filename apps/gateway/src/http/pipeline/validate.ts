/** Requests are checked against the document by express-openapi-validator. */
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { contextOf } from '../context.ts';
import { openApiDocument } from '../document.ts';
import { isForm } from '../form.ts';
import type { Operation, OperationId } from '../route-table.ts';
import { inOrder } from './in-order.ts';
import { documentOf } from './one-operation.ts';
import { SLICED_FROM } from './read-body.ts';

/** `=2026-01-01T02:00:00+02:00`: legal in a query, where forms read a blank out of the `+`. */
const BARE_ZONE = /(=\d{4}-\d\d-\d\dT[\d:.%A]+)\+(?=\d\d)/gi;

/**
 * Makes the step that validates. Every operation has a validator of its own, over the document cut down to it, made at its first request:
 * the validator tries the paths of its document one by one, for every request (docs/decisions/0011-validation-by-public-means.md). Forms are left to their routes.
 * After a large body others have a turn before the work goes on: a body of very many values takes tens of milliseconds here, and again there.
 */
export function validate(): RequestHandler {
  const validators = new Map<OperationId, RequestHandler>();
  return (request: Request, response: Response, next): void => {
    const { operation } = contextOf(response).match;
    if (operation === undefined || isForm(request)) {
      next();
      return;
    }
    if (request.url.includes('+')) request.url = request.url.replace(BARE_ZONE, '$1%2B');
    let validator = validators.get(operation.id);
    if (validator === undefined) {
      validator = validatorOf(operation);
      validators.set(operation.id, validator);
    }
    const isLarge = (contextOf(response).rawBody?.length ?? 0) >= SLICED_FROM;
    validator(request, response, isLarge ? (fault?: unknown) => setImmediate(() => next(fault)) : next);
  };
}

function validatorOf({ path, method }: Operation): RequestHandler {
  return inOrder(
    OpenApiValidator.middleware({
      apiSpec: documentOf(openApiDocument(), path, method.toLowerCase()) as never,
      validateApiSpec: false,
      validateRequests: { allowUnknownQueryParameters: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
      // Trailing slashes are taken off `request.url` before.
      useRequestUrl: true,
      validateFormats: true,
      ajvFormats: { mode: 'fast' },
    }),
  );
}
