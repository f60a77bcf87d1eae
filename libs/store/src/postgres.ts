import { PostgresDialect } from 'kysely';
import type pg from 'pg';
import { GatewayError } from '@model-gateway/contracts';
import { patientPool, type PatientPool } from './postgres-patience.ts';

/** `bigint` and `numeric` (what `sum(bigint)` is). */
const INTEGERS: readonly number[] = [20, 1700];

/** A pool whose 64-bit integers come back as JavaScript numbers, or not at all when they would lose digits. */
export async function openPostgres(
  url: string,
  poolSize: number,
): Promise<{ dialect: PostgresDialect; pool: pg.Pool; patience: PatientPool }> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Idle connections that are dead are noticed within half a minute.
    keepAliveInitialDelayMillis: 10_000,
    // A replica that hangs or is cut off in the middle of a transaction must not hold an owner's row for longer.
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'model-gateway',
    types: {
      getTypeParser: (id, format) =>
        INTEGERS.includes(id) ? toInteger : (pg.types.getTypeParser(id, format) as (text: string) => unknown),
    },
  });
  // A connection that breaks is replaced at the next use, and its statement fails. Without listeners (the pool's for idle connections,
  // the connection's for one between two statements of a transaction) it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const patience = patientPool(pool);
  return { dialect: new PostgresDialect({ pool: patience }), pool, patience };
}

/** Node's and PostgreSQL's ways to say that nobody can be talked to there (yet), or not under that name. */
const UNREACHABLE = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|28P01|28000|3D000|57P03|53300)$/;

/** A sentence for the operator; the url with its password stays out of it. */
export function unreachable(error: unknown): GatewayError | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (!UNREACHABLE.test(code)) return undefined;
  return new GatewayError(
    'unavailable',
    `PostgreSQL cannot be used (${code}): check that it runs and that host, user, password and database of the url are right.`,
    { param: 'database.url', cause: error },
  );
}

/** Reads `bigint` and `sum(bigint)`; throws GatewayError `internal` beyond 2^53. */
export function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new GatewayError('internal', 'The database holds a number that is too large to be read exactly.');
  }
  return value;
}
