/** Spending over the real store, with the clock in hand. Two spendings over one store are two replicas. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Caller, Log } from '../parts.ts';
import type { ChargeRecord, KeyLimits, KeyRecord, LedgerStore, Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { createSpending, type Charge, type Reservation, type Spending } from './spending.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const DAY = 86_400_000;
const START = 1_790_000_000_000 - (1_790_000_000_000 % DAY) + DAY / 2;

let store: Store;
let clock = START;
let requests = 0;
let open: Spending[] = [];

beforeEach(async () => {
  store = await openTestStore();
  clock = START;
  open = [];
});
afterEach(async () => {
  for (const each of open) await each.close();
  await store.close();
});

interface Given {
  readonly name?: string;
  readonly ledger?: Partial<LedgerStore>;
  readonly sole?: boolean;
  readonly log?: Log;
}
function replica({ name = `p${open.length}`, ledger, sole = false, log = quiet }: Given = {}): Spending {
  const spending = createSpending({
    ledger: { ...store.ledger, ...ledger },
    owners: store.owners,
    now: () => clock,
    log,
    process: name,
    soleProcess: sole,
    graceMs: 0,
    pause: () => new Promise((resolve) => setTimeout(resolve, 2)),
    durability: { worstCases: 2 },
  });
  open.push(spending);
  return spending;
}

interface Person {
  readonly ownerId: number;
  /** A caller of that owner: one request. */
  readonly call: (limits?: KeyLimits) => Caller;
}
async function person(balance: number, creditLimit: number | null = 0, limits: KeyLimits = {}): Promise<Person> {
  const owner = await store.owners.create(
    { name: 'o', group: 'default', ...(creditLimit !== null && { creditLimit }) },
    clock,
  );
  if (balance > 0) await store.ledger.topUp(owner.id, balance, {}, clock);
  const key = await store.keys.create(
    {
      name: 'k',
      hash: `hash ${owner.id}`,
      hint: '',
      mode: 'live',
      ownerId: owner.id,
      group: 'default',
      models: ['*'],
      ipRanges: [],
      limits,
      declared: false,
    },
    clock,
  );
  const call = (changed?: KeyLimits): Caller => ({
    key: { ...key, ...(changed !== undefined && { limits: changed }) } satisfies KeyRecord,
    mode: 'live',
    requestId: `req ${++requests}`,
    signal: new AbortController().signal,
  });
  return { ownerId: owner.id, call };
}

const used = (units: number): Charge => ({ units, model: 'm', endpoint: '/x', priceVersion: 'v', detail: {} });
const balanceOf = async ({ ownerId }: Person): Promise<number> => (await store.owners.get(ownerId))?.balance ?? NaN;
const chargedTo = async ({ ownerId }: Person): Promise<number> =>
  (await store.ledger.entries({ ownerId, kind: 'capture', limit: 100_000 })).reduce(
    (sum, each) => sum + each.charged,
    0,
  );
const adjusted = async (who: Person, change: number): Promise<void> => {
  await store.ledger.adjust(who.ownerId, change, {}, clock);
};

async function refused(reserving: () => Reservation | Promise<Reservation>): Promise<boolean> {
  try {
    await reserving();
    return false;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'insufficient_quota') return true;
    throw error;
  }
}
async function closeAll(): Promise<void> {
  for (const each of open) await each.close();
  open = [];
  expect(await store.ledger.verify()).toEqual([]);
}

