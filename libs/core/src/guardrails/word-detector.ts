/** Words and phrases as people write them: whole, whatever their case, over a line break too. */
import type { Detector, Found } from './detectors.ts';
import { searchText, type SearchText } from './search-text.ts';

/** Places that are looked at in one step. */
const STEP = 32 * 1024;
const LETTER = /[\p{L}\p{N}]/u;

/** Finds any of the words; what is no letter or digit stands around them. */
export function wordDetector(words: readonly string[]): Detector {
  return new WordDetector(words);
}

class WordDetector implements Detector {
  readonly name = 'word';
  private readonly words: ReadonlySet<string>;
  /** By their first characters: how long they are, the longest first. */
  private readonly lengths = new Map<string, number[]>();
  private readonly beginnings = new Set<string>();
  private readonly longest: number;

  constructor(words: readonly string[]) {
    const read = words.map((word) => reading(searchText(word).text).trim()).filter((word) => word !== '');
    this.longest = Math.max(0, ...read.map(({ length }) => length));
    this.words = new Set(read);
    for (const word of read.toSorted((left, right) => right.length - left.length)) {
      const lengths = this.lengths.get(word.slice(0, 2));
      if (lengths === undefined) this.lengths.set(word.slice(0, 2), [word.length]);
      else if (lengths.at(-1) !== word.length) lengths.push(word.length);
      for (let end = 1; end <= word.length; end++) this.beginnings.add(word.slice(0, end));
    }
  }

  /** A letter may still get a mark: with the last one left out it may be a beginning, too. */
  holdFrom(text: string): number {
    const tail = reading(text.slice(-this.longest - 1));
    for (let at = 0; at < tail.length; at++) {
      const end = tail.slice(at);
      if (this.beginnings.has(end) || (end.length > 1 && this.beginnings.has(end.slice(0, -1))))
        return text.length - tail.length + at;
    }
    return text.length;
  }

  *find(read: SearchText): Generator<Found | undefined> {
    const text = reading(read.text);
    for (let at = 0; at < text.length; at++) {
      if (at % STEP === STEP - 1) yield;
      const length = this.lengthAt(text, at);
      if (length === 0) continue;
      yield { start: read.startOf(at), end: read.endOf(at + length) };
      at += length - 1;
    }
  }

  /** How long the word at a place is; 0 where there is none. */
  private lengthAt(text: string, at: number): number {
    const one = this.lengths.get(text[at] ?? '') ?? [];
    const more = this.lengths.get(text.slice(at, at + 2)) ?? [];
    if ((one.length === 0 && more.length === 0) || isLetterBefore(text, at)) return 0;
    const fits = (length: number): boolean =>
      this.words.has(text.slice(at, at + length)) && !LETTER.test(letterAt(text, at + length));
    return more.find(fits) ?? one.find(fits) ?? 0;
  }
}

function letterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** Lower case, a blank for every line break, as long as the text is. */
function reading(text: string): string {
  const lower = text.replaceAll('\n', ' ').toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/./gsu, (letter) => {
    const small = letter === '\n' ? ' ' : letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}

function isLetterBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const code = text.charCodeAt(at - 1);
  const isLow = code >= 0xdc00 && code <= 0xdfff;
  return LETTER.test(isLow ? text.slice(at - 2, at) : (text[at - 1] ?? ''));
}
