/** Reads a caller's body field by field: says where something is wrong and what would be right, and keeps what nobody asked for. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

export interface Item {
  readonly value: Json;
  /** `content[2]` */
  readonly path: string;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** One object of the body. Every reader marks its field as known; null counts as absent. */
export interface Fields {
  /** The field as a path of the whole body: `input.media`. */
  path(name: string): string;
  has(name: string): boolean;
  text(name: string): string | undefined;
  requiredText(name: string, what: string): string;
  integer(name: string, range?: Range): number | undefined;
  number(name: string, range?: Range): number | undefined;
  flag(name: string): boolean | undefined;
  list(name: string): readonly Item[] | undefined;
  object(name: string): Fields | undefined;
  /** Takes a field as it is, unchecked. */
  take(name: string): Json | undefined;
  /** What no reader asked for, by the caller's own names. */
  rest(): JsonObject;
}

export interface FieldsOptions {
  /** Path of this object in the body; '' for the body itself. */
  readonly path?: string;
  /** Whether `aspect_ratio` may also be written `aspectRatio` or `AspectRatio`. */
  readonly anyCase?: boolean;
}

/** Opens an object for reading. */
export function readFields(source: JsonObject, options: FieldsOptions = {}): Fields {
  const known = new Set<string>();
  const prefix = options.path === undefined || options.path === '' ? '' : `${options.path}.`;

  const nameIn = (name: string): string => {
    if (options.anyCase !== true || Object.hasOwn(source, name)) return name;
    return spellings(name).find((spelling) => Object.hasOwn(source, spelling)) ?? name;
  };
  const take = (name: string): Json | undefined => {
    const own = nameIn(name);
    known.add(own);
    return Object.hasOwn(source, own) ? (source[own] ?? undefined) : undefined;
  };
  const path = (name: string): string => prefix + nameIn(name);

  const number = (name: string, range: Range = {}, whole = false): number | undefined => {
    const value = take(name);
    if (value === undefined) return undefined;
    const kind = whole ? 'an integer' : 'a number';
    if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value))) {
      throw wrong(path(name), `must be ${kind}; it is ${shown(value)}`);
    }
    if ((range.min !== undefined && value < range.min) || (range.max !== undefined && value > range.max)) {
      throw wrong(path(name), `must be ${rangeText(range)}; it is ${value}`);
    }
    return value;
  };

  const fields: Fields = {
    path,
    take,
    has: (name) => (source[nameIn(name)] ?? undefined) !== undefined && Object.hasOwn(source, nameIn(name)),
    text(name) {
      const value = take(name);
      if (value === undefined || typeof value === 'string') return value;
      throw wrong(path(name), `must be text; it is ${shown(value)}`);
    },
    requiredText(name, what) {
      const value = fields.text(name);
      if (value !== undefined && value.trim() !== '') return value;
      throw wrong(path(name), `is required: ${what}`);
    },
    integer: (name, range) => number(name, range, true),
    number: (name, range) => number(name, range),
    flag(name) {
      const value = take(name);
      if (value === undefined || typeof value === 'boolean') return value;
      throw wrong(path(name), `must be true or false; it is ${shown(value)}`);
    },
    list(name) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) throw wrong(path(name), `must be a list; it is ${shown(value)}`);
      return value.map((item, index) => ({ value: item, path: `${path(name)}[${index}]` }));
    },
    object(name) {
      const value = take(name);
      if (value === undefined) return undefined;
      return objectFields(value, path(name), options.anyCase === true);
    },
    rest: () => Object.fromEntries(Object.entries(source).filter(([name]) => !known.has(name))),
  };
  return fields;
}

/** Opens an item of a list or a member that must be an object. */
export function objectFields(value: Json, path: string, anyCase = false): Fields {
  if (!isJsonObject(value)) throw wrong(path, `must be an object; it is ${shown(value)}`);
  return readFields(value, { path, anyCase });
}

/** An object without its undefined members. */
export function given<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
}

/** 400, naming the field: `duration must be 4 to 15; it is 20`. */
export function wrong(path: string, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${path} ${complaint}`, { param: path });
}

/** A value in words short enough for a message. */
export function shown(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value.length > 60 ? `the text '${value.slice(0, 60)}…'` : `the text '${value}'`;
  return String(value);
}

export function rangeText({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return min === max ? String(min) : `${min} to ${max}`;
  return min !== undefined ? `${min} or more` : `${max ?? 0} or less`;
}

/** `aspect_ratio` → `aspectRatio`, `AspectRatio`; `Id` → `id`; `imageUrls` → `image_urls`, `ImageUrls`. */
function spellings(name: string): string[] {
  const snake = name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const camel = snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return [snake, camel, camel.charAt(0).toUpperCase() + camel.slice(1)];
}
