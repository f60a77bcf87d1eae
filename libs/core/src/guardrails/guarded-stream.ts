/**
 * A chat stream on its way to its caller, looked through: its events are held back, whole and in their order, as long as a text in them may
 * go on to something that is looked for. Nothing is added and nothing taken away, so that numbers and orders of events stay as they are.
 */
import type { GatewayError, JsonObject } from '@model-gateway/contracts';
import { putText, textAt, type ChatDialect, type TextPiece, type TextPlace } from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';
import { createEventBlocks, dataOf, isDone, rewritten } from './event-blocks.ts';
import { notLookedThrough } from './guarded-texts.ts';
import type { FoundInTexts } from './scan-thread.ts';
import { masked, maskOf, type Match, type Scanner, type LookedText } from './scanner.ts';

/** An event that has not ended after so many characters never will. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** Events after which a text that nobody went on with is taken to have ended: others wait behind it. */
const FORGOTTEN_AFTER = 256;

export interface StreamGuardOptions {
  readonly dialect: ChatDialect;
  readonly scanner: Scanner;
  readonly sink: Sink;
  /** What is found in texts, at once where that is soon; undefined where they could not be looked through. */
  readonly find: (texts: readonly LookedText[]) => FoundInTexts | Promise<FoundInTexts | undefined>;
  /** Told of every match once; false: the stream ends here, with what `refusal` says. */
  readonly found: (matches: readonly Match[]) => boolean;
  readonly refusal: (error?: GatewayError) => string;
}

