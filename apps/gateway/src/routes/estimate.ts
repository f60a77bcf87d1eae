/** What a request would cost. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { dollarsOf, modelOfRequest, quoteRequest, type Catalogue, type ApiKeyAuthenticator } from '@model-gateway/core';
import { checkBody } from '../http/body-check.ts';
import { callerOf, contextOf } from '../http/context.ts';
import { operation, type Handlers } from '../http/operation.ts';

export interface EstimateRouteParts {
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
}

/** Handlers of the estimate. */
export function estimateRoutes({ catalogue, authenticator }: EstimateRouteParts): Handlers {
  return {
    createEstimate: operation<'createEstimate'>(({ body: asked, response }) => {
      const { key } = callerOf(response);
      // A trailing slash is no part of a path, here as anywhere; a query does not change what it costs.
      const endpoint = asked.endpoint.replace(/\?.*$/, '').replace(/\/+$/, '');
      const body = asked.body as JsonObject;
      const { model, bill, priceVersion } = inBody(() => {
        const code = modelOfRequest(endpoint, body);
        contextOf(response).model = code;
        if (code !== '') authenticator.checkModel(key, code);
        checkBody(endpoint, body);
        return quoteRequest(catalogue(), { endpoint, body, group: key.group });
      });
      return {
        status: 200,
        body: {
          object: 'estimate',
          model,
          quota: bill.units,
          usd: dollarsOf(bill.units),
          items: bill.lines.map((line) => ({ ...line })),
          price_version: priceVersion,
          group_factor: bill.groupFactor,
        },
      };
    }),
  };
}

/** Places are those of the quoted body. */
function inBody<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.details.param === undefined || error.details.param === 'endpoint')
      throw error;
    throw new GatewayError(error.code, error.message, { ...error.details, param: `body.${error.details.param}` });
  }
}
