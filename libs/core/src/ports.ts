/**
 * What the core needs kept, and promises of whoever keeps it (libs/store). Times are milliseconds since 1970 unless a name says
 * seconds; money is integer quota units (500,000 = 1 US dollar). Every function that changes money is one transaction.
 */
import type { Json, JsonObject } from '@model-gateway/contracts';

export interface Store {
  readonly keys: KeyStore;
  readonly owners: OwnerStore;
  readonly ledger: LedgerStore;
  readonly tasks: TaskStore;
  readonly idempotency: IdempotencyStore;
  readonly webhooks: WebhookStore;
  readonly files: FileStore;
  readonly settings: SettingsStore;
  readonly subjects: SubjectStore;
  /** Resolves when a trivial query was answered. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

// ---- keys and owners ---------------------------------------------------------------------------------------------

export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** Quota units. */
  readonly spendPerDay?: number;
  readonly spendPerMonth?: number;
  readonly spendTotal?: number;
}

export interface KeyRecord {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the whole key, lower-case hex. */
  readonly hash: string;
  /** What people see: `sk-test-ab12…wxyz`. */
  readonly hint: string;
  readonly mode: 'live' | 'test';
  readonly ownerId: number;
  readonly group: string;
  /** Model codes with `*` as a wildcard. */
  readonly models: readonly string[];
  /** Addresses or CIDR ranges; empty = anywhere. */
  readonly ipRanges: readonly string[];
  readonly limits: KeyLimits;
  readonly webhookSecret?: string;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  /** True for keys of the configuration file: changed there, not through the admin API. */
  readonly declared: boolean;
  /** The key this one replaces (rotation); the old one expires after the overlap. */
  readonly rotatedFrom?: number;
}
export type NewKey = Omit<KeyRecord, 'id' | 'createdAt' | 'lastUsedAt' | 'revokedAt'>;
export type KeyChange = Partial<Pick<KeyRecord, 'name' | 'group' | 'models' | 'ipRanges' | 'limits'>> & {
  readonly expiresAt?: number | null;
  readonly webhookSecret?: string | null;
};

export interface KeyStore {
  /** Throws GatewayError `conflict` when a live key of that owner has the name. */
  create(key: NewKey, now: number): Promise<KeyRecord>;
  /** Writes the declared keys as the file says and revokes declared ones it no longer names. */
  declare(keys: readonly NewKey[], now: number): Promise<readonly KeyRecord[]>;
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  get(id: number): Promise<KeyRecord | undefined>;
  list(filter: {
    readonly ownerId?: number;
    readonly includeRevoked?: boolean;
    /** The last id of the page before. */
    readonly after?: number;
    /** Oldest first when absent. */
    readonly order?: 'newest' | 'oldest';
    readonly limit: number;
  }): Promise<readonly KeyRecord[]>;
  /** Makes the key that replaces `rotatedFrom`, and lets that one expire at `oldExpiresAt`; both or neither. */
  rotate(key: NewKey & { readonly rotatedFrom: number }, oldExpiresAt: number, now: number): Promise<KeyRecord>;
  update(id: number, change: KeyChange): Promise<KeyRecord | undefined>;
  /** Idempotent; undefined for an unknown id. */
  revoke(id: number, now: number): Promise<KeyRecord | undefined>;
  touch(uses: ReadonlyMap<number, number>): Promise<void>;
  /** Grows with every change of any key: replicas poll it (≤ 1 s) to drop their caches. */
  version(): Promise<number>;
}

export interface OwnerRecord {
  /** `user_id`. */
  readonly id: number;
  readonly name: string;
  readonly group: string;
  /** What may be owed: 0 = prepaid; absent = no limit (the balance may go below zero and only tells). */
  readonly creditLimit?: number;
  /** Available now: the sum of all entries' `amount`. */
  readonly balance: number;
  readonly createdAt: number;
}
export interface OwnerStore {
  /** Makes sure the owner exists (declared keys, first use). */
  ensure(
    owner: { readonly id: number; readonly name: string; readonly group: string; readonly creditLimit?: number },
    now: number,
  ): Promise<OwnerRecord>;
  create(
    owner: { readonly name: string; readonly group: string; readonly creditLimit?: number },
    now: number,
  ): Promise<OwnerRecord>;
  get(id: number): Promise<OwnerRecord | undefined>;
  list(page: { readonly after?: number; readonly limit: number }): Promise<readonly OwnerRecord[]>;
  update(
    id: number,
    change: { readonly name?: string; readonly group?: string; readonly creditLimit?: number | null },
  ): Promise<OwnerRecord | undefined>;
}

