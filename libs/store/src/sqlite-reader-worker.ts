/** The thread that reads a SQLite file: one statement after the other, all rows of each. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAnswer, ReadStatement } from './sqlite-reader.ts';

const { path } = workerData as { readonly path: string };
const database = new DatabaseSync(path, { readOnly: true });
database.exec('pragma busy_timeout = 5000; pragma temp_store = memory');

parentPort?.on('message', ({ text, parameters }: ReadStatement) => {
  let answer: ReadAnswer;
  try {
    answer = { rows: database.prepare(text).all(...(parameters as SQLInputValue[])) };
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    answer = { fault: String(error instanceof Error ? error.message : error), errcode };
  }
  parentPort?.postMessage(answer);
});
