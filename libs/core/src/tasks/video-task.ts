/**
 * Every change of a task's state, as a pure function: what a vendor's answer makes of a task
 * (docs/service.md#states-and-transitions; docs/architecture.md#tasks).
 */
import type { ErrorCode, Json } from '@model-gateway/contracts';
import type { Fault } from '@model-gateway/provider-kit';
import type { StoredMedia, TaskPatch, TaskRecord, TaskState } from '../ports.ts';
import { pauseAfter, pauseAfterFault, type Cadence } from './cadence.ts';

/** The states in which a task can still change. */
export const OPEN_STATES: readonly TaskState[] = ['NOT_START', 'IN_PROGRESS'];

/** Answers "no such task" in a row after which the vendor is believed. */
const MISSING_ENOUGH = 3;
/** Refusals of the question itself (a 400 on a poll) in a row after which the job is taken for lost: about a quarter of an hour. */
const REFUSED_ENOUGH = 20;
const REFUSALS: readonly ErrorCode[] = ['invalid_request', 'content_refused', 'not_implemented'];
const LONGEST_REASON = 1000;

/** What was learnt about a task: the vendor's answer, no answer, or our own decision. */
export type TaskNews =
  | {
      readonly state: 'queued' | 'running';
      readonly percent?: number;
      readonly checkAfterMs?: number;
      readonly payload: Json;
    }
  | { readonly state: 'succeeded'; readonly files: readonly StoredMedia[]; readonly payload: Json }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  | { readonly state: 'missing'; readonly payload: Json }
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json }
  /** The question went wrong, not the job. */
  | { readonly state: 'fault'; readonly code: ErrorCode; readonly reason: string; readonly retryAfterSeconds?: number }
  /** We end it: cancelled, or never known to be accepted. `payload` is given when the vendor's own words agree. */
  | { readonly state: 'ended'; readonly code: ErrorCode; readonly reason: string; readonly payload?: Json };

export interface TaskStep {
  readonly patch: TaskPatch;
  /** What becomes of the money set aside. */
  readonly money: 'keep' | 'capture' | 'release';
}

type Known = Pick<
  TaskRecord,
  | 'kind'
  | 'state'
  | 'progress'
  | 'createdAt'
  | 'submitTime'
  | 'startTime'
  | 'deadlineAt'
  | 'checks'
  | 'missing'
  | 'faults'
>;

/** The next state of a task, or undefined when it has ended: an end never changes. */
export function advance(task: Known, news: TaskNews, now: number, cadence: Cadence): TaskStep | undefined {
  if (!OPEN_STATES.includes(task.state)) return undefined;
  switch (news.state) {
    case 'queued':
    case 'running':
      return late(task, now) ?? going(task, news, now, cadence);
    case 'unknown':
      return late(task, now) ?? waiting(task, { payload: news.payload, missing: 0, faults: 0 }, now, cadence);
    case 'succeeded':
      return succeeded(task, news, now);
    case 'failed':
      return failure(task, now, { code: news.fault.code, reason: reasonOf(news.fault), payload: news.payload });
    case 'missing':
      return missing(task, now, cadence);
    case 'fault':
      return fault(task, news, now, cadence);
    case 'ended':
      return failure(task, now, { code: news.code, reason: news.reason, payload: news.payload ?? null });
  }
}

function going(
  task: Known,
  news: Extract<TaskNews, { state: 'queued' | 'running' }>,
  now: number,
  cadence: Cadence,
): TaskStep {
  const begun = news.state === 'running' || task.state === 'IN_PROGRESS';
  // Vendors without a percentage: 10 while a job waits, 50 while it runs (docs/wire/video-tasks.md#states).
  const told = news.percent ?? (begun ? 50 : 10);
  const progress = Math.max(task.progress, Math.min(99, Math.max(0, Math.floor(told))));
  const step = waiting(task, { payload: news.payload, missing: 0, faults: 0 }, now, cadence, news.checkAfterMs);
  return {
    money: 'keep',
    patch: {
      ...step.patch,
      progress,
      ...(begun && task.state === 'NOT_START' && { state: 'IN_PROGRESS', startTime: now }),
    },
  };
}

