/** What a request would cost. */
import { GatewayError, OPERATIONS, type JsonObject, type OperationFacts } from '@model-gateway/contracts';
import {
  dollarsOf,
  kindNamed,
  quoteRequest,
  type Catalogue,
  type ApiKeyAuthenticator,
  type KindName,
  type McpChats,
  type QuoteRequest,
  type Responses,
} from '@model-gateway/core';
import { checkBody } from '../../http/body-check.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { matchOperation, operations } from '../../http/route-table.ts';

const MB = 1024 * 1024;
/** What is only asked about is written out at once, which holds everybody up: less than a request that is sent may have. */
const LARGEST = 16 * MB;
const NO_BYTES = Buffer.alloc(0);

export interface EstimateRouteParts {
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
  /** What is kept for callers, of which a request may be a continuation; absent where nothing is. */
  readonly responses: Pick<Responses, 'asAsked'> | undefined;
  /** Puts tools of MCP servers into a chat that uses them. */
  readonly mcpChats: Pick<McpChats, 'asAsked'>;
}

/** Handlers of the estimate. */
export function estimateRoutes({ catalogue, authenticator, responses, mcpChats }: EstimateRouteParts): Handlers {
  return {
    createEstimate: operation<'createEstimate'>(async ({ body: asked, response }) => {
      const { caller } = response.locals.exchange;
      const { key } = caller;
      if ((response.locals.exchange.rawBody?.length ?? 0) > LARGEST) throw tooLarge();
      // A trailing slash is no part of a path, and a query does not change what it costs.
      const endpoint = asked.endpoint.replace(/\?.*$/, '').replace(/\/+$/, '');
      const body = asked.body as JsonObject;
      const { model, bill, priceVersion } = await inBody(async () => {
        const target = targetOf(endpoint, body);
        if (target.model !== '') admitModel(authenticator, response, target.model, target.kind);
        checkBody(endpoint, body);
        // What it goes on from is part of what it costs.
        const whole = ['createResponse', 'compactResponse'].includes(target.operation)
          ? await responses?.asAsked(key, body)
          : undefined;
        const json = whole ?? body;
        const { dialect }: OperationFacts = OPERATIONS[target.operation];
        // What a model is asked first: nobody knows what it will call.
        const first =
          target.kind === 'chat' && dialect !== undefined
            ? await mcpChats.asAsked({
                ...{ caller, dialect, model: target.model },
                ...{ body: { json, bytes: NO_BYTES }, headers: {} },
              })
            : json;
        return quoteRequest(catalogue(), { ...target, body: first, group: key.group });
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

/** What a path and a body ask for. Throws `invalid_request` for a path that no model answers, and for a model that is not named. */
function targetOf(
  endpoint: string,
  body: JsonObject,
): Pick<QuoteRequest, 'operation' | 'model'> & { readonly kind: KindName } {
  const { operation: found, parameters } = matchOperation('POST', endpoint);
  if (found?.kind === undefined) throw answersNothing(endpoint);
  const { id, kind } = found;
  const model = found.model === 'path' ? parameters['model'] : body['model'];
  if (typeof model === 'string' && model !== '') return { operation: id, model, kind };
  if (found.model === 'optional') return { operation: id, model: kindNamed(kind).usualModel ?? '', kind };
  throw new GatewayError(
    'invalid_request',
    `model is missing; name a model code of GET ${OPERATIONS.listModels.path}`,
    {
      param: 'model',
    },
  );
}

function tooLarge(): GatewayError {
  return new GatewayError(
    'body_too_large',
    `an estimate takes bodies of at most ${LARGEST / MB} MB; leave media out of it or send smaller ones`,
  );
}

function answersNothing(endpoint: string): GatewayError {
  // Those without a kind of model are about what was made before, or are not quoted.
  const quoted = operations.filter(({ paid, kind, forwards }) => paid && kind !== undefined && forwards !== true);
  const paths = new Set(quoted.map(({ path }) => path));
  return new GatewayError(
    'invalid_request',
    `endpoint is '${endpoint.slice(0, 120)}'; it must be the path of a request that can be estimated: ${[...paths].join(', ')}`,
    { param: 'endpoint' },
  );
}

/** Places are those of the quoted body. */
async function inBody<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.details.param === undefined || error.details.param === 'endpoint')
      throw error;
    throw new GatewayError(error.code, error.message, { ...error.details, param: `body.${error.details.param}` });
  }
}
