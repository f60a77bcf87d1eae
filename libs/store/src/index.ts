export { openStore, type OpenOptions } from './store.ts';
export { createRedisCounts, type RedisClient } from './redis/redis-counts.ts';
