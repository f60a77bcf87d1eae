import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Payer, Store } from '@model-gateway/core';
import { openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { newCharge, newPayer, newTask } from './test-rows.ts';

describe.each(['sqlite', 'postgres'] as const)('verify finds what was tampered with on %s', (kind) => {
  let database: TestDatabase;
  let store: Store;
  let payer: Payer;
  let hold: number;
  let lease: number;

  beforeEach(async () => {
    database = await openTestDatabase(kind);
    store = await openStore(database.url);
    payer = await newPayer(store, { balance: 1000, creditLimit: 0 });
    hold = await store.ledger.hold(payer, { amount: 100, requestId: 'r1', detail: {} }, 1000);
    await store.ledger.capture(hold, { charged: 60, detail: {} }, 2000);
    lease = (await store.ledger.lease(payer, { want: 50, atLeast: 1, process: 'p', ttlMs: 9 }, 1000))!.id;
    await store.ledger.record([newCharge(payer, { charged: 20, leaseId: lease }), newCharge(payer, { charged: 5 })]);
    const task = newTask({ id: 'task_1', ownerId: payer.ownerId, keyId: payer.keyId });
    await store.tasks.create(task, { payer, amount: 30, detail: {} }, undefined, 1000);
    expect(await store.ledger.verify()).toEqual([]);
  });
  afterEach(async () => {
    await store.close();
    await database.close();
  });

  async function tamper(statement: string): Promise<void> {
    const { dialect } =
      kind === 'sqlite' ? openSqlite(database.url.replace('sqlite:', '')) : await openPostgres(database.url, 1);
    const db = new Kysely({ dialect });
    await sql.raw(statement).execute(db);
    await db.destroy();
  }

  it('a balance', async () => {
    await tamper(`update owners set balance = balance + 1 where id = ${payer.ownerId}`);
    expect(await store.ledger.verify()).toMatchObject([
      { subject: `owner ${payer.ownerId}`, expected: 855, found: 856 },
    ]);
  });

  it('a window, and one that is missing', async () => {
    await tamper(`update key_windows set used = used - 10 where kind = 'month'`);
    await tamper(`delete from key_windows where kind = 'day'`);
    expect(await store.ledger.verify()).toMatchObject([
      { subject: `day 1970-01-01 of key ${payer.keyId}`, expected: 145, found: 0 },
      { subject: `month 1970-01-01 of key ${payer.keyId}`, expected: 145, found: 135 },
    ]);
  });

  it('what a capture gave back', async () => {
    await tamper(`update ledger_entries set charged = 59 where hold_id = ${hold}`);
    expect(await store.ledger.verify()).toMatchObject([{ subject: `hold ${hold}`, expected: 41, found: 40 }]);
  });

  it('a hold closed twice', async () => {
    await tamper('drop index ledger_closed_once');
    const columns =
      'owner_id, kind, amount, charged, shortfall, closes, capped, input_tokens, output_tokens, detail, created_at';
    await tamper(
      `insert into ledger_entries (hold_id, ${columns})
       select hold_id, ${columns} from ledger_entries where hold_id = ${hold}`,
    );
    const differences = await store.ledger.verify();
    expect(differences).toEqual(
      expect.arrayContaining([expect.objectContaining({ subject: `hold ${hold}`, expected: 1, found: 2 })]),
    );
  });

  it('a lease that says it spent something else, and one closed without giving back', async () => {
    await tamper(`update leases set spent = 21, closed_at = 5 where id = ${lease}`);
    expect(await store.ledger.verify()).toMatchObject([
      { subject: `lease ${lease}`, expected: 20, found: 21 },
      { subject: `lease ${lease}`, expected: 30, found: 0 },
    ]);
  });

  it('a task that ended and still holds money', async () => {
    await tamper(`update tasks set state = 'FAILURE', due_at = null`);
    expect(await store.ledger.verify()).toMatchObject([{ subject: 'task task_1', expected: 0, found: 30 }]);
  });
});
