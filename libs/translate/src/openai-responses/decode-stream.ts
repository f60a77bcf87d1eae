/**
 * Responses events to middle events (docs/wire/openai-responses.md#stream-grammar, docs/wire/chat-streams.md#reading-each-wire):
 * keyed by output index because item ids may rotate; what no delta brought is taken from the `done` events and, last, from the
 * terminal response.
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, StreamError } from '../conversation.ts';
import type { Encoded, SseEvent, StreamDecoder } from '../dialect.ts';
import { opaqueOfModel } from '../shared/opaque-envelope.ts';
import { CUT_STREAM, decodeOpenAiError, MALFORMED_STREAM, toStreamError } from '../shared/openai-error.ts';
import { readAnnotation } from '../shared/openai-words.ts';
import { expandParallelCalls, PARALLEL_WRAPPER } from '../shared/parallel-calls.ts';
import { numberOf, objectOf, objectsOf, parseJson, present, textOf, wordOf } from '../shared/read.ts';
import { cuttingDecoder } from '../shared/stop-cutter.ts';
import { unwrappingDecoder } from '../shared/wrapped-tools.ts';
import { readReasoningItem, serverTool, typeOfItem } from './decode-items.ts';

import { BROKEN_CALL, imageOf, stopOf } from './reply.ts';
import { failureIn } from './stream-failure.ts';
import { createOutputItems, type ContentState, type ItemState } from './stream-items.ts';
import { readResponseUsage } from './usage.ts';

export function createStreamDecoder(sent?: Encoded): StreamDecoder {
  return cuttingDecoder(unwrappingDecoder(new ResponsesStreamDecoder(sent), sent), sent?.stops);
}

class ResponsesStreamDecoder implements StreamDecoder {
  readonly #sent: Encoded | undefined;
  readonly #items = createOutputItems();
  readonly #kinds = new Set<string>();
  #model: string | undefined;
  #started = false;
  #over = false;
  #nextBlock = 0;
  #out: ChatEvent[] = [];

  constructor(sent: Encoded | undefined) {
    this.#sent = sent;
    this.#model = sent?.target?.model;
  }

  push(event: SseEvent): ChatEvent[] {
    if (this.#over || event.data === '[DONE]') return [];
    this.#out = [];
    const data = parseJson(event.data);
    if (isJsonObject(data)) this.#read(textOf(data['type']) ?? event.event, data);
    else this.#fail(MALFORMED_STREAM);
    return this.#out;
  }

  /** Only a terminal event makes an end. */
  end(): ChatEvent[] {
    if (this.#over) return [];
    this.#out = [];
    this.#fail(CUT_STREAM);
    return this.#out;
  }

  #read(type: string, data: JsonObject): void {
    switch (type) {
      case 'response.output_text.delta':
        this.#textDelta(data, 'text');
        return;
      case 'response.refusal.delta':
        this.#textDelta(data, 'refusal');
        return;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#argumentsDelta(this.#item(data), textOf(data['delta']) ?? '');
        return;
      case 'response.reasoning_summary_text.delta':
        this.#reasoningDelta(data, 'summary');
        return;
      case 'response.reasoning_text.delta':
        this.#reasoningDelta(data, 'raw');
        return;
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#start(objectOf(data['response']));
        return;
      case 'response.output_item.added':
        this.#added(data);
        return;
      case 'response.output_text.done':
        this.#textDone(data, 'text', textOf(data['text']) ?? '');
        return;
      case 'response.refusal.done':
        this.#textDone(data, 'refusal', textOf(data['refusal']) ?? '');
        return;
      case 'response.output_text.annotation.added':
        this.#annotation(data);
        return;
      case 'response.reasoning_summary_text.done':
        this.#reasoningDone(data, 'summary');
        return;
      case 'response.reasoning_text.done':
        this.#reasoningDone(data, 'raw');
        return;
      case 'response.function_call_arguments.done':
        this.#argumentsDone(this.#item(data), textOf(data['arguments']) ?? '');
        return;
      case 'response.custom_tool_call_input.done':
        this.#argumentsDone(this.#item(data), textOf(data['input']) ?? '');
        return;
      case 'response.output_item.done': {
        const item = objectOf(data['item']);
        if (item !== undefined) this.#settle(this.#item(data, item), item);
        return;
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.#terminal(objectOf(data['response']) ?? {});
        return;
      case 'keepalive':
        this.#out.push({ type: 'ping' });
        return;
      // Part boundaries say nothing that deltas and items do not; hosted tools are told of when their item is done.
      default: {
        const failure = failureIn(type, data);
        if (failure !== undefined) this.#fail(failure);
      }
    }
  }

  #start(response: JsonObject | undefined): void {
    if (this.#started) return;
    this.#started = true;
    const model = wordOf(response?.['model']);
    this.#model ??= model;
    this.#out.push(
      present({
        type: 'start' as const,
        id: wordOf(response?.['id']),
        model,
        created: numberOf(response?.['created_at']),
      }),
    );
  }

  #open(): number {
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    return block;
  }

  #item(data: JsonObject, item?: JsonObject): ItemState {
    if (!this.#started) this.#start(undefined);
    return this.#items.of(data, item);
  }

  #added(data: JsonObject): void {
    const item = objectOf(data['item']);
    if (item === undefined) return;
    const explicit = numberOf(data['output_index']);
    this.#describe(this.#item({ ...data, output_index: explicit ?? this.#items.nextIndex() }), item);
  }

  /** Learns what the item is and opens the blocks that are one with their item. */
  #describe(state: ItemState, item: JsonObject): void {
    if (state.type === '') state.type = typeOfItem(item);
    state.id ??= wordOf(item['id']);
    if (state.type === 'reasoning') this.#openReasoning(state);
    if (state.type !== 'function_call' && state.type !== 'custom_tool_call') return;
    state.custom = state.type === 'custom_tool_call';
    if (state.callId === '') state.callId = wordOf(item['call_id']) ?? state.id ?? '';
    if (state.name === '') state.name = wordOf(item['name']) ?? '';
    if (state.name !== '' && state.name !== PARALLEL_WRAPPER && state.callId !== '') this.#startCall(state);
  }

  #startCall(state: ItemState): void {
    if (state.block >= 0) return;
    state.block = this.#open();
    this.#kinds.add('tool-call');
    this.#out.push({
      type: 'tool-call-start',
      block: state.block,
      choice: 0,
      id: state.callId,
      name: this.#sent?.toolNames?.get(state.name) ?? state.name,
      kind: state.custom ? 'custom' : 'function',
    });
    for (const text of state.held) this.#out.push({ type: 'delta', block: state.block, text });
    state.held = [];
  }

  #argumentsDelta(state: ItemState, text: string): void {
    if (text === '') return;
    state.length += text.length;
    // Arguments may come before the item is known.
    if (state.block < 0) state.held.push(text);
    else this.#out.push({ type: 'delta', block: state.block, text });
  }

  #argumentsDone(state: ItemState, whole: string): void {
    if (!state.done && whole.length > state.length) this.#argumentsDelta(state, whole.slice(state.length));
  }

  #content(data: JsonObject, kind: ContentState['kind']): ContentState {
    return this.#contentAt(this.#item(data), numberOf(data['content_index']) ?? 0, kind);
  }

  #contentAt(item: ItemState, index: number, kind: ContentState['kind']): ContentState {
    const known = item.contents.get(index);
    if (known !== undefined) return known;
    if (item.type === '') item.type = 'message';
    const content: ContentState = { block: this.#open(), kind, length: 0, citations: 0, open: true };
    item.contents.set(index, content);
    this.#kinds.add(kind);
    const type = kind === 'text' ? 'text-start' : 'refusal-start';
    this.#out.push({ type, block: content.block, choice: 0 });
    return content;
  }

  #textDelta(data: JsonObject, kind: ContentState['kind']): void {
    const text = textOf(data['delta']) ?? '';
    if (text === '') return;
    const content = this.#content(data, kind);
    content.length += text.length;
    const logprobs = data['logprobs'];
    if (Array.isArray(logprobs) && logprobs.length > 0) {
      this.#out.push({ type: 'delta', block: content.block, text, logprobs });
    } else this.#out.push({ type: 'delta', block: content.block, text });
  }

  #textDone(data: JsonObject, kind: ContentState['kind'], whole: string): void {
    if (whole === '') return;
    this.#complete(this.#content(data, kind), whole);
  }

  /** What of the text no delta brought. */
  #complete(content: ContentState, whole: string): void {
    if (!content.open || whole.length <= content.length) return;
    this.#out.push({ type: 'delta', block: content.block, text: whole.slice(content.length) });
    content.length = whole.length;
  }

  #annotation(data: JsonObject): void {
    const annotation = objectOf(data['annotation']);
    const content = this.#content(data, 'text');
    if (annotation === undefined || !content.open) return;
    content.citations += 1;
    this.#out.push({ type: 'citation', block: content.block, citation: readAnnotation(annotation) });
  }

  #openReasoning(state: ItemState): void {
    if (state.block >= 0) return;
    if (state.type === '') state.type = 'reasoning';
    state.block = this.#open();
    this.#out.push(present({ type: 'reasoning-start' as const, block: state.block, choice: 0, itemId: state.id }));
  }

  #reasoningDelta(data: JsonObject, kind: 'summary' | 'raw'): void {
    const part = numberOf(data[kind === 'summary' ? 'summary_index' : 'content_index']) ?? 0;
    this.#reasoningText(this.#item(data), kind, part, textOf(data['delta']) ?? '');
  }

  #reasoningDone(data: JsonObject, kind: 'summary' | 'raw'): void {
    const state = this.#item(data);
    const part = numberOf(data[kind === 'summary' ? 'summary_index' : 'content_index']) ?? 0;
    this.#reasoningPart(state, kind, part, textOf(data['text']) ?? '');
  }

  #reasoningPart(state: ItemState, kind: 'summary' | 'raw', part: number, whole: string): void {
    if (part < state.part) return;
    const had = part === state.part ? state.partLength : 0;
    if (whole.length > had) this.#reasoningText(state, kind, part, whole.slice(had));
  }

  /** A model that tells both its raw reasoning and a summary is heard once: whichever began. */
  #reasoningText(state: ItemState, kind: 'summary' | 'raw', part: number, text: string): void {
    if (text === '' || state.done || (state.partKind !== undefined && state.partKind !== kind)) return;
    this.#openReasoning(state);
    state.partKind = kind;
    if (part !== state.part) {
      if (state.part >= 0) this.#out.push({ type: 'reasoning-break', block: state.block });
      state.part = part;
      state.partLength = 0;
    }
    state.partLength += text.length;
    this.#out.push({ type: 'delta', block: state.block, text });
  }

  /** The item is complete: says what was not said, and closes its blocks. */
  #settle(state: ItemState, item: JsonObject): void {
    if (state.done) return;
    this.#describe(state, item);
    switch (state.type) {
      case 'message':
        objectsOf(item['content']).forEach((part, index) => {
          this.#settleContent(state, part, index);
        });
        break;
      case 'reasoning':
        this.#settleReasoning(state, item);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#argumentsDone(state, textOf(item[state.custom ? 'input' : 'arguments']) ?? '');
        break;
      case 'image_generation_call': {
        const part = imageOf(item);
        if (part !== undefined) this.#out.push({ type: 'image', block: this.#open(), choice: 0, part });
        break;
      }
      default:
        this.#out.push({ type: 'server-tool', block: this.#open(), choice: 0, part: serverTool(item, state.type) });
    }
    this.#close(state);
  }

  #settleContent(state: ItemState, part: JsonObject, index: number): void {
    const kind = part['type'] === 'refusal' ? 'refusal' : 'text';
    const whole = wordOf(part[kind]);
    if (whole === undefined) return;
    const content = this.#contentAt(state, index, kind);
    this.#complete(content, whole);
    for (const annotation of objectsOf(part['annotations']).slice(content.citations)) {
      this.#out.push({ type: 'citation', block: content.block, citation: readAnnotation(annotation) });
    }
  }

  #settleReasoning(state: ItemState, item: JsonObject): void {
    const texts = (value: Json | undefined): string[] => objectsOf(value).map((part) => textOf(part['text']) ?? '');
    for (const [kind, field] of [
      ['summary', 'summary'],
      ['raw', 'content'],
    ] as const) {
      texts(item[field]).forEach((text, part) => {
        this.#reasoningPart(state, kind, part, text);
      });
    }
    const { opaque } = readReasoningItem({ ...item, id: state.id ?? item['id'] ?? null });
    if (opaque !== undefined) {
      this.#out.push({ type: 'opaque', block: state.block, opaque: opaqueOfModel(opaque, this.#model) });
    }
  }

  #close(state: ItemState): void {
    if (state.done) return;
    state.done = true;
    if (state.name === PARALLEL_WRAPPER && state.block < 0) this.#expand(state);
    else if (state.type === 'function_call' || state.type === 'custom_tool_call') {
      if (state.name === '') {
        this.#kinds.add(BROKEN_CALL.type);
        return;
      }
      this.#startCall(state);
    }
    for (const content of state.contents.values()) {
      if (content.open) this.#out.push({ type: 'block-stop', block: content.block });
      content.open = false;
    }
    if (state.block >= 0) this.#out.push({ type: 'block-stop', block: state.block });
  }

  #expand(state: ItemState): void {
    const call = {
      type: 'tool-call',
      id: state.callId,
      name: state.name,
      kind: 'function',
      arguments: state.held.join(''),
    } as const;
    for (const { id, name, arguments: text } of expandParallelCalls(call)) {
      const block = this.#open();
      this.#kinds.add('tool-call');
      const own = this.#sent?.toolNames?.get(name) ?? name;
      this.#out.push({ type: 'tool-call-start', block, choice: 0, id, name: own, kind: 'function' });
      if (text !== '') this.#out.push({ type: 'delta', block, text });
      this.#out.push({ type: 'block-stop', block });
    }
  }

  #fail(error: StreamError): void {
    this.#over = true;
    this.#out.push({ type: 'error', error });
  }

  #terminal(response: JsonObject): void {
    if (!this.#started) this.#start(response);
    if (response['status'] === 'failed' || isJsonObject(response['error'])) {
      this.#fail(toStreamError(decodeOpenAiError(0, {}, { error: response['error'] ?? null })));
      return;
    }
    objectsOf(response['output']).forEach((item, index) => {
      if (!this.#over) this.#settle(this.#item({ output_index: index }), item);
    });
    for (const state of this.#items.all()) if (!this.#over) this.#close(state);
    if (this.#over) return;
    const usage = readResponseUsage(response);
    if (usage !== undefined) this.#out.push({ type: 'usage', usage });
    const parts = [...this.#kinds].map((type) => ({ type }));
    this.#out.push({ type: 'finish', choice: 0, stop: stopOf(response, parts) }, { type: 'end' });
    this.#over = true;
  }
}
