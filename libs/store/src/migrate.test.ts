import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase, type TestDatabaseKind } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { migrator } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { dumpSchema } from './schema.ts';
import { openUrl } from './store.ts';
import type { Tables } from './tables.ts';
import { newPayer } from './test-rows.ts';

const NAMES = Object.keys(migrations('sqlite'));

async function withRaw<T>({ url }: TestDatabase, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const { dialect, lock } = await openUrl(url);
  const db = new Kysely<Tables>({ dialect });
  try {
    return await work(db);
  } finally {
    await db.destroy();
    lock.release();
  }
}

describe.each(['sqlite', 'postgres'] as const)('migrations on %s', (kind) => {
  /** Grows by one migration after the other, with a row of each version's. */
  let growing: TestDatabase;
  let fromNothing: Record<string, unknown>;
  beforeAll(async () => {
    growing = await openTestDatabase(kind, { isBare: true });
    const empty = await openTestDatabase(kind, { isBare: true });
    await (await openStore(empty.url)).close();
    fromNothing = await withRaw(empty, async (db) => describeSchema(db, kind));
    await empty.close();
  });
  afterAll(async () => growing.close());

  it.each(NAMES.map((name, index) => ({ name, id: index + 1 })))(
    'lead from $name to the same schema as from nothing',
    async ({ name, id }) => {
      await withRaw(growing, async (db) => {
        const { error } = await migrator(db, migrations(kind)).migrateTo(name);
        expect(error).toBeUndefined();
        await db
          .insertInto('owners')
          .values({ id, name: `of ${name}`, group_name: 'g', credit_limit: null, balance: 0, created_at: 5 })
          .execute();
      });
      const database = await openTestDatabase(kind, { copyOf: growing });
      const store = await openStore(database.url);
      expect(await store.owners.get(id)).toMatchObject({ name: `of ${name}`, createdAt: 5 });
      await newPayer(store, { balance: 5 });
      await store.close();
      expect(await withRaw(database, async (db) => describeSchema(db, kind))).toEqual(fromNothing);
      await database.close();
    },
  );
});

describe.each(['sqlite', 'postgres'] as const)('migrations of one database on %s', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, { isBare: true });
  });
  afterEach(async () => database.close());

  it('are told, run once, in order', async () => {
    const told: string[] = [];
    await (await openStore(database.url, { onMigrate: (name) => told.push(name) })).close();
    await (await openStore(database.url, { onMigrate: (name) => told.push(`again ${name}`) })).close();
    expect(told).toEqual(NAMES);
    expect(NAMES).toEqual(NAMES.toSorted());
  });

  it('leave nothing half done when one fails', async () => {
    await withRaw(database, async (db) => {
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
    await withRaw(database, async (db) => {
      const newer = { ...migrations(kind), '9999-of-tomorrow': { up: async () => undefined } };
      expect((await migrator(db, newer).migrateToLatest()).error).toBeUndefined();
    });
    const opened = openStore(database.url);
    await expect(opened).rejects.toMatchObject({ code: 'conflict' });
    await expect(opened).rejects.toThrow(/newer version.*9999-of-tomorrow/);
  });
});

it('give every table the same columns in both databases', async () => {
  const columnsOf = async (kind: TestDatabaseKind): Promise<Record<string, unknown>> => {
    const database = await openTestDatabase(kind);
    await (await openStore(database.url)).close();
    const columns = await withRaw(database, async (db) => describeSchema(db, kind));
    await database.close();
    return columns;
  };
  expect(await columnsOf('postgres')).toEqual(await columnsOf('sqlite'));
});

it('two replicas may start on an empty PostgreSQL at once', async () => {
  const database = await openTestDatabase('postgres', { isBare: true });
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
