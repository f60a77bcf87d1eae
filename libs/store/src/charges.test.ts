import { describe, expect, it } from 'vitest';
import type { LeaseGrant, Store } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newCharge, newPayer, unique } from './test-rows.ts';

/** The clock is in the test's hand, on PostgreSQL too. */
const open = (url: string) => openStore(url, { leaseClock: 'caller' });

describeDatabases('leases and charges', open, ({ store, replica }) => {
  const ledger = () => store().ledger;
  const grant = async (...given: Parameters<Store['ledger']['lease']>): Promise<LeaseGrant> => {
    const granted = await ledger().lease(...given);
    if (granted === undefined) throw new Error('other requests stand in the way');
    return granted;
  };
  const lease = { want: 500, atLeast: 10, process: 'p1', ttlMs: 59_000 };
  const kept = async (requestId: string) => (await ledger().entries({ requestId, limit: 9 }))[0];

  describe('lease', () => {
    it.each([
      { name: 'what is wanted', owner: { balance: 1000, creditLimit: 0 }, grants: 500 },
      { name: 'what the balance has', owner: { balance: 400, creditLimit: 0 }, grants: 400 },
      { name: 'credit too', owner: { balance: 400, creditLimit: 50 }, grants: 450 },
      { name: 'what the day has left', owner: { balance: 1000, limits: { spendPerDay: 70 } }, grants: 70 },
      { name: 'what the month has left', owner: { balance: 1000, limits: { spendPerMonth: 60 } }, grants: 60 },
      { name: 'what the total has left', owner: { balance: 1000, limits: { spendTotal: 10 } }, grants: 10 },
      { name: 'anything to who has no limit', owner: { balance: 0 }, grants: 500 },
    ])('grants $name', async ({ owner, grants }) => {
      const payer = await newPayer(store(), owner);
      const { amount } = await grant(payer, lease, 1000);
      expect(amount).toBe(grants);
      expect(await balanceOf(store(), payer)).toBe(owner.balance - grants);
      expect(await ledger().spent(payer.keyId, 'day', 1000)).toBe(grants);
    });

    it.each([
      { owner: { balance: 9, creditLimit: 0 }, cap: /balance.*\$0\.000018/ },
      { owner: { balance: 900, creditLimit: 0, limits: { spendPerDay: 9 } }, cap: /spend_per_day/ },
      { owner: { balance: 900, creditLimit: 0, limits: { spendTotal: 9 } }, cap: /spend_total/ },
    ])('refuses when there is less than the least: $cap', async ({ owner, cap }) => {
      const payer = await newPayer(store(), owner);
      const refused = ledger().lease(payer, lease, 1000);
      await expect(refused).rejects.toMatchObject({ code: 'insufficient_quota' });
      await expect(refused).rejects.toThrow(cap);
      expect(await balanceOf(store(), payer)).toBe(owner.balance);
    });

    it.each([
      { name: 'a share of what is there', given: { want: 900, share: 0.25 }, grants: 250 },
      { name: 'no more than is wanted', given: { want: 90, share: 0.25 }, grants: 90 },
      {
        name: 'enough for one request, whatever the share',
        given: { want: 900, share: 0.25, enough: 600 },
        grants: 600,
      },
      {
        name: 'all that is there when that is less than enough',
        given: { want: 9000, share: 0.25, enough: 2000 },
        grants: 1000,
      },
    ])('leaves others something: grants $name', async ({ given, grants }) => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      expect((await grant(payer, { ...lease, ...given }, 1000)).amount).toBe(grants);
    });

    it('can be asked back by other processes, each its own', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const name = `p${unique()}`;
      const mine = await grant(payer, { ...lease, want: 10, process: `${name} mine` }, 1000);
      const theirs = await grant(payer, { ...lease, want: 10, process: `${name} theirs` }, 1000);
      await replica().ledger.recallLeases(payer, `${name} theirs`);
      expect(await ledger().recalledLeases(`${name} mine`)).toEqual([mine.id]);
      expect(await ledger().recalledLeases(`${name} theirs`)).toEqual([]);
      await ledger().closeLease(mine.id, 2000);
      expect(await ledger().recalledLeases(`${name} mine`)).toEqual([]);
      await ledger().closeLease(theirs.id, 2000);
    });

    it('of dead processes are closed at once by the only one that can be alive', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      await grant(payer, { ...lease, want: 10, process: 'dead', ttlMs: 89_000 }, 1000);
      await grant(payer, { ...lease, want: 20, process: 'survivor', ttlMs: 89_000 }, 1000);
      expect((await ledger().closeExpiredLeases(2000, { process: 'survivor' })).closed).toBeGreaterThanOrEqual(1);
      expect(await balanceOf(store(), payer)).toBe(980);
      await ledger().closeExpiredLeases(90_000);
    });

    it('gives back what was not spent, once', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const { id } = await grant(payer, lease, 1000);
      await ledger().record([newCharge(payer, { charged: 120, leaseId: id })]);
      expect(await balanceOf(store(), payer)).toBe(500);
      await Promise.all([store().ledger.closeLease(id, 2000), replica().ledger.closeLease(id, 2000)]);
      await ledger().closeLease(id, 3000);
      expect(await balanceOf(store(), payer)).toBe(880);
      expect(await ledger().spent(payer.keyId, 'day', 1000)).toBe(120);
      await expect(ledger().closeLease(987_654, 0)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is closed by others when its process lets it expire, and told so when it comes back', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const [dead, alive] = [
        await grant(payer, { ...lease, want: 100, ttlMs: 4000 }, 1000),
        await grant(payer, { ...lease, want: 100, ttlMs: 4000 }, 1000),
      ];
      expect(await ledger().extendLease(alive.id, 5000, 4000)).toEqual({ careful: false });
      expect((await ledger().closeExpiredLeases(4999)).closed).toBe(0);
      const closed = await Promise.all([
        store().ledger.closeExpiredLeases(5000),
        replica().ledger.closeExpiredLeases(5000),
      ]);
      expect(closed[0].closed + closed[1].closed).toBe(1);
      expect(await balanceOf(store(), payer)).toBe(900);
      expect(await ledger().extendLease(dead.id, 4000, 5000)).toBeUndefined();
      expect((await ledger().closeExpiredLeases(9000)).closed).toBe(1);
      expect(await balanceOf(store(), payer)).toBe(1000);
    });

    it('closes many that expired, over several owners', async () => {
      const payers = [
        await newPayer(store(), { balance: 1000, creditLimit: 0 }),
        await newPayer(store(), { balance: 1000 }),
      ];
      for (let index = 0; index < 250; index += 1) {
        await grant(payers[index % 2]!, { want: 3, atLeast: 1, process: 'dead', ttlMs: 70_000 }, 0);
      }
      expect((await ledger().closeExpiredLeases(70_000)).closed).toBeGreaterThanOrEqual(250);
      for (const payer of payers) expect(await balanceOf(store(), payer)).toBe(1000);
    });
  });

  describe('record', () => {
    it('journals a charge from a lease with all its words', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const { id } = await grant(payer, lease, 1000);
      const detail = { usage: { inputTokens: 7 }, lines: [{ units: 30 }] };
      const charge = newCharge(payer, { charged: 30, shortfall: 4, leaseId: id, accountId: 2, detail, at: 1500 });
      await ledger().record([charge]);
      const entry = await kept(charge.requestId);
      expect(entry).toStrictEqual({
        id: entry!.id,
        ownerId: payer.ownerId,
        keyId: payer.keyId,
        kind: 'capture',
        amount: 0,
        charged: 30,
        shortfall: 4,
        holdId: id,
        requestId: charge.requestId,
        model: 'gpt',
        accountId: 2,
        priceVersion: 'v1',
        detail,
        createdAt: 1500,
      });
    });

    it('takes charges without a lease from the balance and counts them in their own day', async () => {
      const payer = await newPayer(store(), { balance: 0 });
      const day = 86_400_000;
      await ledger().record([
        newCharge(payer, { charged: 5, at: 0 }),
        newCharge(payer, { charged: 6, at: day - 1 }),
        newCharge(payer, { charged: 7, at: day }),
      ]);
      expect(await balanceOf(store(), payer)).toBe(-18);
      expect(await ledger().spent(payer.keyId, 'day', 0)).toBe(11);
      expect(await ledger().spent(payer.keyId, 'day', day)).toBe(7);
      expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(18);
    });

    it('leaves a request alone that is already there, in the same batch, in a later one, and at the same time', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const { id: leaseId } = await grant(payer, { ...lease, want: 300 }, 1000);
      const charges = [
        newCharge(payer, { charged: 10, leaseId }),
        newCharge(payer, { charged: 20 }),
        newCharge(payer, { charged: 0 }),
      ];
      await Promise.all([
        store().ledger.record([...charges, charges[0]!]),
        replica().ledger.record(charges.toReversed()),
        store().ledger.record(charges),
      ]);
      const more = newCharge(payer, { charged: 3, leaseId });
      await ledger().record([...charges, more]);
      await ledger().closeLease(leaseId, 2000);
      expect(await balanceOf(store(), payer)).toBe(1000 - 33);
      expect(await ledger().entries({ ownerId: payer.ownerId, kind: 'capture', limit: 99 })).toHaveLength(4);
    });

    it('is all or none', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const good = newCharge(payer, { charged: 10 });
      const bad = newCharge({ ...payer, ownerId: 987_654 }, { charged: 10 });
      await expect(ledger().record([good, bad])).rejects.toMatchObject({ code: 'not_found' });
      await expect(ledger().record([good, newCharge(payer, { charged: 0.1 })])).rejects.toMatchObject({
        code: 'invalid_request',
      });
      expect(await kept(good.requestId)).toBeUndefined();
      expect(await balanceOf(store(), payer)).toBe(1000);
    });

    it('takes no more than the lease has; the rest from the balance, and from the house when that is empty too', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 0 });
      const { id: leaseId } = await grant(payer, { ...lease, want: 60 }, 1000);
      const charges = [40, 40, 40].map((charged) => newCharge(payer, { charged, leaseId }));
      await ledger().record(charges);
      expect(await kept(charges[0]!.requestId)).toMatchObject({ amount: 0, charged: 40, shortfall: 0 });
      expect(await kept(charges[1]!.requestId)).toMatchObject({ amount: -20, charged: 40, shortfall: 0 });
      expect(await kept(charges[2]!.requestId)).toMatchObject({ amount: -20, charged: 20, shortfall: 20 });
      await ledger().closeLease(leaseId, 2000);
      expect(await balanceOf(store(), payer)).toBe(0);
      expect(await ledger().verify()).toEqual([]);
    });

    it('takes what is beyond a lease from the balance, and leaves what others have reserved in the lease', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 0 });
      const { id: leaseId } = await grant(payer, { ...lease, want: 60 }, 1000);
      const [long, other] = [
        newCharge(payer, { charged: 90, leaseId, beyondLease: 60 }),
        newCharge(payer, { charged: 30, leaseId }),
      ];
      await ledger().record([long]);
      await ledger().record([long, other]);
      expect(await kept(long.requestId)).toMatchObject({ amount: -40, charged: 70, shortfall: 20 });
      expect(await kept(other.requestId)).toMatchObject({ amount: 0, charged: 30, shortfall: 0 });
      await ledger().closeLease(leaseId, 2000);
      expect(await balanceOf(store(), payer)).toBe(0);
      expect(await ledger().verify()).toEqual([]);
    });

    it('still charges what was spent from a lease that was closed meanwhile, within the caps', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 0, limits: { spendTotal: 70 } });
      const { id: leaseId } = await grant(payer, { ...lease, want: 50, ttlMs: 1000 }, 1000);
      await ledger().closeExpiredLeases(2000);
      const charges = [newCharge(payer, { charged: 50, leaseId }), newCharge(payer, { charged: 50, leaseId })];
      await ledger().record(charges);
      await ledger().record(charges);
      expect(await kept(charges[1]!.requestId)).toMatchObject({ amount: -20, charged: 20, shortfall: 30 });
      expect(await balanceOf(store(), payer)).toBe(30);
      expect(await ledger().spent(payer.keyId, 'total', 0)).toBe(70);
      expect(await ledger().verify()).toEqual([]);
    });

    it('charges what is old once and what is new at all when a batch comes again and no longer fits', async () => {
      const payer = await newPayer(store(), { balance: 100, creditLimit: 0 });
      const [old, fresh] = [newCharge(payer, { charged: 70 }), newCharge(payer, { charged: 70 })];
      await ledger().record([old]);
      await ledger().record([old, fresh]);
      expect(await kept(fresh.requestId)).toMatchObject({ amount: -30, charged: 30, shortfall: 40 });
      expect(await balanceOf(store(), payer)).toBe(0);
      expect(await ledger().verify()).toEqual([]);
    });

    it('journals more than one insert holds', async () => {
      const payer = await newPayer(store(), { balance: 0 });
      const charges = Array.from({ length: 1001 }, () =>
        newCharge(payer, { charged: 1, requestId: `many ${unique()}` }),
      );
      await ledger().record(charges);
      expect(await balanceOf(store(), payer)).toBe(-1001);
      await ledger().record([]);
    });
  });
});
