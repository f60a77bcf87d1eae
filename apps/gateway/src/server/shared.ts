/** What processes share beside the database: counts against limits, the health of accounts and what they are used for, through Redis or among the workers of a machine. */
import type {
  AccountUse,
  AnswerStore,
  HealthNews,
  Log,
  SharedCounts,
  SharedHealth,
  SharedUse,
} from '@model-gateway/core';
import { createRedisAnswers, createRedisCounts, createRedisHealth, createRedisUse } from '@model-gateway/store';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from '../config/config.ts';
import type { Siblings } from './siblings.ts';
import { codeOf, StartFault } from './start-fault.ts';

export interface Shared {
  /** Undefined: this process counts alone. */
  readonly counts: SharedCounts | undefined;
  /** Undefined: this process learns from its own calls only. */
  readonly health: SharedHealth | undefined;
  /** Undefined: this process keeps answers for itself. */
  readonly answers: AnswerStore | undefined;
  /** Undefined: this process keeps budgets of accounts by its own calls. */
  readonly use: SharedUse | undefined;
}

export interface SharedOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl' | 'server'>;
  readonly siblings: Pick<Siblings, 'counts' | 'health' | 'use'> | undefined;
  readonly log: Log;
  readonly now: () => number;
}

/** Connects to what is configured; Redis goes before the workers' own way, because replicas on other machines share it too. Throws StartFault. */
export async function openShared(
  resources: AsyncDisposableStack,
  { config, siblings, log, now }: SharedOptions,
): Promise<Shared> {
  if (config.redisUrl !== undefined) {
    const redis = await connectRedis(config.redisUrl, log, now);
    resources.defer(() => redis.disconnect());
    // A connection that listens can ask nothing else.
    const subscriber = redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
    subscriber.on('error', () => undefined);
    resources.defer(() => subscriber.disconnect());
    return {
      counts: createRedisCounts({ redis, log }),
      health: createRedisHealth({ redis, subscriber, log }),
      answers: createRedisAnswers({ redis, most: config.server.responseCache }),
      use: createRedisUse({ redis, subscriber, now, log }),
    };
  }
  if (siblings === undefined) tellOfNoRedis(config, log);
  return { counts: siblings?.counts, health: siblings?.health, answers: undefined, use: siblings?.use };
}

/** Throws StartFault when there is to be a Redis and it cannot be used. */
export async function checkRedis(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { log, now }: Pick<SharedOptions, 'log' | 'now'>,
): Promise<void> {
  if (redisUrl !== undefined) (await connectRedis(redisUrl, log, now)).disconnect();
}

/** Said once by a gateway whose database others may share. */
export function tellOfNoRedis({ databaseUrl }: Pick<Config, 'databaseUrl'>, log: Log): void {
  if (databaseUrl.startsWith('sqlite:')) return;
  log.info(
    {},
    'there is no Redis: should other gateways work on this database, each keeps limits of keys, the health of accounts, their budgets and answers for itself',
  );
}

/** What is used is told both ways from here on. */
export function shareUse(
  use: SharedUse | undefined,
  router: { learnUse(use: AccountUse): void; learnDay(use: AccountUse): void },
): void {
  use?.listen({ learn: (each) => router.learnUse(each), learnDay: (each) => router.learnDay(each) });
}

/** News go both ways from here on. */
export function shareHealth(health: SharedHealth | undefined, router: { learn(news: HealthNews): void }): void {
  health?.listen((news) => router.learn(news));
}

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
    log.warn({ reason: seen.reason }, 'Redis cannot be reached; the gateway keeps trying');
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
