import { describe, expect, it } from 'vitest';
import type { EntryFilter, Payer, Store } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newCharge, newKey, newPayer, newTask, unique } from './test-rows.ts';

const DAY = 86_400_000;
const hold = async (store: Store, payer: Payer, amount: number, now = 1000): Promise<number> =>
  store.ledger.hold(payer, { amount, requestId: `request ${unique()}`, detail: {} }, now);

describeDatabases('the ledger', openStore, ({ store, replica }) => {
  const ledger = () => store().ledger;
  const entries = async (filter: Partial<EntryFilter>) => ledger().entries({ limit: 100, ...filter });

  describe('hold', () => {
    it('sets money aside and keeps what it was for', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const id = await ledger().hold(
        payer,
        { amount: 300, requestId: 'r', taskId: 't', model: 'm', detail: { endpoint: 'videos', seconds: 5 } },
        2000,
      );
      expect(await balanceOf(store(), payer)).toBe(700);
      const [, entry] = await entries({ ownerId: payer.ownerId });
      expect(entry).toStrictEqual({
        id,
        ownerId: payer.ownerId,
        keyId: payer.keyId,
        kind: 'hold',
        amount: -300,
        charged: 0,
        shortfall: 0,
        requestId: 'r',
        taskId: 't',
        model: 'm',
        detail: { endpoint: 'videos', seconds: 5 },
        createdAt: 2000,
      });
    });

    it.each([
      { name: 'all of a prepaid balance', owner: { balance: 100, creditLimit: 0 }, fits: 100 },
      { name: 'balance and credit', owner: { balance: 100, creditLimit: 50 }, fits: 150 },
      { name: 'credit alone', owner: { balance: 0, creditLimit: 50 }, fits: 50 },
      { name: 'nothing', owner: { balance: 0, creditLimit: 0 }, fits: 0 },
    ])('takes $name and not one unit more', async ({ owner, fits }) => {
      const payer = await newPayer(store(), owner);
      await expect(hold(store(), payer, fits + 1)).rejects.toMatchObject({ code: 'insufficient_quota' });
      expect(await balanceOf(store(), payer)).toBe(owner.balance);
      await hold(store(), payer, fits);
      await hold(store(), payer, 0);
      await expect(hold(store(), payer, 1)).rejects.toMatchObject({ code: 'insufficient_quota' });
      expect(await balanceOf(store(), payer)).toBe(owner.balance - fits);
    });

    it('goes below zero for an owner without a limit', async () => {
      const payer = await newPayer(store(), { balance: 0 });
      await hold(store(), payer, 5000);
      expect(await balanceOf(store(), payer)).toBe(-5000);
    });

    it.each([
      ['spendPerDay', 'spend_per_day'],
      ['spendPerMonth', 'spend_per_month'],
      ['spendTotal', 'spend_total'],
    ] as const)('keeps %s and names it', async (limit, name) => {
      const payer = await newPayer(store(), { balance: 1_000_000, limits: { [limit]: 750_000 } });
      await hold(store(), payer, 500_000);
      const refused = hold(store(), payer, 250_001);
      await expect(refused).rejects.toMatchObject({ code: 'insufficient_quota' });
      await expect(refused).rejects.toThrow(new RegExp(`\\$0\\.500002.*${name}.*\\$0\\.5\\b`));
      // Nothing of the refused one is left: not in the balance, not in another window.
      expect(await balanceOf(store(), payer)).toBe(500_000);
      for (const window of ['day', 'month', 'total'] as const) {
        expect(await ledger().spent(payer.keyId, window, 1000)).toBe(500_000);
      }
      await hold(store(), payer, 250_000);
    });

    it('refuses the first hold of a window when it alone is too much; a limit of zero is a limit', async () => {
      const payer = await newPayer(store(), { balance: 1000, limits: { spendPerDay: 0 } });
      await expect(hold(store(), payer, 1)).rejects.toThrow(/spend_per_day/);
      await hold(store(), payer, 0);
      expect(await balanceOf(store(), payer)).toBe(1000);
    });

    it('says which cap it was when the balance is the smaller one', async () => {
      const payer = await newPayer(store(), { balance: 10, creditLimit: 0, limits: { spendPerDay: 20 } });
      await expect(hold(store(), payer, 15)).rejects.toThrow(/balance/);
    });

    it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses an amount of %d', async (amount) => {
      const payer = await newPayer(store(), { balance: 1000 });
      await expect(hold(store(), payer, amount)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await balanceOf(store(), payer)).toBe(1000);
    });

    it('counts windows by UTC day and month, and the total for ever', async () => {
      const payer = await newPayer(store(), { balance: 1000 });
      const lastOfJune = Date.UTC(2026, 5, 30, 23, 59, 59, 999);
      await hold(store(), payer, 1, Date.UTC(2026, 5, 1));
      await hold(store(), payer, 10, lastOfJune);
      await hold(store(), payer, 100, lastOfJune + 1);
      const spent = async (now: number): Promise<number[]> =>
        Promise.all(
          (['day', 'month', 'total'] as const).map(async (window) => ledger().spent(payer.keyId, window, now)),
        );
      expect(await spent(lastOfJune)).toEqual([10, 11, 111]);
      expect(await spent(lastOfJune + 1)).toEqual([100, 100, 111]);
      expect(await spent(lastOfJune + 40 * DAY)).toEqual([0, 0, 111]);
    });
  });

  describe('capture and release', () => {
    it('charges part of a hold and gives the rest back, balance and windows alike', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0, limits: { spendPerDay: 500 } });
      const id = await hold(store(), payer, 500, DAY);
      const detail = { usage: { inputTokens: 3, outputTokens: 4 } };
      // The next day: what was set aside yesterday is charged to yesterday.
      expect(await ledger().capture(id, { charged: 200, accountId: 9, priceVersion: 'v7', detail }, 2 * DAY)).toBe(
        true,
      );
      expect(await balanceOf(store(), payer)).toBe(800);
      expect(await ledger().spent(payer.keyId, 'day', DAY)).toBe(200);
      expect(await ledger().spent(payer.keyId, 'day', 2 * DAY)).toBe(0);
      const [, held, captured] = await entries({ ownerId: payer.ownerId });
      expect(captured).toStrictEqual({
        id: captured!.id,
        ownerId: payer.ownerId,
        keyId: payer.keyId,
        kind: 'capture',
        amount: 300,
        charged: 200,
        shortfall: 0,
        holdId: id,
        requestId: held!.requestId,
        accountId: 9,
        priceVersion: 'v7',
        detail,
        createdAt: 2 * DAY,
      });
    });

    it('gives all of a hold back', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const id = await hold(store(), payer, 400);
      expect(await ledger().release(id, { reason: 'failed' }, 2000)).toBe(true);
      expect(await balanceOf(store(), payer)).toBe(1000);
      expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(0);
      const [entry] = await entries({ ownerId: payer.ownerId, kind: 'release' });
      expect(entry).toMatchObject({ amount: 400, charged: 0, holdId: id, detail: { reason: 'failed' } });
    });

    it('closes a hold once, whoever asks and however often', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const id = await hold(store(), payer, 400);
      const answers = await Promise.all(
        Array.from({ length: 24 }, async (_, index) => {
          const { ledger: one } = index % 2 === 0 ? store() : replica();
          return index % 3 === 0 ? one.release(id, {}, 2000) : one.capture(id, { charged: 150, detail: {} }, 2000);
        }),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      const closing = (await entries({ ownerId: payer.ownerId })).filter((entry) => entry.holdId === id);
      expect(closing).toHaveLength(1);
      expect(await balanceOf(store(), payer)).toBe(600 + closing[0]!.amount);
    });

    it('charges zero, which is not a release', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 0 });
      const id = await hold(store(), payer, 40);
      expect(await ledger().capture(id, { charged: 0, detail: {} }, 2000)).toBe(true);
      expect(await balanceOf(store(), payer)).toBe(100);
      expect(await entries({ ownerId: payer.ownerId, kind: 'capture' })).toMatchObject([{ amount: 40, charged: 0 }]);
    });

    describe('a bill beyond its hold', () => {
      /** A payer whose key is in the table, as every real one's is. */
      const payerWithKey = async (owner: Parameters<typeof newPayer>[1]): Promise<Payer> => {
        const payer = await newPayer(store(), owner);
        const { id } = await store().keys.create(newKey(payer.ownerId, { limits: payer.limits }), 0);
        return { ...payer, keyId: id };
      };
      it.each([
        { name: 'takes the rest from the balance', owner: { balance: 1000, creditLimit: 0 }, charged: 450 },
        { name: 'takes it from the credit', owner: { balance: 400, creditLimit: 1000 }, charged: 450 },
        { name: 'takes all that is left', owner: { balance: 430, creditLimit: 0 }, charged: 430 },
        { name: 'takes nothing of nothing', owner: { balance: 400, creditLimit: 0 }, charged: 400 },
        { name: "stops at the day's cap", owner: { balance: 1000, limits: { spendPerDay: 410 } }, charged: 410 },
        { name: "stops at the month's cap", owner: { balance: 1000, limits: { spendPerMonth: 420 } }, charged: 420 },
        {
          name: 'stops at the total cap',
          owner: { balance: 1000, creditLimit: 0, limits: { spendTotal: 400 } },
          charged: 400,
        },
        { name: 'goes on below a cap', owner: { balance: 1000, limits: { spendTotal: 900 } }, charged: 450 },
        {
          name: 'is bound by the balance before the cap',
          owner: { balance: 440, creditLimit: 0, limits: { spendTotal: 900 } },
          charged: 440,
        },
      ])('$name: $charged of 450', async ({ owner, charged }) => {
        const payer = await payerWithKey(owner);
        const id = await hold(store(), payer, 400);
        await ledger().capture(id, { charged: 450, detail: {} }, 2 * DAY);
        expect(await entries({ ownerId: payer.ownerId, kind: 'capture' })).toMatchObject([
          { amount: 400 - charged === 0 ? 0 : 400 - charged, charged, shortfall: 450 - charged },
        ]);
        expect(await balanceOf(store(), payer)).toBe(owner.balance - charged);
        expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(charged);
        expect(await ledger().spent(payer.keyId, 'day', 0)).toBe(charged);
        expect((await ledger().verify()).filter(({ subject }) => subject.includes(String(id)))).toEqual([]);
      });

      it('what other holds and leases have set aside is not there', async () => {
        const payer = await payerWithKey({ balance: 1000, creditLimit: 0 });
        const id = await hold(store(), payer, 400);
        await hold(store(), payer, 350);
        await ledger().lease(payer, { want: 230, atLeast: 1, process: 'p', ttlMs: 9 }, 0);
        await ledger().capture(id, { charged: 450, detail: {} }, 2000);
        expect(await entries({ ownerId: payer.ownerId, kind: 'capture' })).toMatchObject([
          { amount: -20, charged: 420, shortfall: 30 },
        ]);
        expect(await balanceOf(store(), payer)).toBe(0);
      });

      it('the key’s caps of now count; of a key that is gone, none of its caps can be asked', async () => {
        const payer = await payerWithKey({ balance: 1000, limits: { spendTotal: 400 } });
        const id = await hold(store(), payer, 400);
        await store().keys.update(payer.keyId, { limits: { spendTotal: 425 } });
        await ledger().capture(id, { charged: 450, detail: {} }, 2000);
        const gone = await newPayer(store(), { balance: 1000, limits: { spendTotal: 900 } });
        await ledger().capture(await hold(store(), gone, 400), { charged: 450, detail: {} }, 2000);
        const charged = await Promise.all(
          [payer, gone].map(async ({ ownerId }) => (await entries({ ownerId, kind: 'capture' }))[0]?.charged),
        );
        expect(charged).toEqual([425, 400]);
      });

      it('64 at once take what is there once, on two replicas', async () => {
        const payer = await payerWithKey({ balance: 64 * 10 + 100, creditLimit: 0 });
        const ids = await Promise.all(Array.from({ length: 64 }, () => hold(store(), payer, 10)));
        await Promise.all(
          ids.map((id, index) =>
            (index % 2 === 0 ? store() : replica()).ledger.capture(id, { charged: 17, detail: {} }, 2000),
          ),
        );
        const closing = await entries({ ownerId: payer.ownerId, kind: 'capture' });
        const sum = (name: 'charged' | 'shortfall') => closing.reduce((total, entry) => total + entry[name], 0);
        expect([sum('charged'), sum('shortfall'), await balanceOf(store(), payer)]).toEqual([740, 64 * 17 - 740, 0]);
      });
    });

    it('charges a payer without any limit the whole bill', async () => {
      const payer = await newPayer(store(), { balance: 1000 });
      const id = await hold(store(), payer, 400);
      await ledger().capture(id, { charged: 450, detail: {} }, 2000);
      expect(await balanceOf(store(), payer)).toBe(550);
      expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(450);
    });

    it('knows holds only', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const { id: lease } = (await ledger().lease(payer, { want: 10, atLeast: 1, process: 'p', ttlMs: 9 }, 0))!;
      const [topUp] = await entries({ ownerId: payer.ownerId, kind: 'topup' });
      for (const id of [lease, topUp!.id, 987_654_321]) {
        await expect(ledger().capture(id, { charged: 0, detail: {} }, 1)).rejects.toMatchObject({ code: 'not_found' });
        await expect(ledger().release(id, {}, 1)).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(ledger().capture(lease, { charged: -1, detail: {} }, 1)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    });
  });

  describe('top-ups and adjustments', () => {
    it('tops up once per idempotency key and owner', async () => {
      const [payer, other] = [await newPayer(store(), { balance: 0 }), await newPayer(store(), { balance: 0 })];
      const detail = { idempotencyKey: 'invoice 7', note: 'paid' };
      const [first, again] = await Promise.all([
        store().ledger.topUp(payer.ownerId, 500, detail, 10),
        replica().ledger.topUp(payer.ownerId, 500, detail, 20),
      ]);
      expect(again).toStrictEqual(first);
      expect(first).toMatchObject({ kind: 'topup', amount: 500, detail });
      expect(await balanceOf(store(), payer)).toBe(500);
      await expect(ledger().topUp(payer.ownerId, 600, detail, 30)).rejects.toMatchObject({ code: 'conflict' });
      await ledger().topUp(other.ownerId, 600, detail, 30);
      await ledger().topUp(payer.ownerId, 1, {}, 40);
      await ledger().topUp(payer.ownerId, 1, {}, 40);
      expect(await balanceOf(store(), payer)).toBe(502);
    });

    it.each([0, -5, 1.5, Number.POSITIVE_INFINITY])('refuses to top up by %d', async (amount) => {
      const payer = await newPayer(store(), { balance: 0 });
      await expect(ledger().topUp(payer.ownerId, amount, {}, 0)).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('refuses what could not be counted exactly, and nobody', async () => {
      const payer = await newPayer(store(), { balance: Number.MAX_SAFE_INTEGER });
      await expect(ledger().topUp(payer.ownerId, 1, {}, 0)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await balanceOf(store(), payer)).toBe(Number.MAX_SAFE_INTEGER);
      await expect(ledger().topUp(987_654, 1, {}, 0)).rejects.toMatchObject({ code: 'not_found' });
      expect(await entries({ ownerId: 987_654 })).toEqual([]);
    });

    it('adjusts both ways, down to what may be owed', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 20 });
      expect(await ledger().adjust(payer.ownerId, 50, {}, 0)).toMatchObject({ kind: 'adjust', amount: 50, charged: 0 });
      expect(await ledger().adjust(payer.ownerId, -170, {}, 0)).toMatchObject({ amount: -170, charged: 170 });
      await expect(ledger().adjust(payer.ownerId, -1, {}, 0)).rejects.toMatchObject({ code: 'insufficient_quota' });
      await expect(ledger().adjust(payer.ownerId, 0, {}, 0)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await balanceOf(store(), payer)).toBe(-20);
    });
  });

  it('finds entries by owner, key, request, task and kind, page after page', async () => {
    const payer = await newPayer(store(), { balance: 1000 });
    const requestId = `request ${unique()}`;
    const taskId = `task ${unique()}`;
    const first = await ledger().hold(payer, { amount: 1, requestId, taskId, detail: {} }, 0);
    const second = await hold(store(), payer, 2);
    await ledger().capture(first, { charged: 1, detail: {} }, 0);
    const kinds = async (filter: Partial<EntryFilter>): Promise<string[]> =>
      (await entries(filter)).map(({ kind }) => kind);
    expect(await kinds({ ownerId: payer.ownerId })).toEqual(['topup', 'hold', 'hold', 'capture']);
    expect(await kinds({ keyId: payer.keyId })).toEqual(['hold', 'hold', 'capture']);
    expect(await kinds({ requestId })).toEqual(['hold', 'capture']);
    expect(await kinds({ taskId })).toEqual(['hold', 'capture']);
    expect(await kinds({ keyId: payer.keyId, kind: 'hold', limit: 1 })).toEqual(['hold']);
    expect((await entries({ keyId: payer.keyId, after: first, limit: 1 })).map(({ id }) => id)).toEqual([second]);
    expect(await kinds({ keyId: payer.keyId, order: 'newest', limit: 2 })).toEqual(['capture', 'hold']);
    const older = await entries({ keyId: payer.keyId, order: 'newest', after: second });
    expect(older.map(({ id }) => id)).toEqual([first]);
  });

  describe('usage', () => {
    it('sums captures by any group', async () => {
      const [a, b] = [await newPayer(store(), { balance: 1000 }), await newPayer(store(), { balance: 1000 })];
      const usage = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
      const from = Date.UTC(2031, 0, 1);
      await ledger().record([
        newCharge(a, { charged: 1, at: from, model: 'x', accountId: 3, detail: usage(10, 20) }),
        newCharge(a, { charged: 2, at: from + DAY, model: 'y', endpoint: 'images', detail: usage(1, 2) }),
        newCharge(b, { charged: 4, at: from + DAY, model: 'y', detail: usage(0, 5) }),
        newCharge(b, { charged: 8, at: from + 2 * DAY, model: 'y', detail: {} }),
      ]);
      const video = await ledger().hold(
        b,
        { amount: 50, requestId: 'v', model: 'z', detail: { endpoint: 'videos' } },
        from,
      );
      await ledger().capture(video, { charged: 16, detail: {} }, from + DAY);
      const range = { from, to: from + 2 * DAY };
      expect(await ledger().usage({ ...range, groupBy: [] })).toEqual([
        { group: {}, requests: 4, charged: 23, inputTokens: 11, outputTokens: 27 },
      ]);
      expect(await ledger().usage({ ...range, groupBy: ['day', 'model'] })).toEqual([
        { group: { day: '2031-01-01', model: 'x' }, requests: 1, charged: 1, inputTokens: 10, outputTokens: 20 },
        { group: { day: '2031-01-02', model: 'y' }, requests: 2, charged: 6, inputTokens: 1, outputTokens: 7 },
        { group: { day: '2031-01-02', model: 'z' }, requests: 1, charged: 16, inputTokens: 0, outputTokens: 0 },
      ]);
      const charged = async (filter: object, groupBy: ('key' | 'owner' | 'endpoint' | 'account')[]) =>
        (await ledger().usage({ ...range, ...filter, groupBy })).map((row) => [
          ...Object.values(row.group),
          row.charged,
        ]);
      expect(await charged({}, ['owner', 'key'])).toEqual([
        [a.ownerId, a.keyId, 3],
        [b.ownerId, b.keyId, 20],
      ]);
      expect(await charged({}, ['endpoint'])).toEqual([
        ['chat-completions', 5],
        ['images', 2],
        ['videos', 16],
      ]);
      expect(await charged({ ownerId: a.ownerId }, ['account'])).toEqual([
        [0, 2],
        [3, 1],
      ]);
      expect(await charged({ keyId: b.keyId }, [])).toEqual([[20]]);
      expect(await charged({ keyId: 987_654 }, [])).toEqual([]);

      const payer = { ...a, ownerId: -a.ownerId };
      await store().owners.ensure({ id: payer.ownerId, name: 'test payer', group: 'default' }, 0);
      await ledger().record([newCharge(payer, { charged: 32, at: from })]);
      expect(await charged({}, [])).toEqual([[55]]);
      expect(await charged({ mode: 'live' }, [])).toEqual([[23]]);
      expect(await charged({ mode: 'test' }, ['owner'])).toEqual([[payer.ownerId, 32]]);
      expect(await charged({ mode: 'test', ownerId: a.ownerId }, [])).toEqual([[32]]);
      expect(await charged({ mode: 'test', ownerId: b.ownerId }, [])).toEqual([]);
    });

    it('sums captures by the value of a tag, which a hold keeps for its capture', async () => {
      const payer = await newPayer(store(), { balance: 1000 });
      const [from, team] = [Date.UTC(2032, 0, 1), `team "${unique()}" '%`];
      const tagged = (value: string) => ({ tags: { [team]: value, other: 'x' } });
      await ledger().record([
        newCharge(payer, { charged: 1, at: from, detail: tagged('a') }),
        newCharge(payer, { charged: 2, at: from, detail: tagged('b') }),
        newCharge(payer, { charged: 4, at: from, detail: {} }),
        newCharge(payer, { charged: 8, at: from, detail: { lines: [{ item: '"tags":' }], note: '"tags":{' } }),
      ]);
      const film = await ledger().hold(payer, { amount: 50, requestId: `v ${team}`, detail: tagged('a') }, from);
      await ledger().capture(film, { charged: 16, detail: {} }, from);
      const by = (tag: string) =>
        ledger().usage({ from, to: from + DAY, ownerId: payer.ownerId, mode: 'live', groupBy: ['tag', 'model'], tag });
      expect((await by(team)).map(({ group, charged }) => [group['tag'], group['model'], charged])).toEqual([
        ['', 'gpt', 12],
        ['a', '', 16],
        ['a', 'gpt', 1],
        ['b', 'gpt', 2],
      ]);
      expect((await by('nothing')).map(({ charged }) => charged)).toEqual([16, 15]);
    });

    it('sums captures by user, session and run, which a hold keeps for its capture', async () => {
      const payer = await newPayer(store(), { balance: 1000 });
      const from = Date.UTC(2033, 0, 1);
      const of = (user: string, session: string, run = session) => ({ identity: { user, session, run } });
      await ledger().record([
        newCharge(payer, { charged: 1, at: from, detail: of('a', 's1') }),
        newCharge(payer, { charged: 2, at: from, detail: { ...of('a', 's2'), tags: { user: 'x' } } }),
        newCharge(payer, { charged: 4, at: from, detail: { identity: { user: `b "'%` } } }),
        newCharge(payer, { charged: 8, at: from, detail: { note: '"identity":{"user":"c"}', identities: {} } }),
      ]);
      const film = await ledger().hold(
        payer,
        { amount: 50, requestId: `r ${unique()}`, detail: of('a', 's1', 'r') },
        from,
      );
      await ledger().capture(film, { charged: 16, detail: {} }, from);
      const by = async (...groupBy: ('user' | 'session' | 'run')[]) => {
        const rows = await ledger().usage({ from, to: from + DAY, ownerId: payer.ownerId, mode: 'live', groupBy });
        return rows.map(({ group, charged }) => [...Object.values(group), charged]);
      };
      expect(await by('user')).toEqual([
        ['', 8],
        ['a', 19],
        [`b "'%`, 4],
      ]);
      expect(await by('session')).toEqual([
        ['', 12],
        ['s1', 17],
        ['s2', 2],
      ]);
      expect(await by('user', 'run')).toEqual([
        ['', '', 8],
        ['a', 'r', 16],
        ['a', 's1', 1],
        ['a', 's2', 2],
        [`b "'%`, '', 4],
      ]);
    });

    it('sums captures by whose default price they have', async () => {
      const payer = await newPayer(store(), { balance: 1000 });
      const from = Date.UTC(2034, 0, 1);
      await ledger().record([
        newCharge(payer, { charged: 1, at: from, detail: { default_price: 'groq' } }),
        newCharge(payer, { charged: 2, at: from, detail: { default_price: `b "'%` } }),
        newCharge(payer, {
          charged: 4,
          at: from,
          detail: { note: '"default_price":"x"', tags: { default_price: 'y' } },
        }),
      ]);
      const filter = { from, to: from + DAY, ownerId: payer.ownerId, mode: 'live' } as const;
      const rows = await ledger().usage({ ...filter, groupBy: ['default_price'] });
      expect(rows.map(({ group, charged }) => [group['default_price'], charged])).toEqual([
        ['', 4],
        [`b "'%`, 2],
        ['groq', 1],
      ]);
    });
  });

  it('verifies: what adds up has no differences', async () => {
    const task = newTask();
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    await store().tasks.create(task, { payer, amount: 10, detail: {} }, undefined, 0);
    await store().tasks.advance(task.id, ['NOT_START'], { state: 'FAILURE' }, { type: 'release', detail: {} }, 1);
    expect(await ledger().verify()).toEqual([]);
  });
});
