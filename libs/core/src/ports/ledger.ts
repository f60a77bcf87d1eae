/** The ledger: its entries, leases of balances, and what has been charged, added up. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { KeyLimits } from './keys.ts';
import type { AtRisk, ChargeRecord, InterruptedRequest, Payer, SpendScope, SpendWindow } from './money.ts';
import type { RequestIdentity } from './requests.ts';

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

export interface LeaseRequest {
  readonly process: string;
  /** How long it lives when its process falls silent. */
  readonly ttlMs: number;
  /** What is asked for: the worst cases of many requests. 0: a lease without money, for a payer without any cap. */
  readonly want: number;
  /** The request is not begun with less. */
  readonly atLeast: number;
  /** Nobody waits for it yet: nothing is at risk. */
  readonly ahead?: boolean;
  /**
   * The worst case of the request that asks. It is at risk from the start. With less than this left it must be the payer's only one, and
   * gets all of it. Absent: no rule of these.
   */
  readonly enough?: number;
  /** More than `enough` is granted only as far as this share (0 to 1; 1 when absent) of what is there goes: other processes shall find something too. */
  readonly share?: number;
  /** With less than this left the lease is for the one request alone: no other may draw from it. */
  readonly sharedFrom?: number;
  /**
   * How far the owner's requests together may cost more than there is, quota units: where a request finds no plenty, the lease holds what
   * such requests usually cost, and the rest of its worst case is covered by this. 0 when absent: every worst case is held.
   */
  readonly overdraft?: number;
  /** What such a request usually costs; `atLeast` when absent. */
  readonly usual?: number;
}
export interface LeaseGrant {
  readonly id: number;
  readonly amount: number;
  /** How much more than `amount` the request may cost: it is charged beyond balance and caps. */
  readonly overdraft: number;
  /** What the payer could spend, this lease included. */
  readonly available: number;
  /** For many requests, not for the asking one alone. */
  readonly shared: boolean;
  /** A process of this payer's died not long ago: nothing is begun before it is written down. */
  readonly careful: boolean;
}

export interface VerifyOptions {
  /** Ends it: it rejects then, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told how much of it is done, from 0 to 1. */
  readonly tell?: (share: number) => void;
}

/** A key with caps, and what is used of them (charged + set aside), quota units. */
export interface CappedKey {
  readonly id: number;
  readonly name: string;
  readonly ownerId: number;
  readonly declared: boolean;
  readonly limits: KeyLimits;
  readonly used: Readonly<Record<SpendWindow, number>>;
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
  /** Closes a hold once; false when it was closed before. A bill beyond the hold takes the rest from what balance and caps leave; what they do not is `shortfall`. */
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
   * Gives back to its owner what the request was charged and nobody gave back yet. Throws `not_found` for a request that was charged
   * nothing, `conflict` when nothing of it is left.
   */
  waive(requestId: string, detail: JsonObject, now: number): Promise<LedgerEntry>;
  /**
   * A slice of balance and caps for one process, spent in memory (decision 5). Undefined when the payer's other requests hold what this
   * one needs and may give some of it back: ask again when one of them has ended. Throws `insufficient_quota` when waiting cannot help.
   */
  lease(payer: Payer, lease: LeaseRequest, now: number): Promise<LeaseGrant | undefined>;
  /** Asks every other process to give back what it has leased of this owner, or under one of the payer's scopes, and does not use. */
  recallLeases(payer: Payer, process: string): Promise<void>;
  /** The open leases of this process that others ask for. */
  recalledLeases(process: string): Promise<readonly number[]>;
  /**
   * The lease lives for `ttlMs` from now on. Undefined when it was closed before (it expired, and somebody swept it up): nothing more may be
   * spent from it.
   */
  extendLease(id: number, ttlMs: number, now: number): Promise<Pick<LeaseGrant, 'careful'> | undefined>;
  /** Gives back what the lease's charges left; idempotent. */
  closeLease(id: number, now: number): Promise<void>;
  /**
   * Closes leases whose process let them expire (crash), or all of other processes when nobody else can be alive: what was at risk is
   * charged, each request that is known by itself (`interruptedId`), and the rest is given back.
   */
  closeExpiredLeases(
    now: number,
    onlySurvivor?: { readonly process: string },
  ): Promise<{ readonly closed: number; readonly interrupted: readonly InterruptedRequest[] }>;
  /**
   * Journals charges, all or none; a request id that is already there is left alone (retry after a lost answer). `atRisk`, by lease, is
   * what is in flight beside them and what is finished and not among them: it is charged should the process die.
   */
  record(charges: readonly ChargeRecord[], atRisk?: ReadonlyMap<number, AtRisk>): Promise<void>;
  entries(filter: EntryFilter): Promise<readonly LedgerEntry[]>;
  /** What a window of a key has used (charged + set aside), quota units. */
  spent(keyId: number, window: SpendWindow, now: number): Promise<number>;
  /** What the current window of each scope has used, in their order. */
  spentOf(scopes: readonly Pick<SpendScope, 'scope' | 'window'>[], now: number): Promise<readonly number[]>;
  /** What each scope that begins with these words has used in its current window, the most first. */
  spentUnder(
    words: string,
    window: SpendWindow,
    now: number,
    limit: number,
  ): Promise<readonly { readonly scope: string; readonly used: number }[]>;
  /** Removes what is kept of runs that nobody has used since `before`, and of windows that ended long ago; at most about `limit` rows of each, and how many of both. */
  sweepRuns(before: number, limit: number): Promise<number>;
  /** Keys in use that have a cap of money, with what their windows have used now. */
  cappedKeys(now: number): Promise<readonly CappedKey[]>;
  usage(filter: UsageFilter): Promise<readonly UsageRow[]>;
  /** What an owner had at the beginning of a period and, unless its movements are read one by one, those of the period: all as of one moment. */
  statement(filter: StatementFilter): Promise<StatementAccount>;
  /** Movements of a period one by one, in the order of the ledger, a page at a time. */
  movements(page: MovementPage): Promise<readonly Movement[]>;
  /** Recomputes every balance, window and hold from the entries; empty = everything adds up. */
  verify(options?: VerifyOptions): Promise<readonly LedgerDifference[]>;
}
export interface EntryFilter {
  readonly ownerId?: number;
  readonly keyId?: number;
  readonly requestId?: string;
  readonly taskId?: string;
  readonly kind?: EntryKind;
  readonly model?: string;
  /** Made from `from` on, and before `to`. No index has the time: read ranges of ids with it. */
  readonly from?: number;
  readonly to?: number;
  /** The last id of the page before. */
  readonly after?: number;
  /** No id beyond this one. */
  readonly upTo?: number;
  /** Oldest first when absent. */
  readonly order?: 'newest' | 'oldest';
  readonly limit: number;
}
/** What charges are added up by; `project` is the tag of that name. */
export type LedgerGroup =
  | 'day'
  | 'model'
  | 'key'
  | 'owner'
  | 'endpoint'
  | 'account'
  | 'tag'
  | 'project'
  | 'default_price'
  | keyof RequestIdentity;