// ---- money -------------------------------------------------------------------------------------------------------

/** Who pays for one request. */
export interface Payer {
  readonly ownerId: number;
  readonly keyId: number;
  /** Spend caps of the key, checked in the same statement as the balance. */
  readonly limits: Pick<KeyLimits, 'spendPerDay' | 'spendPerMonth' | 'spendTotal'>;
}

export type EntryKind = 'hold' | 'capture' | 'release' | 'topup' | 'adjust';

export interface LedgerEntry {
  readonly id: number;
  readonly ownerId: number;
  readonly keyId?: number;
  readonly kind: EntryKind;
  /** Effect on the available balance. hold: −H; capture of a hold: H − charged; release: +H (or what a lease has left); capture without a hold or from a lease: −charged, 0. */
  readonly amount: number;
  /** Money taken for good by this entry (captures; adjust when negative). */
  readonly charged: number;
  /** What the bill would have been beyond the balance: the house's loss, never the caller's debt. */
  readonly shortfall: number;
  /** The hold (or lease) that a capture or release closes or draws from. */
  readonly holdId?: number;
  readonly requestId?: string;
  readonly taskId?: string;
  readonly model?: string;
  readonly accountId?: number;
  /** The price book version and the numbers used, so that the charge can be recomputed. */
  readonly priceVersion?: string;
  readonly detail: JsonObject;
  readonly createdAt: number;
}

/** A charge of one finished request: usage, price and result, journalled in batches. */
export interface ChargeRecord {
  readonly payer: Payer;
  readonly requestId: string;
  readonly model: string;
  readonly endpoint: string;
  readonly accountId?: number;
  readonly charged: number;
  readonly shortfall: number;
  /** The lease it was spent from; absent for payers without any cap. */
  readonly leaseId?: number;
  /** Of `charged`, what is more than the lease can give: taken from the balance as far as caps leave it, the rest is shortfall. */
  readonly beyondLease?: number;
  readonly priceVersion: string;
  /** `{usage, price, lines, estimated, …}` */
  readonly detail: JsonObject;
  readonly at: number;
}

export interface LedgerStore {
  /** Sets money aside, or throws GatewayError `insufficient_quota` naming the cap that would be passed. One atomic statement per cap. Returns the hold entry's id. */
  hold(
    payer: Payer,
    hold: {
      readonly amount: number;
      readonly requestId: string;
      readonly taskId?: string;
      readonly model?: string;
      readonly detail: JsonObject;
    },
    now: number,
  ): Promise<number>;
  /** Closes a hold once; false when it was closed before. charged ≤ held unless the payer has no limit. */
  capture(
    holdId: number,
    capture: {
      readonly charged: number;
      readonly accountId?: number;
      readonly priceVersion?: string;
      readonly detail: JsonObject;
    },
    now: number,
  ): Promise<boolean>;
  release(holdId: number, detail: JsonObject, now: number): Promise<boolean>;
  topUp(
    ownerId: number,
    amount: number,
    detail: JsonObject & { readonly idempotencyKey?: string },
    now: number,
  ): Promise<LedgerEntry>;
  adjust(ownerId: number, amount: number, detail: JsonObject, now: number): Promise<LedgerEntry>;
  /**
   * A slice of balance and caps for one process, spent in memory (design.md §6). Grants what is there up to `want`, of which more than
   * `enough` only as far as `share` (0 to 1; 1 when absent) of what is there goes: other processes shall find something too. Throws
   * `insufficient_quota` when less than `atLeast` is there.
   */
  lease(
    payer: Payer,
    lease: {
      readonly want: number;
      readonly enough?: number;
      readonly share?: number;
      readonly atLeast: number;
      readonly process: string;
      readonly expiresAt: number;
    },
    now: number,
  ): Promise<{ readonly id: number; readonly amount: number }>;
  /** Asks every other process to give back what it has leased of this owner and does not use. */
  recallLeases(ownerId: number, process: string): Promise<void>;
  /** The open leases of this process that others ask for. */
  recalledLeases(process: string): Promise<readonly number[]>;
  /** False when the lease was closed before (it expired, and somebody swept it up): nothing more may be spent from it. */
  extendLease(id: number, expiresAt: number): Promise<boolean>;
  /** Gives back what the lease's charges left; idempotent. */
  closeLease(id: number, now: number): Promise<void>;
  /** Closes leases whose process let them expire (crash), or all of other processes when nobody else can be alive. Returns how many. */
  closeExpiredLeases(now: number, onlySurvivor?: { readonly process: string }): Promise<number>;
  /** Journals charges, all or none; a request id that is already there is left alone (retry after a lost answer). */
  record(charges: readonly ChargeRecord[]): Promise<void>;
  entries(filter: EntryFilter): Promise<readonly LedgerEntry[]>;
  /** What a window of a key has used (charged + set aside), quota units. */
  spent(keyId: number, window: 'day' | 'month' | 'total', now: number): Promise<number>;
  usage(filter: UsageFilter): Promise<readonly UsageRow[]>;
  /** Recomputes every balance, window and hold from the entries; empty = everything adds up. */
  verify(): Promise<readonly LedgerDifference[]>;
}
export interface EntryFilter {
  readonly ownerId?: number;
  readonly keyId?: number;
  readonly requestId?: string;
  readonly taskId?: string;
  readonly kind?: EntryKind;
  /** The last id of the page before. */
  readonly after?: number;
  /** Oldest first when absent. */
  readonly order?: 'newest' | 'oldest';
  readonly limit: number;
}
export interface UsageFilter {
  readonly from: number;
  readonly to: number;
  /** Real money, or what test keys would have cost; both when absent. */
  readonly mode?: 'live' | 'test';
  /** With the mode `test` the owner whose test keys they are. */
  readonly ownerId?: number;
  readonly keyId?: number;
  readonly groupBy: readonly ('day' | 'model' | 'key' | 'owner' | 'endpoint' | 'account')[];
}
export interface UsageRow {
  readonly group: Readonly<Record<string, string | number>>;
  readonly requests: number;
  readonly charged: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}
