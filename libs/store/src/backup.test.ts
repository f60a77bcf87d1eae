/** Copies of a SQLite database: whole, private, and put back only where that is safe. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Payer, Store } from '@model-gateway/core';
import { backupDatabase, openStore, restoreDatabase } from './index.ts';
import { balanceOf, newPayer } from './test-rows.ts';

let folder: string;
let url: string;
let copy: string;
let store: Store;
let payer: Payer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-backup-'));
  url = `sqlite:${folder}/gateway.db`;
  copy = join(folder, 'copy.db');
  store = await openStore(url);
  payer = await newPayer(store, { balance: 1_000, creditLimit: 0 });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const spend = async (units: number): Promise<void> => {
  const hold = await store.ledger.hold(payer, { amount: units, requestId: `r${units}`, detail: {} }, 1);
  await store.ledger.capture(hold, { charged: units, detail: {} }, 2);
};
const reopen = async (at = url): Promise<Store> => {
  await store.close();
  return (store = await openStore(at));
};

describe('a copy', () => {
  it('is made while the database is open, has what was committed, and nobody else may read it', async () => {
    await spend(7);
    const report = backupDatabase(url, copy);
    expect(report).toMatchObject({ file: copy, owners: 1, tasks: 0, entries: 3 });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
    await spend(8);
    await reopen(`sqlite:${copy}`);
    expect(await balanceOf(store, payer)).toBe(993);
    expect(await store.ledger.verify()).toEqual([]);
  });

  it('overwrites nothing and leaves nothing half made', () => {
    writeFileSync(copy, 'mine');
    expect(() => backupDatabase(url, copy)).toThrow('already exists');
    expect(readFileSync(copy, 'utf8')).toBe('mine');
    expect(() => backupDatabase(url, join(folder, 'no-such-folder', 'copy.db'))).toThrow('the folder');
    expect(() => backupDatabase(`sqlite:${folder}/other.db`, join(folder, 'x'))).toThrow('there is no database');
    expect(existsSync(join(folder, 'other.db'))).toBe(false);
    expect(() => backupDatabase('postgres://someone:hunter2@host/db', join(folder, 'x'))).toThrow(
      /^(?!.*hunter2).*pg_dump/,
    );
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('of a damaged database is refused', async () => {
    await store.close();
    const bytes = readFileSync(`${folder}/gateway.db`);
    bytes.fill(0x5a, 4096, 4096 * 8);
    writeFileSync(`${folder}/gateway.db`, bytes);
    expect(() => backupDatabase(url, copy)).toThrow('is damaged');
    expect(existsSync(copy)).toBe(false);
    rmSync(`${folder}/gateway.db`);
    store = await openStore(url);
  });
});

describe('putting a copy back', () => {
  it('is refused while a process has the database, and nothing changes', async () => {
    backupDatabase(url, copy);
    await spend(5);
    await expect(restoreDatabase(url, copy, 'now')).rejects.toThrow(/in use by another gateway process/);
    expect(await balanceOf(store, payer)).toBe(995);
  });

  it('takes the database back to the copy, and keeps what was there', async () => {
    backupDatabase(url, copy);
    await spend(5);
    await store.close();
    const report = await restoreDatabase(url, copy, 'now');
    expect(report.kept).toBe(`${folder}/gateway.db.before-restore-now`);
    store = await openStore(url);
    expect(await balanceOf(store, payer)).toBe(1_000);
    expect(await store.ledger.verify()).toEqual([]);
    expect(statSync(`${folder}/gateway.db`).mode & 0o777).toBe(0o600);
    await reopen(`sqlite:${report.kept ?? ''}`);
    expect(await balanceOf(store, payer)).toBe(995);
  });

  it('a journal that lies beside the old database is not applied to the copy', async () => {
    backupDatabase(url, copy);
    await spend(5);
    const wal = `${folder}/gateway.db-wal`;
    copyFileSync(wal, `${folder}/kept-wal`);
    await store.close();
    // As after kill -9: the journal is still there.
    copyFileSync(`${folder}/kept-wal`, wal);
    await restoreDatabase(url, copy, 'now');
    expect(existsSync(wal)).toBe(false);
    store = await openStore(url);
    expect(await balanceOf(store, payer)).toBe(1_000);
  });

  it('works in an empty folder', async () => {
    await spend(3);
    backupDatabase(url, copy);
    const elsewhere = `sqlite:${folder}/deep/elsewhere/gateway.db`;
    expect((await restoreDatabase(elsewhere, copy, 'now')).kept).toBeUndefined();
    await reopen(elsewhere);
    expect(await balanceOf(store, payer)).toBe(997);
  });

  it.each([
    {
      what: 'a text',
      spoil: (file: string) => writeFileSync(file, 'no database at all, but long enough to be looked at'),
      says: 'is damaged',
    },
    {
      what: 'damage in the middle',
      spoil: (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(0x5a, 4096 * 3, 4096 * 6);
        writeFileSync(file, bytes);
      },
      says: 'is damaged',
    },
    {
      what: 'somebody else’s database',
      spoil: (file: string) => {
        rmSync(file);
        const other = new DatabaseSync(file);
        other.exec('create table recipes (name text)');
        other.close();
      },
      says: 'not one of the gateway',
    },
    {
      what: 'a newer version’s',
      spoil: (file: string) => {
        const other = new DatabaseSync(file);
        other.exec(`insert into kysely_migration (name, timestamp) values ('9999-later', 'x')`);
        other.close();
      },
      says: 'newer version',
    },
  ])('refuses $what, and the database stays', async ({ spoil, says }) => {
    backupDatabase(url, copy);
    spoil(copy);
    await spend(5);
    await store.close();
    await expect(restoreDatabase(url, copy, 'now')).rejects.toThrow(says);
    await expect(restoreDatabase(url, `${folder}/gone.db`, 'now')).rejects.toThrow('is not there');
    await expect(restoreDatabase(url, `${folder}/gateway.db`, 'now')).rejects.toThrow('the database itself');
    expect(readdirSync(folder).filter((name) => /\.part|before/.test(name))).toEqual([]);
    store = await openStore(url);
    expect(await balanceOf(store, payer)).toBe(995);
  });
});
