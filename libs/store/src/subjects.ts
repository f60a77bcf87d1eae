import type { SubjectRecord, SubjectStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { SubjectRow } from './tables.ts';

export function subjectStore(database: Database): SubjectStore {
  return {
    remember: async (subjects) => {
      if (subjects.length === 0) return;
      await database.db
        .insertInto('subjects')
        .values(
          subjects.map((subject) => ({
            id: subject.id,
            owner_id: subject.ownerId,
            mode: subject.mode,
            account_id: subject.accountId,
            task_id: subject.taskId,
            created_at: subject.createdAt,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    find: async ({ ownerId, mode }, ids) => {
      if (ids.length === 0) return { own: [], foreign: [] };
      const rows = await database.db.selectFrom('subjects').selectAll().where('id', 'in', ids).execute();
      const own = rows.filter((row) => row.owner_id === ownerId && row.mode === mode).map(toSubject);
      const ownIds = new Set(own.map(({ id }) => id));
      return { own, foreign: [...new Set(rows.map(({ id }) => id))].filter((id) => !ownIds.has(id)) };
    },
  };
}

function toSubject(row: Selectable<SubjectRow>): SubjectRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    mode: row.mode,
    accountId: row.account_id,
    taskId: row.task_id,
    createdAt: row.created_at,
  };
}
