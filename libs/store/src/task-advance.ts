import { GatewayError } from '@model-gateway/contracts';
import type { Settlement, TaskPatch, TaskState } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, forUpdate } from './database.ts';
import { captureHold, chargeDirectly, releaseHold } from './holds.ts';
import { leaveQueue } from './job-queue.ts';
import { addEvent } from './task-events.ts';
import { patchColumns } from './task-rows.ts';
import type { TaskRow } from './tables.ts';
import { addDelivery, tenantWord } from './webhooks.ts';

export interface Advance {
  readonly id: string;
  readonly from: readonly TaskState[];
  readonly patch: TaskPatch;
  readonly settlement: Settlement;
  readonly now: number;
}

/** One state change with its money, event and webhook, in the caller's transaction. The row's lock makes the comparison and the change one step. */
export async function advanceTask(tx: Database, { id, from, patch, settlement, now }: Advance): Promise<boolean> {
  const query = tx.db.selectFrom('tasks').selectAll().where('id', '=', id);
  const task = await forUpdate(tx, query).executeTakeFirst();
  if (task === undefined || !from.includes(task.state) || hasEnded(task.state)) return false;
  if (patch.ifTurn !== undefined && patch.ifTurn !== task.queue_turn) return false;
  const state = patch.state ?? task.state;
  const ended = hasEnded(state);
  const progress = Math.max(task.progress, patch.progress ?? 0);
  if (ended && settlement.type === 'none' && task.hold_id !== null) {
    throw new GatewayError('internal', `Task ${id} cannot end while its hold is neither captured nor released.`);
  }
  const charged = await settle(tx, task, settlement, now);
  const nextCheckAt = ended ? null : nextCheckOf(task, patch);
  await tx.db
    .updateTable('tasks')
    .set({
      ...(ended && { finish_time: now }),
      ...patchColumns(patch),
      state,
      progress,
      next_check_at: nextCheckAt,
      due_at: nextCheckAt,
      updated_at: now,
      ...(charged !== undefined && { quota: charged }),
      ...(state === 'FAILURE' && charged === undefined && { quota: 0 }),
    })
    .where('number', '=', task.number)
    .execute();
  if (ended && task.queued_at !== null) await leaveQueue(tx, id);
  if (ended && patch.webhook !== undefined && task.callback_url !== null) {
    const tenant = tenantWord({ ownerId: task.owner_id, mode: task.mode });
    const { key_id: keyId, callback_url: url } = task;
    await addDelivery(tx, { ...patch.webhook, taskId: id, tenant, keyId, url, createdAt: now });
  }
  if (state !== task.state || progress !== task.progress) {
    await addEvent(tx, { task_id: id, state, progress, at: now });
  }
  return true;
}

export function hasEnded(state: TaskState): boolean {
  return state === 'SUCCESS' || state === 'FAILURE';
}

function nextCheckOf(task: Selectable<TaskRow>, { nextCheckAt, ifTold }: TaskPatch): number | null {
  const planned = nextCheckAt ?? task.next_check_at;
  if (ifTold === undefined || planned === null) return planned;
  // By what was known, not by the time: the vendor's clock is another one.
  const wasTold = task.vendor_webhook_at !== (ifTold.since ?? null);
  return wasTold ? Math.min(planned, ifTold.nextCheckAt) : planned;
}

/** What the task costs now; undefined when its money does not change. */
async function settle(
  tx: Database,
  task: Selectable<TaskRow>,
  settlement: Settlement,
  now: number,
): Promise<number | undefined> {
  switch (settlement.type) {
    case 'none':
      return undefined;
    case 'release':
      if (task.hold_id !== null) await releaseHold(tx, task.hold_id, settlement.detail, now);
      return 0;
    case 'capture': {
      const capture = {
        charged: settlement.charged,
        accountId: settlement.accountId ?? task.account_id,
        priceVersion: settlement.priceVersion,
        detail: settlement.detail,
      };
      if (task.hold_id !== null) return captureHold(tx, task.hold_id, capture, now);
      const payer = { ownerId: task.owner_id, keyId: task.key_id, limits: {} };
      const charge = { ...capture, requestId: task.request_id, taskId: task.id, model: task.model };
      return chargeDirectly(tx, payer, charge, now);
    }
  }
}
