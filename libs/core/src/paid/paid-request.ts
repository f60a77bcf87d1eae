/** A paid request from the quote to the bill: money is set aside, vendors are asked, what was used is charged and the rest given back. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import { accountIdOf, type ModelRow, type Offer } from '../catalogue.ts';
import { billDetail, billOf, totalOf, type Bill, type BillFactors } from '../money/price.ts';
import type { Spending } from '../money/spending.ts';
import type { Caller, Parts } from '../parts.ts';
import type { Need, Reservation } from '../ports.ts';
import type { Slot } from '../routing.ts';
import {
  AttemptLoop,
  settleFailed,
  type AttemptParts,
  type Attempts,
  type Candidate,
  type Work,
} from './attempt-loop.ts';
import { countCharge, tellSpend } from './paid-metrics.ts';
import { askWithHedge, type Hedging, type HedgedRun } from './hedge.ts';
import {
  batchFactor,
  billReport,
  highestAmount,
  reservationAmount,
  isCutDown,
  makesNoSense,
  tellDoubt,
  type BilledReport,
  type ExtraUsage,
  type Outcome,
  type Payment,
  type PriceTerms,
} from './payment.ts';
import { certainlyNotTaken } from './repeat.ts';

export type PaidParts = AttemptParts &
  Pick<Parts, 'catalogue' | 'log' | 'spent'> & {
    readonly spending: Pick<Spending, 'reserve'>;
  };

export interface PaidRequest<C extends Candidate, T> extends Attempts<C>, PriceTerms {
  readonly caller: Caller;
  /** Those of the candidates' rows, where there are several: the dearest of them is set aside. Absent: the request's own are everybody's. */
  readonly terms?: ReadonlyMap<ModelRow, PriceTerms>;
  /** For the ledger: `/v1/chat/completions`. */
  readonly endpoint: string;
  /** Makes a candidate ready before it takes a slot of its account; see `Work.prepare`. */
  prepare?(candidate: C): C | Promise<C>;
  /**
   * Asks once. Resolves when the vendor has answered, or has begun to: from then on nobody else is asked, and the answer's end settles
   * the payment. Throws what the vendor refused with.
   */
  attempt(candidate: C, payment: Payment): Promise<T>;
  /** A report with what its vendor cannot know: a length that was measured, searches that it does not count. */
  completed?(reported: Usage): Usage;
  /** Asks a second vendor in parallel when the first takes long; both are set aside for. */
  readonly hedging?: Hedging<C, T>;
  /** It is asked by way of the caller's delivery, where it has one. */
  readonly isDelivered?: true;
  /** Answers that the request may pay for: as many are set aside; 1 when absent. */
  readonly answers?: number;
}

/**
 * Runs a paid request. Throws GatewayError; then nothing is charged, except for what the vendor bills all the same: an answer that cannot
 * be used, and one whose caller hung up where the vendor is hung up on, too.
 */
export function runPaid<C extends Candidate, T>(parts: PaidParts, request: PaidRequest<C, T>): Promise<T> {
  request.trace.row = request.row;
  request.trace.payer = request.caller.key.ownerId;
  const { groupFactors, priceVersion } = parts.catalogue();
  const group = groupFactors[request.caller.key.group] ?? 1;
  const { terms, answers = 1 } = request;
  const delivery = request.isDelivered === true ? request.caller.delivery : undefined;
  const isInBatch = delivery?.answeredBy !== undefined;
  const alone: BillFactors = { ...request.factors, group };
  const factors = isInBatch ? { ...alone, ...batchFactor(request) } : alone;
  const amountOf = (inBatch: boolean): Need => {
    if (terms !== undefined) return highestAmount(terms.values(), group, inBatch);
    return reservationAmount(request, inBatch ? { ...alone, ...batchFactor(request) } : alone);
  };
  const one = amountOf(isInBatch);
  const amount = {
    ...{ most: answers * one.most, least: one.least, model: request.row.code, endpoint: request.endpoint },
    ...(request.row.defaultPrice !== undefined && { defaultPrice: request.row.defaultPrice }),
    ...(delivery !== undefined && { inBatch: answers * (isInBatch ? one : amountOf(true)).most }),
  };
  const run = (reservation: Reservation): Promise<T> =>
    new PaidRun(parts, request, { reservation, factors, priceVersion, one: one.most }).run();
  const reserved = (request.caller.spending ?? parts.spending).reserve(request.caller, amount);
  return reserved instanceof Promise ? reserved.then(run) : run(reserved);
}

interface Billing {
  readonly reservation: Reservation;
  /** Of the request's own terms. */
  readonly factors: BillFactors;
  readonly priceVersion: string;
  /** Of what was set aside, the part for one answer. */
  readonly one: number;
}

