/**
 * Which offer to try next (docs/architecture.md#routing): by priority, then weighted at random among well ones; an account that
 * answers 429 or fails in a row cools, which puts it behind the others and never closes it: when all that are left cool, the one
 * that is due first is asked all the same. Calls per account are bounded with a bounded queue.
 */
import type { ErrorCode, GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, ModelRow, Offer } from './catalogue.ts';
import { createBudgets, type BudgetUse } from './routing/budgets.ts';
import { Concurrency, type WaitingCaller } from './routing/concurrency.ts';
import type { VendorLimits } from '@model-gateway/provider-kit';
import type { AccountUse, HealthNews } from './ports.ts';
import { createFirstTimes, type FirstTimes, createLatency, type Latency, type Measured } from './routing/latency.ts';
import { createHealth, type AccountState, type Change, type Health, type Outcome } from './routing/health.ts';
import { ownOrder, planRoute, type RoutePlan, type RouteSituation } from './routing/plan-route.ts';
import { createRetryBudget, type RetryBudget } from './routing/retry-budget.ts';
import type { OfferView } from './routing/strategy.ts';

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

/** A call's slot of an account; say how it went, once. */
export interface Slot {
  /** The account cools, and so do all that are left: when this call fails, nobody else is asked. */
  readonly trial: boolean;
  succeed(): void;
  /** What the request itself did wrong does not count. */
  fail(error: GatewayError): void;
  /** Neither good nor bad (the caller's own mistake, the caller has gone). */
  release(): void;
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
export function createRouter({ now, random, tell, tellUse, shareOf, weightOf }: RoutingOptions): Router {
  /** By account, then by model: vendors break per model. */
  const healths = new Map<number, Map<string, Health>>();
  const bounds = new Map<number, Concurrency>();

  const healthOf = ({ account, model }: Target): Health => healthOfModel(account.id, model);
  const healthOfModel = (accountId: number, model: string): Health => {
    let models = healths.get(accountId);
    if (models === undefined) healths.set(accountId, (models = new Map<string, Health>()));
    let health = models.get(model);
    if (health === undefined) {
      // Callers choose the models of a wildcard: what is remembered of them has an end.
      if (models.size >= MOST_MODELS) models.delete(models.keys().next().value ?? '');
      const told = tell === undefined ? undefined : (change: Change) => tell({ accountId, model, ...change });
      models.set(model, (health = createHealth(accountId, now, told)));
    }
    return health;
  };
  const boundOf = (id: number): Concurrency => {
    let bound = bounds.get(id);
    if (bound === undefined) {
      const options = { ...(shareOf !== undefined && { shareOf }), ...(weightOf !== undefined && { weightOf }) };
      bounds.set(id, (bound = new Concurrency(options)));
    }
    return bound;
  };

  const budgets = createBudgets(now, tellUse);

  const latencies = new Map<string, Latency>();
  /** What strategies prefer, by model code. */
  const favourites = new Map<string, string>();
  const retryBudgets = new Map<string, RetryBudget>();
  const hedgeBudgets = new Map<string, RetryBudget>();
  const firsts = new Map<string, FirstTimes>();
  const viewOf = (offer: Offer): OfferView => {
    const health = healthOf(offer);
    const bound = boundOf(offer.account.id);
    const latency = latencies.get(latencyName(offer))?.expected(now());
    const spentUntil = offer.account.budget === undefined ? 0 : budgets.spentUntil(offer);
    return {
      cooling: health.state() === 'open' || spentUntil > 0,
      coolUntil: Math.max(health.coolUntil, spentUntil),
      ...(health.cause !== undefined && { coolCause: health.cause }),
      ...(spentUntil > 0 && { isSpent: true }),
      inFlight: bound.inFlight,
      isFull: bound.isFull(offer.account),
      ...(latency !== undefined && { latency }),
    };
  };

  /** Throws when somebody else should be asked: what is left alone is asked, well or not. */
  const admit = (offer: Target, health: Health, left: () => readonly Target[]): void => {
    if (offer.account.budget !== undefined) budgets.admit(offer);
    if (health.state() !== 'open') return;
    const isBetter = (other: Health): boolean => other.state() !== 'open' || other.coolUntil < health.coolUntil;
    if (left().map(healthOf).some(isBetter)) throw health.refusal();
  };

  const faults = new Map<number, AccountFault>();
  const remember = ({ account, model }: Target, { code, message, details }: GatewayError): void => {
    const { vendorStatus: status, vendorWords } = details;
    const words = vendorWords ?? message;
    faults.set(account.id, { code, message: words, model, at: now(), ...(status !== undefined && { status }) });
  };

  const slotOf = (offer: Target, outcome: Outcome, bound: Concurrency): Slot => {
    if (offer.account.budget !== undefined) budgets.begin(offer);
    let open = true;
    const once = (tell: () => void): void => {
      if (!open) return;
      open = false;
      tell();
      bound.leave();
    };
    return {
      trial: outcome.trial,
      succeed: () => once(() => outcome.succeed()),
      fail: (error) =>
        once(() => {
          if (error.retryElsewhere) remember(offer, error);
          outcome.fail(error);
        }),
      release: () => once(() => outcome.release()),
    };
  };

  return {
    order: (offers, row) => ownOrder(offers, row?.route?.strategy ?? 'weighted', { view: viewOf, random }),
    plan(row, request) {
      const plan = planRoute(row, { ...request, view: viewOf, favouriteOf: (code) => favourites.get(code), random });
      if (request.note === undefined) for (const [code, name] of plan.favourites) remembered(favourites, code, name);
      return plan;
    },
    view: viewOf,
    retryBudget(code) {
      let budget = retryBudgets.get(code);
      if (budget === undefined) remembered(retryBudgets, code, (budget = createRetryBudget()));
      return budget;
    },
    firstTimes(code, stream) {
      const name = `${code} ${stream ? 'stream' : 'whole'}`;
      let times = firsts.get(name);
      if (times === undefined) remembered(firsts, name, (times = createFirstTimes()));
      return times;
    },
    hedgeBudget(code) {
      let budget = hedgeBudgets.get(code);
      if (budget === undefined) remembered(hedgeBudgets, code, (budget = createRetryBudget()));
      return budget;
    },
    measure(offer, measured) {
      const name = latencyName(offer);
      let latency = latencies.get(name);
      if (latency === undefined) remembered(latencies, name, (latency = createLatency()));
      latency.measure(measured, now());
    },
    hasRoom(offer) {
      const { cooling, isFull } = viewOf(offer);
      return !cooling && isFull !== true;
    },
    isIdle: (offer, own) => !viewOf(offer).cooling && boundOf(offer.account.id).isIdle(offer.account, own),
    isFull: ({ account }) => boundOf(account.id).isFull(account),
    acquire(offer, caller, left = NONE_LEFT) {
      const health = healthOf(offer);
      admit(offer, health, left);
      const bound = boundOf(offer.account.id);
      const waited = bound.enter(offer.account, caller);
      if (waited === undefined) return slotOf(offer, health.begin(), bound);
      return waited.then(() => {
        try {
          // It may have begun to cool while this call waited.
          admit(offer, health, left);
        } catch (error) {
          bound.leave();
          throw error;
        }
        return slotOf(offer, health.begin(), bound);
      });
    },
    used(offer, use) {
      if (offer.account.budget !== undefined) budgets.used(offer, use);
    },
    heard: (offer, limits) => budgets.heard(offer, limits),
    learnUse: (use) => budgets.learn(use),
    learnDay: (use) => budgets.learnDay(use),
    budgetUse: (account) => budgets.shares(account),
    learn: ({ accountId, model, ...change }) => healthOfModel(accountId, model).learn(change),
    health: (accounts) =>
      accounts.map(({ id }) => {
        const lastFault = faults.get(id);
        const found = accountHealth(id, [...(healths.get(id)?.values() ?? [])], boundOf(id));
        return lastFault === undefined ? found : { ...found, lastFault };
      }),
    retryAfterSeconds(offers) {
      const all = offers.map(healthOf);
      if (all.length === 0 || all.some((health) => health.state() !== 'open')) return undefined;
      const soonest = Math.min(...all.map(({ coolUntil }) => coolUntil));
      return Math.max(1, Math.ceil((soonest - now()) / 1000));
    },
  };
}

function latencyName({ account, model }: Target): string {
  return `${account.id} ${model}`;
}

/** Callers choose the models of a wildcard: what is remembered of them has an end. */
function remembered<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (!map.has(name) && map.size >= MOST_MODELS) map.delete(map.keys().next().value ?? '');
  map.set(name, value);
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
