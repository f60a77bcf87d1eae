/** A paid request from the quote to the bill: money is set aside, vendors are asked, what was used is charged and the rest given back. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '../catalogue.ts';
import { billDetail, billOf, totalOf, type Bill, type BillFactors } from '../money/price.ts';
import type { Reservation, Spending } from '../money/spending.ts';
import type { Caller, Parts } from '../parts.ts';
import type { AttemptEnd } from '../ports.ts';
import type { Slot } from '../routing.ts';
import { countCharge } from './charge-metrics.ts';
import { certainlyNotTaken } from './repeat.ts';
import { saneUsage } from './sane-usage.ts';
import { dearest, needOf, type Terms } from './terms.ts';
import type { Trace } from './trace.ts';
import { firstAnswer, type Hedging, type Runner } from './hedge.ts';
import {
  attemptOffers,
  beginAttempt,
  settleFailed,
  type AttemptParts,
  type Attempts,
  type Candidate,
} from './attempts.ts';

export type PaidParts = AttemptParts & Pick<Parts, 'catalogue'> & { readonly spending: Spending };

export interface PaidRequest<C extends Candidate, T> extends Attempts<C>, Terms {
  readonly caller: Caller;
  /** Those of the candidates' rows, where there are several: the dearest of them is set aside. Absent: the request's own are everybody's. */
  readonly terms?: ReadonlyMap<ModelRow, Terms>;
  /** For the ledger: `/v1/chat/completions`. */
  readonly endpoint: string;
  /** Makes a candidate ready before it takes a slot of its account; see `Work.prepare`. */
  prepare?(candidate: C): C | Promise<C>;
  /**
   * Asks once. Resolves when the vendor has answered, or has begun to: from then on nobody else is asked, and the answer's end settles
   * the payment. Throws what the vendor refused with.
   */
  attempt(candidate: C, payment: Payment): Promise<T>;
  /** What of a vendor's report is billed; all of it when absent. */
  believe?(reported: Usage): Usage;
  /** Asks a second vendor beside one that takes long; both are set aside for. */
  readonly hedging?: Hedging<C, T>;
  /** Answers that the request may pay for: as many are set aside; 1 when absent. */
  readonly answers?: number;
}

