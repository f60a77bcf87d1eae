/** Which errors mean that the database cannot be used now, whatever was asked of it. */
import { GatewayError } from '@model-gateway/contracts';
import { sqliteCode } from './database.ts';

/** SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const SQLITE_CODES: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26]);
/** Of PostgreSQL: connections (08), resources (53), an operator (57P), its system (58), damage (XX), a standby (25006), limits of connections. */
const POSTGRES_STATES = /^(08...|53...|57P..|58...|XX...|25006|55P03)$/;
const SOCKET_CODES = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EPIPE)$/;
/** What `pg` says without a code. */
const POSTGRES_WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Postgres connection has been discarded|PostgreSQL does not answer)/;
const RETRY_SECONDS = 2;
const DEEPEST = 5;

/**
 * GatewayError `unavailable` for an error, or the cause of one, that says that the database is away, full, locked or damaged; undefined for
 * any other. Its message is fit for callers.
 */
export function databaseFault(error: unknown): GatewayError | undefined {
  let cause = error;
  for (let depth = 0; depth < DEEPEST && cause instanceof Error; depth++) {
    if (isOfDatabase(cause))
      return new GatewayError(
        'unavailable',
        'the gateway cannot use its database at the moment; no work was started that it does not know about',
        {
          retryAfterSeconds: RETRY_SECONDS,
          cause: error,
        },
      );
    cause = cause.cause;
  }
  return undefined;
}

function isOfDatabase(error: Error): boolean {
  if (error instanceof GatewayError) return false;
  if (SQLITE_CODES.has(sqliteCode(error) & 0xff)) return true;
  const code = 'code' in error ? String(error.code) : '';
  return POSTGRES_STATES.test(code) || SOCKET_CODES.test(code) || POSTGRES_WORDS.test(error.message);
}
