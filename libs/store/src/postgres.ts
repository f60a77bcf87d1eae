import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { GatewayError } from '@model-gateway/contracts';

/** `bigint` and `numeric` (what `sum(bigint)` is). */
const INTEGERS: readonly number[] = [20, 1700];

/** A pool whose 64-bit integers come back as JavaScript numbers, or not at all when they would lose digits. */
export function openPostgres(url: string, poolSize: number): { dialect: PostgresDialect; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 10_000,
    application_name: 'model-gateway',
    types: {
      getTypeParser: (id, format) =>
        INTEGERS.includes(id) ? toInteger : (pg.types.getTypeParser(id, format) as (text: string) => unknown),
    },
  });
  // A connection that breaks while idle is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return { dialect: new PostgresDialect({ pool }), pool };
}

/** Reads `bigint` and `sum(bigint)`; throws GatewayError `internal` beyond 2^53. */
export function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new GatewayError('internal', 'The database holds a number that is too large to be read exactly.');
  }
  return value;
}
