/** What a row of the catalogue says of the way its requests take (docs/decisions/0020-routes.md). */
import type { ErrorCode } from '@model-gateway/contracts';
import type { Condition } from './condition.ts';

/** How those of one priority are put in order. */
export const STRATEGIES = ['weighted', 'least_busy', 'lowest_latency', 'cheapest'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `prefix`: what a conversation begins with, of one key. The configuration's `none` is the absence of one. */
export const AFFINITIES = ['prefix'] as const;
export type Affinity = (typeof AFFINITIES)[number];

/** Why a model is asked that is not the first choice, by the names of the configuration. */
export const FALLBACK_CAUSES = ['on_error', 'on_context_too_long', 'on_content_refusal'] as const;
export type FallbackCause = (typeof FALLBACK_CAUSES)[number];

/** A model that a route leads to. */
export interface RouteTarget {
  readonly model: string;
  /** For requests that fit; absent: for those that fit no other target. */
  readonly when?: Condition;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
}

/** Faults after which another attempt may be made, by the names of the configuration. */
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
  /** Questions to vendors that one request may cause. */
  readonly attempts?: number;
  /** All when absent. */
  readonly on?: readonly RetriedFault[];
  /** Attempts beyond the first, as a share of requests. */
  readonly budget: number;
}

export interface Hedge {
  /** Of the times that answers took to begin, 0 to 1: one that takes longer than this share is unusual. */
  readonly quantile: number;
  /** Second questions as a share of requests. */
  readonly budget: number;
}

export interface Route {
  /** Where requests go; empty, or where none fits, the row's own offers are asked. */
  readonly targets: readonly RouteTarget[];
  readonly strategy: Strategy;
  /** What requests have in common that go to the same of those of one priority; absent: nothing, chance decides. */
  readonly affinity?: Affinity;
  /** Codes that are asked in turn, by what made the others fail. */
  readonly fallbacks: Readonly<Partial<Record<FallbackCause, readonly string[]>>>;
  readonly retries?: Retries;
  /** Chat: a second vendor is asked beside one that takes unusually long. */
  readonly hedge?: Hedge;
  /** Chat: another vendor goes on with a stream that breaks off. */
  readonly continuesBroken?: boolean;
  /** Of one attempt, until the first event of a stream. */
  readonly firstTokenSeconds?: number;
  /** Of a request: until its answer is there, of a stream until it begins. */
  readonly totalSeconds?: number;
}
