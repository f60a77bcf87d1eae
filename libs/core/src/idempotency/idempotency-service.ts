/**
 * One Idempotency-Key, one answer (docs/architecture.md#limits-and-idempotency): the key is claimed before the work begins, a twin in flight waits for it, the answer is
 * kept for a day and given again byte for byte. Tasks have their own (tasks/idempotency.ts), bound to the task row.
 *
 * A process that dies leaves its claim behind. Whether the vendor did the work then is not known, and it may have been paid: the key is
 * answered with `submission_unknown` from then on and never run again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import type { Log } from '../parts.ts';
import type { IdempotencyAnswer, IdempotencyOutcome, IdempotencyStore } from '../ports.ts';
import { renewClaim } from './renew-claim.ts';

const LIFE_MS = 24 * 3_600_000;
/** The process of a claim is dead when it has not been heard of for this long. */
const DEAD_MS = 60_000;
const RENEW_MS = 15_000;
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;
const HOUSEKEEPING_MS = 600_000;
const CLOSE_LOOK_MS = 20;

export type StoredAnswer = Pick<IdempotencyAnswer, 'status' | 'headers' | 'body'>;

export interface Question {
  /** The key that asks; 0 for the admin API. */
  readonly keyId: number;
  readonly idempotencyKey: string;
  /** SHA-256 hex of method, address and body. */
  readonly fingerprint: string;
}

/** The right to do the work. Exactly one of `keep` and `forget` ends it. */
export interface AnswerClaim {
  /** Aborted when the process gives up; a caller who hangs up does not end work that a repetition will ask for. */
  readonly signal: AbortSignal;
  /** Stores the answer; waiting twins get it. Never throws: what cannot be stored is told in the log. */
  keep(answer: StoredAnswer): Promise<void>;
  /** Nothing was paid: the key is free again. Twins that are waiting here get `answer` all the same. */
  forget(answer: StoredAnswer | undefined): Promise<void>;
}
export type Beginning = { readonly claim: AnswerClaim } | { readonly claim: undefined; readonly answer: StoredAnswer };

export interface IdempotencyService {
  /** Claims the key, or waits for who has it. Throws `conflict` for another body, `submission_unknown` when the one who had it died. */
  begin(question: Question, caller: AbortSignal): Promise<Beginning>;
  /** Waits for running work as long as `graceMs`, then aborts it. */
  close(graceMs: number): Promise<void>;
}

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly now: () => number;
  readonly log: Log;
  /** No other process can have the database: a claim older than this process is of a dead one. */
  readonly soleProcess: boolean;
  /** Since when no other process than this one and its siblings can have it; now when absent. */
  readonly startedAt?: number;
}

/** Makes the replays of one process. */
export function createIdempotencyService(options: IdempotencyOptions): IdempotencyService {
  return new StoredIdempotency(options);
}

class StoredIdempotency implements IdempotencyService {
  private readonly options: IdempotencyOptions;
  private readonly startedAt: number;
  /** Work of this process: its twins need not ask the database. Resolves to undefined when the key has become free without an answer. */
  private readonly running = new Map<string, Promise<StoredAnswer | undefined>>();
  private readonly giveUp = new AbortController();
  private readonly housekeeping: NodeJS.Timeout;

  constructor(options: IdempotencyOptions) {
    this.options = options;
    this.startedAt = options.startedAt ?? options.now();
    this.housekeeping = setInterval(() => this.deleteExpired(), HOUSEKEEPING_MS).unref();
  }

