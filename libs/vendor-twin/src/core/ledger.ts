import type { Usage } from '@model-gateway/contracts';
import type { Operation } from './faults.ts';
import type { Job, JobRegistry, JobKind, JobState } from './jobs.ts';

/** A job as the vendor's bookkeeping sees it now. */
export interface LedgerJob {
  readonly vendor: string;
  readonly id: string;
  readonly kind: JobKind;
  readonly model: string;
  readonly prompt: string;
  readonly dedupeKey?: string;
  /** Milliseconds of the twin's clock. */
  readonly createdAt: number;
  readonly state: JobState;
  /** What the vendor bills for it: present once it has succeeded, and never before. */
  readonly billed?: Usage;
}

/** One answer a vendor gave at once: chat, image, speech. */
export interface LedgerAnswer {
  readonly vendor: string;
  readonly kind: Operation;
  readonly model: string;
  readonly stream: boolean;
  /** The client hung up before the end. */
  readonly aborted: boolean;
  /** What the vendor bills; after an abort, what it had produced by then. */
  readonly billed: Usage;
}

export interface LedgerTotals {
  readonly answers: number;
  readonly abortedStreams: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  readonly jobs: number;
}

/** What each vendor thinks it did and would bill. */
export interface TwinLedger<Vendor extends string = string> {
  /** Jobs ever created, oldest first; one entry per job the vendor would run. */
  jobs(vendor?: Vendor): readonly LedgerJob[];
  /** The last 10,000 answers, oldest first; empty in lean mode. */
  answers(vendor?: Vendor): readonly LedgerAnswer[];
  /** Counters over everything since the start (or `clear`), jobs that have succeeded included. */
  totals(vendor?: Vendor): LedgerTotals;
  /** Forgets answers and counters; jobs stay. */
  clear(): void;
}

type Counters = { -readonly [name in keyof LedgerTotals]: number };

const KEPT = 10_000;

export class Ledger implements TwinLedger {
  readonly #book: JobRegistry;
  readonly #lean: boolean;
  #answers: LedgerAnswer[] = [];
  readonly #counters = new Map<string, Counters>();

  constructor(book: JobRegistry, lean: boolean) {
    this.#book = book;
    this.#lean = lean;
  }

  record(answer: LedgerAnswer): void {
    let counters = this.#counters.get(answer.vendor);
    if (counters === undefined) {
      counters = zero();
      this.#counters.set(answer.vendor, counters);
    }
    counters.answers += 1;
    if (answer.aborted) counters.abortedStreams += 1;
    add(counters, answer.billed);
    if (this.#lean) return;
    this.#answers.push(answer);
    if (this.#answers.length > KEPT * 2) this.#answers = this.#answers.slice(-KEPT);
  }

  jobs(vendor?: string): readonly LedgerJob[] {
    return this.#book.all(vendor).map((job) => this.#seen(job));
  }

  answers(vendor?: string): readonly LedgerAnswer[] {
    return this.#answers.slice(-KEPT).filter((answer) => vendor === undefined || answer.vendor === vendor);
  }

  totals(vendor?: string): LedgerTotals {
    const sum = zero();
    for (const [name, counters] of this.#counters) {
      if (vendor !== undefined && name !== vendor) continue;
      for (const key of Object.keys(sum) as (keyof LedgerTotals)[]) sum[key] += counters[key];
    }
    for (const job of this.jobs(vendor)) {
      sum.jobs += 1;
      if (job.billed !== undefined) add(sum, job.billed);
    }
    return sum;
  }

  clear(): void {
    this.#answers = [];
    this.#counters.clear();
  }

  #seen(job: Job): LedgerJob {
    const state = this.#book.stateOf(job);
    const { vendor, id, kind, model, prompt, dedupeKey, createdAt, usage } = job;
    return {
      vendor,
      id,
      kind,
      model,
      prompt,
      createdAt,
      state,
      ...(dedupeKey !== undefined && { dedupeKey }),
      ...(state === 'succeeded' && { billed: usage }),
    };
  }
}

function zero(): Counters {
  return {
    answers: 0,
    abortedStreams: 0,
    inputTokens: 0,
    outputTokens: 0,
    images: 0,
    seconds: 0,
    characters: 0,
    jobs: 0,
  };
}

function add(counters: Counters, usage: Usage): void {
  counters.inputTokens += usage.inputTokens ?? 0;
  counters.outputTokens += usage.outputTokens ?? 0;
  counters.images += usage.images ?? 0;
  counters.seconds += usage.seconds ?? 0;
  counters.characters += usage.characters ?? 0;
}
