/**
 * What accounts may be used for: budgets that the operator sets, and what vendors say is left of their own limits. Both move requests to others
 * before a vendor refuses; the operator's also refuse where nobody else is left (docs/decisions/0025-budgets-affinity-hedging.md).
 */
import { GatewayError, UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import type { VendorLimits } from '@model-gateway/provider-kit';
import type { GatewayAccount, Offer } from '../catalogue.ts';
import { createWindow } from '../limits/window.ts';
import type { AccountUse } from '../ports.ts';
import type { Budget } from './budget.ts';

/** How much of one bound is used. */
export interface BudgetUse {
  readonly bound: keyof Budget;
  /** Of the account's own budget 0 to 1, or a little more. */
  readonly share: number;
}

type Target = Pick<Offer, 'account' | 'model'>;

/** All of it is for accounts that have a budget. */
export interface Budgets {
  /** Until when others should be asked, milliseconds since 1970; 0 when there is room. */
  spentUntil(offer: Target): number;
  /** Throws `rate_limited`, with the seconds until there is room, where the operator's budget is used up. */
  admit(offer: Target): void;
  /** A request goes out. */
  begin(offer: Target): void;
  /** What it was used for, when that is known. */
  used(offer: Target, use: Pick<AccountUse, 'tokens' | 'units'>): void;
  /** What the vendor says is left. */
  heard(offer: Target, limits: VendorLimits): void;
  /** Other processes have used it. */
  learn(use: AccountUse): void;
  /** All processes have used at least so much today. */
  learnDay(use: AccountUse): void;
  /** Of the account's own budget. */
  shares(account: GatewayAccount): readonly BudgetUse[];
}

const DAY_MS = 86_400_000;
const MOST_MODELS = 1_000;
/** Of the newest answer in the average of tokens. */
const NEWEST = 0.2;

/** Makes the budgets of one process; `tell` hears of everything that this process uses. */
export function createBudgets(now: () => number, tell: (use: AccountUse) => void = () => undefined): Budgets {
  const accounts = new Map<number, Tally>();
  const models = new Map<string, ModelTally>();
  const accountOf = (id: number): Tally => {
    let tally = accounts.get(id);
    if (tally === undefined) accounts.set(id, (tally = createTally()));
    return tally;
  };
  const modelOf = (accountId: number, model: string): ModelTally => {
    const name = `${accountId} ${model}`;
    let tally = models.get(name);
    if (tally === undefined) {
      // Callers choose the models of a wildcard: what is remembered of them has an end.
      if (models.size >= MOST_MODELS) models.delete(models.keys().next().value ?? '');
      models.set(name, (tally = createModelTally()));
    }
    return tally;
  };
  const count = (use: AccountUse): void => {
    const at = now();
    accountOf(use.accountId).add(at, use);
    modelOf(use.accountId, use.model).tally.add(at, use);
  };
  const tightest = ({ account: { id, budget }, model }: Target): Wait | undefined => {
    if (budget === undefined) return undefined;
    const at = now();
    const own = accountOf(id).waitFor(at, budget);
    const bound = budget.models[model];
    const ofModel = bound === undefined ? undefined : modelOf(id, model).tally.waitFor(at, bound);
    return longer(own, ofModel);
  };

  return {
    spentUntil(offer) {
      const wait = tightest(offer);
      const { id, budget } = offer.account;
      const learnt = budget?.learns === true ? modelOf(id, offer.model).spentUntil(now()) : 0;
      return Math.max(wait === undefined ? 0 : now() + wait.ms, learnt);
    },
    admit(offer) {
      const wait = tightest(offer);
      if (wait === undefined) return;
      const retryAfterSeconds = Math.max(1, Math.ceil(wait.ms / 1000));
      throw new GatewayError(
        'rate_limited',
        `the vendor accounts of this model have used up the operator’s budget of ${WORDS[wait.bound]}; try again in ${retryAfterSeconds} seconds`,
        { retryAfterSeconds, taken: 'no' },
      );
    },
    begin({ account: { id, budget }, model }) {
      const use = { accountId: id, model, requests: 1, tokens: 0, units: 0 };
      count(use);
      if (budget?.learns === true) modelOf(id, model).began();
      tell(use);
    },
    used({ account: { id }, model }, { tokens, units }) {
      const use = { accountId: id, model, requests: 0, tokens, units };
      count(use);
      modelOf(id, model).answered(tokens);
      tell(use);
    },
    heard: ({ account, model }, limits) => modelOf(account.id, model).heard(now(), limits),
    learn: count,
    learnDay(use) {
      accountOf(use.accountId).atLeastToday(now(), use);
      modelOf(use.accountId, use.model).tally.atLeastToday(now(), use);
    },
    shares: ({ id, budget }) => (budget === undefined ? [] : accountOf(id).shares(now(), budget)),
  };
}

const WORDS: Readonly<Record<keyof Budget, string>> = {
  requestsPerMinute: 'requests per minute',
  tokensPerMinute: 'tokens per minute',
  dollarsPerMinute: 'dollars per minute',
  requestsPerDay: 'requests per day',
  tokensPerDay: 'tokens per day',
  dollarsPerDay: 'dollars per day',
};

interface Wait {
  readonly bound: keyof Budget;
  readonly ms: number;
}

function longer(left: Wait | undefined, right: Wait | undefined): Wait | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return right.ms > left.ms ? right : left;
}

