import type { Redis } from 'ioredis';

/** Subscribed, and what was told before is read: what is told from now on is heard once. Redis answers in order. */
export async function untilListening({ redis, subscriber }: { redis: Redis; subscriber: Redis }): Promise<void> {
  await subscriber.ping();
  // What follows the subscription is asked by now.
  await subscriber.ping();
  await redis.ping();
}
