/** What operators watch, and what they take away. Units and promises as in ports.ts. */
import type { LedgerEntry } from './ledger.ts';
import type { TaskState } from './tasks.ts';

/** What waits in the database, for all processes together. */
export interface Backlog {
  readonly openTasks: readonly { readonly vendor: string; readonly state: TaskState; readonly count: number }[];
  /** Tasks that wait for room at their accounts. */
  readonly waitingTasks: readonly { readonly vendor: string; readonly accountId: number; readonly count: number }[];
  /** Tasks that nobody has in hand although it is time; `oldestAt` is when the first of them fell due. */
  readonly dueTasks: { readonly count: number; readonly oldestAt: number | undefined };
  /** Webhooks that have not arrived yet; `oldestAt` is when the first overdue attempt fell due. */
  readonly webhooks: { readonly count: number; readonly oldestAt: number | undefined };
  readonly leases: { readonly count: number; readonly units: number; readonly expired: number };
}

/** Connections to the database: `size` are open, `waiting` are requests for one. */
export interface PoolState {
  readonly size: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A charge as it is written to a file. */
export type UsageEntry = LedgerEntry & {
  readonly endpoint?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

/** What a file of an hour has. */
export interface ExportedHour {
  readonly rows: number;
  /** The last entry's id; 0 when there is none. */
  readonly lastEntry: number;
}

/** Files of usage, one for each hour (UTC) by its first millisecond; who writes one holds a claim on it. */
export interface UsageExportStore {
  /** Hours from `from` to before `to` whose file is not what the ledger has of them, oldest first. */
  outdated(from: number, to: number): Promise<readonly number[]>;
  /** The first hour that was ever begun. */
  firstHour(): Promise<number | undefined>;
  /** False while somebody else's claim runs. */
  claim(
    hour: number,
    claim: { readonly process: string; readonly until: number; readonly now: number },
  ): Promise<boolean>;
  /** Charges of the hour in the order of their ids, from the one after `after`. */
  entries(hour: number, after: number, limit: number): Promise<readonly UsageEntry[]>;
  /** The file is there. False when the claim was lost meanwhile: nothing changed then. */
  finish(hour: number, process: string, exported: ExportedHour, now: number): Promise<boolean>;
  /** Gives a claim back without a file. */
  release(hour: number, process: string): Promise<void>;
}
