import type { NewTask, TaskPatch, TaskRecord } from '@model-gateway/core';
import type { Insertable, Selectable, Updateable } from 'kysely';
import { parse, present } from './rows.ts';
import type { TaskRow } from './tables.ts';

export const OPEN_STATES = ['NOT_START', 'IN_PROGRESS'] as const;

export function toTask(row: Selectable<TaskRow>): TaskRecord {
  return {
    ...present({
      ticket: parseOptional<NonNullable<TaskRecord['ticket']>>(row.ticket),
      holdId: row.hold_id,
      callbackUrl: row.callback_url,
      traceParent: row.trace_parent,
      submitTime: row.submit_time,
      startTime: row.start_time,
      finishTime: row.finish_time,
      nextCheckAt: row.next_check_at,
      deletedAt: row.deleted_at,
      vendorWebhookAt: row.vendor_webhook_at,
      queuedAt: row.queued_at,
    }),
    // A payload may be JSON's null, which is not the same as no payload.
    ...(row.payload !== null && { payload: parse<NonNullable<TaskRecord['payload']>>(row.payload) }),
    number: row.number,
    id: row.id,
    kind: row.kind,
    mode: row.mode,
    ownerId: row.owner_id,
    keyId: row.key_id,
    group: row.group_name,
    requestId: row.request_id,
    model: row.model,
    accountId: row.account_id,
    accountName: row.account_name,
    vendor: row.vendor,
    upstreamModel: row.upstream_model,
    state: row.state,
    progress: row.progress,
    failReason: row.fail_reason,
    failCode: row.fail_code,
    submitted: row.submitted === 1,
    input: parse(row.input),
    files: parse(row.files),
    quota: row.quota,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deadlineAt: row.deadline_at,
    checks: row.checks,
    missing: row.missing,
    faults: row.faults,
    cancelRequested: row.cancel_requested === 1,
    ...(row.queued_at !== null && { waiting: row.waiting === 1, queueTurn: row.queue_turn }),
  };
}

function parseOptional<T>(text: string | null): T | null {
  return text === null ? null : parse<T>(text);
}

export function newTaskColumns(task: NewTask, holdId: number | undefined, now: number): Insertable<TaskRow> {
  return {
    id: task.id,
    kind: task.kind,
    mode: task.mode,
    owner_id: task.ownerId,
    key_id: task.keyId,
    group_name: task.group,
    request_id: task.requestId,
    model: task.model,
    account_id: task.accountId,
    account_name: task.accountName,
    vendor: task.vendor,
    upstream_model: task.upstreamModel,
    state: 'NOT_START',
    progress: 0,
    fail_reason: '',
    fail_code: '',
    ticket: null,
    submitted: 0,
    input: JSON.stringify(task.input),
    payload: null,
    files: '[]',
    hold_id: holdId ?? null,
    quota: task.quota,
    price_version: task.priceVersion,
    callback_url: task.callbackUrl ?? null,
    trace_parent: task.traceParent ?? null,
    created_at: task.createdAt,
    updated_at: now,
    submit_time: null,
    start_time: null,
    finish_time: null,
    next_check_at: task.nextCheckAt,
    deadline_at: task.deadlineAt,
    checks: 0,
    missing: 0,
    faults: 0,
    cancel_requested: 0,
    deleted_at: null,
    due_at: task.nextCheckAt,
  };
}

/** The columns a patch names; state, progress and the times of the queue are the caller's business. */
export function patchColumns(patch: TaskPatch): Updateable<TaskRow> {
  return {
    ...(patch.payload !== undefined && { payload: JSON.stringify(patch.payload) }),
    ...(patch.files !== undefined && { files: JSON.stringify(patch.files) }),
    ...(patch.failReason !== undefined && { fail_reason: patch.failReason }),
    ...(patch.failCode !== undefined && { fail_code: patch.failCode }),
    ...(patch.startTime !== undefined && { start_time: patch.startTime }),
    ...(patch.finishTime !== undefined && { finish_time: patch.finishTime }),
    ...(patch.checks !== undefined && { checks: patch.checks }),
    ...(patch.missing !== undefined && { missing: patch.missing }),
    ...(patch.faults !== undefined && { faults: patch.faults }),
    ...(patch.accountId !== undefined && { account_id: patch.accountId }),
    ...(patch.accountName !== undefined && { account_name: patch.accountName }),
    ...(patch.vendor !== undefined && { vendor: patch.vendor }),
    ...(patch.upstreamModel !== undefined && { upstream_model: patch.upstreamModel }),
  };
}
