import { GatewayError } from '@model-gateway/contracts';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { DatabaseKind } from './database.ts';
import { migrations } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/**
 * Brings a database up to date, all in one transaction; on PostgreSQL one replica does it while the others wait (advisory lock).
 * Answers the names of what was run. Throws GatewayError `conflict` for a database that a newer version has migrated.
 */
export async function migrateUp(
  kind: DatabaseKind,
  db: Kysely<Tables>,
  onMigrate?: (name: string) => void,
): Promise<readonly string[]> {
  const known = migrations(kind);
  if (await isLatest(kind, db, known)) return [];
  const { error, results } = await migrator(db, known).migrateToLatest();
  if (error !== undefined) throw newer(error) ?? (error as Error);
  const names = (results ?? []).map((result) => result.migrationName);
  for (const name of names) onMigrate?.(name);
  return names;
}

/** Throws GatewayError `conflict` unless every migration was run, by whoever has the database. */
export async function requireLatest(kind: DatabaseKind, db: Kysely<Tables>): Promise<void> {
  const known = migrations(kind);
  if (await isLatest(kind, db, known)) return;
  const all = await migrator(db, known).getMigrations();
  if (all.every((migration) => migration.executedAt !== undefined)) return;
  throw new GatewayError(
    'conflict',
    'The running gateway is of an older version than this command: use its own version, or stop it first.',
  );
}

/**
 * Whether just the known migrations were run, which is what most starts find. kysely's own look takes the columns of every table from the database,
 * twice: a fifth of a start on SQLite.
 */
async function isLatest(kind: DatabaseKind, db: Kysely<Tables>, known: Record<string, Migration>): Promise<boolean> {
  const table =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`;
  if ((await table.execute(db)).rows.length === 0) return false;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.length === Object.keys(known).length && rows.every(({ name }) => Object.hasOwn(known, name));
}

export function migrator(db: Kysely<Tables>, known: Record<string, Migration>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => known } });
}

function newer(error: unknown): GatewayError | undefined {
  const unknown = /previously executed migration (\S+) is missing/.exec(error instanceof Error ? error.message : '');
  if (unknown === null) return undefined;
  return new GatewayError(
    'conflict',
    `The database was made by a newer version of the gateway (it has the migration ${unknown[1] ?? ''}): start that version, or one after it.`,
    { param: 'database.version', cause: error },
  );
}
