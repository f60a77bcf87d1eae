/**
 * Waiting for SQLite's one writer without holding up the event loop. Where several processes of a machine write to one file, SQLite's own
 * way of waiting (`busy_timeout`) sleeps in the thread: every request of the process would wait with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteDriver, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import { sqliteCode } from './database.ts';

/** As long as SQLite itself waits elsewhere. */
const LONGEST_WAIT_MS = 5_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;
const BUSY = 5;

/** A driver whose statements are tried again, in turns of the event loop, while another process writes. */
export class PatientSqliteDriver extends SqliteDriver {
  readonly #patient = new WeakMap<DatabaseConnection, DatabaseConnection>();

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    const known = this.#patient.get(connection) ?? patient(connection);
    this.#patient.set(connection, known);
    return known;
  }
}

/**
 * Only what begins something can find the file busy: transactions take the writer's place at their beginning (`begin immediate`), so
 * nothing of theirs is ever done twice.
 */
function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const until = performance.now() + LONGEST_WAIT_MS;
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          if ((sqliteCode(error) & 0xff) !== BUSY || performance.now() > until) throw error;
        }
        await sleep(pause);
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}
