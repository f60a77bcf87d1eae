/** What a request would cost at most, for any operation that models answer, without asking anybody (POST /v1/estimate). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { findModel, type Catalogue, type ModelRow, type RowKind } from '../catalogue.ts';
import { rowsBelow } from '../paid/routed.ts';
import { inShapeOf } from './video/video-body.ts';
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
  const row = findModel(catalogue, model, kindsQuoted(operation));
  const quote = kindOf(row).quote[operation];
  if (quote === undefined) {
    const message = `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`;
    throw new GatewayError('invalid_request', message, { param: 'model' });
  }
  const bills = quotable(pricedRows(catalogue, row), (each) => {
    const { usage, factors } = quote(body, inShapeOf(row, each));
    return billOf(usage, each.price, { ...factors, group: groupFactor });
  });
  return { model: row.code, bill: bills.reduce(dearer), priceVersion };
}

/** The kinds of rows that the operation may ask for. */
function kindsQuoted(operation: OperationId): readonly RowKind[] {
  return KINDS.flatMap(({ quote, rows }) => (quote[operation] === undefined ? [] : (Object.keys(rows) as RowKind[])));
}

/** The row, or those that it leads to: any of them may answer. */
function pricedRows(catalogue: Catalogue, row: ModelRow): readonly ModelRow[] {
  if (row.route === undefined) return [row];
  const priced = rowsBelow(catalogue, row).filter(({ offers }) => offers.length > 0);
  return priced.length === 0 ? [row] : priced;
}

/** Those that can be asked with the body. Throws what the first has against it when none can. */
function quotable(rows: readonly ModelRow[], billFor: (row: ModelRow) => Bill): readonly Bill[] {
  const bills: Bill[] = [];
  let refusal: unknown;
  for (const row of rows) {
    try {
      bills.push(billFor(row));
    } catch (error) {
      refusal ??= error;
    }
  }
  if (bills.length === 0) throw refusal;
  return bills;
}

function dearer(left: Bill, right: Bill): Bill {
  return right.units > left.units ? right : left;
}
