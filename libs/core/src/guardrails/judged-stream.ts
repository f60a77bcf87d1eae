/**
 * A chat stream on its way to its caller, judged in windows: its events are held back, whole and in their order, until what they say has
 * been judged. The end of a window is judged again with the next one, so that nothing slips through between two. Events are changed, and
 * none is added or taken away.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { textAt, type ChatDialect, type TextPlace } from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';
import { createEventBlocks, dataOf, isDone, rewritten } from './event-blocks.ts';
import { createJudgedText, putChanged, type HeldEvent, type JudgedText } from './judged-text.ts';
import type { Decision } from './judge.ts';

/** An event that has not ended after so many characters never will. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** Characters that wait for a judgement before the vendor is read more slowly. */
const MOST_WAITING = 1024 * 1024;
/** Events after which a text that nobody went on with is taken to have ended: others wait behind it. */
const FORGOTTEN_AFTER = 64;
const UNREADABLE = new GatewayError('upstream_malformed', 'the vendor sent an event that cannot be read');

export interface JudgedStreamOptions {
  readonly dialect: ChatDialect;
  /** Judges texts; `window` counts from 1. Never rejects. */
  readonly judge: (texts: readonly string[], window: number) => Promise<Decision>;
  readonly sink: Sink;
  /** Characters that are judged together. */
  readonly window: number;
  /** Whether events wait for their judgement: what is only observed need not. */
  readonly holds: boolean;
  /** Nothing more is said; what the stream ends with. */
  readonly refusal: (error: GatewayError) => string;
}

/** A text that an event has whole. */
interface Whole {
  readonly place: TextPlace;
  readonly event: HeldEvent;
  readonly text: string;
}

/** An event on its way. */
interface QueuedEvent extends HeldEvent {
  readonly raw: string;
  readonly data: JsonObject | undefined;
}

/** The stream that goes to `sink`. */
export class JudgedStream implements Sink {
  private readonly options: JudgedStreamOptions;
  private readonly blocks = createEventBlocks();
  private readonly queue: QueuedEvent[] = [];
  /** Texts that are being said, by their lane and what they are. */
  private readonly open = new Map<string, Map<string, JudgedText>>();
  private texts: JudgedText[] = [];
  private wholes: Whole[] = [];
  /** What was said of texts that have ended, by what they were. */
  private readonly finished = new Map<string, string>();
  private eventCount = 0;
  private windowCount = 0;
  private unjudgedCharacters = 0;
  private waitingCharacters = 0;
  private isDue = false;
  private ended = false;
  private judging: Promise<void> | undefined;
  private hasRoom = true;

  constructor(options: JudgedStreamOptions) {
    this.options = options;
  }

  write(chunk: Uint8Array | string): boolean {
    const { holds, sink } = this.options;
    if (this.isOver()) return true;
    const mayContinue = holds || sink.write(chunk);
    const passing = this.blocks.add(chunk);
    if (passing !== undefined) return holds ? sink.write(passing) : mayContinue;
    for (let block = this.blocks.next(); block !== undefined && !this.isOver(); block = this.blocks.next())
      this.push(block);
    if (this.blocks.begun() > LARGEST_EVENT) this.refuse(UNREADABLE);
    if (this.isWindowFull()) void this.judge();
    this.release();
    return mayContinue && this.hasRoom && (this.judging === undefined || this.waitingCharacters <= MOST_WAITING);
  }

  async drained(): Promise<void> {
    while (this.judging !== undefined && this.waitingCharacters > MOST_WAITING) await this.judging;
    if (!this.options.holds || !this.hasRoom) await this.options.sink.drained();
    this.hasRoom = true;
  }

  /** Resolves when everything has been judged and said; at once where it is only observed. */
  async end(): Promise<void> {
    if (this.options.holds) await this.judgeRest();
    else void this.judgeRest();
  }

  /** Asked anew each time: it changes within the calls of a function. */
  private isOver(): boolean {
    return this.ended;
  }

  // ---- events --------------------------------------------------------------------------------------------------

  private push(block: string): void {
    const data = dataOf(block);
    const event = { raw: block, data, held: 0, isChanged: false };
    this.eventCount++;
    if (data !== undefined) this.take(event, data);
    else if (isDone(block)) this.isDue = true;
    if (!this.options.holds) return;
    this.queue.push(event);
    this.waitingCharacters += block.length;
  }

