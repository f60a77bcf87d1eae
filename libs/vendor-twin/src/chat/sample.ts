import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

const DEEPEST = 8;

/** A value that satisfies a JSON schema, and looks as if it had to do with the text. Throws nothing: what it does not understand is a string. */
export function sampleFor(schema: JsonObject, text: string): Json {
  return new Sampler(schema, text).value(schema, '', 0);
}

/** The same for a tool: always an object. */
export function sampleInput(schema: JsonObject, text: string): JsonObject {
  const value = sampleFor({ type: 'object', ...schema }, text);
  return isJsonObject(value) ? value : {};
}

class Sampler {
  readonly #root: JsonObject;
  readonly #text: string;

  constructor(root: JsonObject, text: string) {
    this.#root = root;
    this.#text = text;
  }

  value(given: Json, name: string, depth: number): Json {
    const schema = this.#resolved(given);
    if (schema['const'] !== undefined) return schema['const'];
    const options = schema['enum'];
    if (Array.isArray(options) && options[0] !== undefined) return options[0];
    for (const key of ['examples', 'example', 'default'] as const) {
      const shown = schema[key];
      if (shown !== undefined) return key === 'examples' && Array.isArray(shown) ? (shown[0] ?? null) : shown;
    }
    const branch = firstBranch(schema);
    if (branch !== undefined) return this.value(branch, name, depth + 1);
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, name, depth);
      case 'integer':
        return Math.ceil(this.#number(schema));
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return this.#string(schema, name);
    }
  }

  #resolved(given: Json): JsonObject {
    let schema: Json | undefined = given;
    for (let hops = 0; hops < DEEPEST && isJsonObject(schema) && typeof schema['$ref'] === 'string'; hops += 1) {
      schema = pointed(this.#root, schema['$ref']);
    }
    if (!isJsonObject(schema)) return {};
    const parts = schema['allOf'];
    if (!Array.isArray(parts)) return schema;
    return parts.reduce<JsonObject>(
      (merged, part) => {
        const next = this.#resolved(part);
        const properties = { ...objectAt(merged, 'properties'), ...objectAt(next, 'properties') };
        return { ...merged, ...next, ...(Object.keys(properties).length > 0 && { properties }) };
      },
      { ...schema, allOf: null },
    );
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const sample: JsonObject = {};
    for (const [name, property] of Object.entries(objectAt(schema, 'properties'))) {
      // A schema may contain itself: below a certain depth only what must be there is there.
      if (depth < DEEPEST || required.includes(name)) {
        if (depth < DEEPEST * 4) sample[name] = this.value(property, name, depth + 1);
      }
    }
    return sample;
  }

  #array(schema: JsonObject, name: string, depth: number): Json[] {
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : depth < DEEPEST ? 1 : 0;
    const items = schema['items'] ?? { type: 'string' };
    return Array.from({ length: Math.min(least, 64) }, () => this.value(items, name, depth + 1));
  }

  #number(schema: JsonObject): number {
    const { minimum, exclusiveMinimum, maximum, multipleOf } = schema;
    if (typeof minimum === 'number') return minimum;
    if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
    if (typeof multipleOf === 'number') return multipleOf;
    return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
  }

  #string(schema: JsonObject, name: string): string {
    const known = FORMATS[typeof schema['format'] === 'string' ? schema['format'] : ''];
    let value = known ?? this.#guess(name);
    const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
    if (value.length < least) value = value.padEnd(least, 'x');
    const most = schema['maxLength'];
    return typeof most === 'number' ? value.slice(0, most) : value;
  }

  #guess(name: string): string {
    if (/city|place|location|country|town|where/i.test(name)) {
      return /\b(?:in|at|for|of|to) ([A-Z][\p{L}-]+)/u.exec(this.#text)?.[1] ?? 'Paris';
    }
    if (/query|text|prompt|message|input|question|content/i.test(name)) return this.#text.slice(0, 80);
    return name === '' ? 'value' : `some ${name}`;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-21',
  time: '09:00:00Z',
  'date-time': '2026-11-21T09:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
};

function typeOf(schema: JsonObject): string {
  const type = schema['type'];
  const first = Array.isArray(type) ? type.find((word) => word !== 'null') : type;
  if (typeof first === 'string') return first.toLowerCase();
  if (schema['properties'] !== undefined) return 'object';
  return schema['items'] === undefined ? 'string' : 'array';
}

function firstBranch(schema: JsonObject): Json | undefined {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(branches)) return undefined;
  return branches.find((branch) => isJsonObject(branch) && branch['type'] !== 'null') ?? branches[0];
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isJsonObject(found) ? found : {};
}

function pointed(root: JsonObject, pointer: string): Json | undefined {
  if (pointer === '#') return root;
  let value: Json | undefined = root;
  for (const step of pointer.replace(/^#\//, '').split('/')) {
    value = isJsonObject(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return value;
}
