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

export interface Idempotency {
  /** Does the work once per key; everybody else gets its answer. */
  once(
    caller: Caller,
    options: CreateOptions['idempotency'],
    work: (claim: Claim | undefined) => Promise<NewlyCreated>,
  ): Promise<Created>;
}

/** Makes the idempotency of one process. */
export function createIdempotency(parts: Pick<TaskParts, 'store' | 'now' | 'log'>): Idempotency {
  const { store, now, log } = parts;
  /** Work of this process, so that its twins need not ask the database. */
  const running = new Map<string, Promise<unknown>>();

  /** Undefined when the key has become free; the answer otherwise. */
  const join = async (
    claim: IdempotencyClaim,
    outcome: Extract<IdempotencyOutcome, { state: 'running' }>,
    caller: Caller,
    print: AnswerPrinter,
  ): Promise<IdempotencyAnswer | undefined> => {
    const until = performance.now() + JOIN_MS;
    let taskId = outcome.taskId;
    while (performance.now() < until && !caller.signal.aborted) {
      if (taskId !== undefined) {
        const settled = await settledAnswer(claim, taskId, print);
        if (settled !== undefined) return settled;
      }
      await Promise.race([running.get(nameOf(claim)) ?? sleep(LOOK_EVERY_MS), sleep(LOOK_EVERY_MS * 5)]);
      const current = await store.idempotency.read(claim.keyId, claim.idempotencyKey, now());
      if (current === undefined || current.state === 'claimed' || current.state === 'conflict') return undefined;
      if (current.state === 'answered') return current.answer;
      taskId = current.taskId;
      if (now() - current.claimedAt < STALE_MS) continue;
      if (taskId === undefined) return undefined;
      throw await lostBy(taskId);
    }
    throw new GatewayError('unavailable', 'a request with this Idempotency-Key is still running', {
      param: 'Idempotency-Key',
      retryAfterSeconds: 5,
    });
  };

  /** Its process is gone, and the vendor may have been asked: whoever looks after open tasks finds out when the task is due. */
  const lostBy = async (taskId: string): Promise<GatewayError> => {
    const task = await store.tasks.get(taskId);
    const seconds = Math.ceil(((task?.nextCheckAt ?? 0) - now()) / 1000);
    return new GatewayError(
      'unavailable',
      'the request with this Idempotency-Key was interrupted, and the gateway is finding out its result: send it again',
      { param: 'Idempotency-Key', retryAfterSeconds: Math.min(LONGEST_RETRY_SECONDS, Math.max(1, seconds)) },
    );
  };

  /** The answer of a task whose process died between its ticket and its answer, or before its ticket; the key of one that nobody was asked for is freed. */
  const settledAnswer = async (
    claim: IdempotencyClaim,
    taskId: string,
    print: AnswerPrinter,
  ): Promise<IdempotencyAnswer | undefined> => {
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
  };

  return {
    async once(caller, options, work) {
      if (options === undefined) return work(undefined);
      const { key: idempotencyKey, fingerprint, print } = options;
      for (;;) {
        const claim = { keyId: caller.key.id, idempotencyKey, fingerprint, expiresAt: now() + LIFE_MS };
        const outcome = await store.idempotency.claim(claim, STALE_MS, now());
        if (outcome.state === 'answered') return { replayed: outcome.answer };
        if (outcome.state === 'conflict') {
          throw new GatewayError('conflict', 'this Idempotency-Key was used with another body', {
            param: 'Idempotency-Key',
          });
        }
        if (outcome.state === 'running') {
          const answer = await join(claim, outcome, caller, print);
          if (answer !== undefined) return { replayed: answer };
          continue;
        }
        // Media may take long to fetch before there is a task.
        const stopRenewing = renewClaim({ store: store.idempotency, now, log }, claim, RENEW_MS);
        let ownTask: string | undefined;
        const done = work({
          bind: (taskId) => ({ ...claim, taskId: (ownTask = taskId) }),
          answer: (task, dropped) => ({ ...claimed(claim), ...print.created(task, dropped) }),
        });
        const name = nameOf(claim);
        running.set(
          name,
          done.catch(() => undefined),
        );
        try {
          return await done;
        } catch (error) {
          // The vendor may have the job: a repetition must not start another, so the error is the answer.
          if (error instanceof GatewayError && error.code === 'submission_unknown') {
            const answer = { ...claimed(claim), ...print.refused(error) };
            await soonerOrLater(log, 'the answer of an Idempotency-Key', () => store.idempotency.answer(answer));
          } else if (!lostClaim(error))
            await soonerOrLater(log, 'that an Idempotency-Key is free again', () =>
              store.idempotency.forget(claim.keyId, idempotencyKey, ownTask),
            );
          throw error;
        } finally {
          running.delete(name);
          stopRenewing();
        }
      }
    },
  };
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
