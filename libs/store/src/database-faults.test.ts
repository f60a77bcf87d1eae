import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { databaseFault } from './index.ts';

const withFields = (message: string, fields: object): Error => Object.assign(new Error(message), fields);
const sqlite = (errcode: number): Error => withFields('sqlite', { code: 'ERR_SQLITE_ERROR', errcode });

describe('a database that cannot be used is told apart from a fault of our own', () => {
  it.each([
    ['a locked file', sqlite(5)],
    ['a full disk', sqlite(13)],
    ['a disk that fails, in an extended code', sqlite(778)],
    ['a damaged file', sqlite(11)],
    ['a refused connection', withFields('connect', { code: 'ECONNREFUSED', syscall: 'connect' })],
    ['a shutdown', withFields('terminating connection due to administrator command', { code: '57P01' })],
    ['a start that is not over', withFields('the database system is starting up', { code: '57P03' })],
    ['too many connections', withFields('sorry', { code: '53300' })],
    ['a standby that is not promoted yet', withFields('read-only', { code: '25006' })],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['no place in the pool', new Error('timeout exceeded when trying to connect')],
    ['a statement that was given up', new Error('PostgreSQL does not answer: the connection was given up')],
    ['the cause of another error', new Error('wrapped', { cause: new Error('again', { cause: sqlite(5) }) })],
    ['the cause of a fault of ours', new GatewayError('internal', 'x', { cause: sqlite(5) })],
  ])('%s', (_name, error) => {
    const fault = databaseFault(error);
    expect(fault).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 2 } });
    expect(fault?.message).not.toMatch(/sqlite|postgres|connect/i);
  });

  it.each([
    ['a broken law of a table', withFields('duplicate key', { code: '23505' })],
    ['a constraint of SQLite', sqlite(1555)],
    ['a deadlock, which is tried again', withFields('deadlock', { code: '40P01' })],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['a statement with a mistake', withFields('syntax error', { code: '42601' })],
    ['no error', undefined],
    ['a text', 'Connection terminated'],
  ])('not %s', (_name, error) => {
    expect(databaseFault(error)).toBeUndefined();
  });
});
