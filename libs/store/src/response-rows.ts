/** A kept response as the row it lies in, and back. */
import type { ResponseRecord, Tenant } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './database.ts';
import { present } from './rows.ts';
import type { ResponseRow } from './tables.ts';

/** Databases take so many parameters at least. */
export const IDS_AT_ONCE = 500;

export function ofTenant(tx: Database, { ownerId, mode }: Tenant, id: string) {
  return tx.db
    .selectFrom('responses')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode);
}

export function columnsOf(response: ResponseRecord): Insertable<ResponseRow> {
  return {
    id: response.id,
    kind: response.kind,
    owner_id: response.ownerId,
    mode: response.mode,
    key_id: response.keyId,
    model: response.model,
    status: response.status,
    background: Number(response.background),
    previous_id: response.previousId ?? null,
    conversation_id: response.conversationId ?? null,
    request_id: response.requestId,
    created_at: response.createdAt,
    expires_at: response.expiresAt,
    size: response.asked.length + response.reply.length,
    asked: response.asked,
    reply: response.reply,
    hold_id: response.holdId ?? null,
    submitted: Number(response.submitted),
    cancel_requested: Number(response.cancelRequested),
    claimed_by: null,
    due_at: null,
  };
}

export function toResponse(row: Selectable<ResponseRow>): ResponseRecord {
  return {
    ...present({ previousId: row.previous_id, conversationId: row.conversation_id, holdId: row.hold_id }),
    id: row.id,
    kind: row.kind,
    ownerId: row.owner_id,
    mode: row.mode,
    keyId: row.key_id,
    model: row.model,
    status: row.status,
    background: row.background === 1,
    requestId: row.request_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    asked: row.asked,
    reply: row.reply,
    submitted: row.submitted === 1,
    cancelRequested: row.cancel_requested === 1,
    isOpen: row.due_at !== null,
  };
}
