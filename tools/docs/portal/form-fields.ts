/** The fields of a form, made from the schema of a body: what the page's form shows before and beside the raw view. */
import { resolve, type ApiDocument, type Schema } from './document.ts';
import { firstSentence } from './schema.ts';

export interface FormField {
  readonly name: string;
  /** `json` is for what has parts of its own: the form shows the parts that the example has. */
  readonly type: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'json';
  readonly required?: true;
  readonly options?: readonly unknown[];
  readonly about?: string;
}

/** Texts that take more than a line. */
const LONG = /^(prompt|input|instructions|system|description|element_description|negative_prompt)$/;

/** The fields of the shape that fits `value`, required ones first. */
export function formFields(document: ApiDocument, schema: Schema, value: unknown): readonly FormField[] {
  const { properties, required } = shapeOf(document, schema, Object.keys(value ?? {}));
  const fields = Object.entries(properties).map(([name, property]): FormField => {
    const resolved = plainOf(document, property);
    const about = firstSentence(property.description ?? resolved.description ?? '').replace(/[`*]|\]\([^)]*\)|\[/g, '');
    return {
      name,
      type: typeOf(name, resolved),
      ...(required.has(name) && { required: true }),
      ...(resolved.enum !== undefined && { options: resolved.enum }),
      ...(about !== '' && { about }),
    };
  });
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** The values that one may choose from, where the schema lists them. */
export function choicesOf(document: ApiDocument, schema: Schema): readonly unknown[] | undefined {
  return plainOf(document, schema).enum;
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
