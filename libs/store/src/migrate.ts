import { GatewayError } from '@model-gateway/contracts';
import type { Kysely } from 'kysely';
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
  const { error, results } = await migrator(db, known).migrateToLatest();
  if (error !== undefined) throw newer(error) ?? (error as Error);
  const names = (results ?? []).map((result) => result.migrationName);
  for (const name of names) onMigrate?.(name);
  return names;
}

/** Throws GatewayError `conflict` unless every migration was run, by whoever has the database. */
export async function requireLatest(kind: DatabaseKind, db: Kysely<Tables>): Promise<void> {
  const all = await migrator(db, migrations(kind)).getMigrations();
  if (all.every((migration) => migration.executedAt !== undefined)) return;
  throw new GatewayError(
    'conflict',
    'The running gateway is of an older version than this command: use its own version, or stop it first.',
  );
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
