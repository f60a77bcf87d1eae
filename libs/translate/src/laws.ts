/** What every dialect must keep, as functions a test can hold it to. Nothing outside the tests uses them. */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ChatChoice,
  ChatEvent,
  ChatReply,
  ChatRequest,
  Citation,
  Opaque,
  StopReason,
} from './conversation.ts';
import type { ChatDialect, Encoded, ReplyContext, Target } from './dialect.ts';
import { replyEvents } from './shared/reply-events.ts';
import { createSseParser } from './shared/sse.ts';
import { mergeUsage } from './shared/usage.ts';

/** The value without the places it was read from, which a round trip may move. */
export function withoutPlaces<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutPlaces(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, field]) => !(key === 'place' && typeof field === 'string'));
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutPlaces(field as unknown)])) as T;
}

/** A context as the gateway makes it for a call. */
export function contextOf(request: ChatRequest, body: JsonObject = {}): ReplyContext {
  return { model: 'the-model', request, body, id: 'f00dfeed', now: 1_790_000_000, requestId: 'req_f00d' };
}

/** The smallest request, for contexts of tests that have none. */
export const NO_REQUEST: ChatRequest = {
  model: 'the-model',
  stream: true,
  system: [],
  turns: [],
  tools: [],
  extra: {},
};

/** decode∘encode∘decode and decode, of one request body. */
export function requestTwice(
  dialect: ChatDialect,
  body: JsonObject,
  target: Target,
): { readonly once: ChatRequest; readonly twice: ChatRequest } {
  const path = { model: target.model, stream: body['stream'] === true };
  const once = dialect.decodeRequest(body, path);
  const twice = dialect.decodeRequest(dialect.encodeRequest(once, target).body, path);
  return { once: withoutPlaces(once), twice: withoutPlaces(twice) };
}

/** decode∘encode∘decode and decode, of one reply body. */
export function replyTwice(
  dialect: ChatDialect,
  body: JsonObject,
): { readonly once: ChatReply; readonly twice: ChatReply } {
  const once = dialect.decodeReply(body);
  const context = { ...contextOf(NO_REQUEST), model: once.model ?? 'the-model' };
  return { once, twice: dialect.decodeReply(dialect.encodeReply(once, context)) };
}

/** All events of a stream whose bytes arrive in these pieces. */
export function decodeBytes(dialect: ChatDialect, pieces: readonly Uint8Array[], sent?: Encoded): ChatEvent[] {
  const parser = createSseParser();
  const decoder = dialect.streamDecoder(sent);
  const events = pieces.flatMap((piece) => parser.push(piece).flatMap((event) => decoder.push(event)));
  events.push(...parser.end().flatMap((event) => decoder.push(event)));
  events.push(...decoder.end());
  return events;
}

export function decodeText(dialect: ChatDialect, text: string, sent?: Encoded): ChatEvent[] {
  return decodeBytes(dialect, [Buffer.from(text)], sent);
}

export function encodeEvents(dialect: ChatDialect, events: readonly ChatEvent[], context: ReplyContext): string {
  const encoder = dialect.streamEncoder(context);
  return events.map((event) => encoder.push(event)).join('');
}

/** The parsed data of a stream's events; a terminator stays text. */
export function dataOf(text: string): Json[] {
  const parser = createSseParser();
  return [...parser.push(Buffer.from(text)), ...parser.end()].map(({ data }): Json => {
    try {
      return JSON.parse(data) as Json;
    } catch {
      return data;
    }
  });
}

/** The objects among them. */
export function objectsIn(text: string): JsonObject[] {
  return dataOf(text).filter(isJsonObject);
}

