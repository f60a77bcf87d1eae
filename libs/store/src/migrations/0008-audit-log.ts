import type { Migration } from 'kysely/migration';
import type { Words } from './words.ts';
import { statements } from './statements.ts';

export const auditLog = ({ id }: Words): Migration =>
  statements(
    `create table audit_log (
      id ${id},
      at bigint not null,
      actor text not null,
      action text not null,
      subject text not null,
      before text,
      after text,
      request_id text
    )`,
    `create index audit_log_by_subject on audit_log (subject, id)`,
  );
