/** Named events of a message into middle events (docs/wire/anthropic-messages.md#stream-grammar, docs/wire/chat-streams.md#reading-each-wire). */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, StopReason } from '../conversation.ts';
import type { Encoded, SseEvent, StreamDecoder } from '../dialect.ts';
import { quirk } from '../shared/translation.ts';
import { freeText } from '../shared/custom-tools.ts';
import { CUT_STREAM, MALFORMED_STREAM, toStreamError } from '../shared/openai-error.ts';
import { readOpaque } from '../shared/opaque-envelope.ts';
import { objectOf, objectsOf, parseJson, textOf, wordOf } from '../shared/read.ts';
import { nativeState, readCitation, readServerBlock } from './blocks.ts';
import { decodeError } from './error.ts';
import { restoreId } from './ids.ts';
import { isNamelessCall, NAMELESS_CALL, readStop } from './stop.ts';
import { readWireUsage } from './usage.ts';

/** What is known of one content block while it is open. */
interface Block {
  readonly number: number;
  readonly kind: 'text' | 'reasoning' | 'tool' | 'json' | 'server' | 'whole';
  /** Arguments so far: sent as they come, or kept to the end where they must be read whole. */
  readonly kept: string[] | undefined;
  /** Whether argument text came at all: some vendors give the whole input at the start instead. */
  fragments: boolean;
  readonly start: JsonObject;
}

interface State {
  readonly provider: string;
  readonly includesCache: boolean;
  readonly sent: Encoded | undefined;
  model: string | undefined;
  started: boolean;
  next: number;
  readonly open: Map<number, Block>;
  /** Raw counters: a later event names only what it changes, and the sum needs them all. */
  counters: JsonObject;
  stop:
    | { readonly word: string; readonly sequence: string | undefined; readonly refusal: string | undefined }
    | undefined;
  calls: boolean;
  /** A call came that has no name. */
  brokenCall: boolean;
  over: boolean;
}

/** `sent` undoes renamed, custom and JSON tools. */
export function streamDecoder(sent?: Encoded): StreamDecoder {
  const state: State = {
    provider: sent?.target?.provider ?? 'anthropic',
    includesCache: quirk(sent?.target, 'usage_input_includes_cache') === true,
    sent,
    model: sent?.target?.model,
    started: false,
    next: 0,
    open: new Map(),
    counters: {},
    stop: undefined,
    calls: false,
    brokenCall: false,
    over: false,
  };
  return {
    push: (event) => (state.over ? [] : readEvent(event, state)),
    end: () => {
      if (state.over) return [];
      if (state.stop !== undefined) return finish(state);
      state.over = true;
      return [{ type: 'error', error: CUT_STREAM }];
    },
  };
}

function readEvent({ event, data }: SseEvent, state: State): ChatEvent[] {
  if (data === '' || data === '[DONE]') return [];
  const json = objectOf(parseJson(data));
  if (json === undefined) {
    // Half a terminator behind the stop reason: the answer is whole.
    if (state.stop !== undefined) return [];
    state.over = true;
    return [{ type: 'error', error: MALFORMED_STREAM }];
  }
  switch (textOf(json['type']) ?? event) {
    case 'content_block_delta':
      return readDelta(json, state);
    case 'content_block_start':
      return readBlockStart(json, state);
    case 'content_block_stop':
      return closeBlock(indexOf(json), state);
    case 'message_start':
      return readMessageStart(json, state);
    case 'message_delta':
      return readMessageDelta(json, state);
    case 'message_stop':
      return finish(state);
    case 'ping':
      return [{ type: 'ping' }];
    case 'error':
      state.over = true;
      return [{ type: 'error', error: toStreamError(decodeError(200, {}, json)) }];
    default:
      // An event of next year; the ones we know carry the answer.
      return [];
  }
}

