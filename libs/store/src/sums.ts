/** Tables of sums: a row that is there already is added to, and many rows are written in one statement. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { rowsTogether } from './rows.ts';

export interface SumTable {
  readonly name: string;
  /** Which row it is: the columns of its primary key. */
  readonly keys: readonly string[];
  /** They follow from the keys, and stay as they were first written. */
  readonly facts?: readonly string[];
  readonly sums: readonly string[];
  /** Further columns, with what they become where the row is there. */
  readonly merged?: Readonly<Record<string, string>>;
}

/** The parts of the statement before and behind the rows. Columns are in the order keys, facts, sums, merged. */
export function addingTo({ name, keys, facts = [], sums, merged = {} }: SumTable): {
  readonly insert: string;
  readonly add: string;
  readonly columns: number;
} {
  const columns = [...keys, ...facts, ...sums, ...Object.keys(merged)];
  const changes = [
    ...sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`),
    ...Object.entries(merged).map(([column, becomes]) => `${column} = ${becomes}`),
  ];
  return {
    insert: `insert into ${name} (${columns.join(', ')}) values`,
    add: `on conflict (${keys.join(', ')}) do update set ${changes.join(', ')}`,
    columns: columns.length,
  };
}

/** Adds rows with their values in the order of the columns. Within a transaction, rows must be in one order everywhere: two replicas must not wait for each other. */
export async function addSums(
  { db }: Database,
  table: SumTable,
  rows: readonly (readonly (string | number)[])[],
): Promise<void> {
  const { insert, add } = addingTo(table);
  for (const some of rowsTogether(rows)) {
    const values = some.map((row) => sql`(${sql.join(row)})`);
    await sql`${sql.raw(insert)} ${sql.join(values)} ${sql.raw(add)}`.execute(db);
  }
}
