import type { BatchRecord } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import { parse, present } from './rows.ts';
import type { BatchRow } from './tables.ts';

/** How a batch ends whose lines have all ended. */
export function endOf(row: Pick<BatchRow, 'cancelled_at' | 'expired'>): BatchRecord['status'] {
  if (row.cancelled_at !== null) return 'cancelled';
  return row.expired > 0 ? 'expired' : 'completed';
}

export function columnsOf(batch: BatchRecord): Insertable<BatchRow> {
  return {
    id: batch.id,
    format: batch.format,
    owner_id: batch.ownerId,
    mode: batch.mode,
    key_id: batch.keyId,
    endpoint: batch.endpoint,
    status: batch.status,
    detail: JSON.stringify(batch.detail),
    ...{ waiting: 0, succeeded: 0, errored: 0, cancelled: 0, expired: 0 },
    ...{ input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0 },
    size: 0,
    created_at: batch.createdAt,
    expires_at: batch.expiresAt,
    input_file_id: batch.inputFileId ?? null,
    removed: 0,
    due_at: batch.status === 'validating' ? batch.createdAt : null,
  };
}

export function toBatch(row: Selectable<BatchRow>): BatchRecord {
  return {
    ...present({
      startedAt: row.started_at,
      finalizingAt: row.finalizing_at,
      endedAt: row.ended_at,
      cancelledAt: row.cancelled_at,
      inputFileId: row.input_file_id,
      outputFileId: row.output_file_id,
      errorFileId: row.error_file_id,
    }),
    ...(row.faults !== null && { faults: parse<NonNullable<BatchRecord['faults']>>(row.faults) }),
    id: row.id,
    format: row.format,
    ownerId: row.owner_id,
    mode: row.mode,
    keyId: row.key_id,
    endpoint: row.endpoint,
    status: row.status,
    detail: parse(row.detail),
    counts: {
      waiting: row.waiting,
      succeeded: row.succeeded,
      errored: row.errored,
      cancelled: row.cancelled,
      expired: row.expired,
    },
    usage: {
      inputTokens: row.input_tokens,
      cachedInputTokens: row.cached_tokens,
      outputTokens: row.output_tokens,
      reasoningTokens: row.reasoning_tokens,
    },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    size: row.size,
  };
}
