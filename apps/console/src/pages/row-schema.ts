/** The form of a model's or an account's row, read from the schema that the gateway serves for its file. Pure. */

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** How a member is edited. What has no field of its own is edited as JSON. */
export type Shape =
  | { readonly is: 'scalar'; readonly words: readonly string[]; readonly isNumber: boolean }
  | { readonly is: 'list'; readonly words: readonly string[] }
  | { readonly is: 'object'; readonly members: readonly Member[] }
  | { readonly is: 'rows'; readonly members: readonly Member[] }
  | { readonly is: 'map' }
  | { readonly is: 'json' };

export interface Member {
  readonly name: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly shape: Shape;
}

export type RowPath = readonly (string | number)[];
export type Row = Readonly<Record<string, unknown>>;

/** Members of a row of `section`, without the one that names it. */
export function membersOf(schema: JsonSchema, section: 'models' | 'accounts' | 'budgets'): readonly Member[] {
  const row = schema.properties?.[section]?.items;
  const named = section === 'models' ? 'code' : 'name';
  return row === undefined ? [] : membersIn(schema, row).filter(({ name }) => name !== named);
}

function membersIn(whole: JsonSchema, given: JsonSchema): readonly Member[] {
  return Object.entries(given.properties ?? {}).map(([name, each]) => {
    const schema = resolved(whole, each);
    return {
      name,
      about: (schema.description ?? '').replaceAll('`', ''),
      isRequired: given.required?.includes(name) ?? false,
      shape: shapeOf(whole, schema),
    };
  });
}

function shapeOf(whole: JsonSchema, schema: JsonSchema): Shape {
  const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []);
  if (schema.properties !== undefined) return { is: 'object', members: membersIn(whole, schema) };
  if (types.includes('array')) {
    const items = resolved(whole, schema.items ?? {});
    if (items.properties !== undefined) return { is: 'rows', members: membersIn(whole, items) };
    return { is: 'list', words: wordsOf(items) };
  }
  if (types.includes('object')) {
    const values = schema.additionalProperties;
    const below = typeof values === 'object' ? shapeOf(whole, resolved(whole, values)).is : 'scalar';
    const isNested = below !== 'scalar' && below !== 'json';
    return isNested ? { is: 'json' } : { is: 'map' };
  }
  if (types.includes('boolean')) return { is: 'scalar', words: ['true', 'false'], isNumber: false };
  const isNumber = types.includes('number') || types.includes('integer');
  return types.length === 0 ? { is: 'json' } : { is: 'scalar', words: wordsOf(schema), isNumber };
}

function wordsOf(schema: JsonSchema): readonly string[] {
  return [schema, ...(schema.anyOf ?? [])]
    .flatMap(({ enum: words }) => words ?? [])
    .filter((word): word is string => typeof word === 'string');
}

/** `#/$defs/Price` → that schema. */
function resolved(whole: JsonSchema, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...whole.$defs?.[name], ...schema };
}

/** What stands at a path; undefined where there is nothing. */
export function valueAt(row: unknown, path: RowPath): unknown {
  return path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), row);
}

/** The row with a value at a path. `undefined` takes it away, and what is empty without it. */
export function withValue(row: Row, path: RowPath, value: unknown): Row {
  return (changed(row, path, value) ?? {}) as Row;
}

function changed(row: unknown, path: RowPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const below = changed(isObject(row) ? row[step] : undefined, rest, value);
  if (Array.isArray(row) || (row === undefined && typeof step === 'number')) {
    const items: unknown[] = Array.isArray(row) ? [...(row as unknown[])] : [];
    if (below === undefined && rest.length === 0) items.splice(step as number, 1);
    else items[step as number] = below ?? {};
    return items.length === 0 ? undefined : items;
  }
  const { [step]: _old, ...others } = isObject(row) ? row : {};
  if (below === undefined) return Object.keys(others).length === 0 ? undefined : others;
  // What is changed keeps its place.
  return isObject(row) && step in row ? { ...row, [step]: below } : { ...others, [step]: below };
}

/** What was typed as the row has it: numbers and switches as such, everything else as it is, however wrong. */
export function typedValue(typed: string, shape: Extract<Shape, { is: 'scalar' }>): unknown {
  if (typed === '') return undefined;
  if (shape.isNumber && typed.trim() !== '' && Number.isFinite(Number(typed))) return Number(typed);
  if (shape.words.length === 2 && shape.words.includes('true') && /^(true|false)$/.test(typed)) return typed === 'true';
  return typed;
}

/** As a field shows it. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `offers[0].account` of `['offers', 0, 'account']`, as faults have it. */
export function pathText(path: RowPath): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}

/** The way back: `['offers', 0, 'account']` of `offers[0].account`. */
export function stepsOf(text: string): RowPath {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) => (index === undefined ? step : Number(index)));
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
