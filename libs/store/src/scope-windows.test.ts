/** Caps that payers share: each counts in its windows, all of them bind, and what is kept of them is what the entries come to. */
import { expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { inScopeOrder, type Payer, type SpendScope, type SpendWindow, type Store } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { openStore } from './index.ts';
import type { Tables } from './tables.ts';
import { balanceOf, newCharge, newPayer, unique } from './test-rows.ts';
import { verifyScopes } from './verify-scopes.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const scope = (name: string, window: SpendWindow, cap: number): SpendScope => ({
  ...{ scope: name, window, cap },
  ...{ name: `the budget ${name}`, limit: name },
});
const nested = (...scopes: SpendScope[]): { readonly scopes: readonly SpendScope[] } => ({
  scopes: inScopeOrder(scopes),
});

describeDatabases('caps that payers share', openStore, ({ kind, url, store, replica }) => {
  const hold = (payer: Payer, amount: number, at = NOON, by: Store = store()): Promise<number> =>
    by.ledger.hold(payer, { amount, requestId: `r ${unique()}`, detail: {} }, at);
  const usedOf = async (name: string, window: SpendWindow, at = NOON): Promise<number> =>
    store()
      .ledger.spentOf([{ scope: name, window }], at)
      .then(([used]) => used ?? 0);

  it.each(['hour', 'day', 'week', 'month', 'total'] as const)('bind for one %s', async (window) => {
    const name = `a${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000_000, ...nested(scope(name, window, 100)) });
    await hold(payer, 60);
    const refused = hold(payer, 41);
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_quota' });
    await expect(refused).rejects.toThrow(`the budget ${name} leaves $0.00008.`);
    expect(await balanceOf(store(), payer)).toBe(999_940);
    await hold(payer, 40);
    const next = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 31 * 24 * HOUR, total: 400 * 24 * HOUR }[
      window
    ];
    if (window === 'total')
      await expect(hold(payer, 1, NOON + next)).rejects.toMatchObject({ code: 'insufficient_quota' });
    else await hold(payer, 100, NOON + next);
    expect(await usedOf(name, window)).toBe(100);
  });

  it('bind for all who name them, and leave nothing of what another cap refused', async () => {
    const [team, one, other] = [`t${unique()}`, `k${unique()}`, `k${unique()}`];
    const first = await newPayer(store(), {
      balance: 1_000,
      ...nested(scope(team, 'day', 100), scope(one, 'hour', 80)),
    });
    const second = await newPayer(store(), {
      balance: 1_000,
      ...nested(scope(team, 'day', 100), scope(other, 'hour', 80)),
    });
    await hold(first, 70);
    await expect(hold(second, 31)).rejects.toThrow(`the budget ${team}`);
    expect(await usedOf(other, 'hour')).toBe(0);
    await expect(hold(first, 20)).rejects.toThrow(`the budget ${one}`);
    expect(await usedOf(team, 'day')).toBe(70);
    await hold(second, 30);
    expect(await usedOf(team, 'day')).toBe(100);
  });

  it('follow what a hold is captured for, released from, and charged beyond', async () => {
    const name = `b${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000, ...nested(scope(name, 'hour', 100)) });
    const [captured, released, beyond] = [await hold(payer, 30), await hold(payer, 30), await hold(payer, 30)];
    await store().ledger.capture(captured, { charged: 10, detail: {} }, NOON + HOUR);
    await store().ledger.release(released, {}, NOON + HOUR);
    // 40 used; the bill finds 60 left beside its hold, and the house pays what is more.
    await store().ledger.capture(beyond, { charged: 500, detail: {} }, NOON + HOUR);
    expect(await usedOf(name, 'hour')).toBe(100);
    expect(await usedOf(name, 'hour', NOON + HOUR)).toBe(0);
    expect(await balanceOf(store(), payer)).toBe(900);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('bound what a lease gets, and get back what it leaves', async () => {
    const name = `c${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000, ...nested(scope(name, 'hour', 100)) });
    const lease = { want: 900, atLeast: 10, enough: 10, process: 'p', ttlMs: 60_000 };
    const granted = await store().ledger.lease(payer, lease, NOON);
    expect(granted).toMatchObject({ amount: 100, available: 100 });
    await expect(store().ledger.lease(payer, lease, NOON)).resolves.toBeUndefined();
    await store().ledger.record([newCharge(payer, { charged: 25, leaseId: granted?.id ?? 0, at: NOON })]);
    await store().ledger.closeLease(granted?.id ?? 0, NOON + HOUR);
    expect(await usedOf(name, 'hour')).toBe(25);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('recall leases of other owners under the same cap, and no others', async () => {
    const [team, process] = [`d${unique()}`, `p${unique()}`];
    const shared = nested(scope(team, 'day', 1_000));
    const [one, two, stranger] = [
      await newPayer(store(), { balance: 1_000, ...shared }),
      await newPayer(store(), { balance: 1_000, ...shared }),
      await newPayer(store(), { balance: 1_000, ...nested(scope(`${team}-2`, 'day', 1_000)) }),
    ];
    const lease = { want: 10, atLeast: 10, process, ttlMs: 60_000 };
    const theirs = await store().ledger.lease(two, lease, NOON);
    const not = await store().ledger.lease(stranger, lease, NOON);
    await store().ledger.recallLeases(one, 'another process');
    expect(await store().ledger.recalledLeases(process)).toEqual([theirs?.id]);
    for (const id of [theirs?.id ?? 0, not?.id ?? 0]) await store().ledger.closeLease(id, NOON);
  });

  it('let requests cost no more than the overdraft beyond them, however many owners share them', async () => {
    const shared = nested(scope(`e${unique()}`, 'day', 100));
    const ask = {
      want: 400,
      atLeast: 10,
      enough: 400,
      sharedFrom: 6_400,
      overdraft: 500,
      usual: 10,
      process: 'p',
      ttlMs: 9,
    };
    const owners = await Promise.all(
      Array.from({ length: 6 }, () => newPayer(store(), { balance: 100_000, ...shared })),
    );
    const grants = await Promise.all(
      owners.map((payer, index) =>
        (index % 2 === 0 ? store() : replica()).ledger.lease(payer, ask, NOON).catch((error: unknown) => {
          if (error instanceof GatewayError && error.code === 'insufficient_quota') return undefined;
          throw error;
        }),
      ),
    );
    const held = grants.reduce((sum, grant) => sum + (grant?.amount ?? 0), 0);
    const risked = grants.reduce((sum, grant) => sum + (grant?.overdraft ?? 0), 0);
    expect(grants.filter((grant) => grant !== undefined).length).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(100);
    expect(risked).toBeLessThanOrEqual(500);
  });

  it('are wanted by 24 clients of six owners at once, in every way: never passed, no ring of locks, and all adds up', async () => {
    const team = scope(`f${unique()}`, 'day', 350);
    const users = [scope(`z${unique()}`, 'week', 400), scope(`a${unique()}`, 'week', 400)];
    const payers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        newPayer(store(), {
          balance: 100_000,
          ...nested(team, users[index % 2]!, scope(`r${unique()}`, 'total', 150)),
        }),
      ),
    );
    const spend = async (client: number, turn: number): Promise<void> => {
      const by = client % 2 === 0 ? store() : replica();
      const payer = payers[(client + turn) % 6]!;
      try {
        if ((client + turn) % 3 === 0) {
          const id = await hold(payer, 9, NOON, by);
          await by.ledger.capture(id, { charged: 7, detail: {} }, NOON);
        } else if ((client + turn) % 3 === 1) {
          const grant = await by.ledger.lease(payer, { want: 20, atLeast: 5, process: 'q', ttlMs: 9 }, NOON);
          if (grant === undefined) return;
          // Of two owners in one batch: both of their caps are locked in one order.
          const other = payers[(client + turn + 1) % 6]!;
          await by.ledger.record([
            newCharge(payer, { charged: 5, leaseId: grant.id, at: NOON }),
            newCharge(other, { charged: 3, at: NOON }),
          ]);
          await by.ledger.closeLease(grant.id, NOON);
        } else
          await by.ledger.record([
            newCharge(payer, { charged: 6, at: NOON }),
            newCharge(payers[client % 6]!, { charged: 2, at: NOON }),
          ]);
      } catch (error) {
        if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
      }
    };
    await Promise.all(
      Array.from({ length: 24 }, async (_, client) => {
        for (let turn = 0; turn < 4; turn++) await spend(client, turn);
      }),
    );
    const all = new Map(payers.flatMap(({ scopes = [] }) => scopes.map((each) => [each.scope, each])));
    for (const each of all.values()) expect(await usedOf(each.scope, each.window)).toBeLessThanOrEqual(each.cap);
    expect(await usedOf(team.scope, 'day')).toBeGreaterThan(300);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('of dead processes count what was at risk', async () => {
    const name = `g${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000, ...nested(scope(name, 'hour', 100)) });
    const grant = await store().ledger.lease(
      payer,
      { want: 50, atLeast: 10, enough: 20, process: 'dead', ttlMs: 0 },
      NOON,
    );
    expect(grant?.amount).toBe(50);
    await store().ledger.closeExpiredLeases(Date.UTC(2100, 0), { process: 'alive' });
    expect(await usedOf(name, 'hour')).toBe(20);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('tell what is used of each window, read together, whatever other windows begin with them', async () => {
    const name = `w${unique()}`;
    const [first, later] = [Date.UTC(2026, 10, 1, 5), NOON];
    const caps = nested(scope(name, 'day', 900), scope(name, 'month', 900));
    const payer = await newPayer(store(), { balance: 1_000, ...caps });
    await hold(payer, 30, first);
    // The first day of the month begins with the month.
    const asked = [
      { scope: name, window: 'day' },
      { scope: name, window: 'month' },
    ] as const;
    expect(await store().ledger.spentOf(asked, later)).toEqual([0, 30]);
    await hold(payer, 5, later);
    expect(await store().ledger.spentOf(asked, later)).toEqual([5, 35]);
    expect(await store().ledger.spentOf(asked, first)).toEqual([30, 35]);
  });

  it('count nothing of requests that cost nothing, and nothing of others beside them', async () => {
    const name = `f${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000, ...nested(scope(name, 'day', 100)) });
    const { scopes: _none, ...without } = payer;
    await store().ledger.record([
      newCharge(payer, { charged: 0, at: NOON }),
      newCharge(without, { charged: 5, at: NOON }),
    ]);
    expect([await usedOf(name, 'day'), await balanceOf(store(), payer)]).toEqual([0, 995]);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('of runs are removed when nobody has used them for long, and totals of others stay', async () => {
    const name = `i${unique()}`;
    const caps = nested(scope(`run:${name}`, 'total', 100), scope(name, 'total', 100), scope(name, 'hour', 100));
    const payer = await newPayer(store(), { balance: 1_000, ...caps });
    await store().ledger.capture(await hold(payer, 30), { charged: 30, detail: {} }, NOON);
    expect(await store().runs.count(7, name, NOON)).toEqual({ requests: 1, startedAt: NOON });
    expect(await replica().runs.count(7, name, NOON + 5)).toEqual({ requests: 2, startedAt: NOON });
    await store().ledger.sweepRuns(NOON, 1);
    expect(await store().runs.count(7, name, NOON + 6)).toEqual({ requests: 3, startedAt: NOON });
    for (let left = 1; left > 0;) left = await store().ledger.sweepRuns(NOON + 7, 1);
    expect(await store().runs.count(7, name, NOON + 8)).toEqual({ requests: 1, startedAt: NOON + 8 });
    expect([await usedOf(`run:${name}`, 'total'), await usedOf(name, 'hour'), await usedOf(name, 'total')]).toEqual([
      0, 0, 30,
    ]);
    // It begins anew, and what it used before is no difference.
    const later = NOON + 40 * 24 * HOUR;
    await store().ledger.capture(await hold(payer, 5, later), { charged: 5, detail: {} }, later);
    expect(await usedOf(`run:${name}`, 'total')).toBe(5);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('of runs count the answers in a row to the same request, over processes', async () => {
    const name = `s${unique()}`;
    const answered = async () => (await store().runs.count(7, name, NOON)).answered;
    // Nobody has asked, so there is nothing to note.
    await store().runs.answered(7, name, 'a');
    expect(await answered()).toBeUndefined();
    await store().runs.answered(7, name, 'a');
    await replica().runs.answered(7, name, 'a');
    expect(await answered()).toEqual({ request: 'a', times: 2 });
    expect((await store().runs.count(8, name, NOON)).answered).toBeUndefined();
    await replica().runs.answered(7, name, 'b');
    expect(await answered()).toEqual({ request: 'b', times: 1 });
    await store().runs.answered(7, name, 'a');
    expect(await answered()).toEqual({ request: 'a', times: 1 });
  });

  it('of a run tell its model to stop', async () => {
    const run = { ...scope(`run:j${unique()}`, 'total', 1_000_000), isOfRun: true } as const;
    const payer = await newPayer(store(), { balance: 2_000_000, ...nested(run) });
    await hold(payer, 900_000);
    await expect(hold(payer, 100_001)).rejects.toMatchObject({
      code: 'run_limit_reached',
      message:
        'The budget of this run is used: $1.80 of $2.00, and the next request may cost up to $0.200002. Stop and report what you have.',
      details: { limit: run.limit },
    });
    await hold(payer, 100_000);
    await expect(hold(payer, 1)).rejects.toThrow(
      'The budget of this run is used: $2.00 of $2.00. Stop and report what you have.',
    );
  });

  it('are verified: a window that somebody changed is told', async () => {
    const name = `h${unique()}`;
    const payer = await newPayer(store(), { balance: 1_000, ...nested(scope(name, 'hour', 100)) });
    await hold(payer, 30);
    const { dialect } = kind === 'sqlite' ? openSqlite(url().replace('sqlite:', '')) : await openPostgres(url(), 1);
    const db = new Kysely({ dialect });
    await sql`update scope_windows set used = used - 1 where scope = ${name}`.execute(db);
    expect(await store().ledger.verify()).toMatchObject([
      { subject: `hour 2026-11-21T12 of ${name}`, expected: 30, found: 29 },
    ]);
    await sql`update scope_windows set used = used + 1 where scope = ${name}`.execute(db);
    await db.destroy();
  });

  it('are verified without reading what is days older than they are', async () => {
    const [name, day] = [`w${unique()}`, 24 * HOUR];
    const payer = await newPayer(store(), { balance: 1_000_000, ...nested(scope(name, 'hour', 1_000_000)) });
    const from = NOON + 4_000 * day;
    for (let count = 0; count < 40; count++) await hold(payer, 30, from + count * day);
    // By a clock that was months ahead until now.
    await hold(payer, 30, from + 38 * day + HOUR);
    const { dialect } = kind === 'sqlite' ? openSqlite(url().replace('sqlite:', '')) : await openPostgres(url(), 1);
    const db = new Kysely<Tables>({ dialect });
    await sql`delete from scope_windows where scope = ${name} and start < ${from + 38 * day}`.execute(db);
    await sql`update scope_windows set used = used + 7 where scope = ${name}`.execute(db);
    let page: Record<string, unknown> = {};
    const ages: number[] = [];
    const watched = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        for (const row of result.rows) {
          if ('since' in row) page = row;
          else if ('scopes' in row && page['scope'] === name)
            ages.push(Number(page['since']) - Number(row['created_at']));
        }
        return result;
      },
    });
    const found = await verifyScopes({ kind, db: watched }, undefined, 1);
    expect(found.map(({ expected, found: used }) => [expected, used])).toEqual([1, 1, 1].map(() => [30, 37]));
    expect(ages.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...ages)).toBeLessThanOrEqual(day);
    await sql`update scope_windows set used = used - 7 where scope = ${name}`.execute(db);
    await db.destroy();
  });

  it.each([1, 2, 3, 1_000])('are verified %i windows at a time', async (atOnce) => {
    const [one, other] = [`u${unique()}`, `v${unique()}`];
    const caps = nested(scope(one, 'hour', 1_000), scope(one, 'total', 1_000), scope(other, 'week', 1_000));
    const payer = await newPayer(store(), { balance: 1_000, ...caps });
    for (const at of [NOON, NOON + HOUR, NOON + 2 * HOUR]) await hold(payer, 30, at);
    const { dialect } = kind === 'sqlite' ? openSqlite(url().replace('sqlite:', '')) : await openPostgres(url(), 1);
    const db = new Kysely<Tables>({ dialect });
    const found = () => verifyScopes({ kind, db }, undefined, atOnce);
    expect(await found()).toEqual([]);
    const changed = sql`((kind = 'hour' and start = ${NOON + HOUR}) or kind = 'week') and scope in (${one}, ${other})`;
    await sql`update scope_windows set used = used + 7 where ${changed}`.execute(db);
    expect(await found()).toMatchObject([
      { subject: `hour 2026-11-21T13 of ${one}`, expected: 30, found: 37 },
      { subject: `week 2026-11-16 of ${other}`, expected: 90, found: 97 },
    ]);
    await sql`update scope_windows set used = used - 7 where ${changed}`.execute(db);
    await db.destroy();
  });
});
