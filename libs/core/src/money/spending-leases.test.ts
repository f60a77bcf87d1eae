/** The life of a lease: between replicas, over time, and when its process is asleep or killed. Two spendings over one store are two replicas. */
import { describe, expect, it } from 'vitest';
import { DAY, NOON, quiet, used, isRefused, useReplicas } from './testing/replicas.ts';

const bench = useReplicas({ durability: { worstCases: 2 } });

describe('two replicas', () => {
  it('find something each: one takes a quarter at a time', async () => {
    const [greedy, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(1_000);
    (await greedy.reserve(who.call(), 100)).charge(used(1));
    expect(await bench.balance(who)).toBe(750);
    expect(await isRefused(() => other.reserve(who.call(), 100))).toBe(false);
  });

  it('give back what the other needs and they do not use', async () => {
    const [idle, busy] = [bench.replica(), bench.replica()];
    const who = await bench.person(1_000);
    (await idle.reserve(who.call(), 10)).charge(used(10));
    const running = await idle.reserve(who.call(), 10);
    const leased = 1_000 - (await bench.balance(who));
    expect(leased).toBe(200);
    const rest = await busy.reserve(who.call(), 800);
    expect(await isRefused(() => busy.reserve(who.call(), 100))).toBe(true);
    await idle.tend();
    // Somebody draws from it: it stays until that is over.
    expect(await bench.balance(who)).toBe(0);
    running.charge(used(10));
    await idle.tend();
    expect(await bench.balance(who)).toBe(180);
    bench.clock.now += 250;
    expect(await isRefused(() => busy.reserve(who.call(), 100))).toBe(false);
    rest.cancel();
  });

  it('give back what another key of the owner needs here and they do not use, at once', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    const other = await who.another();
    (await spending.reserve(who.call(), 10)).charge(used(1));
    expect(await bench.balance(who)).toBe(800);
    (await spending.reserve(other.call(), 950)).charge(used(950));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(49);
  });

  it('what is idle for ten seconds goes back by itself', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    (await spending.reserve(who.call(), 10)).charge(used(10));
    bench.clock.now += 10_001;
    await spending.tend();
    expect(await bench.balance(who)).toBe(990);
  });
});

describe('a lease', () => {
  it('is renewed while a request draws from it, however long that takes', async () => {
    const [spending, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(1_000);
    const reservation = await spending.reserve(who.call(), 100);
    for (let second = 0; second < 600; second += 20) {
      bench.clock.now += 20_000;
      await spending.tend();
      await other.tend();
    }
    reservation.charge(used(60));
    await spending.flush();
    const [entry] = await bench.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ amount: 0, charged: 60, shortfall: 0 });
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(940);
  });

  it('that was reaped while its process was asleep pays nothing twice: what was in flight is paid', async () => {
    const [asleep, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(1_000);
    const [short, long] = [await asleep.reserve(who.call(), 100), await asleep.reserve(who.call(), 100)];
    await asleep.flush();
    bench.clock.now += 61_000;
    await other.tend();
    expect(await bench.balance(who)).toBe(800);
    short.charge(used(60));
    await asleep.tend();
    long.charge(used(190));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(750);
    expect(await bench.charged(who)).toBe(250);
  });

  it('that a reaper closed is not drawn from although it has time left by the clock of its process', async () => {
    let slow = 0;
    const late = bench.replica({ now: () => bench.clock.now - slow });
    const who = await bench.person(1_000);
    const running = await late.reserve(who.call(), 100);
    bench.clock.now += 61_000;
    await bench.replica().tend();
    // It is what was in flight.
    expect(await bench.balance(who)).toBe(900);
    await bench.adjust(who, -900);
    slow = 30_000;
    await late.tend();
    expect(await isRefused(() => late.reserve(who.call(), 100))).toBe(true);
    running.cancel();
  });

  it('that is about to expire is not drawn from', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    (await spending.reserve(who.call(), 10)).charge(used(10));
    bench.clock.now += 46_000;
    const reserving = spending.reserve(who.call(), 10);
    expect(reserving).toBeInstanceOf(Promise);
    (await reserving).cancel();
  });

  it('is not closed before its charges are in the ledger', async () => {
    let broken = true;
    const closed: number[] = [];
    const spending = bench.replica({
      ledger: {
        record: (charges) =>
          broken ? Promise.reject(new Error('the disk is full')) : bench.store.ledger.record(charges),
        closeLease: (id, at) => {
          closed.push(id);
          return bench.store.ledger.closeLease(id, at);
        },
      },
    });
    const who = await bench.person(1_000);
    (await spending.reserve(who.call(), 100)).charge(used(70));
    bench.clock.now += 10_001;
    await spending.tend();
    expect(closed).toEqual([]);
    expect(await bench.balance(who)).toBe(750);
    broken = false;
    await spending.tend();
    expect(closed).toHaveLength(1);
    expect(await bench.balance(who)).toBe(930);
    await bench.closeAll();
  });

  it('of yesterday does not let a key pass the cap of today', async () => {
    const spending = bench.replica();
    const who = await bench.person(10_000, 0, { spendPerDay: 100 });
    bench.clock.now = NOON - (NOON % DAY) + DAY - 1_000;
    (await spending.reserve(who.call(), 10)).charge(used(10));
    bench.clock.now += 2_000;
    let today = 0;
    while (!(await isRefused(async () => (await spending.reserve(who.call(), 10)).charge(used(10)) as never)))
      today += 10;
    expect(today).toBe(100);
    await bench.closeAll();
  });

  it('stays while a request draws from it although the caps of its key change', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000, 0, { spendTotal: 500 });
    const running = await spending.reserve(who.call(), 100);
    const leased = 1_000 - (await bench.balance(who));
    await spending.reserve(who.callWith({ spendTotal: 600 }), 10);
    expect(await bench.balance(who)).toBeLessThanOrEqual(1_000 - leased);
    running.charge(used(90));
    await spending.tend();
    const [entry] = await bench.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ amount: 0, charged: 90 });
  });

  it('is renewed for as long as a request draws from it although the caps of its key changed', async () => {
    const [spending, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(1_000, 0, { spendTotal: 500 });
    const running = await spending.reserve(who.call(), 100);
    await spending.flush();
    (await spending.reserve(who.callWith({ spendTotal: 600 }), 10)).cancel();
    for (let second = 0; second < 200; second += 20) {
      bench.clock.now += 20_000;
      await spending.tend();
      await other.tend();
    }
    expect(await bench.charged(who)).toBe(0);
    running.charge(used(90));
    await bench.closeAll();
    expect(await bench.charged(who)).toBe(90);
    expect(await bench.balance(who)).toBe(910);
  });

  it('is kept when the key was read again and its caps are the same', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000, 0, { spendTotal: 500 });
    (await spending.reserve(who.call(), 10)).charge(used(1));
    expect(spending.reserve(who.callWith({ spendTotal: 500, requestsPerMinute: 9 }), 10)).not.toBeInstanceOf(Promise);
  });

  it('of a process that was killed is free at once where no other can be alive, and after its time elsewhere', async () => {
    const who = await bench.person(1_000);
    const killed = bench.replica({ process: 'killed' });
    (await killed.reserve(who.call(), 100)).cancel();
    await killed.flush();
    killed.kill();
    const other = bench.replica({ process: 'other' });
    await other.tend();
    expect(await bench.balance(who)).toBe(750);
    bench.clock.now += 60_000;
    await other.tend();
    expect(await bench.balance(who)).toBe(1_000);

    const killedAgain = bench.replica({ process: 'killed again' });
    (await killedAgain.reserve(who.call(), 100)).cancel();
    await killedAgain.flush();
    killedAgain.kill();
    await bench.replica({ process: 'restarted', soleProcess: true }).tend();
    expect(await bench.balance(who)).toBe(1_000);
  });
});