/** Work that stops where texts take long to look through, and goes on with what was found. */
type Work<T = void> = Generator<Promise<FoundInTexts | undefined>, T, FoundInTexts | undefined>;

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
  readonly lane: string;
  readonly of: string;
  readonly isJson: boolean;
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
  private readonly lanes = new Set<Lane>();
  private readonly queue: Entry[] = [];
  private eventCount = 0;
  private ended = false;
  /** Under way: what comes meanwhile waits for it. */
  private working: Promise<void> | undefined;
  private hasRoom = true;
  /** What goes to the sink with the next write. */
  private out = '';

  constructor(options: StreamGuardOptions) {
    this.options = options;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isOver()) return true;
    const passing = this.blocks.add(chunk);
    if (passing !== undefined) return this.options.sink.write(passing);
    if (this.underWay() !== undefined) return false;
    this.run(this.takeAll());
    return this.underWay() === undefined && this.hasRoom;
  }

  async drained(): Promise<void> {
    for (let work = this.underWay(); work !== undefined; work = this.underWay()) await work;
    if (!this.hasRoom) await this.options.sink.drained();
    this.hasRoom = true;
  }

  /** Says what is left. */
  async end(): Promise<void> {
    for (let work = this.underWay(); work !== undefined; work = this.underWay()) await work;
    this.run(this.finish());
    for (let work = this.underWay(); work !== undefined; work = this.underWay()) await work;
  }

  /** Asked anew each time: it changes within the calls of a function. */
  private isOver(): boolean {
    return this.ended;
  }

  /** Likewise. */
  private underWay(): Promise<void> | undefined {
    return this.working;
  }

  /** Works as far as it goes at once; what takes longer goes on by itself. */
  private run(work: Work, found?: FoundInTexts): void {
    const { done, value } = work.next(found);
    this.send();
    this.working = done === true ? undefined : this.goOn(work, value);
  }

  private async goOn(work: Work, searching: Promise<FoundInTexts | undefined>): Promise<void> {
    this.run(work, await searching);
  }

  private *takeAll(): Work {
    for (let block = this.blocks.next(); block !== undefined && !this.isOver(); block = this.blocks.next()) {
      yield* this.push(block);
      yield* this.release();
    }
    if (this.blocks.begun() > LARGEST_EVENT && !this.isOver()) this.refuse();
  }

  private *finish(): Work {
    yield* this.takeAll();
    yield* this.settleAll();
    yield* this.release();
  }

  /** What is found in a text; undefined where the stream has ended with it. */
  private *look(text: LookedText): Work<readonly Match[] | undefined> {
    const searched = this.options.find([text]);
    const found = searched instanceof Promise ? yield searched : searched;
    if (found !== undefined) return found[0] ?? [];
    const { scanner } = this.options;
    if (!scanner.isActing) return [];
    this.refuse(notLookedThrough(scanner, 'answer', [text]));
    return undefined;
  }

  private *push(block: string): Work {
    const data = dataOf(block);
    const entry: Entry = { raw: block, data, held: 0, isChanged: false };
    this.queue.push(entry);
    this.eventCount++;
    if (data !== undefined) yield* this.take(entry, data);
    else if (isDone(block)) yield* this.settleAll();
  }

  private *take(entry: Entry, data: JsonObject): Work {
    const { pieces, wholes, closes } = this.options.dialect.texts.inEvent(data);
    const said = Map.groupBy(pieces, ({ lane }) => lane);
    // One event may go on with several texts of a lane: only those that it leaves out have ended.
    yield* this.settleLanes(({ lane, of }) => said.get(lane)?.some((piece) => piece.of === of) === false, true);
    const touched = new Set(pieces.map((piece) => this.addPiece(piece, entry)));
    for (const place of wholes) if (!(yield* this.maskWhole(place, entry))) return;
    yield* this.settleLanes(({ lane }) => closes === 'all' || closes.includes(lane), true);
    yield* this.settleLanes((lane) => touched.has(lane), false);
  }

  private addPiece({ lane, of, ...place }: TextPiece, entry: Entry): Lane {
    let own = [...this.lanes].find((each) => each.lane === lane && each.of === of);
    if (own === undefined) {
      own = { lane, of, isJson: place.isJson === true, before: '', text: '', pieces: [], lastEvent: 0 };
      this.lanes.add(own);
    }
    const piece = textAt(place);
    own.lastEvent = this.eventCount;
    own.pieces.push({ place, entry, from: own.text.length, to: own.text.length + piece.length });
    own.text += piece;
    // What is only observed goes on at once.
    if (this.options.scanner.isActing) entry.held++;
    return own;
  }

  /** False where the stream ends with it. */
  private *maskWhole(place: TextPlace, entry: Entry): Work<boolean> {
    const text = textAt(place);
    const matches = yield* this.look({ text, isJson: place.isJson === true });
    if (matches === undefined || !this.report(matches)) return false;
    if (matches.some(({ mode }) => mode === 'mask')) {
      putText(place, masked(text, matches, place.isJson));
      entry.isChanged = true;
    }
    return true;
  }

  private *settleAll(): Work {
    yield* this.settleLanes(() => true, true);
  }

  /** A text that has ended is forgotten. */
  private *settleLanes(isMeant: (lane: Lane) => boolean, isEnd: boolean): Work {
    for (const lane of [...this.lanes].filter(isMeant)) {
      if (this.isOver()) return;
      yield* this.settle(lane, isEnd);
      if (isEnd) this.lanes.delete(lane);
    }
  }

  /** Decides as much of a text as can be decided; all of it when it has ended. */
  private *settle(lane: Lane, isEnd: boolean): Work {
    const { scanner } = this.options;
    const { before, text } = lane;
    if (text === '') return;
    let to = isEnd ? text.length : Math.min(scanner.holdFrom(text, lane.isJson), text.length);
    if (to === 0) return;
    const found = yield* this.look({ text: before + text, from: before.length, isJson: lane.isJson });
    if (found === undefined) return;
    const matches = found.map((match) => ({
      ...match,
      start: match.start - before.length,
      end: match.end - before.length,
    }));
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

  private refuse(error?: GatewayError): void {
    // What is held back was not let through.
    this.queue.length = 0;
    this.ended = true;
    this.out += this.options.refusal(error);
  }

  private *release(): Work {
    if (this.isOver()) return;
    const { queue } = this;
    yield* this.settleLanes(({ lastEvent }) => this.eventCount - lastEvent > FORGOTTEN_AFTER, true);
    for (let entry = queue[0]; entry !== undefined && entry.held === 0; entry = queue[0]) {
      queue.shift();
      this.out += this.written(entry);
    }
  }

  private written({ raw, data, isChanged }: Entry): string {
    const { dialect, scanner } = this.options;
    if (data === undefined || !scanner.isActing) return raw;
    return dialect.texts.dropTokens(data, isChanged) || isChanged ? rewritten(raw, data) : raw;
  }

  private send(): void {
    const { out } = this;
    if (out === '') return;
    this.out = '';
    if (!this.options.sink.write(out)) this.hasRoom = false;
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
