/** Batches at vendors: lines of one of ours that are sent together. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { LineReply } from './batches.ts';

/**
 * `planned`: its lines are known, and nothing is at the vendor's. `uploaded`: they lie there. `asked`: its creation was asked for, and no answer
 * is written down. `looking`: it may be one of several. `running`: the vendor works on it. `ended`: results are fetched. `done`: nothing is left
 * to do.
 */
export type VendorBatchState = 'planned' | 'uploaded' | 'asked' | 'looking' | 'running' | 'ended' | 'done';

export interface VendorBatchRecord {
  /** What it is found by at its vendor. */
  readonly id: string;
  readonly batchId: string;
  readonly accountId: number;
  readonly vendorModel: string;
  readonly group: string;
  readonly state: VendorBatchState;
  readonly lines: number;
  /** Of all bodies. */
  readonly bytes: number;
  /** What its vendor gave to find it again. */
  readonly ticket: JsonObject;
  readonly createdAt: number;
  /** When its creation was asked for. */
  readonly askedAt?: number;
  /** How often the vendor refused it, or did not answer, since the last step. */
  readonly attempts: number;
  /** Its batch was cancelled by its owner. */
  readonly isCancelled: boolean;
  /** The vendor was told so. */
  readonly isCancelTold: boolean;
}

export interface VendorBatchChange {
  readonly state: VendorBatchState;
  readonly ticket: JsonObject;
  readonly attempts: number;
  readonly askedAt?: number;
  readonly isCancelTold?: boolean;
}

/** What becomes of lines that a vendor's batch has not run: they end, or are sent by themselves. */
export type NotRun = 'expired' | 'cancelled' | 'alone';

export interface VendorBatchStore {
  /**
   * Makes a batch of lines that wait to be sent with others: of one batch, account, model and group, in their order. Those whose batch has nothing
   * more to hand over go, those that have waited since `waitedSince`, and those that are as many as one may have. Resolves with how many were made.
   */
  plan(by: {
    readonly limitsOf: (accountId: number) => { readonly lines: number; readonly bytes: number };
    readonly newId: () => string;
    readonly waitedSince: number;
    readonly now: number;
  }): Promise<number>;
  claim(claim: {
    readonly by: string;
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly VendorBatchRecord[]>;
  /** Prolongs a claim; false when somebody else has it. */
  renew(id: string, by: string, until: number): Promise<boolean>;
  /** Writes a step down and keeps the claim; false when somebody else has it. On the disk when it resolves. */
  save(id: string, by: string, change: VendorBatchChange): Promise<boolean>;
  /** Gives the claim back; it is due again then. */
  leave(id: string, by: string, dueAt: number): Promise<void>;
  /** Lines that it has and that are not answered, behind a number in their order. */
  lines(
    id: string,
    page: { readonly after: number; readonly limit: number; readonly bytes: number },
  ): Promise<readonly { readonly number: number; readonly body: Uint8Array }[]>;
  /** Writes down what was answered; a line that has an answer keeps it. */
  answer(
    id: string,
    answers: readonly ({ readonly number: number } & Pick<LineReply, 'status' | 'body'>)[],
    now: number,
  ): Promise<void>;
  /** Ends lines of it, or those that are left, so many at most, and gives back what they have set aside. Resolves with how many: none when somebody else has the claim. */
  giveBack(
    id: string,
    by: string,
    what: { readonly how: NotRun; readonly numbers?: readonly number[]; readonly limit: number },
    now: number,
  ): Promise<number>;
  /** Tickets of all batches of an account that have one. */
  tickets(accountId: number): Promise<readonly JsonObject[]>;
  /** Whether lines of a tenant's are at a vendor's, or wait to be sent there. */
  hasAny(tenant: { readonly ownerId: number; readonly mode: string }): Promise<boolean>;
}
