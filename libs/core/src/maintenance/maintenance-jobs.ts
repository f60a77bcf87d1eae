/**
 * Runs maintenance jobs: work that reads more than a page. A job is a row that waits until a process has a free place for it. No process is
 * special: whoever runs a job keeps it alive under a lease, any process lists and cancels all of them, and a job whose process fell silent is
 * `interrupted`. The work itself yields or runs in a thread; its progress is kept twice a second.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { Log, Meter } from '../parts.ts';
import type {
  MaintenanceJob,
  MaintenanceJobEnd,
  MaintenanceJobFile,
  MaintenanceJobState,
  MaintenanceJobStore,
} from '../ports/maintenance-jobs.ts';
import type { BlobStore } from '../tasks/types.ts';

/** Jobs that run at a time, in all processes together. */
const MOST_RUNNING = 2;
/** Jobs that wait. */
const MOST_QUEUED = 20;
/** How often a job says how far it is, and learns that somebody wants it cancelled. */
const BEAT_MS = 400;
/** A process that has said nothing for so long is dead. */
const LEASE_MS = 60_000;
/** How often each process looks for jobs to run and for what is over. */
const TEND_EVERY_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Files may be large, and may hold everything. */
const FILES_KEPT_MS = 24 * HOUR_MS;
const JOBS_KEPT_MS = 30 * 24 * HOUR_MS;

/** Jobs that have ended, by kind and state. */
const ENDED = 'gateway_maintenance_jobs_total';

