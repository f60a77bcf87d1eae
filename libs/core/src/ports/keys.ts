/** Keys and their owners. Units and promises as in ports.ts. */
import type { Tenant } from './tenant.ts';

export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** Quota units. */
  readonly spendPerDay?: number;
  readonly spendPerMonth?: number;
  readonly spendTotal?: number;
  readonly spendPerHour?: number;
  /** From Monday, UTC. */
  readonly spendPerWeek?: number;
  /** Of one run: what an agent does for one task. */
  readonly spendPerRun?: number;
  readonly requestsPerRun?: number;
  readonly minutesPerRun?: number;
  /** Equal tool calls with equal results, or answers to equal chats, in a row. */
  readonly repeatedCallsPerRun?: number;
  /** The highest priority that its tasks may ask for while they wait for room at an account; 0 when absent. */
  readonly maxPriority?: number;
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
  /** What people find it by; nothing else looks at them. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly webhookSecret?: string;
  /** Prompts and answers of its requests are kept, where the operator lets them be. */
  readonly keepBodies?: boolean;
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
export type KeyChange = Partial<
  Pick<KeyRecord, 'name' | 'group' | 'models' | 'ipRanges' | 'limits' | 'tags' | 'keepBodies'>
> & {
  readonly expiresAt?: number | null;
  readonly webhookSecret?: string | null;
};

export interface KeyStore {
  /** Throws GatewayError `conflict` when a live key of that owner has the name. */
  create(key: NewKey, now: number): Promise<KeyRecord>;
  /** Writes the declared keys as the file says and revokes declared ones it no longer names. */
  declare(keys: readonly NewKey[], now: number): Promise<readonly KeyRecord[]>;
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  /** Those of at most 256 hashes that there are, in no order. */
  findByHashes(hashes: readonly string[]): Promise<readonly KeyRecord[]>;
  get(id: number): Promise<KeyRecord | undefined>;
  /** What keys are called, revoked ones too; those that are not there are left out. */
  names(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  list(filter: {
    readonly ownerId?: number;
    readonly mode?: KeyRecord['mode'];
    readonly includeRevoked?: boolean;
    /** Those whose name has this in it, in capitals or not. */
    readonly name?: string;
    readonly tag?: { readonly name: string; readonly value: string };
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
  /** Whether the tenant has a key that is neither revoked nor expired. */
  anyUsable(tenant: Tenant, now: number): Promise<boolean>;
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
  /** What the owner means to spend in a UTC month, quota units; nothing is refused beyond it. */
  readonly monthlyBudget?: number;
  /** Below it a balance is shown as low. */
  readonly lowBalance?: number;
  /** The organization that it belongs to, with others perhaps. */
  readonly organization?: string;
  /** Available now: the sum of all entries' `amount`. */
  readonly balance: number;
  /** True for owners of the configuration file: changed there, not through the admin API. */
  readonly declared: boolean;
  readonly createdAt: number;
}
/** An owner of the configuration file, known again by its name. */
export type DeclaredOwner = Pick<OwnerRecord, 'name' | 'group' | 'creditLimit' | 'organization'>;

/** What is said of an owner when it is made. */
export type NewOwner = Pick<
  OwnerRecord,
  'name' | 'group' | 'creditLimit' | 'monthlyBudget' | 'lowBalance' | 'organization'
>;

export interface OwnerStore {
  /** Makes sure the owner exists (declared keys, first use). */
  ensure(owner: NewOwner & Pick<OwnerRecord, 'id'>, now: number): Promise<OwnerRecord>;
  create(owner: NewOwner, now: number): Promise<OwnerRecord>;
  /** The owner of this name; made where there is none, once however many ask. Throws GatewayError `conflict` where several have the name. */
  firstNamed(owner: NewOwner, now: number): Promise<OwnerRecord>;
  /**
   * Writes the owners that the configuration file declares, as it says, and leaves to the admin API those that it no longer names. One that
   * was made by hand and is the only one of that name is taken over; throws GatewayError `conflict` where several have it. In the order given.
   */
  declare(owners: readonly DeclaredOwner[], now: number): Promise<readonly OwnerRecord[]>;
  get(id: number): Promise<OwnerRecord | undefined>;
  /** What owners are called; those that are not there are left out. */
  names(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The organizations of the owners that have one: of these, or of all. */
  organizations(ids?: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** At most two, so that who asks sees whether a name is one owner's. */
  named(name: string): Promise<readonly OwnerRecord[]>;
  /** The numbers of all owners that have each of these names. */
  idsNamed(names: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** `name`: those whose name has this in it, in capitals or not. */
  list(page: {
    readonly after?: number;
    readonly limit: number;
    readonly name?: string;
  }): Promise<readonly OwnerRecord[]>;
  update(
    id: number,
    change: {
      readonly name?: string;
      readonly group?: string;
      readonly creditLimit?: number | null;
      readonly monthlyBudget?: number | null;
      readonly lowBalance?: number | null;
      readonly organization?: string | null;
    },
  ): Promise<OwnerRecord | undefined>;
}
