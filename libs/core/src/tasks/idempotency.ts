/**
 * One Idempotency-Key, one job: the stored answer is replayed, a twin in flight is joined, another body is refused
 * (docs/architecture.md#limits-and-idempotency).
 */
import { setTimeout } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import { renewClaim } from '../idempotency/renew-claim.ts';
import type { Caller } from '../parts.ts';
import { soonerOrLater } from './sooner-or-later.ts';
import type { IdempotencyAnswer, IdempotencyClaim, IdempotencyOutcome, TaskRecord } from '../ports.ts';
import type { AnswerPrinter, Created, CreateOptions, NewlyCreated, TaskParts } from './types.ts';

const LIFE_MS = 24 * 3_600_000;
/**
 * A claim without a task of which nothing was heard for so long was left by a process that died before it paid anything: it is free for whoever
 * repeats the request. Should that process live after all, its task finds the key taken and is not made.
 */
const STALE_MS = 8_000;
const RENEW_MS = 2_000;
const JOIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** SDKs do not wait longer before they try again. */
const LONGEST_RETRY_SECONDS = 60;

/** The claim of the request that does the work. */
export interface Claim {
  bind(taskId: string): IdempotencyClaim;
  answer(task: TaskRecord, dropped: readonly string[]): IdempotencyAnswer;
}

type Work = (claim: Claim | undefined) => Promise<NewlyCreated>;

/** The idempotency of one process. */
export class Idempotency {
  private readonly parts: Pick<TaskParts, 'store' | 'now' | 'log'>;
  /** Work of this process, so that its twins need not ask the database. */
  private readonly running = new Map<string, Promise<unknown>>();

  constructor(parts: Pick<TaskParts, 'store' | 'now' | 'log'>) {
    this.parts = parts;
  }

  /** Does the work once per key; everybody else gets its answer. */
  async once(caller: Caller, options: CreateOptions['idempotency'], work: Work): Promise<Created> {
    if (options === undefined) return work(undefined);
    const { store, now } = this.parts;
    const { key: idempotencyKey, fingerprint, print } = options;
    for (;;) {
      const claim = { keyId: caller.key.id, idempotencyKey, fingerprint, expiresAt: now() + LIFE_MS };
      const outcome = await store.idempotency.claim(claim, STALE_MS, now());
      switch (outcome.state) {
        case 'claimed':
          return this.work(claim, print, work);
        case 'answered':
          return { replayed: outcome.answer };
        case 'conflict':
          throw new GatewayError('conflict', 'this Idempotency-Key was used with another body', {
            param: 'Idempotency-Key',
          });
        case 'running': {
          const answer = await this.join(claim, outcome, caller, print);
          if (answer !== undefined) return { replayed: answer };
        }
      }
    }
  }

  private async work(claim: IdempotencyClaim, print: AnswerPrinter, work: Work): Promise<NewlyCreated> {
    const { store, now, log } = this.parts;
    // Media may take long to fetch before there is a task.
    const stopRenewing = renewClaim({ store: store.idempotency, now, log }, claim, RENEW_MS);
    let ownTask: string | undefined;
    const done = work({
      bind: (taskId) => ({ ...claim, taskId: (ownTask = taskId) }),
      answer: (task, dropped) => ({ ...claimed(claim), ...print.created(task, dropped) }),
    });
    const name = nameOf(claim);
    this.running.set(
      name,
      done.catch(() => undefined),
    );
    try {
      return await done;
    } catch (error) {
      await this.settleFailed(claim, print, { error, ownTask });
      throw error;
    } finally {
      this.running.delete(name);
      stopRenewing();
    }
  }

  private async settleFailed(
    claim: IdempotencyClaim,
    print: AnswerPrinter,
    { error, ownTask }: { readonly error: unknown; readonly ownTask: string | undefined },
  ): Promise<void> {
    const { store, log } = this.parts;
    // The vendor may have the job: a repetition must not start another, so the error is the answer.
    if (error instanceof GatewayError && error.code === 'submission_unknown') {
      const answer = { ...claimed(claim), ...print.refused(error) };
      await soonerOrLater(log, 'the answer of an Idempotency-Key', () => store.idempotency.answer(answer));
    } else if (!lostClaim(error))
      await soonerOrLater(log, 'that an Idempotency-Key is free again', () =>
        store.idempotency.forget(claim.keyId, claim.idempotencyKey, ownTask),
      );
  }

