import { GatewayError } from '@model-gateway/contracts';
import { sql, type RawBuilder } from 'kysely';
import type { Database } from './database.ts';

/** A row with its null columns left out: what is absent in the database is absent in the record. */
export type Present<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>;
};

export function present<T extends object>(row: T): Present<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<T>;
}

/** Reads a JSON column that this library wrote. */
export function parse<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Money as the ledger takes it: a whole number of quota units that is exact in JavaScript. */
export function checkUnits(value: number, name: string, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new GatewayError(
      'invalid_request',
      `${name} must be a whole number of quota units from ${least} to ${Number.MAX_SAFE_INTEGER}.`,
      { param: name },
    );
  }
}

/** A pattern for `like … escape '!'` that fits what has the text in it. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
}

/** Whether the column `name` has the text in it, in capitals or not. The database makes both small: SQLite knows the capitals of ASCII alone. */
export function hasInName(text: string): RawBuilder<boolean> {
  return sql<boolean>`lower(name) like lower(cast(${containing(text)} as text)) escape '!'`;
}

/** Few enough for the parameters that one statement of SQLite may have. */
const ROWS_TOGETHER = 500;

/** The rows in parts, each of which one statement takes. */
export function* rowsTogether<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_TOGETHER) yield rows.slice(at, at + ROWS_TOGETHER);
}

/** What rows are called, by their ids. */
export async function namesOf(
  { db }: Database,
  table: 'owners' | 'keys',
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (const some of rowsTogether(ids)) {
    const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', some).execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}
