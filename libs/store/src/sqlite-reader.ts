/**
 * Reads a SQLite file in a thread, with a connection of its own: what goes over more than a page would hold up everybody in the thread that serves.
 * It sees what is committed; the log of the file lets it read while others write.
 */
import { Worker } from 'node:worker_threads';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { toSqlite } from './sqlite.ts';

export interface ReadStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}
export type ReadAnswer = { readonly rows: unknown[] } | { readonly fault: string; readonly errcode: number };

/** The rows of some ten thousand groups, and the pages that they are made of. */
const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

/** A dialect of kysely for reading alone. The thread starts with the first statement and ends with `destroy`, in the middle of one if need be. */
export function readerDialect(path: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ReaderDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** One connection, in turns. */
class ReaderDriver implements Driver {
  readonly #path: string;
  #connection: ReaderConnection | undefined;
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {
    // The thread starts when there is something to read.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    this.#release = turn.resolve;
    return (this.#connection ??= new ReaderConnection(this.#path));
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async destroy(): Promise<void> {
    await this.#connection?.end();
    this.#connection = undefined;
  }
}

class ReaderConnection implements DatabaseConnection {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<ReadAnswer> | undefined;
  #ended: Error | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL('./sqlite-reader-worker.ts', import.meta.url), {
      workerData: { path },
      resourceLimits: MEMORY,
    });
    // What waits for an answer keeps the process alive; a thread that has nothing to do does not.
    this.#worker.unref();
    this.#worker.on('message', (answer: ReadAnswer) => this.#waiting?.resolve(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that reads the database has ended')));
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#waiting = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage({ text: query.sql, parameters: query.parameters.map(toSqlite) } satisfies ReadStatement);
    const answer = await this.#waiting.promise.finally(() => this.#worker.unref());
    if ('rows' in answer) return { rows: answer.rows as R[] };
    throw Object.assign(new Error(answer.fault), { errcode: answer.errcode });
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the thread that reads the database does not stream');
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(this.#ended);
  }
}
