/** The faults of a file's form, as the schema finds them, with the nearest right word. */
import type { z } from 'zod';
import type { ConfigFault, Path } from './fault.ts';
import { didYouMean } from './nearest.ts';

/** What the schema has against the value; none when it fits. */
export function schemaFaults(schema: z.ZodType, value: unknown): readonly ConfigFault[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue): ConfigFault[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, path);
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key${didYouMean(key, known)}` }));
    }
    if (issue.code === 'invalid_value') {
      const written = valueAt(value, path);
      const near = typeof written === 'string' ? didYouMean(written, issue.values.map(String)) : '';
      return [{ path, message: `expected one of ${issue.values.map(String).join(', ')}${near}` }];
    }
    return [{ path, message: path.length === 0 ? `the file: ${issue.message}` : issue.message }];
  });
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  let current: unknown = schema;
  for (const part of path) {
    const def = plain(current);
    if (typeof part === 'number') current = def?.element;
    else current = def?.shape?.[part] ?? def?.valueType;
  }
  return Object.keys(plain(current)?.shape ?? {});
}

interface SchemaParts {
  readonly innerType?: unknown;
  readonly out?: unknown;
  readonly element?: unknown;
  readonly valueType?: unknown;
  readonly shape?: Readonly<Record<string, unknown>>;
}

/** What a schema is made of, without `optional` and `preprocess` around it. */
function plain(schema: unknown): SchemaParts | undefined {
  const def = (schema as { readonly def?: SchemaParts } | undefined)?.def;
  const inside = def?.innerType ?? def?.out;
  return inside === undefined ? def : plain(inside);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, part) => (found as Record<string | number, unknown> | undefined)?.[part], value);
}
