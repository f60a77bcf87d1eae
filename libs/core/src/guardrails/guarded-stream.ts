/**
 * A chat stream on its way to its caller, looked through: its events are held back, whole and in their order, as long as a text in them may
 * go on to something that is looked for. Nothing is added and nothing taken away, so that numbers and orders of events stay as they are.
 */
import type { JsonObject } from '@model-gateway/contracts';
import { putText, textAt, type ChatDialect, type TextPlace } from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';
import { createEventBlocks, dataOf, isDone, rewritten } from './event-blocks.ts';
import { masked, maskOf, type Match, type Scanner } from './scanner.ts';

/** An event that has not ended after so many characters never will. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** Events after which a text that nobody went on with is taken to have ended: others wait behind it. */
const FORGOTTEN_AFTER = 256;

export interface StreamGuard extends Sink {
  /** Says what is left. */
  end(): void;
}
export interface StreamGuardOptions {
  readonly dialect: ChatDialect;
  readonly scanner: Scanner;
  readonly sink: Sink;
  /** Told of every match once; false: the stream ends here, with what `refusal` says. */
  readonly found: (matches: readonly Match[]) => boolean;
  readonly refusal: () => string;
}

interface Entry {
  readonly raw: string;
  readonly data: JsonObject | undefined;
  /** Pieces that are held back. */
  held: number;
  isChanged: boolean;
}
interface Piece {
  readonly place: TextPlace;
  readonly entry: Entry;
  /** Places in the text of the lane. */
  readonly from: number;
  readonly to: number;
}
/** A text that is being said. */
interface Lane {
  of: string;
  /** The character before the text: what stands there decides whether a word begins. */
  before: string;
  /** What is not decided yet. */
  text: string;
  pieces: Piece[];
  /** The event in which it last went on. */
  saidAt: number;
}

/** Makes the guard of one stream. */
export function createStreamGuard({ dialect, scanner, sink, found, refusal }: StreamGuardOptions): StreamGuard {
  const blocks = createEventBlocks();
  const lanes = new Map<string, Lane>();
  const queue: Entry[] = [];
  let count = 0;
  let over = false;
  const isOver = (): boolean => over;
  let out = '';

  const stop = (): void => {
    // What is held back was not let through.
    queue.length = 0;
    over = true;
    out += refusal();
  };
  const report = (matches: readonly Match[]): boolean => {
    if (matches.length === 0 || found(matches)) return true;
    stop();
    return false;
  };

  /** Decides as much of a text as can be decided; all of it when it has ended. */
  const settle = (lane: Lane, isEnd: boolean): void => {
    const { before, text } = lane;
    if (text === '') return;
    let to = isEnd ? text.length : Math.min(scanner.holdFrom(text), text.length);
    if (to === 0) return;
    const matches = scanner
      .find(before + text, before.length)
      .map((match) => ({ ...match, start: match.start - before.length, end: match.end - before.length }));
    if (!isEnd) for (const { start, end } of matches) if (start < to && end > to) to = start;
    to = wholePieces(lane, matches, to);
    if (to === 0) return;
    const decided = matches.filter(({ end }) => end <= to);
    if (!report(decided)) return;
    for (const piece of lane.pieces) {
      if (piece.to > to) break;
      rewrite(piece, text, decided);
      if (scanner.isActing) piece.entry.held--;
    }
    lane.pieces = lane.pieces
      .filter((piece) => piece.to > to)
      .map((piece) => ({ ...piece, from: piece.from - to, to: piece.to - to }));
    lane.before = text.slice(Math.max(0, to - 1), to);
    lane.text = text.slice(to);
  };

  const take = (entry: Entry, data: JsonObject): void => {
    const { pieces, wholes, closes } = dialect.texts.inEvent(data);
    for (const { lane: name, of, ...place } of pieces) {
      let lane = lanes.get(name);
      if (lane === undefined) lanes.set(name, (lane = { of, before: '', text: '', pieces: [], saidAt: 0 }));
      if (lane.of !== of) {
        settle(lane, true);
        Object.assign(lane, { of, before: '' });
      }
      const piece = textAt(place);
      lane.saidAt = count;
      lane.pieces.push({ place, entry, from: lane.text.length, to: lane.text.length + piece.length });
      lane.text += piece;
      // What is only observed goes on at once.
      if (scanner.isActing) entry.held++;
    }
    for (const place of wholes) {
      const text = textAt(place);
      const matches = scanner.find(text);
      if (!report(matches)) return;
      if (!matches.some(({ mode }) => mode === 'mask')) continue;
      putText(place, masked(text, matches, place.isJson));
      entry.isChanged = true;
    }
    const ended = closes === 'all' ? [...lanes.keys()] : closes;
    for (const name of ended) {
      const lane = lanes.get(name);
      if (lane !== undefined && !isOver()) settle(lane, true);
    }
    for (const name of new Set(pieces.map(({ lane }) => lane))) {
      const lane = lanes.get(name);
      if (lane !== undefined && !isOver()) settle(lane, false);
    }
  };

  const release = (): void => {
    for (const lane of lanes.values()) if (count - lane.saidAt > FORGOTTEN_AFTER && !isOver()) settle(lane, true);
    for (let entry = queue[0]; entry !== undefined && entry.held === 0; entry = queue[0]) {
      queue.shift();
      out += entry.isChanged && entry.data !== undefined ? rewritten(entry.raw, entry.data) : entry.raw;
    }
  };

  const push = (block: string): void => {
    const data = dataOf(block);
    const entry: Entry = { raw: block, data, held: 0, isChanged: false };
    queue.push(entry);
    count++;
    if (data !== undefined) take(entry, data);
    else if (isDone(block)) for (const lane of lanes.values()) if (!isOver()) settle(lane, true);
  };

  const say = (): boolean => {
    if (out === '') return true;
    const said = out;
    out = '';
    return sink.write(said);
  };

  return {
    write(chunk) {
      if (isOver()) return true;
      const passing = blocks.add(chunk);
      if (passing !== undefined) return sink.write(passing);
      for (let block = blocks.next(); block !== undefined && !isOver(); block = blocks.next()) {
        push(block);
        if (!isOver()) release();
      }
      if (blocks.begun() > LARGEST_EVENT && !isOver()) stop();
      return say();
    },
    drained: () => sink.drained(),
    end() {
      if (!isOver()) {
        for (const lane of lanes.values()) if (!isOver()) settle(lane, true);
        if (!isOver()) release();
      }
      say();
    },
  };
}

/** Pieces are let go whole, and a match with all of its pieces. */
function wholePieces({ pieces }: Lane, matches: readonly Match[], most: number): number {
  let to = most;
  for (;;) {
    const cut = pieces.find((piece) => piece.from < to && piece.to > to);
    const split = matches.find(({ start, end }) => start < (cut?.from ?? to) && end > (cut?.from ?? to));
    if (cut === undefined && split === undefined) return to;
    to = Math.min(cut?.from ?? to, split?.start ?? to);
  }
}

/** The mask stands where a match begins; what of it is in later pieces is taken out of them. */
function rewrite({ place, entry, from, to }: Piece, text: string, matches: readonly Match[]): void {
  let out = '';
  let at = from;
  for (const match of matches) {
    if (match.mode !== 'mask' || match.end <= from || match.start >= to) continue;
    out += text.slice(at, Math.max(at, match.start));
    if (match.start >= from) out += maskOf(match, text, place.isJson);
    at = Math.min(to, match.end);
    entry.isChanged = true;
  }
  if (at > from || out !== '') putText(place, out + text.slice(at, to));
}
