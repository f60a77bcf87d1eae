/** A paid request from the quote to the bill: money is set aside, vendors are asked, what was used is charged and the rest given back. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../catalogue.ts';
import { billDetail, billOf, type BillFactors } from '../money/price.ts';
import type { Reservation, Spending } from '../money/spending.ts';
import type { Caller, Parts } from '../parts.ts';
import type { Slot } from '../routing.ts';
import { saneUsage } from './sane-usage.ts';
import { attemptOffers, settleFailed, type AttemptParts, type Attempts, type Candidate } from './attempts.ts';

export type PaidParts = AttemptParts & Pick<Parts, 'catalogue'> & { readonly spending: Spending };

export interface Quote {
  /** The most the request may use: what is set aside. */
  readonly most: Usage;
  /** What it uses for certain: a payer who has no more than this may try; `most` when absent. */
  readonly least?: Usage;
}

export interface PaidRequest<C extends Candidate, T> extends Attempts<C> {
  readonly caller: Caller;
  readonly row: ModelRow;
  /** For the ledger: `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly quote: Quote;
  /** Size class or sound, where prices know them. */
  readonly factors?: Omit<BillFactors, 'group'>;
  /** Makes a candidate ready before it takes a slot of its account; see `Work.prepare`. */
  prepare?(candidate: C): C | Promise<C>;
  /**
   * Asks once. Resolves when the vendor has answered, or has begun to: from then on nobody else is asked, and the answer's end settles
   * the payment. Throws what the vendor refused with.
   */
  attempt(candidate: C, payment: Payment): Promise<T>;
  /** What of a vendor's report is billed; all of it when absent. */
  believe?(reported: Usage): Usage;
  /** Told of what was charged for. */
  charged?(usage: Usage): void;
}

/** How an answer ended. */
export interface Outcome {
  /** What is billed; undefined gives everything back. */
  readonly usage: Usage | undefined;
  /** Why it broke off. */
  readonly error?: GatewayError;
  /** Nothing is known about the vendor's account: the caller left, or the request was refused in the middle. */
  readonly inconclusive?: boolean;
}

/** The open payment of one request. */
export interface Payment {
  /** The most the request may use: what was set aside. */
  readonly most: Usage;
  /**
   * What would be billed if the answer were cut off now; counts it does not have are as large as was set aside for them. Should the
   * process die, that is charged and not all that was set aside. To be called at intervals, and not while it is unknown.
   */
  checkpoint(soFar: Usage): void;
  /** Gives the account's slot back and charges; every later call does nothing. */
  settle(outcome: Outcome): void;
}

/** Runs a paid request. Throws GatewayError; then nothing is charged, save for an answer that cannot be used and that the vendor bills. */
export function runPaid<C extends Candidate, T>(parts: PaidParts, request: PaidRequest<C, T>): Promise<T> {
  const { caller, row, quote, factors } = request;
  const catalogue = parts.catalogue();
  const billing: Billing = {
    factors: { ...factors, group: catalogue.groupFactors[caller.key.group] ?? 1 },
    priceVersion: catalogue.priceVersion,
  };
  const reserved = parts.spending.reserve(caller, {
    most: billOf(quote.most, row.price, billing.factors).units,
    least: billOf(quote.least ?? quote.most, row.price, billing.factors).units,
  });
  if (reserved instanceof Promise)
    return reserved.then((reservation) => attemptPaid(parts, request, reservation, billing));
  return attemptPaid(parts, request, reserved, billing);
}

interface Billing {
  readonly factors: BillFactors;
  readonly priceVersion: string;
}

function attemptPaid<C extends Candidate, T>(
  parts: PaidParts,
  request: PaidRequest<C, T>,
  reservation: Reservation,
  billing: Billing,
): Promise<T> {
  let settled = false;
  const settleMoney = (usage: Usage | undefined): void => {
    settled = true;
    if (usage === undefined) reservation.cancel();
    else charge(request, reservation, usage, billing);
  };
  return attemptOffers(parts, request, {
    ...(request.prepare !== undefined && { prepare: (candidate) => request.prepare?.(candidate) ?? candidate }),
    ask: (candidate, slot) =>
      request.attempt(candidate, {
        most: request.quote.most,
        checkpoint(soFar) {
          const usage = saneUsage({ ...request.quote.most, ...soFar }, request.quote.most);
          if (!settled) reservation.checkpoint(billOf(usage, request.row.price, billing.factors).units);
        },
        settle(outcome) {
          if (settled) return;
          settleSlot(parts, candidate, slot, outcome);
          settleMoney(outcome.usage);
        },
      }),
    isSettled: () => settled,
    failed: (error) => settleMoney(error instanceof GatewayError ? error.details.answered?.usage : undefined),
  });
}

function settleSlot(parts: PaidParts, { offer }: Candidate, slot: Slot, { error, inconclusive }: Outcome): void {
  if (error !== undefined) settleFailed(parts, offer, slot, { error, isGone: false });
  else if (inconclusive === true) slot.release();
  else slot.succeed();
}

function charge<C extends Candidate, T>(
  request: PaidRequest<C, T>,
  reservation: Reservation,
  reported: Usage,
  { factors, priceVersion }: Billing,
): void {
  const { row, trace, endpoint, quote } = request;
  const usage = saneUsage(request.believe?.(reported) ?? reported, quote.most);
  const bill = billOf(usage, row.price, factors);
  const { charged } = reservation.charge({
    model: row.code,
    endpoint,
    ...(trace.accountId !== undefined && { accountId: trace.accountId }),
    units: bill.units,
    priceVersion,
    detail: billDetail(bill, usage, usage === reported ? undefined : reported),
  });
  trace.usage = usage;
  trace.charged = charged;
  request.charged?.(usage);
}
