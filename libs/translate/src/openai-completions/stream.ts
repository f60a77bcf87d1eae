/** Streams of text completions, both ways (docs/wire/completions.md#stream). */
import { isJsonObject, type Json, type Usage } from '@model-gateway/contracts';
import { imageText } from '../anthropic-messages/write-block.ts';
import type { ChatEvent, StopReason } from '../conversation.ts';
import type { Encoded, ReplyContext, StreamDecoder, StreamEncoder } from '../dialect.ts';
import { createStreamDecoder as createChatDecoder } from '../openai-chat/decode-stream.ts';
import { statusInStream } from '../shared/error-words.ts';
import { CUT_STREAM, encodeOpenAiError, fromStreamError } from '../shared/openai-error.ts';
import { parseJson } from '../shared/read.ts';
import { SSE_COMMENT } from '../shared/sse.ts';
import { mergeUsage, toChatUsage } from '../shared/usage.ts';
import { asChat, echoOf, finishWord, replyId, toLogprobs } from './reply.ts';

/** Pieces are read as those of chat completions, which some vendors send. */
export function createStreamDecoder(sent?: Encoded): StreamDecoder {
  const chat = createChatDecoder(sent);
  return {
    push(event) {
      const chunk = event.data.includes('"text"') ? parseJson(event.data) : undefined;
      return chat.push(isJsonObject(chunk) ? { ...event, data: JSON.stringify(asChat(chunk, 'delta')) } : event);
    },
    end: () => chat.end(),
  };
}

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  return new CompletionStreamEncoder(context);
}

class CompletionStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #echo: string;
  readonly #withUsage: boolean;
  /** Which answer a block of words belongs to. */
  readonly #blocks = new Map<number, number>();
  /** Characters of each answer so far, the echo among them. */
  readonly #lengths = new Map<number, number>();
  readonly #finishes = new Map<number, StopReason>();
  #head = '';
  #usage: Usage | undefined;
  #over = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#echo = echoOf(context);
    this.#withUsage = context.request.streamUsage === true;
  }

  keepAlive(): string {
    return SSE_COMMENT;
  }

  push(event: ChatEvent): string {
    if (this.#over) return '';
    switch (event.type) {
      case 'start':
        this.#usage = event.usage === undefined ? this.#usage : mergeUsage(this.#usage, event.usage);
        this.#begin(event.id, event.created);
        return '';
      case 'text-start':
      case 'refusal-start':
        this.#blocks.set(event.block, event.choice);
        return this.#opening(event.choice);
      case 'delta': {
        const choice = this.#blocks.get(event.block);
        return choice === undefined ? '' : this.#words(choice, event.text, event.logprobs);
      }
      case 'image':
        return this.#opening(event.choice) + this.#words(event.choice, imageText(event.part));
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return '';
      case 'finish':
        this.#finishes.set(event.choice, event.stop);
        return '';
      case 'ping':
        return SSE_COMMENT;
      case 'error': {
        this.#over = true;
        const refusal = fromStreamError(event.error);
        return `data: ${JSON.stringify(encodeOpenAiError(refusal, statusInStream(refusal)))}\n\n`;
      }
      case 'end':
        return this.#end();
      // What a model thinks, calls and says has no place here.
      case 'reasoning-start':
      case 'reasoning-break':
      case 'tool-call-start':
      case 'server-tool':
      case 'audio-delta':
      case 'opaque':
      case 'citation':
      case 'block-stop':
      case 'continuation':
        return '';
    }
  }

  #begin(id: string | undefined, created: number | undefined): void {
    if (this.#head !== '') return;
    const head = JSON.stringify({
      id: replyId(id, this.#context),
      object: 'text_completion',
      created: created ?? this.#context.now,
      model: this.#context.model,
    });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
  }

  /** The prompt, once for each answer, where it is to be echoed. */
  #opening(choice: number): string {
    if (this.#lengths.has(choice)) return '';
    this.#begin(undefined, undefined);
    this.#lengths.set(choice, 0);
    return this.#echo === '' ? '' : this.#words(choice, this.#echo);
  }

  #words(choice: number, text: string, tokens: readonly Json[] = []): string {
    if (text === '') return '';
    const start = this.#lengths.get(choice) ?? 0;
    this.#lengths.set(choice, start + text.length);
    return this.#chunk(choice, { text, logprobs: JSON.stringify(toLogprobs(tokens, start)) });
  }

  #chunk(choice: number, { text = '', logprobs = 'null', finish = 'null' }): string {
    const usage = this.#withUsage ? ',"usage":null' : '';
    return `${this.#head}{"text":${JSON.stringify(text)},"index":${choice},"logprobs":${logprobs},"finish_reason":${finish}}]${usage}}\n\n`;
  }

  #end(): string {
    if (this.#finishes.size === 0) return this.push({ type: 'error', error: CUT_STREAM });
    let out = '';
    for (const [choice, stop] of this.#finishes)
      out += this.#opening(choice) + this.#chunk(choice, { finish: `"${finishWord(stop)}"` });
    if (this.#withUsage && this.#usage !== undefined)
      out += `${this.#head}],"usage":${JSON.stringify(toChatUsage(this.#usage))}}\n\n`;
    this.#over = true;
    return `${out}data: [DONE]\n\n`;
  }
}
