/** One worker thread that measures one file at a time, within a time and memory limit. It starts with the first file and never keeps the process alive. */
import { Worker } from 'node:worker_threads';
import { GatewayError } from '@model-gateway/contracts';
import type { Measure } from './measure.ts';
import type { MeasureOrder } from './worker.ts';

const LONGEST_QUEUE = 1024;
const SECONDS_PER_FILE = 10;
/** A body of 64 MB as a string, its bytes, and the readers. */
const MEMORY_MB = 512;

export interface MediaProbeWorker {
  /** Measures a file; `unavailable` when too many are waiting. A file that takes too long or kills the thread is `broken`. */
  measure(order: MeasureOrder): Promise<Measure>;
  close(): Promise<void>;
}

interface Waiting {
  readonly order: MeasureOrder;
  readonly done: (measure: Measure) => void;
}

/** Makes the probe worker of one process. */
export function createMediaProbeWorker(secondsPerFile = SECONDS_PER_FILE): MediaProbeWorker {
  const queue: Waiting[] = [];
  let worker: Worker | undefined;
  let current: Waiting | undefined;
  let timer: NodeJS.Timeout | undefined;

  const finish = (result: Measure): void => {
    clearTimeout(timer);
    const { done } = current ?? {};
    current = undefined;
    worker?.unref();
    done?.(result);
    next();
  };
  const dismiss = (reason: string): void => {
    const old = worker;
    worker = undefined;
    old?.removeAllListeners();
    // A thread that is killed may still report an error; it is nobody's any more.
    old?.on('error', () => undefined);
    void old?.terminate();
    finish({ bytes: 0, mime: '', broken: reason });
  };
  const hire = (): Worker => {
    const hired = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    hired.on('message', finish);
    hired.on('error', () => dismiss('cannot be read: it takes more memory than a file of its size should'));
    hired.on('exit', () => {
      if (worker === hired) dismiss('cannot be read');
    });
    return hired;
  };
  const next = (): void => {
    if (current !== undefined) return;
    current = queue.shift();
    if (current === undefined) return;
    worker ??= hire();
    worker.ref();
    timer = setTimeout(() => dismiss(`could not be read within ${secondsPerFile} seconds`), secondsPerFile * 1000);
    worker.postMessage(current.order);
  };

  return {
    measure(order) {
      if (queue.length >= LONGEST_QUEUE) {
        throw new GatewayError('unavailable', 'too many media files are being checked at the moment', {
          retryAfterSeconds: 2,
        });
      }
      return new Promise((done) => {
        queue.push({ order, done });
        next();
      });
    },
    async close() {
      clearTimeout(timer);
      const old = worker;
      worker = undefined;
      old?.removeAllListeners();
      await old?.terminate();
      const left = [...(current === undefined ? [] : [current]), ...queue.splice(0)];
      current = undefined;
      for (const { done } of left) done({ bytes: 0, mime: '', broken: 'was not read: the gateway is stopping' });
    },
  };
}
