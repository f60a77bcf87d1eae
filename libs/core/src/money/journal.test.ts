/** What reaches the ledger by itself, and when: a database that is away, and what changes while a batch is written. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ChargeRecord, LedgerStore } from '../ports.ts';
import { Journal, type Exposure } from './journal.ts';
import { quiet, used } from './testing/replicas.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const charge = (requestId: string, charged: number): ChargeRecord => {
  const { model, endpoint, priceVersion, detail } = used(charged);
  const payer = { ownerId: 1, keyId: 1, limits: {} };
  return { model, endpoint, priceVersion, detail, payer, requestId, charged, shortfall: 0, at: 0, leaseId: 7 };
};
const lease = (units: number): Exposure => ({ id: 7, units, written: 0 });

/** A database that can be away or slow, and what it was given. */
function database() {
  const written: { readonly charges: readonly string[]; readonly risk: number | undefined }[] = [];
  const state = { isAway: false, answers: Promise.resolve() };
  const record: LedgerStore['record'] = async (charges, atRisk) => {
    await state.answers;
    if (state.isAway) throw new Error('connection refused');
    written.push({ charges: charges.map(({ requestId }) => requestId), risk: atRisk?.get(7)?.units });
  };
  return { state, written, journal: new Journal({ ledger: { record }, log: quiet }) };
}

it('charges that the database did not take are written when it is back, and nobody has to ask for it', async () => {
  const { state, written, journal } = database();
  state.isAway = true;
  journal.add(charge('a', 3));
  await vi.advanceTimersByTimeAsync(150);
  expect(journal.size()).toBe(1);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(written).toEqual([{ charges: ['a'], risk: undefined }]);
  expect(journal.size()).toBe(0);
});

it('so is what is at risk', async () => {
  const { state, written, journal } = database();
  state.isAway = true;
  journal.note(lease(100));
  await vi.advanceTimersByTimeAsync(40);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(written).toEqual([{ charges: [], risk: 100 }]);
});

it('a request that begins while a batch is written is written soon after it', async () => {
  const { state, written, journal } = database();
  const slow = Promise.withResolvers<void>();
  const exposure = lease(100);
  state.answers = slow.promise;
  journal.note(exposure);
  await vi.advanceTimersByTimeAsync(40);
  exposure.units += 60;
  journal.note(exposure);
  await vi.advanceTimersByTimeAsync(1_000);
  slow.resolve();
  await vi.advanceTimersByTimeAsync(40);
  expect(written.map(({ risk }) => risk)).toEqual([100, 160]);
});

it('a charge and what its lease has at risk beside it are written as one', async () => {
  const { written, journal } = database();
  const exposure = lease(100);
  journal.note(exposure);
  await journal.flush();
  // 30 of 70 that were set aside, and 30 in flight.
  exposure.units -= 40;
  journal.add(charge('a', 30), exposure);
  await journal.flush();
  expect(written).toEqual([
    { charges: [], risk: 100 },
    { charges: ['a'], risk: 30 },
  ]);
  expect(exposure).toMatchObject({ units: 30, written: 30 });
});

it('what the balance pays of a charge does not lower what its lease has at risk', async () => {
  const { written, journal } = database();
  const exposure = lease(100);
  journal.add({ ...charge('a', 90), beyondLease: 50 }, exposure);
  await journal.flush();
  expect(written).toEqual([{ charges: ['a'], risk: 60 }]);
  expect(exposure.units).toBe(60);
});

it('a request that was cancelled is at risk no more a moment later', async () => {
  const { written, journal } = database();
  const exposure = lease(100);
  journal.note(exposure);
  await vi.advanceTimersByTimeAsync(40);
  exposure.units = 0;
  journal.note(exposure);
  await vi.advanceTimersByTimeAsync(150);
  expect(written.map(({ risk }) => risk)).toEqual([100, 0]);
});

it('when the database goes away while charges are written one by one, none of those left is taken for one that can never be booked', async () => {
  const written: string[] = [];
  const told: unknown[] = [];
  let isAway = false;
  const journal = new Journal({
    ledger: {
      record: async (charges) => {
        if (isAway) throw new Error('connection refused');
        if (charges.some(({ requestId }) => requestId === 'bad')) {
          isAway = charges.length === 1;
          throw new GatewayError('not_found', 'there is no such owner');
        }
        written.push(...charges.map(({ requestId }) => requestId));
      },
    },
    log: { ...quiet, error: (fields) => void told.push(fields) },
  });
  for (const requestId of ['a', 'bad', 'b']) journal.add(charge(requestId, 3));
  await expect(journal.flush()).rejects.toThrow('connection refused');
  expect(journal.size()).toBe(1);
  isAway = false;
  await journal.flush();
  expect(written).toEqual(['a', 'b']);
  expect(told).toMatchObject([{ charge: { requestId: 'bad' } }]);
});
