/** Two replicas over one real Redis. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import {
  createLimiter,
  type KeyLimits,
  type KeyRecord,
  type Limiter,
  type Log,
  type Permit,
} from '@model-gateway/core';
import { createRedisCounts } from './redis-counts.ts';

/** Named at run time: `testing` is built on this project. */
const TESTING = '@model-gateway/testing';
const { hasTestRedis, openTestRedis } = (await import(TESTING)) as {
  hasTestRedis: () => boolean;
  openTestRedis: () => Promise<{ url: string; close: () => Promise<void> }>;
};

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const none = { inputTokens: 0, outputTokens: 0 };
// Without a Redis on the machine there is nothing to test against; the counts in memory are tested everywhere.
const describeRedis = hasTestRedis() ? describe : describe.skip;

describeRedis('limits that replicas share', () => {
  let server: { url: string; close: () => Promise<void> };
  let replicas: Limiter[] = [];
  let keys = 0;
  beforeAll(async () => {
    server = await openTestRedis();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const each of replicas) await each.close();
    replicas = [];
  });

  const replica = (): Limiter => {
    const redis = new Redis(server.url);
    const limiter = createLimiter({
      now: () => Date.now(),
      log: quiet,
      shared: createRedisCounts({ redis, log: quiet }),
    });
    replicas.push(limiter);
    return limiter;
  };
  const newKey = (limits: KeyLimits): KeyRecord => ({
    id: Date.now() * 1000 + ++keys,
    name: 'k',
    hash: '',
    hint: '',
    mode: 'live',
    ownerId: 1,
    group: 'default',
    models: ['*'],
    ipRanges: [],
    limits,
    createdAt: 0,
    declared: false,
  });
  const served = (permits: readonly Permit[]): number => permits.filter(({ refusal }) => refusal === undefined).length;
  const releaseAll = (permits: readonly Permit[]): void => {
    for (const each of permits) if (each.refusal === undefined) each.release({ input: 0, output: 0 });
  };

  it('requests: 400 at once over two replicas pass the limit by none and miss it by none', async () => {
    const pair = [replica(), replica()];
    const key = newKey({ requestsPerMinute: 100 });
    const began = performance.now();
    const all = await Promise.all(Array.from({ length: 400 }, async (_, index) => pair[index % 2]!.acquire(key, none)));
    expect(served(all)).toBe(100);
    const refused = all.find(({ refusal }) => refusal !== undefined);
    // A minute, less what the asking itself took.
    const seconds = 58 - Math.ceil((performance.now() - began) / 1000);
    expect(refused?.refusal?.details.retryAfterSeconds).toBeGreaterThanOrEqual(seconds);
    expect(refused?.state.requests).toMatchObject({ limit: 100, remaining: 0 });
  });

  it('tokens: what one replica reserves the other cannot use; what is not used comes back', async () => {
    const [one, other] = [replica(), replica()];
    const key = newKey({ tokensPerMinute: 1_000 });
    const first = await one.acquire(key, { inputTokens: 100, outputTokens: 800 });
    expect((await other.acquire(key, { inputTokens: 100, outputTokens: 100 })).refusal).toBeDefined();
    if (first.refusal !== undefined) throw first.refusal;
    first.release({ input: 100, output: 100 });
    await settled(async () => {
      const next = await other.acquire(key, { inputTokens: 0, outputTokens: 800 });
      expect(next.refusal).toBeUndefined();
      expect(next.state.tokens).toMatchObject({ limit: 1_000, remaining: 0 });
    });
  });

  it('concurrent: 60 at once over two replicas, and a place that was left is free for either', async () => {
    const pair = [replica(), replica()];
    const key = newKey({ concurrentRequests: 20 });
    const all = await Promise.all(Array.from({ length: 60 }, async (_, index) => pair[index % 2]!.acquire(key, none)));
    expect(served(all)).toBe(20);
    releaseAll(all);
    // The other replica's words take their own way to Redis.
    await settled(async () => {
      const again = await Promise.all(Array.from({ length: 20 }, async () => pair[1]!.acquire(key, none)));
      releaseAll(again);
      expect(served(again)).toBe(20);
    });
  });

  it('every limit or none: a request that has no place takes neither a request nor tokens', async () => {
    const limiter = replica();
    const key = newKey({ concurrentRequests: 1, requestsPerMinute: 5, tokensPerMinute: 100 });
    await limiter.acquire(key, { inputTokens: 10, outputTokens: 0 });
    const refused = await limiter.acquire(key, { inputTokens: 10, outputTokens: 0 });
    expect(refused.refusal?.message).toContain('at once');
    expect(refused.state).toMatchObject({ requests: { remaining: 4 }, tokens: { remaining: 90 } });
  });

  it('the places of a killed process are free after their time', async () => {
    const redis = new Redis(server.url);
    const key = newKey({ concurrentRequests: 1 });
    await replica().acquire(key, none);
    const [name = ''] = await redis.keys(`*{${key.id}}:running`);
    const [place = ''] = await redis.zrange(name, '0', '-1');
    // As if a minute had passed without a word of it.
    await redis.zadd(name, String(Date.now() - 1), place);
    expect((await replica().acquire(key, none)).refusal).toBeUndefined();
    await redis.quit();
  });

  it('nothing is left in Redis for ever', async () => {
    const redis = new Redis(server.url);
    const key = newKey({ concurrentRequests: 5, requestsPerMinute: 5, tokensPerMinute: 100 });
    await replica().acquire(key, { inputTokens: 1, outputTokens: 1 });
    const names = await redis.keys(`*{${key.id}}*`);
    expect(names).toHaveLength(3);
    for (const name of names) expect(await redis.ttl(name)).toBeGreaterThan(0);
    await redis.quit();
  });
});

async function settled(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await check();
      return;
    } catch (error) {
      if (tries > 3_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
