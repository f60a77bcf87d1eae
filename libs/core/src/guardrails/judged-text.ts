/** One text of a stream while it is said: what of it has been judged, what waits, and what of it is judged again. */
import { putText, textAt, type TextPlace } from '@model-gateway/translate';

/** What of a window's end is judged again with what follows it. */
export const OVERLAP = 256;
/** So much waits at most for what would change its end, or for the end of arguments. */
const MOST_HELD = 64 * 1024;

/** Characters that say for sure where in a changed text one is; and so many ends of pieces are looked at for them. */
const ANCHOR = 8;
const MOST_ENDS = 64;

/** An event that waits for its texts. */
export interface HeldEvent {
  /** Texts of it that nobody has decided about. */
  held: number;
  isChanged: boolean;
}
export interface Held {
  readonly place: TextPlace;
  readonly event: HeldEvent;
}
interface Piece extends Held {
  readonly from: number;
  readonly to: number;
}

/** What is to be judged of a text now. */
export interface Undecided {
  readonly text: string;
  /** It has been judged as it is. */
  readonly isJudged: boolean;
  /** The whole text, where it ends with this. */
  readonly ends?: string;
  /** Takes what was said to it: `changed` stands in its place. */
  readonly settle: (changed: string) => void;
}
export interface JudgedText {
  readonly of: string;
  readonly isEnded: boolean;
  /** Returns how much longer it is now. */
  add(held: Held, at: number): number;
  /** The event in which it last went on. */
  saidAt(): number;
  end(): void;
  /** Undefined where there is nothing, and of arguments before they are whole. */
  undecided(): Undecided | undefined;
  /** What it was and what of it was let through, once all of it was. */
  saidInAll(): { readonly full: string; readonly said: string } | undefined;
}

/** Begins a text. */
export function createJudgedText({ of, isJson }: { readonly of: string; readonly isJson: boolean }): JudgedText {
  let full = '';
  let said = '';
  let text = '';
  let pieces: Piece[] = [];
  let saidAt = 0;
  let isEnded = false;
  /** The text that waits when nothing was found in it. */
  let judged = '';

  /** Lets go of what is before a place; `changed` is what stands for that. */
  const letGo = (to: number, changed: string): void => {
    const gone = pieces.filter((piece) => piece.to <= to);
    write(gone, text.slice(0, to), changed);
    for (const { event } of gone) event.held--;
    pieces = pieces.slice(gone.length).map((piece) => ({ ...piece, from: piece.from - to, to: piece.to - to }));
    text = text.slice(to);
    said += changed;
  };
  const settle = (asked: string, isLast: boolean, changed: string): void => {
    if (isLast) return letGo(asked.length, changed);
    const { length } = text;
    const same = asked === changed ? asked.length : sameEnd(asked, changed);
    const mustGo = asked.length >= MOST_HELD;
    // Its end was changed: what follows it may belong to the same.
    if (same < OVERLAP) {
      const cut = unchangedBefore(asked, changed, pieces);
      if (cut !== undefined) return letGo(cut.to, changed.slice(0, cut.changedTo));
      if (!mustGo) return;
    }
    const most = asked.length - Math.min(same, OVERLAP);
    const to = pieces.findLast((piece) => piece.to <= most && asked.length - piece.to <= same)?.to ?? 0;
    if (to > 0) letGo(to, changed.slice(0, changed.length - (asked.length - to)));
    else if (mustGo) letGo(asked.length, changed);
    judged = asked === changed ? asked.slice(length - text.length) : '';
  };

  return {
    of,
    get isEnded() {
      return isEnded;
    },
    add({ place, event }, at) {
      const piece = textAt(place);
      event.held++;
      pieces.push({ place, event, from: text.length, to: text.length + piece.length });
      text += piece;
      full += piece;
      saidAt = at;
      return piece.length;
    },
    saidAt: () => saidAt,
    end() {
      isEnded = true;
    },
    undecided() {
      if (text === '' || (isJson && !isEnded && text.length < MOST_HELD)) return undefined;
      const asked = text;
      const isLast = isEnded;
      return {
        text: asked,
        isJudged: isLast && asked === judged,
        ...(isLast && { ends: full }),
        settle: (changed) =>
          settle(asked, isLast, isJson && isLast && said === '' ? keptJson(asked, changed) : changed),
      };
    },
    saidInAll: () => (isEnded && text === '' ? { full, said } : undefined),
  };
}

/**
 * The last end of a piece, far enough from the end of the text, that stands behind words which are there once and unchanged: what is before
 * them became what is before them in the changed text.
 */
function unchangedBefore(
  asked: string,
  changed: string,
  pieces: readonly Piece[],
): { readonly to: number; readonly changedTo: number } | undefined {
  const ends = pieces.flatMap(({ to }) => (to >= ANCHOR && to <= asked.length - OVERLAP ? to : []));
  for (const to of ends.slice(-MOST_ENDS).toReversed()) {
    const anchor = asked.slice(to - ANCHOR, to);
    const at = changed.indexOf(anchor);
    if (at !== -1 && at === changed.lastIndexOf(anchor) && asked.indexOf(anchor) === asked.lastIndexOf(anchor))
      return { to, changedTo: at + ANCHOR };
  }
  return undefined;
}

/** Puts what stands for a text in its place. */
export function putChanged({ place, event }: Held, text: string, changed: string): void {
  if (changed === text) return;
  putText(place, place.isJson === true ? keptJson(text, changed) : changed);
  event.isChanged = true;
}

/** Arguments that a mask left without their form have none: whoever reads them parses them. */
export function keptJson(text: string, changed: string): string {
  return isJson(text) && !isJson(changed) ? '{}' : changed;
}

/** What is the same at both ends stays in its pieces; what stands for the rest is put where that began. */
function write(pieces: readonly Piece[], text: string, changed: string): void {
  if (text === changed) return;
  const start = sameBeginning(text, changed);
  const behind = Math.min(sameEnd(text, changed), text.length - start, changed.length - start);
  const end = text.length - behind;
  let instead = changed.slice(start, changed.length - behind);
  const last = pieces.at(-1);
  for (const piece of pieces) {
    const { from, to, place, event } = piece;
    // Where something is only added it belongs to the piece that goes on there.
    const isTouched = start === end ? from <= start && (start < to || piece === last) : from < end && to > start;
    if (!isTouched) continue;
    const left = text.slice(from, Math.max(from, Math.min(start, to)));
    const right = text.slice(Math.min(to, Math.max(end, from)), to);
    putText(place, left + instead + right);
    event.isChanged = true;
    instead = '';
    if (start === end) return;
  }
}

function sameBeginning(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at++;
  return at;
}

function sameEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) length++;
  return length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