describe('a process whose database is away for a while', () => {
  it('goes on from the money it has, and afterwards gives back what others ask for and closes what the dead left', async () => {
    let isAway = false;
    const warned: string[] = [];
    const unlessAway = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
      isAway ? Promise.reject(new Error('connection refused')) : answer();
    const { ledger } = bench.store;
    const alive = bench.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      ledger: {
        recalledLeases: (process) => unlessAway(() => ledger.recalledLeases(process)),
        closeExpiredLeases: (...given) => unlessAway(() => ledger.closeExpiredLeases(...given)),
      },
    });
    const [who, deads] = [await bench.person(1_000), await bench.person(1_000)];
    const dead = bench.replica();
    (await dead.reserve(deads.call(), 100)).cancel();
    await dead.flush();
    dead.kill();
    (await alive.reserve(who.call(), 10)).charge(used(10));
    await alive.tend();
    bench.clock.now += 61_000;
    (await alive.reserve(who.call(), 10)).charge(used(10));
    await ledger.recallLeases({ ownerId: who.ownerId, keyId: who.keyId, limits: {} }, 'another');
    isAway = true;
    await alive.tend();
    expect(warned).toEqual(['leases could not be tended']);
    const inMemory = alive.reserve(who.call(), 10);
    expect(inMemory).not.toBeInstanceOf(Promise);
    (await inMemory).charge(used(10));
    isAway = false;
    await alive.tend();
    expect(await bench.balance(who)).toBe(970);
    expect(await bench.balance(deads)).toBe(1_000);
    expect(warned).toHaveLength(1);
  });

  it('lives on when a lease cannot be given back because the caps of its key changed, and gives it back later', async () => {
    const warned: string[] = [];
    let isAway = true;
    const alive = bench.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      ledger: {
        closeLease: (...given) =>
          isAway ? Promise.reject(new Error('connection refused')) : bench.store.ledger.closeLease(...given),
      },
    });
    const who = await bench.person(1_000, 0, { spendTotal: 500 });
    (await alive.reserve(who.call(), 10)).charge(used(10));
    (await alive.reserve(who.callWith({ spendTotal: 600 }), 10)).charge(used(10));
    await expect.poll(() => warned).toEqual(['a lease could not be given back']);
    isAway = false;
    await alive.tend();
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(980);
  });

  it('renews a lease in time that it could not renew before', async () => {
    const warned: string[] = [];
    let isAway = true;
    const alive = bench.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      ledger: {
        extendLease: (...given) =>
          isAway ? Promise.reject(new Error('connection refused')) : bench.store.ledger.extendLease(...given),
      },
    });
    const who = await bench.person(1_000);
    const running = await alive.reserve(who.call(), 100);
    bench.clock.now += 31_000;
    await alive.tend();
    expect(warned).toEqual(['a lease could not be tended']);
    isAway = false;
    await alive.tend();
    bench.clock.now += 31_000;
    await bench.replica().tend();
    running.charge(used(60));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(940);
  });
});
