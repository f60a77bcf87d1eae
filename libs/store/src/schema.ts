import { Kysely, sql } from 'kysely';
import { migrateUp } from './migrate.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** The schema that all migrations together make, as SQLite has it: for people to read, and to see what a change does to it. */
export async function dumpSchema(): Promise<string> {
  const db = new Kysely<Tables>({ dialect: openSqlite(':memory:').dialect });
  try {
    await migrateUp('sqlite', db);
    const { rows } = await sql<{ sql: string }>`
      select sql from sqlite_master
      where sql is not null and name not like 'sqlite_%' and name not like 'kysely_%'
      order by tbl_name, type desc, name`.execute(db);
    const head =
      '-- Written by tools/schema-dump.mjs from the migrations; PostgreSQL differs in identity and byte columns and in `without rowid` only.\n';
    return `${head}\n${rows
      .map(
        (row) =>
          `${row.sql
            .replace(/^[A-Z ]+(?= )/, (words) => words.toLowerCase())
            .replaceAll(/\n {6}/g, '\n  ')
            .replaceAll(/\n {4}\)/g, '\n)')};\n`,
      )
      .join('\n')}`;
  } finally {
    await db.destroy();
  }
}
