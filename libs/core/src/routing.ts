/**
 * Which offer to try next (docs/architecture.md#routing): by priority, then weighted at random among well ones; an account that
 * answers 429 or fails in a row cools, which puts it behind the others and never closes it: when all that are left cool, the one
 * that is due first is asked all the same. Calls per account are bounded with a bounded queue.
 */
import type { GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, Offer } from './catalogue.ts';
import { createConcurrency, type Concurrency } from './routing/concurrency.ts';
import { createHealth, type AccountState, type Health, type Outcome } from './routing/health.ts';
import { inOrder } from './routing/ordering.ts';

export type { AccountState } from './routing/health.ts';

export interface AccountHealth {
  readonly accountId: number;
  readonly state: AccountState;
  /** Milliseconds since 1970; 0 when not cooling. */
  readonly coolUntil: number;
  readonly failures: number;
  readonly inFlight: number;
  readonly queued: number;
}

export interface RoutingOptions {
  readonly now: () => number;
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
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
  /** The offers in the order to try them: cooling ones last, of those the one that is due first before the others. */
  order(offers: readonly Offer[]): readonly Offer[];
  /**
   * A slot of the offer's account, after a bounded wait where it is full. Throws GatewayError when the account is saturated, when the vendor
   * asked for a pause (in the vendor's words, with the seconds that are left), or when it cools and `left` has a better one. `left` are the
   * offers that can still be tried after this one: it is called only for an account that cools.
   */
  acquire(offer: Target, signal?: AbortSignal, left?: () => readonly Target[]): Slot | Promise<Slot>;
  health(accounts: readonly GatewayAccount[]): readonly AccountHealth[];
  /** Seconds until the first of these offers is due again; undefined when one is well. */
  retryAfterSeconds(offers: readonly Offer[]): number | undefined;
}

const NONE_LEFT = (): readonly Target[] => [];

/** Makes the router of one process; its memory is the health of accounts and of their models. */
export function createRouter({ now, random }: RoutingOptions): Router {
  /** By account, then by model: vendors break per model. */
  const healths = new Map<number, Map<string, Health>>();
  const bounds = new Map<number, Concurrency>();

  const healthOf = ({ account, model }: Target): Health => {
    let models = healths.get(account.id);
    if (models === undefined) healths.set(account.id, (models = new Map<string, Health>()));
    let health = models.get(model);
    if (health === undefined) models.set(model, (health = createHealth(account.id, now)));
    return health;
  };
  const boundOf = (id: number): Concurrency => {
    let bound = bounds.get(id);
    if (bound === undefined) bounds.set(id, (bound = createConcurrency()));
    return bound;
  };

  /** Throws when somebody else should be asked, or nobody at this moment. */
  const admit = (health: Health, left: () => readonly Target[]): void => {
    if (health.state() !== 'open') return;
    const isBetter = (other: Health): boolean =>
      other.state() !== 'open' || (other.coolUntil < health.coolUntil && other.mayBegin());
    if (!health.mayBegin() || left().map(healthOf).some(isBetter)) throw health.refusal();
  };

  const slotOf = (outcome: Outcome, bound: Concurrency): Slot => {
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
      fail: (error) => once(() => outcome.fail(error)),
      release: () => once(() => outcome.release()),
    };
  };

  return {
    order: (offers) =>
      inOrder(
        offers,
        (offer) => {
          const health = healthOf(offer);
          return { cooling: health.state() === 'open', coolUntil: health.coolUntil };
        },
        random,
      ),
    acquire(offer, signal, left = NONE_LEFT) {
      const health = healthOf(offer);
      admit(health, left);
      const bound = boundOf(offer.account.id);
      const waited = bound.enter(offer.account, signal);
      if (waited === undefined) return slotOf(health.begin(), bound);
      return waited.then(() => {
        try {
          // It may have begun to cool while this call waited.
          admit(health, left);
        } catch (error) {
          bound.leave();
          throw error;
        }
        return slotOf(health.begin(), bound);
      });
    },
    health: (accounts) =>
      accounts.map(({ id }) => accountHealth(id, [...(healths.get(id)?.values() ?? [])], boundOf(id))),
    retryAfterSeconds(offers) {
      const all = offers.map(healthOf);
      if (all.length === 0 || all.some((health) => health.state() !== 'open')) return undefined;
      const soonest = Math.min(...all.map(({ coolUntil }) => coolUntil));
      return Math.max(1, Math.ceil((soonest - now()) / 1000));
    },
  };
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
    failures: models.reduce((sum, { failures }) => sum + failures, 0),
    inFlight,
    queued,
  };
}
