import { describe, expect, it } from 'vitest';
import { openTestDatabase, until } from '@model-gateway/testing';
import pg from 'pg';
import { openStore } from './index.ts';
import { toInteger } from './postgres.ts';
import { newPayer } from './test-rows.ts';

describe('PostgreSQL', () => {
  it.each([
    ['0', 0],
    ['-5', -5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, value) => {
    expect(toInteger(text)).toBe(value);
  });

  it.each(['9007199254740992', '-9007199254740993', '1.5', 'NaN'])('refuses to read %s', (text) => {
    expect(() => toInteger(text)).toThrow(/too large to be read/);
  });

  it('keeps integers whole up to 2^53', async () => {
    const database = await openTestDatabase('postgres');
    const store = await openStore(database.url);
    const payer = await newPayer(store, { balance: Number.MAX_SAFE_INTEGER });
    expect(await store.owners.get(payer.ownerId)).toMatchObject({ balance: Number.MAX_SAFE_INTEGER });
    await store.close();
    await database.close();
  });

  it('lives on when all its connections are cut, and the books still balance', async () => {
    const database = await openTestDatabase('postgres');
    const store = await openStore(database.url);
    const payer = await newPayer(store, { balance: 100_000, creditLimit: 0 });
    const operator = new pg.Client({ connectionString: database.url });
    await operator.connect();
    const outcomes = { done: 0, failed: 0 };
    const work = Array.from({ length: 8 }, async (_, worker) => {
      for (let turn = 0; turn < 60; turn += 1) {
        try {
          const hold = await store.ledger.hold(payer, { amount: 3, requestId: `${worker} ${turn}`, detail: {} }, 0);
          await store.ledger.capture(hold, { charged: 1, detail: {} }, 1);
          outcomes.done += 1;
        } catch {
          outcomes.failed += 1;
        }
        if (worker === 0 && turn % 10 === 5) {
          await operator.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
          );
        }
      }
    });
    await Promise.all(work);
    expect(outcomes.failed).toBeGreaterThan(0);
    expect(outcomes.done).toBeGreaterThan(100);
    expect(await store.ledger.verify()).toEqual([]);
    await operator.end();
    await store.close();
    await database.close();
  });

  it('says nothing of its password when it cannot be reached', async () => {
    const refused = openStore('postgres://gateway:hunter2@127.0.0.1:1/gateway');
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    await expect(refused).rejects.not.toThrow(/hunter2/);
  });

  it('leases are recalled beside who locks them in another order', async () => {
    const database = await openTestDatabase('postgres');
    const store = await openStore(database.url);
    const payer = await newPayer(store, { balance: 1_000, creditLimit: 0 });
    const asked = { want: 10, atLeast: 1, enough: 1, process: 'other', ttlMs: 60_000 };
    const [first, second] = [
      await store.ledger.lease(payer, asked, Date.now()),
      await store.ledger.lease(payer, asked, Date.now()),
    ];
    const journal = new pg.Client({ connectionString: database.url });
    await journal.connect();
    const lock = (id: number | undefined) => journal.query('update leases set at_risk = 1 where id = $1', [id]);
    await journal.query('begin');
    await lock(second?.id);
    // It has the first and waits for the second; the ring closes when the first is wanted here.
    const recalled = store.ledger.recallLeases(payer, 'mine');
    await until(async () => {
      const { rows } = await journal.query<{ waiting: boolean }>(
        `select exists (select 1 from pg_locks where not granted) as waiting`,
      );
      return rows[0]?.waiting === true;
    });
    await lock(first?.id);
    await journal.query('commit');
    await recalled;
    expect(await store.ledger.recalledLeases('other')).toEqual([first?.id, second?.id]);
    await journal.end();
    await store.close();
    await database.close();
  });
});
