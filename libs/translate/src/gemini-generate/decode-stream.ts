/**
 * Fragments of an answer into middle events (docs/wire/gemini-generate.md#stream-grammar,
 * docs/wire/chat-streams.md#reading-each-wire): parts are increments, calls come whole, the last usage wins.
 */
import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { AssistantPart, ChatEvent, Opaque, StreamError } from '../conversation.ts';
import type { Encoded, SseEvent, StreamDecoder } from '../dialect.ts';
import { freeText } from '../shared/custom-tools.ts';
import { addUsage } from '../shared/join-replies.ts';
import { CUT_STREAM, MALFORMED_STREAM, toStreamError } from '../shared/openai-error.ts';
import { arrayOf, numberOf, objectOf, objectsOf, parseJson, textOf, wordOf } from '../shared/read.ts';
import { CallPieces } from './call-pieces.ts';
import { decodeError } from './error.ts';
import { isExplained, isNamelessCall, NAMELESS_CALL, readFinish } from './finish.ts';
import { countSearches, readCitations, readSearch } from './grounding.ts';
import { readLogprobs } from './logprobs.ts';
import { readModelPart, readSignature, type PartContext } from './parts.ts';
import { replyContext } from './reply.ts';
import { readWireUsage } from './usage.ts';

const UNREADABLE = 'The model sent a part that cannot be read.';

interface OpenBlock {
  readonly kind: 'text' | 'reasoning';
  readonly number: number;
  /** The words so far: citations count in them. */
  readonly pieces: string[];
  /** Its signature came: what follows is another part. */
  signed: boolean;
}

/** What is known of one candidate. */
interface Choice {
  readonly index: number;
  open: OpenBlock | undefined;
  audio: number | undefined;
  calls: boolean;
  readonly pieces: CallPieces;
  /** A call came that has no name. */
  brokenCall: boolean;
  finish: string | undefined;
  finishMessage: string | undefined;
  /** The latest fragment with grounding or citations in it. */
  sources: JsonObject | undefined;
}

interface State {
  readonly sent: Encoded | undefined;
  readonly choices: Map<number, Choice>;
  context: PartContext | undefined;
  next: number;
  blocked: string | undefined;
  /** Counts of the continuations before, and of this one. */
  earlier: Usage | undefined;
  usage: Usage | undefined;
  token: string | undefined;
  readonly usedTokens: Set<string>;
  /** the last continuation is over and the gateway may bring another. */
  between: boolean;
  over: boolean;
}

/** With `sent.resumes`: after a `continuation` event the next stream is fed to the same decoder; `end` again ends the answer. */
export function streamDecoder(sent?: Encoded): StreamDecoder {
  const state: State = {
    sent,
    choices: new Map(),
    context: undefined,
    next: 0,
    blocked: undefined,
    earlier: undefined,
    usage: undefined,
    token: undefined,
    usedTokens: new Set(),
    between: false,
    over: false,
  };
  return {
    push: ({ data }: SseEvent) => {
      if (state.over || data === '' || data === '[DONE]') return [];
      const json = parseJson(data);
      // Half a fragment behind the finish reasons: the answer is whole.
      if (json === undefined) return isFinished(state) ? [] : fail(state, MALFORMED_STREAM);
      try {
        return Array.isArray(json) ? json.flatMap((item) => readFragment(item, state)) : readFragment(json, state);
      } catch (error) {
        if (error instanceof GatewayError) return fail(state, { ...MALFORMED_STREAM, message: UNREADABLE });
        throw error;
      }
    },
    end: () => finish(state),
  };
}

function isFinished({ choices }: State): boolean {
  return choices.size > 0 && [...choices.values()].every(({ finish: word }) => word !== undefined);
}

function fail(state: State, error: StreamError): ChatEvent[] {
  state.over = true;
  return [{ type: 'error', error }];
}

function readFragment(json: Json, state: State): ChatEvent[] {
  const body = objectOf(json);
  if (body === undefined || state.over) return [];
  if (body['error'] !== undefined) return fail(state, toStreamError(decodeError(200, {}, body)));
  if (state.between) startContinuation(state);
  const events: ChatEvent[] = [];
  if (state.context === undefined) {
    state.context = replyContext(body, state.sent);
    events.push(startEvent(body));
  }
  const blockReason = wordOf(objectOf(body['promptFeedback'])?.['blockReason']);
  if (blockReason !== undefined) {
    const message = wordOf(objectOf(body['promptFeedback'])?.['blockReasonMessage']);
    state.blocked = message ?? `The prompt was blocked: ${blockReason}.`;
  }
  for (const candidate of arrayOf(body['candidates'])) {
    const found = objectOf(candidate);
    if (found !== undefined) readCandidate(found, state, state.context, events);
  }
  const usage = readWireUsage(objectOf(body['usageMetadata']));
  if (usage !== undefined) {
    state.usage = { ...state.usage, ...usage };
    events.push({ type: 'usage', usage: addUsage(state.earlier, state.usage) ?? usage });
  }
  return events;
}