  /** Undefined when the key has become free; the answer otherwise. */
  private async join(
    claim: IdempotencyClaim,
    outcome: Extract<IdempotencyOutcome, { state: 'running' }>,
    caller: Caller,
    print: AnswerPrinter,
  ): Promise<IdempotencyAnswer | undefined> {
    const { store, now } = this.parts;
    const until = performance.now() + JOIN_MS;
    let taskId = outcome.taskId;
    while (performance.now() < until && !caller.signal.aborted) {
      if (taskId !== undefined) {
        const settled = await this.settledAnswer(claim, taskId, print);
        if (settled !== undefined) return settled;
      }
      await Promise.race([this.running.get(nameOf(claim)) ?? sleep(LOOK_EVERY_MS), sleep(LOOK_EVERY_MS * 5)]);
      const current = await store.idempotency.read(claim.keyId, claim.idempotencyKey, now());
      if (current === undefined || current.state === 'claimed' || current.state === 'conflict') return undefined;
      if (current.state === 'answered') return current.answer;
      taskId = current.taskId;
      if (now() - current.claimedAt < STALE_MS) continue;
      if (taskId === undefined) return undefined;
      throw await this.lostBy(taskId);
    }
    throw new GatewayError('unavailable', 'a request with this Idempotency-Key is still running', {
      param: 'Idempotency-Key',
      retryAfterSeconds: 5,
    });
  }

  /** Its process is gone, and the vendor may have been asked: whoever looks after open tasks finds out when the task is due. */
  private async lostBy(taskId: string): Promise<GatewayError> {
    const { store, now } = this.parts;
    const task = await store.tasks.get(taskId);
    const seconds = Math.ceil(((task?.nextCheckAt ?? 0) - now()) / 1000);
    return new GatewayError(
      'unavailable',
      'the request with this Idempotency-Key was interrupted, and the gateway is finding out its result: send it again',
      { param: 'Idempotency-Key', retryAfterSeconds: Math.min(LONGEST_RETRY_SECONDS, Math.max(1, seconds)) },
    );
  }

  /** The answer of a task whose process died between its ticket and its answer, or before its ticket; the key of one that nobody was asked for is freed. */
  private async settledAnswer(
    claim: IdempotencyClaim,
    taskId: string,
    print: AnswerPrinter,
  ): Promise<IdempotencyAnswer | undefined> {
    const { store, now } = this.parts;
    const task = await store.tasks.get(taskId);
    if (task?.ticket !== undefined || task?.queuedAt !== undefined) {
      const answer = { ...claimed(claim), ...print.created(task, []) };
      await store.idempotency.answer(answer);
      const stored = await store.idempotency.read(claim.keyId, claim.idempotencyKey, now());
      return stored?.state === 'answered' ? stored.answer : answer;
    }
    if (task?.state !== 'FAILURE') return undefined;
    // Whatever ended it: the vendor was asked, and nobody knows what came of it.
    if (task.submitted) throw new GatewayError('submission_unknown', task.failReason);
    await store.idempotency.forget(claim.keyId, claim.idempotencyKey, taskId);
    return undefined;
  }
}

/** Our claim went stale and somebody else took the key over: it is theirs to answer or to free. */
function lostClaim(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'conflict' && error.details.param === 'Idempotency-Key';
}

function claimed(claim: IdempotencyClaim): Pick<IdempotencyAnswer, 'keyId' | 'idempotencyKey'> {
  return { keyId: claim.keyId, idempotencyKey: claim.idempotencyKey };
}

function nameOf({ keyId, idempotencyKey }: IdempotencyClaim): string {
  return `${keyId} ${idempotencyKey}`;
}

function sleep(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}
