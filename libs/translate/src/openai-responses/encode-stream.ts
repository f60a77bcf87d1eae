/**
 * Middle events to Responses events, the full lifecycle of every item (docs/wire/openai-responses.md#stream-grammar,
 * docs/wire/chat-streams.md#writing-each-wire).
 */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, Opaque, StopReason, StreamError } from '../conversation.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { CUT_STREAM } from '../shared/openai-error.ts';
import { SSE_COMMENT } from '../shared/sse.ts';
import { explanationOf } from '../shared/unusual-stop.ts';
import { mergeUsage } from '../shared/usage.ts';
import { callName } from './group-names.ts';
import { argumentsEvent, begunServerItem, errorCode, newBlock, serverItemSteps, type Block } from './stream-blocks.ts';
import {
  annotationsOf,
  callItem,
  createItemIds,
  endingOf,
  imageItem,
  messageItem,
  reasoningItem,
  responseId,
  responseObject,
  serverToolItem,
  textPart,
} from './output.ts';

type ToolStart = Extract<ChatEvent, { type: 'tool-call-start' }>;
type TextStart = Extract<ChatEvent, { type: 'text-start' | 'refusal-start' }>;

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  return new ResponsesStreamEncoder(context);
}

class ResponsesStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #newId: ReturnType<typeof createItemIds>;
  readonly #blocks = new Map<number, Block>();
  readonly #output: (JsonObject | undefined)[] = [];
  #sequence = 0;
  #id = '';
  #createdAt = 0;
  #usage: Usage | undefined;
  #finish: { readonly stop: StopReason; readonly refusal: string | undefined } | undefined;
  #refused = false;
  #over = false;
  /** A tool call or a text that waits one event for its signature, which goes ahead of it. */
  #pending: ToolStart | TextStart | undefined;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#newId = createItemIds(context);
  }

  keepAlive(): string {
    return SSE_COMMENT;
  }

  push(event: ChatEvent): string {
    if (this.#over) return '';
    const pending = this.#pending;
    if (pending === undefined) return this.#push(event);
    this.#pending = undefined;
    if (event.type === 'opaque' && event.block === pending.block) {
      return this.#signature(event.opaque) + this.#openPending(pending);
    }
    return this.#openPending(pending) + this.#push(event);
  }

  #openPending(pending: ToolStart | TextStart): string {
    return pending.type === 'tool-call-start' ? this.#openCall(pending) : this.#openMessage(pending);
  }

  #push(event: ChatEvent): string {
    switch (event.type) {
      case 'delta':
        return this.#delta(event);
      case 'start':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return this.#begin(event.id, event.created);
      case 'reasoning-start':
        return event.choice === 0 ? this.#openReasoning(event) : '';
      case 'text-start':
      case 'refusal-start':
      case 'tool-call-start':
        if (event.choice === 0) this.#pending = event;
        return this.#begin();
      case 'reasoning-break':
        return this.#closeSummary(this.#blocks.get(event.block));
      case 'opaque': {
        const block = this.#blocks.get(event.block);
        // State that comes behind words has no place: the message must stay the last item.
        if (block !== undefined) block.opaque = event.opaque;
        return '';
      }
      case 'citation':
        return this.#citation(event);
      case 'block-stop':
        return this.#stop(event.block);
      case 'image':
        return event.choice === 0 ? this.#image(event.part.source) : '';
      case 'server-tool':
        return event.choice === 0 ? this.#serverTool(event) : '';
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return '';
      case 'finish':
        if (event.choice === 0) this.#finish = { stop: event.stop, refusal: event.refusal };
        return '';
      case 'ping':
        return SSE_COMMENT;
      case 'error':
        return this.#fail(event.error);
      case 'end':
        return this.#end();
      // No spoken answers on this wire; a continuation is the gateway's affair.
      case 'audio-delta':
      case 'continuation':
        return '';
    }
  }

  /** One event; `fields` is JSON without its braces. */
  #event(type: string, fields: string): string {
    const number = this.#sequence;
    this.#sequence += 1;
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},${fields}}\n\n`;
  }

  #lifecycle(type: string, state: Partial<Parameters<typeof responseObject>[1]>): string {
    const response = responseObject(this.#context, {
      id: this.#id,
      createdAt: this.#createdAt,
      status: 'in_progress',
      output: [],
      ...state,
    });
    return this.#event(type, `"response":${JSON.stringify(response)}`);
  }

  #begin(id?: string, created?: number): string {
    if (this.#id !== '') return '';
    this.#id = responseId(id, this.#context);
    this.#createdAt = created ?? this.#context.now;
    return this.#lifecycle('response.created', {}) + this.#lifecycle('response.in_progress', {});
  }

  /** Takes the next place in the output and says so. */
  #add(item: JsonObject): { readonly index: number; readonly text: string } {
    const index = this.#output.length;
    this.#output.push(undefined);
    const text = this.#event('response.output_item.added', `"output_index":${index},"item":${JSON.stringify(item)}`);
    return { index, text };
  }

  #done(index: number, item: JsonObject): string {
    this.#output[index] = item;
    return this.#event('response.output_item.done', `"output_index":${index},"item":${JSON.stringify(item)}`);
  }

  #block(number: number, kind: Block['kind'], index: number, id: string, call?: Block['call']): Block {
    const block = newBlock(kind, index, id, call);
    this.#blocks.set(number, block);
    return block;
  }

  #openMessage({ type, block: number }: TextStart): string {
    const kind = type === 'text-start' ? 'text' : 'refusal';
    const begun = this.#begin();
    const id = this.#newId('msg');
    const { index, text } = this.#add(messageItem(id, 'in_progress', []));
    const block = this.#block(number, kind, index, id);
    const part = kind === 'text' ? textPart('') : { type: 'refusal', refusal: '' };
    if (kind === 'refusal') this.#refused = true;
    return (
      begun +
      text +
      this.#event('response.content_part.added', `${block.where},"content_index":0,"part":${JSON.stringify(part)}`)
    );
  }

  #openReasoning({ block: number, itemId }: Extract<ChatEvent, { type: 'reasoning-start' }>): string {
    const begun = this.#begin();
    // A vendor's sealed thoughts are bound to the id that it gave them.
    const id = itemId ?? this.#newId('rs');
    const { index, text } = this.#add(reasoningItem(id, [], undefined));
    this.#block(number, 'reasoning', index, id);
    return begun + text;
  }

  /** Opaque state of a call or a text, in a reasoning item of its own. */
  #signature(opaque: Opaque): string {
    const id = this.#newId('rs');
    const { index, text } = this.#add(reasoningItem(id, [], undefined));
    return text + this.#done(index, reasoningItem(id, [], opaque));
  }

  #openCall(event: ToolStart): string {
    const custom = event.kind === 'custom';
    const call = { callId: event.id, ...callName(this.#context.request, event.name), custom };
    const id = this.#newId(custom ? 'ctc' : 'fc');
    const { index, text } = this.#add(callItem(id, 'in_progress', { ...call, text: '' }));
    this.#block(event.block, 'tool', index, id, call);
    return text;
  }

  #delta({ block: number, text, logprobs }: Extract<ChatEvent, { type: 'delta' }>): string {
    const block = this.#blocks.get(number);
    if (block === undefined || text === '') return '';
    const opened = block.kind === 'reasoning' ? this.#openSummary(block) : '';
    block.texts.push(text);
    block.length += text.length;
    const delta = JSON.stringify(text);
    switch (block.kind) {
      case 'text': {
        if (logprobs !== undefined) block.logprobs.push(...logprobs);
        const tokens = logprobs === undefined ? '[]' : JSON.stringify(logprobs);
        return this.#event(
          'response.output_text.delta',
          `${block.where},"content_index":0,"delta":${delta},"logprobs":${tokens}`,
        );
      }
      case 'refusal':
        return this.#event('response.refusal.delta', `${block.where},"content_index":0,"delta":${delta}`);
      case 'reasoning': {
        const where = `${block.where},"summary_index":${block.summaries.length}`;
        return opened + this.#event('response.reasoning_summary_text.delta', `${where},"delta":${delta}`);
      }
      case 'tool':
        return this.#event(argumentsEvent(block, 'delta'), `${block.where},"delta":${delta}`);
    }
  }

  #openSummary(block: Block): string {
    if (block.summaryOpen) return '';
    block.summaryOpen = true;
    const where = `${block.where},"summary_index":${block.summaries.length}`;
    return this.#event('response.reasoning_summary_part.added', `${where},"part":{"type":"summary_text","text":""}`);
  }

  #closeSummary(block: Block | undefined): string {
    if (block?.summaryOpen !== true) return '';
    const text = block.texts.join('');
    const where = `${block.where},"summary_index":${block.summaries.length}`;
    block.summaries.push(text);
    block.texts = [];
    block.summaryOpen = false;
    const said = JSON.stringify(text);
    return (
      this.#event('response.reasoning_summary_text.done', `${where},"text":${said}`) +
      this.#event('response.reasoning_summary_part.done', `${where},"part":{"type":"summary_text","text":${said}}`)
    );
  }

  #citation({ block: number, citation }: Extract<ChatEvent, { type: 'citation' }>): string {
    const block = this.#blocks.get(number);
    if (block?.kind !== 'text') return '';
    let out = '';
    for (const annotation of annotationsOf([citation], block.length)) {
      const index = block.annotations.push(annotation) - 1;
      const fields = `${block.where},"content_index":0,"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
      out += this.#event('response.output_text.annotation.added', fields);
    }
    return out;
  }

  #stop(number: number): string {
    const block = this.#blocks.get(number);
    if (block === undefined) return '';
    this.#blocks.delete(number);
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return this.#stopMessage(block);
      case 'reasoning': {
        const closed = this.#closeSummary(block);
        // The item keeps the id it was announced with.
        return closed + this.#done(block.index, reasoningItem(block.id, block.summaries, block.opaque));
      }
      case 'tool':
        return this.#stopCall(block);
    }
  }

  #stopMessage(block: Block): string {
    const text = block.texts.join('');
    const where = `${block.where},"content_index":0`;
    const isText = block.kind === 'text';
    const part = isText ? textPart(text, block.annotations, block.logprobs) : { type: 'refusal', refusal: text };
    const said = JSON.stringify(text);
    return (
      (isText
        ? this.#event(
            'response.output_text.done',
            `${where},"text":${said},"logprobs":${JSON.stringify(block.logprobs)}`,
          )
        : this.#event('response.refusal.done', `${where},"refusal":${said}`)) +
      this.#event('response.content_part.done', `${where},"part":${JSON.stringify(part)}`) +
      this.#done(block.index, messageItem(block.id, 'completed', [part]))
    );
  }

  #stopCall(block: Block): string {
    const { call } = block;
    if (call === undefined) return '';
    const item = callItem(block.id, 'completed', { ...call, text: block.texts.join('') });
    const field = call.custom ? 'input' : 'arguments';
    const named = call.custom ? '' : `"name":${JSON.stringify(call.name)},`;
    const whole = JSON.stringify(item[field]);
    return (
      this.#event(argumentsEvent(block, 'done'), `${block.where},${named}"${field}":${whole}`) +
      this.#done(block.index, item)
    );
  }

  #image(source: Extract<ChatEvent, { type: 'image' }>['part']['source']): string {
    const begun = this.#begin();
    if (source.type === 'file') return begun;
    if (source.type === 'url') return begun + this.#whole(`![image](${source.url})`);
    const id = this.#newId('ig');
    const { index, text } = this.#add(imageItem(id, 'in_progress', null));
    const where = `"item_id":${JSON.stringify(id)},"output_index":${index}`;
    return (
      begun +
      text +
      this.#event('response.image_generation_call.in_progress', where) +
      this.#event('response.image_generation_call.completed', where) +
      this.#done(index, imageItem(id, 'completed', source.data))
    );
  }

  /** A message that is there at once. */
  #whole(text: string): string {
    const number = -1 - this.#output.length;
    return (
      this.#openMessage({ type: 'text-start', block: number, choice: 0 }) +
      this.#delta({ type: 'delta', block: number, text }) +
      this.#stop(number)
    );
  }

  #serverTool({ part }: Extract<ChatEvent, { type: 'server-tool' }>): string {
    const id = this.#newId('ws');
    const item = serverToolItem(id, part);
    if (item === undefined) return '';
    const begun = this.#begin();
    const { index, text } = this.#add(begunServerItem(item));
    const where = `"item_id":${JSON.stringify(item['id'] ?? id)},"output_index":${index}`;
    const steps = serverItemSteps(item).map(([step, fields]) => this.#event(`response.${step}`, where + fields));
    return begun + text + steps.join('') + this.#done(index, item);
  }

  #closeAll(): string {
    let out = '';
    for (const number of [...this.#blocks.keys()]) out += this.#stop(number);
    return out;
  }

  #items(): JsonObject[] {
    return this.#output.filter((item) => item !== undefined);
  }

  #fail(error: StreamError): string {
    const begun = this.#begin();
    this.#over = true;
    const failure = { code: errorCode(error), message: error.message };
    const state = { status: 'failed', error: failure, output: this.#items(), usage: this.#usage } as const;
    return begun + this.#lifecycle('response.failed', state);
  }

  #end(): string {
    const finish = this.#finish;
    if (finish === undefined) return this.#fail(CUT_STREAM);
    let out = this.#begin() + this.#closeAll();
    const { status, reason } = endingOf(finish.stop, this.#refused);
    const refusal = explanationOf(finish);
    if (refusal !== undefined && !this.#refused && !this.#items().some((item) => item['type'] === 'message')) {
      const number = -1 - this.#output.length;
      out += this.#openMessage({ type: 'refusal-start', block: number, choice: 0 });
      out += this.#delta({ type: 'delta', block: number, text: refusal }) + this.#stop(number);
    }
    const ending = { status, output: this.#items(), usage: this.#usage, ...(reason !== undefined && { reason }) };
    out += this.#lifecycle(`response.${status}`, ending);
    this.#over = true;
    return out;
  }
}
