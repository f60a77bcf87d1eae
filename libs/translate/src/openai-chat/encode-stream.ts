/**
 * Middle events to chat-completions chunks, to the letter of the grammar (docs/wire/openai-chat.md#stream-grammar,
 * docs/wire/chat-streams.md#writing-each-wire).
 */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, Citation, Opaque, StopReason, StreamError } from '../conversation.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { CUT_STREAM, encodeOpenAiError, fromStreamError } from '../shared/openai-error.ts';
import { present } from '../shared/read.ts';
import { SSE_COMMENT } from '../shared/sse.ts';
import { explanationOf } from '../shared/unusual-stop.ts';
import { mergeUsage, toChatUsage } from '../shared/usage.ts';
import { thinkingBlock } from './reasoning.ts';
import { annotationsOf, completionId, documentsOf, FINISH_WORDS, imageObject, signatureField } from './reply.ts';

interface Block {
  readonly kind: 'text' | 'refusal' | 'reasoning' | 'tool';
  readonly choice: number;
  /** Where its text begins in the whole content, and how long it is. */
  base: number;
  length: number;
  readonly tool:
    | { readonly index: number; readonly id: string; readonly name: string; readonly custom: boolean }
    | undefined;
  readonly citations: Citation[];
  /** Reasoning text, kept for the block that carries its signature. */
  readonly texts: string[];
  opaque: Opaque | undefined;
}

interface Choice {
  tools: number;
  /** Characters of content so far. */
  length: number;
  refused: boolean;
  readonly texts: Block[];
  /** How many annotations and citations of documents have been said. */
  annotated: number;
  readonly thinking: JsonObject[];
}

interface Finish {
  readonly stop: StopReason;
  readonly refusal: string | undefined;
}

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  return new ChatStreamEncoder(context);
}

class ChatStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #withUsage: boolean;
  readonly #blocks = new Map<number, Block>();
  readonly #choices = new Map<number, Choice>();
  readonly #finishes = new Map<number, Finish>();
  /** `data: {"id":…,"choices":[` of every chunk. */
  #head = '';
  #tail = '}\n\n';
  #usage: Usage | undefined;
  #over = false;
  /** A tool call whose first chunk waits one event for its signature. */
  #pending: { readonly number: number; readonly block: Block } | undefined;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#withUsage = context.request.streamUsage === true;
    if (this.#withUsage) this.#tail = ',"usage":null}\n\n';
  }

  keepAlive(): string {
    return SSE_COMMENT;
  }

  push(event: ChatEvent): string {
    if (this.#over) return '';
    const pending = this.#pending;
    if (pending === undefined) return this.#push(event);
    this.#pending = undefined;
    if (event.type === 'opaque' && event.block === pending.number) {
      pending.block.opaque = event.opaque;
      return this.#toolStart(pending.block);
    }
    return this.#toolStart(pending.block) + this.#push(event);
  }

  #push(event: ChatEvent): string {
    switch (event.type) {
      case 'delta':
        return this.#delta(event);
      case 'start':
        if (event.usage !== undefined) this.#usage = mergeUsage(this.#usage, event.usage);
        return this.#head === '' ? this.#begin(event.id, event.created) + this.#touch(0) : '';
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
        return this.#start(event);
      case 'reasoning-break':
        return this.#reasoning(this.#blocks.get(event.block), '\n\n');
      case 'opaque': {
        const block = this.#blocks.get(event.block);
        if (block !== undefined) block.opaque = event.opaque;
        return '';
      }
      case 'citation':
        this.#blocks.get(event.block)?.citations.push(event.citation);
        return '';
      case 'block-stop':
        return this.#stop(this.#blocks.get(event.block));
      case 'image': {
        const { source } = event.part;
        if (source.type === 'file') return '';
        return (
          this.#touch(event.choice) + this.#chunk(event.choice, `{"images":[${JSON.stringify(imageObject(source))}]}`)
        );
      }
      case 'audio-delta': {
        const audio = present({
          id: event.id,
          data: event.data,
          transcript: event.transcript,
          expires_at: event.expiresAt,
        });
        return this.#touch(event.choice) + this.#chunk(event.choice, `{"audio":${JSON.stringify(audio)}}`);
      }
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return '';
      case 'finish':
        this.#finishes.set(event.choice, { stop: event.stop, refusal: event.refusal });
        return '';
      case 'ping':
        return SSE_COMMENT;
      case 'error':
        return this.#fail(event.error);
      case 'end':
        return this.#end();
      // What the vendor's own tools did is hidden here; a continuation is the gateway's affair.
      case 'server-tool':
      case 'continuation':
        return '';
    }
  }

  #begin(id: string | undefined, created: number | undefined): string {
    const head = JSON.stringify({
      id: completionId(id, this.#context),
      object: 'chat.completion.chunk',
      created: created ?? this.#context.now,
      model: this.#context.model,
      system_fingerprint: null,
    });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
    return '';
  }

  #chunk(choice: number, delta: string, finish = 'null', logprobs = 'null'): string {
    return `${this.#head}{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}]${this.#tail}`;
  }

  /** The first chunk of an answer says its role, once. */
  #touch(choice: number): string {
    if (this.#choices.has(choice)) return '';
    if (this.#head === '') this.#begin(undefined, undefined);
    this.#choices.set(choice, {
      tools: 0,
      length: 0,
      refused: false,
      texts: [],
      annotated: 0,
      thinking: [],
    });
    return this.#chunk(choice, '{"role":"assistant","content":"","refusal":null}');
  }

  #choice(index: number): Choice {
    const choice = this.#choices.get(index);
    if (choice === undefined) throw new Error(`answer ${index} has not begun`);
    return choice;
  }

  #start(
    event: Extract<ChatEvent, { type: 'text-start' | 'refusal-start' | 'reasoning-start' | 'tool-call-start' }>,
  ): string {
    const role = this.#touch(event.choice);
    const choice = this.#choice(event.choice);
    const isTool = event.type === 'tool-call-start';
    const block: Block = {
      kind: isTool
        ? 'tool'
        : event.type === 'text-start'
          ? 'text'
          : event.type === 'refusal-start'
            ? 'refusal'
            : 'reasoning',
      choice: event.choice,
      base: choice.length,
      length: 0,
      tool: isTool
        ? { index: choice.tools, id: event.id, name: event.name, custom: event.kind === 'custom' }
        : undefined,
      citations: [],
      texts: [],
      opaque: undefined,
    };
    this.#blocks.set(event.block, block);
    if (isTool) {
      choice.tools += 1;
      this.#pending = { number: event.block, block };
    } else if (block.kind === 'text') choice.texts.push(block);
    return role;
  }

  #toolStart({ tool, choice, opaque }: Block): string {
    if (tool === undefined) return '';
    const call = {
      index: tool.index,
      id: tool.id,
      type: tool.custom ? 'custom' : 'function',
      ...(tool.custom ? { custom: { name: tool.name, input: '' } } : { function: { name: tool.name, arguments: '' } }),
      ...(opaque !== undefined && signatureField(wrapOpaque(opaque))),
    };
    return this.#chunk(choice, `{"tool_calls":[${JSON.stringify(call)}]}`);
  }

  #delta({ block: number, text, logprobs }: Extract<ChatEvent, { type: 'delta' }>): string {
    const block = this.#blocks.get(number);
    if (block === undefined || text === '') return '';
    switch (block.kind) {
      case 'text': {
        const choice = this.#choice(block.choice);
        if (block.length === 0) block.base = choice.length;
        block.length += text.length;
        choice.length += text.length;
        const tokens = logprobs === undefined ? 'null' : `{"content":${JSON.stringify(logprobs)},"refusal":null}`;
        return this.#chunk(block.choice, `{"content":${JSON.stringify(text)}}`, 'null', tokens);
      }
      case 'refusal':
        this.#choice(block.choice).refused = true;
        return this.#chunk(block.choice, `{"refusal":${JSON.stringify(text)}}`);
      case 'reasoning':
        return this.#reasoning(block, text);
      case 'tool':
        block.length += text.length;
        return this.#arguments(block, text);
    }
  }

  #reasoning(block: Block | undefined, text: string): string {
    if (block === undefined) return '';
    block.texts.push(text);
    return this.#chunk(block.choice, `{"reasoning_content":${JSON.stringify(text)}}`);
  }

  #arguments({ tool, choice }: Block, text: string): string {
    if (tool === undefined) return '';
    const piece = JSON.stringify(text);
    const field = tool.custom ? `"custom":{"input":${piece}}` : `"function":{"arguments":${piece}}`;
    return this.#chunk(choice, `{"tool_calls":[{"index":${tool.index},${field}}]}`);
  }

  #stop(block: Block | undefined): string {
    if (block === undefined) return '';
    if (block.kind === 'tool' && block.length === 0 && block.tool?.custom === false)
      return this.#arguments(block, '{}');
    if (block.kind === 'text') return this.#annotations(block.choice);
    if (block.kind !== 'reasoning' || block.opaque === undefined) return '';
    // Accumulators keep the last value of a field they do not know: each time the whole list.
    const { thinking } = this.#choice(block.choice);
    thinking.push(thinkingBlock(block.texts.join(''), block.opaque));
    return this.#chunk(block.choice, `{"thinking_blocks":${JSON.stringify(thinking)}}`);
  }

  /** All annotations so far, when there are new ones: accumulators keep the last list. */
  #annotations(index: number): string {
    const choice = this.#choice(index);
    const annotations = choice.texts.flatMap((text) => annotationsOf(text.citations, text.base, text.length));
    const citations = choice.texts.flatMap((text) => documentsOf(text.citations));
    const count = annotations.length + citations.length;
    if (count === choice.annotated) return '';
    choice.annotated = count;
    const said = {
      ...(annotations.length > 0 && { annotations }),
      ...(citations.length > 0 && { citations }),
    };
    return this.#chunk(index, JSON.stringify(said));
  }

  #fail(error: StreamError): string {
    this.#over = true;
    const refusal = fromStreamError(error);
    return `data: ${JSON.stringify(encodeOpenAiError(refusal, statusInStream(refusal)))}\n\n`;
  }

  #end(): string {
    if (this.#finishes.size === 0) return this.#fail(CUT_STREAM);
    let out = '';
    for (const [index, finish] of this.#finishes) {
      const { stop } = finish;
      const refusal = explanationOf(finish);
      out += this.#touch(index);
      const choice = this.#choice(index);
      out += this.#annotations(index);
      if (refusal !== undefined && !choice.refused) out += this.#chunk(index, JSON.stringify({ refusal }));
      out += this.#chunk(index, '{}', `"${FINISH_WORDS[stop]}"`);
    }
    if (this.#withUsage && this.#usage !== undefined) {
      out += `${this.#head}],"usage":${JSON.stringify(toChatUsage(this.#usage))}}\n\n`;
    }
    this.#over = true;
    return `${out}data: [DONE]\n\n`;
  }
}