function readMessageStart(json: JsonObject, state: State): ChatEvent[] {
  const message = objectOf(json['message']);
  const usage = countersSoFar(objectOf(message?.['usage']), state);
  if (state.started) {
    // A second one inside an open message (vercel/ai#18402): its blocks are more of the same answer.
    const closed = [...state.open.keys()].flatMap((index) => closeBlock(index, state));
    return usage === undefined ? closed : [...closed, { type: 'usage', usage }];
  }
  state.started = true;
  const model = wordOf(message?.['model']);
  state.model ??= model;
  const id = wordOf(message?.['id']);
  return [
    {
      type: 'start',
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
    },
    ...readWholeBlocks(message?.['content'], state),
  ];
}

/** Blocks that are there from the start: some servers give a short answer, or all but its last block, at once. */
function readWholeBlocks(content: Json | undefined, state: State): ChatEvent[] {
  return objectsOf(content).flatMap((block, index) => {
    const opened = readBlockStart({ index, content_block: block }, state);
    return [...opened, ...closeBlock(index, state)];
  });
}

function countersSoFar(usage: JsonObject | undefined, state: State): Usage | undefined {
  if (usage === undefined) return undefined;
  for (const [key, value] of Object.entries(usage)) if (value !== null) state.counters[key] = value;
  return readWireUsage(state.counters, state.includesCache);
}

function indexOf(json: JsonObject): number {
  const index = json['index'];
  return typeof index === 'number' ? index : 0;
}

function readBlockStart(json: JsonObject, state: State): ChatEvent[] {
  const index = indexOf(json);
  const before = state.open.has(index) ? closeBlock(index, state) : [];
  const told = objectOf(json['content_block']) ?? {};
  const broken = isNamelessCall(told);
  if (broken) state.brokenCall = true;
  const start = broken ? {} : told;
  const block: Block = { number: state.next, ...kindOf(start, state), fragments: false, start };
  state.next += 1;
  state.open.set(index, block);
  return [...before, ...openBlock(block, state)];
}

function kindOf(start: JsonObject, state: State): Pick<Block, 'kind' | 'kept'> {
  switch (start['type']) {
    case 'text':
      return { kind: 'text', kept: undefined };
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'reasoning', kept: undefined };
    case 'tool_use': {
      const name = textOf(start['name']) ?? '';
      if (name === state.sent?.jsonTool) return { kind: 'json', kept: undefined };
      return { kind: 'tool', kept: state.sent?.customTools?.has(name) === true ? [] : undefined };
    }
    default: {
      const isCall = textOf(start['type'])?.endsWith('_use') === true;
      return { kind: isCall ? 'server' : 'whole', kept: [] };
    }
  }
}

function openBlock(block: Block, state: State): ChatEvent[] {
  const { start, number } = block;
  switch (block.kind) {
    case 'text':
    case 'json': {
      const text = block.kind === 'text' ? textOf(start['text']) : undefined;
      const opened: ChatEvent = { type: 'text-start', block: number, choice: 0 };
      return text === undefined || text === '' ? [opened] : [opened, { type: 'delta', block: number, text }];
    }
    case 'reasoning':
      return openReasoning(block, state);
    case 'tool': {
      state.calls = true;
      const name = textOf(start['name']) ?? '';
      return [
        {
          type: 'tool-call-start',
          block: number,
          choice: 0,
          id: restoreId(textOf(start['id']) ?? ''),
          name: state.sent?.toolNames?.get(name) ?? name,
          kind: block.kept === undefined ? 'function' : 'custom',
        },
      ];
    }
    case 'server':
    case 'whole':
      return [];
  }
}

function openReasoning({ number, start }: Block, state: State): ChatEvent[] {
  const events: ChatEvent[] = [{ type: 'reasoning-start', block: number, choice: 0 }];
  const text = textOf(start['thinking']);
  if (text !== undefined && text !== '') events.push({ type: 'delta', block: number, text });
  const redacted = start['type'] === 'redacted_thinking';
  events.push(
    ...stateEvent(number, textOf(start[redacted ? 'data' : 'signature']), redacted ? 'redacted' : 'signature', state),
  );
  return events;
}

function stateEvent(
  block: number,
  text: string | undefined,
  kind: 'signature' | 'redacted',
  state: State,
): ChatEvent[] {
  const opaque = readOpaque(text, nativeState(state, kind));
  return opaque === undefined ? [] : [{ type: 'opaque', block, opaque }];
}

