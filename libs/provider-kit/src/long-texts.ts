/** Large replies that are nearly all long texts or lists of numbers, as vectors are: read without being put together, or searched, as one text. */
import { randomUUID } from 'node:crypto';
import type { Json } from '@model-gateway/contracts';
import { hasLongInteger, parseVendorJson, parseVendorJsonWith } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
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

/** A slice of reading ends after this long. */
const SLICE_MS = 5;
/** Longer lists of numbers are read in parts of so many bytes. */
const LIST_PART = 256 * 1024;

/**
 * What `parseVendorJson` makes of a large reply, some milliseconds a step: long texts and flat lists are read each by itself, and the rest of
 * the reply, which is short, at the end.
 */
export function* parseLargeJson(bytes: Buffer): Generator<void, Json | undefined> {
  const kept = new KeptValues(bytes);
  const quotes = new NextByte(bytes, QUOTE);
  const lists = new NextByte(bytes, OPEN_LIST);
  const objects = new NextByte(bytes, OPEN_OBJECT);
  let until = performance.now() + SLICE_MS;
  for (let at = 0; ;) {
    const quote = quotes.from(at);
    const open = lists.from(at);
    if (quote === Infinity && open === Infinity) return kept.parse();
    if (quote < open) {
      const end = endOfText(bytes, quote) + 1;
      if (end === 0) return undefined;
      if (end - quote > LONG_TEXT && !isName(bytes, end)) {
        const value = parseVendorJson(bytes.toString('utf8', quote, end));
        if (value === undefined) return undefined;
        kept.keep(quote, end, value);
      }
      at = end;
    } else {
      const end = bytes.indexOf(CLOSE_LIST, open) + 1;
      if (end === 0) return undefined;
      const isFlat = Math.min(quotes.from(open + 1), lists.from(open + 1), objects.from(open + 1)) > end;
      if (isFlat && end - open > LONG_TEXT) {
        const list = isName(bytes, end) ? undefined : yield* flatList(bytes, open, end);
        if (list === undefined) return undefined;
        kept.keep(open, end, list);
      }
      at = isFlat ? end : open + 1;
    }
    if (performance.now() > until) {
      yield;
      until = performance.now() + SLICE_MS;
    }
  }
}

/** A list without texts, lists and objects, from its bracket to behind the other one. */
function* flatList(bytes: Buffer, open: number, end: number): Generator<void, Json | undefined> {
  if (end - open <= LIST_PART) return parseVendorJson(bytes.toString('utf8', open, end));
  const all: Json[] = [];
  for (let from = open + 1; from < end;) {
    const comma = from + LIST_PART < end - 1 ? bytes.indexOf(COMMA, from + LIST_PART) : -1;
    const to = comma === -1 || comma > end ? end - 1 : comma;
    const part = parseVendorJson(`[${bytes.toString('utf8', from, to)}]`);
    // A comma too many: an empty part is no list of its own.
    if (!Array.isArray(part) || part.length === 0) return undefined;
    for (const value of part) all.push(value);
    from = to + 1;
    yield;
  }
  return all;
}

/** Where a byte is next; each place is looked for once. */
class NextByte {
  private readonly bytes: Buffer;
  private readonly byte: number;
  private place = -1;

  constructor(bytes: Buffer, byte: number) {
    this.bytes = bytes;
    this.byte = byte;
  }

  from(at: number): number {
    if (this.place < at) {
      const found = this.bytes.indexOf(this.byte, at);
      this.place = found === -1 ? Infinity : found;
    }
    return this.place;
  }
}

/** Values that were read already, and the text around them. */
class KeptValues {
  private readonly bytes: Buffer;
  private readonly values: Json[] = [];
  /** What no reply has in it. */
  private readonly mark = `${randomUUID()}:`;
  private rest = '';
  private behind = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  keep(from: number, to: number, value: Json): void {
    this.rest += `${this.bytes.toString('utf8', this.behind, from)}"${this.mark}${this.values.length}"`;
    this.values.push(value);
    this.behind = to;
  }

  parse(): Json | undefined {
    const rest = this.rest + this.bytes.toString('utf8', this.behind);
    if (this.values.length === 0) return parseVendorJson(rest);
    return parseVendorJsonWith(rest, (text) =>
      text.startsWith(this.mark) ? this.values[Number(text.slice(this.mark.length))] : undefined,
    );
  }
}

/** Where a text ends that begins there; -1 where it does not. */
function endOfText(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return -1;
}

/** Whether what ends there is the name of a member. */
function isName(bytes: Buffer, end: number): boolean {
  let at = end;
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at++;
  return bytes[at] === COLON;
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
