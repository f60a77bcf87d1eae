/**
 * Which offer to try next (docs/architecture.md#routing): by priority, then weighted at random among well ones; an account that
 * answers 429 or fails in a row cools, which puts it behind the others and never closes it: when all that are left cool, the one
 * that is due first is asked all the same. Calls per account are bounded with a bounded queue.
 */
import type { ErrorCode, GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, ModelRow, Offer } from './catalogue.ts';
import { createBudgets, type Budgets, type BudgetUse } from './routing/budgets.ts';
import { Concurrency, type ConcurrencyOptions, type WaitingCaller } from './routing/concurrency.ts';
import type { VendorLimits } from '@model-gateway/provider-kit';
import type { AccountUse, HealthNews } from './ports.ts';
import { createFirstTimes, type FirstTimes, createLatency, type Latency, type Measured } from './routing/latency.ts';
import { createHealth, type AccountState, type Change, type Health } from './routing/health.ts';
import { ownOrder, planRoute, type RoutePlan, type RouteSituation } from './routing/plan-route.ts';
import { createRetryBudget, type RetryBudget } from './routing/retry-budget.ts';
import { AccountSlot, type Slot } from './routing/slot.ts';
import type { OfferView } from './routing/strategy.ts';

export type { Slot } from './routing/slot.ts';
export type { AccountState } from './routing/health.ts';

export interface AccountHealth {
  readonly accountId: number;
  readonly state: AccountState;
  /** Milliseconds since 1970; 0 when not cooling. */
  readonly coolUntil: number;
  readonly failures: number;
  /** How many of its models cool at the moment. */
  readonly cooling: number;
  readonly inFlight: number;
  readonly queued: number;
  /** The last time that it was the account's fault; kept when it is well again. */
  readonly lastFault?: AccountFault;
}

/** What an account last went wrong with, for operators. */
export interface AccountFault {
  readonly code: ErrorCode;
  /** In the vendor's words, without secrets; those about credentials are not for callers. */
  readonly message: string;
  /** Of the vendor's answer; absent where none came. */
  readonly status?: number;
  /** As the vendor calls it. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface RoutingOptions {
  readonly now: () => number;
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
  /** Told of every change of health that this process finds, for others that call the same accounts. */
  readonly tell?: (news: HealthNews) => void;
  /** Told of all that this process uses of accounts with a budget, for others that use the same. */
  readonly tellUse?: (use: AccountUse) => void;
  /** Of the calls that an account takes at once, those of this process; all when absent. */
  readonly shareOf?: (most: number) => number;
  /** How many places in a turn an owner has who waits for a full account, by the group of the key; 1 when absent. */
  readonly weightOf?: (group: string) => number;
}

type Target = Pick<Offer, 'account' | 'model'>;

export interface Router {
  /** The offers in the order to try them, by the strategy of their row where it has one: cooling ones last, of those the one that is due first before the others. */
  order(offers: readonly Offer[], row?: Pick<ModelRow, 'route'>): readonly Offer[];
  /** Plans a request for a row with routes, and remembers what its strategies prefer; with `note` it is explained and nothing is remembered. */
  plan(row: ModelRow, request: PlannedRequest): RoutePlan;
  /** What is known of an offer at this moment. */
  view(offer: Offer): OfferView;
  /** How many attempts beyond the first requests for this model may cause, in this process. */
  retryBudget(code: string): RetryBudget;
  /** How long answers for this model took to begin, whole ones and streams apart, in this process. */
  firstTimes(code: string, stream: boolean): FirstTimes;
  /** How many questions beside the first requests for this model may cause, in this process. */
  hedgeBudget(code: string): RetryBudget;
  /** Learns how long an answer took. */
  measure(offer: Target, measured: Measured): void;
  /** Whether a call to the offer would begin at once: its account has room, and it neither cools nor has used up its budget. */
  hasRoom(offer: Offer): boolean;
  /**
   * Whether the offer's account is well and at most half of its places are taken, for what can wait: the other half is for who waits for an
   * answer. `own` are the calls of that sort which have begun, some of them not yet at the account.
   */
  isIdle(offer: Offer, own: number): boolean;
  /** Whether a call to the offer's account would have to wait for a place. */
  isFull(offer: Target): boolean;
  /**
   * A slot of the offer's account, after a bounded wait where it is full: owners take turns then. Throws GatewayError when the account is
   * saturated, or, in the vendor's words with the seconds that are left, when it cools and `left` has a better one. `left` are the
   * offers that can still be tried after this one: it is called only for an account that cools.
   */
  acquire(offer: Target, caller?: WaitingCaller, left?: () => readonly Target[]): Slot | Promise<Slot>;
  health(accounts: readonly GatewayAccount[]): readonly AccountHealth[];
  /** Seconds until the first of these offers is due again; undefined when one is well. */
  retryAfterSeconds(offers: readonly Offer[]): number | undefined;
  /** What a request was used for, where its account has a budget. */
  used(offer: Target, use: Pick<AccountUse, 'tokens' | 'units'>): void;
  /** What a vendor says is left of its own limits. */
  heard(offer: Target, limits: VendorLimits): void;
  /** Another process has used an account; nothing is told of it again. */
  learnUse(use: AccountUse): void;
  /** All processes have used at least so much of an account today. */
  learnDay(use: AccountUse): void;
  /** How much of its budget is used. */
  budgetUse(account: GatewayAccount): readonly BudgetUse[];
  /** Takes over what another process has found; nothing is told of it again. */
  learn(news: HealthNews): void;
}

