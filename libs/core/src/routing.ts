/**
 * Which offer to try next (design.md §7): by priority, then weighted at random among healthy ones; an account that answers 429 or
 * fails in a row cools down, one probe at a time brings it back; calls per account are bounded with a bounded queue.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, Offer } from './catalogue.ts';

const FAILURES_TO_COOL = 5;
const FIRST_COOL_DOWN_MS = 5_000;
const LONGEST_COOL_DOWN_MS = 300_000;
const DEFAULT_RATE_LIMIT_COOL_DOWN_MS = 2_000;
const QUEUE_PER_SLOT = 2;
const LONGEST_QUEUE_WAIT_MS = 10_000;

export type AccountState = 'closed' | 'open' | 'half-open';

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
  succeed(): void;
  fail(error: GatewayError): void;
  /** Neither good nor bad (the caller's own mistake, the caller has gone). */
  release(): void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Health {
  failures: number;
  coolUntil: number;
  coolMs: number;
  probing: boolean;
  inFlight: number;
  waiting: Waiter[];
}

export interface Router {
  /** The offers in the order to try them; cooling accounts last, so that a lone one is still tried when its probe is due. */
  order(offers: readonly Offer[]): readonly Offer[];
  /** Waits for a slot of the account (bounded), or throws `upstream_unavailable` when it is saturated or cooling. */
  enter(account: GatewayAccount, signal?: AbortSignal): Slot | Promise<Slot>;
  health(accounts: readonly GatewayAccount[]): readonly AccountHealth[];
  /** Seconds until the first of these accounts may be tried again; undefined when one is ready now. */
  retryAfterSeconds(offers: readonly Offer[]): number | undefined;
}

/** Makes the router of one process; its memory is the health of the accounts. */
export function createRouter({ now, random }: RoutingOptions): Router {
  const healths = new Map<number, Health>();
  const healthOf = (id: number): Health => {
    let health = healths.get(id);
    if (health === undefined) {
      health = { failures: 0, coolUntil: 0, coolMs: 0, probing: false, inFlight: 0, waiting: [] };
      healths.set(id, health);
    }
    return health;
  };

  const stateOf = (health: Health): AccountState => {
    if (health.coolUntil === 0) return 'closed';
    return now() < health.coolUntil || health.probing ? 'open' : 'half-open';
  };

  const coolDown = (health: Health, ms: number): void => {
    health.coolUntil = Math.max(health.coolUntil, now() + ms);
  };

  const slotOf = (health: Health): Slot => {
    health.inFlight++;
    const probe = stateOf(health) === 'half-open';
    if (probe) health.probing = true;
    let open = true;
    const leave = (): boolean => {
      if (!open) return false;
      open = false;
      health.inFlight--;
      if (probe) health.probing = false;
      const next = health.waiting.shift();
      if (next !== undefined) {
        clearTimeout(next.timer);
        next.resolve();
      }
      return true;
    };
    return {
      succeed() {
        if (!leave()) return;
        health.failures = 0;
        // A call that began before the account cooled says nothing about now; a probe does.
        if (probe || now() >= health.coolUntil) {
          health.coolUntil = 0;
          health.coolMs = 0;
        }
      },
      fail(error) {
        if (!leave()) return;
        if (error.code === 'upstream_rate_limited') {
          coolDown(health, (error.details.retryAfterSeconds ?? DEFAULT_RATE_LIMIT_COOL_DOWN_MS / 1000) * 1000);
          return;
        }
        health.failures++;
        const rejected = error.code === 'upstream_rejected_key';
        if (probe || rejected || health.failures >= FAILURES_TO_COOL) {
          health.coolMs = Math.min(LONGEST_COOL_DOWN_MS, Math.max(FIRST_COOL_DOWN_MS, health.coolMs * 2));
          coolDown(health, Math.max(health.coolMs, (error.details.retryAfterSeconds ?? 0) * 1000));
        }
      },
      release() {
        leave();
      },
    };
  };

  const wait = (health: Health, account: GatewayAccount, signal: AbortSignal | undefined): Promise<Slot> =>
    new Promise<void>((resolve, reject) => {
      const leave = (error: GatewayError): void => {
        health.waiting = health.waiting.filter((other) => other !== waiter);
        clearTimeout(waiter.timer);
        reject(error);
      };
      const waiter: Waiter = {
        resolve,
        reject,
        timer: setTimeout(
          () => leave(saturated()),
          Math.min(LONGEST_QUEUE_WAIT_MS, account.deadlines.firstByte * 1000),
        ),
      };
      waiter.timer.unref();
      signal?.addEventListener(
        'abort',
        () => leave(new GatewayError('upstream_unavailable', 'the request was cancelled')),
        { once: true },
      );
      health.waiting.push(waiter);
    }).then(() => slotOf(health));

  const cooling = (health: Health): boolean => stateOf(health) === 'open';

  return {
    order(offers) {
      if (offers.length === 1) return offers;
      return [...offers]
        .map((offer) => ({
          offer,
          // Weighted random order: the classic exponential keys.
          draw: -Math.log(1 - random()) / Math.max(offer.weight, 1e-9),
          cooling: cooling(healthOf(offer.account.id)),
        }))
        .sort((a, b) => Number(a.cooling) - Number(b.cooling) || a.offer.priority - b.offer.priority || a.draw - b.draw)
        .map(({ offer }) => offer);
    },
    enter(account, signal) {
      const health = healthOf(account.id);
      if (cooling(health)) {
        throw new GatewayError('upstream_unavailable', 'the vendor is cooling down after failures', {
          retryAfterSeconds: Math.max(1, Math.ceil((health.coolUntil - now()) / 1000)),
          taken: 'no',
        });
      }
      if (health.inFlight < account.maxConcurrency) return slotOf(health);
      if (health.waiting.length >= account.maxConcurrency * QUEUE_PER_SLOT) throw saturated();
      return wait(health, account, signal);
    },
    health: (accounts) =>
      accounts.map(({ id }) => {
        const health = healthOf(id);
        return {
          accountId: id,
          state: stateOf(health),
          coolUntil: health.coolUntil,
          failures: health.failures,
          inFlight: health.inFlight,
          queued: health.waiting.length,
        };
      }),
    retryAfterSeconds(offers) {
      let soonest = Infinity;
      for (const { account } of offers) {
        const health = healthOf(account.id);
        if (!cooling(health)) return undefined;
        soonest = Math.min(soonest, health.coolUntil - now());
      }
      return Number.isFinite(soonest) ? Math.max(1, Math.ceil(soonest / 1000)) : undefined;
    },
  };
}

function saturated(): GatewayError {
  return new GatewayError('upstream_unavailable', 'every connection to the vendor is busy', {
    retryAfterSeconds: 1,
    taken: 'no',
  });
}
