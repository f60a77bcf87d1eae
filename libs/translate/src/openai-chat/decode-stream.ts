/**
 * chat-completions chunks to middle events, forgiving what vendors get wrong (docs/wire/chat-streams.md#reading-each-wire):
 * missing indexes, late names, empty fillers, a finish before the last text, usage anywhere, no terminator.
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, Citation, Opaque, StreamError } from '../conversation.ts';
import type { Encoded, SseEvent, StreamDecoder } from '../dialect.ts';
import { opaqueOfModel, readOpaque } from '../shared/opaque-envelope.ts';
import { CUT_STREAM, decodeOpenAiError, MALFORMED_STREAM, toStreamError } from '../shared/openai-error.ts';
import { readAnnotation, sourcesOf } from '../shared/openai-words.ts';
import { expandParallelCalls, PARALLEL_WRAPPER } from '../shared/parallel-calls.ts';
import { numberOf, objectOf, objectsOf, parseJson, present, textOf, wordOf } from '../shared/read.ts';
import { unwrappingDecoder } from '../shared/wrapped-tools.ts';
import { argumentsText } from './decode-messages.ts';
import { readDetail, readThinkingBlock } from './reasoning.ts';
import { BROKEN_CALL, faultIn, joinedTexts, ownCallId, pictureOf, stopOf } from './reply.ts';
import { findCall, newCall, type CallState } from './stream-calls.ts';
import { newChoice, saidNothing, type ChoiceState } from './stream-choice.ts';
import { readWireUsage } from './usage.ts';

export function createStreamDecoder(sent?: Encoded): StreamDecoder {
  return unwrappingDecoder(new ChatStreamDecoder(sent), sent);
}

class ChatStreamDecoder implements StreamDecoder {
  readonly #sent: Encoded | undefined;
  readonly #choices = new Map<number, ChoiceState>();
  #id = '';
  #model: string | undefined;
  #started = false;
  #over = false;
  #nextBlock = 0;
  #out: ChatEvent[] = [];
  /** What the answer rests on, told beside it (Perplexity); every chunk repeats the list. */
  #sources: readonly Citation[] = [];

  constructor(sent: Encoded | undefined) {
    this.#sent = sent;
    this.#model = sent?.target?.model;
  }

  push(event: SseEvent): ChatEvent[] {
    if (this.#over) return [];
    this.#out = [];
    if (event.data === '[DONE]') this.#finish(true);
    else this.#read(event);
    return this.#out;
  }

  end(): ChatEvent[] {
    if (this.#over) return [];
    this.#out = [];
    this.#finish();
    return this.#out;
  }

  #read(event: SseEvent): void {
    const chunk = parseJson(event.data);
    if (!isJsonObject(chunk)) {
      // A terminator cut in two after the finish loses nothing.
      if (!this.#complete()) this.#fail(MALFORMED_STREAM);
      return;
    }
    if (event.event === 'error' || (chunk['error'] !== undefined && chunk['error'] !== null)) {
      this.#fail(toStreamError(decodeOpenAiError(0, {}, chunk)));
      return;
    }
    const choices = chunk['choices'];
    this.#sources = sourcesOf(chunk) ?? this.#sources;
    // Azure tells first what its filter found in the prompt, in an event without an id, a model, a time or choices.
    const isFilterReport = chunk['prompt_filter_results'] !== undefined && wordOf(chunk['id']) === undefined;
    if (!this.#started && !isFilterReport && (Array.isArray(choices) || wordOf(chunk['id']) !== undefined))
      this.#start(chunk);
    if (Array.isArray(choices)) {
      for (let position = 0; position < choices.length && !this.#over; position += 1) {
        const choice = choices[position];
        if (isJsonObject(choice)) this.#choice(choice, position);
      }
    } else if (chunk['usage'] === undefined) this.#out.push({ type: 'ping' });
    if (!this.#over) this.#usage(chunk);
  }

  #usage(chunk: JsonObject): void {
    const usage = readWireUsage(chunk);
    if (usage !== undefined) this.#out.push({ type: 'usage', usage });
  }

  #start(chunk: JsonObject): void {
    this.#started = true;
    this.#id = wordOf(chunk['id']) ?? '';
    const model = wordOf(chunk['model']);
    this.#model ??= model;
    this.#out.push(
      present({ type: 'start' as const, id: wordOf(chunk['id']), model, created: numberOf(chunk['created']) }),
    );
  }

  #choice(choice: JsonObject, position: number): void {
    const state = this.#state(numberOf(choice['index']) ?? position);
    // A whole message repeats what its pieces said; where there were none it is the answer.
    const delta = objectOf(choice['delta']) ?? (saidNothing(state) ? objectOf(choice['message']) : undefined);
    if (delta !== undefined) this.#delta(state, delta, choice);
    const fault = faultIn(choice);
    if (fault !== undefined) this.#fail(toStreamError(fault));
    else state.finish = wordOf(choice['finish_reason']) ?? state.finish;
  }

  #state(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const state = newChoice(index);
    this.#choices.set(index, state);
    return state;
  }

  #delta(state: ChoiceState, delta: JsonObject, choice: JsonObject): void {
    const content = delta['content'];
    this.#reasoning(state, delta);
    if (typeof content === 'string') {
      if (content !== '') this.#text(state, content, choice['logprobs']);
    } else if (Array.isArray(content)) this.#contentParts(state, objectsOf(content));
    const refusal = delta['refusal'];
    if (typeof refusal === 'string' && refusal !== '') this.#refusal(state, refusal);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) {
      for (let position = 0; position < calls.length; position += 1) {
        const call = calls[position];
        if (isJsonObject(call)) this.#toolCall(state, call, position, calls.length);
      }
    }
    const legacy = delta['function_call'];
    if (isJsonObject(legacy)) this.#toolCall(state, { index: 0, function: legacy }, 0, 1);
    const annotations = delta['annotations'];
    if (Array.isArray(annotations)) {
      for (const annotation of objectsOf(annotations)) {
        // Lists may be repeated with every chunk: each counts once.
        const spelled = JSON.stringify(annotation);
        if (state.annotations.has(spelled)) continue;
        state.annotations.add(spelled);
        this.#cite(state, readAnnotation(annotation));
      }
    }
    if (delta['audio'] !== undefined || delta['images'] !== undefined) this.#media(state, delta);
  }

  #cite(state: ChoiceState, citation: Citation): void {
    if (state.text === undefined) state.waiting.push(citation);
    else this.#out.push({ type: 'citation', block: state.text, citation });
  }

  #open(): number {
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    return block;
  }

  #closeReasoning(state: ChoiceState): void {
    if (state.reasoning === undefined) return;
    this.#out.push({ type: 'block-stop', block: state.reasoning });
    state.reasoning = undefined;
  }

  #closeText(state: ChoiceState): void {
    if (state.text !== undefined) this.#out.push({ type: 'block-stop', block: state.text });
    if (state.refusal !== undefined) this.#out.push({ type: 'block-stop', block: state.refusal });
    state.text = undefined;
    state.refusal = undefined;
  }

  #reasoning(state: ChoiceState, delta: JsonObject): void {
    const plain = wordOf(delta['reasoning_content']) ?? wordOf(delta['reasoning']);
    if (plain !== undefined) this.#reasoningText(state, plain);
    const details = delta['reasoning_details'];
    if (Array.isArray(details)) {
      for (const detail of objectsOf(details)) {
        const { text, opaque } = readDetail(detail);
        if (plain === undefined && text !== '') this.#reasoningText(state, text);
        if (opaque !== undefined) this.#opaque(state, opaque, '');
      }
    }
    const blocks = delta['thinking_blocks'];
    if (Array.isArray(blocks)) {
      for (const block of objectsOf(blocks)) {
        const part = readThinkingBlock(block);
        if (part?.opaque !== undefined) this.#opaque(state, part.opaque, part.text);
        else if (part !== undefined && plain === undefined) this.#reasoningText(state, part.text);
      }
    }
  }

  #openReasoning(state: ChoiceState): number {
    if (state.reasoning !== undefined) return state.reasoning;
    this.#closeText(state);
    const block = this.#open();
    state.reasoning = block;
    state.reasoned = false;
    this.#out.push({ type: 'reasoning-start', block, choice: state.index });
    return block;
  }

  #reasoningText(state: ChoiceState, text: string): void {
    const block = this.#openReasoning(state);
    state.reasoned = true;
    this.#out.push({ type: 'delta', block, text });
  }

  /** A signature ends its block. Lists may be repeated with every chunk: each value counts once. */
  #opaque(state: ChoiceState, opaque: Opaque, text: string): void {
    if (state.signatures.has(opaque.value)) return;
    state.signatures.add(opaque.value);
    const block = this.#openReasoning(state);
    if (!state.reasoned && text !== '') this.#reasoningText(state, text);
    this.#out.push({ type: 'opaque', block, opaque: opaqueOfModel(opaque, this.#model) });
    this.#closeReasoning(state);
  }

  #text(state: ChoiceState, text: string, logprobs: Json | undefined): void {
    let block = state.text;
    if (block === undefined) {
      this.#closeReasoning(state);
      block = this.#open();
      state.text = block;
      state.kinds.add('text');
      this.#out.push({ type: 'text-start', block, choice: state.index });
      for (const citation of state.waiting) this.#out.push({ type: 'citation', block, citation });
      state.waiting = [];
    }
    const tokens = isJsonObject(logprobs) ? logprobs['content'] : undefined;
    if (Array.isArray(tokens) && tokens.length > 0) this.#out.push({ type: 'delta', block, text, logprobs: tokens });
    else this.#out.push({ type: 'delta', block, text });
  }

  /** Mistral's reasoning models stream parts. */
  #contentParts(state: ChoiceState, parts: readonly JsonObject[]): void {
    for (const part of parts) {
      const thought = part['type'] === 'thinking' ? joinedTexts(part['thinking']) : '';
      if (thought !== '') this.#reasoningText(state, thought);
      const text = wordOf(part['text']);
      if (text !== undefined) this.#text(state, text, undefined);
      this.#picture(state, part);
    }
  }

  #refusal(state: ChoiceState, text: string): void {
    if (state.refusal === undefined) {
      this.#closeReasoning(state);
      state.refusal = this.#open();
      state.kinds.add('refusal');
      this.#out.push({ type: 'refusal-start', block: state.refusal, choice: state.index });
    }
    this.#out.push({ type: 'delta', block: state.refusal, text });
  }

  #toolCall(state: ChoiceState, call: JsonObject, position: number, among: number): void {
    const custom = objectOf(call['custom']);
    const fn = custom ?? objectOf(call['function']) ?? {};
    const id = textOf(call['id']) ?? '';
    const name = textOf(fn['name']) ?? '';
    const tool = findCall(state.calls, { id, name, index: numberOf(call['index']), position, among });
    if (tool.id === '') tool.id = id;
    if (tool.name === '' && name !== '') tool.name = name;
    if (custom !== undefined || call['type'] === 'custom') tool.kind = 'custom';
    const extra = call['extra_content'];
    if (isJsonObject(extra)) this.#signature(tool, extra);
    const text = argumentsText(custom === undefined ? fn['arguments'] : custom['input']);
    if (!tool.started) {
      if (text !== '') tool.held.push(text);
      // Without an id the start waits for the first arguments: some vendors send it a chunk later.
      if (tool.name !== '' && tool.name !== PARALLEL_WRAPPER && (tool.id !== '' || tool.held.length > 0)) {
        this.#startTool(state, tool);
      }
    } else if (text !== '') this.#out.push({ type: 'delta', block: tool.block, text });
  }

  #signature(tool: CallState, extra: JsonObject): void {
    const signature = wordOf(objectOf(extra['google'])?.['thought_signature']);
    const opaque = readOpaque(signature, { provider: 'gemini', kind: 'signature' });
    if (opaque === undefined || tool.opaque !== undefined) return;
    tool.opaque = opaqueOfModel(opaque, this.#model);
    if (tool.started) this.#out.push({ type: 'opaque', block: tool.block, opaque: tool.opaque });
  }

  #startTool(state: ChoiceState, tool: CallState): void {
    this.#closeReasoning(state);
    this.#closeText(state);
    tool.started = true;
    tool.block = this.#open();
    if (tool.id === '') tool.id = ownCallId(`${this.#id}/${state.index}`, state.calls.list.indexOf(tool));
    state.kinds.add('tool-call');
    const name = this.#sent?.toolNames?.get(tool.name) ?? tool.name;
    this.#out.push({
      type: 'tool-call-start',
      block: tool.block,
      choice: state.index,
      id: tool.id,
      name,
      kind: tool.kind,
    });
    if (tool.opaque !== undefined) this.#out.push({ type: 'opaque', block: tool.block, opaque: tool.opaque });
    for (const text of tool.held) this.#out.push({ type: 'delta', block: tool.block, text });
    tool.held = [];
  }

  #media(state: ChoiceState, delta: JsonObject): void {
    const audio = objectOf(delta['audio']);
    if (audio !== undefined) {
      state.audio ??= this.#open();
      const event = present({
        type: 'audio-delta' as const,
        block: state.audio,
        choice: state.index,
        id: wordOf(audio['id']),
        data: wordOf(audio['data']),
        transcript: wordOf(audio['transcript']),
        expiresAt: numberOf(audio['expires_at']),
      });
      this.#out.push(event);
      if (event.expiresAt !== undefined) state.audioDone = true;
    }
    for (const image of objectsOf(delta['images'])) this.#picture(state, image);
  }

  #picture(state: ChoiceState, image: JsonObject): void {
    const part = pictureOf(image);
    if (part !== undefined) this.#out.push({ type: 'image', block: this.#open(), choice: state.index, part });
  }

  /** Whether every answer begun has said why it ended. */
  #complete(): boolean {
    if (this.#choices.size === 0) return false;
    for (const { finish, audioDone } of this.#choices.values()) if (finish === undefined && !audioDone) return false;
    return true;
  }

  #fail(error: StreamError): void {
    this.#over = true;
    this.#out.push({ type: 'error', error });
  }

  /** A finish reason makes an end, or the vendor's own terminator behind something said: a closed connection alone does not. */
  #finish(terminated = false): void {
    if (!this.#complete() && !(terminated && this.#choices.size > 0)) {
      this.#fail(CUT_STREAM);
      return;
    }
    const choices = [...this.#choices.values()].sort((one, other) => one.index - other.index);
    for (const state of choices) this.#close(state);
    for (const state of choices) {
      const parts = [...state.kinds].map((type) => ({ type }));
      this.#out.push({ type: 'finish', choice: state.index, stop: stopOf(state.finish, parts) });
    }
    this.#over = true;
    this.#out.push({ type: 'end' });
  }

  /** Closes all blocks of an answer. */
  #close(state: ChoiceState): void {
    if (state.annotations.size === 0) for (const citation of this.#sources) this.#cite(state, citation);
    this.#closeReasoning(state);
    this.#closeText(state);
    for (const tool of state.calls.list) {
      if (tool.name === PARALLEL_WRAPPER && !tool.started) this.#expand(state, tool);
      if (!tool.started && tool.name === '') {
        // An empty piece that never became a call is nothing.
        if (tool.id === '' && tool.held.length === 0) continue;
        state.kinds.add(BROKEN_CALL.type);
        continue;
      }
      if (!tool.started) this.#startTool(state, tool);
      this.#out.push({ type: 'block-stop', block: tool.block });
    }
  }

  #expand(state: ChoiceState, tool: CallState): void {
    const id = tool.id === '' ? ownCallId(`${this.#id}/${state.index}`, state.calls.list.indexOf(tool)) : tool.id;
    const calls = expandParallelCalls({
      type: 'tool-call',
      id,
      name: tool.name,
      kind: 'function',
      arguments: tool.held.join(''),
    });
    const [first, ...others] = calls;
    if (first === undefined) return;
    tool.id = first.id;
    tool.name = first.name;
    tool.held = [first.arguments];
    for (const call of others) {
      const extra = newCall(state.calls);
      extra.id = call.id;
      extra.name = call.name;
      extra.held = [call.arguments];
    }
  }
}
