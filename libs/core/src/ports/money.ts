/** Who pays, under which caps, what a request may cost and what it is charged. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { KeyLimits } from './keys.ts';

/** Who pays for one request. */
export interface Payer {
  readonly ownerId: number;
  readonly keyId: number;
  /** Spend caps of the key, checked in the same statement as the balance. */
  readonly limits: Pick<KeyLimits, 'spendPerDay' | 'spendPerMonth' | 'spendTotal'>;
  /** Further caps, taken from in the same transaction, in `inScopeOrder`. Absent: none. */
  readonly scopes?: readonly SpendScope[];
}

/** UTC, the shortest first; weeks begin on Monday, and `total` never ends. */
export const SPEND_WINDOWS = ['hour', 'day', 'week', 'month', 'total'] as const;
export type SpendWindow = (typeof SPEND_WINDOWS)[number];

/** One cap that all payers who name it spend from together. */
export interface SpendScope {
  /** What it counts under: `key:7`. Letters, digits and `:.-` only. */
  readonly scope: string;
  readonly window: SpendWindow;
  /** Quota units. */
  readonly cap: number;
  /** As a refusal calls it: `the key's spend_per_hour limit`. */
  readonly name: string;
  /** For programs: `spend_per_hour`. */
  readonly limit: string;
  /** A refusal tells the model of the run to stop. */
  readonly isOfRun?: true;
}

/** A budget above keys. */
export interface BudgetRule {
  /** Unique. */
  readonly name: string;
  /** What it is of. */
  readonly scope: 'organization' | 'owner' | 'user' | 'key' | 'tag';
  /** The name of the tag, of a budget of a tag. */
  readonly tag?: string;
  /** Whose requests count; absent: those of all. Owners and keys by name or number. */
  readonly values?: readonly string[];
  /** Each of them has the whole limit; else they share it. */
  readonly each: boolean;
  readonly window: SpendWindow;
  /** Quota units. */
  readonly limit: number;
  /** False: it is counted and told, and refuses nothing. */
  readonly refuses: boolean;
  /** Shares of the limit at which operators are told, the lowest first; absent: those of all budgets. */
  readonly alertAt?: readonly number[];
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
  /** Of payers without any cap: the lease without money that says what they have in flight. */
  readonly tabId?: number;
  /** Of `charged`, what is more than the lease can give: taken from the balance as far as caps leave it, the rest is shortfall. */
  readonly beyondLease?: number;
  readonly priceVersion: string;
  /** `{usage, price, lines, estimated, …}` */
  readonly detail: JsonObject;
  readonly at: number;
}

/** What one request may cost. */
export interface Need {
  /** Its price if it uses all it may. */
  readonly most: number;
  /** It is not begun with less: what it costs for certain. */
  readonly least: number;
  /** The code of the model that is asked for: what its requests usually cost is remembered by it. */
  readonly model?: string;
  /** The most at the price of the vendor's batch; told for what may be sent in one. */
  readonly inBatch?: number;
  /** As the ledger names it: `/v1/chat/completions`. */
  readonly endpoint?: string;
  /** Whose default price it is, where the model has none of its own. */
  readonly defaultPrice?: string;
}

/** What a lease may owe: its requests in flight, and its charges that are not in the ledger. */
export interface AtRisk {
  readonly units: number;
  /** Those in flight, the oldest first. As many as are worth naming: what the others may cost is in `units` alone. */
  readonly requests: readonly RequestAtRisk[];
}

/** A request in flight, and what it is charged should its process die now. */
export interface RequestAtRisk {
  readonly id: string;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly defaultPrice?: string | undefined;
  readonly units: number;
  /** What was set aside for it. */
  readonly reserved: number;
  /** Of `units`: what had come of the answer, an estimate because nothing had, or all that was set aside. */
  readonly basis: 'delivered' | 'estimate' | 'reserved';
}

/** A request that was in flight when its process died, and what it was charged. */
export interface InterruptedRequest extends RequestAtRisk {
  readonly ownerId: number;
  readonly keyId: number;
  readonly charged: number;
}

/** Money set aside for one request. */
export interface Reservation {
  /** Takes the price of what was used and gives the rest back. Once. `charged` is what the bill says; a cap that it passes may leave less. */
  charge(charge: Charge): { readonly charged: number };
  /**
   * More has come. `soFar` tells what would be charged if the answer were cut off now, in quota units: should the process die, that is
   * charged instead of all that was set aside. Cheap: for every chunk of a stream; it is asked when the ledger is written, and answers
   * undefined while that is unknown (a vendor that thinks and says nothing).
   */
  checkpoint(soFar: () => number | undefined): void;
  /** Nothing was used. */
  cancel(): void;
}
export type Charge = Omit<
  ChargeRecord,
  'payer' | 'requestId' | 'charged' | 'shortfall' | 'leaseId' | 'tabId' | 'beyondLease' | 'at'
> & {
  readonly units: number;
};
