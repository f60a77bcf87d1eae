/** What an Idempotency-Key was answered with. Units and promises as in ports.ts. */

export interface IdempotencyClaim {
  readonly keyId: number;
  readonly idempotencyKey: string;
  /** SHA-256 hex of method, path and body. */
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly taskId?: string;
}
export interface IdempotencyAnswer {
  readonly keyId: number;
  readonly idempotencyKey: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's bytes. */
  readonly body: Uint8Array;
}
export type IdempotencyOutcome =
  | { readonly state: 'claimed' }
  /** Somebody is at it (this process or another), last heard of at `claimedAt`. */
  | { readonly state: 'running'; readonly taskId?: string; readonly claimedAt: number }
  | { readonly state: 'answered'; readonly answer: IdempotencyAnswer }
  /** The key was used with another body. */
  | { readonly state: 'conflict' };
export interface IdempotencyStore {
  /** Atomically claims the key or says who has it. A claim whose process died (older than `staleAfterMs` and not answered) may be taken over only when it has no task. */
  claim(claim: IdempotencyClaim, staleAfterMs: number, now: number): Promise<IdempotencyOutcome>;
  read(keyId: number, idempotencyKey: string, now: number): Promise<IdempotencyOutcome | undefined>;
  /** The claim's process is alive and still at it. */
  renew(keyId: number, idempotencyKey: string, now: number): Promise<void>;
  answer(answer: IdempotencyAnswer): Promise<void>;
  /** Nothing paid happened: the key is free again, unless it has an answer or is bound to another task than this one. */
  forget(keyId: number, idempotencyKey: string, taskId?: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}
