export {
  createLimiter,
  isLimited,
  type Asked,
  type Permit,
  type Gauge,
  type Limiter,
  type LimitState,
} from './limiter.ts';
export type { RunOf } from './run-limits.ts';
export { createMemoryCounts, type MemoryCounts } from './memory-counts.ts';
export { requestTokens } from './request-tokens.ts';
export { BUCKETS as LIMIT_BUCKETS, WINDOW_MS as LIMIT_WINDOW_MS } from './window.ts';
