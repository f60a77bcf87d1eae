/** Batches: requests that run when there is room for them. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Need, Payer } from './money.ts';
import type { Tenant } from './tenant.ts';

/** Whose form a batch was made in: it is listed, shown and cancelled in the same. */
export type BatchFormat = 'openai' | 'anthropic' | 'gemini';

/**
 * `receiving`: its lines still arrive and nobody has been told of it. `validating`: its input file is still to be read. `finalizing`: every
 * line has ended and its result files are written. The other words are ends.
 */
export type BatchStatus =
  | 'receiving'
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled';

export type LineState = 'waiting' | 'succeeded' | 'errored' | 'cancelled' | 'expired';

/** Tokens of all lines that have been charged. */
export interface BatchUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** How many lines are in each state; those that run are waiting ones. */
export type LineCounts = Readonly<Record<LineState, number>>;

export interface BatchRecord extends Tenant {
  /** Random and unguessable. */
  readonly id: string;
  readonly format: BatchFormat;
  /** The key that pays and whose rights count. */
  readonly keyId: number;
  /** The path that every line is sent to. */
  readonly endpoint: string;
  readonly status: BatchStatus;
  /** What the format keeps for itself: metadata, a display name, headers of the lines. */
  readonly detail: JsonObject;
  readonly counts: LineCounts;
  readonly usage: BatchUsage;
  readonly createdAt: number;
  /** Lines that have not begun by then expire. */
  readonly expiresAt: number;
  /** Bytes of its lines and their results. */
  readonly size: number;
  readonly startedAt?: number;
  readonly finalizingAt?: number;
  readonly endedAt?: number;
  readonly cancelledAt?: number;
  readonly inputFileId?: string;
  readonly outputFileId?: string;
  readonly errorFileId?: string;
  /** Why its input was refused. */
  readonly faults?: readonly LineFault[];
}

/** What is wrong with a line of an input file. */
export interface LineFault {
  readonly code: string;
  readonly message: string;
  /** Counted from 1; absent for the file as a whole. */
  readonly line?: number;
  readonly param?: string;
}

export interface NewLine {
  /** From 0. */
  readonly number: number;
  readonly customId: string;
  readonly model: string;
  readonly body: Uint8Array;
}

/** A line that a process has claimed. */
export interface ClaimedLine extends NewLine {
  readonly batchId: string;
  /** A vendor was asked for it, or was about to be: it is not asked again. */
  readonly submitted: boolean;
  /** How often it was put back. */
  readonly attempts: number;
  /** It was tried in a vendor's batch, or must not be: it is sent by itself. */
  readonly isAlone: boolean;
  /** What the vendor's batch answered to it. */
  readonly answer?: LineReply;
}

/** What was answered to a line that was sent in a vendor's batch. */
export interface LineReply {
  readonly accountId: number;
  /** The vendor's name of the model. */
  readonly vendorModel: string;
  readonly holdId: number;
  readonly status: number;
  /** JSON. */
  readonly body: Uint8Array;
}

/** A line that is to be sent in a vendor's batch. */
export interface HandedLine {
  readonly accountId: number;
  readonly vendorModel: string;
  /** What lines of one batch have in common (`BatchAdapter.groupOf`). */
  readonly group: string;
  /** The JSON that the vendor is sent, on one line. */
  readonly body: Uint8Array;
}

/** What a line sets aside before it is sent. */
export interface LineHold {
  readonly payer: Payer;
  /** All that there is, where that is less than the most and the least of it. */
  readonly need: Need;
  readonly requestId: string;
  readonly model: string;
  readonly detail: JsonObject;
}

/** A line that has ended. */
export interface EndedLine {
  readonly number: number;
  readonly customId: string;
  readonly state: LineState;
  /** Absent where the line was never sent. */
  readonly requestId?: string;
  readonly statusCode?: number;
  /** The JSON that was answered. */
  readonly result?: Uint8Array;
}

/** What a hold of a line is charged; holds without one are given back. */
export interface LineBill {
  readonly holdId: number;
  readonly charged: number;
  readonly accountId?: number;
  readonly priceVersion: string;
  readonly detail: JsonObject;
}

export interface LineEnd {
  readonly state: 'succeeded' | 'errored';
  readonly requestId?: string;
  readonly statusCode: number;
  readonly result: Uint8Array;
  readonly bills: readonly LineBill[];
  readonly usage: BatchUsage;
}

export interface BatchQuery {
  readonly format: BatchFormat;
  readonly limit: number;
  /** The id behind which the page begins, in the order newest first. */
  readonly after?: string;
  /** The id before which the page ends. */
  readonly before?: string;
}

