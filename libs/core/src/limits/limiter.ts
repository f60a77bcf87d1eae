/**
 * What a key may do per minute and at once (docs/architecture.md#limits-and-idempotency): requests, tokens, running requests. One
 * process counts in memory, without waiting for anything; replicas share their counts (ports/limits.ts) and fall back to their own
 * memory while those cannot be had.
 */
import { GatewayError } from '@model-gateway/contracts';
import { LRUCache } from 'lru-cache';
import { atMost } from '../bounded.ts';
import type { Log } from '../parts.ts';
import type { Demand, KeyLimits, KeyRecord, RunStore, SharedCounts, Verdict } from '../ports.ts';
import { enterRun, limitsRuns, type RunEntry, type RunOf } from './run-limits.ts';
import { createMemoryCounts, type MemoryCounts } from './memory-counts.ts';

/** Output of a request that sets no cap, until the key's own requests say better. */
const FIRST_GUESS = 256;
/** How much the newest request counts in the key's average. */
const NEWEST_SHARE = 0.2;
const MOST_EXPECTATIONS = 50_000;
const TELL_EVERY_MS = 60_000;

export interface Asked {
  readonly inputTokens: number;
  /** The cap that the request sets itself. */
  readonly outputTokens: number | undefined;
}
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
export type Permit =
  | {
      readonly refusal: undefined;
      readonly state: LimitState;
      /** The caller has gone: its place among those that run at once is free, although the answer may still be read to its end. */
      readonly leave: () => void;
      /** The request has ended: its place is free, and the estimate of tokens gives way to what was used. Once. */
      readonly release: (tokens: { readonly input: number; readonly output: number }) => void;
      /** To be called when the request was answered whole and without an error, if it is there. */
      readonly answered?: () => void;
    }
  | { readonly refusal: GatewayError; readonly state: LimitState };

export interface Limiter {
  /** Counts a request in, or refuses it and counts nothing. Synchronous unless counts are shared, or the key limits its runs. */
  acquire(key: KeyRecord, asked: Asked, run?: RunOf): Permit | Promise<Permit>;
  close(): Promise<void>;
}

/** Whether a key has any of these limits. */
export function isLimited(limits: KeyLimits): boolean {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  return (
    requestsPerMinute !== undefined ||
    tokensPerMinute !== undefined ||
    concurrentRequests !== undefined ||
    limitsRuns(limits)
  );
}

/** Makes the limiter of one process. */
export function createLimiter(options: {
  readonly now: () => number;
  readonly log: Log;
  readonly shared?: SharedCounts;
  readonly runs?: RunStore;
}): Limiter {
  const { now, log, shared, runs } = options;
  const own: MemoryCounts = createMemoryCounts(now);
  /** Output tokens of a key's requests, on average. */
  const expected = new LRUCache<number, number>(atMost(MOST_EXPECTATIONS));
  let toldAt = -Infinity;

  const permit = (demand: Demand, verdict: Verdict, release: SharedCounts['release']): Permit => {
    const state = stateOf(demand.limits, verdict);
    if (verdict.refused !== undefined) return { refusal: refusalText(demand.limits, verdict), state };
    let inside = true;
    let hasLeft = false;
    return {
      refusal: undefined,
      state,
      leave() {
        if (!inside || hasLeft || demand.limits.concurrentRequests === undefined) return;
        hasLeft = true;
        release(demand, verdict, demand.tokens);
      },
      release({ input, output }) {
        if (!inside) return;
        inside = false;
        if (hasLeft) release({ ...demand, hasLeft }, { ...verdict, place: '' }, input + output);
        else release(demand, verdict, input + output);
        if (output === 0) return;
        const average = expected.get(demand.keyId) ?? FIRST_GUESS;
        expected.set(demand.keyId, average + (output - average) * NEWEST_SHARE);
      },
    };
  };

  const acquireShared = async (counts: SharedCounts, demand: Demand): Promise<Permit> => {
    let verdict: Verdict;
    try {
      verdict = await counts.acquire(demand);
    } catch (error) {
      if (now() - toldAt > TELL_EVERY_MS) {
        toldAt = now();
        log.warn({ err: error }, 'the shared limits are unavailable; every replica counts for itself');
      }
      return permit(demand, own.acquire(demand), own.release);
    }
    return permit(demand, verdict, (...given) => counts.release(...given));
  };

  const acquire = ({ id: keyId, limits }: KeyRecord, asked: Asked): Permit | Promise<Permit> => {
    const most = limits.tokensPerMinute;
    const output = asked.outputTokens ?? Math.ceil(expected.get(keyId) ?? FIRST_GUESS);
    const tokens = most === undefined ? 0 : Math.min(most, asked.inputTokens + output);
    const demand = { keyId, limits, tokens };
    return shared === undefined ? permit(demand, own.acquire(demand), own.release) : acquireShared(shared, demand);
  };

  const noting = (answered: () => Promise<void>) => (): void => {
    answered().catch((error: unknown) => log.warn({ err: error }, 'an answer was not counted in its run'));
  };

  // A request that the other limits refuse is none of the run's: it is sent again.
  const acquireOfRun = async (
    acquiring: Permit | Promise<Permit>,
    entering: () => Promise<RunEntry>,
  ): Promise<Permit> => {
    const permit = await acquiring;
    if (permit.refusal !== undefined) return permit;
    let mayRun = false;
    try {
      const { refusal, answered } = await entering();
      mayRun = refusal === undefined;
      if (refusal !== undefined) return { refusal, state: permit.state };
      return answered === undefined ? permit : { ...permit, answered: noting(answered) };
    } finally {
      if (!mayRun) permit.release({ input: 0, output: 0 });
    }
  };

  return {
    acquire(key, asked, of) {
      if (of === undefined || runs === undefined || !limitsRuns(key.limits)) return acquire(key, asked);
      return acquireOfRun(acquire(key, asked), () => enterRun(runs, key, of, now()));
    },
    close: async () => shared?.close(),
  };
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

function refusalText(limits: KeyLimits, { refused, waitMs }: Verdict): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const what = {
    requests: `make ${limits.requestsPerMinute ?? 0} requests per minute and has made them`,
    tokens: `use ${limits.tokensPerMinute ?? 0} tokens per minute and this request does not fit into what is left`,
    concurrent: `run ${limits.concurrentRequests ?? 0} requests at once and is running them`,
  }[refused ?? 'requests'];
  return new GatewayError('rate_limited', `this key may ${what}; try again in ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });
}
