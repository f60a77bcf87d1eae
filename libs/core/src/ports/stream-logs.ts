/** Events of streams that their callers may come back to. Units and promises as in ports.ts. */
import type { Tenant } from './tenant.ts';

export interface StreamLog extends Tenant {
  readonly id: string;
  /** What its events are written in: the dialect's name. */
  readonly format: string;
}

/** `open`: more may come. `ended`: it is whole. `cut`: it went on, but no more of it is kept. `lost`: nobody reads its source any more. */
export type StreamLogState = 'open' | 'ended' | 'cut' | 'lost';

/** Whole events, as they are sent. */
export interface StreamBatch {
  /** Numbers of its first and last event. */
  readonly first: number;
  readonly last: number;
  readonly bytes: Uint8Array;
}

/** What a log's row says from now on; that it is said keeps the log alive. */
export interface StreamLogRow {
  readonly state: StreamLogState;
  /** Events and bytes of the whole log. */
  readonly events: number;
  readonly size: number;
}

export interface StreamUpdate {
  readonly id: string;
  /** Absent while there is nothing to say but the batch: its events are read without it, the log lives as long as it did. */
  readonly row?: StreamLogRow;
  readonly batch?: StreamBatch;
}

/** How long rows last, milliseconds from now. */
export interface StreamLife {
  /** An open log that is not written to for so long is lost: its process has died. */
  readonly aliveMs: number;
  readonly keptMs: number;
}

export interface StreamLogBounds {
  /** Open logs of one tenant. */
  readonly running: number;
  /** Bytes of all logs of one tenant: the oldest that have ended make room. Adding them up costs more the more there are; not done when absent. */
  readonly bytes?: number | undefined;
}

export interface StreamLogReading extends StreamLog {
  readonly state: StreamLogState;
  /** How many events there are. */
  readonly events: number;
  /** In their order, from the one that has the event behind `after` on; not always all that there are. */
  readonly batches: readonly StreamBatch[];
}

export interface StreamLogStore {
  /** Begins a log; false, and nothing written, where its tenant has as many open ones as it may. Counted under a lock. */
  open(log: StreamLog, bounds: StreamLogBounds, life: StreamLife, now: number): Promise<boolean>;
  /** All of it in one transaction. Logs that are gone are passed over. */
  append(updates: readonly StreamUpdate[], life: StreamLife, now: number): Promise<void>;
  /** Undefined where there is none of this id and tenant. An open one whose process has died reads as `lost`. */
  read(id: string, tenant: Tenant, after: number, now: number): Promise<StreamLogReading | undefined>;
  /** Undoes an `open` whose stream never began. */
  remove(id: string): Promise<void>;
  /** Says of every open log that its process has died: for who knows that there is no other. */
  loseAll(): Promise<void>;
  /** Removes what is over, so many at once; resolves with how many. */
  sweep(now: number, limit: number): Promise<number>;
}
