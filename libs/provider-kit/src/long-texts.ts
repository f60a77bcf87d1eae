/** Large replies that are nearly all long texts, as vectors in base64 are: read without being put together, or searched, as one text. */
import type { Json } from '@model-gateway/contracts';
import { hasLongInteger } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Shorter texts are not worth it. */
const LONG_TEXT = 256;
/** Between a name and its value. */
const MOST_BETWEEN = 16;
const LARGEST_KEPT = 4 * 1024 * 1024;

/** Where replies are put together. Memory of their own, outside of the heap, would have the whole heap collected for every hundred of them. */
let room: Buffer = Buffer.allocUnsafeSlow(256 * 1024);
let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * What JSON.parse makes of a body that came in pieces, in which members called `name` have long texts. Undefined where there are none or where
 * it cannot tell: with escapes, integers beyond 2^53, or what is no JSON. It is then to be read in the usual way.
 */
export function parseLongTexts(chunks: readonly Uint8Array[], size: number, name: string): Json | undefined {
  const bytes = together(chunks, size);
  // Without escapes every quotation mark begins or ends a text.
  if (bytes.includes(BACKSLASH)) return undefined;
  const before = new RegExp(`"${name}"\\s*:\\s*$`);
  const reach = name.length + MOST_BETWEEN;
  const long: string[] = [];
  let rest = '';
  let from = 0;
  for (let open = bytes.indexOf(QUOTE); open !== -1;) {
    const close = bytes.indexOf(QUOTE, open + 1);
    if (close === -1) return undefined;
    if (close - open > LONG_TEXT && before.test(bytes.toString('latin1', Math.max(0, open - reach), open))) {
      const text = bytes.toString('latin1', open + 1, close);
      if (!isBase64(text)) return undefined;
      // A letter that no other text can have here, for want of escapes.
      rest += `${bytes.toString('utf8', from, open + 1)}\\u0000${long.length}`;
      long.push(text);
      from = close;
    }
    open = bytes.indexOf(QUOTE, close + 1);
  }
  rest += bytes.toString('utf8', from);
  if (long.length === 0 || hasLongInteger(rest)) return undefined;
  try {
    return JSON.parse(rest, (_key, value: unknown) =>
      typeof value === 'string' && value.startsWith('\u0000') ? long[Number(value.slice(1))] : value,
    ) as Json;
  } catch {
    return undefined;
  }
}

/** Whether a text is base64 to the letter, so that it may stand in JSON as it is. */
export function isBase64(text: string): boolean {
  // What is left over by one letter stands for nothing, and would hide a letter that is none.
  if (text.length % 4 === 1) return false;
  if (text.length > scratch.length) scratch = Buffer.allocUnsafeSlow(text.length);
  return scratch.write(text, 'base64') === Buffer.byteLength(text, 'base64');
}

function together(chunks: readonly Uint8Array[], size: number): Buffer {
  if (size > LARGEST_KEPT) return Buffer.concat(chunks, size);
  if (size > room.length) room = Buffer.allocUnsafeSlow(Math.min(LARGEST_KEPT, 2 * size));
  let at = 0;
  for (const chunk of chunks) {
    room.set(chunk, at);
    at += chunk.length;
  }
  return room.subarray(0, size);
}