describe('the hot path', () => {
  it('is synchronous once a lease is there, and asks the database for nothing', async () => {
    let asked = 0;
    const spending = replica({
      ledger: {
        lease: (...given) => {
          asked++;
          return store.ledger.lease(...given);
        },
      },
    });
    const who = await person(1_000_000);
    (await spending.reserve(who.call(), 10)).charge(used(4));
    for (let request = 0; request < 5; request++) {
      const reservation = spending.reserve(who.call(), 10);
      expect(reservation).not.toBeInstanceOf(Promise);
      (reservation as Reservation).charge(used(4));
    }
    expect(asked).toBe(1);
    await closeAll();
    expect(await balanceOf(who)).toBe(1_000_000 - 24);
  });

  it('leases nothing for who has no cap at all, and for what is free', async () => {
    const spending = replica({ ledger: { lease: () => Promise.reject(new Error('no lease is needed')) } });
    const [boundless, poor] = [await person(0, null), await person(0)];
    (await spending.reserve(boundless.call(), 10)).charge(used(7));
    (await spending.reserve(poor.call(), 0)).charge(used(0));
    await closeAll();
    expect(await balanceOf(boundless)).toBe(-7);
    expect(await store.ledger.entries({ ownerId: poor.ownerId, kind: 'capture', limit: 9 })).toHaveLength(1);
  });

  it('fetches the next lease while there still is something in the last', async () => {
    let leases = 0;
    const spending = replica({
      ledger: {
        lease: (...given) => {
          leases++;
          return store.ledger.lease(...given);
        },
      },
    });
    const who = await person(10_000_000);
    let asynchronous = 0;
    for (let request = 0; request < 500; request++) {
      const reservation = spending.reserve(who.call(), 10);
      if (reservation instanceof Promise) asynchronous++;
      (await reservation).charge(used(10));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asynchronous).toBe(1);
    expect(leases).toBeGreaterThan(1);
    await closeAll();
  });

  it('a cold start with two thousand at once refuses nobody who can pay', async () => {
    const spending = replica();
    const who = await person(100_000_000);
    const all = await Promise.all(
      Array.from({ length: 2_000 }, async () => (await spending.reserve(who.call(), 1_000)).charge(used(3))),
    );
    expect(all).toHaveLength(2_000);
    await closeAll();
    expect(await balanceOf(who)).toBe(100_000_000 - 6_000);
  });
});

describe('the last units', () => {
  it('are spent to the last request that can be paid, although each could cost more than there is', async () => {
    const spending = replica();
    const who = await person(1_000);
    let served = 0;
    // Each may cost 800, costs 30, and 20 for certain.
    while (!(await refused(async () => hold(await spending.reserve(who.call(), { most: 800, least: 20 }), 30))))
      served++;
    function hold(reservation: Reservation, units: number): Reservation {
      reservation.charge(used(units));
      return reservation;
    }
    expect(served).toBe(33);
    await closeAll();
    expect(await balanceOf(who)).toBe(10);
  });

  it('go to one request at a time when they are less than it may cost', async () => {
    const spending = replica();
    const who = await person(100);
    const first = await spending.reserve(who.call(), { most: 800, least: 20 });
    expect(await refused(() => spending.reserve(who.call(), { most: 800, least: 20 }))).toBe(true);
    first.charge(used(250));
    await closeAll();
    // The house pays what the caller could not: no debt.
    expect(await balanceOf(who)).toBe(0);
    const [entry] = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ charged: 100, shortfall: 150 });
  });

  it.each([
    { name: 'a balance', balance: 1_000, limits: {} },
    { name: "a day's cap", balance: 50_000, limits: { spendPerDay: 1_000 } },
    { name: "a month's cap", balance: 50_000, limits: { spendPerMonth: 1_000 } },
    { name: 'a total cap', balance: 50_000, limits: { spendTotal: 1_000 } },
  ])('of $name, wanted by 64 clients of two replicas: never passed, and used up', async ({ balance, limits }) => {
    const replicas = [replica(), replica()];
    const who = await person(balance, 0, limits);
    let served = 0;
    const client = async (index: number): Promise<void> => {
      for (let tries = 0; tries < 40; tries++) {
        try {
          const reservation = await replicas[index % 2]!.reserve(who.call(), { most: 40, least: 10 });
          await new Promise((resolve) => setImmediate(resolve));
          reservation.charge(used(10));
          served++;
        } catch (error) {
          if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
          clock += 300;
          for (const each of replicas) await each.tend();
        }
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, index) => client(index)));
    await closeAll();
    expect(await chargedTo(who)).toBe(served * 10);
    expect(served).toBe(100);
    expect(await balanceOf(who)).toBe(balance - 1_000);
  });

  it('are seen again after a top-up, within the time a refusal is remembered', async () => {
    const spending = replica();
    const who = await person(5);
    expect(await refused(() => spending.reserve(who.call(), 10))).toBe(true);
    await store.ledger.topUp(who.ownerId, 100, {}, clock);
    clock += 250;
    expect(await refused(() => spending.reserve(who.call(), 10))).toBe(false);
  });

  it('a refusal is remembered, so that many of them cost the database nothing', async () => {
    let asked = 0;
    const spending = replica({
      ledger: {
        lease: (...given) => {
          asked++;
          return store.ledger.lease(...given);
        },
      },
    });
    const who = await person(5);
    for (let request = 0; request < 50; request++) await refused(() => spending.reserve(who.call(), 10));
    // Once, and once more after a moment.
    expect(asked).toBe(2);
  });
});

