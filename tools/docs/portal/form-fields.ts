/** The fields of a form, made from the schema of a body: what the page's form shows before and beside the raw view. */
import { resolve, type ApiDocument, type Schema } from './document.ts';
import { firstSentence } from './schema.ts';

export interface FormField {
  readonly name: string;
  /** `json` is for what has parts of its own: the form shows the parts that the example has. */
  readonly type: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'json';
  readonly required?: true;
  readonly options?: readonly unknown[];
  /** Of `json`: what its parts may be, where that is listed, by their places: `content[].role`. */
  readonly parts?: Readonly<Record<string, readonly unknown[]>>;
  readonly about?: string;
}

/** Texts that take more than a line. */
const LONG = /^(prompt|input|instructions|system|description|element_description|negative_prompt)$/;

/** The fields of the shape that fits `value`, required ones first. */
export function formFields(document: ApiDocument, schema: Schema, value: unknown): readonly FormField[] {
  const example = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { properties, required } = shapeOf(document, schema, Object.keys(example));
  const fields = Object.entries(properties).map(([name, property]): FormField => {
    const resolved = plainOf(document, property);
    const parts = partChoices(document, [property], example[name], name);
    const about = firstSentence(property.description ?? resolved.description ?? '').replace(/[`*]|\]\([^)]*\)|\[/g, '');
    return {
      name,
      type: typeOf(name, resolved),
      ...(required.has(name) && { required: true }),
      ...(resolved.enum !== undefined && { options: resolved.enum }),
      ...(Object.keys(parts).length > 0 && { parts }),
      ...(about !== '' && { about }),
    };
  });
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** The values that one may choose from, where the schema lists them. */
export function choicesOf(document: ApiDocument, schema: Schema): readonly unknown[] | undefined {
  return plainOf(document, schema).enum;
}

/** Choices of the texts within a value, as all shapes that the value may have list them together. */
function partChoices(
  document: ApiDocument,
  schemas: readonly Schema[],
  value: unknown,
  place: string,
): Record<string, readonly unknown[]> {
  const shapes = schemas.flatMap((schema) => variantsOf(document, schema));
  const below = (found: readonly (Schema | undefined)[], each: unknown, at: string) =>
    partChoices(
      document,
      found.filter((schema) => schema !== undefined),
      each,
      at,
    );
  if (Array.isArray(value)) {
    const items = shapes.map((shape) => shape.items);
    return Object.assign({}, ...value.map((each) => below(items, each, `${place}[]`))) as ReturnType<typeof below>;
  }
  if (typeof value === 'object' && value !== null)
    return Object.assign(
      {},
      ...Object.entries(value).map(([name, each]) =>
        below(
          shapes.map(({ properties }) => properties?.[name]),
          each,
          `${place}.${name}`,
        ),
      ),
    ) as ReturnType<typeof below>;
  const listed = shapes.map((shape) => shape.enum ?? (shape.const === undefined ? undefined : [shape.const]));
  const isPart = /[.[]/.test(place);
  // One shape that takes any text is enough for all texts to be right.
  if (!isPart || listed.some((values) => values === undefined)) return {};
  const all = [...new Set(listed.flat())].filter((each) => each !== null);
  return all.length > 1 ? { [place]: all } : {};
}

/** The shapes that a schema is one of, without null. */
function variantsOf(document: ApiDocument, schema: Schema): readonly Schema[] {
  const resolved = resolve(document, schema);
  const inner = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])];
  if (inner.length === 0) return resolved.type === 'null' ? [] : [resolved];
  const own = resolved.properties === undefined ? [] : [resolved];
  return [...own, ...inner.flatMap((each) => variantsOf(document, each))];
}

interface Shape {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: ReadonlySet<string>;
}

/** Properties of an object's schema; of several shapes, those of the one that has most of the names. */
function shapeOf(document: ApiDocument, schema: Schema, names: readonly string[]): Shape {
  const resolved = resolve(document, schema);
  const parts = (resolved.allOf ?? []).map((part) => shapeOf(document, part, names));
  const choices = (resolved.anyOf ?? resolved.oneOf ?? []).map((choice) => shapeOf(document, choice, names));
  const score = ({ properties, required }: Shape): number =>
    names.filter((name) => Object.hasOwn(properties, name)).length -
    [...required].filter((name) => !names.includes(name)).length;
  const [best] = choices.toSorted((a, b) => score(b) - score(a));
  const all = [{ properties: resolved.properties ?? {}, required: new Set(resolved.required) }, ...parts];
  if (best !== undefined) all.push({ ...best, required: new Set(best.required) });
  return {
    properties: Object.assign({}, ...all.map(({ properties }) => properties)) as Shape['properties'],
    required: new Set(all.flatMap(({ required }) => [...required])),
  };
}

/** What a schema is when it is not null. */
function plainOf(document: ApiDocument, schema: Schema): Schema {
  const resolved = resolve(document, schema);
  const choices = (resolved.anyOf ?? resolved.oneOf ?? [])
    .map((choice) => resolve(document, choice))
    .filter(({ type }) => type !== 'null');
  const [only] = choices;
  return choices.length === 1 && only !== undefined ? only : resolved;
}

function typeOf(name: string, { type, enum: values, anyOf, oneOf, properties }: Schema): FormField['type'] {
  const [kind] = [type ?? []].flat().filter((each) => each !== 'null');
  if (values !== undefined) return 'choice';
  if (anyOf !== undefined || oneOf !== undefined || properties !== undefined) return LONG.test(name) ? 'long' : 'json';
  if (kind === 'boolean') return 'boolean';
  if (kind === 'integer' || kind === 'number') return 'number';
  if (kind === 'string') return LONG.test(name) ? 'long' : 'text';
  return 'json';
}
