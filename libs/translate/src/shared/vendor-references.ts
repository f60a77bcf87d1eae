/** Collects what a request refers to, place by place. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VendorReference } from '../dialect.ts';

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

/** Every text behind one of these names, however deep: for what vendors say, not for what callers write. */
export function textsUnder(value: Json | undefined, names: readonly string[]): string[] {
  const texts: string[] = [];
  const walk = (inner: Json): void => {
    if (Array.isArray(inner)) inner.forEach(walk);
    else if (isJsonObject(inner)) {
      for (const [name, each] of Object.entries(inner)) {
        if (typeof each === 'string') {
          if (names.includes(name)) texts.push(each);
        } else walk(each);
      }
    }
  };
  if (value !== undefined) walk(value);
  return texts;
}
