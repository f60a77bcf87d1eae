/** What a key is told and given when a request is counted against its limits. */
import { GatewayError } from '@model-gateway/contracts';
import type { LRUCache } from 'lru-cache';
import type { Demand, KeyLimits, Verdict } from '../ports.ts';

/** Output of a request that sets no cap, until the key's own requests say better. */
export const FIRST_GUESS = 256;
/** How much the newest request counts in the key's average. */
const NEWEST_SHARE = 0.2;

export interface Gauge {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until nothing of it is used any more. */
  readonly resetMs: number;
}
/** What is left, for headers; a limit the key does not have is absent. */
export interface LimitState {
  readonly requests?: Gauge;
  readonly tokens?: Gauge;
}
export interface UsedTokens {
  readonly input: number;
  readonly output: number;
}
export interface GrantedPermit {
  readonly refusal: undefined;
  readonly state: LimitState;
  /** The caller has gone: its place among those that run at once is free, although the answer may still be read to its end. */
  leave(): void;
  /** The request has ended: its place is free, and the estimate of tokens gives way to what was used. Once. */
  release(tokens: UsedTokens): void;
  /** To be called when the request was answered whole and without an error, if it is there. */
  readonly answered: (() => void) | undefined;
}
export interface RefusedPermit {
  readonly refusal: GatewayError;
  readonly state: LimitState;
}
export type Permit = GrantedPermit | RefusedPermit;

/** Where a permit gives back what was counted. */
export interface ReleasingCounts {
  release(demand: Demand, verdict: Verdict, usedTokens: number): void;
}

/** The permit of a request that was counted in. */
export class KeyPermit implements GrantedPermit {
  readonly refusal = undefined;
  readonly state: LimitState;
  answered: (() => void) | undefined;
  private readonly demand: Demand;
  private readonly verdict: Verdict;
  private readonly counts: ReleasingCounts;
  private readonly averages: LRUCache<number, number>;
  private hasEnded = false;
  private hasLeft = false;

  /** `averages` are the output tokens of requests by key, which it changes when it is released. */
  constructor(demand: Demand, verdict: Verdict, counts: ReleasingCounts, averages: LRUCache<number, number>) {
    this.state = stateOf(demand.limits, verdict);
    this.demand = demand;
    this.verdict = verdict;
    this.counts = counts;
    this.averages = averages;
  }

  leave(): void {
    const { demand } = this;
    if (this.hasEnded || this.hasLeft || demand.limits.concurrentRequests === undefined) return;
    this.hasLeft = true;
    this.counts.release(demand, this.verdict, demand.tokens);
  }

  release({ input, output }: UsedTokens): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { demand, verdict } = this;
    if (this.hasLeft) this.counts.release({ ...demand, hasLeft: true }, { ...verdict, place: '' }, input + output);
    else this.counts.release(demand, verdict, input + output);
    if (output === 0) return;
    const average = this.averages.get(demand.keyId) ?? FIRST_GUESS;
    this.averages.set(demand.keyId, average + (output - average) * NEWEST_SHARE);
  }
}

function stateOf({ requestsPerMinute, tokensPerMinute }: KeyLimits, verdict: Verdict): LimitState {
  const gauge = (limit: number, used: number, resetMs: number): Gauge => ({
    limit,
    remaining: Math.max(0, limit - used),
    resetMs,
  });
  return {
    ...(requestsPerMinute !== undefined && {
      requests: gauge(requestsPerMinute, verdict.requests, verdict.requestsResetMs),
    }),
    ...(tokensPerMinute !== undefined && { tokens: gauge(tokensPerMinute, verdict.tokens, verdict.tokensResetMs) }),
  };
}

/** The permit of a request that was not counted. */
export function refusedPermit({ limits }: Demand, verdict: Verdict): RefusedPermit {
  return { refusal: refusalOf(limits, verdict), state: stateOf(limits, verdict) };
}

function refusalOf(limits: KeyLimits, { refused: limit, waitMs }: Verdict): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const what = {
    requests: `make ${limits.requestsPerMinute ?? 0} requests per minute and has made them`,
    tokens: `use ${limits.tokensPerMinute ?? 0} tokens per minute and this request does not fit into what is left`,
    concurrent: `run ${limits.concurrentRequests ?? 0} requests at once and is running them`,
  }[limit ?? 'requests'];
  return new GatewayError('rate_limited', `this key may ${what}; try again in ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });
}
