/** The rows of a configuration that have the right form, each with its place: what its meaning is checked on. */
import { crc32 } from 'node:zlib';
import type { z } from 'zod';
import type { DatabaseSource } from './database-source.ts';
import { layered, type Layers, type Placed } from './layers.ts';
import {
  accountSchema,
  keySchema,
  ownerSchema,
  readModelSchema,
  type AccountRow,
  type KeyFileRow,
  type ModelFileRow,
  type OwnerFileRow,
} from './schema.ts';
import type { ConfigSource } from './source.ts';
import { budgetSchema, type SpendBudgetRow } from './spend-budgets.ts';

export interface ConfigRows {
  readonly accounts: readonly Placed<AccountRow>[];
  readonly models: readonly Placed<ModelFileRow>[];
  readonly owners: readonly Placed<OwnerFileRow>[];
  readonly keys: readonly Placed<KeyFileRow>[];
  /** Of money, above keys. */
  readonly budgets: readonly Placed<SpendBudgetRow>[];
  /** Those of rows with other faults, too. */
  readonly accountNames: ReadonlySet<string>;
  /** As they are built in, for comparison. */
  readonly builtInModels: readonly ModelFileRow[];
  readonly layers: Layers;
}

/** Ids that are written are small; those of the twin's accounts lie below, too. */
const FIRST_DERIVED_ID = 1_000_000;
const DERIVED_IDS = 1_000_000_000;

/** The id of an account that has none of its own: by its name, so that it stays when rows move and is the same in every process. */
export function derivedId(name: string): number {
  return FIRST_DERIVED_ID + (crc32(name) % DERIVED_IDS);
}

/** The rows of a file, of the built-in catalogue beneath it, and of the database over it; `builtIn` is undefined for a file that extends nothing. */
export function rowsOf(
  own: ConfigSource | undefined,
  builtIn: ConfigSource | undefined,
  database?: DatabaseSource,
): ConfigRows {
  const layers = layered(own, builtIn, database);
  return {
    accounts: placed(layers.accounts, accountSchema).map((each) => ({
      ...each,
      row: { ...each.row, id: each.row.id ?? derivedId(each.row.name) },
    })),
    models: placed(layers.models.map(withRouteDefaults), readModelSchema),
    owners: placed(layers.owners, ownerSchema),
    keys: placed(layers.keys, keySchema),
    budgets: placed(layers.budgets, budgetSchema),
    accountNames: layers.accountNames,
    builtInModels: placed(layers.builtInModels, readModelSchema).map(({ row }) => row),
    layers,
  };
}

/** A row that only leads to others is of the kind of these, and has no offers. */
function withRouteDefaults(placed: Placed<unknown>): Placed<unknown> {
  const { row } = placed;
  return isObject(row) && row['routes'] !== undefined
    ? { ...placed, row: { kind: 'chat', offers: [], ...row } }
    : placed;
}

/** Rows of the built-in catalogue and lists are the same objects each time. */
const known = new WeakMap<object, { readonly schema: unknown; readonly row: unknown }>();

function placed<Row>(items: readonly Placed<unknown>[], schema: z.ZodType<Row>): Placed<Row>[] {
  return items.flatMap(({ path, row: item, source }) => {
    const row = knownRowOf(item, schema);
    return row === undefined ? [] : [{ path, row, source }];
  });
}

function knownRowOf<Row>(item: unknown, schema: z.ZodType<Row>): Row | undefined {
  if (!isObject(item)) return rowOf(item, schema);
  const found = known.get(item);
  if (found?.schema === schema) return found.row as Row | undefined;
  const row = rowOf(item, schema);
  known.set(item, { schema, row });
  return row;
}

/** The row, if need be without the fields that have faults: what they would have meant cannot be checked, the others can. */
function rowOf<Row>(item: unknown, schema: z.ZodType<Row>): Row | undefined {
  const first = schema.safeParse(item);
  if (first.success) return first.data;
  const copy: unknown = structuredClone(item);
  for (const issue of first.error.issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) leaveOut(copy, path);
  }
  return schema.safeParse(copy).data;
}

function leaveOut(value: unknown, path: readonly PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((found, part) => (isObject(found) ? found[part] : undefined), value);
  const last = path.at(-1);
  if (last !== undefined && isObject(parent) && !Array.isArray(parent)) Reflect.deleteProperty(parent, last);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
