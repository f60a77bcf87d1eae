import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AtRisk, LeaseGrant, Payer, RequestAtRisk, Store } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newCharge, newKey, newPayer } from './test-rows.ts';

const MINUTE = 60_000;
/** The database's own clock decides, as in life. */
const openOwnClock = (url: string): Promise<Store> => openStore(url);
/** The clock is in the test's hand. */
const openCallerClock = (url: string): Promise<Store> => openStore(url, { leaseClock: 'caller' });

const atRisk = (id: number, units: number, requests: readonly RequestAtRisk[] = []): ReadonlyMap<number, AtRisk> =>
  new Map([[id, { units, requests }]]);
const inFlight = (id: string, units: number): RequestAtRisk => ({
  ...{ id, model: 'm', endpoint: '/v1/chat/completions', units, reserved: 400, basis: 'estimate' as const },
});

const SKEWS = [90_000, 3_600_000];

describeDatabases('replicas whose clocks differ', openOwnClock, ({ kind, store, replica }) => {
  // SQLite has one process, and so one clock.
  const skewed = kind === 'postgres' ? it : it.skip;

  skewed.each(SKEWS.flatMap((ms) => [ms, -ms]))('by %d ms do each other no harm', async (skew) => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const mine = (): number => Date.now();
    const theirs = (): number => Date.now() + skew;
    const request = { want: 200, atLeast: 1, enough: 100, ttlMs: MINUTE };
    const own = (await store().ledger.lease(payer, { ...request, process: `mine ${skew}` }, mine()))!;
    const other = (await replica().ledger.lease(payer, { ...request, process: `theirs ${skew}` }, theirs()))!;
    await replica().ledger.closeExpiredLeases(theirs());
    await store().ledger.closeExpiredLeases(mine());
    expect(await store().ledger.extendLease(own.id, MINUTE, mine())).toEqual({ careful: false });
    expect(await replica().ledger.extendLease(other.id, MINUTE, theirs())).toEqual({ careful: false });
    await replica().ledger.closeExpiredLeases(theirs());
    await store().ledger.closeExpiredLeases(mine());
    await store().ledger.record([newCharge(payer, { charged: 30, leaseId: own.id, at: mine() })]);
    await replica().ledger.record([newCharge(payer, { charged: 40, leaseId: other.id, at: theirs() })]);
    await store().ledger.closeLease(own.id, mine());
    await replica().ledger.closeLease(other.id, theirs());
    expect(await balanceOf(store(), payer)).toBe(930);
    expect(await store().ledger.verify()).toEqual([]);
  });

  skewed.each(SKEWS.flatMap((ms) => [ms, -ms]))('by %d ms find the leases of the dead all the same', async (skew) => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const request = { want: 200, atLeast: 1, enough: 100, process: `dead ${skew}`, ttlMs: 0 };
    await store().ledger.lease(payer, request, Date.now() + skew);
    expect((await replica().ledger.closeExpiredLeases(Date.now() - skew)).closed).toBeGreaterThanOrEqual(1);
    expect(await balanceOf(store(), payer)).toBe(900);
  });
});

