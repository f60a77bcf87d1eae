/** Answers that are given again to the same request. Units and promises as in ports.ts. */
import type { Usage } from '@model-gateway/contracts';
import type { BillLine } from '../money/price.ts';

/** A whole answer, and what it was billed for when a vendor gave it. */
export interface CachedAnswer {
  readonly body: Uint8Array;
  /** The code of the row that answered. */
  readonly model: string;
  readonly usage: Usage;
  readonly lines: readonly BillLine[];
  /** What the translation left out, by field. */
  readonly dropped: readonly string[];
}

/** Where answers are kept: a place that may forget any of them at any time, and that never gives one tenant's to another. */
export interface AnswerStore {
  get(key: string): Promise<CachedAnswer | undefined>;
  /** `tenant` bounds how much of the place one owner and mode can take. */
  set(key: string, tenant: string, answer: CachedAnswer, ttlMs: number): Promise<void>;
  /** True to the one process that is to ask for this key: until `release`, or for so long when it dies. */
  claim(key: string, by: string, ms: number): Promise<boolean>;
  release(key: string, by: string): Promise<void>;
}
