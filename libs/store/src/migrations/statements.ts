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

/** The few words in which the two databases' DDL differs. */
export interface Words {
  /** A whole column: an integer primary key the database gives out, never twice. */
  readonly id: string;
  readonly bytes: string;
  /** After a table whose rows shall lie in the order of their primary key, where there is such a thing. */
  readonly clustered: string;
  /** Another process does the work. */
  readonly isServer: boolean;
}
