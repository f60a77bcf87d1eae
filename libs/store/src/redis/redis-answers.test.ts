import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerStore, CachedAnswer } from '@model-gateway/core';
import { hasTestRedis, openTestRedis, type TestRedis } from '@model-gateway/testing';
import { Redis } from 'ioredis';
import { createRedisAnswers } from './redis-answers.ts';

const describeRedis = hasTestRedis() ? describe : describe.skip;

describeRedis('answers in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  let place: AnswerStore;
  let replica: AnswerStore;
  const answer = (bytes: Uint8Array): CachedAnswer => ({
    body: bytes,
    model: 'm',
    usage: { inputTokens: 3 },
    lines: [{ item: 'input', quantity: 3, price: 1, per: 1_000_000, factor: 1 }],
    dropped: ['seed'],
  });

  beforeAll(async () => {
    server = await openTestRedis();
    redis = new Redis(server.url);
    const prefix = `test-${Math.floor(performance.now() * 1e6)}`;
    [place, replica] = [createRedisAnswers({ redis, prefix }), createRedisAnswers({ redis, prefix })];
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  it('are every replica’s, byte for byte, for their time', async () => {
    const kept = answer(Buffer.from([0, 255, 10, 13, 195, 40]));
    await place.set('a', '1 live', kept, 60_000);
    expect(await replica.get('a')).toEqual({ ...kept, body: Buffer.from(kept.body) });
    expect(await replica.get('b')).toBeUndefined();
    await place.set('short', '1 live', kept, 1);
    while ((await replica.get('short')) !== undefined) await new Promise((resolve) => setImmediate(resolve));
    await place.set('large', '1 live', answer(Buffer.alloc(300_000)), 60_000);
    expect(await replica.get('large')).toBeUndefined();
  });

  it('of one tenant the oldest make room', async () => {
    const small = answer(Buffer.from('x'));
    await place.set('stays', '2 live', small, 60_000);
    for (let index = 0; index < 1_002; index++) await place.set(`many ${index}`, '3 live', small, 60_000);
    expect(await replica.get('many 1')).toBeUndefined();
    expect(await replica.get('many 2')).toBeDefined();
    expect(await replica.get('stays')).toBeDefined();
  });

  it('all together have so many bytes: those go first that would end first', async () => {
    const all = createRedisAnswers({ redis, prefix: 'bounded', most: 100_000 });
    const large = answer(Buffer.alloc(15_000));
    const kept = async (names: readonly string[]): Promise<readonly string[]> => {
      const found = await Promise.all(names.map(async (name) => ((await all.get(name)) === undefined ? [] : [name])));
      return found.flat();
    };
    for (let each = 0; each < 12; each++) await all.set(`owner ${each}`, `${each} live`, large, 60_000 - each * 1_000);
    // 20 kB each in base64: four fit beside the last one set, which ends first and goes as the next comes.
    const left = await kept(Array.from({ length: 12 }, (_, each) => `owner ${each}`));
    expect(left).toEqual(['owner 0', 'owner 1', 'owner 2', 'owner 3']);
    // Set again it counts once, and what has ended counts no more.
    for (let turn = 0; turn < 20; turn++) await all.set('owner 0', '0 live', large, 60_000);
    expect(await kept(left)).toEqual(left);
    const sum = async (): Promise<number> => Number(await redis.hget('bounded:{answers}:sizes', ''));
    const before = await sum();
    await all.set('short', '0 live', answer(Buffer.from('x')), 1);
    while ((await all.get('short')) !== undefined) await new Promise((resolve) => setImmediate(resolve));
    await all.set('owner 0', '0 live', large, 60_000);
    expect(await sum()).toBe(before);
    expect(await redis.zcard('bounded:{answers}:ends')).toBe(4);
  });

  it('one process asks, until it is done or its time is over', async () => {
    expect([await place.claim('k', 'one', 60_000), await replica.claim('k', 'two', 60_000)]).toEqual([true, false]);
    expect(await place.claim('k', 'one', 60_000)).toBe(true);
    await replica.release('k', 'two');
    expect(await replica.claim('k', 'two', 60_000)).toBe(false);
    await place.release('k', 'one');
    expect(await replica.claim('k', 'two', 1)).toBe(true);
    while (!(await place.claim('k', 'one', 60_000))) await new Promise((resolve) => setImmediate(resolve));
  });
});
