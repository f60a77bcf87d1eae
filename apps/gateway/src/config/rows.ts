/** The rows of a configuration that have the right form, each with its place: what its meaning is checked on. */
import type { z } from 'zod';
import type { Path } from './fault.ts';
import {
  accountSchema,
  keySchema,
  modelSchema,
  type AccountRow,
  type KeyFileRow,
  type ModelFileRow,
} from './schema.ts';
import type { ConfigSource } from './source.ts';

export interface Placed<Row> {
  readonly path: Path;
  readonly row: Row;
  readonly source: ConfigSource;
}

export interface ConfigRows {
  readonly accounts: readonly Placed<AccountRow>[];
  readonly models: readonly Placed<ModelFileRow>[];
  readonly keys: readonly Placed<KeyFileRow>[];
  /** Those of rows with other faults, too. */
  readonly accountNames: ReadonlySet<string>;
}

/**
 * The rows of a file and of the built-in catalogue together. A file with models is a catalogue of its own (`builtIn` is undefined then);
 * one without adds accounts to, or changes accounts of, the built-in one.
 */
export function rowsOf(own: ConfigSource | undefined, builtIn: ConfigSource | undefined): ConfigRows {
  const ownNames = namesIn(own);
  const kept = placed(builtIn, 'accounts', accountSchema).filter(({ row }) => !ownNames.includes(row.name));
  return {
    accounts: [...placed(own, 'accounts', accountSchema), ...kept],
    models: placed(builtIn ?? own, 'models', modelSchema),
    keys: placed(own, 'keys', keySchema),
    accountNames: new Set([...ownNames, ...namesIn(builtIn)]),
  };
}

/** What a list of the file holds, whatever form its items have. */
function listIn(source: ConfigSource | undefined, list: string): readonly unknown[] {
  const items = (source?.value as Readonly<Record<string, unknown>> | null | undefined)?.[list];
  return Array.isArray(items) ? items : [];
}

function placed<Row>(source: ConfigSource | undefined, list: string, schema: z.ZodType<Row>): Placed<Row>[] {
  if (source === undefined) return [];
  return listIn(source, list).flatMap((item, index) => {
    const row = rowOf(item, schema);
    return row === undefined ? [] : [{ path: [list, index], row, source }];
  });
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

function namesIn(source: ConfigSource | undefined): readonly string[] {
  return listIn(source, 'accounts').flatMap((item) => {
    const name = (item as { readonly name?: unknown } | null)?.name;
    return typeof name === 'string' ? [name] : [];
  });
}
