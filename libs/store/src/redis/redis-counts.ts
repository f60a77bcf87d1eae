/** Counts in Redis, shared by all replicas: the same sliding minute as in memory, by Redis' own clock, each step one atomic script. */
import { hash, randomBytes } from 'node:crypto';
import {
  LIMIT_BUCKETS as BUCKETS,
  LIMIT_WINDOW_MS as WINDOW_MS,
  type Demand,
  type Log,
  type SharedCounts,
  type Verdict,
} from '@model-gateway/core';

/** A running request holds its place for this long after its process was last heard of. */
const PLACE_MS = 60_000;
const RENEW_MS = 20_000;
const NONE = -1;

/** The few words of ioredis that are used. */
export interface RedisClient {
  eval(script: string, keys: number, ...given: readonly (string | number)[]): Promise<unknown>;
  evalsha(sha1: string, keys: number, ...given: readonly (string | number)[]): Promise<unknown>;
  quit(): Promise<unknown>;
  disconnect(): void;
}

/*
 * A window is a hash of bucket (second) → count, and of `t` bucket → when the last of it was counted: a bucket is forgotten a minute after
 * that, as in memory. Buckets that have left the minute are deleted by whoever counts next.
 * KEYS: requests, tokens, places. ARGV: their limits (-1 for none), tokens wanted, the place's name, how long it holds.
 * Returns: refused (0 no, 1 requests, 2 tokens, 3 concurrent), both totals, both resets (ms), wait (ms), bucket.
 */
const ENTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = tonumber(time[1])
local function read(key)
  local flat = redis.call('HGETALL', key)
  local fields, counts, times, total, newest = {}, {}, {}, 0, 0
  for i = 1, #flat, 2 do fields[flat[i]] = tonumber(flat[i + 1]) end
  for field, count in pairs(fields) do
    local at = tonumber(field)
    local time = at and (fields['t' .. field] or at * 1000)
    if at and time + ${WINDOW_MS} <= now then redis.call('HDEL', key, field, 't' .. field)
    elseif at and count > 0 then
      counts[at] = count
      times[at] = time
      total = total + count
      if time > newest then newest = time end
    end
  end
  return { counts = counts, times = times }, total, newest
end
local function wait(window, total, most)
  for at = bucket - ${BUCKETS} + 1, bucket do
    total = total - (window.counts[at] or 0)
    if total <= most and window.times[at] then return math.min(${WINDOW_MS}, window.times[at] + ${WINDOW_MS} - now) end
  end
  return 0
end
local function count(key, amount)
  redis.call('HINCRBY', key, bucket, amount)
  redis.call('HSET', key, 't' .. bucket, now)
  redis.call('EXPIRE', key, ${BUCKETS + 1})
end
local mostRequests, mostTokens, mostPlaces = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local wanted = tonumber(ARGV[4])
local requests, requestTotal, requestNewest = nil, 0, 0
local tokens, tokenTotal, tokenNewest = nil, 0, 0
if mostRequests >= 0 then requests, requestTotal, requestNewest = read(KEYS[1]) end
if mostTokens >= 0 then tokens, tokenTotal, tokenNewest = read(KEYS[2]) end
local refused, waiting = 0, 0
if mostRequests >= 0 and requestTotal + 1 > mostRequests then
  refused, waiting = 1, wait(requests, requestTotal, mostRequests - 1)
elseif mostTokens >= 0 and tokenTotal + wanted > mostTokens then
  refused, waiting = 2, wait(tokens, tokenTotal, mostTokens - wanted)
elseif mostPlaces >= 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  if redis.call('ZCARD', KEYS[3]) + 1 > mostPlaces then refused, waiting = 3, 1000 end
end
if refused == 0 then
  if mostRequests >= 0 then
    count(KEYS[1], 1)
    requestTotal, requestNewest = requestTotal + 1, now
  end
  if mostTokens >= 0 then
    count(KEYS[2], wanted)
    tokenTotal, tokenNewest = tokenTotal + wanted, now
  end
  if mostPlaces >= 0 then
    redis.call('ZADD', KEYS[3], now + tonumber(ARGV[6]), ARGV[5])
    redis.call('PEXPIRE', KEYS[3], ARGV[6] * 2)
  end
