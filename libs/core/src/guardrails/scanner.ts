/** Finds what guardrails look for in a text, and where a text that goes on must be held back. */
import { BUILT_IN, type Detector } from './detectors.ts';
import type { Guardrail, GuardrailMode, GuardrailPattern } from './guardrail.ts';
import { LONGEST_MATCH } from './pattern-fault.ts';

export interface Match {
  readonly start: number;
  readonly end: number;
  /** `email`, the name of a pattern, `word`. */
  readonly label: string;
  readonly guardrail: string;
  readonly mode: GuardrailMode;
}

export interface Scanner {
  /** Matches in their order, which do not overlap. `from`: none that begins before it. */
  find(text: string, from?: number): readonly Match[];
  /** Where a match may have begun that ends behind the text; its length when there is none. */
  holdFrom(text: string): number;
  /** Whether anything is changed or refused: what is only observed need not be held back. */
  readonly isActing: boolean;
}

/** Texts are looked through by operators' patterns in windows of so many characters, each with the longest match of the one before. */
const WINDOW = 2048;
const STRICTNESS: Readonly<Record<GuardrailMode, number>> = { observe: 0, mask: 1, refuse: 2 };

const made = new WeakMap<Guardrail, readonly Detector[]>();

/** What looks for everything that these guardrails look for. */
export function scannerOf(guardrails: readonly Guardrail[]): Scanner {
  const all = guardrails.flatMap((guardrail) => detectorsOf(guardrail).map((detector) => ({ guardrail, detector })));
  return {
    isActing: guardrails.some(({ mode }) => mode !== 'observe'),
    find(text, from = 0) {
      const found = all.flatMap(({ guardrail: { name, mode }, detector }) =>
        matchesOf(detector, text)
          .filter(({ start }) => start >= from)
          .map((match): Match => ({ ...match, label: detector.name, guardrail: name, mode })),
      );
      return withoutOverlaps(found);
    },
    holdFrom: (text) => all.reduce((least, { detector }) => Math.min(least, detector.holdFrom(text)), text.length),
  };
}

function detectorsOf(guardrail: Guardrail): readonly Detector[] {
  let detectors = made.get(guardrail);
  if (detectors === undefined) {
    const { detect, patterns, words } = guardrail;
    detectors = [
      ...detect.map((name) => BUILT_IN[name]),
      ...patterns.map(ownDetector),
      ...(words.length > 0 ? [wordDetector(words)] : []),
    ];
    made.set(guardrail, detectors);
  }
  return detectors;
}

function ownDetector({ name, pattern }: GuardrailPattern): Detector {
  return {
    name,
    pattern: new RegExp(pattern, 'gu'),
    holdFrom: (text) => Math.max(0, text.length - LONGEST_MATCH),
  };
}

/** Words as people write them: what is no letter or digit stands around them. */
function wordDetector(words: readonly string[]): Detector {
  const longestFirst = [...words].sort((left, right) => right.length - left.length);
  const escaped = longestFirst.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const longest = longestFirst[0]?.length ?? 0;
  const beginnings = new Set(
    words.flatMap((word) => Array.from({ length: word.length }, (_, end) => word.slice(0, end + 1).toLowerCase())),
  );
  return {
    name: 'word',
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu'),
    holdFrom(text) {
      const tail = text.slice(-longest).toLowerCase();
      for (let at = 0; at < tail.length; at++)
        if (beginnings.has(tail.slice(at))) return text.length - tail.length + at;
      return text.length;
    },
  };
}

type Found = Pick<Match, 'start' | 'end'>;

function matchesOf(detector: Detector, text: string): readonly Found[] {
  const isBuiltIn =
    Object.hasOwn(BUILT_IN, detector.name) && BUILT_IN[detector.name as keyof typeof BUILT_IN] === detector;
  if (isBuiltIn || detector.name === 'word' || text.length <= WINDOW) return matchesIn(detector, text, 0);
  const found = new Map<number, Found>();
  for (let at = 0; at < text.length; at += WINDOW - LONGEST_MATCH)
    for (const match of matchesIn(detector, text.slice(at, at + WINDOW), at)) {
      const known = found.get(match.start);
      if (known === undefined || known.end < match.end) found.set(match.start, match);
    }
  return [...found.values()];
}

function matchesIn(detector: Detector, text: string, at: number): readonly Found[] {
  const found: Found[] = [];
  const search = new RegExp(detector.pattern);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const length = detector.fit?.(match[0]) ?? match[0].length;
    if (length > 0) found.push({ start: at + match.index, end: at + match.index + length });
    // One that is none may have another within it.
    search.lastIndex = match.index + Math.max(1, length);
  }
  return found;
}

/** What overlaps is one match, as strict as the strictest of them. */
function withoutOverlaps(found: readonly Match[]): readonly Match[] {
  const kept: Match[] = [];
  for (const match of [...found].sort((left, right) => left.start - right.start || right.end - left.end)) {
    const last = kept.at(-1);
    if (last === undefined || last.end <= match.start) kept.push(match);
    else {
      const stricter = STRICTNESS[match.mode] > STRICTNESS[last.mode] ? match : last;
      kept[kept.length - 1] = { ...stricter, start: last.start, end: Math.max(last.end, match.end) };
    }
  }
  return kept;
}

/** What stands for a match. Digits in JSON may be a number: they become one. */
export function maskOf(match: Match, text: string, isJson = false): string {
  return isJson && /^\d+$/.test(text.slice(match.start, match.end)) ? '0' : `[${match.label}]`;
}

/** The text with what is to be masked masked. */
export function masked(text: string, matches: readonly Match[], isJson = false): string {
  let out = '';
  let at = 0;
  for (const match of matches) {
    if (match.mode !== 'mask') continue;
    out += text.slice(at, match.start) + maskOf(match, text, isJson);
    at = match.end;
  }
  return out + text.slice(at);
}
