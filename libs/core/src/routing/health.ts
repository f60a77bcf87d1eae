/**
 * The health of one vendor model of one account, because vendors limit and fail per model. Health only orders offers: the last one left
 * is asked for every request, so that one caller's refusal never answers another's.
 */
import { believedRetryAfter, GatewayError, LONGEST_RETRY_AFTER_SECONDS } from '@model-gateway/contracts';
import type { HealthNews } from '../ports.ts';

const FAILURES_TO_COOL = 5;
const FIRST_COOL_DOWN_MS = 5_000;
const LONGEST_COOL_DOWN_MS = LONGEST_RETRY_AFTER_SECONDS * 1000;
const DEFAULT_RATE_LIMIT_COOL_DOWN_MS = 2_000;

/** `half-open`: the cool-down is over, and the next call shows whether the model has recovered. */
export type AccountState = 'closed' | 'open' | 'half-open';

/** What a call reports about its health, once, when the call ends. */
export interface Outcome {
  /** Whether it was cooling down when the call began. */
  readonly trial: boolean;
  succeed(): void;
  fail(error: GatewayError): void;
  release(): void;
}

export interface Health {
  readonly accountId: number;
  readonly failures: number;
  /** Milliseconds since 1970; 0 when not cooling. */
  readonly coolUntil: number;
  /** Why it is cooling down; undefined while it is healthy. */
  readonly cause: GatewayError | undefined;
  state(): AccountState;
  /** Why it cools, in the vendor's own code and sentence, with the seconds that are left. */
  refusal(): GatewayError;
  /** Begins a call. */
  begin(): Outcome;
  /** Applies what another process has found. */
  learn(news: Change): void;
}

/** What other processes are told of a change. */
export type Change = Omit<HealthNews, 'accountId' | 'model'>;

const TOLD_TO_NOBODY = (): void => undefined;

/** Makes the health of a vendor model that has had no calls: it counts as healthy. `tell` receives every change found here. */
export function createHealth(
  accountId: number,
  now: () => number,
  tell: (change: Change) => void = TOLD_TO_NOBODY,
): Health {
  return new ModelHealth(accountId, now, tell);
}

class ModelHealth implements Health {
  readonly accountId: number;
  failures = 0;
  coolUntil = 0;
  cause: GatewayError | undefined;
  /** Grows with every change of health. A call that began before a change says nothing about the time after it. */
  epoch = 0;
  isProbing = false;
  private coolMs = 0;
  private readonly now: () => number;
  private readonly tell: (change: Change) => void;

  constructor(accountId: number, now: () => number, tell: (change: Change) => void) {
    this.accountId = accountId;
    this.now = now;
    this.tell = tell;
  }

  state(): AccountState {
    if (this.coolUntil === 0) return 'closed';
    return this.now() < this.coolUntil || this.isProbing ? 'open' : 'half-open';
  }

  refusal(): GatewayError {
    const retryAfterSeconds = Math.max(1, Math.ceil((this.coolUntil - this.now()) / 1000));
    if (this.cause === undefined) {
      return new GatewayError('upstream_unavailable', 'the vendor failed several times', {
        retryAfterSeconds,
        taken: 'no',
      });
    }
    const { vendorCode } = this.cause.details;
    return new GatewayError(this.cause.code, this.cause.message, {
      ...(vendorCode !== undefined && { vendorCode }),
      retryAfterSeconds,
      taken: 'no',
    });
  }

  begin(): Outcome {
    const before = this.state();
    if (before === 'half-open') this.isProbing = true;
    return new Call(this, before);
  }

  learn({ coolMs: coolsFor, code = 'upstream_unavailable', message = 'the vendor failed', vendorCode }: Change): void {
    if (coolsFor <= 0) {
      this.reopen();
      return;
    }
    this.cool(
      this.now() + Math.min(coolsFor, LONGEST_COOL_DOWN_MS),
      new GatewayError(code, message, vendorCode === undefined ? {} : { vendorCode }),
    );
  }

  /** A call succeeded that found the model cooling, or probed it. */
  recover(): void {
    this.reopen();
    this.tell({ coolMs: 0 });
  }

  /** `wasWell`: when the call began. `isCurrent`: nothing has changed since. */
  fail(error: GatewayError, wasWell: boolean, isCurrent: boolean): void {
    const before = this.epoch;
    this.countFailure(error, wasWell, isCurrent);
    if (before !== this.epoch) this.tellOfCooling();
  }

  private countFailure(error: GatewayError, wasWell: boolean, isCurrent: boolean): void {
    const now = this.now();
    const asked = (believedRetryAfter(error.details.retryAfterSeconds) ?? 0) * 1000;
    if (error.code === 'upstream_rate_limited') {
      this.cool(now + (asked > 0 ? asked : DEFAULT_RATE_LIMIT_COOL_DOWN_MS), error);
      return;
    }
    this.failures++;
    if (asked > 0) this.cool(now + asked, error);
    // Concurrent calls fail together, so they count as one failure and lengthen the pause once.
    if (!isCurrent) return;
    if (wasWell && error.code !== 'upstream_rejected_key' && this.failures < FAILURES_TO_COOL) return;
    this.coolMs = Math.min(LONGEST_COOL_DOWN_MS, Math.max(FIRST_COOL_DOWN_MS, this.coolMs * 2));
    this.cool(now + this.coolMs, error);
  }

  private cool(until: number, error: GatewayError): void {
    this.epoch++;
    this.coolUntil = Math.max(this.coolUntil, until);
    this.cause = error;
  }

  private reopen(): void {
    this.epoch++;
    this.failures = 0;
    this.coolUntil = 0;
    this.coolMs = 0;
    this.cause = undefined;
  }

  private tellOfCooling(): void {
    if (this.cause === undefined) return;
    const { code, message, details } = this.cause;
    this.tell({
      coolMs: Math.max(1, this.coolUntil - this.now()),
      code,
      message,
      ...(details.vendorCode !== undefined && { vendorCode: details.vendorCode }),
    });
  }
}

/** What a call knows of the moment at which it began. */
class Call implements Outcome {
  readonly trial: boolean;
  private readonly health: ModelHealth;
  private readonly wasWell: boolean;
  private readonly isProbe: boolean;
  private readonly epoch: number;

  constructor(health: ModelHealth, before: AccountState) {
    this.trial = before === 'open';
    this.health = health;
    this.wasWell = before === 'closed';
    this.isProbe = before === 'half-open';
    this.epoch = health.epoch;
  }

  succeed(): void {
    this.release();
    if (this.epoch !== this.health.epoch) return;
    if (this.wasWell) this.health.failures = 0;
    else this.health.recover();
  }

  fail(error: GatewayError): void {
    this.release();
    // An error that the request itself caused does not affect the account.
    if (error.retryElsewhere) this.health.fail(error, this.wasWell, this.epoch === this.health.epoch);
  }

  release(): void {
    if (this.isProbe) this.health.isProbing = false;
  }
}
