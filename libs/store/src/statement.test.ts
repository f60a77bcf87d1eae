/** Statements: what is booked and what is set aside always come to the balance, and one period ends where the next begins. */
import { expect, it } from 'vitest';
import { openStatement, type Payer, type StatementFilter, type StatementLine, type Store } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newCharge, newPayer, unique } from './test-rows.ts';

const DAY = 86_400_000;
const MONTH = { from: 10 * DAY, to: 40 * DAY };

describeDatabases('statements', openStore, ({ store, replica }) => {
  const read = async (given: Partial<StatementFilter> & { readonly ownerId: number }, from: Store = replica()) => {
    const statement = await openStatement(from.ledger, { ...MONTH, daily: true, holds: false, ...given });
    const lines: StatementLine[] = [];
    const pages = statement.lines();
    for (;;) {
      const page = await pages.next();
      if (page.done === true) return { ...statement, lines, end: page.value };
      lines.push(...page.value);
    }
  };

  /** Every way in which money moves: before, within and after the month. */
  async function busyOwner(): Promise<Payer> {
    const { ledger } = store();
    const payer = await newPayer(store(), { balance: 1_000_000 });
    await ledger.record([newCharge(payer, { charged: 100, at: 9 * DAY })]);
    await ledger.topUp(payer.ownerId, 500_000, { note: 'Invoice 7' }, MONTH.from);
    const hold = async (amount: number, at: number): Promise<number> =>
      ledger.hold(payer, { amount, requestId: `request ${unique()}`, model: 'film', detail: {} }, at);
    const captured = await hold(5_000, 11 * DAY);
    await ledger.capture(captured, { charged: 3_000, detail: {} }, 12 * DAY);
    await ledger.release(await hold(4_000, 11 * DAY), {}, 12 * DAY);
    await hold(700, 13 * DAY);
    const late = await hold(900, 39 * DAY);
    const lease = await ledger.lease(payer, { want: 1_000, atLeast: 1, ttlMs: 1_000, process: 'p' }, 14 * DAY);
    const usage = { inputTokens: 5, outputTokens: 2 };
    const leased = newCharge(payer, { charged: 60, at: 14 * DAY, leaseId: lease?.id ?? 0, detail: { usage } });
    await ledger.record([leased, newCharge(payer, { charged: 40, at: 14 * DAY + 1, detail: { usage } })]);
    await ledger.record([newCharge(payer, { charged: 7, at: 14 * DAY + 2, model: 'other' })]);
    await ledger.adjust(payer.ownerId, -250, { note: 'a fee' }, 15 * DAY);
    await ledger.waive(leased.requestId, { note: 'sorry' }, 16 * DAY);
    await ledger.capture(late, { charged: 800, detail: {} }, MONTH.to);
    return payer;
  }

  it('have a line for every top-up and correction, and one for the charges of a day and model', async () => {
    const { ownerId } = await busyOwner();
    const { opening, reserved, lines, end } = await read({ ownerId });
    expect(opening).toBe(1_000_000 - 100);
    // Two open holds, and what is left of the lease.
    expect(reserved).toEqual({ before: 0, after: 700 + 900 + 1_000 - 60 });
    expect(
      lines.map(({ kind, at, model, note, count, booked }) => [kind, at / DAY, model ?? note, count, booked]),
    ).toEqual([
      ['topup', 10, 'Invoice 7', 1, 500_000],
      ['charge', 12, 'film', 1, -3_000],
      ['charge', 14, 'gpt', 2, -100],
      ['charge', 14, 'other', 1, -7],
      ['adjustment', 15, 'a fee', 1, -250],
      ['credit', 16, 'gpt', 1, 60],
    ]);
    expect(lines[2]).toMatchObject({ inputTokens: 10, outputTokens: 4 });
    expect(lines.map(({ balance }) => balance).at(-1)).toBe(end.balance);
    expect(end).toEqual({
      totals: { topups: 500_000, adjustments: -250, credits: 60, charges: -3_107, requests: 4 },
      balance: 1_000_000 - 100 + 500_000 - 250 + 60 - 3_107,
    });
  });

  it.each([{ daily: true }, { daily: false }])('come to the balance, whatever is shown: $daily', async ({ daily }) => {
    const payer = await busyOwner();
    const { ownerId } = payer;
    const all = await read({ ownerId, daily, from: 0, to: 100 * DAY, holds: true });
    const sum = (name: 'booked' | 'reserved') => all.lines.reduce((total, line) => total + line[name], 0);
    expect([all.opening, all.reserved.before]).toEqual([0, 0]);
    expect([sum('booked'), sum('reserved')]).toEqual([all.end.balance, all.reserved.after]);
    expect(all.end.balance - all.reserved.after).toBe(await balanceOf(store(), payer));
    const without = await read({ ownerId, daily, from: 0, to: 100 * DAY });
    expect(without.end.balance).toBe(all.end.balance);
    expect(without.reserved).toEqual(all.reserved);
    expect(new Set(without.lines.map(({ kind }) => kind))).toEqual(
      new Set(['topup', 'charge', 'adjustment', 'credit']),
    );
    if (!daily)
      expect(all.lines.map(({ entryId = 0 }) => entryId)).toEqual(
        all.lines.map(({ entryId = 0 }) => entryId).toSorted((a, b) => a - b),
      );
  });

  it('are split by what is asked for, and come to the same balance in every split', async () => {
    const payer = await newPayer(store(), { balance: 10_000 });
    const { ownerId } = payer;
    const charge = (charged: number, tags: Record<string, string>, identity?: Record<string, string>, day = 20) =>
      newCharge(payer, {
        ...{ charged, at: day * DAY + charged },
        detail: { usage: { inputTokens: charged, outputTokens: 1 }, tags, ...(identity && { identity }) },
      });
    await store().ledger.record([
      charge(1, { project: 'a', team: 'x' }, { user: 'u', session: 's-1', run: 'r' }),
      charge(2, { project: 'a', team: 'y' }, { user: 'u', session: 's-2', run: 'r' }),
      charge(4, { project: 'b' }),
      charge(8, { project: 'a' }, { user: 'u' }, 21),
      newCharge(payer, { charged: 16, at: 21 * DAY }),
    ]);
    const hold = { amount: 32, requestId: `request ${unique()}`, detail: { identity: { user: 'u' } } };
    await store().ledger.hold(payer, hold, 20 * DAY);
    const linesBy = async (...groupBy: NonNullable<StatementFilter['groupBy']>) => {
      const { lines, end } = await read({ ownerId, groupBy, tag: 'team' });
      expect(end).toMatchObject({ balance: 10_000 - 31, totals: { charges: -31, requests: 5 } });
      return lines.map(({ at, booked, count, ...line }) => [
        at / DAY,
        groupBy.map((name) => line[name === 'key' ? 'keyId' : name] ?? null),
        booked,
        count,
      ]);
    };
    expect(await linesBy()).toEqual([[20, [], -7, 3], [21, [], -24, 2]]); // prettier-ignore
    expect(await linesBy('project')).toEqual([
      [20, ['a'], -3, 2],
      [20, ['b'], -4, 1],
      [21, [null], -16, 1],
      [21, ['a'], -8, 1],
    ]);
    expect(await linesBy('user', 'session')).toEqual([
      [20, [null, null], -4, 1],
      [20, ['u', 's-1'], -1, 1],
      [20, ['u', 's-2'], -2, 1],
      [21, [null, null], -16, 1],
      [21, ['u', null], -8, 1],
    ]);
    expect(await linesBy('tag')).toEqual([
      [20, [null], -4, 1],
      [20, ['x'], -1, 1],
      [20, ['y'], -2, 1],
      [21, [null], -24, 2],
    ]);
    expect(await linesBy('key')).toEqual([[20, [payer.keyId], -7, 3], [21, [payer.keyId], -24, 2]]); // prettier-ignore
    expect((await linesBy('run', 'model', 'endpoint')).map(([, groups]) => groups)).toEqual([
      [null, 'gpt', 'chat-completions'],
      ['r', 'gpt', 'chat-completions'],
      [null, 'gpt', 'chat-completions'],
    ]);
    const withHolds = await read({ ownerId, groupBy: ['user'], holds: true });
    expect(withHolds.lines.find(({ kind }) => kind === 'hold')).toMatchObject({ user: 'u', reserved: 32 });
    expect(withHolds.lines[0]).not.toHaveProperty('model');
  });

  it('are refused by day beyond the limit of lines, and not one by one', async () => {
    const payer = await newPayer(store(), { balance: 100 });
    const { ownerId } = payer;
    const charges = ['a', 'b', 'c'].map((session, at) =>
      newCharge(payer, { charged: 1, at: 20 * DAY + at, detail: { identity: { session } } }),
    );
    await store().ledger.record(charges);
    expect((await read({ ownerId, groupBy: ['session'], mostDaily: 3 })).lines).toHaveLength(3);
    await expect(read({ ownerId, groupBy: ['session'], mostDaily: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'group_by' },
    });
    expect((await read({ ownerId, groupBy: [], mostDaily: 2 })).lines).toHaveLength(1);
    expect((await read({ ownerId, daily: false, mostDaily: 2 })).lines).toHaveLength(3);
  });

  it('end where the next one begins', async () => {
    const { ownerId } = await busyOwner();
    const ends = [0, 10, 12, 14, 15, 39, 40, 60].map((day) => day * DAY);
    let before = { balance: 0, reserved: 0 };
    for (const [at, from] of ends.slice(0, -1).entries()) {
      const found = await read({ ownerId, from, to: ends[at + 1] ?? 0, daily: at % 2 === 0 });
      expect({ balance: found.opening, reserved: found.reserved.before }).toEqual(before);
      before = { balance: found.end.balance, reserved: found.reserved.after };
    }
  });

  it('are as of the moment in which they begin, however long they are read', async () => {
    const payer = await newPayer(store(), { balance: 10_000 });
    const charge = () => newCharge(payer, { charged: 1, at: 20 * DAY });
    await store().ledger.record(Array.from({ length: 1_001 }, charge));
    const filter = { ownerId: payer.ownerId, ...MONTH, holds: false };
    const statement = await openStatement(store().ledger, { ...filter, daily: false });
    const pages = statement.lines();
    expect((await pages.next()).value).toHaveLength(1_000);
    await store().ledger.record([charge(), charge()]);
    expect((await pages.next()).value).toHaveLength(1);
    expect(await pages.next()).toMatchObject({ done: true, value: { balance: 10_000 - 1_001 } });
  });

  it('know nothing of other owners, nor of the test keys of the same one', async () => {
    const payer = await newPayer(store(), { balance: 5 });
    await busyOwner();
    const ownerId = -payer.ownerId;
    await store().owners.ensure({ id: ownerId, name: 'test keys', group: 'default' }, 0);
    await store().ledger.record([newCharge({ ...payer, ownerId }, { charged: 9, at: 20 * DAY })]);
    const found = await read({ ownerId: payer.ownerId });
    expect([found.lines, found.opening, found.end.balance]).toEqual([[], 5, 5]);
  });
});
