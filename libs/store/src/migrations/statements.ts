import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A migration that is a list of SQL statements in the subset both databases read. */
export function statements(...texts: readonly string[]): Migration {
  return {
    async up(db) {
      for (const text of texts) await sql.raw(text).execute(db);
    },
  };
}