const NO_EXTRA: readonly ExtraUsage[] = [];

/** A paid request for which money is set aside: it is asked for until somebody answers, and charged once. */
class PaidRun<C extends Candidate, T> implements Work<C, T>, HedgedRun<C, T> {
  readonly parts: PaidParts;
  readonly request: PaidRequest<C, T>;
  private readonly billing: Billing;
  private settled = false;
  /** Terms of the candidate that answers, or was asked last. */
  private terms: PriceTerms;
  private extra = NO_EXTRA;
  /** An answer with nothing in it, for which another one is asked: it is paid. */
  private empty: ExtraUsage | undefined;

  constructor(parts: PaidParts, request: PaidRequest<C, T>, billing: Billing) {
    this.parts = parts;
    this.request = request;
    this.billing = billing;
    this.terms = request;
  }

  run(): Promise<T> {
    return new AttemptLoop(this.parts, this.request, this).run();
  }

  prepare(candidate: C): C | Promise<C> {
    return this.request.prepare?.(candidate) ?? candidate;
  }

  ask(candidate: C, slot: Slot): Promise<T> {
    const { request } = this;
    if (request.hedging !== undefined) return askWithHedge(this, request.hedging, candidate, slot);
    const payment = new CandidatePayment(this, candidate, slot);
    this.terms = payment.terms;
    const answering = request.attempt(candidate, payment);
    const answer =
      request.repeat.replacesEmpty === true
        ? answering.catch((error: unknown) => this.noteEmpty(candidate, payment, error))
        : answering;
    return candidate.offer.account.onDisconnect.others === 'abort' ? this.chargedWhenCut(answer, payment) : answer;
  }

  isSettled(): boolean {
    return this.settled;
  }

  private noteEmpty({ offer }: C, { terms }: CandidatePayment<C, T>, error: unknown): never {
    if (error instanceof GatewayError && error.details.isEmpty === true)
      this.empty = { why: 'empty_answer', offer, terms, usage: error.details.answered?.usage ?? {} };
    throw error;
  }

  failed(error: unknown): void {
    if (this.empty !== undefined) {
      // Nobody else answered: what was answered with nothing is all there is to pay.
      this.terms = this.empty.terms;
      this.settleMoney(this.empty.usage, undefined);
      return;
    }
    this.settleMoney(error instanceof GatewayError ? error.details.answered?.usage : undefined, undefined);
  }

  /** The prices of a candidate's row. */
  termsOf({ row }: C): PriceTerms {
    return row === undefined ? this.request : (this.request.terms?.get(row) ?? this.request);
  }

  /** The payment as this candidate settles it. */
  paymentOf(candidate: C, slot: Slot): Payment {
    return new CandidatePayment(this, candidate, slot);
  }

  /** The candidate with these terms is the one that answers. */
  answeredAt(terms: PriceTerms): void {
    this.terms = terms;
  }

  /** Bills what another vendor used with the answer. */
  addExtra(extra: readonly ExtraUsage[]): void {
    this.extra = [...this.extra, ...extra];
  }

  checkpoint(terms: PriceTerms, soFar: () => Usage | undefined): void {
    if (this.settled) return;
    const { most } = terms.quote;
    this.billing.reservation.checkpoint(() => {
      const usage = soFar();
      if (usage === undefined) return undefined;
      return billReport({ ...most, ...usage }, terms, this.factorsOf(terms)).bill.units;
    });
  }

  settle(candidate: C, slot: Slot, outcome: Outcome): void {
    if (this.settled) return;
    const { trace } = this.request;
    const { usage, reported, error, inconclusive, extra } = outcome;
    if (error !== undefined) settleFailed(this.parts, candidate.offer, slot, { error, isGone: false });
    else if (inconclusive === true) slot.release();
    else slot.succeed();
    if (extra !== undefined) this.addExtra(extra);
    if (this.empty !== undefined) this.addExtra([this.empty]);
    this.settleMoney(usage, reported);
    const isGone = inconclusive === true && error === undefined;
    trace.span?.ended({ error, isGone, usage: trace.usage, charged: trace.charged });
  }

  /** A vendor that was hung up on while it worked may bill what it was asked for: all that was set aside, unless it certainly has not begun. */
  private chargedWhenCut(answer: Promise<T>, payment: Payment): Promise<T> {
    const { signal } = this.request.caller;
    return answer.catch((error: unknown) => {
      const isAnswered = error instanceof GatewayError && error.details.answered !== undefined;
      if (signal.aborted && !isAnswered && !certainlyNotTaken(error))
        payment.settle({ usage: { ...payment.most, estimated: true }, inconclusive: true });
      throw error;
    });
  }

