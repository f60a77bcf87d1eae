/** Replicas over one real Redis that tell each other which accounts cool. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import type { HealthNews, Log, SharedHealth } from '@model-gateway/core';
import { createRedisHealth } from './redis-health.ts';
import { untilListening } from './testing/listening.ts';

/** Named at run time: `testing` is built on this project. */
const TESTING = '@model-gateway/testing';
const { hasTestRedis, openTestRedis } = (await import(TESTING)) as {
  hasTestRedis: () => boolean;
  openTestRedis: () => Promise<{ url: string; close: () => Promise<void> }>;
};
const describeRedis = hasTestRedis() ? describe : describe.skip;

const COOL: HealthNews = {
  accountId: 3,
  model: 'gpt 5:2',
  coolMs: 30_000,
  code: 'upstream_rate_limited',
  message: 'slow | down',
};

describeRedis('health that replicas share', () => {
  let server: { url: string; close: () => Promise<void> };
  let connections: Redis[] = [];
  let warnings: string[] = [];
  let prefix = '';
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_, message) => warnings.push(message),
    error: () => undefined,
  };
  beforeAll(async () => {
    server = await openTestRedis();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    prefix = `test-${Math.random()}`;
    warnings = [];
  });
  afterEach(() => {
    for (const each of connections) each.disconnect();
    connections = [];
  });

  const connect = (): Redis => {
    const redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    connections.push(redis);
    return redis;
  };
  const replica = () => {
    const [redis, subscriber] = [connect(), connect()];
    const health: SharedHealth = createRedisHealth({ redis, subscriber, log, prefix });
    const heard: HealthNews[] = [];
    let wake: () => void = () => undefined;
    health.listen((news) => {
      heard.push(news);
      wake();
    });
    const next = async (): Promise<void> => {
      if (heard.length > 0) return;
      await new Promise<void>((resolve) => (wake = resolve));
    };
    const listening = (): Promise<void> => untilListening({ redis, subscriber });
    return { health, heard, redis, next, listening };
  };

  it('reaches the others as it was told, and not who told it', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.listening(), b.listening()]);
    a.health.tell(COOL);
    await b.next();
    expect(b.heard).toEqual([COOL]);
    expect(a.heard).toEqual([]);
  });

  it('reaches who comes later, with the time that is left', async () => {
    const a = replica();
    a.health.tell(COOL);
    a.health.tell({ ...COOL, accountId: 4, coolMs: 1 });
    a.health.tell({ ...COOL, accountId: 5 });
    a.health.tell({ accountId: 5, model: COOL.model, coolMs: 0 });
    await a.redis.ping();
    // The second is over by then: by Redis' own clock.
    for (;;) {
      const [seconds, micros] = await a.redis.time();
      if (Number(micros) % 1000 >= 0 && (await a.redis.pttl(`${prefix}:cooling`)) < COOL.coolMs - 5) break;
      expect(Number(seconds)).toBeGreaterThan(0);
    }
    const late = replica();
    await late.next();
    expect(late.heard.filter(({ accountId }) => accountId !== 3)).toEqual([]);
    const [news] = late.heard;
    expect(news).toMatchObject({ accountId: 3, model: 'gpt 5:2', message: 'slow | down' });
    expect(news?.coolMs).toBeLessThan(30_000);
    expect(news?.coolMs).toBeGreaterThan(20_000);
  });

  it('leaves nothing in Redis for good', async () => {
    const a = replica();
    a.health.tell({ ...COOL, coolMs: 500 });
    await a.redis.ping();
    expect(await a.redis.pttl(`${prefix}:cooling`)).toBeLessThanOrEqual(500);
    expect(await a.redis.pttl(`${prefix}:cooling`)).toBeGreaterThanOrEqual(-2);
  });

  it('passes over what is no news', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.listening(), b.listening()]);
    await a.redis.publish(`${prefix}:health`, 'nonsense');
    await a.redis.publish(`${prefix}:health`, '{"accountId":"x"}');
    a.health.tell(COOL);
    await b.next();
    expect(b.heard).toEqual([COOL]);
    expect(warnings).toEqual([]);
  });
});
