/** Answers that replicas give again, in Redis: each with its time, and so many of one tenant. */
import type { AnswerStore, CachedAnswer } from '@model-gateway/core';
import type { RedisClient } from './redis-counts.ts';

/** Answers of one tenant; the oldest go first. */
const MOST_OF_TENANT = 1_000;
/** Larger ones are kept by no replica: Redis has one thread for all. */
const LARGEST_BODY = 256 * 1024;

/** KEYS: the answer. */
const GET = `return redis.call('GET', KEYS[1])`;

/** KEYS: the answer, the tenant's list. ARGV: the answer, its time (ms), how many the tenant may have. The list is a sorted set by the time of Redis. */
const SET = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], now, KEYS[1])
local over = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[3])
if over > 0 then
  for _, key in ipairs(redis.call('ZRANGE', KEYS[2], 0, over - 1)) do redis.call('DEL', key) end
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, over - 1)
end
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return 0
`;

/** KEYS: the claim. ARGV: by whom, for how long (ms). Who has it already has it on. */
const CLAIM = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0
`;

/** KEYS: the claim. ARGV: by whom. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0`;

type Written = Omit<CachedAnswer, 'body'> & { readonly base64: string };

/** Makes the place of all replicas. `redis` is not closed by it; what it rejects with is its own. */
export function createRedisAnswers(options: {
  readonly redis: Pick<RedisClient, 'eval'>;
  /** Before every name in Redis. */
  readonly prefix?: string;
}): AnswerStore {
  const { redis, prefix = 'model-gateway' } = options;
  // One slot of a cluster for a tenant's list and its answers would need its name in each key; a script names all that it touches here.
  const answerAt = (key: string): string => `${prefix}:{answers}:${key}`;
  const claimAt = (key: string): string => `${prefix}:{answers}:claim:${key}`;
  const tenantAt = (tenant: string): string => `${prefix}:{answers}:of:${tenant}`;
  return {
    async get(key) {
      const text = await redis.eval(GET, 1, answerAt(key));
      if (typeof text !== 'string') return undefined;
      const { base64, ...rest } = JSON.parse(text) as Written;
      return { ...rest, body: Buffer.from(base64, 'base64') };
    },
    async set(key, tenant, { body, ...rest }, ttlMs) {
      if (body.length > LARGEST_BODY) return;
      const written: Written = { ...rest, base64: Buffer.from(body).toString('base64') };
      const given = [JSON.stringify(written), Math.ceil(ttlMs), MOST_OF_TENANT];
      await redis.eval(SET, 2, answerAt(key), tenantAt(tenant), ...given);
    },
    claim: async (key, by, ms) => (await redis.eval(CLAIM, 1, claimAt(key), by, ms)) === 1,
    async release(key, by) {
      await redis.eval(RELEASE, 1, claimAt(key), by);
    },
  };
}