  private take(event: HeldEvent, data: JsonObject): void {
    const found = this.options.dialect.texts.inEvent(data);
    const said = Map.groupBy(found.pieces, ({ lane }) => lane);
    // One event may go on with several texts of a lane: only those that it leaves out have ended.
    this.endTexts((text, lane) => said.get(lane)?.some(({ of }) => of === text.of) === false);
    for (const { lane, of, ...place } of found.pieces) {
      const texts = this.open.get(lane) ?? new Map<string, JudgedText>();
      this.open.set(lane, texts);
      let text = texts.get(of);
      if (text === undefined || text.isEnded) {
        text = createJudgedText({ of, isJson: place.isJson === true });
        texts.set(of, text);
        this.texts.push(text);
      }
      this.unjudgedCharacters += text.add({ place, event }, this.eventCount);
    }
    for (const place of found.wholes) {
      event.held++;
      this.wholes.push({ place, event, text: textAt(place) });
    }
    this.endTexts((_, lane) => found.closes === 'all' || found.closes.includes(lane));
    if (found.closes === 'all') this.isDue = true;
  }

  private endTexts(isMeant: (text: JudgedText, lane: string) => boolean): void {
    for (const [lane, texts] of this.open)
      for (const [of, text] of texts)
        if (isMeant(text, lane)) {
          text.end();
          texts.delete(of);
        }
  }

  private release(): void {
    const { queue } = this;
    let out = '';
    for (let event = queue[0]; event !== undefined && event.held === 0; event = queue[0]) {
      queue.shift();
      this.waitingCharacters -= event.raw.length;
      out += this.written(event);
    }
    this.send(out);
  }

  private written({ raw, data, isChanged }: QueuedEvent): string {
    if (data === undefined) return raw;
    return this.options.dialect.texts.dropTokens(data, isChanged) || isChanged ? rewritten(raw, data) : raw;
  }

  private send(text: string): void {
    if (text !== '' && !this.options.sink.write(text)) this.hasRoom = false;
  }

  private refuse(error: GatewayError): void {
    // What is held back was not let through.
    this.queue.length = 0;
    this.ended = true;
    this.send(this.options.refusal(error));
  }

  // ---- judging -------------------------------------------------------------------------------------------------

  private isWindowFull(): boolean {
    return this.isDue || this.unjudgedCharacters >= this.options.window;
  }

  private judge(isEnd = false): Promise<void> {
    this.judging ??= this.judgeAll(isEnd).finally(() => (this.judging = undefined));
    return this.judging;
  }

  private async judgeRest(): Promise<void> {
    await this.judging;
    for (const text of this.texts) text.end();
    await this.judge(true);
    if (!this.isOver()) this.release();
  }

  private async judgeAll(isEnd: boolean): Promise<void> {
    while (!this.isOver() && this.hasUndecided() && (isEnd || this.isWindowFull())) await this.judgeOnce();
    this.isDue = false;
  }

  private hasUndecided(): boolean {
    return this.texts.some((text) => text.undecided() !== undefined) || this.wholes.length > 0;
  }

  private async judgeOnce(): Promise<void> {
    this.unjudgedCharacters = 0;
    this.isDue = false;
    for (const text of this.texts) if (this.eventCount - text.saidAt() > FORGOTTEN_AFTER) text.end();
    const asked = this.texts.flatMap((text) => text.undecided() ?? []);
    const { wholes } = this;
    this.wholes = [];
    const unknown = new Set(asked.flatMap(({ text, isJudged }) => (isJudged ? [] : text)));
    // A repetition of what was said becomes what was said in its place.
    const ending = new Set(asked.flatMap(({ ends }) => ends ?? []));
    for (const { text } of wholes) if (!this.finished.has(text) && !ending.has(text)) unknown.add(text);
    const sent = [...unknown];
    const decision: Decision = sent.length === 0 ? {} : await this.options.judge(sent, ++this.windowCount);
    if (this.isOver()) return;
    if (decision.refusal !== undefined) {
      this.refuse(decision.refusal);
      return;
    }
    const changed = new Map(sent.map((text, index) => [text, decision.texts?.[index] ?? text]));
    for (const { settle, text } of asked) settle(changed.get(text) ?? text);
    for (const text of this.texts) {
      const said = text.saidInAll();
      if (said !== undefined) this.finished.set(said.full, said.said);
    }
    this.texts = this.texts.filter((text) => text.saidInAll() === undefined);
    for (const { place, event, text } of wholes) {
      putChanged({ place, event }, text, this.finished.get(text) ?? changed.get(text) ?? text);
      event.held--;
    }
    this.release();
  }
}