describe('two replicas', () => {
  it('find something each: one takes a quarter at a time', async () => {
    const [greedy, other] = [replica(), replica()];
    const who = await person(1_000);
    (await greedy.reserve(who.call(), 100)).charge(used(1));
    expect(await balanceOf(who)).toBe(750);
    expect(await refused(() => other.reserve(who.call(), 100))).toBe(false);
  });

  it('give back what the other needs and they do not use', async () => {
    const [idle, busy] = [replica(), replica()];
    const who = await person(1_000);
    (await idle.reserve(who.call(), 10)).charge(used(10));
    const running = await idle.reserve(who.call(), 10);
    const leased = 1_000 - (await balanceOf(who));
    expect(leased).toBe(200);
    const rest = await busy.reserve(who.call(), 800);
    expect(await refused(() => busy.reserve(who.call(), 100))).toBe(true);
    await idle.tend();
    // Somebody draws from it: it stays until that is over.
    expect(await balanceOf(who)).toBe(0);
    running.charge(used(10));
    await idle.tend();
    expect(await balanceOf(who)).toBe(180);
    clock += 250;
    expect(await refused(() => busy.reserve(who.call(), 100))).toBe(false);
    rest.cancel();
  });

  it('what is idle for ten seconds goes back by itself', async () => {
    const spending = replica();
    const who = await person(1_000);
    (await spending.reserve(who.call(), 10)).charge(used(10));
    clock += 10_001;
    await spending.tend();
    expect(await balanceOf(who)).toBe(990);
  });
});

