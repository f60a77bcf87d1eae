/** Webhooks, files, subjects and settings. Units and promises as in ports.ts. */
import type { Tenant } from './tenant.ts';

export interface WebhookClaim {
  readonly now: number;
  readonly leaseUntil: number;
  /** Free places. */
  readonly limit: number;
  /** Places that a tenant may have at a time, those of `busy` included. */
  readonly perTenant: number;
  /** What the caller has under way, by `WebhookDelivery.tenant`. */
  readonly busy: ReadonlyMap<string, number>;
  /** Of the free places, those that only tenants with nothing under way may take. */
  readonly reserved: number;
}
export interface WebhookDelivery {
  /** `msg_…`, the same over all attempts. */
  readonly id: string;
  readonly taskId: string;
  /** Owner and mode in one word: whose places it takes. */
  readonly tenant: string;
  readonly keyId: number;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
  readonly nextAttemptAt?: number;
  readonly deliveredAt?: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly createdAt: number;
}
export interface WebhookStore {
  /** What is due, under a lease: tenants take turns, the one that has waited longest first, each with its own soonest first. */
  claimDue(claim: WebhookClaim): Promise<readonly WebhookDelivery[]>;
  saveAttempt(
    id: string,
    attempt: {
      readonly deliveredAt?: number;
      readonly nextAttemptAt?: number;
      readonly lastStatus?: number;
      readonly lastError?: string;
    },
  ): Promise<void>;
  list(filter: {
    readonly tenant?: Tenant;
    readonly taskId?: string;
    readonly pending?: boolean;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly WebhookDelivery[]>;
  get(id: string): Promise<WebhookDelivery | undefined>;
  /** Makes deliveries that are due after `dueAfter` due now: the clock that said so was wrong. */
  makeDue(dueAfter: number, now: number): Promise<void>;
  /** Makes it due again now. */
  replay(id: string, now: number): Promise<WebhookDelivery | undefined>;
}

export interface FileRecord extends Tenant {
  /** Random and unguessable. */
  readonly id: string;
  /** The task it came of or was made for: it goes with the task. */
  readonly taskId?: string;
  readonly mime: string;
  readonly size: number;
  /** Where the bytes are, in the words of the blob store: a relative file name or an object key. */
  readonly location: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
/** Who made a reusable subject, and the account it lives in. */
export interface SubjectRecord extends Tenant {
  /** The vendor's id of it (`ElementId`), as text. */
  readonly id: string;
  readonly accountId: number;
  readonly taskId: string;
  readonly createdAt: number;
}
export interface SubjectStore {
  /** Idempotent: the first owner of an id stays. Live vendors and the twin give out ids of their own, which may be the same. */
  remember(subjects: readonly SubjectRecord[]): Promise<void>;
  /** Those of the tenant, and the ids that another tenant made; an id in neither was made by nobody here. */
  find(
    tenant: Tenant,
    ids: readonly string[],
  ): Promise<{ readonly own: readonly SubjectRecord[]; readonly foreign: readonly string[] }>;
}
export interface FileStore {
  create(file: FileRecord): Promise<void>;
  get(id: string): Promise<FileRecord | undefined>;
  /**
   * Ends the oldest of a tenant's files that belong to no task, until those that are left have at most `bytes`; the next `expired` gives
   * them. Resolves with what is left.
   */
  endOldest(tenant: Tenant, bytes: number, now: number): Promise<number>;
  /**
   * Those whose time is over, the longest first, again and again until they are forgotten: a process may die before it has removed their bytes.
   * One that still comes in is given up with that. `after` is the last one of the page before.
   */
  expired(now: number, limit: number, after?: Pick<FileRecord, 'expiresAt' | 'id'>): Promise<readonly FileRecord[]>;
  /** Removes the rows of files whose bytes are gone. */
  forget(ids: readonly string[]): Promise<void>;
}

/** A few words that every replica must share and a restart must not change: hashed admin key, secret of links. */
export interface SettingsStore {
  /** The value everybody has: the first one ever given for the name. */
  first(name: string, value: string): Promise<string>;
  /** The value that a name has; undefined while nobody has given one. */
  read(name: string): Promise<string | undefined>;
  /** Gives everybody another value. */
  replace(name: string, value: string): Promise<void>;
}
