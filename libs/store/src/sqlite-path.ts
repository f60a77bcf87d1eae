import { basename } from 'node:path';
import { GatewayError } from '@model-gateway/contracts';
import { sqliteCode } from './database.ts';

/** The file of a `sqlite:` url. Throws GatewayError `invalid_request` for PostgreSQL, which has tools of its own, and for memory. */
export function sqlitePathOf(url: string): string {
  if (/^postgres(ql)?:/.test(url))
    throw new GatewayError(
      'invalid_request',
      'PostgreSQL has its own tools: back it up with `pg_dump --format=custom --file=FILE` and restore it with `pg_restore --clean --if-exists` while no gateway runs.',
      { param: 'database.url' },
    );
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined || path === ':memory:')
    throw new GatewayError('invalid_request', 'database.url names no file', { param: 'database.url' });
  return path;
}

/** SQLite's words for a file that cannot be opened or read, as a sentence for the operator; undefined for any other error. */
export function unusableFile(error: unknown, file: string): GatewayError | undefined {
  const name = `The SQLite database ${basename(file)}`;
  switch (sqliteCode(error) & 0xff) {
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return new GatewayError(
        'invalid_request',
        `${name} is damaged, or is not a database: keep the file, and restore a backup with \`gateway restore FILE\`.`,
        { param: 'database.url', cause: error },
      );
    case 13: // SQLITE_FULL
      return new GatewayError('unavailable', `${name} cannot grow because its disk is full: free some space.`, {
        param: 'database.url',
        cause: error,
      });
    case 8: // SQLITE_READONLY
    case 10: // SQLITE_IOERR
    case 14: // SQLITE_CANTOPEN
      return new GatewayError(
        'invalid_request',
        `${name} cannot be opened for writing: check its folder, its permissions and its disk.`,
        {
          param: 'database.url',
          cause: error,
        },
      );
    default:
      return undefined;
  }
}