/** The events a dialect without oddities would decode from a stream of this reply; two deltas where there are two characters. */
export function eventsOf(reply: ChatReply): ChatEvent[] {
  return replyEvents(reply, halves);
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

interface OpenPart {
  readonly choice: number;
  part: AssistantPart;
  readonly summaries: string[];
}

/** The reply a stream adds up to; throws when its grammar is broken, or with the error it ended in. */
export function fold(events: readonly ChatEvent[]): ChatReply {
  const folded = new FoldedStream();
  for (const event of events) folded.add(event);
  return folded.reply();
}

class FoldedStream {
  private readonly parts = new Map<number, OpenPart>();
  /** Blocks that have not stopped. */
  private readonly open = new Set<number>();
  private readonly finishes = new Map<number, ChatChoice>();
  private usage: Usage | undefined;
  private start: Extract<ChatEvent, { type: 'start' }> | undefined;
  private ended = false;

  add(event: ChatEvent): void {
    if (this.ended) throw new Error(`${event.type} after the end`);
    switch (event.type) {
      case 'start':
        if (this.start !== undefined) throw new Error('started twice');
        this.start = event;
        this.usage = mergeUsage(this.usage, event.usage);
        break;
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
        this.addPart(event, emptyPart(event));
        this.open.add(event.block);
        break;
      case 'delta':
      case 'reasoning-break':
      case 'opaque':
      case 'citation':
      case 'block-stop':
        this.within(event);
        break;
      case 'server-tool':
      case 'image':
        this.addPart(event, event.part);
        break;
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        break;
      case 'finish':
        this.finishes.set(event.choice, unfilledChoice(event));
        break;
      case 'error':
        throw new Error(`${event.error.code}: ${event.error.message}`);
      case 'end':
        this.ended = true;
        break;
      case 'audio-delta':
      case 'ping':
      case 'continuation':
        break;
    }
  }

  reply(): ChatReply {
    if (!this.ended) throw new Error('no end');
    if (this.start === undefined) throw new Error('no start');
    if (this.open.size > 0) throw new Error(`blocks left open: ${[...this.open].join(', ')}`);
    const choices = [...this.finishes].map(([index, choice]) => ({
      ...choice,
      parts: [...this.parts.values()].filter((part) => part.choice === index).map(({ part }) => part),
    }));
    const { id, model, created } = this.start;
    return {
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
      ...(created !== undefined && { created }),
      choices,
      ...(this.usage !== undefined && { usage: this.usage }),
    };
  }

  private addPart({ block, choice }: { readonly block: number; readonly choice: number }, part: AssistantPart): void {
    if (this.parts.has(block)) throw new Error(`block ${block} opened twice`);
    this.parts.set(block, { choice, part, summaries: [] });
  }

  private within(event: Within): void {
    const state = this.parts.get(event.block);
    if (state === undefined || !this.open.has(event.block)) throw new Error(`block ${event.block} is not open`);
    switch (event.type) {
      case 'delta':
        state.part = grown(state.part, event.text);
        break;
      case 'reasoning-break':
        state.summaries.push(state.part.type === 'reasoning' ? state.part.text : '');
        state.part = { ...state.part, text: '' } as AssistantPart;
        break;
      case 'opaque':
        state.part = withOpaque(state.part, event.opaque);
        break;
      case 'citation':
        state.part = withCitation(state.part, event.citation);
        break;
      case 'block-stop':
        this.open.delete(event.block);
        state.part = withSummaries(state);
        break;
    }
  }
}

type Within = Extract<ChatEvent, { type: 'delta' | 'reasoning-break' | 'opaque' | 'citation' | 'block-stop' }>;
type PartStart = Extract<ChatEvent, { type: 'text-start' | 'refusal-start' | 'reasoning-start' | 'tool-call-start' }>;

function emptyPart(start: PartStart): AssistantPart {
  switch (start.type) {
    case 'text-start':
      return { type: 'text', text: '' };
    case 'refusal-start':
      return { type: 'refusal', text: '' };
    case 'reasoning-start':
      return { type: 'reasoning', text: '' };
    case 'tool-call-start': {
      const { id, name, kind } = start;
      return { type: 'tool-call', id, name, kind, arguments: '' };
    }
  }
}

function unfilledChoice({ stop, stopSequence, refusal }: Extract<ChatEvent, { type: 'finish' }>): ChatChoice {
  return {
    parts: [],
    stop,
    ...(stopSequence !== undefined && { stopSequence }),
    ...(refusal !== undefined && { refusal }),
  };
}

function withSummaries({ part, summaries }: OpenPart): AssistantPart {
  if (summaries.length === 0 || part.type !== 'reasoning') return part;
  const all = [...summaries, part.text];
  return { ...part, text: all.join('\n\n'), summaries: all };
}

function grown(part: AssistantPart, text: string): AssistantPart {
  if (part.type === 'tool-call') return { ...part, arguments: part.arguments + text };
  if (part.type === 'text' || part.type === 'refusal' || part.type === 'reasoning') {
    return { ...part, text: part.text + text };
  }
  throw new Error(`a ${part.type} block has no text`);
}

function withOpaque(part: AssistantPart, opaque: Opaque): AssistantPart {
  if (part.opaque !== undefined) throw new Error('opaque state said twice');
  return { ...part, opaque };
}

function withCitation(part: AssistantPart, citation: Citation): AssistantPart {
  if (part.type !== 'text') throw new Error(`a ${part.type} block has no citations`);
  return { ...part, citations: [...(part.citations ?? []), citation] };
}

/** What a reply says, in the words every dialect has: for comparing across a translation. */
export interface Essence {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly (readonly [name: string, input: string])[];
  readonly stop: StopReason;
}

/** Of the first answer. Call arguments are compared as values. */
export function essenceOf(reply: ChatReply): Essence {
  const choice = reply.choices[0];
  const joined = (type: 'text' | 'refusal' | 'reasoning'): string =>
    (choice?.parts ?? []).map((part) => (part.type === type ? part.text : '')).join('');
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    refusal: joined('refusal'),
    calls: (choice?.parts ?? []).flatMap((part) =>
      part.type === 'tool-call' ? [[part.name, normalJson(part.arguments)] as const] : [],
    ),
    stop: choice?.stop ?? 'stop',
  };
}

/** JSON text in one spelling; no arguments are an empty object. */
export function normalJson(text: string): string {
  return JSON.stringify(text === '' ? {} : (JSON.parse(text) as Json));
}

/** What OpenAI itself has and other servers of its wires have not, as its adapter declares it. */
export const OPENAI_QUIRKS: JsonObject = {
  cache_marks: 'prompt_cache_breakpoint',
  custom_tools: true,
  image_output: false,
  max_tokens_field: 'max_completion_tokens',
  prompt_cache_key: true,
  video_input: false,
};