/** What a job's work is given. */
export interface JobContext {
  readonly id: number;
  readonly parameters: JsonObject;
  /** Aborted when the job is over; the work may go on for a moment, and nothing comes of it. */
  readonly signal: AbortSignal;
  /** Says how far it is; `total` is 0 while it is not known. */
  readonly tell: (done: number, total: number) => void;
  /** Keeps a file for whoever downloads it; one for each job. */
  readonly keepFile: (name: string, mime: string, body: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Does a job; resolves with what came of it. */
export type JobWork = (context: JobContext) => Promise<JsonObject>;

export interface MaintenanceJobsOptions {
  readonly jobs: MaintenanceJobStore;
  readonly works: Readonly<Record<string, JobWork>>;
  readonly blobs: BlobStore;
  /** Names this process among those that share the database. */
  readonly process: string;
  /** No other process works on the database: what ran before this one started is over. */
  readonly soleProcess: boolean;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: Pick<Meter, 'count'>;
}

/** The jobs that one process runs. */
export class MaintenanceJobs {
  readonly #options: MaintenanceJobsOptions;
  /** Those whose work goes on, by id; that of a cancelled job may go on for a moment. */
  readonly #running = new Map<number, RunningJob>();
  #timer: NodeJS.Timeout | undefined;
  #tending: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: MaintenanceJobsOptions) {
    this.#options = options;
  }

  /** How many run here, by kind. */
  running(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { kind } of this.#running.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  }

  /**
   * Queues a job with `jobs`, which may be those of a transaction; `begin` starts it. One of the same kind with the same parameters that is
   * queued or running is answered instead. Throws `rate_limited` when too many wait.
   */
  async add(
    jobs: Pick<MaintenanceJobStore, 'add'>,
    job: { readonly kind: string; readonly parameters: JsonObject; readonly actor: string },
  ): Promise<{ readonly job: MaintenanceJob; readonly isNew: boolean }> {
    const added = await jobs.add({ ...job, createdAt: this.#options.now() }, MOST_QUEUED);
    if (added !== undefined) return added;
    throw new GatewayError('rate_limited', `${MOST_QUEUED} jobs wait already: cancel some, or try again later`, {
      retryAfterSeconds: 60,
    });
  }

  /** Begins what waits, as far as there are places. Rejects with nothing: what goes wrong is logged. */
  begin(): Promise<void> {
    this.#tending = this.#tending.then(() => this.#beginWaiting()).catch((error: unknown) => this.#warn(error));
    return this.#tending;
  }

  /** Cancels a job, in whichever process it is. False when it had ended before. */
  async cancel(id: number): Promise<boolean> {
    const { jobs, now } = this.#options;
    const isOpen = await jobs.cancel(id, { now: now(), expiresAt: now() + JOBS_KEPT_MS });
    if (isOpen) this.#running.get(id)?.stop('cancelled');
    return isOpen;
  }

  /** Ends the jobs of processes that have fallen silent. */
  async interruptSilent(isAlone = false): Promise<void> {
    const { jobs, blobs } = this.#options;
    const ids = await jobs.interruptSilent(
      this.#endOf('interrupted', 'the process that ran it ended before the job did: start it again'),
      isAlone,
    );
    // What a dead process had begun to write.
    for (const id of ids) await blobs.remove(blobs.locate(fileNameOf(id)));
  }

  /** From now on it looks by itself for what waits and what is over. */
  start(): void {
    const tend = (): void => void this.tend();
    this.#timer ??= setInterval(tend, TEND_EVERY_MS).unref();
    this.#tending = this.interruptSilent(this.#options.soleProcess).catch((error: unknown) => this.#warn(error));
    tend();
  }

  /** Ends what is over, removes what was kept long enough, and begins what waits. */
  async tend(): Promise<void> {
    const { jobs, blobs, now } = this.#options;
    try {
      await this.interruptSilent();
      for (const { id, location } of await jobs.expiredFiles(now())) {
        await blobs.remove(location);
        await jobs.forgetFile(id);
      }
      await jobs.removeExpired(now());
    } catch (error) {
      this.#warn(error);
    }
    await this.begin();
  }

  /** Ends the jobs that run here as `interrupted`, and begins no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#tending;
    const over = [...this.#running.values()].map((running) => {
      running.stop('interrupted');
      return running.ended;
    });
    await Promise.all(over);
  }

  /** Resolves when nothing waits or runs here any more. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#tending;
      const [first] = this.#running.values();
      if (first === undefined) return;
      await first.ended;
      await first.settled;
    }
  }

  async #beginWaiting(): Promise<void> {
    const { jobs, process, now } = this.#options;
    while (!this.#isStopped && this.#running.size < MOST_RUNNING) {
      const job = await jobs.claim({ process, now: now(), leaseMs: LEASE_MS, most: MOST_RUNNING });
      if (job === undefined) return;
      const running = new RunningJob(job, this.#options, (state, words) => this.#endOf(state, words));
      this.#running.set(job.id, running);
      void running.settled.then(() => {
        this.#running.delete(job.id);
        void this.begin();
      });
      // Its place is free as soon as it has ended, also for those that other processes have queued.
      void running.ended.then(() => this.begin());
    }
  }

  #endOf(state: MaintenanceJobEnd['state'], message?: string): MaintenanceJobEnd {
    const at = this.#options.now();
    const error = { code: state === 'failed' ? 'internal' : state, message: message ?? '' };
    return { state, at, expiresAt: at + JOBS_KEPT_MS, ...(message !== undefined && { error }) };
  }

  #warn(error: unknown): void {
    this.#options.log.warn({ err: error }, 'maintenance jobs could not be looked after');
  }
}

/** What a job keeps is found by its number, also by others when its process has died. */
function fileNameOf(id: number): string {
  return `job-${id}`;
}

type EndOf = (state: MaintenanceJobEnd['state'], message?: string) => MaintenanceJobEnd;

/** One job while its work goes on. */
class RunningJob {
  readonly kind: string;
  /** The row says how it ended. */
  readonly ended: Promise<void>;
  /** The work itself is over. */
  readonly settled: Promise<void>;
  readonly #job: MaintenanceJob;
  readonly #options: MaintenanceJobsOptions;
  readonly #endOf: EndOf;
  readonly #over = new AbortController();
  #state: MaintenanceJobState = 'running';
  #done = 0;
  #total: number | undefined;
  #file: MaintenanceJobFile | undefined;

  constructor(job: MaintenanceJob, options: MaintenanceJobsOptions, endOf: EndOf) {
    this.kind = job.kind;
    this.#job = job;
    this.#options = options;
    this.#endOf = endOf;
    const work = this.#work();
    this.settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.ended = this.#follow(work);
  }

  /** Ends it now; what its work still does is thrown away. */
  stop(state: 'cancelled' | 'interrupted'): void {
    if (this.#state !== 'running') return;
    this.#state = state;
    this.#over.abort(new GatewayError('unavailable', `the job was ${state}`));
  }

  async #work(): Promise<JsonObject> {
    const { works } = this.#options;
    const work = works[this.kind];
    if (work === undefined) throw new GatewayError('invalid_request', `this version knows no job '${this.kind}'`);
    const { signal } = this.#over;
    const { id, parameters } = this.#job;
    return work({
      ...{ id, parameters, signal },
      tell: (done, total) => {
        this.#done = done;
        this.#total = total === 0 ? undefined : total;
      },
      keepFile: (name, mime, body) => this.#keepFile(name, mime, body),
    });
  }

  /** A file that comes too late goes at once. */
  async #keepFile(name: string, mime: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { blobs, now } = this.#options;
    const { signal } = this.#over;
    const { location, size } = await blobs.put(fileNameOf(this.#job.id), mime, whileWanted(body, signal));
    if (signal.aborted) {
      await blobs.remove(location);
      signal.throwIfAborted();
    }
    this.#file = { ...{ name, mime, size, location }, expiresAt: now() + FILES_KEPT_MS };
  }

  async #follow(work: Promise<JsonObject>): Promise<void> {
    const beat = setInterval(() => void this.#beat(), BEAT_MS).unref();
    let end: MaintenanceJobEnd;
    try {
      const result = await Promise.race([work, abortOf(this.#over.signal)]);
      this.#state = 'succeeded';
      end = { ...this.#endOf('succeeded'), result, ...(this.#file !== undefined && { file: this.#file }) };
    } catch (error) {
      end = this.#endAfter(error);
    }
    clearInterval(beat);
    await this.#write(end);
  }

  #endAfter(error: unknown): MaintenanceJobEnd {
    const { log } = this.#options;
    const { id, kind } = this.#job;
    if (this.#state === 'cancelled') return this.#endOf('cancelled');
    if (this.#state === 'interrupted') return this.#endOf('interrupted', 'the gateway stopped: start the job again');
    this.#state = 'failed';
    // What the caller did wrong, or cannot have here, is said in its own words; anything else is a fault of ours, and in the log.
    if (error instanceof GatewayError)
      return { ...this.#endOf('failed'), error: { code: error.code, message: error.message } };
    log.error({ err: error, job: id, kind }, 'a maintenance job failed');
    return this.#endOf('failed', 'something went wrong in the gateway; its log says what');
  }

  async #write(end: MaintenanceJobEnd): Promise<void> {
    const { jobs, process, blobs, log, meter } = this.#options;
    const { id, kind } = this.#job;
    const progress = { done: this.#done, ...(this.#total !== undefined && { total: this.#total }) };
    const isOurs = await jobs.end(id, process, { ...progress, ...end }).catch((error: unknown) => {
      log.warn({ err: error, job: id, kind }, 'the end of a maintenance job could not be written');
      return false;
    });
    if (isOurs) meter.count(ENDED, { kind, state: end.state });
    else if (this.#file !== undefined) await blobs.remove(this.#file.location).catch(() => undefined);
  }

  /** Says that it is alive; a database that is away for a moment ends no job. */
  async #beat(): Promise<void> {
    const { jobs, process, now } = this.#options;
    const alive = { process, now: now(), leaseMs: LEASE_MS, done: this.#done, total: this.#total };
    const word = await jobs.keepAlive(this.#job.id, alive).catch(() => 'go on' as const);
    if (word !== 'go on') this.stop(word === 'cancel' ? 'cancelled' : 'interrupted');
  }
}

async function* whileWanted(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    signal.throwIfAborted();
    yield piece;
  }
}

/** Rejects when it is aborted. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