/** What a plan is made of beside what the router knows itself. */
export type PlannedRequest = Omit<RouteSituation, 'view' | 'favouriteOf' | 'random'>;

const MOST_MODELS = 1_000;
const NONE_LEFT = (): readonly Target[] => [];

/** Makes the router of one process; its memory is the health of accounts and of their models. */
export function createRouter(options: RoutingOptions): Router {
  return new OfferRouter(options);
}

class OfferRouter implements Router {
  private readonly now: () => number;
  private readonly tell: RoutingOptions['tell'];
  private readonly bound: ConcurrencyOptions;
  private readonly budgets: Budgets;
  /** What orders and plans take from here. */
  private readonly known: Pick<RouteSituation, 'view' | 'favouriteOf' | 'random'>;
  /** By account, then by model: vendors break per model. */
  private readonly healths = new Map<number, Map<string, Health>>();
  private readonly bounds = new Map<number, Concurrency>();
  private readonly faults = new Map<number, AccountFault>();
  private readonly latencies = new Map<string, Latency>();
  /** What strategies prefer, by model code. */
  private readonly favourites = new Map<string, string>();
  private readonly retryBudgets = new Map<string, RetryBudget>();
  private readonly hedgeBudgets = new Map<string, RetryBudget>();
  private readonly firsts = new Map<string, FirstTimes>();

  constructor({ now, random, tell, tellUse, shareOf, weightOf }: RoutingOptions) {
    this.now = now;
    this.tell = tell;
    this.bound = { ...(shareOf !== undefined && { shareOf }), ...(weightOf !== undefined && { weightOf }) };
    this.budgets = createBudgets(now, tellUse);
    this.known = {
      view: (offer) => this.view(offer),
      favouriteOf: (code) => this.favourites.get(code),
      random,
    };
  }

  order(offers: readonly Offer[], row?: Pick<ModelRow, 'route'>): readonly Offer[] {
    return ownOrder(offers, row?.route?.strategy ?? 'weighted', this.known);
  }

  plan(row: ModelRow, request: PlannedRequest): RoutePlan {
    const plan = planRoute(row, { ...request, ...this.known });
    if (request.note === undefined) for (const [code, name] of plan.favourites) remember(this.favourites, code, name);
    return plan;
  }

  view(offer: Offer): OfferView {
    const health = this.healthOf(offer);
    const bound = this.boundOf(offer.account.id);
    const latency = this.latencies.get(latencyName(offer))?.expected(this.now());
    const spentUntil = offer.account.budget === undefined ? 0 : this.budgets.spentUntil(offer);
    return {
      cooling: health.state() === 'open' || spentUntil > 0,
      coolUntil: Math.max(health.coolUntil, spentUntil),
      ...(health.cause !== undefined && { coolCause: health.cause }),
      ...(spentUntil > 0 && { isSpent: true }),
      inFlight: bound.inFlight,
      isFull: bound.isFull(offer.account),
      ...(latency !== undefined && { latency }),
    };
  }

  hasRoom(offer: Offer): boolean {
    const { cooling, isFull } = this.view(offer);
    return !cooling && isFull !== true;
  }

  isIdle(offer: Offer, own: number): boolean {
    return !this.view(offer).cooling && this.boundOf(offer.account.id).isIdle(offer.account, own);
  }

  isFull({ account }: Target): boolean {
    return this.boundOf(account.id).isFull(account);
  }

  acquire(offer: Target, caller?: WaitingCaller, left = NONE_LEFT): Slot | Promise<Slot> {
    const health = this.healthOf(offer);
    this.admit(offer, health, left);
    const bound = this.boundOf(offer.account.id);
    const waited = bound.enter(offer.account, caller);
    if (waited === undefined) return this.slotOf(offer, health, bound);
    return waited.then(() => {
      try {
        // It may have begun to cool while this call waited.
        this.admit(offer, health, left);
      } catch (error) {
        bound.leave();
        throw error;
      }
      return this.slotOf(offer, health, bound);
    });
  }