describe('a lease', () => {
  it('is renewed while a request draws from it, however long that takes', async () => {
    const [spending, other] = [replica(), replica()];
    const who = await person(1_000);
    const reservation = await spending.reserve(who.call(), 100);
    for (let second = 0; second < 600; second += 20) {
      clock += 20_000;
      await spending.tend();
      await other.tend();
    }
    reservation.charge(used(60));
    await spending.flush();
    const [entry] = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ amount: 0, charged: 60, shortfall: 0 });
    await closeAll();
    expect(await balanceOf(who)).toBe(940);
  });

  it('that was reaped while its process was asleep pays nothing twice: what was in flight is paid', async () => {
    const [asleep, other] = [replica(), replica()];
    const who = await person(1_000);
    const [short, long] = [await asleep.reserve(who.call(), 100), await asleep.reserve(who.call(), 100)];
    await asleep.flush();
    clock += 61_000;
    await other.tend();
    expect(await balanceOf(who)).toBe(800);
    short.charge(used(60));
    await asleep.tend();
    long.charge(used(190));
    await closeAll();
    expect(await balanceOf(who)).toBe(750);
    expect(await chargedTo(who)).toBe(250);
  });

  it('that is about to expire is not drawn from', async () => {
    const spending = replica();
    const who = await person(1_000);
    (await spending.reserve(who.call(), 10)).charge(used(10));
    clock += 46_000;
    const reserving = spending.reserve(who.call(), 10);
    expect(reserving).toBeInstanceOf(Promise);
    (await reserving).cancel();
  });

  it('is not closed before its charges are in the ledger', async () => {
    let broken = true;
    const closed: number[] = [];
    const spending = replica({
      ledger: {
        record: (charges) => (broken ? Promise.reject(new Error('the disk is full')) : store.ledger.record(charges)),
        closeLease: (id, at) => {
          closed.push(id);
          return store.ledger.closeLease(id, at);
        },
      },
    });
    const who = await person(1_000);
    (await spending.reserve(who.call(), 100)).charge(used(70));
    clock += 10_001;
    await spending.tend();
    expect(closed).toEqual([]);
    expect(await balanceOf(who)).toBe(750);
    broken = false;
    await spending.tend();
    expect(closed).toHaveLength(1);
    expect(await balanceOf(who)).toBe(930);
    await closeAll();
  });

  it('of yesterday does not let a key pass the cap of today', async () => {
    const spending = replica();
    const who = await person(10_000, 0, { spendPerDay: 100 });
    clock = START - (START % DAY) + DAY - 1_000;
    (await spending.reserve(who.call(), 10)).charge(used(10));
    clock += 2_000;
    let today = 0;
    while (!(await refused(async () => (await spending.reserve(who.call(), 10)).charge(used(10)) as never)))
      today += 10;
    expect(today).toBe(100);
    await closeAll();
  });

  it('stays while a request draws from it although the caps of its key change', async () => {
    const spending = replica();
    const who = await person(1_000, 0, { spendTotal: 500 });
    const running = await spending.reserve(who.call(), 100);
    const leased = 1_000 - (await balanceOf(who));
    await spending.reserve(who.call({ spendTotal: 600 }), 10);
    expect(await balanceOf(who)).toBeLessThanOrEqual(1_000 - leased);
    running.charge(used(90));
    await spending.tend();
    const [entry] = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ amount: 0, charged: 90 });
  });

  it('is kept when the key was read again and its caps are the same', async () => {
    const spending = replica();
    const who = await person(1_000, 0, { spendTotal: 500 });
    (await spending.reserve(who.call(), 10)).charge(used(1));
    expect(spending.reserve(who.call({ spendTotal: 500, requestsPerMinute: 9 }), 10)).not.toBeInstanceOf(Promise);
  });

  it('of a process that was killed is free at once where no other can be alive, and after its time elsewhere', async () => {
    const who = await person(1_000);
    (await replica({ name: 'killed' }).reserve(who.call(), 100)).cancel();
    await open.at(-1)!.flush();
    open.pop();
    const other = replica({ name: 'other' });
    await other.tend();
    expect(await balanceOf(who)).toBe(750);
    clock += 60_000;
    await other.tend();
    expect(await balanceOf(who)).toBe(1_000);

    (await replica({ name: 'killed again' }).reserve(who.call(), 100)).cancel();
    await open.at(-1)!.flush();
    open.pop();
    await replica({ name: 'restarted', sole: true }).tend();
    expect(await balanceOf(who)).toBe(1_000);
  });
});

describe('a charge', () => {
  it('counts once, and not after its reservation was cancelled', async () => {
    const spending = replica();
    const who = await person(1_000);
    const [charged, cancelled] = [await spending.reserve(who.call(), 100), await spending.reserve(who.call(), 100)];
    charged.charge(used(30));
    charged.charge(used(30));
    charged.cancel();
    cancelled.cancel();
    cancelled.charge(used(30));
    await closeAll();
    expect(await balanceOf(who)).toBe(970);
  });

  it('beyond what was reserved is paid by the lease, then by the balance', async () => {
    const spending = replica();
    const who = await person(1_000);
    const reservation = await spending.reserve(who.call(), 10);
    reservation.charge(used(600));
    await closeAll();
    expect(await balanceOf(who)).toBe(400);
    const [entry] = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ charged: 600, shortfall: 0 });
  });

  it('that can never be booked is told with all its numbers and does not hold up the others', async () => {
    const told: object[] = [];
    const spending = replica({
      ledger: {
        record: (charges) =>
          charges.some(({ model }) => model === 'bad')
            ? Promise.reject(new GatewayError('not_found', 'there is no such owner'))
            : store.ledger.record(charges),
      },
      log: { ...quiet, error: (fields) => void told.push(fields) },
    });
    const who = await person(1_000);
    (await spending.reserve(who.call(), 10)).charge(used(1));
    (await spending.reserve(who.call(), 10)).charge({ ...used(2), model: 'bad' });
    (await spending.reserve(who.call(), 10)).charge(used(4));
    await spending.flush();
    expect(await chargedTo(who)).toBe(5);
    expect(told).toMatchObject([{ charge: { model: 'bad', charged: 2, payer: { ownerId: who.ownerId } } }]);
  });

  it('waits for the database and loses nothing while it is away', async () => {
    let away = true;
    const spending = replica({
      ledger: {
        record: (charges: readonly ChargeRecord[]) =>
          away ? Promise.reject(new Error('connection refused')) : store.ledger.record(charges),
      },
    });
    const who = await person(0, null);
    for (let request = 0; request < 600; request++) (await spending.reserve(who.call(), 10)).charge(used(1));
    await expect(spending.flush()).rejects.toThrow('connection refused');
    away = false;
    await spending.flush();
    expect(await balanceOf(who)).toBe(-600);
  });
});

