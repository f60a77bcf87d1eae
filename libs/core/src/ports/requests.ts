/** The log of requests, and what is counted of it by time. Units and promises as in ports.ts. */
import type { CacheDay, CacheTurn, PromptTurn } from './prompt-cache.ts';
import type { Tenant } from './tenant.ts';

/** One question to a vendor. */
export interface RequestAttempt {
  readonly accountId: number;
  readonly vendor: string;
  /** The code whose offer it was. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Milliseconds after the request came. */
  readonly startedMs: number;
  readonly ms: number;
  /** The vendor's, where it refused. */
  readonly status?: number;
  /** A code of the table. */
  readonly error?: string;
  /** The vendor's words, without secrets. */
  readonly message?: string;
}

/** Whom a request is made for. Each a text of at most 128 characters, as the caller or the operator names it: ids of one owner say nothing of another's. */
export interface RequestIdentity {
  readonly user?: string;
  /** A conversation of an agent or an application. */
  readonly session?: string;
  /** One task of an agent; the session unless the request names its run. */
  readonly run?: string;
}

/** A parameter that did not reach the vendor as it was sent, and why. */
export interface DroppedParameter {
  /** Without the numbers of elements: `messages[].content[].cache_control`. */
  readonly parameter: string;
  readonly reason: string;
}