/** What the charges of a day are split by in a statement: it is of one owner, and does not name the operator's accounts. */
export type StatementGroup = Exclude<LedgerGroup, 'day' | 'owner' | 'account' | 'default_price'>;
export interface UsageFilter {
  readonly from: number;
  readonly to: number;
  /** Real money, or what test keys would have cost; both when absent. */
  readonly mode?: 'live' | 'test';
  /** With the mode `test` the owner whose test keys they are. */
  readonly ownerId?: number;
  readonly keyId?: number;
  /** Only for this user, in this session or of this run. */
  readonly identity?: RequestIdentity;
  readonly groupBy: readonly LedgerGroup[];
  /** The name of the tag to group by. */
  readonly tag?: string;
  /** Only so many groups: those with the highest charges, the highest first. Without it all of them, in their own order. */
  readonly top?: number;
}
export interface UsageRow {
  readonly group: Readonly<Record<string, string | number>>;
  readonly requests: number;
  readonly charged: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}
/** Entries of one owner from `from` on and before `to`. */
export interface StatementFilter {
  readonly ownerId: number;
  readonly from: number;
  readonly to: number;
  /** Charges, and holds and releases where they are asked for, together: one movement for each UTC day and group. */
  readonly daily: boolean;
  /** What the movements of a day are split by: the model when absent, nothing when empty. */
  readonly groupBy?: readonly StatementGroup[];
  /** The name of the tag that `tag` stands for. */
  readonly tag?: string;
  /** More movements by day than these are refused with `invalid_request`; 50,000 when absent. */
  readonly mostDaily?: number;
  /** Holds and releases too. */
  readonly holds: boolean;
}
/** Money of an owner in two parts: what is booked (top-ups, corrections and charges) and what of it is set aside for requests that run. The balance is the one less the other. */
export interface BookedMoney {
  readonly booked: number;
  readonly reserved: number;
}
export interface StatementAccount extends BookedMoney {
  /** What is set aside at the end of the period. */
  readonly reservedAtEnd: number;
  /** The last entry of the ledger at this moment. */
  readonly upTo: number;
  /** Of the whole period by day; undefined where they are read one by one. */
  readonly movements: readonly Movement[] | undefined;
}
export interface MovementPage extends Omit<StatementFilter, 'daily' | 'groupBy' | 'mostDaily'> {
  /** No entry beyond this one. */
  readonly upTo: number;
  /** The last entry of the page before. */
  readonly after: number;
  readonly limit: number;
}
/** One entry of the ledger, or all of a day that are of one kind and group, and what they changed. Of the latter it has what they were split by. */
export interface Movement extends BookedMoney, RequestIdentity {
  readonly kind: EntryKind;
  /** The time of the entry, or the beginning of the day. */
  readonly at: number;
  /** How many entries it is. */
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model?: string;
  readonly keyId?: number;
  readonly endpoint?: string;
  /** The tag of that name. */
  readonly project?: string;
  /** The tag that was asked for. */
  readonly tag?: string;
  /** These are of one entry alone. */
  readonly entryId?: number;
  readonly requestId?: string;
  readonly taskId?: string;
  readonly note?: string;
}
export interface LedgerDifference {
  readonly subject: string;
  readonly expected: number;
  readonly found: number;
  readonly message: string;
}
