import { GatewayError } from '@model-gateway/contracts';

export interface JsonLimits {
  /** Objects and arrays within each other. */
  readonly deepest: number;
  /** Objects, arrays, strings, numbers and literals, names of members not counted. */
  readonly mostValues: number;
}

/** A slice ends after this long, at the next string or value. */
const SLICE_MS = 5;
/** Values, or bytes, between two looks at the clock. */
const LOOK_EVERY = 64;
const LOOK_EVERY_BYTES = 256 * 1024;
/** Longer strings are decoded in pieces of this many bytes. */
const PIECE = 1024 * 1024;
/** The end of shorter strings is looked for byte by byte; of longer ones by memchr, whose call costs as much as this many bytes. */
const SHORT_STRING = 48;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SMALL_U = 0x75;
/** What ends a number or literal: everything that neither can have in it. */
const isInWord = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45;
/** No number or literal that anybody writes is longer. */
const LONGEST_WORD = 1_000;
const LONGEST_SPACE = 1_000_000;

type Members = Record<string, unknown>;
interface Open {
  /** An array or an object. */
  readonly into: unknown[] | Members;
  /** The member that comes next; of arrays none. */
  name: string;
}

/**
 * Parses a whole text. Each step does some milliseconds of work, and the last one returns the value: the one that `JSON.parse` gives for the
 * bytes as UTF-8. Throws `invalid_request` where `JSON.parse` throws, for a member that is there twice, and beyond the limits as soon as they
 * are passed.
 */
export function* parseJsonInSlices(bytes: Buffer, limits: JsonLimits): Generator<void, unknown> {
  const open: Open[] = [];
  let at = 0;
  let values = 0;
  let until = performance.now() + SLICE_MS;
  let lookAt = LOOK_EVERY_BYTES;

  for (;;) {
    // A value begins here.
    at = afterSpace(bytes, at);
    if (++values > limits.mostValues) throw tooMany(limits.mostValues);
    if (values % LOOK_EVERY === 0 || at > lookAt) {
      lookAt = at + LOOK_EVERY_BYTES;
      if (performance.now() > until) {
        yield;
        until = performance.now() + SLICE_MS;
      }
    }
    const byte = bytes[at];
    let value: unknown;
    if (byte === QUOTE) {
      const soon = soonEnd(bytes, at);
      if (soon === undefined) {
        const { text, end } = yield* longString(bytes, at);
        value = text;
        if (end - at > PIECE) until = performance.now() + SLICE_MS;
        at = end + 1;
      } else {
        value = parsed(bytes, at, soon + 1);
        at = soon + 1;
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (open.length >= limits.deepest) throw tooDeep(limits.deepest);
      const into = byte === OPEN_ARRAY ? [] : {};
      at = afterSpace(bytes, at + 1);
      if (bytes[at] === (byte === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT)) {
        at++;
        value = into;
      } else {
        const opened = { into, name: '' };
        if (byte === OPEN_OBJECT) at = yield* readName(bytes, at, opened);
        open.push(opened);
        continue;
      }
    } else {
      let end = at;
      while (end < bytes.length && isInWord(bytes[end] ?? 0) && end - at <= LONGEST_WORD) end++;
      value = parsed(bytes, at, end);
      at = end;
    }

    // It goes where it belongs, and what it was the last of is a value itself.
    for (;;) {
      const within = open.at(-1);
      if (within === undefined) {
        at = afterSpace(bytes, at);
        if (at < bytes.length) throw broken(at);
        return value;
      }
      const { into } = within;
      const isArray = Array.isArray(into);
      if (isArray) into.push(value);
      else put(into, within.name, value);
      at = afterSpace(bytes, at);
      if (bytes[at] === COMMA) {
        at++;
        if (!isArray) at = yield* readName(bytes, afterSpace(bytes, at), within);
        break;
      }
      if (bytes[at] !== (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) throw broken(at, bytes);
      at++;
      open.pop();
      value = into;
    }
  }
}

/** What is told of a text that is no JSON. Without a place: it ends too early. */
export function notJson(character: number | string | undefined): GatewayError {
  return new GatewayError(
    'invalid_request',
    `the body is not JSON${character === undefined ? ' (it ends too early)' : `: it breaks at character ${character}`}`,
  );
}

export function tooDeep(deepest: number): GatewayError {
  return new GatewayError('invalid_request', `the body is nested deeper than ${deepest} levels`);
}

/** Vendors get the caller's own bytes: one that reads the first of the two would do, and bill, something else than was checked here. */
function twice(name: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `the body has an object with the member '${name.slice(0, 80)}' twice; send it once`,
    { param: name.slice(0, 80) },
  );
}

function tooMany(most: number): GatewayError {
  return new GatewayError(
    'invalid_request',
    `the body has more than ${most} values (objects, arrays, members and elements); send fewer of them`,
  );
}

function broken(at: number, bytes?: Buffer): GatewayError {
  return notJson(bytes !== undefined && at >= bytes.length ? undefined : at);
}

/** Reads the name of a member and its colon; returns where its value begins. */
function* readName(bytes: Buffer, at: number, of: Open): Generator<void, number> {
  if (bytes[at] !== QUOTE) throw broken(at, bytes);
  let end = soonEnd(bytes, at);
  if (end === undefined) {
    const long = yield* longString(bytes, at);
    of.name = long.text;
    end = long.end;
  } else of.name = parsed(bytes, at, end + 1) as string;
  const colon = afterSpace(bytes, end + 1);
  if (bytes[colon] !== COLON) throw broken(colon, bytes);
  return colon + 1;
}

/** `__proto__` is a name like any other, as it is for JSON.parse. */
function put(into: Members, name: string, value: unknown): void {
  if (Object.hasOwn(into, name)) throw twice(name);
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
  else into[name] = value;
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
    if (at - from > LONGEST_SPACE)
      throw new GatewayError('invalid_request', `the body has more than ${LONGEST_SPACE} white spaces in a row`);
  }
}

