/** The Redis that replicas share, if there is one. */
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Log } from '@model-gateway/core';
import { codeOf, StartFault } from './start-fault.ts';

const FIRST_CONNECT_MS = 2_000;
/** For one that has accepted the connection and is slow, as on a machine where everything starts at once. */
const SLOW_CONNECT_MS = 10_000;
const COMMAND_MS = 500;
const NO_ANSWER = 'no answer';
/** ioredis' words for a command that took longer than COMMAND_MS. */
const TIMED_OUT = 'Command timed out';
const TELL_EVERY_MS = 60_000;

/**
 * Connects. Rejects with StartFault when nobody is there within two seconds, or does not answer within twelve: an address that is wrong is noticed at
 * the start. A Redis that goes away later is tried again in the background, and who needs it must do without meanwhile.
 */
export async function connectRedis(url: string, log: Log, now: () => number): Promise<Redis> {
  // By its default: in the bundle a CommonJS package has no other name.
  const { default: ioredis } = await import('ioredis');
  const redis = new ioredis.Redis(url, {
    // A request must not wait for a Redis that is away: it is told at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
    connectionName: 'model-gateway',
  });
  let toldAt = -Infinity;
  const seen = { reason: NO_ANSWER, isThere: false };
  redis.on('error', (error: Error) => {
    // Never the whole error: an address with its password must not get into the log.
    seen.reason = codeOf(error) === 'unknown' ? error.message : codeOf(error);
    if (now() - toldAt < TELL_EVERY_MS) return;
    toldAt = now();
    log.warn({ reason: seen.reason }, 'Redis cannot be reached; it is tried again');
  });
  redis.on('connect', () => (seen.isThere = true));
  if (await readyWithin(redis, FIRST_CONNECT_MS)) return redis;
  const isSlow = seen.isThere && (seen.reason === NO_ANSWER || seen.reason === TIMED_OUT);
  if (isSlow && (await readyWithin(redis, SLOW_CONNECT_MS))) return redis;
  redis.disconnect();
  throw new StartFault(
    `Redis cannot be used (${seen.reason}): check that it runs and that host and password of redis.url are right`,
  );
}

async function readyWithin(redis: Redis, ms: number): Promise<boolean> {
  const settled = new AbortController();
  try {
    return await Promise.race([
      new Promise<boolean>((resolve) => redis.once('ready', () => resolve(true))),
      setTimeout(ms, false, { signal: settled.signal }),
    ]);
  } finally {
    settled.abort();
  }
}