describeDatabases('leases of dead processes', openCallerClock, ({ store, replica }) => {
  const ledger = (): Store['ledger'] => store().ledger;
  const lease = { want: 500, atLeast: 1, enough: 50, process: 'dead', ttlMs: 1000 };
  const grant = async (payer: Payer, given: object = {}): Promise<LeaseGrant> =>
    (await ledger().lease(payer, { ...lease, ...given }, 1000))!;
  const captures = (payer: Payer) => ledger().entries({ ownerId: payer.ownerId, kind: 'capture', limit: 99 });

  it('are charged what was at risk, once, whoever finds them', async () => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0, limits: { spendTotal: 600 } });
    const { id } = await grant(payer);
    await ledger().record([newCharge(payer, { charged: 30, leaseId: id })], atRisk(id, 120));
    await Promise.all([ledger().closeExpiredLeases(2000), replica().ledger.closeExpiredLeases(2000)]);
    await ledger().closeExpiredLeases(2000);
    expect(await balanceOf(store(), payer)).toBe(850);
    expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(150);
    expect(
      (await captures(payer)).map(({ charged, amount, detail }) => [charged, amount, detail['crashSettlement']]),
    ).toEqual([
      [30, 0, undefined],
      [120, 0, true],
    ]);
    expect(await ledger().verify()).toEqual([]);
  });

  it('know the worst case of their first request from the start, and are charged no more than they have', async () => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const [first, second] = [await grant(payer), await grant(payer, { want: 100 })];
    await ledger().record([newCharge(payer, { charged: 70, leaseId: second.id })], atRisk(second.id, 9000));
    expect(first.amount).toBe(500);
    await ledger().closeExpiredLeases(2000);
    expect(await balanceOf(store(), payer)).toBe(1000 - 50 - 100);
    expect(await ledger().verify()).toEqual([]);
  });

  it('give all of it back when their process closes them itself', async () => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const { id } = await grant(payer);
    await ledger().record([], atRisk(id, 120));
    await ledger().closeLease(id, 1500);
    expect(await balanceOf(store(), payer)).toBe(1000);
    expect(await captures(payer)).toEqual([]);
  });

  it('charges that come late are paid by the settlement first, then by the balance', async () => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const { id } = await grant(payer);
    await ledger().record([], atRisk(id, 100));
    await ledger().closeExpiredLeases(2000);
    const late = [60, 60, 60].map((charged) => newCharge(payer, { charged, leaseId: id }));
    await ledger().record(late, atRisk(id, 0));
    await ledger().record(late);
    expect(await balanceOf(store(), payer)).toBe(820);
    const sum = (await captures(payer)).reduce((total, { charged }) => total + charged, 0);
    expect(sum).toBe(180);
    expect(await ledger().verify()).toEqual([]);
  });

  it('are charged request by request, as far as they are named, and no more than the lease has', async () => {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const { id } = await grant(payer, { want: 100 });
    const named = [inFlight('one', 40), inFlight('two', 50), inFlight('three', 50)];
    await ledger().record([], atRisk(id, 145, named));
    const { interrupted } = await ledger().closeExpiredLeases(2000);
    expect(
      interrupted.map(({ id: request, ownerId, keyId, charged }) => ({ request, ownerId, keyId, charged })),
    ).toEqual([
      { request: 'one', ...payerIds(payer), charged: 40 },
      { request: 'two', ...payerIds(payer), charged: 50 },
      { request: 'three', ...payerIds(payer), charged: 10 },
    ]);
    expect(await captures(payer)).toMatchObject([
      { requestId: 'interrupted:one', model: 'm', charged: 40, detail: { requestId: 'one', basis: 'estimate' } },
      { requestId: 'interrupted:two', charged: 50, detail: { reserved: 400 } },
      { requestId: 'interrupted:three', charged: 10 },
    ]);
    // The request ended after all: its process only slept.
    await ledger().record([newCharge(payer, { requestId: 'one', charged: 70, leaseId: id })]);
    expect(await balanceOf(store(), payer)).toBe(900);
    expect(await ledger().verify()).toEqual([]);
  });

  it('are charged for what nobody named in one sum, of a payer without any cap beside his balance', async () => {
    const payer = await newPayer(store(), { balance: 0 });
    const { id } = await grant(payer, { want: 0, atLeast: 0, enough: undefined });
    await ledger().record([], atRisk(id, 45, [inFlight('named', 30)]));
    await ledger().closeExpiredLeases(2000);
    expect(await balanceOf(store(), payer)).toBe(-45);
    expect((await captures(payer)).map(({ requestId, charged }) => [requestId, charged])).toEqual([
      ['interrupted:named', 30],
      [`crash-settlement-${id}`, 15],
    ]);
    expect(await ledger().verify()).toEqual([]);
  });

  it('without money, of a payer without any cap, are charged directly', async () => {
    const payer = await newPayer(store(), { balance: 0 });
    const { id } = await grant(payer, { want: 0, atLeast: 0, enough: undefined });
    await ledger().record([newCharge(payer, { charged: 30, tabId: id, at: 1500 })], atRisk(id, 45));
    await ledger().closeExpiredLeases(2000);
    expect(await balanceOf(store(), payer)).toBe(-75);
    await ledger().record([newCharge(payer, { charged: 50, tabId: id, at: 2500 })], atRisk(id, 0));
    expect(await balanceOf(store(), payer)).toBe(-80);
    expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(80);
    expect(await ledger().verify()).toEqual([]);
  });

  it('make the next leases of their owner careful, for an hour', async () => {
    const payer = await newPayer(store(), { balance: 10_000, creditLimit: 0 });
    expect((await grant(payer)).careful).toBe(false);
    await ledger().closeExpiredLeases(2000);
    const { id, careful } = await grant(payer);
    expect(careful).toBe(true);
    expect(await ledger().extendLease(id, MINUTE, 2000)).toEqual({ careful: true });
    expect(await ledger().extendLease(id, MINUTE, 2000 + 3_600_000)).toEqual({ careful: false });
    const later = await ledger().lease(payer, lease, 2000 + 3_600_000);
    expect(later?.careful).toBe(false);
  });
});

