/** Caps beside those of a key: their windows, and what two processes spend under several of them at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import fc from 'fast-check';
import type { SpendScope, SpendWindow } from '../ports.ts';
import { inScopeOrder, windowEnd, windowStart } from './spend-scopes.ts';
import { isRefused, NOON, quiet, used, useReplicas } from './testing/replicas.ts';

const HOUR = 3_600_000;

describe('a window', () => {
  it.each([
    ['hour', '2026-11-21T12:59:59.999Z', '2026-11-21T12:00:00.000Z', '2026-11-21T13:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['week', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['week', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ] as const)('of one %s at %s is from %s to %s', (window, at, from, to) => {
    expect(new Date(windowStart(window, Date.parse(at))).toISOString()).toBe(from);
    expect(new Date(windowEnd(window, Date.parse(at)) ?? 0).toISOString()).toBe(to);
  });

  it('of the beginning of time is whole, and the total never ends', () => {
    expect(windowStart('week', 0)).toBe(-3 * 24 * HOUR);
    expect([windowStart('total', NOON), windowEnd('total', NOON)]).toEqual([0, undefined]);
  });
});

const scope = (name: string, window: SpendWindow, cap: number): SpendScope => ({
  scope: name,
  window,
  cap,
  name,
  limit: name,
});

describe('a key', () => {
  const bench = useReplicas();

  it('has an hour of its own, and money of an earlier one is not spent beside it', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000_000, 0, { spendPerHour: 100_000 });
    (await spending.reserve(who.call(), 100)).charge(used(100));
    bench.clock.now += HOUR;
    (await spending.reserve(who.call(), 100)).charge(used(100));
    await bench.closeAll();
    expect(await bench.store.ledger.spent(who.keyId, 'hour', bench.clock.now - HOUR)).toBe(100);
    expect(await bench.store.ledger.spent(who.keyId, 'hour', bench.clock.now)).toBe(100);
    expect(await bench.store.ledger.cappedKeys(bench.clock.now)).toMatchObject([
      { id: who.keyId, used: { hour: 100, day: 200, week: 0 } },
    ]);
  });

  it('with a cap for runs beside its day has used of the day what all runs have', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000_000, 0, { spendPerDay: 100_000, spendPerRun: 100_000 });
    const onlyRuns = await bench.person(1_000_000, 0, { spendPerRun: 100_000 });
    (await spending.reserve({ ...who.call(), identity: { run: 'one' } }, 100)).charge(used(100));
    (await spending.reserve(who.call(), 20)).charge(used(20));
    (await spending.reserve(onlyRuns.call(), 20)).charge(used(20));
    await bench.closeAll();
    const capped = await bench.store.ledger.cappedKeys(bench.clock.now);
    expect(capped).toMatchObject([{ id: who.keyId, used: { day: 120 } }]);
  });

  it('has what is kept of its runs removed once an hour, until nothing old is left', async () => {
    const rows = [5_000, 9_000, 4_999, 1];
    const spending = bench.replica({ ledger: { sweepRuns: async () => rows.shift() ?? 0 } });
    await spending.tend();
    expect(rows).toHaveLength(4);
    bench.clock.now += HOUR;
    await spending.tend();
    expect(rows).toEqual([1]);
    bench.clock.now += HOUR - 1;
    await spending.tend();
    expect(rows).toEqual([1]);
  });

  it('has its leases renewed while runs are removed, and when that fails', async () => {
    let looks = 0;
    const removal = Promise.withResolvers<number>();
    const warned: string[] = [];
    const spending = bench.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      ledger: {
        sweepRuns: () => removal.promise,
        closeExpiredLeases: async (...given) => {
          const closed = await bench.store.ledger.closeExpiredLeases(...given);
          looks++;
          return closed;
        },
      },
    });
    await spending.tend();
    bench.clock.now += HOUR;
    const first = spending.tend();
    await expect.poll(() => looks).toBe(2);
    bench.clock.now += 10_000;
    const second = spending.tend();
    await expect.poll(() => looks).toBe(3);
    removal.reject(new Error('the database is away'));
    await Promise.all([first, second]);
    expect(warned).toEqual(['runs that are out of date could not be removed']);
  });

  it('does not need its owner read again and again, as one without caps does', async () => {
    let read = 0;
    const spending = bench.replica({
      owners: { ...bench.store.owners, ensure: (...given) => (read++, bench.store.owners.ensure(...given)) },
    });
    const [capped, free] = [await bench.person(1_000, null, { spendPerDay: 500 }), await bench.person(1_000, null)];
    for (const [who, reads] of [
      [capped, 1],
      [free, 5],
    ] as const) {
      read = 0;
      for (let request = 0; request < 5; request++) {
        (await spending.reserve(who.call(), 10)).charge(used(10));
        bench.clock.now += 3_000;
      }
      expect(read).toBe(reads);
    }
  });

  it('is refused beyond its hour or its week, by name', async () => {
    const spending = bench.replica();
    const [hour, week] = [{ spendPerHour: 50 }, { spendPerHour: 1_000, spendPerWeek: 50 }];
    for (const [limits, name] of [
      [hour, 'spend_per_hour'],
      [week, 'spend_per_week'],
    ] as const) {
      const who = await bench.person(1_000, 0, limits);
      await expect(Promise.resolve().then(() => spending.reserve(who.call(), 51))).rejects.toThrow(
        `the key's ${name} limit leaves $0.0001.`,
      );
    }
  });

  it.each(['spendPerDay', 'spendPerMonth', 'spendTotal', 'spendPerWeek'] as const)(
    'whose %s is lowered does not spend what was leased under the old one',
    async (cap) => {
      const spending = bench.replica();
      const who = await bench.person(100_000, 0, { [cap]: 50_000 });
      (await spending.reserve(who.call(), 100)).charge(used(100));
      expect(await isRefused(() => spending.reserve(who.callWith({ [cap]: 150 }), 100))).toBe(true);
    },
  );

  it('whose cap is changed is held to the new one at once', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000, 0, { spendPerHour: 500 });
    (await spending.reserve(who.call(), 100)).charge(used(100));
    expect(await isRefused(() => spending.reserve(who.callWith({ spendPerHour: 150 }), 100))).toBe(true);
    expect(await isRefused(() => spending.reserve(who.callWith({ spendPerHour: 250 }), 100))).toBe(false);
  });

  it('is held to a cap beside its own that is changed while nothing else of it is', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    const under = (cap: number) => who.callUnder([scope('team', 'day', cap)]);
    (await spending.reserve(under(500), 100)).charge(used(100));
    expect(await isRefused(() => spending.reserve(under(150), 100))).toBe(true);
    expect(await isRefused(() => spending.reserve(under(250), 100))).toBe(false);
  });

  it('gives each of its runs what others of its runs hold here and do not use', async () => {
    const spending = bench.replica({ durability: { worstCases: 2 } });
    const who = await bench.person(100_000);
    const team = scope('team', 'day', 400);
    const run = (name: string) => who.callUnder([scope(name, 'total', 400), team]);
    (await spending.reserve(run('a'), 100)).charge(used(10));
    expect(await bench.store.ledger.spentOf([team], NOON)).toEqual([100]);
    (await spending.reserve(run('b'), 380)).charge(used(380));
    await bench.closeAll();
    expect(await bench.store.ledger.spentOf([scope('a', 'total', 0), team], NOON)).toEqual([10, 390]);
  });

  it('is given what another owner holds of a shared cap here and does not use', async () => {
    const spending = bench.replica({ durability: { worstCases: 2 } });
    const [holder, asking] = [await bench.person(100_000), await bench.person(100_000)];
    const team = scope('team', 'day', 400);
    (await spending.reserve(holder.callUnder([team]), 100)).charge(used(10));
    expect(await bench.store.ledger.spentOf([team], NOON)).toEqual([100]);
    (await spending.reserve(asking.callUnder([team]), 380)).charge(used(380));
    await bench.closeAll();
    expect(await bench.store.ledger.spentOf([team], NOON)).toEqual([390]);
  });

  it('tells its runs apart whose other caps are one list', async () => {
    const spending = bench.replica();
    const who = await bench.person(100_000, 0, { spendPerRun: 100 });
    const team = scope('team', 'day', 1_000);
    const list = [team];
    const run = (name: string) => ({ ...who.callUnder(list), identity: { run: name } });
    (await spending.reserve(run('one'), 90)).charge(used(90));
    expect(await isRefused(() => spending.reserve(run('one'), 20))).toBe(true);
    (await spending.reserve(run('two'), 80)).charge(used(80));
    (await spending.reserve(run('one'), 10)).charge(used(10));
    await bench.closeAll();
    const runs = ['one', 'two'].map((name) => scope(`run:${who.keyId}:${name}`, 'total', 0));
    expect(await bench.store.ledger.spentOf([team, ...runs], NOON)).toEqual([180, 100, 80]);
  });

  it('of whose run a request is under way for minutes keeps what is set aside for it', async () => {
    const [spending, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(100_000);
    const running = await spending.reserve(who.callUnder([scope('team', 'total', 50_000)]), 100);
    await spending.flush();
    for (let second = 0; second < 200; second += 20) {
      bench.clock.now += 20_000;
      await spending.tend();
      await other.tend();
    }
    expect(await bench.charged(who)).toBe(0);
    running.charge(used(90));
    await bench.closeAll();
    expect(await bench.charged(who)).toBe(90);
  });

  it('gives back at the end what it took after a pause in which it was forgotten', async () => {
    const spending = bench.replica();
    const who = await bench.person(100_000);
    const list = [scope('team', 'total', 50_000)];
    for (let times = 0; times < 2; times++) {
      (await spending.reserve(who.callUnder(list), 100)).charge(used(100));
      for (let minute = 0; minute < 3; minute++) {
        if (times === 1) break;
        bench.clock.now += 61_000;
        await spending.tend();
      }
    }
    await bench.closeAll();
    expect(await bench.store.owners.get(who.ownerId)).toMatchObject({ balance: 100_000 - 200 });
    expect(await bench.store.ledger.spentOf(list, bench.clock.now)).toEqual([200]);
  });
});

const OVERDRAFT = 300;
const COSTS = fc.array(
  fc.record({
    run: fc.nat({ max: 4 }),
    who: fc.nat({ max: 2 }),
    by: fc.nat({ max: 1 }),
    most: fc.integer({ min: 1, max: 90 }),
    part: fc.nat({ max: 100 }),
  }),
  { minLength: 20, maxLength: 60 },
);

describe.each(['sqlite', 'postgres'] as const)('under caps within caps two processes on %s', (kind) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(kind);
  });
  afterAll(async () => {
    await database.close();
  });
  const bench = useReplicas({ overdraft: OVERDRAFT }, () => database.url);

  it('spend at most each cap and the overdraft, whatever requests cost, and use the caps', async () => {
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(COSTS, fc.integer({ min: 100, max: 900 }), async (requests, teamCap) => {
        const of = `${kind}${++histories}`;
        const people = [await bench.person(1e6), await bench.person(0, null), await bench.person(1e6)];
        const replicas = [bench.replica(), bench.replica()];
        const team = scope(`team:${of}`, 'day', teamCap);
        const users = people.map((_, index) => scope(`user:${of}-${index}`, 'week', Math.ceil(teamCap / 2)));
        const runs = Array.from({ length: 5 }, (_, index) =>
          scope(`run:${of}-${index}`, 'total', Math.ceil(teamCap / 3)),
        );
        await Promise.all(
          requests.map(async ({ run, who, by, most, part }) => {
            const caller = people[who]!.callUnder(inScopeOrder([team, users[who]!, runs[run]!]));
            try {
              const reservation = await replicas[by]!.reserve(caller, { most, least: 1, model: 'm' });
              await new Promise((resolve) => setImmediate(resolve));
              reservation.charge(used(Math.ceil((most * part) / 100)));
            } catch (error) {
              if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
            }
          }),
        );
        await bench.closeAll();
        const all = [team, ...users, ...runs];
        const spent = await bench.store.ledger.spentOf(all, bench.clock.now);
        for (const [index, each] of all.entries()) expect(spent[index]).toBeLessThanOrEqual(each.cap + OVERDRAFT);
        // What users spent is what the team spent.
        expect(spent[0]).toBe((spent[1] ?? 0) + (spent[2] ?? 0) + (spent[3] ?? 0));
      }),
      { numRuns: kind === 'sqlite' ? 5 : 3 },
    );
  });
});
