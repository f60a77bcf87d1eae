import { GatewayError } from '@model-gateway/contracts';
import type { IdempotencyAnswer, IdempotencyClaim, IdempotencyOutcome, IdempotencyStore } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './database.ts';
import { parse } from './rows.ts';
import type { IdempotencyRow } from './tables.ts';

/** Every round lost means that somebody else changed the row meanwhile. */
const ROUNDS = 10;

export function idempotencyStore(database: Database): IdempotencyStore {
  return {
    claim: async (claim, staleAfterMs, now) => claimKey(database, claim, staleAfterMs, now),
    read: async (keyId, idempotencyKey, now) => {
      const row = await readRow(database, keyId, idempotencyKey);
      return row === undefined || row.expires_at <= now ? undefined : outcome(row);
    },
    renew: async (keyId, idempotencyKey, now) => {
      await database.db
        .updateTable('idempotency')
        .set({ claimed_at: now })
        .where('key_id', '=', keyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('status', 'is', null)
        .execute();
    },
    answer: async (answer) => saveAnswer(database, answer),
    forget: async (keyId, idempotencyKey, taskId) => {
      await database.db
        .deleteFrom('idempotency')
        .where('key_id', '=', keyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('status', 'is', null)
        .where((row) => row.or([row('task_id', 'is', null), row('task_id', '=', taskId ?? '')]))
        .execute();
    },
    deleteExpired: async (now) => {
      const { numDeletedRows } = await database.db
        .deleteFrom('idempotency')
        .where('expires_at', '<=', now)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function claimKey(
  database: Database,
  claim: IdempotencyClaim,
  staleAfterMs: number,
  now: number,
): Promise<IdempotencyOutcome> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const inserted = await database.db
      .insertInto('idempotency')
      .values(claimColumns(claim, now))
      .onConflict((conflict) => conflict.doNothing())
      .returning('claimed_at')
      .executeTakeFirst();
    if (inserted !== undefined) return { state: 'claimed' };
    const row = await readRow(database, claim.keyId, claim.idempotencyKey);
    if (row === undefined) continue;
    const expired = row.expires_at <= now;
    if (!expired && row.fingerprint !== claim.fingerprint) return { state: 'conflict' };
    const stale = row.status === null && row.task_id === null && row.claimed_at <= now - staleAfterMs;
    if (!expired && !stale) return outcome(row);
    if (await takeOver(database, row, claim, now)) return { state: 'claimed' };
  }
  throw new GatewayError('conflict', 'Many requests with this Idempotency-Key are arriving at once: try again.', {
    param: 'Idempotency-Key',
    retryAfterSeconds: 1,
  });
}

/** Only if the row is still the one that was read: of many who want it, one gets it. */
async function takeOver(
  database: Database,
  row: Selectable<IdempotencyRow>,
  claim: IdempotencyClaim,
  now: number,
): Promise<boolean> {
  let update = database.db
    .updateTable('idempotency')
    .set(claimColumns(claim, now))
    .where('key_id', '=', row.key_id)
    .where('idempotency_key', '=', row.idempotency_key)
    .where('claimed_at', '=', row.claimed_at)
    .where('expires_at', '=', row.expires_at);
  if (row.expires_at > now) update = update.where('status', 'is', null).where('task_id', 'is', null);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ties the key to a task; throws `conflict` when it has another task, an answer, or another body. */
export async function attachTask(
  tx: Database,
  claim: IdempotencyClaim & { readonly taskId: string },
  now: number,
): Promise<void> {
  const row = await tx.db
    .insertInto('idempotency')
    .values(claimColumns(claim, now))
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'idempotency_key'])
        .doUpdateSet({
          fingerprint: claim.fingerprint,
          task_id: claim.taskId,
          claimed_at: now,
          expires_at: claim.expiresAt,
          status: null,
          headers: null,
          body: null,
        })
        .where((row) =>
          row.or([
            row('idempotency.expires_at', '<=', now),
            row.and([
              row('idempotency.task_id', 'is', null),
              row('idempotency.status', 'is', null),
              row('idempotency.fingerprint', '=', claim.fingerprint),
            ]),
          ]),
        ),
    )
    .returning('task_id')
    .executeTakeFirst();
  if (row !== undefined) return;
  throw new GatewayError('conflict', 'This Idempotency-Key is in use by another request.', {
    param: 'Idempotency-Key',
  });
}

/** The first answer stays: what is replayed is always the same. */
export async function saveAnswer(database: Database, answer: IdempotencyAnswer): Promise<void> {
  await database.db
    .updateTable('idempotency')
    .set({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body })
    .where('key_id', '=', answer.keyId)
    .where('idempotency_key', '=', answer.idempotencyKey)
    .where('status', 'is', null)
    .execute();
}

async function readRow(
  database: Database,
  keyId: number,
  idempotencyKey: string,
): Promise<Selectable<IdempotencyRow> | undefined> {
  return database.db
    .selectFrom('idempotency')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
}

function claimColumns(claim: IdempotencyClaim, now: number): Insertable<IdempotencyRow> {
  return {
    key_id: claim.keyId,
    idempotency_key: claim.idempotencyKey,
    fingerprint: claim.fingerprint,
    task_id: claim.taskId ?? null,
    claimed_at: now,
    expires_at: claim.expiresAt,
    status: null,
    headers: null,
    body: null,
  };
}

function outcome(row: Selectable<IdempotencyRow>): IdempotencyOutcome {
  if (row.status === null || row.headers === null || row.body === null) {
    return { state: 'running', claimedAt: row.claimed_at, ...(row.task_id !== null && { taskId: row.task_id }) };
  }
  const { key_id: keyId, idempotency_key: idempotencyKey, status } = row;
  const body = new Uint8Array(row.body.buffer, row.body.byteOffset, row.body.byteLength);
  return { state: 'answered', answer: { keyId, idempotencyKey, status, headers: parse(row.headers), body } };
}
