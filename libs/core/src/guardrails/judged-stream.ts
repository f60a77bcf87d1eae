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

export interface JudgedStream extends Sink {
  /** Resolves when everything has been judged and said; at once where it is only observed. */
  end(): Promise<void>;
}
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

/** Makes the stream that goes to `sink`. */
export function createJudgedStream(options: JudgedStreamOptions): JudgedStream {
  const { dialect, judge, sink, window, holds, refusal } = options;
  const blocks = createEventBlocks();
  /** Texts that are being said, by their lane. */
  const open = new Map<string, JudgedText>();
  let texts: JudgedText[] = [];
  let wholes: Whole[] = [];
  /** What was said of texts that have ended, by what they were. */
  const finished = new Map<string, string>();
  const queue: (HeldEvent & { readonly raw: string; readonly data: JsonObject | undefined })[] = [];
  let count = 0;
  let windows = 0;
  /** Characters that nobody has judged. */
  let fresh = 0;
  let waiting = 0;
  let isDue = false;
  let over = false;
  let judging: Promise<void> | undefined;
  let hasRoom = true;
  // Changed while others are waited for: a compiler that looks at one function cannot know it.
  const isOver = (): boolean => over;

  const say = (text: string): void => {
    if (text !== '' && !sink.write(text)) hasRoom = false;
  };
  const stop = (error: GatewayError): void => {
    // What is held back was not let through.
    queue.length = 0;
    over = true;
    say(refusal(error));
  };
  const release = (): void => {
    let out = '';
    for (let event = queue[0]; event !== undefined && event.held === 0; event = queue[0]) {
      queue.shift();
      waiting -= event.raw.length;
      out += event.isChanged && event.data !== undefined ? rewritten(event.raw, event.data) : event.raw;
    }
    say(out);
  };

  const take = (event: HeldEvent, data: JsonObject): void => {
    const found = dialect.texts.inEvent(data);
    for (const { lane, of, ...place } of found.pieces) {
      let text = open.get(lane);
      if (text?.of !== of || text.isEnded) {
        text?.end();
        text = createJudgedText({ of, isJson: place.isJson === true });
        open.set(lane, text);
        texts.push(text);
      }
      fresh += text.add({ place, event }, count);
    }
    for (const place of found.wholes) {
      event.held++;
      wholes.push({ place, event, text: textAt(place) });
    }
    const ended = found.closes === 'all' ? [...open.keys()] : found.closes;
    for (const lane of ended) {
      open.get(lane)?.end();
      open.delete(lane);
    }
    if (found.closes === 'all') isDue = true;
  };
  const push = (block: string): void => {
    const data = dataOf(block);
    const event = { raw: block, data, held: 0, isChanged: false };
    count++;
    if (data !== undefined) take(event, data);
    else if (isDone(block)) isDue = true;
    if (!holds) return;
    queue.push(event);
    waiting += block.length;
  };

  const judgeOnce = async (): Promise<void> => {
    fresh = 0;
    isDue = false;
    for (const text of texts) if (count - text.saidAt() > FORGOTTEN_AFTER) text.end();
    const asked = texts.flatMap((text) => text.undecided() ?? []);
    const some = wholes;
    wholes = [];
    const unknown = new Set(asked.flatMap(({ text, isJudged }) => (isJudged ? [] : text)));
    // A repetition of what was said becomes what was said in its place.
    const ending = new Set(asked.flatMap(({ ends }) => ends ?? []));
    for (const { text } of some) if (!finished.has(text) && !ending.has(text)) unknown.add(text);
    const sent = [...unknown];
    const decision: Decision = sent.length === 0 ? {} : await judge(sent, ++windows);
    if (isOver()) return;
    if (decision.refusal !== undefined) return stop(decision.refusal);
    const changed = new Map(sent.map((text, index) => [text, decision.texts?.[index] ?? text]));
    for (const { settle, text } of asked) settle(changed.get(text) ?? text);
    for (const text of texts) {
      const said = text.saidInAll();
      if (said !== undefined) finished.set(said.full, said.said);
    }
    texts = texts.filter((text) => text.saidInAll() === undefined);
    for (const { place, event, text } of some) {
      putChanged({ place, event }, text, finished.get(text) ?? changed.get(text) ?? text);
      event.held--;
    }
    release();
  };
  const hasWork = (): boolean => texts.some((text) => text.undecided() !== undefined) || wholes.length > 0;
  const judgeAll = async (isEnd = false): Promise<void> => {
    while (!isOver() && hasWork() && (isEnd || isDue || fresh >= window)) await judgeOnce();
    isDue = false;
  };
  const begin = (isEnd = false): Promise<void> => {
    judging ??= judgeAll(isEnd).finally(() => (judging = undefined));
    return judging;
  };

  const mayGoOn = (): boolean => hasRoom && (judging === undefined || waiting <= MOST_WAITING);
  return {
    write(chunk) {
      if (isOver()) return true;
      const goesOn = holds || sink.write(chunk);
      const passing = blocks.add(chunk);
      if (passing !== undefined) return holds ? sink.write(passing) : goesOn;
      for (let block = blocks.next(); block !== undefined && !isOver(); block = blocks.next()) push(block);
      if (blocks.begun() > LARGEST_EVENT) stop(UNREADABLE);
      if (isDue || fresh >= window) void begin();
      release();
      return goesOn && mayGoOn();
    },
    async drained() {
      while (judging !== undefined && waiting > MOST_WAITING) await judging;
      if (!holds || !hasRoom) await sink.drained();
      hasRoom = true;
    },
    async end() {
      const rest = async (): Promise<void> => {
        await judging;
        for (const text of texts) text.end();
        await begin(true);
        if (!isOver()) release();
      };
      if (holds) await rest();
      else void rest();
    },
  };
}
