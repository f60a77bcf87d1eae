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
  resolve(): void;
}

/** One vendor model of one account: vendors limit and break per model. */
interface Health {
  readonly accountId: number;
  failures: number;
  coolUntil: number;
  coolMs: number;
  /** Why it cools, for callers who come meanwhile. */
  coolCode: 'upstream_rate_limited' | 'upstream_unavailable';
  probing: boolean;
}
/** One account: its concurrency bound is for all its models. */
interface Line {
  inFlight: number;
  waiting: Waiter[];
}

export interface Router {
  /** The offers in the order to try them; cooling ones last, so that a lone one is still tried when its probe is due. */
  order(offers: readonly Offer[]): readonly Offer[];
  /** Waits for a slot of the offer's account (bounded), or throws when it is saturated or the offer cools down. */
  acquire(offer: Pick<Offer, 'account' | 'model'>, signal?: AbortSignal): Slot | Promise<Slot>;
  health(accounts: readonly GatewayAccount[]): readonly AccountHealth[];
  /** Seconds until the first of these offers may be tried again; undefined when one is ready now. */
  retryAfterSeconds(offers: readonly Offer[]): number | undefined;
}

/** Makes the router of one process; its memory is the health of accounts and of their models. */
export function createRouter({ now, random }: RoutingOptions): Router {
  const healths = new Map<string, Health>();
  const lines = new Map<number, Line>();
  const healthOf = ({ account, model }: Pick<Offer, 'account' | 'model'>): Health => {
    const name = `${account.id} ${model}`;
    let health = healths.get(name);
    if (health === undefined) {
      health = {
        accountId: account.id,
        failures: 0,
        coolUntil: 0,
        coolMs: 0,
        coolCode: 'upstream_unavailable',
        probing: false,
      };
      healths.set(name, health);
    }
    return health;
  };
  const lineOf = (id: number): Line => {
    let line = lines.get(id);
    if (line === undefined) lines.set(id, (line = { inFlight: 0, waiting: [] }));
    return line;
  };

  const stateOf = (health: Health): AccountState => {
    if (health.coolUntil === 0) return 'closed';
    return now() < health.coolUntil || health.probing ? 'open' : 'half-open';
  };
  const cooling = (offer: Offer): boolean => stateOf(healthOf(offer)) === 'open';

  const coolDown = (health: Health, ms: number, code: Health['coolCode']): void => {
    health.coolUntil = Math.max(health.coolUntil, now() + ms);
    health.coolCode = code;
  };

  const sayFailed = (health: Health, error: GatewayError, probe: boolean): void => {
    const retryAfterMs = (error.details.retryAfterSeconds ?? 0) * 1000;
    if (error.code === 'upstream_rate_limited') {
      coolDown(health, retryAfterMs === 0 ? DEFAULT_RATE_LIMIT_COOL_DOWN_MS : retryAfterMs, 'upstream_rate_limited');
      return;
    }
    health.failures++;
    if (!probe && error.code !== 'upstream_rejected_key' && health.failures < FAILURES_TO_COOL) return;
    health.coolMs = Math.min(LONGEST_COOL_DOWN_MS, Math.max(FIRST_COOL_DOWN_MS, health.coolMs * 2));
    coolDown(health, Math.max(health.coolMs, retryAfterMs), 'upstream_unavailable');
  };

  /** A slot that the line already counts. */
  const slotOf = (health: Health, line: Line): Slot => {
    const probe = stateOf(health) === 'half-open';
    if (probe) health.probing = true;
    let open = true;
    const leave = (): boolean => {
      if (!open) return false;
      open = false;
      if (probe) health.probing = false;
      // Handed on, the slot stays counted: nobody slips in between.
      const next = line.waiting.shift();
      if (next === undefined) line.inFlight--;
      else next.resolve();
      return true;
    };
    return {
      succeed() {
        if (!leave()) return;
        health.failures = 0;
        // A call that began before the cool-down says nothing about now; a probe does.
        if (probe || now() >= health.coolUntil) {
          health.coolUntil = 0;
          health.coolMs = 0;
        }
      },
      fail(error) {
        if (leave()) sayFailed(health, error, probe);
      },
      release() {
        leave();
      },
    };
  };

  const wait = (line: Line, account: GatewayAccount, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        line.waiting = line.waiting.filter((other) => other !== waiter);
      };
      const waiter: Waiter = {
        resolve() {
          leave();
          resolve();
        },
      };
      const gone = (): void => {
        leave();
        reject(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
      };
      const timer = setTimeout(
        () => {
          leave();
          reject(saturated());
        },
        Math.min(LONGEST_QUEUE_WAIT_MS, account.deadlines.firstByte * 1000),
      );
      timer.unref();
      signal?.addEventListener('abort', gone, { once: true });
      line.waiting.push(waiter);
    });

  return {
    order(offers) {
      if (offers.length === 1) return offers;
      return [...offers]
        .map((offer) => ({
          offer,
          // Weighted random order: the classic exponential keys.
          draw: -Math.log(1 - random()) / Math.max(offer.weight, 1e-9),
          cooling: cooling(offer),
        }))
        .sort((a, b) => Number(a.cooling) - Number(b.cooling) || a.offer.priority - b.offer.priority || a.draw - b.draw)
        .map(({ offer }) => offer);
    },
    acquire(offer, signal) {
      const { account } = offer;
      const health = healthOf(offer);
      if (stateOf(health) === 'open') {
        const limited = health.coolCode === 'upstream_rate_limited';
        throw new GatewayError(
          health.coolCode,
          limited ? 'the vendor asked for a pause' : 'the vendor is cooling down after failures',
          {
            retryAfterSeconds: Math.max(1, Math.ceil((health.coolUntil - now()) / 1000)),
            taken: 'no',
          },
        );
      }
      const line = lineOf(account.id);
      if (line.inFlight < account.maxConcurrency) {
        line.inFlight++;
        return slotOf(health, line);
      }
      if (line.waiting.length >= account.maxConcurrency * QUEUE_PER_SLOT) throw saturated();
      return wait(line, account, signal).then(() => slotOf(health, line));
    },
    health: (accounts) => accounts.map(({ id }) => accountHealth(id)),
    retryAfterSeconds(offers) {
      let soonest = Infinity;
      for (const offer of offers) {
        if (!cooling(offer)) return undefined;
        soonest = Math.min(soonest, healthOf(offer).coolUntil - now());
      }
      return Number.isFinite(soonest) ? Math.max(1, Math.ceil(soonest / 1000)) : undefined;
    },
  };

  function accountHealth(id: number): AccountHealth {
    const line = lineOf(id);
    const models = [...healths.values()].filter(({ accountId }) => accountId === id);
    const states = models.map(stateOf);
    return {
      accountId: id,
      // One cooling model does not close an account; all of them do.
      state:
        states.length > 0 && states.every((state) => state !== 'closed')
          ? states.includes('half-open')
            ? 'half-open'
            : 'open'
          : 'closed',
      coolUntil: Math.max(0, ...models.map(({ coolUntil }) => coolUntil)),
      failures: models.reduce((sum, { failures }) => sum + failures, 0),
      inFlight: line.inFlight,
      queued: line.waiting.length,
    };
  }
}

function saturated(): GatewayError {
  return new GatewayError('upstream_unavailable', 'every connection to the vendor is busy', {
    retryAfterSeconds: 1,
    taken: 'no',
  });
}
