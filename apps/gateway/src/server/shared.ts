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
import type { Config } from '../config/config.ts';
import { connectRedis } from './redis.ts';
import type { Siblings } from './siblings.ts';

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