function readDelta(json: JsonObject, state: State): ChatEvent[] {
  const block = state.open.get(indexOf(json));
  const delta = objectOf(json['delta']);
  if (block === undefined || delta === undefined) return [];
  switch (delta['type']) {
    case 'text_delta':
      return textDelta(block, textOf(delta['text']));
    case 'thinking_delta':
      return textDelta(block, textOf(delta['thinking']));
    case 'input_json_delta': {
      const text = textOf(delta['partial_json']) ?? '';
      if (text === '') return [];
      block.fragments = true;
      if (block.kept === undefined) return [{ type: 'delta', block: block.number, text }];
      block.kept.push(text);
      return [];
    }
    case 'signature_delta':
      return stateEvent(block.number, textOf(delta['signature']), 'signature', state);
    case 'citations_delta': {
      const citation = objectOf(delta['citation']);
      return citation === undefined || block.kind !== 'text'
        ? []
        : [{ type: 'citation', block: block.number, citation: readCitation(citation) }];
    }
    default:
      return [];
  }
}

function textDelta(block: Block, text: string | undefined): ChatEvent[] {
  if (text === undefined || text === '' || block.kept !== undefined) return [];
  return [{ type: 'delta', block: block.number, text }];
}

/** Arguments that were kept, or given whole at the start, are said now; server tools are said whole. */
function closeBlock(index: number, state: State): ChatEvent[] {
  const block = state.open.get(index);
  if (block === undefined) return [];
  state.open.delete(index);
  const { number, start } = block;
  if (block.kind === 'server' || block.kind === 'whole') {
    const input = parseJson(block.kept?.join('') ?? '');
    const raw = input === undefined ? start : { ...start, input };
    if (wordOf(raw['type']) === undefined) return [];
    return [{ type: 'server-tool', block: number, choice: 0, part: readServerBlock(raw, 'content', state) }];
  }
  const text = endText(block);
  const stopped: ChatEvent = { type: 'block-stop', block: number };
  return text === '' ? [stopped] : [{ type: 'delta', block: number, text }, stopped];
}

function endText({ kind, kept, fragments, start }: Block): string {
  if (kind !== 'tool' && kind !== 'json') return '';
  const given = fragments ? undefined : wholeInput(start['input']);
  if (kept === undefined) return given ?? (kind === 'json' && !fragments ? '{}' : '');
  return freeText(given ?? kept.join(''));
}

/** The input a start event brought; the usual empty object says nothing. */
function wholeInput(input: Json | undefined): string | undefined {
  if (Array.isArray(input)) return JSON.stringify(input);
  const object = objectOf(input);
  return object === undefined || Object.keys(object).length === 0 ? undefined : JSON.stringify(object);
}

function readMessageDelta(json: JsonObject, state: State): ChatEvent[] {
  const delta = objectOf(json['delta']);
  const word = wordOf(delta?.['stop_reason']);
  if (word !== undefined) {
    state.stop = {
      word,
      sequence: wordOf(delta?.['stop_sequence']),
      refusal: wordOf(objectOf(delta?.['stop_details'])?.['explanation']),
    };
  }
  const usage = countersSoFar(objectOf(json['usage']), state);
  return usage === undefined ? [] : [{ type: 'usage', usage }];
}

/** `message_stop`, or a connection that closed after the stop reason was told. */
function finish(state: State): ChatEvent[] {
  const events = [...state.open.keys()].flatMap((index) => closeBlock(index, state));
  state.over = true;
  const { word, sequence, refusal } = state.stop ?? { word: 'end_turn', sequence: undefined, refusal: undefined };
  const stop: StopReason = readStop(state.brokenCall ? NAMELESS_CALL : word, state.calls);
  return [
    ...events,
    {
      type: 'finish',
      choice: 0,
      stop,
      ...(sequence !== undefined && { stopSequence: sequence }),
      ...(refusal !== undefined && { refusal }),
    },
    { type: 'end' },
  ];
}
