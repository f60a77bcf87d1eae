/** The thread that brings the log of a SQLite file into the file. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { pagesLeft } from './sqlite-checkpoint.ts';

/** What is written during a pass is left for the next one. A pass that leaves nothing lets the log begin anew, so that it does not grow. */
const MOST_PASSES = 8;

const { path } = workerData as { readonly path: string };
const database = new DatabaseSync(path);

parentPort?.on('message', () => {
  try {
    for (let pass = 0; pass < MOST_PASSES; pass++) if (pagesLeft(database, 'passive') === 0) break;
  } finally {
    parentPort?.postMessage('done');
  }
});
