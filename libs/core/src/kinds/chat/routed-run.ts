/** A paid chat over several models: with fallbacks, a deadline, a second vendor in parallel and streams that another model continues. */
import type { ModelRow } from '../../catalogue.ts';
import type { FallbacksByCause } from '../../paid/attempt-loop.ts';
import type { Hedging } from '../../paid/hedge.ts';
import type { Payment, PriceTerms } from '../../paid/payment.ts';
import type { RepeatPolicy } from '../../paid/repeat.ts';
import { estimate } from './billed-usage.ts';
import { ChatRun, type ChatRunOptions } from './chat-run.ts';
import type { GoOn } from './continued-elsewhere.ts';
import { isReady, type Plan } from './plan.ts';
import { routedAttempt, type HedgeOfModel, type Routed } from './routed.ts';
import type { ChatAnswer } from './types.ts';

export class RoutedChatRun extends ChatRun {
  readonly terms: ReadonlyMap<ModelRow, PriceTerms>;
  readonly instead: FallbacksByCause<Plan>;
  readonly answers: number;
  readonly hedging?: Hedging<Plan, ChatAnswer>;
  override readonly repeat: RepeatPolicy;
  private readonly routed: Routed;

  constructor(options: ChatRunOptions, routed: Routed) {
    // A deadline of the operator's is no wish of the caller's: its signal hangs up on whom it likes (`over`).
    const caller = routed.over === undefined ? routed.caller : options.call.caller;
    super({ ...options, call: { ...options.call, caller } }, routed.plans, routed.caller);
    this.routed = routed;
    this.terms = routed.terms;
    this.instead = routed.instead;
    const { hedge, plans } = routed;
    // Two that are asked at once are replaced by nobody.
    this.repeat = hedge?.afterMs === undefined ? routed.repeat : { ...routed.repeat, replacesEmpty: false };
    const mayBeTwo = [hedge?.afterMs !== undefined, routed.goOn !== undefined, this.repeat.replacesEmpty === true];
    this.answers = 1 + mayBeTwo.filter(Boolean).length;
    if (hedge?.afterMs !== undefined && plans.length > 1) this.hedging = this.hedgingAfter(hedge.afterMs, hedge);
  }

  isAsked({ offer }: Plan): boolean {
    return this.hedging !== undefined && this.routed.hedge?.asked.has(offer) === true;
  }

  protected override ask(plan: Plan, payment: Payment): Promise<ChatAnswer> {
    this.routed.hedge?.asked.add(plan.offer);
    return routedAttempt(this.parts, this.routed, { plan, payment, stream: this.call.stream }, (timed, over) =>
      super.ask(plan, timed, over),
    );
  }

  protected override continuation(): GoOn | undefined {
    return this.routed.goOn;
  }

  private hedgingAfter(afterMs: number, hedge: HedgeOfModel): Hedging<Plan, ChatAnswer> {
    let second: Plan | undefined;
    return {
      afterMs,
      mayAsk: (plan) => {
        if (!hedge.mayHedge()) return false;
        second = plan;
        return true;
      },
      won: (plan) => {
        this.answering = plan;
        if (second !== undefined) hedge.decided(plan === second ? 'second' : 'first');
      },
      // What has to be fetched or written first comes too late.
      others: () => this.candidates.filter((each) => !hedge.asked.has(each.offer) && isReady(each)),
      // The vendor is hung up on while it works: it bills what it has read at least.
      lost: (_plan, most) => estimate(this.call, most, 0),
      discard: () => undefined,
    };
  }
}
