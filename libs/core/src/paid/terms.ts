/** By what a paid request is priced, and what is set aside for it. */
import type { Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../catalogue.ts';
import { billOf, type BillFactors } from '../money/price.ts';
import type { Need } from '../money/wallet.ts';

export interface Quote {
  /** The most the request may use: what is set aside. */
  readonly most: Usage;
  /** What it uses for certain: a payer who has no more than this may try; `most` when absent. */
  readonly least?: Usage;
}

/** By what a candidate is priced. */
export interface Terms {
  readonly row: ModelRow;
  readonly quote: Quote;
  /** Size class or sound, where prices know them. */
  readonly factors?: Omit<BillFactors, 'group'>;
}

/** In quota units. */
export function needOf({ row, quote }: Terms, factors: BillFactors): Need {
  return {
    most: billOf(quote.most, row.price, factors).units,
    least: billOf(quote.least ?? quote.most, row.price, factors).units,
  };
}

/** Any of them may be the one that answers. */
export function dearest(all: Iterable<Terms>, group: number): Need {
  let found: Need = { most: 0, least: 0 };
  for (const terms of all) {
    const need = needOf(terms, { ...terms.factors, group });
    if (need.most >= found.most) found = need;
  }
  return found;
}