  /** Throws when somebody else should be asked: what is left alone is asked, well or not. */
  private admit(offer: Target, health: Health, left: () => readonly Target[]): void {
    if (offer.account.budget !== undefined) this.budgets.admit(offer);
    if (health.state() !== 'open') return;
    const isBetter = (other: Health): boolean => other.state() !== 'open' || other.coolUntil < health.coolUntil;
    const others = left().map((other) => this.healthOf(other));
    if (others.some(isBetter)) throw health.refusal();
  }

  private slotOf(offer: Target, health: Health, bound: Concurrency): Slot {
    const outcome = health.begin();
    if (offer.account.budget !== undefined) this.budgets.begin(offer);
    return new AccountSlot(outcome, bound, (error) => this.rememberFault(offer, error));
  }

  private rememberFault({ account, model }: Target, { code, message, details }: GatewayError): void {
    const { vendorStatus: status, vendorWords } = details;
    const words = vendorWords ?? message;
    const at = this.now();
    this.faults.set(account.id, { code, message: words, model, at, ...(status !== undefined && { status }) });
  }

  health(accounts: readonly GatewayAccount[]): readonly AccountHealth[] {
    return accounts.map(({ id }) => {
      const lastFault = this.faults.get(id);
      const found = accountHealth(id, [...(this.healths.get(id)?.values() ?? [])], this.boundOf(id));
      return lastFault === undefined ? found : { ...found, lastFault };
    });
  }

  retryAfterSeconds(offers: readonly Offer[]): number | undefined {
    const all = offers.map((offer) => this.healthOf(offer));
    if (all.length === 0 || all.some((health) => health.state() !== 'open')) return undefined;
    const soonest = Math.min(...all.map(({ coolUntil }) => coolUntil));
    return Math.max(1, Math.ceil((soonest - this.now()) / 1000));
  }

  learn({ accountId, model, ...change }: HealthNews): void {
    this.healthOfModel(accountId, model).learn(change);
  }

  measure(offer: Target, measured: Measured): void {
    entryOf(this.latencies, latencyName(offer), createLatency).measure(measured, this.now());
  }

  firstTimes(code: string, stream: boolean): FirstTimes {
    return entryOf(this.firsts, `${code} ${stream ? 'stream' : 'whole'}`, createFirstTimes);
  }

  retryBudget(code: string): RetryBudget {
    return entryOf(this.retryBudgets, code, createRetryBudget);
  }

  hedgeBudget(code: string): RetryBudget {
    return entryOf(this.hedgeBudgets, code, createRetryBudget);
  }

  used(offer: Target, use: Pick<AccountUse, 'tokens' | 'units'>): void {
    if (offer.account.budget !== undefined) this.budgets.used(offer, use);
  }

  heard(offer: Target, limits: VendorLimits): void {
    this.budgets.heard(offer, limits);
  }

  learnUse(use: AccountUse): void {
    this.budgets.learn(use);
  }

  learnDay(use: AccountUse): void {
    this.budgets.learnDay(use);
  }

  budgetUse(account: GatewayAccount): readonly BudgetUse[] {
    return this.budgets.shares(account);
  }

  private healthOf({ account, model }: Target): Health {
    return this.healthOfModel(account.id, model);
  }

  private healthOfModel(accountId: number, model: string): Health {
    let models = this.healths.get(accountId);
    if (models === undefined) this.healths.set(accountId, (models = new Map<string, Health>()));
    let health = models.get(model);
    if (health === undefined) {
      const { tell } = this;
      const told = tell === undefined ? undefined : (change: Change) => tell({ accountId, model, ...change });
      remember(models, model, (health = createHealth(accountId, this.now, told)));
    }
    return health;
  }

  private boundOf(id: number): Concurrency {
    let bound = this.bounds.get(id);
    if (bound === undefined) this.bounds.set(id, (bound = new Concurrency(this.bound)));
    return bound;
  }
}

function latencyName({ account, model }: Target): string {
  return `${account.id} ${model}`;
}

/** Callers choose the models of a wildcard: what is remembered of them has an end. */
function remember<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (!map.has(name) && map.size >= MOST_MODELS) map.delete(map.keys().next().value ?? '');
  map.set(name, value);
}

/** What is remembered by this name, from now on if nothing is yet. */
function entryOf<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  let value = map.get(name);
  if (value === undefined) remember(map, name, (value = make()));
  return value;
}

function accountHealth(accountId: number, models: readonly Health[], { inFlight, queued }: Concurrency): AccountHealth {
  const states = models.map((health) => health.state());
  return {
    accountId,
    // One cooling model does not close an account; all of them do.
    state:
      states.length > 0 && states.every((state) => state !== 'closed')
        ? states.includes('half-open')
          ? 'half-open'
          : 'open'
        : 'closed',
    coolUntil: Math.max(0, ...models.map(({ coolUntil }) => coolUntil)),
    cooling: states.filter((state) => state === 'open').length,
    failures: models.reduce((sum, { failures }) => sum + failures, 0),
    inFlight,
    queued,
  };
}
