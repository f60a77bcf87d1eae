export {
  createLimiter,
  isLimited,
  type Asked,
  type Permit,
  type Gauge,
  type Limiter,
  type LimitState,
  type SharedCounts,
} from './limiter.ts';
export { requestTokens } from './request-tokens.ts';
export { createRedisCounts, type RedisClient } from './redis-counts.ts';