type Amounts = Pick<AccountUse, 'requests' | 'tokens' | 'units'>;
const MEASURES = [
  { what: 'requests', minute: 'requestsPerMinute', day: 'requestsPerDay', scale: 1 },
  { what: 'tokens', minute: 'tokensPerMinute', day: 'tokensPerDay', scale: 1 },
  { what: 'units', minute: 'dollarsPerMinute', day: 'dollarsPerDay', scale: UNITS_PER_DOLLAR },
] as const;

/** What was used of one account, or of one model of it. */
interface Tally {
  add(at: number, use: Amounts): void;
  /** The day has at least so much, whoever used it. */
  atLeastToday(at: number, use: Amounts): void;
  /** The bound that is used up for longest; undefined when there is room. */
  waitFor(at: number, budget: Budget): Wait | undefined;
  shares(at: number, budget: Budget): readonly BudgetUse[];
}

function createTally(): Tally {
  const minutes = { requests: createWindow(), tokens: createWindow(), units: createWindow() };
  let day = 0;
  let today = { requests: 0, tokens: 0, units: 0 };
  const advance = (at: number): void => {
    // A clock that was set back brings no new day.
    const current = Math.max(day, Math.floor(at / DAY_MS));
    if (current !== day) today = { requests: 0, tokens: 0, units: 0 };
    day = current;
  };
  return {
    add(at, use) {
      advance(at);
      for (const { what } of MEASURES) {
        if (use[what] <= 0) continue;
        minutes[what].add(at, use[what]);
        today[what] += use[what];
      }
    },
    atLeastToday(at, use) {
      advance(at);
      for (const { what } of MEASURES) today[what] = Math.max(today[what], use[what]);
    },
    waitFor(at, budget) {
      advance(at);
      let longest: Wait | undefined;
      for (const { what, minute, day: daily, scale } of MEASURES) {
        const perMinute = budget[minute];
        if (perMinute !== undefined) {
          const most = perMinute * scale;
          if (minutes[what].total(at) >= most)
            longest = longer(longest, { bound: minute, ms: Math.max(1, minutes[what].waitFor(at, most - 1)) });
        }
        const perDay = budget[daily];
        if (perDay !== undefined && today[what] >= perDay * scale)
          longest = longer(longest, { bound: daily, ms: Math.max(1, (day + 1) * DAY_MS - at) });
      }
      return longest;
    },
    shares(at, budget) {
      advance(at);
      return MEASURES.flatMap(({ what, minute, day: daily, scale }): BudgetUse[] => {
        const perMinute = budget[minute];
        const perDay = budget[daily];
        return [
          ...(perMinute === undefined ? [] : [{ bound: minute, share: minutes[what].total(at) / (perMinute * scale) }]),
          ...(perDay === undefined ? [] : [{ bound: daily, share: today[what] / (perDay * scale) }]),
        ];
      });
    },
  };
}

/** A model of an account: what was used, and what the vendor says is left. */
interface ModelTally {
  readonly tally: Tally;
  began(): void;
  answered(tokens: number): void;
  heard(at: number, limits: VendorLimits): void;
  /** Until the vendor has room again; 0 while it has, as far as is known. */
  spentUntil(at: number): number;
}

function createModelTally(): ModelTally {
  let left = { requests: Infinity, tokens: Infinity };
  let resetAt = { requests: 0, tokens: 0 };
  /** Tokens of an answer: a request that would not fit is sent elsewhere. */
  let usual = 0;
  return {
    tally: createTally(),
    began() {
      left = { requests: left.requests - 1, tokens: left.tokens - usual };
    },
    answered(tokens) {
      if (tokens > 0) usual = usual === 0 ? tokens : usual + NEWEST * (tokens - usual);
    },
    heard(at, { requests, tokens }) {
      left = { requests: requests?.remaining ?? left.requests, tokens: tokens?.remaining ?? left.tokens };
      resetAt = {
        requests: requests === undefined ? resetAt.requests : at + requests.resetMs,
        tokens: tokens === undefined ? resetAt.tokens : at + tokens.resetMs,
      };
    },
    spentUntil(at) {
      const requests = left.requests < 1 && at < resetAt.requests ? resetAt.requests : 0;
      const tokens = left.tokens < Math.max(1, usual) && at < resetAt.tokens ? resetAt.tokens : 0;
      return Math.max(requests, tokens);
    },
  };
}

/** What an operator lets an account be used for. */

/** Adds up what a turn of the event loop uses, by account and model, and sends it at the turn's end. */
export function batchUses(send: (uses: readonly AccountUse[]) => void): (use: AccountUse) => void {
  let waiting = new Map<string, AccountUse>();
  return (use) => {
    if (waiting.size === 0) {
      setImmediate(() => {
        const uses = [...waiting.values()];
        waiting = new Map();
        send(uses);
      });
    }
    addUse(waiting, use);
  };
}

/** Adds a use to sums by account and model. */
export function addUse(sums: Map<string, AccountUse>, use: AccountUse): void {
  const name = `${use.accountId} ${use.model}`;
  const { requests = 0, tokens = 0, units = 0 } = sums.get(name) ?? {};
  sums.set(name, {
    ...use,
    requests: requests + use.requests,
    tokens: tokens + use.tokens,
    units: units + use.units,
  });
}
