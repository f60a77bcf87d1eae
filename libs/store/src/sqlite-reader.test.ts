import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Kysely, sql } from 'kysely';
import { readerDialect } from './sqlite-reader.ts';
import { openSqlite } from './sqlite.ts';

let folder: string;
let writer: ReturnType<typeof openSqlite>;
let reader: Kysely<unknown>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-reader-'));
  writer = openSqlite(join(folder, 'file.db'));
  writer.database.exec("create table things (id integer primary key, name text); insert into things values (1, 'a')");
  reader = new Kysely({ dialect: readerDialect(join(folder, 'file.db')) });
});
afterEach(async () => {
  await reader.destroy();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const LONG = sql<{
  n: number;
}>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000000) select count(*) as n from n`;

it('reads what is committed, with whole numbers as parameters, and writes nothing', async () => {
  expect((await sql`select * from things where id = ${1}`.execute(reader)).rows).toEqual([{ id: 1, name: 'a' }]);
  writer.database.exec("insert into things values (2, 'b')");
  expect((await sql`select count(*) as n from things`.execute(reader)).rows).toEqual([{ n: 2 }]);
  await expect(sql`delete from things`.execute(reader)).rejects.toMatchObject({ errcode: 8 });
  await expect(sql`select * from nowhere`.execute(reader)).rejects.toThrow('no such table');
});

it('a transaction is one moment, and others wait for it', async () => {
  const inside = await reader.transaction().execute(async (tx) => {
    const count = async () => (await sql<{ n: number }>`select count(*) as n from things`.execute(tx)).rows[0]?.n;
    const before = await count();
    writer.database.exec("insert into things values (3, 'c')");
    return [before, await count()];
  });
  expect(inside).toEqual([1, 1]);
  expect((await sql`select count(*) as n from things`.execute(reader)).rows).toEqual([{ n: 2 }]);
});

it('the event loop goes on while it reads, and a statement ends when it is closed', async () => {
  const long = LONG.execute(reader).catch((error: unknown) => error);
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  await reader.destroy();
  expect(String(await long)).toContain('the thread that reads the database has ended');
});