export interface LedgerDifference {
  readonly subject: string;
  readonly expected: number;
  readonly found: number;
  readonly message: string;
}

// ---- tasks -------------------------------------------------------------------------------------------------------

export type TaskState = 'NOT_START' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
export type TaskKind = 'video' | 'subject';

export interface TaskRecord {
  /** Internal record number (`data.id`). */
  readonly number: number;
  /** Random and unguessable: `task_…`, or `video_…` for family F. */
  readonly id: string;
  readonly kind: TaskKind;
  readonly mode: 'live' | 'test';
  readonly ownerId: number;
  readonly keyId: number;
  readonly group: string;
  readonly requestId: string;
  /** The model code of the request. */
  readonly model: string;
  readonly accountId: number;
  readonly accountName: string;
  readonly vendor: string;
  readonly upstreamModel: string;
  readonly state: TaskState;
  /** 0–100; never falls. */
  readonly progress: number;
  readonly failReason: string;
  /** The error code behind a failure; '' otherwise. */
  readonly failCode: string;
  /** What the vendor gave to find the job again; absent while it has not been asked or has not answered. */
  readonly ticket?: JsonObject;
  /** True from just before the vendor is asked: a row with this and no ticket is a submission whose outcome is unknown. */
  readonly submitted: boolean;
  /** The neutral input (data: media replaced by a note), for listings and `GET /v1/videos/{id}` (prompt, seconds, size). */
  readonly input: JsonObject;
  /** The vendor's last payload, without base64 media and secrets, bounded. */
  readonly payload?: Json;
  /** Finished files as stored: `[{url, mime, credentialed?, expiresAt?, fileId?}]`. */
  readonly files: readonly StoredMedia[];
  readonly holdId?: number;
  /** Quota units: held while open, charged at the end, 0 after a failure. */
  readonly quota: number;
  readonly callbackUrl?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly submitTime?: number;
  readonly startTime?: number;
  readonly finishTime?: number;
  /** When to ask the vendor next; absent in an end state. */
  readonly nextCheckAt?: number;
  readonly deadlineAt: number;
  /** Polls so far; `no such task` answers in a row; poll faults in a row. */
  readonly checks: number;
  readonly missing: number;
  readonly faults: number;
  readonly cancelRequested: boolean;
  readonly deletedAt?: number;
}
export interface StoredMedia {
  readonly url?: string;
  readonly mime: string;
  readonly credentialed?: boolean;
  /** Unix seconds. */
  readonly expiresAt?: number;
  /** Kept by us (FileStore). */
  readonly fileId?: string;
  readonly width?: number;
  readonly height?: number;
}
export type NewTask = Omit<
  TaskRecord,
  | 'number'
  | 'state'
  | 'progress'
  | 'failReason'
  | 'failCode'
  | 'ticket'
  | 'submitted'
  | 'payload'
  | 'files'
  | 'holdId'
  | 'updatedAt'
  | 'submitTime'
  | 'startTime'
  | 'finishTime'
  | 'checks'
  | 'missing'
  | 'faults'
  | 'cancelRequested'
  | 'deletedAt'
  | 'nextCheckAt'
