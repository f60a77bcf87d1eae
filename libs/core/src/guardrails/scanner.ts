/** Finds what guardrails look for in a text, and where a text that goes on must be held back. */
import { BUILT_IN, type Detector, type Found } from './detectors.ts';
import type { Guardrail, GuardrailMode, GuardrailPattern } from './guardrail.ts';
import { compilePattern, LONGEST_MATCH, SLOW_STEPS } from './pattern-fault.ts';
import { openEscape, searchText, type SearchText } from './search-text.ts';
import { wordDetector } from './word-detector.ts';

export interface Match {
  readonly start: number;
  readonly end: number;
  /** `email`, the name of a pattern, `word`. */
  readonly label: string;
  readonly guardrail: string;
  readonly mode: GuardrailMode;
}

/** How a text is looked through. */
export interface Looking {
  /** None that begins before it. */
  readonly from?: number;
  /** The text is JSON, or a piece of it: its escapes stand for what they mean. */
  readonly isJson?: boolean;
}

export interface LookedText extends Looking {
  readonly text: string;
}

export interface Scanner {
  readonly guardrails: readonly Guardrail[];
  /** Matches in their order, which do not overlap. For short texts: it takes as long as it takes. */
  find(text: string, looking?: Looking): readonly Match[];
  /** The same in steps of a few milliseconds, between which others may have a turn. */
  steps(text: string, looking?: Looking): Generator<undefined, readonly Match[]>;
  /** Where a match may have begun that ends behind the text; its length when there is none. */
  holdFrom(text: string, isJson?: boolean): number;
  /** Whether anything is changed or refused: what is only observed need not be held back. */
  readonly isActing: boolean;
  /** One step of a hostile text may take tens of milliseconds. */
  readonly isSlow: boolean;
}

/** A text is looked through in pieces of so many characters, each cut where no match goes on. */
const PIECE = 20 * 1024;
/** Operators' patterns see so many characters at a time, each time the longest match of the time before. */
const WINDOW = 2 * LONGEST_MATCH;
const STRICTNESS: Readonly<Record<GuardrailMode, number>> = { observe: 0, mask: 1, refuse: 2 };

interface Looker {
  readonly guardrail: Guardrail;
  readonly detector: Detector;
}

const made = new WeakMap<Guardrail, readonly Detector[]>();

/** What looks for everything that these guardrails look for. */
export function scannerOf(guardrails: readonly Guardrail[]): Scanner {
  return new TextScanner(guardrails);
}

class TextScanner implements Scanner {
  readonly guardrails: readonly Guardrail[];
  readonly isActing: boolean;
  readonly isSlow: boolean;
  private readonly lookers: readonly Looker[];

  constructor(guardrails: readonly Guardrail[]) {
    this.guardrails = guardrails;
    this.isActing = guardrails.some(({ mode }) => mode !== 'observe');
    this.lookers = guardrails.flatMap((guardrail) =>
      detectorsOf(guardrail).map((detector) => ({ guardrail, detector })),
    );
    this.isSlow = this.lookers.some(({ detector }) => detector.isSlow === true);
  }

  find(text: string, looking?: Looking): readonly Match[] {
    const steps = this.steps(text, looking);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  *steps(text: string, { from = 0, isJson = false }: Looking = {}): Generator<undefined, readonly Match[]> {
    const found: Match[] = [];
    for (let at = 0; at < text.length;) {
      // What stands before a match decides whether a word begins there.
      const before = Math.min(at, 1);
      const piece = text.slice(at - before, at + PIECE);
      const isLast = at + PIECE >= text.length;
      let to = isLast ? piece.length : this.holdFrom(piece, isJson);
      if (to <= before) to = piece.length;
      const own = withoutOverlaps(yield* this.inPiece(piece, isJson)).filter(
        ({ start }) => start >= before && start < to,
      );
      to = Math.max(to, own.at(-1)?.end ?? 0);
      const shift = at - before;
      for (const match of own)
        if (match.start + shift >= from) found.push({ ...match, start: match.start + shift, end: match.end + shift });
      at = shift + to;
      if (!isLast) yield;
    }
    return found;
  }

  holdFrom(text: string, isJson = false): number {
    const read = searchText(text, isJson);
    let least = openEscape(text);
    for (const { detector } of this.lookers) {
      const place = detector.holdFrom(read.text);
      if (place < read.text.length) least = Math.min(least, read.startOf(place));
    }
    return least;
  }

  private *inPiece(piece: string, isJson: boolean): Generator<undefined, readonly Match[]> {
    const read = searchText(piece, isJson);
    const found: Match[] = [];
    for (const { guardrail, detector } of this.lookers) {
      const { name: label } = detector;
      const about = { label, guardrail: guardrail.name, mode: guardrail.mode };
      for (const match of detector.find(read, piece)) {
        if (match === undefined) yield;
        else found.push({ ...match, ...about });
      }
    }
    return found;
  }
}

function detectorsOf(guardrail: Guardrail): readonly Detector[] {
  let detectors = made.get(guardrail);
  if (detectors === undefined) {
    const { detect, patterns, words } = guardrail;
    detectors = [
      ...detect.map((name) => BUILT_IN[name]),
      ...patterns.map((pattern) => new PatternDetector(pattern)),
      ...(words.length > 0 ? [wordDetector(words)] : []),
    ];
    made.set(guardrail, detectors);
  }
  return detectors;
}

/** A pattern of the operator's: it is looked for in the text as it is written, and as it reads, with a blank for every line break. */
class PatternDetector implements Detector {
  readonly name: string;
  readonly isSlow: boolean;
  private readonly pattern: ReturnType<typeof compilePattern>;

  constructor({ name, pattern }: GuardrailPattern) {
    this.name = name;
    this.pattern = compilePattern(pattern);
    this.isSlow = this.pattern.programSize() > SLOW_STEPS;
  }

  holdFrom(text: string): number {
    return Math.max(0, text.length - LONGEST_MATCH);
  }

  *find(read: SearchText, given: string): Generator<Found | undefined> {
    const flat = read.text.replaceAll('\n', ' ');
    for (const found of this.inWindows(flat))
      yield found && { start: read.startOf(found.start), end: read.endOf(found.end) };
    if (given !== flat) yield* this.inWindows(given);
  }

  private *inWindows(text: string): Generator<Found | undefined> {
    const found = new Map<number, number>();
    for (let at = 0; at < text.length; at += WINDOW - LONGEST_MATCH) {
      const window = text.slice(at, at + WINDOW);
      // Most windows have none, which is said much sooner than where one is.
      if (this.pattern.test(window)) {
        const matcher = this.pattern.matcher(window);
        while (matcher.find()) {
          const start = at + matcher.start();
          const end = at + matcher.end();
          if (end > start) found.set(start, Math.max(end, found.get(start) ?? 0));
          yield;
        }
      }
      yield;
      if (at + WINDOW >= text.length) break;
    }
    for (const [start, end] of found) yield { start, end };
  }
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
