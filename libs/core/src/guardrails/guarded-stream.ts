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
  lastEvent: number;
}

/** The guard of one stream. */
export class StreamGuard implements Sink {
  private readonly options: StreamGuardOptions;
  private readonly blocks = createEventBlocks();
  private readonly lanes = new Map<string, Lane>();
  private readonly queue: Entry[] = [];
  private eventCount = 0;
  private ended = false;
  /** What goes to the sink with the next write. */
  private out = '';

  constructor(options: StreamGuardOptions) {
    this.options = options;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isOver()) return true;
    const passing = this.blocks.add(chunk);
    if (passing !== undefined) return this.options.sink.write(passing);
    for (let block = this.blocks.next(); block !== undefined && !this.isOver(); block = this.blocks.next()) {
      this.push(block);
      this.release();
    }
    if (this.blocks.begun() > LARGEST_EVENT && !this.isOver()) this.refuse();
    return this.send();
  }

  drained(): Promise<void> {
    return this.options.sink.drained();
  }

  /** Says what is left. */
  end(): void {
    this.settleAll();
    this.release();
    this.send();
  }

  /** Asked anew each time: it changes within the calls of a function. */
  private isOver(): boolean {
    return this.ended;
  }

  private push(block: string): void {
    const data = dataOf(block);
    const entry: Entry = { raw: block, data, held: 0, isChanged: false };
    this.queue.push(entry);
    this.eventCount++;
    if (data !== undefined) this.take(entry, data);
    else if (isDone(block)) this.settleAll();
  }

  private take(entry: Entry, data: JsonObject): void {
    const { pieces, wholes, closes } = this.options.dialect.texts.inEvent(data);
    for (const { lane, of, ...place } of pieces) this.addPiece(lane, of, place, entry);
    for (const place of wholes) if (!this.maskWhole(place, entry)) return;
    this.settleLanes(closes === 'all' ? this.lanes.keys() : closes, true);
    this.settleLanes(new Set(pieces.map(({ lane }) => lane)), false);
  }

  private addPiece(name: string, of: string, place: TextPlace, entry: Entry): void {
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = { of, before: '', text: '', pieces: [], lastEvent: 0 };
      this.lanes.set(name, lane);
    }
    if (lane.of !== of) {
      this.settle(lane, true);
      Object.assign(lane, { of, before: '' });
    }
    const piece = textAt(place);
    lane.lastEvent = this.eventCount;
    lane.pieces.push({ place, entry, from: lane.text.length, to: lane.text.length + piece.length });
    lane.text += piece;
    // What is only observed goes on at once.
    if (this.options.scanner.isActing) entry.held++;
  }

  /** False where the stream ends with it. */
  private maskWhole(place: TextPlace, entry: Entry): boolean {
    const text = textAt(place);
    const matches = this.options.scanner.find(text);
    if (!this.report(matches)) return false;
    if (matches.some(({ mode }) => mode === 'mask')) {
      putText(place, masked(text, matches, place.isJson));
      entry.isChanged = true;
    }
    return true;
  }

  private settleAll(): void {
    this.settleLanes(this.lanes.keys(), true);
  }

  private settleLanes(names: Iterable<string>, isEnd: boolean): void {
    for (const name of names) {
      const lane = this.lanes.get(name);
      if (lane !== undefined && !this.isOver()) this.settle(lane, isEnd);
    }
  }

  /** Decides as much of a text as can be decided; all of it when it has ended. */
  private settle(lane: Lane, isEnd: boolean): void {
    const { scanner } = this.options;
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
    if (!this.report(decided)) return;
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
  }

  /** Tells of matches; false where the stream ends with them. */
  private report(matches: readonly Match[]): boolean {
    if (matches.length === 0 || this.options.found(matches)) return true;
    this.refuse();
    return false;
  }

  private refuse(): void {
    // What is held back was not let through.
    this.queue.length = 0;
    this.ended = true;
    this.out += this.options.refusal();
  }

  private release(): void {
    if (this.isOver()) return;
    const { lanes, queue } = this;
    for (const lane of lanes.values())
      if (this.eventCount - lane.lastEvent > FORGOTTEN_AFTER && !this.isOver()) this.settle(lane, true);
    for (let entry = queue[0]; entry !== undefined && entry.held === 0; entry = queue[0]) {
      queue.shift();
      this.out += entry.isChanged && entry.data !== undefined ? rewritten(entry.raw, entry.data) : entry.raw;
    }
  }

  private send(): boolean {
    const { out } = this;
    if (out === '') return true;
    this.out = '';
    return this.options.sink.write(out);
  }
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
