/** Connections to PostgreSQL that die without a word. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { patientPool } from './postgres-patience.ts';

/** Swallows what its open connections say from `lose` on; new ones work. */
async function startLosingProxy(port: number) {
  const lost = new Set<Socket>();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    open.add(client);
    client.on('data', (bytes) => lost.has(client) || upstream.write(bytes));
    upstream.on('data', (bytes) => lost.has(client) || client.write(bytes));
    for (const socket of [client, upstream])
      socket
        .on('error', () => undefined)
        .on('close', () => (client.destroy(), upstream.destroy(), open.delete(client)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: () => open.forEach((client) => lost.add(client)),
    open: () => open.size,
    close() {
      for (const client of open) client.destroy();
      server.close();
    },
  };
}

let database: TestDatabase;
let proxy: Awaited<ReturnType<typeof startLosingProxy>>;
let db: Kysely<object>;
/** Longer than a busy machine takes for a new connection. */
const LONGEST_MS = 1_000;

beforeEach(async () => {
  database = await openTestDatabase('postgres');
  const url = new URL(database.url);
  proxy = await startLosingProxy(Number(url.port));
  url.port = String(proxy.port);
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const patient = patientPool(pool, LONGEST_MS);
  patient.bounded = true;
  db = new Kysely<object>({ dialect: new PostgresDialect({ pool: patient }) });
});
afterEach(async () => {
  await db.destroy();
  proxy.close();
  await database.close();
});

const ask = async (): Promise<unknown> => (await sql`select 1 as one`.execute(db)).rows;

describe('a connection that is lost without a word', () => {
  it('fails its statement within the bound, and the next one has a new connection', async () => {
    expect(await ask()).toEqual([{ one: 1 }]);
    proxy.lose();
    await expect(ask()).rejects.toThrow('PostgreSQL does not answer');
    expect(await ask()).toEqual([{ one: 1 }]);
  });

  it('in the middle of a transaction: the rollback does not wait as long once more, and no place of the pool is lost', async () => {
    for (let round = 0; round < 3; round++) {
      let begun = Infinity;
      await expect(
        db.transaction().execute(async (tx) => {
          await sql`select 1`.execute(tx);
          proxy.lose();
          begun = performance.now();
          await sql`select 2`.execute(tx);
        }),
      ).rejects.toThrow('PostgreSQL does not answer');
      expect(performance.now() - begun).toBeLessThan(LONGEST_MS * 2);
    }
    expect(await Promise.all([ask(), ask()])).toHaveLength(2);
    expect(proxy.open()).toBeLessThanOrEqual(2);
  });

  it('a report may take longer', async () => {
    const slow = (): Promise<unknown> =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((tx) => sql`select pg_sleep(${(LONGEST_MS * 2) / 1000})`.execute(tx));
    await expect(slow()).resolves.toBeDefined();
    await expect(sql`select pg_sleep(${(LONGEST_MS * 2) / 1000})`.execute(db)).rejects.toThrow('does not answer');
  });
});
