/** Reading a vendor's JSON without trusting its shape: what is absent or of another type is undefined. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

type Step = string | number;

/** The value at a path of keys and indexes, or undefined. */
export function valueAt(json: Json | undefined, ...path: readonly Step[]): Json | undefined {
  let here: Json | undefined = json;
  for (const step of path) {
    if (typeof step === 'number') here = Array.isArray(here) ? here[step] : undefined;
    else here = isJsonObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}

/** A text that is not empty. */
export function textAt(json: Json | undefined, ...path: readonly Step[]): string | undefined {
  const value = valueAt(json, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number; numbers written as text count too. */
export function numberAt(json: Json | undefined, ...path: readonly Step[]): number | undefined {
  const value = valueAt(json, ...path);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** An identifier as text, whether the vendor writes it as text or as an integer. */
export function idAt(json: Json | undefined, ...path: readonly Step[]): string | undefined {
  const value = valueAt(json, ...path);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function objectAt(json: Json | undefined, ...path: readonly Step[]): JsonObject | undefined {
  const value = valueAt(json, ...path);
  return isJsonObject(value) ? value : undefined;
}

/** The items of a list; empty when there is none. */
export function listAt(json: Json | undefined, ...path: readonly Step[]): readonly Json[] {
  const value = valueAt(json, ...path);
  return Array.isArray(value) ? value : [];
}
