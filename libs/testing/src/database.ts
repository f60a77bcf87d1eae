import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { sharedPostgres } from './postgres-registry.ts';

export type TestDatabaseKind = 'sqlite' | 'postgres';

export interface TestDatabase {
  readonly kind: TestDatabaseKind;
  /** For `openStore`: a database without rows that nobody else has. */
  readonly url: string;
  /** Removes the database; close every store first. */
  close(): Promise<void>;
}

/**
 * A fresh database, for one test file. On SQLite its tables are there already, unless `isBare`: making them is most of what a short test does. The PostgreSQL server is started by the first process that asks, shared by all that run at the same
 * time, and stopped when the last of them is gone. `TEST_POSTGRES` says which one: `system` (Debian's packages, or an `initdb` in PATH),
 * `embedded` (the npm package), or the url of a server that runs anyway; without it, the system's if there is one.
 */
export async function openTestDatabase(
  kind: TestDatabaseKind,
  { isBare = false }: { readonly isBare?: boolean } = {},
): Promise<TestDatabase> {
  return kind === 'sqlite' ? openSqlite(isBare) : openPostgres();
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

async function openSqlite(isBare: boolean): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
  if (!isBare) writeFileSync(join(folder, 'gateway.db'), await (withTables ??= makeTables()), { mode: 0o600 });
  return {
    kind: 'sqlite',
    url: `sqlite:${join(folder, 'gateway.db')}`,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openPostgres(): Promise<TestDatabase> {
  const server = await sharedPostgres();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await ask(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    kind: 'postgres',
    url: url.href,
    close: async () => ask(server, `drop database if exists ${name} with (force)`),
  };
}

async function ask(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