/** A resumed answer: its counts come on top, its end is still to come. */
function startContinuation(state: State): void {
  state.between = false;
  state.earlier = addUsage(state.earlier, state.usage);
  state.usage = undefined;
  for (const choice of state.choices.values()) choice.finish = undefined;
}

function startEvent(body: JsonObject): ChatEvent {
  const id = wordOf(body['responseId']);
  const model = wordOf(body['modelVersion']);
  return { type: 'start', ...(id !== undefined && { id }), ...(model !== undefined && { model }) };
}

function readCandidate(candidate: JsonObject, state: State, context: PartContext, events: ChatEvent[]): void {
  const index = numberOf(candidate['index']) ?? 0;
  let choice = state.choices.get(index);
  if (choice === undefined) {
    choice = {
      index,
      open: undefined,
      audio: undefined,
      calls: false,
      pieces: new CallPieces(),
      brokenCall: false,
      finish: undefined,
      finishMessage: undefined,
      sources: undefined,
    };
    state.choices.set(index, choice);
  }
  if (candidate['groundingMetadata'] !== undefined || candidate['citationMetadata'] !== undefined) {
    choice.sources = { ...choice.sources, ...sourcesOf(candidate) };
  }
  const reading: Reading = { choice, state, context, events, logprobs: readLogprobs(candidate) };
  const parts = objectsOf(objectOf(candidate['content'])?.['parts']);
  for (const part of parts.flatMap((piece) => choice.pieces.push(piece))) readPart(part, reading);
  choice.finish = wordOf(candidate['finishReason']) ?? choice.finish;
  choice.finishMessage = wordOf(candidate['finishMessage']) ?? choice.finishMessage;
  state.token = wordOf(candidate['continuationToken']) ?? state.token;
}

function sourcesOf(candidate: JsonObject): JsonObject {
  const { groundingMetadata, citationMetadata } = candidate;
  return {
    ...(groundingMetadata !== undefined && { groundingMetadata }),
    ...(citationMetadata !== undefined && { citationMetadata }),
  };
}

interface Reading {
  readonly choice: Choice;
  readonly state: State;
  readonly context: PartContext;
  readonly events: ChatEvent[];
  /** Of the fragment: they go with its first text. */
  logprobs: Json[] | undefined;
}

function readPart(part: JsonObject, reading: Reading): void {
  const { choice, context, events } = reading;
  if (isNamelessCall(part)) {
    choice.brokenCall = true;
    return;
  }
  const text = textOf(part['text']);
  if (text === undefined) {
    for (const found of readModelPart(part, 'content', context)) readWhole(found, reading);
    return;
  }
  const opaque = part['thoughtSignature'] === undefined ? undefined : readSignature(part, context);
  if (text === '' && opaque === undefined) return;
  const kind = part['thought'] === true ? 'reasoning' : 'text';
  // A signature behind its part comes with an empty text (vercel/ai#12402).
  const { open } = choice;
  const trailing = text === '' && open?.signed === false && (kind === 'text' || open.kind === kind);
  const block = trailing ? open : openBlock(kind, reading);
  // The whole of a text in one part: its state goes ahead of the words, where every wire has a place for it.
  const ahead = kind === 'text' && block.pieces.length === 0;
  if (ahead && opaque !== undefined) sign(block, opaque, events);
  if (text !== '') {
    const logprobs = kind === 'text' ? reading.logprobs : undefined;
    if (kind === 'text') {
      block.pieces.push(text);
      reading.logprobs = undefined;
    }
    events.push({ type: 'delta', block: block.number, text, ...(logprobs !== undefined && { logprobs }) });
  }
  if (!ahead && opaque !== undefined) sign(block, opaque, events);
}

function sign(block: OpenBlock, opaque: Opaque, events: ChatEvent[]): void {
  block.signed = true;
  events.push({ type: 'opaque', block: block.number, opaque });
}

function openBlock(kind: OpenBlock['kind'], reading: Reading): OpenBlock {
  const { choice, state, events } = reading;
  if (choice.open?.kind === kind && !choice.open.signed) return choice.open;
  closeOpen(choice, events);
  const block: OpenBlock = { kind, number: state.next, pieces: [], signed: false };
  state.next += 1;
  choice.open = block;
  const type = kind === 'text' ? 'text-start' : 'reasoning-start';
  events.push({ type, block: block.number, choice: choice.index });
  return block;
}

