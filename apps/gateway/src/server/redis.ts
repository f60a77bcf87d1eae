/** The Redis that replicas share, if there is one. */
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Log } from '@model-gateway/core';
import { codeOf, StartFault } from './start-fault.ts';

const FIRST_CONNECT_MS = 2_000;
const COMMAND_MS = 500;
const TELL_EVERY_MS = 60_000;

/**
 * Connects. Rejects with StartFault when that does not work within two seconds: an address that is wrong is noticed at the start. A Redis that goes
 * away later is tried again in the background, and who needs it must do without meanwhile.
 */
export async function connectRedis(url: string, log: Log, now: () => number): Promise<Redis> {
  const redis = new Redis(url, {
    // A request must not wait for a Redis that is away: it is told at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
    connectionName: 'model-gateway',
  });
  let toldAt = -Infinity;
  let reason = 'no answer';
  redis.on('error', (error: Error) => {
    // Never the whole error: an address with its password must not get into the log.
    reason = codeOf(error) === 'unknown' ? error.message : codeOf(error);
    if (now() - toldAt < TELL_EVERY_MS) return;
    toldAt = now();
    log.warn({ reason }, 'Redis cannot be reached; it is tried again');
  });
  const isReady = await readyWithin(redis, FIRST_CONNECT_MS);
  if (isReady) return redis;
  redis.disconnect();
  throw new StartFault(
    `Redis cannot be used (${reason}): check that it runs and that host and password of redis.url are right`,
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
