/**
 * Changes single top-level members of a JSON object in its bytes and leaves every other byte as the caller wrote it: key order,
 * white space, unknown fields and numbers beyond double precision survive (prompt caches depend on it:
 * docs/wire/chat-translation.md#the-form-between).
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces (or, where the object lacks them, appends) top-level members. `members` maps a name to its new JSON text. The bytes must be a
 * valid JSON object: callers have parsed them before. A repeated name is replaced at each place.
 */
export function setTopLevel(bytes: Buffer, members: ReadonlyMap<string, string>): Buffer {
  const replacements: Replacement[] = [];
  const missing = new Set(members.keys());
  let last = skipSpace(bytes, 0) + 1;
  let count = 0;
  for (const { name, valueStart, end } of membersOf(bytes)) {
    count++;
    last = end;
    const text = members.get(name);
    if (text === undefined) continue;
    missing.delete(name);
    replacements.push({ start: valueStart, end, text });
  }
  if (missing.size > 0) {
    const added = [...missing].map((name) => `${JSON.stringify(name)}:${members.get(name) ?? 'null'}`).join(',');
    replacements.push({ start: last, end: last, text: count === 0 ? added : `,${added}` });
  }
  return splice(bytes, replacements);
}

function splice(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

function readName(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** From the opening quote to after the closing one. */
function skipString(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipScalar(bytes, from);
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return at;
}

function skipScalar(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined || byte === COMMA || byte === CLOSE_BRACE || byte <= 0x20) return at;
    at++;
  }
}

/** Leaves out top-level members of bytes that are a valid JSON object; the others stay as they are written, in their order. */
export function withoutTopLevel(bytes: Buffer, names: ReadonlySet<string>): Buffer {
  const members = [...membersOf(bytes)];
  const kept = members.filter(({ name }) => !names.has(name));
  if (kept.length === members.length) return bytes;
  const pieces = kept.flatMap(({ start, end }, index) =>
    index === 0 ? [bytes.subarray(start, end)] : [Buffer.from(','), bytes.subarray(start, end)],
  );
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
}

interface Member {
  readonly name: string;
  /** Of its name. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function* membersOf(bytes: Buffer): Generator<Member> {
  let at = skipSpace(bytes, 0) + 1;
  for (;;) {
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACE || at >= bytes.length) return;
    if (bytes[at] === COMMA) {
      at++;
      continue;
    }
    const start = at;
    const nameEnd = skipString(bytes, at);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] === COLON) at = skipSpace(bytes, at + 1);
    const end = skipValue(bytes, at);
    yield { name: readName(bytes, start, nameEnd), start, valueStart: at, end };
    at = end;
  }
}
