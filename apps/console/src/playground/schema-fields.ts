/** Fields of a form, read from the document that the gateway serves: a field that a model gains appears here by itself. */
import { useQuery } from '@tanstack/react-query';
import { sendWell } from '../api/connection.ts';

export interface Field {
  /** Where it stands in the body: `['parameters', 'ratio']`. */
  readonly path: readonly string[];
  readonly type: 'text' | 'whole' | 'number' | 'boolean';
  readonly about: string;
  /** Values that the document names. */
  readonly words: readonly string[];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}
interface ApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function useApiDocument() {
  return useQuery({
    queryKey: ['document'],
    staleTime: Infinity,
    queryFn: async () => (await (await sendWell('/openapi.json')).json()) as ApiDocument,
  });
}

/** Text, numbers and switches of a schema of the document, those inside objects too; without those of `except`. */
export function fieldsOf(document: ApiDocument | undefined, name: string, except: readonly string[]): readonly Field[] {
  const schema = document?.components.schemas[name];
  if (document === undefined || schema === undefined) return [];
  return fieldsIn(document, schema, [], new Set(except));
}

function fieldsIn(
  document: ApiDocument,
  schema: Schema,
  path: readonly string[],
  except: ReadonlySet<string>,
): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]): readonly Field[] => {
    if (except.has(name)) return [];
    const property = resolved(document, given);
    const at = [...path, name];
    if (property.properties !== undefined && path.length === 0 && property.anyOf === undefined)
      return fieldsIn(document, property, at, except);
    const type = typeOf(property);
    if (type === undefined) return [];
    const about = property.description ?? '';
    return [{ path: at, type, about, words: wordsOf(property, about) }];
  });
}

/** `#/components/schemas/CallbackUrl` → that schema. */
function resolved(document: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? schema);
}

function typeOf({ type, anyOf }: Schema): Field['type'] | undefined {
  const types = [type ?? anyOf?.map((each) => each.type) ?? []].flat(2);
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('string')) return 'text';
  if (types.includes('integer')) return 'whole';
  return types.includes('number') ? 'number' : undefined;
}

/** Of `16:9`, `4:3` or the like at the beginning of a description. */
function wordsOf(schema: Schema, about: string): readonly string[] {
  const listed = schema.enum?.filter((word): word is string => typeof word === 'string');
  if (listed !== undefined) return listed;
  const named = [...about.matchAll(/`([^`<{]{1,20})`/g)].map(([, word]) => word ?? '');
  return named.length > 1 ? [...new Set(named)] : [];
}

export type FieldValues = Readonly<Record<string, string | number | boolean>>;

/** Puts the values that were set into a body. */
export function withFields(body: Readonly<Record<string, unknown>>, fields: readonly Field[], values: FieldValues) {
  const whole = structuredClone(body) as Record<string, unknown>;
  for (const { path } of fields) {
    const value = values[path.join('.')];
    if (value === undefined || value === '') continue;
    let at = whole;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ''] = value;
  }
  return whole;
}
