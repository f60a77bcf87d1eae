/** The built-in sets: what keys, addresses and numbers look like, with their own checks where they have any. */
import type { DetectorName } from './guardrail.ts';
import type { SearchText } from './search-text.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
}

export interface Detector {
  readonly name: string;
  /** What is found of a piece of a text, by places in it as it was `given`; undefined between two steps of a few milliseconds. */
  find(read: SearchText, given: string): Iterable<Found | undefined>;
  /** Where in a text as it reads a match may have begun that the text does not have to its end yet; its length when there is none. */
  holdFrom(text: string): number;
  /** One step of a hostile text may take tens of milliseconds. */
  readonly isSlow?: boolean;
}

interface BuiltIn {
  readonly name: DetectorName;
  /** With `g`; every repetition is bounded, and none stands in another one. */
  readonly pattern: RegExp;
  /** How much of what looks like one is one, from its beginning; 0: it is none. Absent: all of it. */
  readonly fit?: (text: string) => number;
  readonly holdFrom: (text: string) => number;
}

/** Places that are tried in one step. */
const STEP = 2048;

function detector({ name, pattern, fit, holdFrom }: BuiltIn): Detector {
  return {
    name,
    holdFrom,
    *find({ text, startOf, endOf }) {
      const search = new RegExp(pattern);
      let tried = 0;
      for (let match = search.exec(text); match !== null; match = search.exec(text)) {
        const length = fit?.(match[0]) ?? match[0].length;
        if (length > 0) yield { start: startOf(match.index), end: endOf(match.index + length) };
        // One that is none may have another within it.
        search.lastIndex = match.index + Math.max(1, length);
        if (++tried % STEP === 0) yield undefined;
      }
      yield undefined;
    },
  };
}

const LONGEST_TOKEN = 512;
const LONGEST_RUN = 64;
const LONGEST_PRIVATE_KEY = 16_384;

/** A match has no blank in it: it may have begun with the last word. */
function lastWord(text: string): number {
  for (let at = text.length; at > Math.max(0, text.length - LONGEST_TOKEN); at--)
    if (/\s/.test(text[at - 1] ?? '')) return at;
  return Math.max(0, text.length - LONGEST_TOKEN);
}

/** A match has blanks in it: it may have begun with the run of such characters at the end. */
function lastRun(run: RegExp): (text: string) => number {
  return (text) => {
    const from = Math.max(0, text.length - LONGEST_RUN);
    const found = run.exec(text.slice(from));
    return Math.min(lastWord(text), found === null ? text.length : from + found.index);
  };
}

const API_KEY = [
  'sk-[A-Za-z0-9_-]{20,200}',
  '(?:AKIA|ASIA)[0-9A-Z]{16}',
  'gh[pousr]_[A-Za-z0-9]{36,255}',
  'github_pat_[A-Za-z0-9_]{22,255}',
  'xox[abeprs]-[A-Za-z0-9-]{10,200}',
  'AIza[0-9A-Za-z_-]{35}',
  'ya29\\.[0-9A-Za-z_-]{20,255}',
  'glpat-[A-Za-z0-9_-]{20,64}',
  'npm_[A-Za-z0-9]{36}',
  '(?:sk|pk|rk)_(?:live|test)_[0-9A-Za-z]{16,200}',
  'whsec_[A-Za-z0-9+/=]{20,120}',
  'hf_[A-Za-z0-9]{30,64}',
  'SG\\.[\\w-]{22}\\.[\\w-]{43}',
  'eyJ[A-Za-z0-9_-]{10,255}\\.eyJ[A-Za-z0-9_-]{10,255}\\.[A-Za-z0-9_-]{10,255}',
].join('|');

