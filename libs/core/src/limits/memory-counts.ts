/** Counts against the limits of keys in the memory of one process: its own, or those of all workers of a machine. */
import type { Demand, KeyLimits, Verdict } from '../ports.ts';
import { createWindow, type Window } from './window.ts';

const IDLE_MS = 120_000;
const SWEEP_EVERY = 4_096;

export interface MemoryCounts {
  /** All or nothing. */
  acquire(demand: Demand): Verdict;
  readonly release: (demand: Demand, verdict: Pick<Verdict, 'bucket'>, usedTokens: number) => void;
}

interface Counts {
  readonly requests: Window;
  readonly tokens: Window;
  running: number;
  usedAt: number;
}

/** Makes empty counts. */
export function createMemoryCounts(now: () => number): MemoryCounts {
  const keys = new Map<number, Counts>();
  let calls = 0;

  const countsOf = (id: number): Counts => {
    if (++calls % SWEEP_EVERY === 0) sweep();
    let counts = keys.get(id);
    if (counts === undefined) {
      counts = { requests: createWindow(), tokens: createWindow(), running: 0, usedAt: 0 };
      keys.set(id, counts);
    }
    counts.usedAt = now();
    return counts;
  };
  const sweep = (): void => {
    for (const [id, { running, usedAt }] of keys) if (running === 0 && now() - usedAt > IDLE_MS) keys.delete(id);
  };

  return {
    acquire({ keyId, limits, tokens }) {
      const counts = countsOf(keyId);
      const at = now();
      const refusal = refusalOf(counts, limits, tokens, at);
      let bucket = 0;
      if (refusal === undefined) {
        counts.running++;
        counts.requests.add(at, 1);
        bucket = counts.tokens.add(at, tokens);
      }
      return {
        refused: refusal?.of,
        requests: counts.requests.total(at),
        tokens: counts.tokens.total(at),
        requestsResetMs: limits.requestsPerMinute === undefined ? 0 : counts.requests.waitFor(at, 0),
        tokensResetMs: limits.tokensPerMinute === undefined ? 0 : counts.tokens.waitFor(at, 0),
        waitMs: refusal?.waitMs ?? 0,
        bucket,
        place: '',
      };
    },
    release({ keyId, tokens, hasLeft }, { bucket }, usedTokens) {
      const counts = countsOf(keyId);
      if (hasLeft !== true) counts.running--;
      if (usedTokens < tokens) counts.tokens.takeBack(now(), bucket, tokens - usedTokens);
      else counts.tokens.add(now(), usedTokens - tokens);
    },
  };
}

function refusalOf(
  counts: Counts,
  limits: KeyLimits,
  tokens: number,
  at: number,
): { readonly of: NonNullable<Verdict['refused']>; readonly waitMs: number } | undefined {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  if (requestsPerMinute !== undefined && counts.requests.total(at) + 1 > requestsPerMinute)
    return { of: 'requests', waitMs: counts.requests.waitFor(at, requestsPerMinute - 1) };
  if (tokensPerMinute !== undefined && counts.tokens.total(at) + tokens > tokensPerMinute)
    return { of: 'tokens', waitMs: counts.tokens.waitFor(at, tokensPerMinute - tokens) };
  if (concurrentRequests !== undefined && counts.running + 1 > concurrentRequests)
    return { of: 'concurrent', waitMs: 1_000 };
  return undefined;
}
