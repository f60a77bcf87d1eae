/** Health of vendor accounts, shared by replicas through Redis: news by publish and subscribe, and what still cools in a hash, for who comes later. */
import { randomBytes } from 'node:crypto';
import type { HealthNews, Log, SharedHealth } from '@model-gateway/core';
import type { RedisClient } from './redis-counts.ts';

/** The few words of an ioredis connection that is there for subscriptions alone. */
export interface RedisSubscriber {
  subscribe(channel: string): Promise<unknown>;
  on(event: 'message', heard: (channel: string, text: string) => void): unknown;
  on(event: 'ready', heard: () => void): unknown;
  disconnect(): void;
}

/*
 * KEYS: the hash. ARGV: the channel, the field, how long it cools (ms, 0 = it is well), the news as JSON.
 * A field's value begins with the time (of Redis) until which it holds.
 */
const TELL = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local cool = tonumber(ARGV[3])
if cool > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], string.format('%.0f', now + cool) .. ' ' .. ARGV[4])
  if redis.call('PTTL', KEYS[1]) < cool then redis.call('PEXPIRE', KEYS[1], cool) end
else
  redis.call('HDEL', KEYS[1], ARGV[2])
end
redis.call('PUBLISH', ARGV[1], ARGV[4])
return 0
`;

/** KEYS: the hash. Returns pairs: how long each still holds (ms), its JSON. What is over is removed. */
const KNOWN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local flat = redis.call('HGETALL', KEYS[1])
local found = {}
for i = 1, #flat, 2 do
  local till, news = string.match(flat[i + 1], '^(%d+) (.*)$')
  if till and tonumber(till) > now then
    found[#found + 1] = tonumber(till) - now
    found[#found + 1] = news
  else redis.call('HDEL', KEYS[1], flat[i]) end
end
return found
`;

interface Message extends HealthNews {
  /** The process that found it. */
  readonly from: string;
}

/** Makes the sharing of one process. `redis` and `subscriber` are not closed by it. */
export function createRedisHealth(options: {
  readonly redis: Pick<RedisClient, 'eval'>;
  readonly subscriber: RedisSubscriber;
  readonly log: Log;
  /** Before every name in Redis. */
  readonly prefix?: string;
}): SharedHealth {
  const { redis, subscriber, log, prefix = 'model-gateway' } = options;
  const self = randomBytes(6).toString('base64url');
  const channel = `${prefix}:health`;
  const hash = `${prefix}:cooling`;
  const quietly = (work: Promise<unknown>, message: string): void => {
    work.catch((error: unknown) => log.warn({ err: error }, message));
  };

  return {
    tell(news) {
      const field = `${news.accountId} ${news.model}`;
      const message: Message = { ...news, from: self };
      quietly(
        redis.eval(TELL, 1, hash, channel, field, Math.ceil(news.coolMs), JSON.stringify(message)),
        'the health of an account could not be told to the other replicas',
      );
    },
    listen(learn) {
      const hear = (text: string, cools?: number): void => {
        const message = read(text);
        if (message === undefined || message.from === self) return;
        const { from: _, ...news } = message;
        const passed = cools === undefined ? 0 : Math.max(0, news.coolMs - cools);
        learn({ ...news, coolMs: news.coolMs - passed });
      };
      const catchUp = async (): Promise<void> => {
        const found = await redis.eval(KNOWN, 1, hash);
        if (!Array.isArray(found)) return;
        for (let at = 0; at + 1 < found.length; at += 2) hear(String(found[at + 1]), Number(found[at]));
      };
      const failed = 'the health of accounts at the other replicas could not be read';
      subscriber.on('message', (_, text) => hear(text));
      // After a connection that broke, too: what was told meanwhile is in the hash.
      subscriber.on('ready', () => quietly(catchUp(), failed));
      quietly(subscriber.subscribe(channel).then(catchUp), failed);
    },
  };
}

/** Undefined for what no replica of this version wrote. */
function read(text: string): Message | undefined {
  try {
    const { accountId, model, coolMs, ...others } = JSON.parse(text) as Partial<Message>;
    const makesSense = Number.isInteger(accountId) && typeof model === 'string' && Number.isFinite(coolMs);
    return makesSense ? ({ accountId, model, coolMs, ...others } as Message) : undefined;
  } catch {
    return undefined;
  }
}
