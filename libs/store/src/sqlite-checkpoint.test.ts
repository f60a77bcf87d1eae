/** What SQLite has in its log goes into the file without holding anybody up. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkpointBeside, pagesLeft } from './sqlite-checkpoint.ts';
import { openStore } from './index.ts';
import { newPayer } from './test-rows.ts';

const PAGE = 4096;

describe('the log of a SQLite file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
    path = join(folder, 'gateway.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (): DatabaseSync => {
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal; create table if not exists blobs (bytes blob)');
    return database;
  };
  /** In transactions of a hundred pages. */
  const write = (database: DatabaseSync, pages: number): void => {
    const insert = database.prepare('insert into blobs values (zeroblob(?))');
    for (let written = 0; written < pages; written += 100) insert.run(100 * PAGE);
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (let tries = 0; !holds(); tries++) {
      if (tries > 1_200) throw new Error('nothing happened within a minute');
      await wait(50);
    }
  };

  it('is brought into the file by the thread, and begins anew', async () => {
    const database = open();
    const checkpoints = checkpointBeside(database, path);
    write(database, 6_000);
    // SQLite itself would have done it at every thousandth page.
    expect(pagesLeft(database, 'noop')).toBeGreaterThan(5_000);
    expect(statSync(path).size).toBeLessThan(1_000 * PAGE);
    await until(() => pagesLeft(database, 'noop') === 0);
    expect(statSync(path).size).toBeGreaterThan(5_000 * PAGE);
    const { size } = statSync(`${path}-wal`);
    write(database, 100);
    expect(pagesLeft(database, 'noop')).toBeLessThan(1_000);
    expect(statSync(`${path}-wal`).size).toBe(size);
    await checkpoints.close();
    database.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps up while more is written', async () => {
    const database = open();
    const checkpoints = checkpointBeside(database, path);
    for (let round = 0; round < 30; round++) {
      write(database, 1_500);
      await until(() => pagesLeft(database, 'noop') < 6_000);
    }
    // 45,000 pages were written.
    expect(statSync(`${path}-wal`).size).toBeLessThan(20_000 * PAGE);
    await checkpoints.close();
    database.close();
  });

  it('is left alone while there is little', async () => {
    const database = open();
    const checkpoints = checkpointBeside(database, path);
    write(database, 1_000);
    const left = pagesLeft(database, 'noop');
    await wait(1_500);
    expect(pagesLeft(database, 'noop')).toBe(left);
    await checkpoints.close();
    database.close();
  });

  it('is brought in by the commit where the thread cannot', async () => {
    const database = open();
    const checkpoints = checkpointBeside(database, join(folder, 'no', 'such', 'folder.db'));
    write(database, 6_000);
    await wait(1_500);
    expect(pagesLeft(database, 'noop')).toBeGreaterThan(5_000);
    write(database, 12_000);
    expect(pagesLeft(database, 'noop')).toBeLessThan(5_000);
    await checkpoints.close();
    database.close();
  });

  it('has what was acknowledged when the store is opened again, whatever the thread was doing', async () => {
    const store = await openStore(`sqlite:${path}`);
    const payer = await newPayer(store, { balance: 0 });
    const text = 'x'.repeat(64 * 1024);
    let topped = 0;
    for (; topped < 400; topped++) await store.ledger.topUp(payer.ownerId, 1, { note: text }, topped);
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    const again = await openStore(`sqlite:${path}`);
    expect(await again.owners.get(payer.ownerId)).toMatchObject({ balance: topped });
    await again.close();
  });
});
