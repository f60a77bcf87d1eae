/** A payer without any cap: nothing is leased, and what is in flight is written down all the same. */
import { describe, expect, it } from 'vitest';
import type { InterruptedRequest } from '../ports.ts';
import { isRefused, quiet, used, useReplicas } from './testing/replicas.ts';

const replicas = useReplicas();

/** Resolves when what was asked of the store in memory has come back. */
async function written(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a payer without any cap', () => {
  const tabOf = async ({ ownerId }: { readonly ownerId: number }): Promise<void> => {
    while ((await replicas.store.ledger.entries({ ownerId, kind: 'hold', limit: 1 })).length === 0)
      await Promise.resolve();
    await written();
  };

  it('pays the certain cost of a request of which nothing came, and a little, by its name', async () => {
    const told: InterruptedRequest[] = [];
    const who = await replicas.person(0, null);
    const dead = replicas.replica();
    const asked = { most: 1_700, least: 100, model: 'm', endpoint: '/v1/chat/completions' };
    const call = who.call();
    await dead.reserve(call, asked);
    await tabOf(who);
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica({ interrupted: (request) => told.push(request) }));
    expect(await replicas.charged(who)).toBe(200);
    const { ownerId, keyId } = who;
    expect(told).toEqual([
      {
        ...{ id: call.requestId, ownerId, keyId, model: 'm', endpoint: '/v1/chat/completions' },
        ...{ units: 200, charged: 200, reserved: 1_700, basis: 'estimate' },
      },
    ]);
  });

  it.each([
    { name: 'what such requests usually cost, where that is known', costs: [600, 400], most: 1_700, charged: 900 },
    {
      name: 'no more than it may cost where such requests usually cost more',
      costs: [600, 400],
      most: 500,
      charged: 500,
    },
    { name: 'its certain cost where such requests usually cost less', costs: [30, 20], most: 1_700, charged: 100 },
  ])('pays $name', async ({ costs, most, charged }) => {
    const who = await replicas.person(0, null);
    const dead = replicas.replica();
    const asked = { most: 1_700, least: 100, model: 'm' };
    for (const units of costs) (await dead.reserve(who.call(), asked)).charge(used(units));
    await dead.reserve(who.call(), { ...asked, most });
    await tabOf(who);
    await dead.flush();
    const before = await replicas.charged(who);
    dead.kill();
    await replicas.reap(replicas.replica());
    expect((await replicas.charged(who)) - before).toBe(charged);
  });

  it('pays for what was in flight too, and never waits for that to be written', async () => {
    const who = await replicas.person(0, null);
    const dead = replicas.replica();
    (await dead.reserve(who.call(), 100)).charge(used(7));
    await tabOf(who);
    await dead.flush();
    const stream = dead.reserve(who.call(), 100);
    expect(stream).not.toBeInstanceOf(Promise);
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(107);
    expect(await replicas.balance(who)).toBe(-107);
  });

  it('is not taken for dead while its process tends what is in flight, however long that takes', async () => {
    const who = await replicas.person(0, null);
    const [alive, other] = [replicas.replica(), replicas.replica()];
    (await alive.reserve(who.call(), 100)).cancel();
    await tabOf(who);
    const stream = await alive.reserve(who.call(), 100);
    await alive.flush();
    for (let second = 0; second < 200; second += 20) {
      replicas.clock.now += 20_000;
      await alive.tend();
      await other.tend();
    }
    expect(await replicas.charged(who)).toBe(0);
    stream.charge(used(60));
    await alive.flush();
    expect(await replicas.charged(who)).toBe(60);
  });

  it('pays for what is in flight after a pause in which nothing was', async () => {
    const who = await replicas.person(0, null);
    const dead = replicas.replica();
    (await dead.reserve(who.call(), 100)).charge(used(7));
    await tabOf(who);
    replicas.clock.now += 10_001;
    await dead.tend();
    await dead.reserve(who.call(), 100);
    await written();
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(107);
  });

  it('is served when what is in flight cannot be written down, which is tried again with the next request', async () => {
    const warned: string[] = [];
    let isAway = true;
    const dead = replicas.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      ledger: {
        lease: (...given) =>
          isAway ? Promise.reject(new Error('connection refused')) : replicas.store.ledger.lease(...given),
      },
    });
    const who = await replicas.person(0, null);
    const first = await dead.reserve(who.call(), 100);
    await written();
    expect(warned).toEqual(['what is in flight cannot be written down']);
    first.charge(used(7));
    await dead.flush();
    expect(await replicas.charged(who)).toBe(7);
    isAway = false;
    await dead.reserve(who.call(), 100);
    await written();
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(107);
  });

  it('is served when its owner cannot be read again, which is told', async () => {
    const warned: string[] = [];
    let isAway = false;
    const { owners } = replicas.store;
    const spending = replicas.replica({
      log: { ...quiet, warn: (_facts, message) => void warned.push(message) },
      owners: {
        ...owners,
        ensure: (...given) => (isAway ? Promise.reject(new Error('connection refused')) : owners.ensure(...given)),
      },
    });
    const who = await replicas.person(0, null);
    (await spending.reserve(who.call(), 100)).charge(used(7));
    isAway = true;
    replicas.clock.now += 3_000;
    (await spending.reserve(who.call(), 100)).charge(used(8));
    await written();
    expect(warned).toEqual(['an owner could not be read']);
    await spending.flush();
    expect(await replicas.charged(who)).toBe(15);
  });

  it('is not charged twice when the process was only taken for dead', async () => {
    const who = await replicas.person(0, null);
    const asleep = replicas.replica();
    (await asleep.reserve(who.call(), 100)).cancel();
    await tabOf(who);
    const stream = await asleep.reserve(who.call(), 100);
    await asleep.flush();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(100);
    stream.charge(used(60));
    await asleep.flush();
    expect(await replicas.charged(who)).toBe(100);
    expect(await isRefused(() => asleep.reserve(who.call(), 100))).toBe(false);
  });
});
