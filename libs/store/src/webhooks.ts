import type { Tenant, WebhookClaim, WebhookDelivery, WebhookStore } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, forUpdateSkipLocked } from './database.ts';
import { present } from './rows.ts';
import type { DeliveryRow } from './tables.ts';

export function webhookStore(database: Database): WebhookStore {
  return {
    claimDue: async (claim) => claimFairly(database, claim),
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
    get: async (id) => {
      const row = await database.db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : toDelivery(row);
    },
    makeDue: async (dueAfter, now) => {
      await database.db
        .updateTable('webhook_deliveries')
        .set({ due_at: now, next_attempt_at: now })
        .where('due_at', '>', dueAfter)
        .execute();
    },
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
  delivery: Pick<WebhookDelivery, 'id' | 'taskId' | 'tenant' | 'keyId' | 'url' | 'body' | 'createdAt'>,
): Promise<void> {
  await tx.db
    .insertInto('webhook_deliveries')
    .values({
      id: delivery.id,
      task_id: delivery.taskId,
      tenant: delivery.tenant,
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

/** `7 live` */
export function tenantWord({ ownerId, mode }: Tenant): string {
  return `${ownerId} ${mode}`;
}

/** How often to look again when another replica was quicker with some of the rows. */
const ROUNDS = 3;

async function claimFairly(database: Database, claim: WebhookClaim): Promise<readonly WebhookDelivery[]> {
  const busy = new Map(claim.busy);
  const claimed: WebhookDelivery[] = [];
  for (let round = 0; round < ROUNDS && claimed.length < claim.limit; round += 1) {
    const free = claim.limit - claimed.length;
    const numbers = inTurns(await findDue(database, claim, busy, free), busy, free, claim.reserved);
    if (numbers.length === 0) break;
    const rows = await claimRows(database, claim, numbers);
    for (const { tenant } of rows) busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
    claimed.push(...rows);
    if (rows.length === numbers.length) break;
  }
  return claimed;
}

interface Due {
  readonly number: number;
  readonly tenant: string;
}

/** The head of each tenant's queue: first of those with nothing under way, in the order of how long they have waited. */
async function findDue(
  database: Database,
  claim: WebhookClaim,
  busy: ReadonlyMap<string, number>,
  limit: number,
): Promise<readonly (readonly Due[])[]> {
  const queues: Due[][] = [];
  const waiting = await tenantsWithDue(database, claim.now, [...busy.keys()], limit);
  const withRoom = [...busy].filter(([, count]) => count < claim.perTenant).map(([tenant]) => tenant);
  for (const tenant of [...waiting, ...withRoom]) {
    const rows = await database.db
      .selectFrom('webhook_deliveries')
      .select(['number', 'tenant'])
      .where('tenant', '=', tenant)
      .where('due_at', '<=', claim.now)
      .orderBy('due_at')
      .orderBy('next_attempt_at')
      .orderBy('number')
      .limit(Math.min(limit, claim.perTenant - (busy.get(tenant) ?? 0)))
      .execute();
    queues.push(rows);
  }
  return queues;
}

/** Steps from one tenant to the next in the index of open deliveries: as many look-ups as tenants, however many deliveries. */
async function tenantsWithDue(
  database: Database,
  now: number,
  except: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const others = except.length === 0 ? sql`` : sql`and tenant not in (${sql.join(except)})`;
  const { rows } = await sql<{ tenant: string }>`
    with recursive tenants (tenant) as (
      select min(tenant) from webhook_deliveries where due_at is not null
      union all
      select (select min(next.tenant) from webhook_deliveries as next where next.due_at is not null and next.tenant > tenants.tenant)
      from tenants where tenants.tenant is not null
    ), heads (tenant, head) as (
      select tenant, (select min(due_at) from webhook_deliveries as first
        where first.due_at is not null and first.tenant = tenants.tenant)
      from tenants where tenant is not null ${others}
    )
    select tenant from heads where head <= cast(${now} as bigint) order by head, tenant limit ${limit}`.execute(
    database.db,
  );
  return rows.map(({ tenant }) => tenant);
}

/** One of each tenant before the second of any; the reserved places go to tenants with nothing under way. */
function inTurns(
  queues: readonly (readonly Due[])[],
  busy: ReadonlyMap<string, number>,
  limit: number,
  reserved: number,
): readonly number[] {
  const byTurn = queues.flatMap((queue) =>
    queue.map(({ number, tenant }, index) => ({ number, turn: (busy.get(tenant) ?? 0) + index })),
  );
  // Stable: within a turn the tenants stay in the order of their waiting.
  byTurn.sort((a, b) => a.turn - b.turn);
  const taken: number[] = [];
  for (const { number, turn } of byTurn) if (taken.length < (turn === 0 ? limit : limit - reserved)) taken.push(number);
  return taken;
}

async function claimRows(
  database: Database,
  claim: WebhookClaim,
  numbers: readonly number[],
): Promise<readonly WebhookDelivery[]> {
  const free = database.db
    .selectFrom('webhook_deliveries')
    .select('number')
    .where('number', 'in', numbers)
    .where('due_at', '<=', claim.now);
  const rows = await database.db
    .updateTable('webhook_deliveries')
    .set({ due_at: claim.leaseUntil })
    .where('number', 'in', forUpdateSkipLocked(database, free))
    .returningAll()
    .execute();
  return rows.sort((a, b) => numbers.indexOf(a.number) - numbers.indexOf(b.number)).map(toDelivery);
}

/** Newest first; `after` is the last id of the page before. */
async function listDeliveries(
  database: Database,
  filter: Parameters<WebhookStore['list']>[0],
): Promise<readonly WebhookDelivery[]> {
  let query = database.db.selectFrom('webhook_deliveries').selectAll().orderBy('number', 'desc').limit(filter.limit);
  if (filter.tenant !== undefined) query = query.where('tenant', '=', tenantWord(filter.tenant));
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
    tenant: row.tenant,
    keyId: row.key_id,
    url: row.url,
    body: row.body,
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}