type Step =
  | { readonly do: 'reserve'; readonly at: number; readonly most: number; readonly least: number }
  | { readonly do: 'charge' | 'cancel'; readonly pick: number; readonly units: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'tend' | 'flush' | 'crash'; readonly at: number }
  | { readonly do: 'adjust'; readonly units: number };

const at = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('reserve' as const), at, most: fc.nat(300), least: fc.nat(60) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('charge', 'cancel'), pick: fc.nat(), units: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(70_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('tend', 'flush'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('adjust' as const), units: fc.nat(200) }) },
);

describe('any history of reservations, charges, crashes and time', () => {
  it('never passes a cap, charges what was used as far as there was money, and adds up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const who = await person(1_000, 50, { spendTotal: 900 });
        let names = 0;
        const fresh = (): Spending => replica({ name: `h${who.ownerId} ${++names}` });
        const replicas = [fresh(), fresh()];
        const running: { readonly on: Spending; readonly reservation: Reservation }[] = [];
        for (const one of steps) {
          switch (one.do) {
            case 'reserve': {
              const on = replicas[one.at]!;
              const need = { most: Math.max(one.most, one.least), least: one.least };
              try {
                running.push({ on, reservation: await on.reserve(who.call(), need) });
              } catch (error) {
                if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
              }
              break;
            }
            case 'charge':
            case 'cancel': {
              const [picked] = running.splice(one.pick % Math.max(1, running.length), 1);
              if (one.do === 'charge') picked?.reservation.charge(used(one.units));
              else picked?.reservation.cancel();
              break;
            }
            case 'wait':
              clock += one.ms;
              break;
            case 'tend':
              await replicas[one.at]!.tend();
              break;
            case 'flush':
              await replicas[one.at]!.flush();
              break;
            case 'crash': {
              const dead = replicas[one.at]!;
              // What a killed process has not journalled is lost: the loss that docs/architecture.md#money allows.
              running.splice(0, running.length, ...running.filter(({ on }) => on !== dead));
              open = open.filter((each) => each !== dead);
              replicas[one.at] = fresh();
              break;
            }
            case 'adjust':
              if (one.units > 0) await adjusted(who, one.units);
              break;
          }
          expect(await balanceOf(who)).toBeGreaterThanOrEqual(-50);
          expect(await store.ledger.spent(who.call().key.id, 'total', clock)).toBeLessThanOrEqual(900);
        }
        for (const { reservation } of running) reservation.cancel();
        clock += 120_000;
        for (const each of replicas) await each.tend();
        await closeAll();
        const entries = await store.ledger.entries({ ownerId: who.ownerId, limit: 100_000 });
        const held = entries.filter(({ kind }) => kind === 'hold');
        const closings = entries.filter(({ kind }) => kind === 'release').map(({ holdId }) => holdId);
        expect(new Set(closings).size).toBe(closings.length);
        expect(closings).toHaveLength(held.length);
        expect(await balanceOf(who)).toBe(entries.reduce((sum, { amount }) => sum + amount, 0));
        expect(await store.ledger.spent(who.call().key.id, 'total', clock)).toBe(await chargedTo(who));
      }),
      { numRuns: 60 },
    );
  });
});