  private factorsOf(terms: PriceTerms): BillFactors {
    const { factors } = this.billing;
    if (terms === this.request) return factors;
    return { ...terms.factors, group: factors.group, ...(factors.batch !== undefined && batchFactor(terms)) };
  }

  private settleMoney(told: Usage | undefined, reported: Usage | undefined): void {
    this.settled = true;
    if (told === undefined) this.billing.reservation.cancel();
    else this.charge(told, reported ?? told);
  }

  private charge(told: Usage, reported: Usage): void {
    const { parts, request, terms, extra } = this;
    const { trace } = request;
    const { row } = terms;
    const factors = this.factorsOf(terms);
    const completed = request.completed?.(told) ?? told;
    const own = billReport(completed, terms, factors, request.terms === undefined ? this.billing.one : 0);
    const { usage } = own;
    const isDoubted = !own.isBelieved || (usage !== reported && (makesNoSense(reported) || isCutDown(reported, usage)));
    if (isDoubted) this.doubt(reported, usage);
    const bill = extra.length === 0 ? own.bill : withExtra(own.bill, extra);
    const detail = {
      ...billDetail(bill, usage, isDoubted || usage !== told ? reported : undefined),
      ...(extra.length > 0 && { beside: extra.map(extraDetail) }),
      // A model that a route led to is billed by its own name.
      ...(row !== request.row && { asked: request.row.code }),
      ...(row.defaultPrice !== undefined && { default_price: row.defaultPrice }),
    };
    const { charged } = this.billing.reservation.charge({
      model: row.code,
      endpoint: request.endpoint,
      ...(trace.offer !== undefined && { accountId: accountIdOf(trace.offer.account) }),
      units: bill.units,
      priceVersion: this.billing.priceVersion,
      detail,
    });
    trace.usage = usage;
    trace.charged = charged;
    trace.bill = bill;
    trace.billed = row;
    countBudgetUse(parts, trace.offer, { usage, row, factors });
    for (const each of extra)
      countBudgetUse(parts, each.offer, {
        usage: billOfExtra(each, factors.group).usage,
        row: each.terms.row,
        factors: { ...each.terms.factors, group: factors.group },
      });
    countCharge(parts, { row, offer: trace.offer, mode: request.caller.mode, usage, charged });
    tellSpend(parts, request.caller, { usage, charged });
  }

  private doubt(reported: Usage, billed: Usage): void {
    const { caller, trace } = this.request;
    const of = { request_id: caller.requestId };
    tellDoubt(this.parts, { reported, billed, row: this.terms.row, account: trace.offer?.account, of });
  }
}

/** The payment of a request, at the terms of one candidate. */
class CandidatePayment<C extends Candidate, T> implements Payment {
  readonly terms: PriceTerms;
  readonly most: Usage;
  private readonly run: PaidRun<C, T>;
  private readonly candidate: C;
  private readonly slot: Slot;

  constructor(run: PaidRun<C, T>, candidate: C, slot: Slot) {
    this.run = run;
    this.candidate = candidate;
    this.slot = slot;
    this.terms = run.termsOf(candidate);
    this.most = this.terms.quote.most;
  }

  checkpoint(soFar: () => Usage | undefined): void {
    this.run.checkpoint(this.terms, soFar);
  }

  settle(outcome: Outcome): void {
    this.run.settle(this.candidate, this.slot, outcome);
  }
}

/** One bill of all that was used for an answer, rounded once. */
function withExtra({ lines, groupFactor }: Bill, extra: readonly ExtraUsage[]): Bill {
  const more = extra.flatMap((each) => billOfExtra(each, groupFactor).bill.lines);
  return totalOf([...lines, ...more], groupFactor);
}

function billOfExtra({ terms, usage }: ExtraUsage, group: number): BilledReport {
  return billReport(usage, terms, { ...terms.factors, group });
}

function extraDetail(extra: ExtraUsage): JsonObject {
  const { why, offer, terms } = extra;
  return { why, model: terms.row.code, account_id: offer.account.id, usage: { ...billOfExtra(extra, 1).usage } };
}

interface BudgetUse {
  readonly usage: Usage;
  readonly row: ModelRow;
  readonly factors: BillFactors;
}

/** Counts against the account's budget, as the vendor bills it: without the factor of the caller's group. */
function countBudgetUse({ router }: PaidParts, offer: Offer | undefined, { usage, row, factors }: BudgetUse): void {
  if (offer?.account.budget === undefined) return;
  const { units } = billOf(usage, row.price, { ...factors, group: 1 });
  router.used(offer, { tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), units });
}
