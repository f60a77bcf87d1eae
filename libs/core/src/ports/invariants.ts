/** What must always be so of the rows together. Units and promises as in ports.ts. */

/** The laws, in the order in which they are told. */
export const INVARIANTS = [
  'balance_is_sum_of_entries',
  'balance_within_credit',
  'request_charged_once',
  'hold_has_purpose',
  'ended_task_has_no_open_hold',
  'open_task_is_looked_after',
  'lease_is_settled',
  'webhook_is_looked_after',
] as const;
export type InvariantName = (typeof INVARIANTS)[number];

/** One thing that breaks a law. */
export interface Violation {
  readonly invariant: InvariantName;
  /** What breaks it: `owner 7`, `task abc`, `lease 12`. */
  readonly subject: string;
  readonly message: string;
}

/** Where a check goes on: the rows that it has not come to yet. Zeros begin anew. */
export interface InvariantCursor {
  readonly entryId: number;
  readonly ownerId: number;
}

export interface InvariantLook {
  /** At most so many of each law. */
  readonly violations: readonly Violation[];
  readonly next: InvariantCursor;
}

/** What one process found, as every replica reads it. */
export interface InvariantReport {
  /** When the last look ended, milliseconds since 1970; absent before the first. */
  readonly at?: number;
  /** When the last look that came to the end of the ledger and the owners ended: everything has been looked at since the one before. */
  readonly wholeAt?: number;
  readonly violations: readonly Violation[];
}

export interface InvariantStore {
  /**
   * Looks at a bounded number of rows: the newest lines of the ledger, the next ones after the cursor, the next owners, the lines and owners
   * named in `again`, and whatever is overdue. It changes nothing.
   */
  look(options: {
    readonly cursor: InvariantCursor;
    readonly again: readonly Violation[];
    readonly now: number;
    /** How much more than their credit owners may owe, quota units; 0 when absent. */
    readonly overdraft?: number;
  }): Promise<InvariantLook>;
  /** The word that replicas share of it, or undefined. */
  read(): Promise<string | undefined>;
  /** Replaces the shared word if it is still `old`; false when another replica was quicker. */
  replace(old: string | undefined, word: string): Promise<boolean>;
}