/** How many requests of a key lost a parameter on a day. */
export interface DroppedCount extends Tenant, DroppedParameter {
  readonly keyId: number;
  /** What was asked for; empty where the request named no model. */
  readonly model: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly requests: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Days of keys: those of dropped parameters, or of prompt caches. */
export interface DayFilter {
  readonly ownerId?: number;
  readonly mode?: Tenant['mode'];
  readonly keyId?: number;
  readonly model?: string;
  /** First and last day. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** One request that has ended, without what was said in it. */
export interface RequestRow extends Tenant {
  /** Begins with the moment it came, so that ids are in the order of time. */
  readonly id: string;
  readonly at: number;
  readonly keyId: number;
  /** The operationId of the document. */
  readonly operation: string;
  readonly kind?: string | undefined;
  /** What was asked for. */
  readonly model?: string | undefined;
  readonly status: number;
  /** A code of the table, as it was when the row was written. */
  readonly error?: string | undefined;
  readonly aborted: boolean;
  readonly streamed: boolean;
  readonly ms: number;
  readonly firstByteMs?: number | undefined;
  /** Who was asked last, and when, in milliseconds after the request came. */
  readonly accountId?: number | undefined;
  readonly vendor?: string | undefined;
  readonly upstreamModel?: string | undefined;
  readonly askedMs?: number | undefined;
  /** How it came to whom was asked last. */
  readonly route?: string | undefined;
  readonly attempts: number;
  readonly inputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly charged: number;
  readonly address?: string | undefined;
  readonly client?: string | undefined;
  /** The caller's own id of it. */
  readonly clientRequestId?: string | undefined;
  readonly dropped?: readonly string[] | undefined;
  /** The same with the reasons. Rows do not keep them: they are counted by day. */
  readonly lost?: readonly DroppedParameter[] | undefined;
  /** What guardrails found, in a few words each. */
  readonly guardrails?: readonly string[] | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly identity?: RequestIdentity | undefined;
  /** What the gateway looks for in its prompt, to explain what its vendor's cache did. Rows do not keep it. */
  readonly prompt?: PromptTurn | undefined;
  /** Attempts that failed, in their order. */
  readonly failures?: readonly RequestAttempt[] | undefined;
}

export interface RequestFilter {
  readonly ownerId?: number;
  readonly mode?: Tenant['mode'];
  readonly keyId?: number;
  readonly model?: string;
  readonly kind?: string;
  /** The hundreds of the status. */
  readonly statusClass?: number;
  /** Any of them. */
  readonly errors?: readonly string[];
  /** `name=value` */
  readonly tag?: string;
  /** Only for this user, in this session or of this run. */
  readonly identity?: RequestIdentity;
  readonly from?: number;
  readonly to?: number;
  /** The last one of the page before. */
  readonly after?: RequestPlace;
  readonly limit: number;
}

/** A place in the log. */
export interface RequestPlace {
  readonly at: number;
  readonly id: string;
}

export interface RequestPage {
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** Where the next page begins; absent when there is none. A page ends after a bounded number of rows looked at, whatever it has found. */
  readonly next?: RequestPlace;
}

/** Sums of requests over a time. */
export interface RequestSums {
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly charged: number;
}

/** Times in bins: bin `n` has those of `2^(n/4)` ms up to the next. */
export type TimeBins = ReadonlyMap<number, number>;

export interface RequestTotal extends RequestSums {
  /** The first millisecond of its step. */
  readonly start: number;
  readonly ms: TimeBins;
  readonly firstByteMs: TimeBins;
}

/** Whose requests: an owner's, or everybody's (0). */
export interface TotalOf extends Tenant {
  readonly size: 'minute' | 'hour';
}

/** What was asked and answered, sealed, at its place in the log. */
export interface RequestContentRecord extends RequestPlace, Tenant {
  readonly sealed: Uint8Array;
}

/** What a request is charged after it has ended: a task, an answer in the background. */
export interface LateCharge extends Tenant {
  readonly requestId: string;
  readonly units: number;
}

export interface RequestLogStore {
  /** Rows that are there already are left alone. */
  add(rows: readonly RequestRow[]): Promise<void>;
  /** Adds to what a row was charged; false when there is no such row. */
  charge(place: RequestPlace, units: number): Promise<boolean>;
  get(place: RequestPlace): Promise<RequestRow | undefined>;
  list(filter: RequestFilter): Promise<RequestPage>;
  /** Adds to what is counted. */
  addTotals(totals: readonly (TotalOf & RequestTotal)[]): Promise<void>;
  /** Steps of `from` ≤ start < `to` that have any, oldest first. */
  totals(of: TotalOf, from: number, to: number): Promise<readonly RequestTotal[]>;
  /** Each whole or not at all; those whose owner is gone are left out. */
  addContents(contents: readonly RequestContentRecord[]): Promise<void>;
  content(place: RequestPlace): Promise<RequestContentRecord | undefined>;
  /** Removes at most `limit` of them from before; answers how many. */
  sweepContents(before: number, limit: number): Promise<number>;
  /** Removes at most `limit` rows from before; answers how many. */
  sweep(before: number, limit: number): Promise<number>;
  sweepTotals(size: TotalOf['size'], before: number): Promise<void>;
  /** Adds to what is counted of dropped parameters. */
  addDropped(counts: readonly DroppedCount[]): Promise<void>;
  /** Sums over the days of the filter, the most requests first. */
  dropped(filter: DayFilter): Promise<readonly Omit<DroppedCount, 'day'>[]>;
  /** Removes days before one: of dropped parameters and of prompt caches. */
  sweepDays(before: number): Promise<void>;
  /** Turns that are there already are left alone; sums are added. */
  addCacheTurns(turns: readonly CacheTurn[], days: readonly CacheDay[]): Promise<void>;
  cacheTurn(place: RequestPlace): Promise<CacheTurn | undefined>;
  /** The newest of a key that came from `from` on and before `to`. */
  cacheTurns(of: { readonly keyId: number; readonly from: number; readonly to: number; readonly limit: number }): Promise<readonly CacheTurn[]>; // prettier-ignore
  /** Sums over the days of the filter by key and cause, the greatest loss first. */
  cacheDays(filter: DayFilter): Promise<readonly Omit<CacheDay, 'day' | 'model'>[]>;
  /** Removes at most `limit` turns from before; answers how many. */
  sweepCacheTurns(before: number, limit: number): Promise<number>;
}
