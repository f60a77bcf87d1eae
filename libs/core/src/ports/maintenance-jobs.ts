/** Work that reads more than a page, on behalf of an operator. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';

export type MaintenanceJobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

/** A file that a job made. */
export interface MaintenanceJobFile {
  /** What a download is called. */
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** Where the bytes are, in the words of the blob store. */
  readonly location: string;
  readonly expiresAt: number;
}

export interface MaintenanceJob {
  readonly id: number;
  readonly kind: string;
  readonly state: MaintenanceJobState;
  readonly parameters: JsonObject;
  /** Who started it, as the audit log says it. */
  readonly actor: string;
  readonly done: number;
  /** Absent while it is not known. */
  readonly total?: number;
  readonly cancelRequestedAt?: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Of a job that has ended: when its row goes. */
  readonly expiresAt?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly result?: JsonObject;
  readonly file?: MaintenanceJobFile;
}

/** How a job ended. */
export interface MaintenanceJobEnd {
  readonly state: Exclude<MaintenanceJobState, 'queued' | 'running'>;
  readonly at: number;
  readonly expiresAt: number;
  readonly done?: number;
  readonly total?: number;
  readonly error?: MaintenanceJob['error'];
  readonly result?: JsonObject;
  readonly file?: MaintenanceJobFile;
}

export interface MaintenanceJobStore {
  /**
   * Queues a job; `isNew` is false where one of the same kind with the same parameters is queued or running: that one is answered. Undefined
   * when `mostQueued` wait already.
   */
  add(
    job: Pick<MaintenanceJob, 'kind' | 'parameters' | 'actor' | 'createdAt'>,
    mostQueued: number,
  ): Promise<{ readonly job: MaintenanceJob; readonly isNew: boolean } | undefined>;
  get(id: number): Promise<MaintenanceJob | undefined>;
  /** Newest first. */
  list(filter: {
    readonly kind?: string;
    readonly state?: MaintenanceJobState;
    /** The last id of the page before. */
    readonly after?: number;
    readonly limit: number;
  }): Promise<readonly MaintenanceJob[]>;
  /** Begins the oldest job that waits, unless `most` run in all processes. It must be kept alive within `leaseMs`. */
  claim(claim: {
    readonly process: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly most: number;
  }): Promise<MaintenanceJob | undefined>;
  /** Says that it still runs, and how far it is. `lost`: it is no longer this process's; `cancel`: somebody wants it cancelled. */
  keepAlive(
    id: number,
    alive: {
      readonly process: string;
      readonly now: number;
      readonly leaseMs: number;
      readonly done: number;
      readonly total: number | undefined;
    },
  ): Promise<'go on' | 'cancel' | 'lost'>;
  /** False when it was no longer this process's: nothing has changed then. */
  end(id: number, process: string, end: MaintenanceJobEnd): Promise<boolean>;
  /** Cancels a job that waits, and asks for the end of one that runs. False for one that has ended. */
  cancel(id: number, at: { readonly now: number; readonly expiresAt: number }): Promise<boolean>;
  /** Ends the jobs whose process has fallen silent, or of all processes when nobody else can be alive. Answers their ids. */
  interruptSilent(end: MaintenanceJobEnd, isAlone?: boolean): Promise<readonly number[]>;
  /** The jobs whose files' time is over, and where the files lie, again and again until they are forgotten. */
  expiredFiles(now: number): Promise<readonly { readonly id: number; readonly location: string }[]>;
  /** Takes a file that is gone away from its job. */
  forgetFile(id: number): Promise<void>;
  /** Removes the rows whose time is over. */
  removeExpired(now: number): Promise<void>;
}