function closeOpen(choice: Choice, events: ChatEvent[]): void {
  const { open, sources } = choice;
  if (open === undefined) return;
  if (open.kind === 'text' && sources !== undefined) {
    const text = open.pieces.join('');
    for (const { citation } of readCitations(sources, () => text)) {
      events.push({ type: 'citation', block: open.number, citation });
    }
    choice.sources = undefined;
  }
  events.push({ type: 'block-stop', block: open.number });
  choice.open = undefined;
}

/** Calls, media and what Google's servers did come in one piece. */
function readWhole(part: AssistantPart, reading: Reading): void {
  const { choice, state, events } = reading;
  if (part.type === 'text' || part.type === 'reasoning') {
    // A signature and nothing else.
    const block = choice.open?.signed === false ? choice.open : openBlock(part.type, reading);
    if (part.opaque !== undefined) sign(block, part.opaque, events);
    return;
  }
  closeOpen(choice, events);
  if (part.type === 'audio' && part.source.type === 'base64') {
    if (choice.audio === undefined) choice.audio = state.next++;
    events.push({ type: 'audio-delta', block: choice.audio, choice: choice.index, data: part.source.data });
    return;
  }
  const block = state.next++;
  const where = { block, choice: choice.index };
  if (part.type === 'image') events.push({ type: 'image', ...where, part });
  else if (part.type === 'server-tool') events.push({ type: 'server-tool', ...where, part });
  else if (part.type === 'tool-call') readCall(part, where, reading);
}

function readCall(
  part: Extract<AssistantPart, { type: 'tool-call' }>,
  where: { readonly block: number; readonly choice: number },
  { choice, state, events }: Reading,
): void {
  choice.calls = true;
  const custom = state.sent?.customTools?.has(part.name) === true;
  const name = state.sent?.toolNames?.get(part.name) ?? part.name;
  events.push({ type: 'tool-call-start', ...where, id: part.id, name, kind: custom ? 'custom' : 'function' });
  if (part.opaque !== undefined) events.push({ type: 'opaque', block: where.block, opaque: part.opaque });
  const text = custom ? freeText(part.arguments) : part.arguments;
  if (text !== '') events.push({ type: 'delta', block: where.block, text });
  events.push({ type: 'block-stop', block: where.block });
}

/** The connection closed: this wire has no terminator, so the finish reasons decide. */
function finish(state: State): ChatEvent[] {
  if (state.over) return [];
  const token = resumable(state);
  if (token !== undefined) {
    state.usedTokens.add(token);
    state.between = true;
    return [{ type: 'continuation', token }];
  }
  state.over = true;
  const choices = [...state.choices.values()].sort((one, other) => one.index - other.index);
  if (state.blocked !== undefined && choices.every(({ finish: word }) => word === undefined)) {
    return [...choices.flatMap((choice) => closing(choice)), blockedFinish(state.blocked), { type: 'end' }];
  }
  if (!isFinished(state)) return [{ type: 'error', error: CUT_STREAM }];
  return [...choices.flatMap((choice) => endChoice(choice, state)), { type: 'end' }];
}

/** The token to go on with: each is good for one continuation, and only where the vendor did not end by itself. */
function resumable(state: State): string | undefined {
  const { token } = state;
  if (state.sent?.resumes !== true) return undefined;
  const word = state.choices.get(0)?.finish;
  const ended = word !== undefined && word !== 'CONTINUATION';
  return token === undefined || ended || state.blocked !== undefined || state.usedTokens.has(token) ? undefined : token;
}

function closing(choice: Choice): ChatEvent[] {
  const events: ChatEvent[] = [];
  closeOpen(choice, events);
  return events;
}

function blockedFinish(refusal: string): ChatEvent {
  return { type: 'finish', choice: 0, stop: 'content-filter', refusal };
}

function endChoice(choice: Choice, state: State): ChatEvent[] {
  const { sources } = choice;
  const events: ChatEvent[] = [];
  const { context } = state;
  if (context !== undefined) {
    const reading: Reading = { choice, state, context, events, logprobs: undefined };
    for (const part of choice.pieces.end()) readPart(part, reading);
  }
  closeOpen(choice, events);
  const search = sources === undefined ? undefined : readSearch(sources, context?.provider ?? 'gemini');
  if (search !== undefined && sources !== undefined) {
    events.push({ type: 'server-tool', block: state.next++, choice: choice.index, part: search });
    const webSearches = countSearches(sources);
    if (webSearches !== undefined) events.push({ type: 'usage', usage: { webSearches } });
  }
  const stop = readFinish(choice.brokenCall ? NAMELESS_CALL : (choice.finish ?? 'STOP'), choice.calls);
  const refusal = isExplained(stop) ? choice.finishMessage : undefined;
  events.push({ type: 'finish', choice: choice.index, stop, ...(refusal !== undefined && { refusal }) });
  return events;
}
