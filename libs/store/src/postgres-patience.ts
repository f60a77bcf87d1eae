/**
 * Connections to PostgreSQL that die without a word (a machine that is gone, a firewall that forgets): TCP alone notices that after minutes
 * or never, and everybody who asks over such a connection would wait as long.
 */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

/** Nothing that requests wait for takes so long; reports read whole tables in transactions that say `read only`. */
const LONGEST_STATEMENT_MS = 15_000;
const LONGEST_REPORT_MS = 600_000;

export interface PatientPool extends PostgresPool {
  /** False while migrations run: what changes a large table takes its time. */
  bounded: boolean;
}

/** The pool, with a bound on how long a statement may take: one that takes longer fails, and its connection is given up. */
export function patientPool(pool: pg.Pool, longestMs = LONGEST_STATEMENT_MS): PatientPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const patient: PatientPool = {
    bounded: false,
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      let wrapped = known.get(client);
      if (wrapped === undefined)
        known.set(client, (wrapped = wrap(client, () => (patient.bounded ? longestMs : Infinity))));
      return wrapped;
    },
  };
  return patient;
}

function wrap(client: pg.PoolClient, longestMs: () => number): PostgresPoolClient {
  let isLost = false;
  let isReport = false;
  const query = async <R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    // The one before it still waits: a rollback would wait behind it.
    if (isLost) throw lost();
    if (text.startsWith('start transaction')) isReport = text.endsWith('read only');
    const most = isReport ? Math.max(LONGEST_REPORT_MS, longestMs()) : longestMs();
    const asking = client.query(text, [...parameters]) as unknown as Promise<PostgresQueryResult<R>>;
    if (most === Infinity) return asking;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        isLost = true;
        reject(lost());
      }, most);
    });
    try {
      return await Promise.race([asking, tooLong]);
    } finally {
      clearTimeout(timer);
      asking.catch(() => undefined);
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release(discard) {
      isReport = false;
      // With a statement that waits the pool cuts the connection.
      client.release(isLost || discard === true);
    },
  };
}

function lost(): Error {
  return new Error('PostgreSQL does not answer: the connection was given up');
}