end
local function reset(newest) return math.max(0, newest + ${WINDOW_MS} - now) end
return { refused, requestTotal, tokenTotal, reset(requestNewest), reset(tokenNewest), waiting, bucket }
`;

/** KEYS: tokens, places. ARGV: the bucket, what to take back from it, what to add now, the place's name ('' for none). */
const LEAVE = `
local time = redis.call('TIME')
local bucket, now = tonumber(time[1]), time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(ARGV[2]) > 0 and tonumber(ARGV[1]) > bucket - ${BUCKETS} and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], -tonumber(ARGV[2]))
end
if tonumber(ARGV[3]) > 0 then
  redis.call('HINCRBY', KEYS[1], bucket, ARGV[3])
  redis.call('HSET', KEYS[1], 't' .. bucket, now)
  redis.call('EXPIRE', KEYS[1], ${BUCKETS + 1})
end
if ARGV[4] ~= '' then redis.call('ZREM', KEYS[2], ARGV[4]) end
return 0
`;

/** KEYS: places. ARGV: how long they hold, their names. */
const RENEW = `
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', till, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)
return 0
`;

interface Script {
  readonly text: string;
  readonly sha1: string;
}
const [enterScript, leaveScript, renewScript] = [ENTER, LEAVE, RENEW].map((text): Script => ({
  text,
  sha1: hash('sha1', text),
})) as [Script, Script, Script];

const REFUSED = [undefined, 'requests', 'tokens', 'concurrent'] as const;

/** Makes the counts of one process in a Redis that others share. */
export function createRedisCounts(options: {
  readonly redis: RedisClient;
  readonly log: Log;
  /** Before every name in Redis. */
  readonly prefix?: string;
}): SharedCounts {
  const { redis, log, prefix = 'model-gateway' } = options;
  const process = randomBytes(6).toString('base64url');
  let last = 0;
  /** Places of requests that run here, by key. */
  const running = new Map<number, Set<string>>();
  // The braces keep the names of one key together in a Redis cluster.
  const name = (keyId: number, what: string): string => `${prefix}:limits:{${keyId}}:${what}`;
  /** By its name; whole only where Redis does not know it yet. */
  const run = async (script: Script, keys: number, ...given: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await redis.evalsha(script.sha1, keys, ...given);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(script.text, keys, ...given);
    }
  };
  const quietly = (work: Promise<unknown>, message: string): void => {
    work.catch((error: unknown) => log.warn({ err: error }, message));
  };

  const renewing = setInterval(() => {
    for (const [keyId, places] of running) {
      quietly(
        run(renewScript, 1, name(keyId, 'running'), PLACE_MS, ...places),
        'the places of running requests could not be renewed',
      );
    }
  }, RENEW_MS);
  renewing.unref();

  return {
    async acquire({ keyId, limits, tokens }) {
      const place = limits.concurrentRequests === undefined ? '' : `${process}${(++last).toString(36)}`;
      const answer = await run(
        enterScript,
        3,
        name(keyId, 'requests'),
        name(keyId, 'tokens'),
        name(keyId, 'running'),
        limits.requestsPerMinute ?? NONE,
        limits.tokensPerMinute ?? NONE,
        limits.concurrentRequests ?? NONE,
        tokens,
        place,
        PLACE_MS,
      );
      const verdict = verdictOf(answer, place);
      if (place !== '' && verdict.refused === undefined) {
        const places = running.get(keyId);
        if (places === undefined) running.set(keyId, new Set([place]));
        else places.add(place);
      }
      return verdict;
    },
    release({ keyId, limits, tokens }: Demand, { bucket, place }: Verdict, usedTokens: number) {
      const places = running.get(keyId);
      places?.delete(place);
      if (places?.size === 0) running.delete(keyId);
      const counted = limits.tokensPerMinute !== undefined;
      const less = counted ? Math.max(0, tokens - usedTokens) : 0;
      const more = counted ? Math.max(0, usedTokens - tokens) : 0;
      if (less === 0 && more === 0 && place === '') return;
      quietly(
        run(leaveScript, 2, name(keyId, 'tokens'), name(keyId, 'running'), bucket, less, more, place),
        'the end of a request could not be counted',
      );
    },
    async close() {
      clearInterval(renewing);
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

function verdictOf(answer: unknown, place: string): Verdict {
  if (!Array.isArray(answer)) throw new Error('Redis answered in a way that is not understood');
  const [refused = 0, requests = 0, tokens = 0, requestsResetMs = 0, tokensResetMs = 0, waitMs = 0, bucket = 0] =
    answer.map(Number);
  return { refused: REFUSED[refused], requests, tokens, requestsResetMs, tokensResetMs, waitMs, bucket, place };
}
