/** One thread that looks long texts through, one order at a time. It starts with the first order and never keeps the process alive. */
import { Worker } from 'node:worker_threads';
import type { Guardrail } from './guardrail.ts';
import type { ScanOrder } from './scan-worker.ts';
import type { Match, LookedText } from './scanner.ts';

const LONGEST_QUEUE = 1024;
/** Characters that wait in all. */
const MOST_WAITING = 128 * 1024 * 1024;
const SECONDS_PER_ORDER = 20;
const MEMORY_MB = 768;

export type FoundInTexts = readonly (readonly Match[])[];

interface Waiting {
  readonly order: ScanOrder;
  readonly ownerId: number;
  readonly size: number;
  readonly done: (found: FoundInTexts | undefined) => void;
}

/** The thread of one process. Owners take turns. */
export class ScanThread {
  private readonly secondsPerOrder: number;
  private queue: Waiting[] = [];
  private waitingCharacters = 0;
  private lastOwner: number | undefined;
  private worker: Worker | undefined;
  private current: Waiting | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(secondsPerOrder = SECONDS_PER_ORDER) {
    this.secondsPerOrder = secondsPerOrder;
  }

  /** What is found in each text; undefined where they could not be looked through: too many wait, or it took too long. */
  find(
    guardrails: readonly Guardrail[],
    texts: readonly LookedText[],
    ownerId: number,
  ): Promise<FoundInTexts | undefined> {
    const size = texts.reduce((sum, { text }) => sum + text.length, 0);
    const isFull = this.queue.length >= LONGEST_QUEUE || this.waitingCharacters + size > MOST_WAITING;
    if (isFull && this.queue.length > 0) return Promise.resolve(undefined);
    return new Promise((done) => {
      this.waitingCharacters += size;
      // What it looks for, and nothing that others judge by.
      const order = { guardrails: guardrails.map(({ hook, moderation, ...own }) => own), texts };
      this.queue.push({ order, ownerId, size, done });
      this.next();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    const { worker, current, queue } = this;
    this.worker = this.current = undefined;
    this.queue = [];
    worker?.removeAllListeners();
    await worker?.terminate();
    for (const { done } of [...(current === undefined ? [] : [current]), ...queue]) done(undefined);
  }

  private next(): void {
    if (this.current !== undefined) return;
    const other = this.queue.findIndex(({ ownerId }) => ownerId !== this.lastOwner);
    [this.current] = this.queue.splice(Math.max(0, other), 1);
    if (this.current === undefined) return;
    this.lastOwner = this.current.ownerId;
    this.worker ??= this.start();
    this.worker.ref();
    this.timer = setTimeout(() => this.dismiss(), this.secondsPerOrder * 1000);
    this.worker.postMessage(this.current.order);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on('message', (found: FoundInTexts) => this.finish(found));
    worker.on('error', () => this.dismiss());
    worker.on('exit', () => {
      if (this.worker === worker) this.dismiss();
    });
    return worker;
  }

  private finish(found: FoundInTexts | undefined): void {
    clearTimeout(this.timer);
    const { current } = this;
    this.current = undefined;
    this.worker?.unref();
    this.waitingCharacters -= current?.size ?? 0;
    current?.done(found);
    this.next();
  }

  private dismiss(): void {
    const { worker } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    // A thread that is killed may still report an error; it is nobody's any more.
    worker?.on('error', () => undefined);
    void worker?.terminate();
    this.finish(undefined);
  }
}
