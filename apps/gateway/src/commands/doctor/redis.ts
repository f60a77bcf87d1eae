/** Whether Redis answers, where one is configured. */
import type { Config } from '../../config/config.ts';
import { codeOf } from '../../server/start-fault.ts';
import { clockFinding } from './clock.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MS = 3000;
const ALONE =
  'should several gateways work on one database, each keeps limits of keys, the health of accounts, their budgets and answers for itself';

/** Asks Redis for its time. */
export async function lookAtRedis({ redisUrl }: Config, now: () => number): Promise<readonly Finding[]> {
  if (redisUrl === undefined) return [{ name: 'redis', state: 'ok', message: `none is configured: ${ALONE}` }];
  const shown = redisUrl.replace(/\/\/[^@/]*@/, '//…@');
  // By its default: in the bundle a CommonJS package has no other name.
  const { default: ioredis } = await import('ioredis');
  const redis = new ioredis.Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: string | undefined;
  redis.on('error', (error: Error) => (reason ??= codeOf(error) === 'unknown' ? error.message : codeOf(error)));
  try {
    await redis.connect();
    const begun = performance.now();
    const [seconds = 0] = await redis.time();
    const took = Math.round(performance.now() - begun);
    const clock = clockFinding(`Redis at ${shown}`, seconds * 1000 - now());
    return [
      { name: 'redis', state: 'ok', message: `${shown} answers in ${took} ms` },
      ...(clock.state === 'ok' ? [] : [clock]),
    ];
  } catch (error) {
    return [
      {
        name: 'redis',
        state: 'fault',
        message: `${shown} does not answer (${reason ?? String(error)})`,
        advice:
          'see that a Redis runs there and REDIS_URL (or redis.url) names it; without it the gateway does not start',
      },
    ];
  } finally {
    redis.disconnect();
  }
}
