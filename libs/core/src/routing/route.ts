/** The routing settings of a model (docs/decisions/0020-routes.md). */
import type { ErrorCode } from '@model-gateway/contracts';
import type { Condition } from './condition.ts';

/** How routes or offers of one priority are ordered. */
export const STRATEGIES = ['weighted', 'least_busy', 'lowest_latency', 'cheapest'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `prefix`: what a conversation begins with, of one key. The configuration's `none` is the absence of one. */
export const AFFINITIES = ['prefix'] as const;
export type Affinity = (typeof AFFINITIES)[number];

/** Why a fallback is used, by the names of the configuration. */
export const FALLBACK_CAUSES = ['on_error', 'on_context_too_long', 'on_content_refusal'] as const;
export type FallbackCause = (typeof FALLBACK_CAUSES)[number];

/** A model that a route leads to. */
export interface RouteTarget {
  readonly model: string;
  /** The condition; absent for requests that match no other target. */
  readonly when?: Condition;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
}

/** Faults after which another attempt is allowed, by the names of the configuration. */
export const RETRIED_FAULTS = {
  rate_limit: ['upstream_rate_limited'],
  outage: ['upstream_unavailable'],
  timeout: ['upstream_timeout'],
  malformed: ['upstream_malformed'],
  rejected: ['upstream_rejected_key', 'upstream_rejected_model'],
  // No error by itself: see `RepeatPolicy.replacesEmpty`.
  empty_answer: [],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>;
export type RetriedFault = keyof typeof RETRIED_FAULTS;

export interface Retries {
  /** How many vendor requests one request may cause. */
  readonly attempts?: number;
  /** All faults if absent. */
  readonly on?: readonly RetriedFault[];
  /** Attempts beyond the first, as a share of requests. */
  readonly budget: number;
}

export interface Hedge {
  /** The quantile, 0 to 1, of the times until answers begin. A longer time counts as unusually slow. */
  readonly quantile: number;
  /** The share of requests that may have a second vendor request. */
  readonly budget: number;
}

export interface Route {
  /** The targets of requests. If it is empty or none matches, the model's own offers are used. */
  readonly targets: readonly RouteTarget[];
  readonly strategy: Strategy;
  /** What sends requests to the same target of a priority; if absent, the strategy alone decides. */
  readonly affinity?: Affinity;
  /** Models to try in order, by the cause of the failure. */
  readonly fallbacks: Readonly<Partial<Record<FallbackCause, readonly string[]>>>;
  readonly retries?: Retries;
  /** Chat: a second vendor is asked if the first one is unusually slow. */
  readonly hedge?: Hedge;
  /** Chat: another vendor continues a stream that breaks off. */
  readonly continuesBroken?: boolean;
  /** The longest time of one attempt until the first event of a stream. */
  readonly firstTokenSeconds?: number;
  /** The longest time of a request until its answer is complete, or its stream begins. */
  readonly totalSeconds?: number;
}
