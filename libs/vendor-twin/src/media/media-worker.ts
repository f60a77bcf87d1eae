import { Worker } from 'node:worker_threads';
import type { MediaSpec } from './spec.ts';

interface Order {
  readonly spec: MediaSpec;
  readonly done: (bytes: Buffer) => void;
  readonly failed: (error: Error) => void;
}

type Answer = { readonly bytes: Uint8Array } | { readonly error: string };

/** Too much media was asked for at once. */
export class MediaWorkerBusy extends Error {
  override readonly name = 'MediaWorkerBusy';
}

/** Pieces that may wait: what is asked for beyond them comes back later. */
const LONGEST_QUEUE = 64;

/** Makes media in one worker thread, one piece after the other. The thread starts with the first order and never keeps the process alive. */
export class MediaWorker {
  #worker: Worker | undefined;
  #current: Order | undefined;
  #queue: Order[] = [];
  #closed = false;

  async make(spec: MediaSpec): Promise<Buffer> {
    if (this.#closed) throw new MediaWorkerBusy('the twin is closed');
    if (this.#queue.length >= LONGEST_QUEUE) throw new MediaWorkerBusy('too many files at once');
    return new Promise((done, failed) => {
      this.#queue.push({ spec, done, failed });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail(new MediaWorkerBusy('the twin is closed'));
    for (const order of this.#queue.splice(0)) order.failed(new MediaWorkerBusy('the twin is closed'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#queue.shift();
    if (this.#current === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#spawn();
    this.#worker.ref();
    this.#worker.postMessage(this.#current.spec);
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { stdout: false, stderr: false });
    worker.on('message', (answer: Answer) => {
      if ('error' in answer) {
        this.#fail(new Error(answer.error));
      } else {
        const { buffer, byteOffset, byteLength } = answer.bytes;
        this.#current?.done(Buffer.from(buffer, byteOffset, byteLength));
        this.#current = undefined;
      }
      this.#next();
    });
    // A thread that died takes its order with it; the next order gets a new thread.
    const onDeath = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#fail(error);
      this.#next();
    };
    worker.on('error', onDeath);
    worker.on('exit', (code) => onDeath(new Error(`the media thread ended with code ${code}`)));
    return worker;
  }

  #fail(error: Error): void {
    this.#current?.failed(error);
    this.#current = undefined;
  }
}
