/** Answers that replicas give again, in Redis: each with its time, so many of one tenant, and so many bytes of all together. */
import type { AnswerStore, CachedAnswer } from '@model-gateway/core';
import type { RedisClient } from './redis-counts.ts';

/** Answers of one tenant; the oldest go first. */
const MOST_OF_TENANT = 1_000;
/** Ended ones that one new answer takes out of the lists. */
const SWEPT_AT_ONCE = 100;
const MOST_BYTES = 64 * 1024 * 1024;
/** Larger ones are kept by no replica: Redis has one thread for all. */
const LARGEST_BODY = 256 * 1024;

/** KEYS: the answer. */
const GET = `return redis.call('GET', KEYS[1])`;

/**
 * KEYS: the answer, the tenant's list, ends and sizes of all answers. ARGV: the answer, its time (ms), how many the tenant may have, how many bytes all
 * may have. The lists are sorted sets, of the tenant by the time of Redis, of all by when an answer ends; the sum of the sizes has the name ''. These
 * two never expire, so that they are not evicted apart: who sets an answer takes out of them what has ended.
 */
const SET = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function forget(key)
  redis.call('ZREM', KEYS[3], key)
  local size = redis.call('HGET', KEYS[4], key)
  if not size then return end
  redis.call('HDEL', KEYS[4], key)
  redis.call('HINCRBY', KEYS[4], '', -tonumber(size))
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, ${SWEPT_AT_ONCE})) do forget(key) end
forget(KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[4], KEYS[1], #ARGV[1])
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[2]), KEYS[1])
local sum = redis.call('HINCRBY', KEYS[4], '', #ARGV[1])
while sum > tonumber(ARGV[4]) do
  local first = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if not first then break end
  redis.call('DEL', first)
  forget(first)
  sum = tonumber(redis.call('HGET', KEYS[4], ''))
end
redis.call('ZADD', KEYS[2], now, KEYS[1])
local over = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[3])
if over > 0 then
  for _, key in ipairs(redis.call('ZRANGE', KEYS[2], 0, over - 1)) do
    redis.call('DEL', key)
    forget(key)
  end
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
  /** Bytes of all answers; beyond them those go first that would end first. */
  readonly most?: number;
  /** Before every name in Redis. */
  readonly prefix?: string;
}): AnswerStore {
  const { redis, most = MOST_BYTES, prefix = 'model-gateway' } = options;
  // One slot of a cluster for a tenant's list and its answers would need its name in each key; a script names all that it touches here.
  const answerAt = (key: string): string => `${prefix}:{answers}:${key}`;
  const claimAt = (key: string): string => `${prefix}:{answers}:claim:${key}`;
  const tenantAt = (tenant: string): string => `${prefix}:{answers}:of:${tenant}`;
  const [ends, sizes] = [`${prefix}:{answers}:ends`, `${prefix}:{answers}:sizes`];
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
      const given = [JSON.stringify(written), Math.ceil(ttlMs), MOST_OF_TENANT, most];
      await redis.eval(SET, 4, answerAt(key), tenantAt(tenant), ends, sizes, ...given);
    },
    claim: async (key, by, ms) => (await redis.eval(CLAIM, 1, claimAt(key), by, ms)) === 1,
    async release(key, by) {
      await redis.eval(RELEASE, 1, claimAt(key), by);
    },
  };
}
