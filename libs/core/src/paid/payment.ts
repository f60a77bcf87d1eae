/** By what a paid request is priced, how much is set aside for it, and how its payment ends. */
import type { GatewayError, Usage } from '@model-gateway/contracts';
import type { GatewayAccount, ModelRow, Offer, Price } from '../catalogue.ts';
import { billOf, isBilledBy, type Bill, type BillFactors } from '../money/price.ts';
import type { Need } from '../ports.ts';
import type { Parts } from '../parts.ts';
import { accountLabels } from './paid-metrics.ts';

export interface Quote {
  /** The most the request may use: what is set aside. */
  readonly most: Usage;
  /** What it uses for certain: a payer who has no more than this may try; `most` when absent. */
  readonly least?: Usage;
  /** What a vendor's report on it may say, where `REPORT_TOLERANCE` times `most` does not say it. */
  readonly bound?: () => ReportBound;
}

/** What a vendor may report. */
export interface ReportBound {
  /** The largest counts that are believed, and none that cost more. */
  readonly believed: Usage;
  /** What is billed in place of counts that are not. */
  readonly instead: Usage;
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

/** What the vendor's own batch makes of the prices. */
export function batchFactor({ row }: Pick<PriceTerms, 'row'>): Pick<BillFactors, 'batch'> {
  return { batch: row.price.batch ?? 1 };
}

/** The largest of the amounts: any of the terms may be those of the answer. */
export function highestAmount(all: Iterable<PriceTerms>, group: number, inBatch = false): Need {
  let highest: Need = { most: 0, least: 0 };
  for (const terms of all) {
    const amount = reservationAmount(terms, { ...terms.factors, group, ...(inBatch && batchFactor(terms)) });
    if (amount.most >= highest.most) highest = amount;
  }
  return highest;
}

/** What another vendor used for the same answer: it is billed with it. */
export interface ExtraUsage {
  /** It was asked in parallel with the one that answered, continued an answer that broke off, or answered with nothing before. */
  readonly why: 'hedge' | 'continuation' | 'empty_answer';
  readonly offer: Offer;
  readonly terms: PriceTerms;
  readonly usage: Usage;
}

/** How an answer ended. */
export interface Outcome {
  /** What is billed; undefined gives everything back. */
  readonly usage: Usage | undefined;
  /** What the vendor said, where `usage` is made of it. */
  readonly reported?: Usage;
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

/**
 * A report is believed up to so many times what was quoted: vendors round up to whole pieces, and count what they wrap around a request.
 * Beyond it the quote itself is billed, since such a report is in another unit, of another request, or made up.
 */
export const REPORT_TOLERANCE = 1.25;

/** Of a count that no quote names, and no price either: for statistics alone. */
const LARGEST_UNQUOTED = 1e7;

/** What of a vendor's report is billed. */
export interface BilledReport {
  readonly usage: Usage;
  readonly bill: Bill;
  /** The report was within what the request could have used. */
  readonly isBelieved: boolean;
}

/**
 * Bills a vendor's report: its counts where they are finite, not negative and no more than the request could have used, else what was
 * quoted. A bill of `known` units and less is certainly within that. Whatever the report says, the bill is within the quote's bound.
 */
export function billReport(reported: Usage, { row, quote }: PriceTerms, factors: BillFactors, known = 0): BilledReport {
  const { most } = quote;
  const isUsual = isAllWithin(reported, (name) => Number(most[name] ?? LARGEST_UNQUOTED));
  const usage = isUsual ? reported : boundUsage(reported, boundOf(quote), row.price);
  const bill = billOf(usage, row.price, factors);
  const isBelieved = usage === reported;
  if (bill.units <= known || bill.units <= mostUnits(quote, row, factors)) return { usage, bill, isBelieved };
  // What was counted has a price that the quote does not know of.
  const instead: Usage = { ...boundOf(quote).instead, estimated: true };
  return { usage: instead, bill: billOf(instead, row.price, factors), isBelieved: false };
}

/** The most that a report on a quote is billed, in quota units. */
function mostUnits({ most, bound }: Quote, { price }: Pick<ModelRow, 'price'>, factors: BillFactors): number {
  if (bound !== undefined) return billOf(bound().believed, price, factors).units;
  return Math.floor(REPORT_TOLERANCE * billOf(most, price, factors).units);
}

function boundOf({ most, bound }: Quote): ReportBound {
  return bound?.() ?? { believed: times(most, REPORT_TOLERANCE), instead: most };
}

/** So much of a usage. */
export function times(usage: Usage, factor: number): Usage {
  const entries = Object.entries(usage) as readonly [string, number | boolean][];
  return Object.fromEntries(entries.map(([name, count]) => [name, typeof count === 'number' ? count * factor : count]));
}

/** The larger of each count. */
export function largerOf(one: Usage, other: Usage): Usage {
  const larger: Record<string, unknown> = { ...one };
  for (const [name, count] of Object.entries(other) as [keyof Usage, number | boolean][])
    if (typeof count !== 'number' || count > Number(one[name] ?? 0)) larger[name] = count;
  return larger;
}

/**
 * A report with what is billed instead of priced counts beyond the bound, and without those that are negative or no numbers. The same
 * object when it is all within.
 */
export function boundUsage(usage: Usage, { believed, instead }: ReportBound, price: Price): Usage {
  const most = (name: keyof Usage): number =>
    isBilledBy(price, name) ? Number(believed[name] ?? LARGEST_UNQUOTED) : LARGEST_UNQUOTED;
  if (isAllWithin(usage, most)) return usage;
  const counts: Record<string, unknown> = {};
  for (const name of Object.keys(usage) as (keyof Usage)[]) {
    const value: unknown = usage[name];
    if (name === 'estimated' || isWithin(value, most(name))) counts[name] = value;
    else if (typeof value === 'number' && value > 0 && instead[name] !== undefined) counts[name] = instead[name];
  }
  return counts;
}

function isAllWithin(usage: Usage, most: (name: keyof Usage) => number): boolean {
  for (const name in usage) {
    const known = name as keyof Usage;
    if (known !== 'estimated' && !isWithin(usage[known], most(known))) return false;
  }
  return true;
}

function isWithin(value: unknown, most: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= most;
}

/** Whether a count of a report is negative, or no number at all. */
export function makesNoSense({ estimated: _, ...counts }: Usage): boolean {
  return Object.values(counts).some((count: unknown) => !(Number.isFinite(count) && Number(count) >= 0));
}

/** Whether less of a report is billed than it says. */
export function isCutDown(reported: Usage, billed: Usage): boolean {
  return Object.entries(reported).some(
    ([name, count]: [string, unknown]) => typeof count === 'number' && count > Number(billed[name as keyof Usage] ?? 0),
  );
}

/** A report where something was delivered: what it counts as nothing or less it does not tell. */
export function toldOf(reported: Usage): Usage {
  const told = Object.entries(reported).filter(
    ([name, count]: [string, unknown]) => name === 'estimated' || (typeof count === 'number' && count > 0),
  );
  return Object.fromEntries(told);
}

/** A report that was not believed. */
export interface DoubtedReport {
  readonly reported: Usage;
  readonly billed: Usage;
  readonly row: Pick<ModelRow, 'code' | 'wildcard'>;
  readonly account: Pick<GatewayAccount, 'id' | 'name' | 'vendor'> | undefined;
  /** The request or task it is of. */
  readonly of: { readonly request_id: string } | { readonly task: string };
}

/** Logs and counts it: the limits of the row are wrong, or the vendor is. */
export function tellDoubt(
  { log, meter }: Pick<Parts, 'meter' | 'log'>,
  { reported, billed, row: { code, wildcard }, account, of }: DoubtedReport,
): void {
  const { id = '', vendor = 'unknown' } = account ?? {};
  log.warn(
    { ...of, model: code, account: id, reported, billed },
    'the vendor reported more usage than the request could have, or none that makes sense; what could be is billed',
  );
  meter.count('gateway_usage_reports_capped_total', { model: wildcard ?? code, vendor, ...accountLabels(account) });
}
