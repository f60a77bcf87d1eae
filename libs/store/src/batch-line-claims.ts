/** Which lines of which batches a worker takes next, and how it keeps them. */
import type { BatchRecord, BatchStore, ClaimedLine, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { answerOf, type LineName, Stage, withinBytes } from './batch-line-rows.ts';
import { toBatch } from './batch-rows.ts';
import { type Database, forUpdateSkipLocked, journalTransaction } from './database.ts';

/** Batches that one look for lines reads. */
const BATCHES_AT_ONCE = 500;

export function lineClaims(database: Database): Pick<BatchStore, 'claimLines' | 'renewLines'> {
  return {
    claimLines: async (claim) => claimLines(database, claim),
    renewLines: async (lines, by, until) => renewLines(database, lines, by, until),
  };
}

async function claimLines(
  database: Database,
  claim: Parameters<BatchStore['claimLines']>[0],
): Promise<readonly (ClaimedLine & { readonly batch: BatchRecord })[]> {
  const rows = await database.db
    .selectFrom('batches')
    .selectAll()
    .where('status', '=', 'in_progress')
    .orderBy('created_at')
    .limit(BATCHES_AT_ONCE)
    .execute();
  const nameOf = ({ ownerId, mode }: Tenant): string => `${ownerId} ${mode}`;
  const runs = new Map<string, number>();
  for (const tenant of claim.running) runs.set(nameOf(tenant), (runs.get(nameOf(tenant)) ?? 0) + 1);
  const tenants = [...Map.groupBy(rows.map(toBatch), nameOf)].toSorted(
    ([a], [b]) => (runs.get(a) ?? 0) - (runs.get(b) ?? 0),
  );
  const taken: (ClaimedLine & { readonly batch: BatchRecord })[] = [];
  let { bytes } = claim;
  // An equal share for each tenant, then what others have left over.
  for (const isShared of [true, false]) {
    for (const [index, [name, batches]] of tenants.entries()) {
      const free = claim.limit - taken.length;
      const share = isShared ? Math.ceil(free / (tenants.length - index)) : free;
      let room = Math.min(share, claim.perTenant - (runs.get(name) ?? 0));
      for (const batch of batches) {
        if (room <= 0 || bytes <= 0) break;
        const lines = await claimOf(database, batch, { ...claim, limit: room, bytes });
        for (const { bytes: size, ...line } of lines) {
          taken.push({ ...line, batch });
          bytes -= size;
        }
        room -= lines.length;
        runs.set(name, (runs.get(name) ?? 0) + lines.length);
      }
    }
    if (tenants.length < 2) break;
  }
  return taken;
}

async function claimOf(
  database: Database,
  batch: BatchRecord,
  { by, now, until, limit, bytes, exceptModels }: Parameters<BatchStore['claimLines']>[0],
): Promise<readonly (ClaimedLine & { readonly bytes: number })[]> {
  return journalTransaction(database, async (tx) => {
    let due = tx.db
      .selectFrom('batch_lines')
      .select(['number', 'bytes as size'])
      .where('batch_id', '=', batch.id)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('number')
      .limit(limit);
    // What a dead process has submitted is ended even where nothing begins any more. Written out: an index has these rows alone.
    if (batch.cancelledAt !== undefined || batch.expiresAt <= now) due = due.where('submitted', '=', sql.lit(1));
    if (exceptModels.length > 0) due = due.where('model', 'not in', exceptModels);
    const found = withinBytes(await forUpdateSkipLocked(tx, due).execute(), bytes);
    if (found.length === 0) return [];
    const rows = await tx.db
      .updateTable('batch_lines')
      .set({ due_at: until, claimed_by: by })
      .where('batch_id', '=', batch.id)
      .where(
        'number',
        'in',
        found.map(({ number }) => number),
      ) // prettier-ignore
      .returningAll()
      .execute();
    return rows.map((row) => ({
      ...{ batchId: row.batch_id, number: row.number, customId: row.custom_id, model: row.model },
      ...{ body: row.body, bytes: row.bytes, submitted: row.submitted === 1, attempts: row.attempts },
      ...{ isAlone: row.stage === Stage.alone, ...(row.stage === Stage.answered && { answer: answerOf(row) }) },
    }));
  });
}

async function renewLines(
  { db }: Database,
  lines: readonly LineName[],
  by: string,
  until: number,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const [batchId, ofBatch] of Map.groupBy(lines, ({ batchId }) => batchId)) {
    const rows = await db
      .updateTable('batch_lines')
      .set({ due_at: until })
      .where('batch_id', '=', batchId)
      .where(
        'number',
        'in',
        ofBatch.map(({ number }) => number),
      ) // prettier-ignore
      .where('claimed_by', '=', by)
      .where('due_at', 'is not', null)
      .returning('number')
      .execute();
    for (const { number } of rows) held.add(`${batchId} ${number}`);
  }
  return held;
}
