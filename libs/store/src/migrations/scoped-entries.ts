/** Entries that count in caps of several, by their time. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

// Verification of windows begins at the time of the oldest; an id says nothing about it where a clock was wrong.
export const scopedEntriesByTime = (): Migration =>
  statements(
    `drop index ledger_scoped`,
    `create index ledger_scoped on ledger_entries (created_at, id) where scopes is not null`,
  );