describeDatabases('what is left', openCallerClock, ({ store }) => {
  const ledger = (): Store['ledger'] => store().ledger;
  const lease = { want: 500, atLeast: 20, enough: 300, sharedFrom: 1200, process: 'p', ttlMs: MINUTE };

  describe('when it is short', () => {
    it('is leased for one request alone, and all of it to one that may need more', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const grants = [];
      for (let request = 0; request < 3; request += 1) grants.push(await ledger().lease(payer, lease, 1000));
      expect(grants).toMatchObject([
        { amount: 300, shared: false },
        { amount: 300, shared: false },
        { amount: 300, shared: false },
      ]);
      // 100 are left: three others run.
      expect(await ledger().lease(payer, lease, 1000)).toBeUndefined();
      for (const each of grants) await ledger().record([newCharge(payer, { charged: 300, leaseId: each!.id })]);
      expect(await ledger().lease(payer, lease, 1000)).toBeUndefined();
      for (const each of grants) await ledger().closeLease(each!.id, 1500);
      const rest = await ledger().lease(payer, lease, 1000);
      expect(rest).toMatchObject({ amount: 100, shared: false });
      expect(await ledger().lease(payer, lease, 1000)).toBeUndefined();
      await ledger().record([newCharge(payer, { charged: 100, leaseId: rest!.id })]);
      await expect(ledger().lease(payer, lease, 1000)).rejects.toMatchObject({ code: 'insufficient_quota' });
    });

    it('of a cap of one key keeps nobody else of the owner waiting', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0, limits: { spendTotal: 100 } });
      await ledger().lease({ ...payer, keyId: payer.keyId + 500_000, limits: {} }, lease, 1000);
      expect(await ledger().lease(payer, lease, 1000)).toMatchObject({ amount: 100 });
      expect(await ledger().lease(payer, lease, 1000)).toBeUndefined();
    });
  });

  it('is leased by one of several keys up to a half', async () => {
    const { ownerId } = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const [one, two] = [await store().keys.create(newKey(ownerId), 0), await store().keys.create(newKey(ownerId), 0)];
    const of = (keyId: number): Payer => ({ ownerId, keyId, limits: {} });
    const small = { ...lease, enough: 200, sharedFrom: 0, want: 900 };
    expect(await ledger().lease(of(one.id), small, 0)).toMatchObject({ amount: 500 });
    expect(await ledger().lease(of(one.id), small, 0)).toBeUndefined();
    expect(await ledger().lease(of(two.id), small, 0)).toMatchObject({ amount: 500 });
    const { ownerId: loner } = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const { id: only } = await store().keys.create(newKey(loner), 0);
    expect(await ledger().lease({ ownerId: loner, keyId: only, limits: {} }, small, 0)).toMatchObject({ amount: 900 });
  });
});

function payerIds({ ownerId, keyId }: Payer): Pick<Payer, 'ownerId' | 'keyId'> {
  return { ownerId, keyId };
}

it('tells of the leases that were closed when others after them cannot be', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leases-'));
  const file = join(folder, 'gateway.db');
  const store = await openCallerClock(`sqlite:${file}`);
  const payer = await newPayer(store, { balance: 100_000, creditLimit: 0 });
  const asked = { ...{ want: 10, atLeast: 1, enough: 1, process: 'dead', ttlMs: 1000 } };
  const ids: number[] = [];
  for (let count = 0; count < 101; count++) ids.push((await store.ledger.lease(payer, asked, 1000))!.id);
  await store.ledger.record(
    [newCharge(payer, { charged: 1, leaseId: ids[0]! })],
    atRisk(ids[0]!, 5, [inFlight('req-1', 5)]),
  );
  const damaged = new DatabaseSync(file);
  damaged.prepare('update leases set at_risk = 5, at_risk_requests = ? where id = ?').run('{', ids.at(-1)!);
  damaged.close();
  const { closed, interrupted } = await store.ledger.closeExpiredLeases(5000);
  expect({ closed, ids: interrupted.map(({ id }) => id) }).toEqual({ closed: 100, ids: ['req-1'] });
  await expect(store.ledger.closeExpiredLeases(5000)).rejects.toThrow();
  await store.close();
  await rm(folder, { recursive: true });
});
