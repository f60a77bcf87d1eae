/**
 * What a key may do per minute and at once (docs/architecture.md#limits-and-idempotency): requests, tokens, running requests. One
 * process counts in memory, without waiting for anything; replicas share their counts (ports/limits.ts) and fall back to their own
 * memory while those cannot be had.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from '../bounded.ts';
import type { Log } from '../parts.ts';
import type { Demand, KeyLimits, KeyRecord, RunStore, SharedCounts, Verdict } from '../ports.ts';
import { enterRun, limitsRuns, type RunEntry, type RunOf } from './run-limits.ts';
import { createMemoryCounts, type MemoryCounts } from './memory-counts.ts';
import {
  FIRST_GUESS,
  KeyPermit,
  refusedPermit,
  type Permit,
  type RefusedPermit,
  type ReleasingCounts,
} from './permit.ts';

export type { Gauge, LimitState, Permit } from './permit.ts';

const MOST_AVERAGES = 50_000;
const TELL_EVERY_MS = 60_000;

export interface Asked {
  readonly inputTokens: number;
  /** The cap that the request sets itself. */
  readonly outputTokens: number | undefined;
}
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

export interface LimiterOptions {
  readonly now: () => number;
  readonly log: Log;
  readonly shared?: SharedCounts;
  readonly runs?: RunStore;
}

/** Makes the limiter of one process. */
export function createLimiter(options: LimiterOptions): Limiter {
  return new KeyLimiter(options);
}

type LimitPermit = KeyPermit | RefusedPermit;

class KeyLimiter implements Limiter {
  private readonly now: () => number;
  private readonly log: Log;
  private readonly own: MemoryCounts;
  private readonly shared: SharedCounts | undefined;
  private readonly runs: RunStore | undefined;
  /** Output tokens of a key's requests, on average. */
  private readonly averages = new LRUCache<number, number>(atMost(MOST_AVERAGES));
  private toldAt = -Infinity;

  constructor({ now, log, shared, runs }: LimiterOptions) {
    this.now = now;
    this.log = log;
    this.own = createMemoryCounts(now);
    this.shared = shared;
    this.runs = runs;
  }

  acquire(key: KeyRecord, asked: Asked, of?: RunOf): Permit | Promise<Permit> {
    const demand = this.demandOf(key, asked);
    const acquiring =
      this.shared === undefined
        ? this.permit(demand, this.own.acquire(demand), this.own)
        : this.acquireShared(this.shared, demand);
    if (of === undefined || this.runs === undefined || !limitsRuns(key.limits)) return acquiring;
    const { runs } = this;
    return this.acquireOfRun(acquiring, () => enterRun(runs, key, of, this.now()));
  }

  async close(): Promise<void> {
    await this.shared?.close();
  }

  private demandOf({ id: keyId, limits }: KeyRecord, { inputTokens, outputTokens }: Asked): Demand {
    const most = limits.tokensPerMinute;
    if (most === undefined) return { keyId, limits, tokens: 0 };
    const output = outputTokens ?? Math.ceil(this.averages.get(keyId) ?? FIRST_GUESS);
    return { keyId, limits, tokens: Math.min(most, inputTokens + output) };
  }

  private async acquireShared(shared: SharedCounts, demand: Demand): Promise<LimitPermit> {
    let verdict: Verdict;
    try {
      verdict = await shared.acquire(demand);
    } catch (error) {
      this.tellOfUnavailable(error);
      return this.permit(demand, this.own.acquire(demand), this.own);
    }
    return this.permit(demand, verdict, shared);
  }

  private tellOfUnavailable(error: unknown): void {
    if (this.now() - this.toldAt <= TELL_EVERY_MS) return;
    this.toldAt = this.now();
    this.log.warn({ err: error }, 'the shared limits are unavailable; every replica counts for itself');
  }

  private permit(demand: Demand, verdict: Verdict, counts: ReleasingCounts): LimitPermit {
    return verdict.refused === undefined
      ? new KeyPermit(demand, verdict, counts, this.averages)
      : refusedPermit(demand, verdict);
  }

  /** A request that the other limits refuse is none of the run's: it is sent again. */
  private async acquireOfRun(
    acquiring: LimitPermit | Promise<LimitPermit>,
    entering: () => Promise<RunEntry>,
  ): Promise<Permit> {
    const permit = await acquiring;
    if (permit.refusal !== undefined) return permit;
    let mayRun = false;
    try {
      const { refusal, answered } = await entering();
      mayRun = refusal === undefined;
      if (refusal !== undefined) return { refusal, state: permit.state };
      if (answered !== undefined) permit.answered = this.noting(answered);
      return permit;
    } finally {
      if (!mayRun) permit.release({ input: 0, output: 0 });
    }
  }

  private noting(answered: () => Promise<void>): () => void {
    return () => {
      answered().catch((error: unknown) => this.log.warn({ err: error }, 'an answer was not counted in its run'));
    };
  }
}
