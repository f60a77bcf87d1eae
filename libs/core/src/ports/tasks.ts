/** Tasks: what is kept of each, and how one changes. Units and promises as in ports.ts. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { IdempotencyAnswer, IdempotencyClaim } from './idempotency.ts';
import type { Payer } from './money.ts';
import type { Tenant } from './tenant.ts';

export type TaskState = 'NOT_START' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
export type TaskKind = 'video' | 'subject' | 'image';

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
  /** W3C trace context of the request that made it, where that was traced. */
  readonly traceParent?: string;
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
  /** Of the last webhook of its vendor that was taken: when it was signed. */
  readonly vendorWebhookAt?: number;
  /** When it was put into the queue of its account; absent for one that never waited. The next three are there with it. */
  readonly queuedAt?: number;
  /** It waits for room at its account. */
  readonly waiting?: boolean;
  /** How often it has left the queue. */
  readonly queueTurn?: number;
  /** Where it stands, as told to its owner: only while it waits, and only of what the engine hands out. */
  readonly place?: QueuePlace;
}
/** Where a task stands in the queue of its account. */
export interface QueuePlace {
  /** 1 is the next one. */
  readonly position: number;
  /** A guess, milliseconds since 1970; absent where nobody knows how long jobs take. */
  readonly expectedStart?: number;
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
  | 'vendorWebhookAt'
  | 'nextCheckAt'
  | 'queuedAt'
  | 'waiting'
  | 'queueTurn'
  | 'place'
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
  /** Only if the task has left the queue so often: who has it in hand has not lost it. */
  readonly ifTurn?: number;
  /**
   * For a task that goes on: the next check is at `nextCheckAt` at the latest if a webhook of the vendor was taken after the one of `since`.
   * It may tell of news that the answer in hand, asked for earlier, does not have.
   */
  readonly ifTold?: { readonly since: TaskRecord['vendorWebhookAt']; readonly nextCheckAt: number };
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
  | {
      readonly type: 'capture';
      readonly charged: number;
      /** The account of the task's key; absent, what the task names. */
      readonly accountId?: number;
      readonly priceVersion: string;
      readonly detail: JsonObject;
    }
  | { readonly type: 'release'; readonly detail: JsonObject };

/** An account that a task may go to. */
export interface JobPlace {
  readonly task: Required<Pick<TaskPatch, 'accountId' | 'accountName' | 'vendor' | 'upstreamModel' | 'nextCheckAt'>>;
  /** Video jobs that it takes at once; absent: any number. */
  readonly maxJobs?: number;
}

/** How a new task comes to an account: the first of the places with room and nobody waiting has it, or it waits for the first of them. */
export interface Admission {
  readonly places: readonly JobPlace[];
  /** What it waits with. */
  readonly entry: {
    readonly input: JsonObject;
    readonly priority: number;
    readonly weight: number;
    readonly expiresAt: number;
  };
  /** The stored answer of an Idempotency-Key, for a task that waits: it is acknowledged with its row. */
  readonly answer: (task: TaskRecord) => IdempotencyAnswer | undefined;
}

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
    admission?: Admission,
  ): Promise<TaskRecord>;
  /**
   * Marks that the vendor is about to be asked, and when the row falls due should no ticket follow. Throws `unavailable` when the task has ended,
   * when it has been put back into the queue since, or when the account has `maxJobs` others.
   */
  markSubmitted(
    id: string,
    patch: Pick<TaskPatch, 'accountId' | 'accountName' | 'vendor' | 'upstreamModel' | 'nextCheckAt' | 'ifTurn'> & {
      readonly maxJobs?: number;
    },
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
  /**
   * The vendor tells that a task which it knows has news. An open one is due at `now`, or `restMs` after it last changed if that is later; a poll
   * that is under way goes on. Returns when it is due, or `ended`; `repeated`, and changes nothing, unless `at` is later than that of every
   * webhook before.
   */
  noteVendorWebhook(
    id: string,
    webhook: { readonly at: number; readonly restMs: number },
    now: number,
  ): Promise<number | 'ended' | 'repeated'>;
  /** Makes open tasks that are due after `dueAfter` due now: the clock that said so was wrong. */
  makeDue(dueAfter: number, now: number): Promise<void>;
  /**
   * Takes over what an earlier gateway left on a database that one gateway has to itself: lets go of every lease, and makes tasks due that were
   * created before `now` and have no ticket. To be called before anything is taken out of the queue.
   */
  takeOver(now: number): Promise<void>;
  /** A task of the tenant that it has not deleted; another tenant's is undefined like one that never was. */
  find(tenant: Tenant, id: string): Promise<TaskRecord | undefined>;
  /** Tasks of the tenant that it has not deleted. */
  listOf(tenant: Tenant, filter: Omit<TaskFilter, 'ownerId'>): Promise<readonly TaskRecord[]>;
  /** Nothing happens to another tenant's. */
  requestCancel(tenant: Tenant, id: string, now: number): Promise<void>;
  /** Hides it from its tenant and lets its kept files expire, both or neither; only in an end state. */
  markDeleted(tenant: Tenant, id: string, now: number): Promise<boolean>;
  /** Anybody's, deleted or not: for the engine's own work, never for a caller. */
  get(id: string): Promise<TaskRecord | undefined>;
  /** Anybody's, deleted or not: for operators. */
  list(filter: TaskFilter): Promise<readonly TaskRecord[]>;
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
  readonly after?: string;
  readonly order?: 'newest' | 'oldest';
  readonly limit: number;
}
