import { beforeAll, describe, expect, it } from 'vitest';
import { INVARIANTS, type InvariantName, type Payer, type Store, type Violation } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { openUrl } from './store.ts';
import { newCharge, newPayer, newTask } from './test-rows.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;
const START = { entryId: 0, ownerId: 0 };

describeDatabases(
  'invariants',
  (url) => openStore(url, { leaseClock: 'caller' }),
  ({ store, replica, url }) => {
    let payer: Payer;
    let taskId: string;
    let holdId: number;

    /** As somebody would who writes past the store. */
    const write = async (statement: string): Promise<void> => {
      const { dialect } = await openUrl(url(), { beside: true });
      const db = new Kysely<object>({ dialect });
      try {
        await sql.raw(statement).execute(db);
      } finally {
        await db.destroy();
      }
    };
    const look = async (by: Store, now = NOW, again: readonly Violation[] = []) =>
      (await by.invariants.look({ cursor: START, again, now })).violations;

    beforeAll(async () => {
      payer = await newPayer(store(), { balance: 10_000, creditLimit: 0 });
      const task = await store().tasks.create(
        newTask({ ownerId: payer.ownerId, createdAt: NOW, nextCheckAt: NOW + HOUR, deadlineAt: NOW + 24 * HOUR }),
        { payer, amount: 500, detail: {} },
        undefined,
        NOW,
      );
      taskId = task.id;
      holdId = task.holdId ?? 0;
      const lease = await store().ledger.lease(payer, { process: 'p', ttlMs: 30_000, want: 1_000, atLeast: 1 }, NOW);
      const charge = newCharge(payer, {
        requestId: 'once',
        charged: 40,
        at: NOW,
        ...(lease !== undefined && { leaseId: lease.id }),
      });
      await store().ledger.record([charge, newCharge(payer, { requestId: 'direct', charged: 7, at: NOW })]);
    });

    it('nothing is found where everything is as it should be', async () => {
      expect(await look(store())).toEqual([]);
    });

    /** Each law is broken, found by its name, mended and no longer found; nothing else is found meanwhile. */
    const breaks: readonly {
      readonly law: InvariantName;
      readonly subject: () => string;
      readonly wrong: () => string;
      readonly right: () => string;
      readonly now?: number;
    }[] = [
      {
        law: 'balance_is_sum_of_entries',
        subject: () => `owner ${payer.ownerId}`,
        wrong: () => `update owners set balance = balance + 1 where id = ${payer.ownerId}`,
        right: () => `update owners set balance = balance - 1 where id = ${payer.ownerId}`,
      },
      {
        law: 'balance_within_credit',
        subject: () => `owner ${payer.ownerId}`,
        wrong: () => `update owners set credit_limit = -9000 where id = ${payer.ownerId}`,
        right: () => `update owners set credit_limit = 0 where id = ${payer.ownerId}`,
      },
      {
        law: 'hold_has_purpose',
        subject: () => `hold ${holdId}`,
        wrong: () => `update ledger_entries set task_id = 'gone' where id = ${holdId}`,
        right: () => `update ledger_entries set task_id = '${taskId}' where id = ${holdId}`,
        now: NOW + HOUR + 1,
      },
      {
        law: 'ended_task_has_no_open_hold',
        subject: () => `hold ${holdId}`,
        wrong: () => `update tasks set state = 'FAILURE' where id = '${taskId}'`,
        right: () => `update tasks set state = 'NOT_START' where id = '${taskId}'`,
      },
      {
        law: 'open_task_is_looked_after',
        subject: () => `task ${taskId}`,
        wrong: () => `update tasks set due_at = ${NOW - HOUR} where id = '${taskId}'`,
        right: () => `update tasks set due_at = ${NOW + 2 * HOUR} where id = '${taskId}'`,
      },
      {
        law: 'lease_is_settled',
        subject: () => 'lease',
        wrong: () => `update leases set expires_at = ${NOW - HOUR}`,
        right: () => `update leases set expires_at = ${NOW + 3 * HOUR}`,
      },
      {
        law: 'webhook_is_looked_after',
        subject: () => 'delivery lost',
        wrong: () =>
          `insert into webhook_deliveries (id, tenant, task_id, key_id, url, body, attempts, created_at, due_at) values ('lost', '1 live', '${taskId}', 1, 'http://x', '{}', 1, ${NOW}, ${NOW - HOUR})`,
        right: () => `delete from webhook_deliveries where id = 'lost'`,
      },
      {
        law: 'request_charged_once',
        subject: () => 'entry',
        // Closes a hold that is none: the unique indexes do not see it.
        wrong: () =>
          `insert into ledger_entries (owner_id, kind, amount, charged, shortfall, closes, capped, request_id, input_tokens, output_tokens, detail, created_at) values (${payer.ownerId}, 'capture', 0, 40, 0, 1, 0, 'once', 0, 0, '{}', ${NOW})`,
        right: () => `delete from ledger_entries where request_id = 'once' and closes = 1`,
      },
    ];
    describe.each(breaks)('$law', ({ law, subject, wrong, right, now = NOW }) => {
      it('is found, by every replica, and not any more when it is mended', async () => {
        if (law === 'hold_has_purpose') await write(`update leases set expires_at = ${now + HOUR}`);
        expect(await look(store(), now)).toEqual([]);
        await write(wrong());
        try {
          for (const each of [store(), replica()]) {
            const found = await look(each, now);
            expect(new Set(found.map(({ invariant }) => invariant))).toEqual(new Set([law]));
            expect(found[0]?.subject).toContain(subject());
          }
        } finally {
          await write(right());
        }
        expect(await look(store(), now)).toEqual([]);
      });
    });
    it('every law is broken here', () => {
      expect(new Set(breaks.map(({ law }) => law))).toEqual(new Set(INVARIANTS));
    });

    it('a limit that was lowered below what is owed breaks no law', async () => {
      await write(`update owners set credit_limit = -9000 where id = ${payer.ownerId}`);
      await store().audit.add({ at: NOW, actor: 'command', action: 'owner.update', subject: `owner ${payer.ownerId}` });
      expect(await look(store())).toEqual([]);
    });

    it('a long history is added up in parts, and compared at its end', async () => {
      const long = await newPayer(store(), { balance: 1 });
      const lines = `insert into ledger_entries (owner_id, kind, amount, charged, shortfall, closes, capped, input_tokens, output_tokens, detail, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 11000)
      select ${long.ownerId}, 'topup', 1, 0, 0, 0, 0, 0, 0, '{}', ${NOW - HOUR} from numbers`;
      await write(lines);
      // The balance does not follow: it is wrong by 11,000 from the first look on, and found by the third.
      const suspects: Violation[] = [
        { invariant: 'balance_is_sum_of_entries', subject: `owner ${long.ownerId}`, message: '' },
      ];
      const seen = [];
      for (let count = 0; count < 3; count++) seen.push((await look(store(), NOW, suspects)).length);
      expect(seen).toEqual([0, 0, 1]);
      await write(`update owners set balance = 11001 where id = ${long.ownerId}`);
      expect(await look(store(), NOW, suspects)).toEqual([]);
    });

    it('the shared word is replaced by one of many at once', async () => {
      const word = await store().invariants.read();
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store() : replica()).invariants.replace(word, `word ${index}`),
        ),
      );
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect(await replica().invariants.read()).toBe(`word ${tries.indexOf(true)}`);
    });
  },
);
