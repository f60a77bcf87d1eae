/** /admin/tasks: the tasks of every owner. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { TaskKind, TaskRecord, TaskState } from '@model-gateway/core';
import { present } from '../../present.ts';
import {
  auditedBy,
  numberIn,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
  type Asked,
} from '../admin-operation.ts';
import { timeOf, timeOrNull } from '../values.ts';

type Schemas = components['schemas'];

/** Operations on tasks. */
export function taskOperations(parts: AdminParts): AdminOperations {
  const { store, cancelTask } = parts;
  const taskNamed = async ({ params }: Asked): Promise<TaskRecord> => {
    const id = String(params['task_id']);
    const task = await store.tasks.get(id);
    if (task !== undefined) return task;
    throw new GatewayError('not_found', `there is no task '${id.slice(0, 80)}'`, { param: 'task_id' });
  };
  return {
    listAllTasks: async (call) => {
      const { filter, view } = pageOf(call, String);
      const wanted = present({
        ownerId: numberIn(call, 'owner_id'),
        kind: textIn(call, 'kind') as TaskKind | undefined,
        state: textIn(call, 'status') as TaskState | undefined,
        model: textIn(call, 'model'),
      });
      return view(await store.tasks.list({ ...filter, order: 'newest', ...wanted }), taskView);
    },
    getAnyTask: async (call) => taskView(await taskNamed(call)),
    cancelAnyTask: async (call) => {
      const old = await taskNamed(call);
      const after = taskView(await cancelTask(old));
      const subject = `task ${after.id}`;
      await auditedBy(parts, call).record({ action: 'task.cancel', subject, before: taskView(old), after });
      return after;
    },
  };
}

function taskView(task: TaskRecord): Schemas['AdminTask'] {
  return {
    object: 'task',
    id: task.id,
    number: task.number,
    kind: task.kind,
    mode: task.mode,
    owner_id: task.ownerId,
    key_id: task.keyId,
    group: task.group,
    request_id: task.requestId,
    model: task.model,
    account_id: task.accountId,
    account: task.accountName,
    vendor: task.vendor,
    upstream_model: task.upstreamModel,
    status: task.state,
    progress: task.progress,
    fail_reason: task.failReason,
    fail_code: task.failCode,
    quota: task.quota,
    submitted: task.submitted,
    has_ticket: task.ticket !== undefined,
    cancel_requested: task.cancelRequested,
    checks: task.checks,
    missing: task.missing,
    faults: task.faults,
    created_at: timeOf(task.createdAt),
    updated_at: timeOf(task.updatedAt),
    start_time: timeOrNull(task.startTime),
    finish_time: timeOrNull(task.finishTime),
    next_check_at: timeOrNull(task.nextCheckAt),
    deadline_at: timeOf(task.deadlineAt),
  };
}
