/** By what a paid request is priced, how much is set aside for it, and how its payment ends. */
import type { GatewayError, Usage } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '../catalogue.ts';
import { billOf, type BillFactors } from '../money/price.ts';
import type { Need } from '../money/wallet.ts';

export interface Quote {
  /** The most the request may use: what is set aside. */
  readonly most: Usage;
  /** What it uses for certain: a payer who has no more than this may try; `most` when absent. */
  readonly least?: Usage;
}

/** By what a candidate is priced. */
export interface PriceTerms {
  readonly row: ModelRow;
  readonly quote: Quote;
  /** Size class or sound, where prices know them. */
  readonly factors?: Omit<BillFactors, 'group'>;
}

/** How much is set aside for a request at these terms, in quota units. */
export function reservationAmount({ row, quote }: PriceTerms, factors: BillFactors): Need {
  const most = billOf(quote.most, row.price, factors).units;
  const least =
    quote.least === undefined || quote.least === quote.most ? most : billOf(quote.least, row.price, factors).units;
  return { most, least };
}

/** The largest of the amounts: any of the terms may be those of the answer. */
export function highestAmount(all: Iterable<PriceTerms>, group: number): Need {
  let highest: Need = { most: 0, least: 0 };
  for (const terms of all) {
    const amount = reservationAmount(terms, { ...terms.factors, group });
    if (amount.most >= highest.most) highest = amount;
  }
  return highest;
}

/** What another vendor used for the same answer: it is billed with it. */
export interface ExtraUsage {
  /** It was asked in parallel with the one that answered, or continued an answer that broke off. */
  readonly why: 'hedge' | 'continuation';
  readonly offer: Offer;
  readonly terms: PriceTerms;
  readonly usage: Usage;
}

/** How an answer ended. */
export interface Outcome {
  /** What is billed; undefined gives everything back. */
  readonly usage: Usage | undefined;
  /** Why it broke off. */
  readonly error?: GatewayError;
  /** Nothing is known about the vendor's account: the caller left, or the request was refused in the middle. */
  readonly inconclusive?: boolean;
  /** What other vendors used for it. */
  readonly extra?: readonly ExtraUsage[];
}

/** The open payment of one request. */
export interface Payment {
  /** The most the request may use: what was set aside. */
  readonly most: Usage;
  /**
   * More has come. `soFar` tells what would be billed if the answer were cut off now; counts it does not have are as large as was set
   * aside for them, and undefined says that it is unknown. Should the process die, that is charged and not all that was set aside.
   */
  checkpoint(soFar: () => Usage | undefined): void;
  /** Aborted when another vendor has answered; absent where nobody else is asked at the same time. */
  readonly over?: AbortSignal;
  /** Gives the account's slot back and charges; every later call does nothing. */
  settle(outcome: Outcome): void;
}

/** A larger count of anything is a vendor's mistake. */
const LARGEST_COUNT = 1e12;

/** A vendor's report without counts that are no numbers or negative; in place of one beyond all bounds what was set aside for it. */
export function boundUsage(usage: Usage, most: Usage): Usage {
  for (const value of Object.values(usage)) if (!isCount(value)) return corrected(usage, most);
  return usage;
}

function isCount(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && value >= 0 && value <= LARGEST_COUNT);
}

function corrected(usage: Usage, most: Usage): Usage {
  const held = new Map<string, unknown>(Object.entries(most));
  const entries = Object.entries(usage).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    if (isCount(value)) return [[name, value]];
    return typeof value === 'number' && value > LARGEST_COUNT && held.has(name) ? [[name, held.get(name)]] : [];
  });
  return Object.fromEntries(entries);
}