function waiting(
  task: Known,
  change: Pick<TaskPatch, 'payload' | 'missing' | 'faults'>,
  now: number,
  cadence: Cadence,
  wishMs?: number,
): TaskStep {
  const age = now - (task.submitTime ?? task.createdAt);
  return {
    money: 'keep',
    patch: {
      ...change,
      checks: task.checks + 1,
      nextCheckAt: Math.min(now + pauseAfter(age, cadence, wishMs), Math.max(now + 1, task.deadlineAt)),
    },
  };
}

function succeeded(task: Known, news: Extract<TaskNews, { state: 'succeeded' }>, now: number): TaskStep {
  if (task.kind === 'video' && news.files.length === 0) {
    const reason = 'the vendor reported success without a video';
    return failure(task, now, { code: 'upstream_malformed', reason, payload: null });
  }
  return {
    money: 'capture',
    patch: {
      state: 'SUCCESS',
      progress: 100,
      payload: news.payload,
      files: news.files,
      startTime: task.startTime ?? now,
      finishTime: now,
      checks: task.checks + 1,
      missing: 0,
      faults: 0,
    },
  };
}

function missing(task: Known, now: number, cadence: Cadence): TaskStep {
  const count = task.missing + 1;
  if (count >= MISSING_ENOUGH) {
    return failure(task, now, { code: 'upstream_unavailable', reason: 'the vendor no longer knows this task' });
  }
  const pause = pauseAfterFault(count, cadence);
  return (
    late(task, now) ?? {
      money: 'keep',
      patch: { checks: task.checks + 1, missing: count, nextCheckAt: Math.min(now + pause, task.deadlineAt) },
    }
  );
}

function fault(task: Known, news: Extract<TaskNews, { state: 'fault' }>, now: number, cadence: Cadence): TaskStep {
  const faults = task.faults + 1;
  if (faults >= REFUSED_ENOUGH && REFUSALS.includes(news.code)) {
    return failure(task, now, { code: news.code, reason: news.reason });
  }
  const pause = pauseAfterFault(faults, cadence, news.retryAfterSeconds);
  return (
    late(task, now) ?? {
      money: 'keep',
      patch: { checks: task.checks + 1, faults, nextCheckAt: Math.min(now + pause, task.deadlineAt) },
    }
  );
}

/** The end by deadline, when it has passed. */
function late(task: Known, now: number): TaskStep | undefined {
  if (now < task.deadlineAt) return undefined;
  const hours = Math.round(((task.deadlineAt - task.createdAt) / 3_600_000) * 10) / 10;
  return failure(task, now, { code: 'upstream_timeout', reason: `the task was not finished within ${hours} hours` });
}

/**
 * The end without a video. The vendor's payload is kept only when it says so too: an earlier `running` beside FAILURE would
 * contradict it, so it gives way to null.
 */
function failure(
  task: Known,
  now: number,
  end: { readonly code: ErrorCode; readonly reason: string; readonly payload?: Json },
): TaskStep {
  const reason = end.reason.length > LONGEST_REASON ? `${end.reason.slice(0, LONGEST_REASON)}…` : end.reason;
  return {
    money: 'release',
    patch: {
      state: 'FAILURE',
      progress: 100,
      payload: end.payload ?? null,
      failReason: reason === '' ? 'the vendor gave no reason' : reason,
      failCode: end.code,
      finishTime: now,
      checks: task.checks + 1,
    },
  };
}

/** `OutputVideoSensitiveContentDetected: the output was refused`. */
function reasonOf({ vendorCode, message }: Fault): string {
  if (vendorCode === undefined || message.startsWith(vendorCode)) return message;
  return `${vendorCode}: ${message}`;
}

/** The task as it will be once the patch is written: for records made before the transaction. */
export function afterStep(task: TaskRecord, step: TaskStep, charged: number, now: number): TaskRecord {
  const quota = step.money === 'keep' ? task.quota : step.money === 'capture' ? charged : 0;
  return { ...task, ...step.patch, quota, updatedAt: now };
}
