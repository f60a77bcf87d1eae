import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** One index finds the entries of a request and keeps it from being charged twice: every charge pays for each index. */
export const entriesByRequest = (): Migration =>
  statements(
    `create unique index ledger_request_once on ledger_entries (request_id, (case when kind = 'capture' and closes = 0 then 0 else id end)) where request_id is not null`,
    `drop index ledger_charged_once`,
    `drop index ledger_by_request`,
  );
