import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { EntryFilter, LedgerEntry } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './database.ts';
import { parse, present } from './rows.ts';
import type { EntryRow } from './tables.ts';

type NewEntry = Pick<EntryRow, 'owner_id' | 'kind' | 'amount' | 'created_at'> &
  Partial<Omit<EntryRow, 'id' | 'detail'>> & { readonly detail: JsonObject };

/** Fills a row of the ledger; endpoint and tokens are read from the detail (`endpoint`, `usage`), so that usage can be summed. */
export function entryColumns({ detail, ...given }: NewEntry): Insertable<EntryRow> {
  const usage = isJsonObject(detail['usage']) ? detail['usage'] : {};
  return {
    key_id: null,
    charged: 0,
    shortfall: 0,
    hold_id: null,
    closes: 0,
    capped: 0,
    scopes: null,
    request_id: null,
    task_id: null,
    model: null,
    endpoint: typeof detail['endpoint'] === 'string' ? detail['endpoint'] : null,
    account_id: null,
    price_version: null,
    input_tokens: tokenCount(usage['inputTokens']),
    output_tokens: tokenCount(usage['outputTokens']),
    detail: JSON.stringify(detail),
    idempotency_key: null,
    ...given,
  };
}

/** Tokens as they are summed: what is no whole number counts as none. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

export async function readEntries(database: Database, filter: EntryFilter): Promise<readonly LedgerEntry[]> {
  const newest = filter.order === 'newest';
  let query = database.db
    .selectFrom('ledger_entries')
    .selectAll()
    .orderBy('id', newest ? 'desc' : 'asc')
    .limit(filter.limit);
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', filter.ownerId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.from !== undefined) query = query.where('created_at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('created_at', '<', filter.to);
  if (filter.upTo !== undefined) query = query.where('id', '<=', filter.upTo);
  if (filter.after !== undefined) query = query.where('id', newest ? '<' : '>', filter.after);
  return (await query.execute()).map(toEntry);
}

export function toEntry(row: Selectable<EntryRow>): LedgerEntry {
  return {
    ...present({
      keyId: row.key_id,
      holdId: row.hold_id,
      requestId: row.request_id,
      taskId: row.task_id,
      model: row.model,
      accountId: row.account_id,
      priceVersion: row.price_version,
    }),
    id: row.id,
    ownerId: row.owner_id,
    kind: row.kind,
    amount: row.amount,
    charged: row.charged,
    shortfall: row.shortfall,
    detail: parse(row.detail),
    createdAt: row.created_at,
  };
}
