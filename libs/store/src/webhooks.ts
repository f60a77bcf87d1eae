import type { WebhookDelivery, WebhookStore } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, forUpdateSkipLocked, transaction } from './database.ts';
import { present } from './rows.ts';
import type { DeliveryRow } from './tables.ts';

export function webhookStore(database: Database): WebhookStore {
  return {
    claimDue: async (now, leaseUntil, limit) =>
      transaction(database, (tx) => claimDeliveries(tx, now, leaseUntil, limit)),
    saveAttempt: async (id, attempt) => {
      const next = attempt.nextAttemptAt ?? null;
      await database.db
        .updateTable('webhook_deliveries')
        .set({
          attempts: sql<number>`attempts + 1`,
          next_attempt_at: next,
          due_at: next,
          delivered_at: attempt.deliveredAt ?? null,
          last_status: attempt.lastStatus ?? null,
          last_error: attempt.lastError ?? null,
        })
        .where('id', '=', id)
        .execute();
    },
    list: async (filter) => listDeliveries(database, filter),
    replay: async (id, now) => {
      const row = await database.db
        .updateTable('webhook_deliveries')
        .set({ attempts: 0, delivered_at: null, next_attempt_at: now, due_at: now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toDelivery(row);
    },
  };
}

/** Due at once, in the transaction that ends the task: both are there, or neither. */
export async function addDelivery(
  tx: Database,
  delivery: Pick<WebhookDelivery, 'id' | 'taskId' | 'keyId' | 'url' | 'body' | 'createdAt'>,
): Promise<void> {
  await tx.db
    .insertInto('webhook_deliveries')
    .values({
      id: delivery.id,
      task_id: delivery.taskId,
      key_id: delivery.keyId,
      url: delivery.url,
      body: delivery.body,
      attempts: 0,
      next_attempt_at: delivery.createdAt,
      delivered_at: null,
      last_status: null,
      last_error: null,
      created_at: delivery.createdAt,
      due_at: delivery.createdAt,
    })
    .execute();
}

async function claimDeliveries(
  tx: Database,
  now: number,
  leaseUntil: number,
  limit: number,
): Promise<readonly WebhookDelivery[]> {
  const due = tx.db
    .selectFrom('webhook_deliveries')
    .select('number')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  // Two statements: PostgreSQL may run a subquery with a limit and a lock more than once.
  const numbers = (await forUpdateSkipLocked(tx, due).execute()).map((row) => row.number);
  if (numbers.length === 0) return [];
  const rows = await tx.db
    .updateTable('webhook_deliveries')
    .set({ due_at: leaseUntil })
    .where('number', 'in', numbers)
    .returningAll()
    .execute();
  return rows
    .sort((a, b) => (a.next_attempt_at ?? 0) - (b.next_attempt_at ?? 0) || a.number - b.number)
    .map(toDelivery);
}

/** Newest first; `after` is the last id of the page before. */
async function listDeliveries(
  database: Database,
  filter: Parameters<WebhookStore['list']>[0],
): Promise<readonly WebhookDelivery[]> {
  let query = database.db.selectFrom('webhook_deliveries').selectAll().orderBy('number', 'desc').limit(filter.limit);
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId);
  if (filter.pending !== undefined) query = query.where('due_at', filter.pending ? 'is not' : 'is', null);
  if (filter.after !== undefined) {
    query = query.where('number', '<', (row) =>
      row
        .selectFrom('webhook_deliveries as last')
        .select('last.number')
        .where('last.id', '=', filter.after ?? ''),
    );
  }
  return (await query.execute()).map(toDelivery);
}

function toDelivery(row: Selectable<DeliveryRow>): WebhookDelivery {
  return {
    ...present({
      nextAttemptAt: row.next_attempt_at,
      deliveredAt: row.delivered_at,
      lastStatus: row.last_status,
      lastError: row.last_error,
    }),
    id: row.id,
    taskId: row.task_id,
    keyId: row.key_id,
    url: row.url,
    body: row.body,
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}
