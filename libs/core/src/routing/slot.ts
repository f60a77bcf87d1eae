/** The place of one call at an account. */
import type { GatewayError } from '@model-gateway/contracts';
import type { Concurrency } from './concurrency.ts';
import type { Outcome } from './health.ts';

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

/** Tells how a call went and frees its place, once. */
export class AccountSlot implements Slot {
  readonly trial: boolean;
  private readonly outcome: Outcome;
  private readonly bound: Concurrency;
  private readonly rememberFault: (error: GatewayError) => void;
  private isOpen = true;

  constructor(outcome: Outcome, bound: Concurrency, rememberFault: (error: GatewayError) => void) {
    this.trial = outcome.trial;
    this.outcome = outcome;
    this.bound = bound;
    this.rememberFault = rememberFault;
  }

  succeed(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.outcome.succeed();
    this.bound.leave();
  }

  fail(error: GatewayError): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (error.retryElsewhere) this.rememberFault(error);
    this.outcome.fail(error);
    this.bound.leave();
  }

  release(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.outcome.release();
    this.bound.leave();
  }
}
