/** What a request would cost at most, for any operation that models answer, without asking anybody (POST /v1/estimate). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { findModel, type Catalogue } from '../catalogue.ts';
import type { OperationId } from '../kind-module.ts';
import { billOf, type Bill } from '../money/price.ts';
import { factsOf, kindOf, KINDS } from './index.ts';

export interface ModelQuote {
  readonly model: string;
  readonly bill: Bill;
  readonly priceVersion: string;
}

export interface QuoteRequest {
  readonly operation: OperationId;
  /** The model code, from path or body; '' where none is needed. */
  readonly model: string;
  readonly body: JsonObject;
  /** Of the key that would pay. */
  readonly group: string;
}

/** Quotes one request; throws what the operation would throw for a bad body or a model that it does not serve. */
export function quoteRequest(catalogue: Catalogue, { operation, model, body, group }: QuoteRequest): ModelQuote {
  const groupFactor = catalogue.groupFactors[group] ?? 1;
  const { priceVersion } = catalogue;
  if (!factsOf(operation).paid) {
    for (const { read } of KINDS) read?.[operation]?.(body);
    return { model, bill: { units: 0, lines: [], groupFactor }, priceVersion };
  }
  const row = findModel(catalogue, model);
  const quote = kindOf(row).quote[operation];
  if (quote === undefined) {
    const message = `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`;
    throw new GatewayError('invalid_request', message, { param: 'model' });
  }
  const { usage, factors } = quote(body, row);
  return { model: row.code, bill: billOf(usage, row.price, { ...factors, group: groupFactor }), priceVersion };
}
