/** The Redis that replicas share, if there is one. */
import { Redis } from 'ioredis';
import type { Log } from '@model-gateway/core';

const FIRST_CONNECT_MS = 2_000;
const COMMAND_MS = 500;
const TELL_EVERY_MS = 60_000;

/** Connects; resolves when it can be used, or after two seconds: it is tried again in the background, and who needs it must do without meanwhile. */
export async function connectRedis(url: string, log: Log, now: () => number): Promise<Redis> {
  const redis = new Redis(url, {
    // A request must not wait for a Redis that is away: it is told at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
    connectionName: 'model-gateway',
  });
  let toldAt = -Infinity;
  redis.on('error', (error: Error) => {
    if (now() - toldAt < TELL_EVERY_MS) return;
    toldAt = now();
    // The message alone: an address with its password must not get into the log.
    log.warn({ reason: error.message }, 'Redis cannot be reached; it is tried again');
  });
  await new Promise<void>((resolve) => {
    redis.once('ready', resolve);
    setTimeout(resolve, FIRST_CONNECT_MS).unref();
  });
  return redis;
}