  async begin(question: Question, caller: AbortSignal): Promise<Beginning> {
    const { store, now } = this.options;
    for (;;) {
      const request = { ...question, expiresAt: now() + LIFE_MS };
      // Never taken over from a process that is silent: that one may have paid.
      const outcome = await store.claim(request, Number.MAX_SAFE_INTEGER, now());
      switch (outcome.state) {
        case 'claimed':
          return { claim: this.claimOf(question) };
        case 'answered':
          return { claim: undefined, answer: outcome.answer };
        case 'conflict':
          throw new GatewayError(
            'conflict',
            'this Idempotency-Key was used with another body; use a new key for a new request',
            { param: 'Idempotency-Key' },
          );
        case 'running': {
          const answer = await this.join(question, outcome, caller);
          if (answer !== undefined) return { claim: undefined, answer };
        }
      }
    }
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.housekeeping);
    await this.untilDone(performance.now() + graceMs);
    this.giveUp.abort();
    await this.untilDone(performance.now() + CLOSE_LOOK_MS * 10);
  }

  private async untilDone(until: number): Promise<void> {
    while (this.running.size > 0 && performance.now() < until) await sleep(CLOSE_LOOK_MS);
  }

  private claimOf(question: Question): AnswerClaim {
    const { store, log } = this.options;
    const { keyId, idempotencyKey } = question;
    const name = nameOf(question);
    const { promise, resolve } = Promise.withResolvers<StoredAnswer | undefined>();
    this.running.set(name, promise);
    const stopRenewing = renewClaim(this.options, question, RENEW_MS);
    const leave = (answer: StoredAnswer | undefined): void => {
      stopRenewing();
      this.running.delete(name);
      resolve(answer);
    };
    return {
      signal: this.giveUp.signal,
      async keep(answer) {
        await store
          .answer({ keyId, idempotencyKey, ...answer })
          .catch((error: unknown) =>
            log.error({ err: error }, 'an answer could not be stored for its Idempotency-Key'),
          );
        leave(answer);
      },
      async forget(answer) {
        await store
          .forget(keyId, idempotencyKey)
          .catch((error: unknown) => log.warn({ err: error }, 'an Idempotency-Key could not be freed'));
        leave(answer);
      },
    };
  }

  /** Waits until the one who has the key has answered; undefined when the key has become free. */
  private async join(
    question: Question,
    first: Extract<IdempotencyOutcome, { state: 'running' }>,
    caller: AbortSignal,
  ): Promise<StoredAnswer | undefined> {
    const { store, now } = this.options;
    let outcome: IdempotencyOutcome | undefined = first;
    let pause = FIRST_LOOK_MS;
    while (outcome?.state === 'running') {
      const here = this.running.get(nameOf(question));
      if (here !== undefined) return untilGone(here, caller);
      if (this.isDead(outcome.claimedAt)) throw died();
      await untilGone(sleep(pause), caller);
      pause = Math.min(LONGEST_LOOK_MS, pause * 1.5);
      outcome = await store.read(question.keyId, question.idempotencyKey, now());
    }
    return outcome?.state === 'answered' ? outcome.answer : undefined;
  }

  private isDead(claimedAt: number): boolean {
    const { now, soleProcess } = this.options;
    return now() - claimedAt > DEAD_MS || (soleProcess && claimedAt < this.startedAt && now() >= this.startedAt);
  }

  private deleteExpired(): void {
    const { store, now, log } = this.options;
    store.deleteExpired(now()).catch((error: unknown) => log.warn({ err: error }, 'old answers could not be deleted'));
  }
}

function died(): GatewayError {
  return new GatewayError(
    'submission_unknown',
    'an earlier request with this Idempotency-Key was interrupted by a failure of the gateway. Its result is not known, so it is not repeated. Use a new key to send the request again',
    { param: 'Idempotency-Key' },
  );
}

/** A caller who has gone waits for nothing. */
function untilGone<T>(work: Promise<T>, caller: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onGone = (): void => reject(new GatewayError('unavailable', 'the caller has gone'));
    if (caller.aborted) {
      onGone();
      return;
    }
    caller.addEventListener('abort', onGone, { once: true });
    work.then(resolve, reject).finally(() => caller.removeEventListener('abort', onGone));
  });
}

function nameOf({ keyId, idempotencyKey }: Question): string {
  return `${keyId} ${idempotencyKey}`;
}