export const BUILT_IN: Readonly<Record<DetectorName, Detector>> = {
  api_key: detector({
    name: 'api_key',
    pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${API_KEY})`, 'g'),
    holdFrom: lastWord,
  }),
  private_key: detector({
    name: 'private_key',
    // Without its end the key goes on to where the text does.
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:[^-]|-(?!----)){0,16000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?)/g,
    holdFrom(text) {
      const begin = text.lastIndexOf('-----BEGIN ');
      const isOpen = begin !== -1 && !/-----END [A-Z ]{0,30}-----/.test(text.slice(begin));
      const from = isOpen ? begin : Math.min(lastWord(text), text.length - beginningAtEnd(text));
      return Math.max(from, text.length - LONGEST_PRIVATE_KEY);
    },
  }),
  email: detector({
    name: 'email',
    pattern: /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g,
    holdFrom: lastWord,
  }),
  phone: detector({
    name: 'phone',
    // International, or written as people group it: plain digits may be anything.
    pattern:
      /(?<![\w+.])(?:\+\d(?:[ .\-/()]{0,2}\d){7,14}|\(\d{2,5}\)[ .\-/]?\d{3,4}[ .\-/]\d{3,4}|\d{3}[.-]\d{3}[.-]\d{4})(?!\w)/g,
    holdFrom: lastRun(/[+(\d][\d ().\-/]{0,40}$/),
  }),
  credit_card: detector({
    name: 'credit_card',
    pattern: /(?<![\d.])\d(?:[ \n-]?\d){12,18}(?![\d])/g,
    // A date or a number of three digits may stand behind it.
    fit: cardAtFront,
    holdFrom: lastRun(/\d[\d \n-]{0,40}$/),
  }),
  iban: detector({
    name: 'iban',
    pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \n]?[A-Z0-9]{4}){2,7}(?:[ \n]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
    fit: ibanAtFront,
    holdFrom: lastRun(/(?<![A-Za-z0-9])[A-Z]{2}\d{2}[A-Z0-9 \n]{0,44}$/),
  }),
};

/** How many characters of `-----BEGIN` the text ends with. */
function beginningAtEnd(text: string): number {
  const head = '-----BEGIN ';
  for (let length = head.length - 1; length > 0; length--) if (text.endsWith(head.slice(0, length))) return length;
  return 0;
}

const LEAST_DIGITS = 13;
const MOST_DIGITS = 19;
/** Of the digits up to one: where they end, and their check sums with every digit at an even or an odd place doubled. */
const ends = new Int32Array(MOST_DIGITS);
const doubledSums = [new Int32Array(MOST_DIGITS), new Int32Array(MOST_DIGITS)] as const;

/** The longest card that the text begins with, of whole groups; 0 when there is none. */
function cardAtFront(text: string): number {
  let count = 0;
  let sums: [even: number, odd: number] = [0, 0];
  let any = 0;
  for (let at = 0; at < text.length && count < MOST_DIGITS; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) continue;
    any |= digit;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    sums = count % 2 === 0 ? [sums[0] + doubled, sums[1] + digit] : [sums[0] + digit, sums[1] + doubled];
    ends[count] = at + 1;
    doubledSums[0][count] = sums[0];
    doubledSums[1][count] = sums[1];
    count++;
  }
  if (any === 0) return 0;
  for (let digits = count; digits >= LEAST_DIGITS; digits--) {
    const end = ends[digits - 1] ?? 0;
    // The next digit belongs to the same group.
    if (digits < count && ends[digits] === end + 1) continue;
    // From the right, every second digit is doubled.
    const sum = doubledSums[digits % 2 === 0 ? 0 : 1][digits - 1] ?? 1;
    if (sum % 10 === 0 && isWrittenAsOne(text, end)) return end;
  }
  return 0;
}

/** One line break at most, and then between groups as cards have them: columns of numbers are no cards. */
function isWrittenAsOne(text: string, end: number): boolean {
  const first = text.indexOf('\n');
  if (first === -1 || first >= end) return true;
  const card = text.slice(0, end);
  return card.indexOf('\n', first + 1) === -1 && card.split(/[ \n-]/).every(({ length }) => length > 2);
}

/** The IBAN that the text begins with, as long as its country has them; 0 when there is none. */
function ibanAtFront(text: string): number {
  const most = IBAN_LENGTHS.get(text.slice(0, 2));
  if (most === undefined) return 0;
  let plain = '';
  let end = 0;
  while (end < text.length && plain.length < most) {
    const character = text[end++] ?? '';
    if (character !== ' ' && character !== '\n') plain += character;
  }
  if (plain.length < most || /[A-Za-z0-9]/.test(text[end] ?? '')) return 0;
  return isIban(plain) ? end : 0;
}

/** ISO 13616: the first four behind the rest, letters as numbers, one left over by 97. */
function isIban(plain: string): boolean {
  let rest = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** By country, as SWIFT registers them. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  [
    [15, 'NO'],
    [16, 'BE'],
    [18, 'DK FO FI GL NL SD FK'],
    [19, 'MK SI'],
    [20, 'AT BA EE KZ LT LU MN XK'],
    [21, 'HR LV LI CH'],
    [22, 'BH BG CR GE DE GB IE ME RS VA'],
    [23, 'AE IL IQ TL OM SO GI'],
    [24, 'AD CZ MD PK RO SA SK ES SE TN VG'],
    [25, 'PT ST LY'],
    [26, 'IS TR'],
    [27, 'BI FR GR IT MC MR SM DJ'],
    [28, 'AL AZ BY CY DO SV GT HU LB NI PL'],
    [29, 'BR EG PS QA UA'],
    [30, 'JO KW MU YE'],
    [31, 'MT SC'],
    [32, 'LC'],
    [33, 'RU'],
  ].flatMap(([length, countries]) =>
    String(countries)
      .split(' ')
      .map((country) => [country, Number(length)] as const),
  ),
);
