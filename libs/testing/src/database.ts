import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { givenPostgres, sharedPostgres } from './postgres-registry.ts';

export type TestDatabaseKind = 'sqlite' | 'postgres';

export interface TestDatabase {
  readonly kind: TestDatabaseKind;
  /** For `openStore`: a database without rows that nobody else has. */
  readonly url: string;
  /** Removes the database; close every store first. */
  close(): Promise<void>;
}

interface TestDatabaseOptions {
  /** Without tables, for tests of how they are made. */
  readonly isBare?: boolean;
  /** With the tables and rows of this database; close every store of it first. */
  readonly copyOf?: TestDatabase;
}

/**
 * A fresh database, for one test file. Its tables are there already, unless `isBare`: making them is most of what a short test does. The
 * PostgreSQL server is started by the first process that asks, shared by all that run at the same time, and stopped when the last of them
 * is gone. `TEST_POSTGRES` says which one: `system` (Debian's packages, or an `initdb` in PATH), `embedded` (the npm package), or the url
 * of a server that runs anyway, where databases begin empty; without it, the system's if there is one.
 */
export async function openTestDatabase(
  kind: TestDatabaseKind,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  return kind === 'sqlite' ? openSqlite(options) : openPostgres(options);
}

/** A database file with tables and no rows, made once in a process. */
let withTables: Promise<Buffer> | undefined;

async function makeTables(): Promise<Buffer> {
  const { openStore } = await import('@model-gateway/store');
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
  const file = join(folder, 'gateway.db');
  try {
    await (await openStore(`sqlite:${file}`)).close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openSqlite({ isBare = false, copyOf }: TestDatabaseOptions): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
  const file = join(folder, 'gateway.db');
  if (copyOf !== undefined) copyFileSync(copyOf.url.replace('sqlite:', ''), file);
  else if (!isBare) writeFileSync(file, await (withTables ??= makeTables()), { mode: 0o600 });
  return {
    kind: 'sqlite',
    url: `sqlite:${file}`,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openPostgres({ isBare = false, copyOf }: TestDatabaseOptions): Promise<TestDatabase> {
  const server = await sharedPostgres();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = copyOf === undefined ? await templateOn(server, isBare) : databaseOf(copyOf.url);
  await ask(server, async (client) =>
    client.query(`create database ${name} template ${template}${await byFiles(client)}`),
  );
  return {
    kind: 'postgres',
    url: urlOf(server, name),
    close: async () => ask(server, async (client) => client.query(`drop database if exists ${name} with (force)`)),
  };
}

/** Copying the files takes half the CPU of writing every page into the log; before version 15 there was no choice. */
async function byFiles(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  return Number(rows[0]?.server_version_num) >= 150_000 ? ' strategy file_copy' : '';
}

/** What a new database begins as. On somebody's own server nothing is left behind for the next one. */
async function templateOn(server: string, isBare: boolean): Promise<string> {
  if (isBare || givenPostgres() !== undefined) return 'template1';
  return (postgresTables ??= makePostgresTables(server));
}

/** The name of a database with tables and no rows: made once on the server, whose other processes wait for it. */
let postgresTables: Promise<string> | undefined;

async function makePostgresTables(server: string): Promise<string> {
  const name = `tables_${migrationsDigest()}`;
  await ask(server, async (client) => {
    // Until the connection ends.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    const unfinished = `${name}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished} template template1`);
    const { openStore } = await import('@model-gateway/store');
    await (await openStore(urlOf(server, unfinished))).close();
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

/** A server outlives the process, and migrations may be edited meanwhile. */
function migrationsDigest(): string {
  const folder = new URL('migrations/', import.meta.resolve('@model-gateway/store'));
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).toSorted()) hash.update(readFileSync(new URL(name, folder)));
  return hash.digest('hex').slice(0, 16);
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function ask(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
