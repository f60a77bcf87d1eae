import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** A stream that begins counts those that run, and now and then adds up what its tenant keeps: neither reads what has ended row by row. */
export const streamLogIndexes = (): Migration =>
  statements(
    `create index stream_logs_open on stream_logs (owner_id, mode, alive_until) where state = 'open'`,
    `drop index stream_logs_tenant`,
    `create index stream_logs_tenant on stream_logs (owner_id, mode, created_at, size)`,
  );
