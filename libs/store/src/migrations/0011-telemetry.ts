import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const telemetry = (): Migration =>
  statements(
    `alter table tasks add column trace_parent text`,
    // Hours of usage that were written to a bucket; `row_count` and `last_entry` say whether the file is still the whole hour.
    `create table usage_exports (
      hour bigint not null primary key,
      row_count bigint not null,
      last_entry bigint not null,
      claimed_by text,
      claimed_until bigint,
      exported_at bigint
    )`,
  );