> & {
  readonly priceVersion: string;
  /** When the row falls due if it still has no ticket then (the process died while asking): `claimDue` hands it out like any other. */
  readonly nextCheckAt: number;
};

/** What may change while a task is open. */
export interface TaskPatch {
  readonly state?: TaskState;
  readonly progress?: number;
  readonly payload?: Json;
  readonly files?: readonly StoredMedia[];
  readonly failReason?: string;
  readonly failCode?: string;
  readonly startTime?: number;
  readonly finishTime?: number;
  readonly nextCheckAt?: number;
  readonly checks?: number;
  readonly missing?: number;
  readonly faults?: number;
  readonly accountId?: number;
  readonly accountName?: string;
  readonly vendor?: string;
  readonly upstreamModel?: string;
  /** At an end state, for a task with a callback address: the delivery to write with it, due at once. `id` is `msg_…`. */
  readonly webhook?: { readonly id: string; readonly body: string };
}

export interface TaskEvent {
  readonly id: number;
  readonly taskId: string;
  readonly state: TaskState;
  readonly progress: number;
  readonly at: number;
}

/** How money follows a state change. */
export type Settlement =
  | { readonly type: 'none' }
  | { readonly type: 'capture'; readonly charged: number; readonly priceVersion: string; readonly detail: JsonObject }
  | { readonly type: 'release'; readonly detail: JsonObject };

export interface TaskStore {
  /**
   * One transaction: intent row (NOT_START), its first event, hold, idempotency record. A claim that the caller already holds (same fingerprint, no
   * task yet) is bound to the task; somebody else's is `conflict`. Throws `insufficient_quota`; nothing is left behind then.
   */
  create(
    task: NewTask,
    hold: { readonly payer: Payer; readonly amount: number; readonly detail: JsonObject } | undefined,
    idempotency: IdempotencyClaim | undefined,
    now: number,
  ): Promise<TaskRecord>;
  /** Marks that the vendor is about to be asked, and when the row falls due should no ticket follow. */
  markSubmitted(
    id: string,
    patch: Pick<TaskPatch, 'accountId' | 'accountName' | 'vendor' | 'upstreamModel' | 'nextCheckAt'>,
    now: number,
  ): Promise<void>;
  /** The vendor certainly did not take it: another offer may be tried. */
  unmarkSubmitted(id: string): Promise<void>;
  /** Commits the ticket (and the idempotent answer); only then may the client get its 200. False when the task has ended meanwhile: nothing changed then. */
  saveTicket(
    id: string,
    ticket: JsonObject,
    nextCheckAt: number,
    answer: IdempotencyAnswer | undefined,
    now: number,
  ): Promise<boolean>;
  /** Claims due open tasks under a lease (`for update skip locked` on PostgreSQL), soonest due first, at most `perAccount[accountId]` each. */
  claimDue(claim: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly perAccount: ReadonlyMap<number, number>;
    readonly defaultPerAccount: number;
  }): Promise<readonly TaskRecord[]>;
  /** Keeps claimed tasks: those still under the lease that ends at `from` get one that ends at `until`. Returns their ids; the others are lost. */
  renewLeases(ids: readonly string[], from: number, until: number): Promise<readonly string[]>;
  /**
   * One transaction, compare-and-set: applies the patch if the task is still in one of `from`, settles the hold once, writes an event
   * row (when state or progress changed) and the webhook delivery row at an end state. False when somebody else was first: nothing changed then.
   * Progress never falls. Releases the lease.
   */
  advance(
    id: string,
    from: readonly TaskState[],
    patch: TaskPatch,
    settlement: Settlement,
    now: number,
  ): Promise<boolean>;
  releaseLease(id: string): Promise<void>;
  /** Lets go of every lease: for a process that knows it is alone and has just started. */
  releaseLeases(): Promise<void>;
  requestCancel(id: string, now: number): Promise<void>;
  get(id: string): Promise<TaskRecord | undefined>;
  list(filter: TaskFilter): Promise<readonly TaskRecord[]>;
  /** Hides it from its owner; only in an end state. */
  markDeleted(id: string, now: number): Promise<boolean>;
  /** Refreshed links of a finished task. */
  saveFiles(id: string, files: readonly StoredMedia[]): Promise<void>;
  events(taskId: string, after: number): Promise<readonly TaskEvent[]>;
  /** Newest event id, for waiters that poll one number. */
  lastEventId(): Promise<number>;
  eventsSince(after: number, limit: number): Promise<readonly TaskEvent[]>;
  countOpen(): Promise<readonly { readonly accountId: number; readonly state: TaskState; readonly count: number }[]>;
  /** When `claimDue` may next find something: the earliest `nextCheckAt` of an open task, or the end of its lease while it has one. */
  nextDue(): Promise<number | undefined>;
}
export interface TaskFilter {
  readonly ownerId?: number;
  readonly kind?: TaskKind;
  readonly state?: TaskState;
  readonly model?: string;
  /** Only tasks made through /v1/videos' view of things are alike: all tasks are listed. */
  readonly after?: string;
  readonly order?: 'newest' | 'oldest';
  readonly limit: number;
}

