/** Which model is asked for, and whether the key may use it. */
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, OPERATIONS } from '@model-gateway/contracts';
import { kindNamed, type ApiKeyAuthenticator, type KindName } from '@model-gateway/core';
import { isForm } from '../form.ts';
import type { Handler } from '../operation.ts';
import { refuseControl } from '../request-control.ts';
import type { Operation } from '../route-table.ts';

const LONGEST_MODEL = 256;

/** Wraps the handler of an operation that names a model. Forms are read by their handlers, which call `admitModel` themselves. */
export function withModelAccess(
  { model, kind, paid }: Operation,
  authenticator: ApiKeyAuthenticator,
  handler: Handler,
): Handler {
  if (model === undefined || kind === undefined) return handler;
  const isRouted = kind === 'chat' || paid;
  const { usualModel } = kindNamed(kind);
  return (request, response) => {
    if (!isRouted) refuseControl(request);
    if (!isForm(request)) {
      const named = model === 'path' ? request.params['model'] : modelInBody(request);
      const asked = model === 'optional' ? (named ?? usualModel) : named;
      if (model !== 'optional' || asked !== undefined) admitModel(authenticator, response, asked, kind);
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
}

function modelInBody(request: Request): unknown {
  const body: unknown = request.body;
  if (isJsonObject(body)) return body['model'];
  throw new GatewayError('invalid_request', 'the body must be a JSON object');
}
