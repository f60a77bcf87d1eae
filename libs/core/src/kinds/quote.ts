/** What a request would cost at most, for any body of any operation that models answer, without asking anybody (POST /v1/estimate). */
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { findModel, type Catalogue } from '../catalogue.ts';
import type { OperationId } from '../kind-module.ts';
import { billOf, type Bill } from '../money/price.ts';
import { factsOf, kindOf, KINDS } from './index.ts';

export interface ModelQuote {
  readonly model: string;
  readonly bill: Bill;
  readonly priceVersion: string;
}

/** An operation that models answer, found by the path of a request. */
interface Target {
  readonly id: OperationId;
  /** The model named in the path. */
  readonly modelInPath: string | undefined;
}

/** Operations that models answer, by their paths around the model's name. */
const TARGETS = (Object.keys(OPERATIONS) as OperationId[])
  .filter((id) => factsOf(id).kind !== undefined && factsOf(id).method === 'POST')
  .map((id) => {
    const [before = '', after] = factsOf(id).path.split('{model}');
    return { id, before, after };
  });

function targetOf(endpoint: string): Target | undefined {
  for (const { id, before, after } of TARGETS) {
    if (after === undefined) {
      if (endpoint === before) return { id, modelInPath: undefined };
      continue;
    }
    const model = endpoint.slice(before.length, endpoint.length - after.length);
    const fits = endpoint.startsWith(before) && endpoint.endsWith(after) && model !== '' && !model.includes('/');
    if (fits) return { id, modelInPath: decoded(model) };
  }
  return undefined;
}

/** As Express reads it: what is no percent-encoding stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The model a request names: in its path or in its body; '' where none is needed. Throws `invalid_request`. */
export function modelOfRequest(endpoint: string, body: JsonObject): string {
  const target = targetOf(endpoint);
  const model = target?.modelInPath ?? body['model'];
  if (typeof model === 'string' && model !== '') return model;
  if (target !== undefined && factsOf(target.id).model === 'optional') return '';
  throw new GatewayError('invalid_request', 'model is missing; name a model code of GET /v1/models', {
    param: 'model',
  });
}

/** Quotes one request; throws what the operation would throw for a bad body, and `invalid_request` for a path that no model answers. */
export function quoteRequest(
  catalogue: Catalogue,
  { endpoint, body, group }: { readonly endpoint: string; readonly body: JsonObject; readonly group: string },
): ModelQuote {
  const code = modelOfRequest(endpoint, body);
  const groupFactor = catalogue.groupFactors[group] ?? 1;
  const { priceVersion } = catalogue;
  const target = targetOf(endpoint);
  if (target === undefined) {
    findModel(catalogue, code);
    throw notPaid(endpoint);
  }
  if (!factsOf(target.id).paid) {
    for (const { read } of KINDS) read?.[target.id]?.(body);
    return { model: code, bill: { units: 0, lines: [], groupFactor }, priceVersion };
  }
  const row = findModel(catalogue, code);
  const quote = kindOf(row).quote[target.id];
  if (quote === undefined) {
    const message = `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`;
    throw new GatewayError('invalid_request', message, { param: 'model' });
  }
  const { usage, factors } = quote(body, row);
  return { model: row.code, bill: billOf(usage, row.price, { ...factors, group: groupFactor }), priceVersion };
}

function notPaid(endpoint: string): GatewayError {
  const paths = new Set(TARGETS.filter(({ id }) => factsOf(id).paid).map(({ id }) => factsOf(id).path));
  return new GatewayError(
    'invalid_request',
    `endpoint is '${endpoint.slice(0, 120)}'; it must be the path of a request that is paid: ${[...paths].join(', ')}`,
    { param: 'endpoint' },
  );
}
