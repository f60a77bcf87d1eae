/** What processes tell each other of the health of vendor accounts. Units and promises as in ports.ts. */
import type { ErrorCode } from '@model-gateway/contracts';

/** One vendor model of one account has begun to cool, or is well again. In durations: every process has its own clock. */
export interface HealthNews {
  readonly accountId: number;
  /** As the vendor calls it. */
  readonly model: string;
  /** How much longer it cools; 0 when it is well again. */
  readonly coolMs: number;
  /** Why it cools. */
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly vendorCode?: string;
}

/** Brings news to the other processes and theirs here. Best effort: without it each learns from its own calls. */
export interface SharedHealth {
  /** Never throws. */
  tell(news: HealthNews): void;
  /** What is known already, and what comes later. Called once. */
  listen(learn: (news: HealthNews) => void): void;
}