// ---- idempotency -------------------------------------------------------------------------------------------------

export interface IdempotencyClaim {
  readonly keyId: number;
  readonly idempotencyKey: string;
  /** SHA-256 hex of method, path and body. */
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly taskId?: string;
}
export interface IdempotencyAnswer {
  readonly keyId: number;
  readonly idempotencyKey: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's bytes. */
  readonly body: Uint8Array;
}
export type IdempotencyOutcome =
  | { readonly state: 'claimed' }
  /** Somebody is at it (this process or another), last heard of at `claimedAt`. */
  | { readonly state: 'running'; readonly taskId?: string; readonly claimedAt: number }
  | { readonly state: 'answered'; readonly answer: IdempotencyAnswer }
  /** The key was used with another body. */
  | { readonly state: 'conflict' };
export interface IdempotencyStore {
  /** Atomically claims the key or says who has it. A claim whose process died (older than `staleAfterMs` and not answered) may be taken over only when it has no task. */
  claim(claim: IdempotencyClaim, staleAfterMs: number, now: number): Promise<IdempotencyOutcome>;
  read(keyId: number, idempotencyKey: string, now: number): Promise<IdempotencyOutcome | undefined>;
  /** The claim's process is alive and still at it. */
  renew(keyId: number, idempotencyKey: string, now: number): Promise<void>;
  answer(answer: IdempotencyAnswer): Promise<void>;
  /** Nothing paid happened: the key is free again, unless it has an answer or is bound to another task than this one. */
  forget(keyId: number, idempotencyKey: string, taskId?: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}

// ---- webhooks, files ---------------------------------------------------------------------------------------------

export interface WebhookDelivery {
  /** `msg_…`, the same over all attempts. */
  readonly id: string;
  readonly taskId: string;
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
  claimDue(now: number, leaseUntil: number, limit: number): Promise<readonly WebhookDelivery[]>;
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
    readonly taskId?: string;
    readonly pending?: boolean;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly WebhookDelivery[]>;
  /** Makes it due again now. */
  replay(id: string, now: number): Promise<WebhookDelivery | undefined>;
}

export interface FileRecord {
  /** Random and unguessable. */
  readonly id: string;
  readonly ownerId: number;
  readonly mime: string;
  readonly size: number;
  /** Where the bytes are, in the words of the blob keeper: a relative file name or an object key. */
  readonly location: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
/** Who made a reusable subject, and the account it lives in. */
export interface SubjectRecord {
  /** The vendor's id of it (`ElementId`), as text. */
  readonly id: string;
  readonly ownerId: number;
  readonly mode: 'live' | 'test';
  readonly accountId: number;
  readonly taskId: string;
  readonly createdAt: number;
}
export interface SubjectStore {
  /** Idempotent: the first owner of an id stays. */
  remember(subjects: readonly SubjectRecord[]): Promise<void>;
  find(ids: readonly string[]): Promise<readonly SubjectRecord[]>;
}
export interface FileStore {
  create(file: FileRecord): Promise<void>;
  get(id: string): Promise<FileRecord | undefined>;
  takeExpired(now: number, limit: number): Promise<readonly FileRecord[]>;
}

/** A few words that every replica must share and a restart must not change: hashed admin key, secret of links. */
export interface SettingsStore {
  /** The value everybody has: the first one ever given for the name. */
  first(name: string, value: string): Promise<string>;
}