/** A string, a number or a literal, whole: short enough to be parsed at once. */
function parsed(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to));
  } catch {
    throw broken(from, bytes);
  }
}

/** Where the quote is that ends the string, if that is soon found: not in long strings, nor where an escape stands before it. */
function soonEnd(bytes: Buffer, from: number): number | undefined {
  const near = Math.min(bytes.length, from + SHORT_STRING);
  let at = from + 1;
  for (; at < near; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  const quote = bytes.indexOf(QUOTE, at);
  if (quote === -1) throw notJson(undefined);
  return quote - from > PIECE || bytes[quote - 1] === BACKSLASH ? undefined : quote;
}

interface Text {
  readonly text: string;
  /** Where its last quote is. */
  readonly end: number;
}

/** The string that begins at a quote, decoded in pieces. */
function* longString(bytes: Buffer, quote: number): Generator<void, Text> {
  let text = '';
  let from = quote + 1;
  for (;;) {
    const { to, isEnd } = nextPiece(bytes, from);
    try {
      text += JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string;
    } catch {
      throw notJson(from);
    }
    if (isEnd) return { text, end: to };
    if (to === from) throw notJson(undefined);
    from = to;
    if (to - quote > PIECE) yield;
  }
}

/** Up to the end of the string, or a place that is in the middle neither of a character nor of an escape. */
function nextPiece(bytes: Buffer, from: number): { readonly to: number; readonly isEnd: boolean } {
  const limit = Math.min(bytes.length, from + PIECE);
  const piece = bytes.subarray(from, limit);
  let to = limit;
  if (piece.includes(BACKSLASH)) {
    let at = from;
    while (at < limit) {
      const byte = bytes[at];
      if (byte === QUOTE) return { to: at, isEnd: true };
      const length = byte !== BACKSLASH ? 1 : bytes[at + 1] === SMALL_U ? 6 : 2;
      if (at + length > limit) break;
      at += length;
    }
    to = at;
  } else {
    const quote = piece.indexOf(QUOTE);
    if (quote !== -1) return { to: from + quote, isEnd: true };
  }
  for (let back = 0; back < 3 && ((bytes[to] ?? 0) & 0xc0) === 0x80; back++) to--;
  return { to, isEnd: false };
}
