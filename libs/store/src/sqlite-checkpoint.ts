/**
 * Brings what SQLite has in its log into the file, in a thread. SQLite does it in the middle of a commit every thousand pages, and waits for
 * the disk twice: nobody is answered meanwhile (docs/decisions/0034-checkpoints-in-a-thread.md).
 */
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

const LOOK_MS = 500;
/** 16 MB: the more there are, the more of them are versions of the same page. */
const PAGES = 4_000;
/** 64 MB: where the thread does not keep up, the commit does it after all. */
const MOST_PAGES = 16_000;
/** It opens a file and runs one statement. */
const MEMORY = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };
/** A thread that ended by itself may do so again. */
const RESTART_MS = 30_000;

export interface Checkpoints {
  /** Ends the thread: before the database is closed, whose last connection tidies up. */
  close(): Promise<void>;
}

/** Pages in the log that are not in the file; `noop` only looks, `passive` brings over what it can without making anybody wait. */
export function pagesLeft(database: DatabaseSync, mode: 'noop' | 'passive'): number {
  const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${mode})`).get() as Record<
    'log' | 'checkpointed',
    number
  >;
  return log - checkpointed;
}

/** Looks every half second. The thread starts when there is something for it to do, and never keeps the process alive. */
export function checkpointBeside(database: DatabaseSync, path: string): Checkpoints {
  database.exec(`pragma wal_autocheckpoint = ${MOST_PAGES}`);
  let worker: Worker | undefined;
  let isBusy = false;
  let notBefore = 0;
  const start = (): Worker => {
    const started = new Worker(new URL('./sqlite-checkpoint-worker.ts', import.meta.url), {
      workerData: { path },
      resourceLimits: MEMORY,
    });
    started.unref();
    started.on('message', () => (isBusy = false));
    // What was wrong with the file is told where requests need it.
    started.on('error', () => undefined);
    started.on('exit', () => {
      worker = undefined;
      isBusy = false;
      notBefore = performance.now() + RESTART_MS;
    });
    return started;
  };
  const isMuch = (): boolean => {
    try {
      return pagesLeft(database, 'noop') >= PAGES;
    } catch {
      return false;
    }
  };
  const timer = setInterval(() => {
    if (isBusy || performance.now() < notBefore || !isMuch()) return;
    isBusy = true;
    worker ??= start();
    worker.postMessage('checkpoint');
  }, LOOK_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await worker?.terminate();
    },
  };
}