/** What another vendor used for the same answer: it is billed with it. */
export interface Beside {
  /** It was asked beside the one that answered, or went on with an answer that broke off. */
  readonly why: 'hedge' | 'continuation';
  readonly offer: Offer;
  readonly terms: Terms;
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
  /** What others used for it. */
  readonly beside?: readonly Beside[];
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
 * Runs a paid request. Throws GatewayError; then nothing is charged, save for what the vendor bills all the same: an answer that cannot be
 * used, and one whose caller hung up where the vendor is hung up on, too.
 */
export function runPaid<C extends Candidate, T>(parts: PaidParts, request: PaidRequest<C, T>): Promise<T> {
  const { caller, row, trace, terms } = request;
  trace.row = row;
  const catalogue = parts.catalogue();
  const group = catalogue.groupFactors[caller.key.group] ?? 1;
  const billing: Billing = { factors: { ...request.factors, group }, priceVersion: catalogue.priceVersion };
  const one = terms === undefined ? needOf(request, billing.factors) : dearest(terms.values(), group);
  const { answers = 1 } = request;
  const need = answers === 1 ? one : { ...one, most: answers * one.most };
  const reserved = parts.spending.reserve(caller, need);
  if (reserved instanceof Promise)
    return reserved.then((reservation) => attemptPaid(parts, request, reservation, billing));
  return attemptPaid(parts, request, reserved, billing);
}

interface Billing {
  /** Of the request's own terms. */
  readonly factors: BillFactors;
  readonly priceVersion: string;
}

interface Charged {
  readonly reported: Usage;
  readonly terms: Terms;
  readonly beside: readonly Beside[];
}

/** A payment while vendors are asked. */
interface Open<C extends Candidate, T> {
  readonly parts: PaidParts;
  readonly request: PaidRequest<C, T>;
  readonly reservation: Reservation;
  readonly billing: Billing;
  settled: boolean;
  /** Of whom was asked last. */
  terms: Terms;
  beside: readonly Beside[];
}

const NOTHING_BESIDE: readonly Beside[] = [];

function attemptPaid<C extends Candidate, T>(
  parts: PaidParts,
  request: PaidRequest<C, T>,
  reservation: Reservation,
  billing: Billing,
): Promise<T> {
  const { hedging } = request;
  const open: Open<C, T> = {
    parts,
    request,
    reservation,
    billing,
    settled: false,
    terms: request,
    beside: NOTHING_BESIDE,
  };
  return attemptOffers(parts, request, {
    ...(request.prepare !== undefined && { prepare: (candidate) => request.prepare?.(candidate) ?? candidate }),
    ask(candidate, slot) {
      if (hedging !== undefined) return askBeside(open, hedging, candidate, slot);
      open.terms = termsOf(request, candidate);
      const payment = paymentOf(open, candidate, slot);
      const answer = request.attempt(candidate, payment);
      return candidate.offer.account.onDisconnect === 'abort' ? paidIfCut(answer, request.caller, payment) : answer;
    },
    isSettled: () => open.settled,
    failed: (error) => settleMoney(open, error instanceof GatewayError ? error.details.answered?.usage : undefined),
  });
}

/** A vendor that was hung up on while it worked may bill what it was asked for: all that was set aside, unless it certainly has not begun. */
function paidIfCut<T>(answer: Promise<T>, { signal }: Caller, payment: Payment): Promise<T> {
  return answer.catch((error: unknown) => {
    const isAnswered = error instanceof GatewayError && error.details.answered !== undefined;
    if (signal.aborted && !isAnswered && !certainlyNotTaken(error))
      payment.settle({ usage: { ...payment.most, estimated: true }, inconclusive: true });
    throw error;
  });
}

function termsOf<C extends Candidate, T>(request: PaidRequest<C, T>, { row }: C): Terms {
  return row === undefined ? request : (request.terms?.get(row) ?? request);
}

function factorsOf<C extends Candidate, T>({ request, billing }: Open<C, T>, terms: Terms): BillFactors {
  return terms === request ? billing.factors : { ...terms.factors, group: billing.factors.group };
}

function settleMoney<C extends Candidate, T>(open: Open<C, T>, usage: Usage | undefined): void {
  const { parts, request, reservation, billing, terms, beside } = open;
  open.settled = true;
  if (usage === undefined) reservation.cancel();
  else {
    const { priceVersion } = billing;
    const factors = factorsOf(open, terms);
    charge(parts, request, reservation, { reported: usage, terms, factors, priceVersion, beside });
  }
}

/** Of a candidate, at its terms. */
function paymentOf<C extends Candidate, T>(open: Open<C, T>, candidate: C, slot: Slot): Payment {
  const { parts, request, reservation } = open;
  const terms = termsOf(request, candidate);
  const { row, quote } = terms;
  return {
    most: quote.most,
    checkpoint(soFar) {
      if (open.settled) return;
      reservation.checkpoint(() => {
        const usage = soFar();
        if (usage === undefined) return undefined;
        return billOf(saneUsage({ ...quote.most, ...usage }, quote.most), row.price, factorsOf(open, terms)).units;
      });
    },
    settle(outcome) {
      if (open.settled) return;
      settleSlot(parts, candidate, slot, outcome);
      if (outcome.beside !== undefined) open.beside = [...open.beside, ...outcome.beside];
      settleMoney(open, outcome.usage);
      request.trace.span?.ended(endOf(outcome, request.trace));
    },
  };
}

/** Asks a candidate, and when it takes long another one beside it. */
function askBeside<C extends Candidate, T>(
  open: Open<C, T>,
  hedging: Hedging<C, T>,
  candidate: C,
  slot: Slot,
): Promise<T> {
  const { parts, request } = open;
  const { trace } = request;
  const told = snapshotOf(trace);
  return firstAnswer(
    {
      hedging,
      pause: parts.pause,
      slotOf: (other) => freeSlot(parts, other.offer),
      start(each, own) {
        if (own === slot) return runnerOf(open, hedging, { candidate: each, slot: own, told });
        told.dropped = trace.dropped;
        beginAttempt(parts, trace, each);
        return runnerOf(open, hedging, { candidate: each, slot: own, told: snapshotOf(trace) });
      },
    },
    candidate,
    slot,
  );
}

function runnerOf<C extends Candidate, T>(
  open: Open<C, T>,
  hedging: Hedging<C, T>,
  { candidate, slot, told }: { readonly candidate: C; readonly slot: Slot; readonly told: Partial<Trace> },
): Runner<C, T> {
  const { parts, request } = open;
  const terms = termsOf(request, candidate);
  const over = new AbortController();
  const payment = paymentOf(open, candidate, slot);
  let state: 'open' | 'won' | 'out' = 'open';
  let early: Outcome | undefined;
  const leave = (usage: Usage | undefined): void => {
    state = 'out';
    if (usage !== undefined) open.beside = [...open.beside, { why: 'hedge', offer: candidate.offer, terms, usage }];
  };
  const answer = request.attempt(candidate, {
    ...payment,
    over: over.signal,
    // A whole answer is settled before its promise is.
    settle(outcome) {
      if (state === 'won') payment.settle(outcome);
      else if (state === 'open') early ??= outcome;
    },
  });
  return {
    candidate,
    answer,
    win() {
      state = 'won';
      open.terms = terms;
      Object.assign(request.trace, told);
      if (early !== undefined) payment.settle(early);
    },
    giveUp() {
      leave(early?.usage ?? hedging.lost(candidate, terms.quote.most));
      over.abort();
      slot.release();
      told.span?.ended({ isGone: true });
    },
    failed(error) {
      leave(early?.usage ?? (error instanceof GatewayError ? error.details.answered?.usage : undefined));
      told.span?.ended({ error, isGone: false });
      settleFailed(parts, candidate.offer, slot, { error, isGone: request.caller.signal.aborted });
    },
    ended() {
      open.terms = terms;
      if (early !== undefined) payment.settle(early);
    },
  };
}

/** What a trace says of the attempt that it is about at the moment. */
function snapshotOf({ row, route, offer, accountId, vendor, upstreamDialect, span }: Trace): Partial<Trace> {
  return { row, route, offer, accountId, vendor, upstreamDialect, span };
}

/** At once, or not at all. */
function freeSlot({ router }: PaidParts, offer: Offer): Slot | undefined {
  const { cooling, isFull } = router.view(offer);
  if (cooling || isFull === true) return undefined;
  try {
    const slot = router.acquire(offer);
    return slot instanceof Promise ? undefined : slot;
  } catch {
    return undefined;
  }
}

function settleSlot(parts: PaidParts, { offer }: Candidate, slot: Slot, { error, inconclusive }: Outcome): void {
  if (error !== undefined) settleFailed(parts, offer, slot, { error, isGone: false });
  else if (inconclusive === true) slot.release();
  else slot.succeed();
}

function endOf({ error, inconclusive }: Outcome, { usage, charged }: Trace): AttemptEnd {
  return { error, isGone: inconclusive === true && error === undefined, usage, charged };
}

function charge<C extends Candidate, T>(
  parts: PaidParts,
  request: PaidRequest<C, T>,
  reservation: Reservation,
  { reported, terms, factors, priceVersion, beside }: Billing & Charged,
): void {
  const { trace, endpoint } = request;
  const { row, quote } = terms;
  const usage = saneUsage(request.believe?.(reported) ?? reported, quote.most);
  const own = billOf(usage, row.price, factors);
  const bill = beside.length === 0 ? own : withBeside(own, beside);
  const told = billDetail(bill, usage, usage === reported ? undefined : reported);
  const detail = beside.length === 0 ? told : { ...told, beside: beside.map(besideDetail) };
  const { charged } = reservation.charge({
    model: row.code,
    endpoint,
    ...(trace.accountId !== undefined && { accountId: trace.accountId }),
    units: bill.units,
    priceVersion,
    // What a route led to is billed by its own name.
    detail: row === request.row ? detail : { ...detail, asked: request.row.code },
  });
  trace.usage = usage;
  trace.charged = charged;
  trace.bill = bill;
  trace.billed = row;
  if (trace.offer?.account.budget !== undefined) countUse(parts, trace.offer, { usage, row, factors });
  for (const each of beside) {
    const { offer, terms: of, usage: used } = each;
    if (offer.account.budget !== undefined)
      countUse(parts, offer, { usage: used, row: of.row, factors: { ...of.factors, group: factors.group } });
  }
  countCharge(parts, { row, offer: trace.offer, mode: request.caller.mode, usage, charged });
}

/** One bill of all that was used for an answer, rounded once. */
function withBeside({ lines, groupFactor }: Bill, beside: readonly Beside[]): Bill {
  const more = beside.flatMap(
    ({ terms, usage }) =>
      billOf(saneUsage(usage, terms.quote.most), terms.row.price, { ...terms.factors, group: groupFactor }).lines,
  );
  return totalOf([...lines, ...more], groupFactor);
}

function besideDetail({ why, offer, terms: { row, quote }, usage }: Beside): JsonObject {
  return { why, model: row.code, account_id: offer.account.id, usage: { ...saneUsage(usage, quote.most) } };
}

/** As the vendor bills it: without the factor of the caller's group. */
function countUse(
  { router }: PaidParts,
  offer: Offer,
  { usage, row, factors }: { readonly usage: Usage; readonly row: ModelRow; readonly factors: BillFactors },
): void {
  const { units } = billOf(usage, row.price, { ...factors, group: 1 });
  router.used(offer, { tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), units });
}
