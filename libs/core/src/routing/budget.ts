/** What an operator lets an account be used for. */

/** The most of a minute (any 60 seconds) or of a day (of UTC); absent: no bound. */
export interface Budget {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** By the catalogue's prices, without the factors of groups. */
  readonly dollarsPerMinute?: number;
  readonly requestsPerDay?: number;
  readonly tokensPerDay?: number;
  readonly dollarsPerDay?: number;
}

export interface AccountBudget extends Budget {
  /** By the vendor's names. */
  readonly models: Readonly<Record<string, Budget>>;
  /** Whether what the vendor says is left counts, too. */
  readonly learns: boolean;
}
