import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { migrator } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { dumpSchema } from './schema.ts';
import { openUrl } from './store.ts';
import type { Tables } from './tables.ts';
import { newPayer } from './test-rows.ts';

const NAMES = Object.keys(migrations('sqlite'));

describe.each(['sqlite', 'postgres'] as const)('migrations on %s', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, { isBare: true });
  });
  afterEach(async () => database.close());

  async function withRaw<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { dialect, lock } = await openUrl(database.url);
    const db = new Kysely<Tables>({ dialect });
    try {
      return await work(db);
    } finally {
      await db.destroy();
      lock.release();
    }
  }

  it('are told, run once, in order', async () => {
    const told: string[] = [];
    await (await openStore(database.url, { onMigrate: (name) => told.push(name) })).close();
    await (await openStore(database.url, { onMigrate: (name) => told.push(`again ${name}`) })).close();
    expect(told).toEqual(NAMES);
    expect(NAMES).toEqual(NAMES.toSorted());
  });

  /** Of a database that was empty, made once for all. */
  let fromNothing: Promise<Record<string, unknown>> | undefined;
  async function schemaFromNothing(): Promise<Record<string, unknown>> {
    const grown = database;
    database = await openTestDatabase(kind, { isBare: true });
    await (await openStore(database.url)).close();
    const schema = await withRaw(async (db) => describeSchema(db, kind));
    await database.close();
    database = grown;
    return schema;
  }

  it.each(NAMES)('lead from %s to the same schema as from nothing', async (name) => {
    await withRaw(async (db) => {
      const { error } = await migrator(db, migrations(kind)).migrateTo(name);
      expect(error).toBeUndefined();
      await db
        .insertInto('owners')
        .values({ id: 1, name: 'old', group_name: 'g', credit_limit: null, balance: 0, created_at: 5 })
        .execute();
    });
    const store = await openStore(database.url);
    expect(await store.owners.get(1)).toMatchObject({ name: 'old', createdAt: 5 });
    await newPayer(store, { balance: 5 });
    await store.close();
    const grown = await withRaw(async (db) => describeSchema(db, kind));
    expect(grown).toEqual(await (fromNothing ??= schemaFromNothing()));
  });

  it('leave nothing half done when one fails', async () => {
    await withRaw(async (db) => {
      const broken = {
        ...migrations(kind),
        '9999-broken': {
          up: async (tx: Kysely<Tables>) => {
            await sql`create table half (id bigint)`.execute(tx);
            throw new Error('no more disk');
          },
        },
      };
      const { error } = await migrator(db, broken).migrateToLatest();
      expect(error).toMatchObject({ message: 'no more disk' });
      const tables = await db.introspection.getTables();
      expect(tables.map((table) => table.name)).not.toContain('half');
    });
    await (await openStore(database.url)).close();
  });

  it('refuse a database that a newer version has made', async () => {
    await withRaw(async (db) => {
      const newer = { ...migrations(kind), '9999-of-tomorrow': { up: async () => undefined } };
      expect((await migrator(db, newer).migrateToLatest()).error).toBeUndefined();
    });
    const opened = openStore(database.url);
    await expect(opened).rejects.toMatchObject({ code: 'conflict' });
    await expect(opened).rejects.toThrow(/newer version.*9999-of-tomorrow/);
  });

  it('give every table the same columns in both databases', async () => {
    await (await openStore(database.url)).close();
    const columns = await withRaw(async (db) => describeSchema(db, kind));
    const sqlite = await openTestDatabase('sqlite', { isBare: true });
    await (await openStore(sqlite.url)).close();
    const other = database;
    database = sqlite;
    expect(columns).toEqual(await withRaw(async (db) => describeSchema(db, 'sqlite')));
    await other.close();
  });
});

it('two replicas may start on an empty PostgreSQL at once', async () => {
  const database = await openTestDatabase('postgres');
  const told: string[] = [];
  const stores = await Promise.all(
    Array.from({ length: 4 }, async () =>
      openStore(database.url, { onMigrate: (name) => told.push(name), poolSize: 2 }),
    ),
  );
  expect(told.toSorted()).toEqual(NAMES);
  for (const store of stores) await store.close();
  await database.close();
});

it('schema.sql is what the migrations make', async () => {
  expect(readFileSync(new URL('schema.sql', import.meta.url), 'utf8')).toBe(await dumpSchema());
});

/** Tables, columns, which may be null, and the names of indexes: what both databases have words for. */
/** Where the gateway's own process would keep them they cost too much. */
const SERVERS = new Set(['requests_by_model']);

async function describeSchema(db: Kysely<Tables>, kind: 'sqlite' | 'postgres'): Promise<Record<string, unknown>> {
  const tables = await db.introspection.getTables();
  const indexes =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index' and sql is not null`
      : sql<{
          name: string;
        }>`select relname as name from pg_index join pg_class on pg_class.oid = indexrelid left join pg_constraint on conindid = indexrelid where relnamespace = 'public'::regnamespace and pg_constraint.oid is null`;
  const types: Record<string, string> = { int8: 'bigint', integer: 'bigint', bytea: 'bytes', blob: 'bytes' };
  return {
    tables: Object.fromEntries(
      tables.map((table) => [
        table.name,
        table.columns
          .map(({ name, dataType, isNullable }) => {
            const type = dataType.toLowerCase();
            return `${name} ${types[type] ?? type}${isNullable ? '' : ' not null'}`;
          })
          .toSorted(),
      ]),
    ),
    indexes: (await indexes.execute(db)).rows.flatMap(({ name }) => (SERVERS.has(name) ? [] : [name])).toSorted(),
  };
}
