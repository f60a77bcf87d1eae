import { parentPort } from 'node:worker_threads';
import { make } from './make.ts';
import type { MediaSpec } from './spec.ts';

/** The one thread where media is made. It is given one spec at a time. */
parentPort?.on('message', (spec: MediaSpec) => {
  make(spec).then(
    (made) => {
      const bytes = new Uint8Array(made);
      parentPort?.postMessage({ bytes }, [bytes.buffer]);
    },
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }),
  );
});
