/** Fields of a form, read from the document that the gateway serves: a field that a model gains appears here by itself. */
import { useQuery } from '@tanstack/react-query';
import { sendWell } from '../api/connection.ts';
import type { Model } from './models.ts';

export interface Field {
  /** Where it stands in the body: `['parameters', 'ratio']`. */
  readonly path: readonly string[];
  readonly type: 'text' | 'whole' | 'number' | 'boolean';
  readonly about: string;
  /** Values that the document names. */
  readonly words: readonly string[];
  /** No other value than those of `words` is taken. */
  readonly isFixed: boolean;
  /** Of numbers, where they are known. */
  readonly least?: number;
  readonly most?: number;
  /** The member of a model's `limits` that says which values it takes. */
  readonly limit?: string;
  /** Only models whose code has one of these parts take it; absent: all do. */
  readonly models?: readonly string[];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly 'x-limit'?: string;
  readonly 'x-models'?: readonly string[];
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
    const words = wordsOf(property, about);
    const { 'x-limit': limit, 'x-models': models } = property;
    return [
      {
        ...{
          path: at,
          type,
          about,
          words,
          isFixed: property.enum !== undefined || (words.length > 0 && /^`[^<]/.test(about)),
        },
        ...(limit !== undefined && { limit }),
        ...(models !== undefined && { models }),
      },
    ];
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

/** Of `16:9`, `4:3` or the like in the first sentence of a description; one that begins with them names all there are. */
function wordsOf(schema: Schema, about: string): readonly string[] {
  const listed = schema.enum?.filter((word): word is string => typeof word === 'string');
  if (listed !== undefined) return listed;
  const [sentence = ''] = about.split(/\.\s/);
  const named = [...sentence.matchAll(/`([^`<{]{1,20})`/g)].map(([, word]) => word ?? '');
  return named.length > 1 ? [...new Set(named)] : [];
}

/** Limits of which a model that states any of them states all that it has a choice of. */
const FRAME_LIMITS = ['durations', 'resolutions', 'ratios'];

/** The fields that a model takes, with the values that it takes of them. */
export function takenBy(model: Pick<Model, 'id' | 'limits'> | undefined, fields: readonly Field[]): readonly Field[] {
  const code = model?.id.toLowerCase() ?? '';
  const limits = model?.limits ?? {};
  const hasFrame = FRAME_LIMITS.some((name) => name in limits);
  return fields.flatMap((field) => {
    const { limit, models } = field;
    if (models?.some((part) => code.includes(part)) === false) return [];
    if (limit === undefined) return [field];
    if (limits[limit] === undefined) return hasFrame && FRAME_LIMITS.includes(limit) ? [] : [field];
    return [{ ...field, ...choicesIn(limits[limit], field) }];
  });
}

/** What a limit says of a field: `['720p', '1080p']`, `{ values: [4, 8] }`, `{ min: 3, max: 15 }`. */
function choicesIn(limit: unknown, { isFixed, words }: Field): Pick<Field, 'words' | 'isFixed'> & Partial<Field> {
  if (Array.isArray(limit)) {
    const listed = limit.map(String);
    // Where the document names examples, such as classes of sizes, other values are taken too.
    return { words: listed, isFixed: isFixed || words.length === 0 };
  }
  if (typeof limit !== 'object' || limit === null) return { words, isFixed };
  const { values, min, max } = limit as { values?: readonly number[]; min?: number; max?: number };
  if (values !== undefined) return { words: values.map(String), isFixed: true };
  return {
    ...{ type: 'whole', words: [], isFixed: false },
    ...(min !== undefined && { least: min }),
    ...(max !== undefined && { most: max }),
  };
}

export type FieldValues = Readonly<Record<string, string | number | boolean>>;

/** Puts the values that were set into a body. */
export function withFields(body: Readonly<Record<string, unknown>>, fields: readonly Field[], values: FieldValues) {
  const whole = structuredClone(body) as Record<string, unknown>;
  for (const { path, type } of fields) {
    const value = values[path.join('.')];
    if (value === undefined || value === '') continue;
    let at = whole;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ''] = type === 'whole' || type === 'number' ? Number(value) : value;
  }
  return whole;
}
