import type { AuditEntry, AuditStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import { parse, present } from './rows.ts';
import type { AuditRow } from './tables.ts';

export function auditStore(database: Database): AuditStore {
  return {
    add: async ({ at, actor, action, subject, before, after, requestId }) => {
      await database.db
        .insertInto('audit_log')
        .values({
          at,
          actor,
          action,
          subject,
          before: before === undefined ? null : JSON.stringify(before),
          after: after === undefined ? null : JSON.stringify(after),
          request_id: requestId ?? null,
        })
        .execute();
    },
    list: async ({ actor, action, subject, after, limit }) => {
      let query = database.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit);
      if (actor !== undefined) query = query.where('actor', '=', actor);
      if (action !== undefined) query = query.where('action', '=', action);
      if (subject !== undefined) query = query.where('subject', '=', subject);
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.execute()).map(toEntry);
    },
  };
}

function toEntry(row: Selectable<AuditRow>): AuditEntry {
  const { id, at, actor, action, subject, before, after, request_id: requestId } = row;
  return {
    ...present({ requestId }),
    ...(before !== null && { before: parse<NonNullable<AuditEntry['before']>>(before) }),
    ...(after !== null && { after: parse<NonNullable<AuditEntry['after']>>(after) }),
    id,
    at,
    actor,
    action,
    subject,
  };
}
