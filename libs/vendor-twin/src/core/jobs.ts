import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import { random, seedOf } from './values.ts';

export type JobKind = 'video' | 'subject' | 'image';
/** How a job will end if nobody cancels it. */
export type JobFate = 'succeed' | 'fail' | 'moderation' | 'expire' | 'never';
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** One asynchronous job as a vendor keeps it. Times are milliseconds of the twin's clock. */
export interface Job {
  readonly id: string;
  readonly vendor: string;
  readonly kind: JobKind;
  readonly model: string;
  readonly prompt: string;
  /** What the vendor offers against double submission (Tencent SessionId, Kling external_task_id). */
  readonly dedupeKey?: string;
  readonly createdAt: number;
  readonly queuedMs: number;
  readonly runMs: number;
  readonly fate: JobFate;
  /** What success bills. */
  readonly usage: Usage;
  /** The vendor's own memory of the request: what its poll shows again. */
  readonly details: JsonObject;
  cancelledAt?: number;
  /** Removed by its owner: no longer found, still in the ledger. */
  deleted?: boolean;
}

/** What a vendor asks the book to keep. */
export type JobOrder = Omit<Job, 'vendor' | 'createdAt' | 'queuedMs' | 'runMs' | 'cancelledAt' | 'deleted'> & {
  /** From creation to end, before the jitter. */
  readonly seconds: number;
};

const KEPT = 200_000;

/** Every vendor's jobs. Their state is a function of the clock: nothing ticks. */
export class JobRegistry {
  readonly #now: () => number;
  readonly #journal: string | undefined;
  readonly #jobs = new Map<string, Job>();
  readonly #byDedupeKey = new Map<string, Job>();
  #created = 0;

  /** `journal`, a file, lets jobs outlive the process: every job and every cancel is a line in it. */
  constructor(now: () => number, journal?: string) {
    this.#now = now;
    this.#journal = journal;
    if (journal !== undefined && existsSync(journal)) this.#replay(readFileSync(journal, 'utf8'));
  }

  create(vendor: string, order: JobOrder): Job {
    this.#created += 1;
    const { seconds, ...rest } = order;
    // Between 85 % and 115 % of the asked time, so that jobs started together do not end together.
    const lasts = seconds * 1000 * (0.85 + 0.3 * random(seedOf(`${vendor} ${String(this.#created)}`))());
    const job: Job = { ...rest, vendor, createdAt: this.#now(), queuedMs: lasts * 0.2, runMs: lasts * 0.8 };
    this.#keep(job);
    this.#write({ job: { ...job } });
    return job;
  }

  find(vendor: string, id: string): Job | undefined {
    const job = this.#jobs.get(keyOf(vendor, id));
    return job?.deleted === true ? undefined : job;
  }

  findByDedupeKey(vendor: string, dedupeKey: string): Job | undefined {
    return this.#byDedupeKey.get(keyOf(vendor, dedupeKey));
  }

  /** Jobs ever created, of all vendors. */
  get created(): number {
    return this.#created;
  }

  /** Every job of a vendor, deleted ones too, oldest first. */
  all(vendor?: string): Job[] {
    const jobs = [...this.#jobs.values()];
    return vendor === undefined ? jobs : jobs.filter((job) => job.vendor === vendor);
  }

  stateOf(job: Job): JobState {
    const { createdAt, queuedMs, runMs, fate, cancelledAt } = job;
    const now = this.#now();
    if (cancelledAt !== undefined) return 'cancelled';
    if (now < createdAt + queuedMs) return 'queued';
    if (fate === 'never' || now < createdAt + queuedMs + runMs) return 'running';
    if (fate === 'expire') return 'expired';
    return fate === 'succeed' ? 'succeeded' : 'failed';
  }

  /** 0 while queued, 1 to 99 while running, 100 at any end. */
  percentOf(job: Job): number {
    const state = this.stateOf(job);
    if (state === 'queued') return 0;
    if (state !== 'running') return 100;
    const done = (this.#now() - job.createdAt - job.queuedMs) / job.runMs;
    return Math.max(1, Math.min(99, Math.floor(done * 100)));
  }

  startedAt(job: Job): number {
    return job.createdAt + job.queuedMs;
  }

  /** When it ended (or was cancelled); for an unfinished job, when it is due. */
  endedAt(job: Job): number {
    return job.cancelledAt ?? job.createdAt + job.queuedMs + job.runMs;
  }

  /** The time of the last change of state. */
  updatedAt(job: Job): number {
    const state = this.stateOf(job);
    if (state === 'queued') return job.createdAt;
    return state === 'running' ? this.startedAt(job) : this.endedAt(job);
  }

  cancel(job: Job): void {
    job.cancelledAt = this.#now();
    this.#write({ cancel: keyOf(job.vendor, job.id), at: job.cancelledAt });
  }

  remove(job: Job): void {
    job.deleted = true;
    this.#write({ remove: keyOf(job.vendor, job.id) });
  }

  #keep(job: Job): void {
    this.#jobs.set(keyOf(job.vendor, job.id), job);
    if (job.dedupeKey !== undefined) this.#byDedupeKey.set(keyOf(job.vendor, job.dedupeKey), job);
    if (this.#jobs.size <= KEPT) return;
    const [oldest] = this.#jobs.values();
    if (oldest === undefined) return;
    this.#jobs.delete(keyOf(oldest.vendor, oldest.id));
    if (oldest.dedupeKey !== undefined) this.#byDedupeKey.delete(keyOf(oldest.vendor, oldest.dedupeKey));
  }

  #write(line: object): void {
    if (this.#journal !== undefined) appendFileSync(this.#journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  #replay(lines: string): void {
    for (const line of lines.split('\n')) {
      const entry = parsed(line);
      if (entry === undefined) continue; // the process died while writing its last line
      if (entry.job !== undefined) {
        this.#created += 1;
        this.#keep(entry.job);
      }
      const cancelled = this.#jobs.get(entry.cancel ?? '');
      if (cancelled !== undefined && entry.at !== undefined) cancelled.cancelledAt = entry.at;
      const removed = this.#jobs.get(entry.remove ?? '');
      if (removed !== undefined) removed.deleted = true;
    }
  }
}

interface JournalLine {
  readonly job?: Job;
  readonly cancel?: string;
  readonly remove?: string;
  readonly at?: number;
}

function parsed(line: string): JournalLine | undefined {
  try {
    return JSON.parse(line) as JournalLine;
  } catch {
    return undefined;
  }
}

function keyOf(vendor: string, id: string): string {
  return `${vendor} ${id}`;
}
