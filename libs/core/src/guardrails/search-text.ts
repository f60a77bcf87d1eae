/** A text as guardrails search it: what is written in other ways than it reads becomes one way, and every place knows where it came from. */

export interface SearchText {
  readonly text: string;
  /** Where in the given text the character at a place begins; its length at the end. */
  readonly startOf: (at: number) => number;
  /** Where in the given text the character before a place ends. */
  readonly endOf: (at: number) => number;
}

/** Nothing in it reads otherwise than it is written. */
const OTHERWISE = /[^\x20-\x7e\n]|\s\s|\\+u[0-9a-fA-F]{4}/;
const ESCAPE = /\\+u([0-9a-fA-F]{4})/g;
const JSON_ESCAPE = /\\+u([0-9a-fA-F]{4})|\\(["\\/bfnrt])/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** An escape that has begun at the end of a text. */
const OPEN_ESCAPE = /\\+(?:u[0-9a-fA-F]{0,3})?$/;
/** Plain words; white space; what is not seen; one letter with its marks. */
const PIECE = /[\x21-\x7e]+(?!\p{M})|(\s+)|(\p{Default_Ignorable_Code_Point}+)|[^]\p{M}{0,30}/gu;
const BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Unicode's compatible forms (NFKC) of all letters, escapes (`\u0061`; in JSON the others, too) as what they stand for, every run of white
 * space as one blank or line break, and nothing that is not seen.
 */
export function searchText(given: string, isJson = false): SearchText {
  if (!OTHERWISE.test(given) && !(isJson && given.includes('\\'))) return asWritten(given);
  const written = new Rewriting();
  const pattern = isJson ? JSON_ESCAPE : ESCAPE;
  let at = 0;
  if (given.includes('\\'))
    for (const match of given.matchAll(pattern)) {
      const [whole, code, letter] = match;
      written.keep(given.slice(at, match.index), at);
      at = match.index + whole.length;
      written.put(
        code === undefined ? (ESCAPED[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
        match.index,
        at,
      );
    }
  written.keep(given.slice(at), at);
  const read = new Rewriting();
  for (const match of written.text.matchAll(PIECE)) {
    const [whole, blank, unseen] = match;
    const end = match.index + whole.length;
    if (blank !== undefined) read.put(BREAK.test(blank) ? '\n' : ' ', match.index, end);
    else if (unseen === undefined) {
      if (/^[\x21-\x7e]+$/.test(whole)) read.keep(whole, match.index);
      else read.put(whole.normalize('NFKC'), match.index, end);
    }
  }
  return {
    text: read.text,
    startOf: (place) => (place >= read.text.length ? given.length : written.startOf(read.startOf(place))),
    endOf: (place) => (place === 0 ? 0 : written.endOf(read.endOf(place))),
  };
}

/** Where an escape begins that may go on behind the text; its length where there is none. */
export function openEscape(text: string): number {
  const from = Math.max(0, text.length - 64);
  const open = OPEN_ESCAPE.exec(text.slice(from));
  return open === null ? text.length : from + open.index;
}

function asWritten(text: string): SearchText {
  return { text, startOf: (at) => at, endOf: (at) => at };
}

/** A text that is written anew from pieces of another. */
class Rewriting {
  text = '';
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  /** Takes a piece over as it is. */
  keep(piece: string, from: number): void {
    this.text += piece;
    for (let at = 0; at < piece.length; at++) {
      this.starts.push(from + at);
      this.ends.push(from + at + 1);
    }
  }

  /** Puts a text in the place of a piece. */
  put(text: string, from: number, to: number): void {
    this.text += text;
    for (let at = 0; at < text.length; at++) {
      this.starts.push(from);
      this.ends.push(to);
    }
  }

  startOf(at: number): number {
    return this.starts[at] ?? 0;
  }

  endOf(at: number): number {
    return this.ends[at - 1] ?? 0;
  }
}
