/** Reading JSON of strangers: a caller's wrong shape is named with its place; a vendor's is forgiven where it can be. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** The error for a caller's mistake; `message` says what was wrong and what would be right. */
export function invalid(place: string, message: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    place === '' ? message : `${place}: ${message}`,
    place === '' ? {} : { param: place },
  );
}

/** `at('messages', 2)` is `messages[2]`; `at('messages[2]', 'content')` is `messages[2].content`. */
export function at(place: string, step: string | number): string {
  if (typeof step === 'number') return `${place}[${step}]`;
  return place === '' ? step : `${place}.${step}`;
}

/** What a JSON value is, in the words an error message uses. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return `a ${typeof value}`;
}

/** The error for another word than those of a field. */
export function wrongWord(value: Json | undefined, place: string, right: string): GatewayError {
  if (typeof value !== 'string') return wrongKind(value, place, right);
  return invalid(place, `must be ${right}, not ${JSON.stringify(value.slice(0, 80))}`);
}

/** The error for a value of another kind: `must be a string, not a number`; `is missing; send a string`. */
export function wrongKind(value: Json | undefined, place: string, right: string): GatewayError {
  return invalid(place, value === undefined ? `is missing; send ${right}` : `must be ${right}, not ${kindOf(value)}`);
}

export function readObject(value: Json | undefined, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongKind(value, place, 'an object');
}

export function readArray(value: Json | undefined, place: string): Json[] {
  if (Array.isArray(value)) return value;
  throw wrongKind(value, place, 'an array');
}

/** A list, or its one object: Google's JSON takes either. */
export function readList(value: Json | undefined, place: string): Json[] {
  return isJsonObject(value) ? [value] : readArray(value, place);
}

export function readString(value: Json | undefined, place: string): string {
  if (typeof value === 'string') return value;
  throw wrongKind(value, place, 'a string');
}

/** A list of strings; the error names the item. */
export function readStrings(value: Json | undefined, place: string): string[] {
  return readArray(value, place).map((item, index) => readString(item, at(place, index)));
}

/** A string that is not empty. */
export function readName(value: Json | undefined, place: string): string {
  const text = readString(value, place);
  if (text !== '') return text;
  throw invalid(place, 'must not be empty');
}

export function readNumber(value: Json | undefined, place: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrongKind(value, place, 'a number');
}

export function readInteger(value: Json | undefined, place: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'number') throw invalid(place, `must be a whole number, not ${value}`);
  throw wrongKind(value, place, 'a whole number');
}

export function readBoolean(value: Json | undefined, place: string): boolean {
  if (typeof value === 'boolean') return value;
  throw wrongKind(value, place, 'true or false');
}

/** One of some words; the error lists them. */
export function readWord<W extends string>(value: Json | undefined, words: readonly W[], place: string): W {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const quoted = words.map((word) => JSON.stringify(word));
  const right = quoted.length === 1 ? (quoted[0] ?? '') : `one of ${quoted.join(', ')}`;
  throw wrongWord(value, place, right);
}

/** The schema of a tool's parameters; one of another root type than object is the caller's mistake. */
export function readToolSchema(value: Json | undefined, place: string): JsonObject {
  if (!isJsonObject(value)) throw wrongKind(value, place, 'a JSON Schema of type "object"');
  const { type } = value;
  const word = typeof type === 'string' ? type.toLowerCase() : undefined;
  if (word === undefined || word === 'object' || word === 'type_unspecified') return value;
  throw invalid(place, `must be a JSON Schema of type "object", not ${JSON.stringify(type)}`);
}

/** `parent[key]` through `read`; absent and null are both undefined. */
export function optional<T>(
  parent: JsonObject,
  key: string,
  read: (value: Json | undefined, place: string) => T,
  place: string,
): T | undefined {
  const value = parent[key];
  return value === undefined || value === null ? undefined : read(value, at(place, key));
}

/** The string, or undefined for anything else: for vendors' replies. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The string when it says something. */
export function wordOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; anything else in it is passed over. */
export function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Parsed JSON, or undefined when the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without its undefined fields: absent is absent. */
export function present<T extends object>(value: T): Present<T> {
  const result: Record<string, unknown> = {};
  for (const key in value) if (value[key] !== undefined) result[key] = value[key];
  return result as Present<T>;
}

/** The fields of `body` that are not in `known`: what the middle form has no word for. Null says nothing and is left out. */
export function unknownFields(body: JsonObject, known: ReadonlySet<string>): JsonObject {
  const extra: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    if (!known.has(key) && value !== null) {
      Object.defineProperty(extra, key, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return extra;
}

/**
 * Arguments of a tool call as an object, for wires that want one: '' is {}; text that is no JSON object is kept whole under one
 * key, so that a model's old mistake does not fail the turn (docs/wire/chat-translation.md#tool-calls-and-results).
 */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isJsonObject(value) ? value : { input: value === undefined ? text : value };
}

/** The same for an answer, whose caller may read any JSON there: `null` and `[]` stay what the model wrote. */
export function argumentsValue(text: string): Json {
  const value = text.trim() === '' ? {} : parseJson(text);
  return value === undefined ? { input: text } : value;
}
