import type { Json } from '@model-gateway/contracts';

const LONG = 16;

/**
 * Whether sixteen digits follow each other somewhere, other than behind a point: vectors are full of such fractions, which are no integers.
 * Of such a run every sixteenth character is one.
 */
export function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (isDigit(text, from - 1)) from--;
    let end = at + 1;
    while (isDigit(text, end)) end++;
    if (end - from >= LONG && text[from - 1] !== '.') return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/**
 * JSON.parse that keeps integers beyond 2^53 as strings (Kling element ids and MiniMax file ids have 18 digits:
 * docs/wire/video-tasks.md#large-integers). Undefined when the text is not JSON.
 */
export function parseVendorJson(text: string): Json | undefined {
  try {
    if (!hasLongInteger(text)) return JSON.parse(text) as Json;
    return JSON.parse(text, keepLongIntegers) as Json;
  } catch {
    return undefined;
  }
}

/** The same, with other values in place of the texts for which `valueOf` has some. */
export function parseVendorJsonWith(text: string, valueOf: (text: string) => Json | undefined): Json | undefined {
  const keepsIntegers = hasLongInteger(text);
  try {
    return JSON.parse(text, (key, value: unknown, context?: { source?: string }) => {
      if (typeof value === 'string') return valueOf(value) ?? value;
      return keepsIntegers ? keepLongIntegers(key, value, context) : value;
    }) as Json;
  } catch {
    return undefined;
  }
}

function keepLongIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/** JSON.rawJSON is newer than the type library. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/** The opposite: JSON in which members of these names are written as integers although we keep them as text, every digit kept. */
export function writeVendorJson(value: Json, integers: ReadonlySet<string>): string {
  return JSON.stringify(value, (name, member: unknown) =>
    integers.has(name) && typeof member === 'string' && INTEGER.test(member) ? rawJSON(member) : member,
  );
}
