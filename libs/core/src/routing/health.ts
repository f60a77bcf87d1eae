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
  let failures = 0;
  let coolUntil = 0;
  let coolMs = 0;
  let probing = false;
  /** Grows with every change of health. A call that began before a change says nothing about the time after it. */
  let epoch = 0;
  let cause: GatewayError | undefined;

  const state = (): AccountState => {
    if (coolUntil === 0) return 'closed';
    return now() < coolUntil || probing ? 'open' : 'half-open';
  };
  const cool = (until: number, error: GatewayError): void => {
    epoch++;
    coolUntil = Math.max(coolUntil, until);
    cause = error;
  };
  const tellOfCooling = (): void => {
    if (cause === undefined) return;
    const { code, message, details } = cause;
    tell({
      coolMs: Math.max(1, coolUntil - now()),
      code,
      message,
      ...(details.vendorCode !== undefined && { vendorCode: details.vendorCode }),
    });
  };
  const reopen = (): void => {
    epoch++;
    failures = 0;
    coolUntil = 0;
    coolMs = 0;
    cause = undefined;
  };

  const countFailure = (error: GatewayError, well: boolean, current: boolean): void => {
    const asked = (believedRetryAfter(error.details.retryAfterSeconds) ?? 0) * 1000;
    if (error.code === 'upstream_rate_limited') {
      cool(now() + (asked > 0 ? asked : DEFAULT_RATE_LIMIT_COOL_DOWN_MS), error);
      return;
    }
    failures++;
    if (asked > 0) cool(now() + asked, error);
    // Concurrent calls fail together, so they count as one failure and lengthen the pause once.
    if (!current) return;
    if (well && error.code !== 'upstream_rejected_key' && failures < FAILURES_TO_COOL) return;
    coolMs = Math.min(LONGEST_COOL_DOWN_MS, Math.max(FIRST_COOL_DOWN_MS, coolMs * 2));
    cool(now() + coolMs, error);
  };

  return {
    accountId,
    get failures() {
      return failures;
    },
    get coolUntil() {
      return coolUntil;
    },
    get cause() {
      return cause;
    },
    state,
    refusal() {
      const retryAfterSeconds = Math.max(1, Math.ceil((coolUntil - now()) / 1000));
      if (cause === undefined) {
        return new GatewayError('upstream_unavailable', 'the vendor failed several times', {
          retryAfterSeconds,
          taken: 'no',
        });
      }
      const { vendorCode } = cause.details;
      return new GatewayError(cause.code, cause.message, {
        ...(vendorCode !== undefined && { vendorCode }),
        retryAfterSeconds,
        taken: 'no',
      });
    },
    begin() {
      const before = state();
      const well = before === 'closed';
      const probe = before === 'half-open';
      if (probe) probing = true;
      const began = epoch;
      const end = (): void => {
        if (probe) probing = false;
      };
      return {
        trial: before === 'open',
        succeed() {
          end();
          if (began !== epoch) return;
          if (well) failures = 0;
          else {
            reopen();
            tell({ coolMs: 0 });
          }
        },
        fail(error) {
          end();
          // An error that the request itself caused does not affect the account.
          if (!error.retryElsewhere) return;
          const before = epoch;
          countFailure(error, well, began === epoch);
          if (before !== epoch) tellOfCooling();
        },
        release: end,
      };
    },
    learn({ coolMs: coolsFor, code = 'upstream_unavailable', message = 'the vendor failed', vendorCode }) {
      if (coolsFor <= 0) {
        reopen();
        return;
      }
      cool(
        now() + Math.min(coolsFor, LONGEST_COOL_DOWN_MS),
        new GatewayError(code, message, vendorCode === undefined ? {} : { vendorCode }),
      );
    },
  };
}
