/** Which regular expressions of operators may be run over strangers' texts: those whose time no text can blow up. */

/** Ways that one place of a text may be tried in. One repetition without end is as many as a window has characters. */
const MOST_WAYS = 1024;
/** Characters of the longest match that is found. */
export const LONGEST_MATCH = 512;
const LONGEST_PATTERN = 1000;

/** Why a pattern is refused; undefined when it is taken. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `has ${pattern.length} characters; at most ${LONGEST_PATTERN} are taken`;
  try {
    if (new RegExp(pattern, 'gu').test('')) return 'matches an empty text, and so everything';
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message.replace(/^.*: /, '') : ''}`;
  }
  if (/\\[1-9]|\\k</.test(pattern)) return 'refers back to a group (\\1), which may take any time';
  if (/\(\?<?[=!]/.test(pattern)) return 'looks ahead or behind; write what is to be found itself';
  const ways = waysOf(pattern);
  if (ways > MOST_WAYS)
    return `may be tried in too many ways on a hostile text: bound its repetitions ({1,20} in place of +), and do not repeat what repeats`;
  return undefined;
}

/** An upper bound of the ways in which a pattern can be tried at one place. */
function waysOf(pattern: string): number {
  const reader = { pattern, at: 0 };
  return alternatives(reader);
}

interface Reader {
  readonly pattern: string;
  at: number;
}

function alternatives(reader: Reader): number {
  let ways = sequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at++;
    ways += sequence(reader);
  }
  return ways;
}

function sequence(reader: Reader): number {
  let ways = 1;
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const inner = atom(reader);
    const [least, most] = repetition(reader);
    // What is repeated and has several ways itself has them anew each time.
    ways *= (most - least + 1) * (inner > 1 && most > 1 ? inner ** Math.min(most, 64) : inner);
    if (ways > MOST_WAYS) ways = Infinity;
  }
  return ways;
}

/** Reads one character, class or group; the ways in which it can be tried. */
function atom(reader: Reader): number {
  const { pattern } = reader;
  const first = pattern[reader.at++];
  if (first === '\\') {
    const escape = /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/s.exec(pattern.slice(reader.at));
    reader.at += escape?.[0].length ?? 1;
    return 1;
  }
  if (first === '[') {
    while (reader.at < pattern.length && pattern[reader.at] !== ']') reader.at += pattern[reader.at] === '\\' ? 2 : 1;
    reader.at++;
    return 1;
  }
  if (first !== '(') return 1;
  const head = /^\?(?::|<[^>]*>|[a-z-]*:)/.exec(pattern.slice(reader.at));
  reader.at += head?.[0].length ?? 0;
  const ways = alternatives(reader);
  reader.at++;
  return ways;
}

function repetition(reader: Reader): readonly [least: number, most: number] {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at));
  if (found === null) return [1, 1];
  reader.at += found[0].length;
  const [text, low = '', comma = '', high = ''] = found;
  if (text.startsWith('*')) return [0, LONGEST_MATCH];
  if (text.startsWith('+')) return [1, LONGEST_MATCH];
  if (text.startsWith('?')) return [0, 1];
  const least = Number(low);
  return [least, comma === '' ? least : high === '' ? least + LONGEST_MATCH : Number(high)];
}
