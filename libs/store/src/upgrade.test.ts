/** Rows that 0.1.0 wrote, on either database, under the tables of this version. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { migrator } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { openUrl } from './store.ts';
import type { Tables } from './tables.ts';

const FIXTURE = fileURLToPath(new URL('../../../apps/gateway/test/fixtures/0.1.0.sql', import.meta.url));
const LAST_OF_0_1_0 = '0009-crash-settlement';
const OWN = ['kysely_migration', 'kysely_migration_lock'];

/** The fixture as it lies in SQLite. */
function fixture(): { readonly schema: readonly string[]; readonly rows: ReadonlyMap<string, readonly object[]> } {
  const database = new DatabaseSync(':memory:');
  database.exec(readFileSync(FIXTURE, 'utf8'));
  const objects = database
    .prepare(
      `select name, type, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type, name`,
    )
    .all();
  const schema = objects.map((each) => String(each['sql']));
  const rows = new Map(
    objects
      .filter((each) => each['type'] === 'table' && !OWN.includes(String(each['name'])))
      .map((each) => [String(each['name']), database.prepare(`select * from "${String(each['name'])}"`).all()]),
  );
  database.close();
  return { schema, rows };
}

it('the migrations of 0.1.0 are still what they were', async () => {
  const { dialect, sqlite } = await openUrl('sqlite::memory:');
  const db = new Kysely<Tables>({ dialect });
  await migrator(db, migrations('sqlite')).migrateTo(LAST_OF_0_1_0);
  const made = (sqlite ?? never())
    .prepare(`select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type, name`)
    .all()
    .map((each) => String(each['sql']));
  expect(made).toEqual(fixture().schema);
  await db.destroy();
});

it('webhooks of before owners and modes were kept apart get the tenant of their task', async () => {
  const { dialect, sqlite = never() } = await openUrl('sqlite::memory:');
  const db = new Kysely<Tables>({ dialect });
  await migrator(db, migrations('sqlite')).migrateTo('0006-recalled-leases');
  sqlite.exec('pragma foreign_keys = off');
  const insert = (table: string, given: Readonly<Record<string, string | number>>): void => {
    const row = { ...given };
    for (const { name, type, notnull } of sqlite.prepare(`pragma table_info(${table})`).all())
      if (notnull === 1) row[String(name)] ??= type === 'text' ? '' : 0;
    const names = Object.keys(row);
    sqlite
      .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  };
  insert('tasks', { number: 1, id: 'task_1', owner_id: 7, mode: 'test', state: 'SUCCESS' });
  insert('webhook_deliveries', { number: 1, id: 'msg_1', task_id: 'task_1' });
  insert('webhook_deliveries', { number: 2, id: 'msg_2', task_id: 'task_gone' });
  await migrator(db, migrations('sqlite')).migrateTo('0007-tenants');
  expect(sqlite.prepare('select tenant from webhook_deliveries order by number').all()).toMatchObject([
    { tenant: '7 test' },
    { tenant: '' },
  ]);
  await db.destroy();
});

describe('rows of 0.1.0 on PostgreSQL', () => {
  it('are all there after the migrations, add up, and what comes after them has numbers of its own', async () => {
    const database = await openTestDatabase('postgres', { isBare: true });
    const { dialect } = await openUrl(database.url);
    const db = new Kysely<Tables>({ dialect });
    await migrator(db, migrations('postgres')).migrateTo(LAST_OF_0_1_0);
    const { rows } = fixture();
    // Rows that others refer to may come later: everything is there at the end.
    await db.connection().execute(async (connection) => {
      await sql`set session_replication_role = replica`.execute(connection);
      for (const [table, own] of rows) {
        await sql.raw(`delete from ${table}`).execute(connection);
        for (const row of own)
          await sql`insert into ${sql.raw(table)} (${sql.raw(Object.keys(row).join(', '))}) values (${sql.join(Object.values(row))})`.execute(
            connection,
          );
      }
      for (const [table, column] of Object.entries({
        keys: 'id',
        ledger_entries: 'id',
        tasks: 'number',
        task_events: 'id',
        webhook_deliveries: 'number',
        audit_log: 'id',
      }))
        await sql
          .raw(`select setval(pg_get_serial_sequence('${table}', '${column}'), (select max(${column}) from ${table}))`)
          .execute(connection);
      await sql`set session_replication_role = default`.execute(connection);
    });
    await db.destroy();

    const store = await openStore(database.url);
    expect(await store.ledger.verify()).toEqual([]);
    const now = Date.now();
    const { violations } = await store.invariants.look({
      cursor: { entryId: 0, ownerId: 0 },
      again: [],
      now: lastOf(rows),
    });
    expect(violations.filter(({ invariant }) => invariant !== 'lease_is_settled')).toEqual([]);
    // What the killed process had in flight is settled, as on any other day.
    await store.ledger.closeExpiredLeases(now, { process: 'the only one' });
    const topped = await store.ledger.topUp(1, 5, {}, now);
    expect(topped.id).toBeGreaterThan(
      Math.max(...(rows.get('ledger_entries') ?? []).map((row) => (row as { id: number }).id)),
    );
    expect(await store.ledger.verify()).toEqual([]);
    await store.close();

    const again = new Kysely<object>({ dialect: (await openUrl(database.url)).dialect });
    for (const [table, own] of rows) {
      const { rows: counted } = await sql
        .raw<{ count: number }>(`select count(*) as count from ${table}`)
        .execute(again);
      expect([table, counted[0]?.count]).toEqual([table, expect.any(Number)]);
      expect(counted[0]?.count ?? 0).toBeGreaterThanOrEqual(own.length);
    }
    await again.destroy();
    await database.close();
  });
});

function lastOf(rows: ReadonlyMap<string, readonly object[]>): number {
  return Math.max(...(rows.get('ledger_entries') ?? []).map((row) => (row as { created_at: number }).created_at));
}

function never(): never {
  throw new Error('SQLite has a connection.');
}
