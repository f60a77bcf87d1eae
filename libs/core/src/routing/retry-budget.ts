/** Further attempts as a share of requests: when everybody fails, asking everybody again makes it worse. */

/** What may be spent before the share decides, so that a few requests may fail. */
const RESERVE = 10;

export interface RetryBudget {
  /** A request began. */
  earn(share: number): void;
  /** Whether one more attempt may be made; it is counted. */
  spend(): boolean;
}

/** Makes the budget of one model: further attempts are at most ten more than the share of its requests. */
export function createRetryBudget(): RetryBudget {
  let left = RESERVE;
  return {
    earn(share) {
      left = Math.min(RESERVE, left + share);
    },
    spend() {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
