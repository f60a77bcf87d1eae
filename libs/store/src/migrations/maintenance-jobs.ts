/** Maintenance jobs. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

export const maintenanceJobs = ({ id }: Words): Migration =>
  statements(
    `create table maintenance_jobs (
      id ${id},
      kind text not null,
      state text not null,
      parameters text not null,
      actor text not null,
      done bigint not null,
      total bigint,
      open_as text,
      slot bigint,
      process text,
      alive_until bigint,
      cancel_requested_at bigint,
      created_at bigint not null,
      started_at bigint,
      ended_at bigint,
      expires_at bigint,
      error text,
      result text,
      file text,
      file_expires_at bigint
    )`,
    // Kind and parameters of a job that waits or runs: there is one such at a time.
    `create unique index maintenance_jobs_open on maintenance_jobs (open_as) where open_as is not null`,
    // A job that runs has a slot: so no more run than there are slots, whoever begins them.
    `create unique index maintenance_jobs_slots on maintenance_jobs (slot) where slot is not null`,
    `create index maintenance_jobs_by_end on maintenance_jobs (expires_at) where expires_at is not null`,
    `create index maintenance_jobs_files on maintenance_jobs (file_expires_at) where file_expires_at is not null`,
  );
