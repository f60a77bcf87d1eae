/** Replicas over one real Redis that tell each other what accounts are used for. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import type { AccountUse, Log } from '@model-gateway/core';
import { createRedisUse } from './redis-use.ts';
import { untilListening } from './testing/listening.ts';

/** Named at run time: `testing` is built on this project. */
const TESTING = '@model-gateway/testing';
const { hasTestRedis, openTestRedis } = (await import(TESTING)) as {
  hasTestRedis: () => boolean;
  openTestRedis: () => Promise<{ url: string; close: () => Promise<void> }>;
};
const describeRedis = hasTestRedis() ? describe : describe.skip;
const USE: AccountUse = { accountId: 3, model: 'gpt 5:2', requests: 1, tokens: 700, units: 12 };

describeRedis('use of accounts that replicas share', () => {
  let server: { url: string; close: () => Promise<void> };
  let connections: Redis[] = [];
  let warnings: string[] = [];
  let prefix = '';
  let at = Date.UTC(2026, 10, 22, 12);
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
  /** What it hears, in the order of hearing: by others from now on, and by all today. */
  const replica = () => {
    const [redis, subscriber] = [connect(), connect()];
    const use = createRedisUse({ redis, subscriber, now: () => at, log, prefix });
    const heard: { readonly learnt?: AccountUse; readonly today?: AccountUse }[] = [];
    const waiting: (() => void)[] = [];
    const hear = (what: (typeof heard)[number]): void => {
      heard.push(what);
      for (const wake of waiting.splice(0)) wake();
    };
    use.listen({ learn: (learnt) => hear({ learnt }), learnDay: (today) => hear({ today }) });
    const until = async (count: number): Promise<void> => {
      while (heard.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    const listening = (): Promise<void> => untilListening({ redis, subscriber });
    return { use, heard, until, redis, listening };
  };

  it('a turn is one message to the others, by account and model, and none to who told it', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.listening(), b.listening()]);
    a.use.tell(USE);
    a.use.tell({ ...USE, requests: 0, tokens: 100, units: 1 });
    a.use.tell({ ...USE, model: 'other' });
    await b.until(2);
    expect(b.heard).toEqual([{ learnt: { ...USE, tokens: 800, units: 13 } }, { learnt: { ...USE, model: 'other' } }]);
    b.use.tell(USE);
    await a.until(1);
    expect(a.heard).toEqual([{ learnt: USE }]);
    expect(warnings).toEqual([]);
  });

  it('who comes later hears of the day, and of that day alone', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.listening(), b.listening()]);
    a.use.tell(USE);
    await b.until(1);
    const late = replica();
    await late.until(1);
    for (const { today } of late.heard) expect(today).toEqual(USE);
    at += 86_400_000;
    const next = replica();
    await next.listening();
    a.use.tell(USE);
    await next.until(1);
    expect(next.heard).toEqual([{ learnt: USE }]);
  });

  it('what no replica wrote is passed over', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.listening(), b.listening()]);
    for (const text of ['', '{}', '{"from":"x","uses":[{}]}', '{"from":"x","uses":[{"accountId":1,"model":"m"}]}'])
      await a.redis.publish(`${prefix}:use`, text);
    await a.redis.hset(`${prefix}:used:${Math.floor(at / 86_400_000)}`, 'nonsense', '5');
    a.use.tell(USE);
    await b.until(1);
    expect(b.heard).toEqual([{ learnt: USE }]);
  });

  it('a Redis that is away is told of once a minute', async () => {
    const { use, redis, listening } = replica();
    await listening();
    const ended = new Promise((resolve) => redis.once('end', resolve));
    redis.disconnect();
    // Until then commands wait for a connection that closes.
    await ended;
    const tellThrice = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) {
        use.tell(USE);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await new Promise((resolve) => setImmediate(resolve));
    };
    await tellThrice();
    expect(warnings.length).toBe(1);
    at += 60_000;
    await tellThrice();
    expect(warnings.length).toBe(2);
    expect(warnings[1]).toMatch(/^what accounts were used for could not be told/);
  });
});
