import type { TaskStore } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { OPEN_STATES } from './task-rows.ts';

type Noted = Awaited<ReturnType<TaskStore['noteVendorWebhook']>>;

/** One statement, so that of two processes with the same webhook one takes it. */
export async function noteVendorWebhook(
  database: Database,
  id: string,
  { at, restMs }: Parameters<TaskStore['noteVendorWebhook']>[1],
  now: number,
): Promise<Noted> {
  const rested = sql`updated_at + cast(${restMs} as bigint)`;
  const due = sql`case when ${rested} > cast(${now} as bigint) then ${rested} else cast(${now} as bigint) end`;
  const isSooner = sql`ticket is not null and next_check_at > ${due}`;
  const row = await database.db
    .updateTable('tasks')
    .set({
      vendor_webhook_at: at,
      // A lease shows as a due_at that is not next_check_at: it is left alone.
      due_at: sql<number>`case when ${isSooner} and due_at = next_check_at then ${due} else due_at end`,
      next_check_at: sql<number>`case when ${isSooner} then ${due} else next_check_at end`,
    })
    .where('id', '=', id)
    .where((row) => row.or([row('vendor_webhook_at', 'is', null), row('vendor_webhook_at', '<', at)]))
    .returning(['state', 'next_check_at'])
    .executeTakeFirst();
  if (row === undefined) return 'repeated';
  return OPEN_STATES.some((open) => open === row.state) ? (row.next_check_at ?? now) : 'ended';
}
