/** Collects what a request refers to, place by place. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VendorReference } from '../dialect.ts';

/** The base64 of a data URL. */
export function dataOfUrl(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [head] = /^data:[^,]{0,200};base64,/.exec(value.slice(0, 300)) ?? [];
  return head === undefined ? undefined : value.slice(head.length);
}

export interface References {
  readonly found: readonly VendorReference[];
  /** A text that is an id, or an object with one under `id`; anything else refers to nothing. */
  add(value: Json | undefined, param: string): void;
  addAll(values: Json | undefined, param: string): void;
}

/** Makes an empty collection. */
export function createReferences(): References {
  const found: VendorReference[] = [];
  const add: References['add'] = (value, param) => {
    if (typeof value === 'string' && value !== '') found.push({ id: value, param });
    else if (isJsonObject(value) && typeof value['id'] === 'string')
      found.push({ id: value['id'], param: `${param}.id` });
  };
  return {
    found,
    add,
    addAll: (values, param) => {
      if (Array.isArray(values)) values.forEach((value, index) => add(value, `${param}[${index}]`));
    },
  };
}

/** The objects of a list, with their places. */
export function* objectsIn(list: Json | undefined, param: string): Generator<readonly [JsonObject, string]> {
  if (!Array.isArray(list)) return;
  for (const [index, item] of list.entries()) if (isJsonObject(item)) yield [item, `${param}[${index}]`];
}

/** Every text behind one of these names, however deep, and not below `except`: for what vendors say, not for what callers or models write. */
export function textsUnder(value: Json | undefined, names: readonly string[], except: readonly string[]): string[] {
  const texts: string[] = [];
  const walk = (inner: Json): void => {
    if (Array.isArray(inner)) inner.forEach(walk);
    else if (isJsonObject(inner)) {
      for (const [name, each] of Object.entries(inner)) {
        if (typeof each === 'string') {
          if (names.includes(name)) texts.push(each);
        } else if (!except.includes(name)) walk(each);
      }
    }
  };
  if (value !== undefined) walk(value);
  return texts;
}

/** What stands behind names of references, and not below `except`, wherever it is in what a caller wrote: a text, an object with an id, or a list. */
export function referencesUnder(
  value: Json | undefined,
  place: string,
  {
    names,
    except,
    references,
  }: { readonly names: ReadonlySet<string>; readonly except: ReadonlySet<string>; readonly references: References },
): void {
  if (Array.isArray(value)) {
    value.forEach((each, index) => referencesUnder(each, `${place}[${index}]`, { names, except, references }));
  } else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== 'object' && !names.has(name)) continue;
      const at = `${place}.${name}`;
      if (!names.has(name)) {
        if (!except.has(name)) referencesUnder(each, at, { names, except, references });
      } else if (Array.isArray(each)) references.addAll(each, at);
      else references.add(each, at);
    }
  }
}