export interface BatchStore {
  create(batch: BatchRecord): Promise<void>;
  /** Appends lines to a batch that is `receiving` or `validating`; a line that is there already stays as it is. */
  addLines(id: string, lines: readonly NewLine[]): Promise<void>;
  /** Its lines are all there: they may be claimed from now on. False when it has ended, or when somebody else than `by` has the claim. */
  open(id: string, now: number, by?: string): Promise<boolean>;
  /** Ends a batch whose input is refused, and removes its lines; nothing where somebody else has the claim. */
  refuse(id: string, by: string, faults: readonly LineFault[], now: number): Promise<void>;
  /** One of the tenant's, in this format; another tenant's is undefined like one that never was. */
  find(tenant: Tenant, format: BatchFormat, id: string): Promise<BatchRecord | undefined>;
  list(tenant: Tenant, query: BatchQuery): Promise<readonly BatchRecord[]>;
  /** What the tenant's batches hold: bytes of all, lines that have not ended. */
  load(tenant: Tenant): Promise<{ readonly bytes: number; readonly lines: number }>;
  /** Lines that have not begun do not begin any more. Undefined where the tenant has none such; one that has ended stays as it is. */
  cancel(tenant: Tenant, format: BatchFormat, id: string, now: number): Promise<BatchRecord | undefined>;
  /** The next `sweep` removes it. False while it has not ended. */
  remove(tenant: Tenant, format: BatchFormat, id: string): Promise<boolean>;
  /** Ended lines behind a number in their order, at most so many, and no more than so many bytes beyond the first. */
  ended(
    id: string,
    page: { readonly after: number; readonly limit: number; readonly bytes: number },
  ): Promise<readonly EndedLine[]>;

  /** Claims lines that are due, tenants in turns, each with its oldest batch first. */
  claimLines(claim: {
    readonly by: string;
    readonly now: number;
    readonly until: number;
    readonly limit: number;
    /** Bytes of their bodies together, where it is more than one. */
    readonly bytes: number;
    /** Lines that one tenant may run here. */
    readonly perTenant: number;
    /** What runs here by now. */
    readonly running: readonly Tenant[];
    /** Models without room. */
    readonly exceptModels: readonly string[];
  }): Promise<readonly (ClaimedLine & { readonly batch: BatchRecord })[]>;
  /** Prolongs claims. Resolves with those that are still held, as `batchId number`. */
  renewLines(
    lines: readonly Pick<ClaimedLine, 'batchId' | 'number'>[],
    by: string,
    until: number,
  ): Promise<ReadonlySet<string>>;
  /**
   * One transaction: the mark that a vendor is about to be asked, and what is set aside. Undefined when somebody else has the claim; throws
   * `insufficient_quota`, and nothing has changed then.
   */
  submit(
    line: Pick<ClaimedLine, 'batchId' | 'number'>,
    by: string,
    hold: LineHold,
    now: number,
  ): Promise<number | undefined>;
  /** As `submit`, for a line that waits from now on to be sent in a vendor's batch. False when somebody else has the claim. */
  handOver(
    line: Pick<ClaimedLine, 'batchId' | 'number'>,
    by: string,
    handed: HandedLine & { readonly hold: LineHold },
    now: number,
  ): Promise<boolean>;
  /**
   * Puts a claimed line back, to be claimed from `dueAt` on; gives back what it has set aside. With `keepsAnswer` the answer of its vendor's batch
   * is there when it is claimed again, and its money stays set aside; with `isAlone` it is sent by itself from now on.
   */
  putBack(
    line: Pick<ClaimedLine, 'batchId' | 'number'>,
    by: string,
    again: {
      readonly dueAt: number;
      readonly counts: boolean;
      readonly keepsAnswer?: boolean;
      readonly isAlone?: boolean;
    },
    now: number,
  ): Promise<void>;
  /** One transaction: the result, its money, the counts of the batch, and its end where it was the last line. False when somebody else has the claim. */
  finishLine(line: Pick<ClaimedLine, 'batchId' | 'number'>, by: string, end: LineEnd, now: number): Promise<boolean>;

  /** Claims batches with something to do: an input to read, results to write, lines to cancel or to expire. */
  claimBatches(claim: {
    readonly by: string;
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly BatchRecord[]>;
  /** Prolongs a claim; false when somebody else has it. */
  renewBatch(id: string, by: string, until: number): Promise<boolean>;
  /** Ends lines of a cancelled or expired batch that nobody works on, at most so many. Resolves with how many. */
  endWaiting(id: string, limit: number, now: number): Promise<number>;
  /** Gives a claim back; the batch is due again then. */
  leaveBatch(id: string, by: string, dueAt: number): Promise<void>;
  /** The result files are written. False when somebody else has the claim. */
  finishBatch(
    id: string,
    by: string,
    files: { readonly outputFileId?: string; readonly errorFileId?: string },
    now: number,
  ): Promise<boolean>;
  /** Removes the lines of a batch that has ended. */
  removeLines(id: string): Promise<void>;
  /** Removes what was deleted, what ended before `endedBefore`, and what has been `receiving` since before `receivedBefore`. Resolves with how many. */
  sweep(before: {
    readonly endedBefore: number;
    readonly receivedBefore: number;
    readonly limit: number;
  }): Promise<number>;
}
