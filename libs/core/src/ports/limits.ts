/** Counts against the limits of keys, where replicas share them. Units and promises as in ports.ts. */
import type { KeyLimits } from './keys.ts';

/** What is kept of runs, for keys that limit them. */
export interface RunStore {
  /** Counts a request of the run, which begins with its first. */
  count(keyId: number, run: string, now: number): Promise<RunCount>;
  /** Notes that a chat of the run was answered; equal ones have the same text for `request`. */
  answered(keyId: number, run: string, request: string): Promise<void>;
}
export interface RunCount {
  readonly requests: number;
  readonly startedAt: number;
  /** The newest chat of the run that was answered, and how often in a row. */
  readonly answered?: { readonly request: string; readonly times: number };
}

/** Counts that replicas share. Rejects when they cannot be had. */
export interface SharedCounts {
  /** All or nothing, atomically. */
  acquire(demand: Demand): Promise<Verdict>;
  release(demand: Demand, verdict: Verdict, usedTokens: number): void;
  close(): Promise<void>;
}
export interface Demand {
  readonly keyId: number;
  readonly limits: KeyLimits;
  /** Already cut to the limit: a request larger than it may pass alone. */
  readonly tokens: number;
  /** It gave its place back before it ended. */
  readonly hasLeft?: boolean;
}
export interface Verdict {
  readonly refused: 'requests' | 'tokens' | 'concurrent' | undefined;
  /** What the minute holds now, this request included if it was let in. */
  readonly requests: number;
  readonly tokens: number;
  readonly requestsResetMs: number;
  readonly tokensResetMs: number;
  /** When it was refused: when it would not be. */
  readonly waitMs: number;
  /** Where its tokens were counted. */
  readonly bucket: number;
  /** Names its place among the running ones. */
  readonly place: string;
}
