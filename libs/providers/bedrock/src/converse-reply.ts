/** Converse's answers in the Messages wire, whole and streamed (docs/wire/bedrock.md#converse). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { listAt, malformedReply, numberAt, objectAt, textAt } from '@model-gateway/provider-kit';
import type { MessagesTranslator, StreamMessage } from './event-stream.ts';

const STOPS: Readonly<Record<string, string>> = {
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

/** What the answer is called: the vendor's own id of the request, or none at all. */
export function messageId(requestId: string | undefined): string {
  return `msg_bdrk_${(requestId ?? '').replaceAll('-', '')}`;
}

/** `upstream_malformed` when there is no message in it. */
export function fromConverse(json: Json | undefined, model: string, id: string): JsonObject {
  const message = objectAt(json, 'output', 'message');
  if (message === undefined) throw malformedReply('it holds no message');
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: listAt(message, 'content').flatMap((block) => (isJsonObject(block) ? contentOf(block) : [])),
    stop_reason: stopOf(textAt(json, 'stopReason')),
    stop_sequence: null,
    usage: usageOfConverse(objectAt(json, 'usage')),
  };
}

function contentOf(block: JsonObject): JsonObject[] {
  const text = textAt(block, 'text');
  if (text !== undefined) return [{ type: 'text', text }];
  const call = objectAt(block, 'toolUse');
  if (call !== undefined) {
    const input = call['input'] ?? {};
    return [{ type: 'tool_use', id: textAt(call, 'toolUseId') ?? '', name: textAt(call, 'name') ?? '', input }];
  }
  const reasoning = objectAt(block, 'reasoningContent');
  if (reasoning === undefined) return [];
  const redacted = textAt(reasoning, 'redactedContent');
  if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
  const thinking = textAt(reasoning, 'reasoningText', 'text') ?? '';
  return [{ type: 'thinking', thinking, signature: textAt(reasoning, 'reasoningText', 'signature') ?? '' }];
}

function stopOf(reason: string | undefined): string {
  return STOPS[reason ?? ''] ?? reason ?? 'end_turn';
}

/** Its input tokens are those that were read from no cache, as on the Messages wire. */
function usageOfConverse(usage: JsonObject | undefined): JsonObject {
  const written = listAt(usage, 'cacheDetails');
  const ofTtl = (ttl: string): number =>
    written.reduce<number>(
      (sum, each) => sum + (textAt(each, 'ttl') === ttl ? (numberAt(each, 'inputTokens') ?? 0) : 0),
      0,
    );
  return {
    input_tokens: numberAt(usage, 'inputTokens') ?? 0,
    cache_read_input_tokens: numberAt(usage, 'cacheReadInputTokens') ?? 0,
    cache_creation_input_tokens: numberAt(usage, 'cacheWriteInputTokens') ?? 0,
    ...(written.length > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: ofTtl('5m'), ephemeral_1h_input_tokens: ofTtl('1h') },
    }),
    output_tokens: numberAt(usage, 'outputTokens') ?? 0,
  };
}

/** Converse's events as those of the Messages wire. Usage comes behind the stop: both are told together. */
export class ConverseEvents implements MessagesTranslator {
  readonly #model: string;
  readonly #id: string;
  /** Our numbers of the vendor's blocks. */
  readonly #blocks = new Map<number, number>();
  #stop: string | undefined;

  constructor(model: string, id: string) {
    this.#model = model;
    this.#id = id;
  }

  push({ name, payload }: StreamMessage): readonly JsonObject[] {
    switch (name) {
      case 'messageStart':
        return [this.#start()];
      case 'contentBlockStart':
        return this.#blockStart(payload);
      case 'contentBlockDelta':
        return this.#delta(payload);
      case 'contentBlockStop': {
        const index = this.#blocks.get(indexOf(payload));
        return index === undefined ? [] : [{ type: 'content_block_stop', index }];
      }
      case 'messageStop':
        this.#stop = stopOf(textAt(payload, 'stopReason'));
        return [];
      case 'metadata':
        return this.#finish(usageOfConverse(objectAt(payload, 'usage')));
      default:
        // An event of next year; the ones we know carry the answer.
        return [];
    }
  }

  /** An answer that stopped, and whose usage was never told. */
  end(): readonly JsonObject[] {
    return this.#stop === undefined ? [] : this.#finish(undefined);
  }

  #start(): JsonObject {
    const usage = { input_tokens: 0, output_tokens: 0 };
    return {
      type: 'message_start',
      message: {
        id: this.#id,
        type: 'message',
        role: 'assistant',
        model: this.#model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    };
  }

  #blockStart(payload: JsonObject): readonly JsonObject[] {
    const call = objectAt(payload, 'start', 'toolUse');
    if (call === undefined) return [];
    const id = textAt(call, 'toolUseId') ?? '';
    return [this.#open(payload, { type: 'tool_use', id, name: textAt(call, 'name') ?? '', input: {} })];
  }

  /** Only calls are announced: other blocks begin with their first piece. */
  #delta(payload: JsonObject): readonly JsonObject[] {
    const text = textAt(payload, 'delta', 'text');
    if (text !== undefined) return this.#piece(payload, { type: 'text', text: '' }, { type: 'text_delta', text });
    const input = textAt(payload, 'delta', 'toolUse', 'input');
    if (input !== undefined) {
      const call = { type: 'tool_use', id: '', name: '', input: {} };
      return this.#piece(payload, call, { type: 'input_json_delta', partial_json: input });
    }
    const reasoning = objectAt(payload, 'delta', 'reasoningContent');
    const redacted = textAt(reasoning, 'redactedContent');
    if (redacted !== undefined) {
      return this.#blocks.has(indexOf(payload))
        ? []
        : [this.#open(payload, { type: 'redacted_thinking', data: redacted })];
    }
    const block = { type: 'thinking', thinking: '', signature: '' };
    const signature = textAt(reasoning, 'signature');
    if (signature !== undefined) return this.#piece(payload, block, { type: 'signature_delta', signature });
    const thinking = textAt(reasoning, 'text');
    return thinking === undefined ? [] : this.#piece(payload, block, { type: 'thinking_delta', thinking });
  }

  #piece(payload: JsonObject, content_block: JsonObject, delta: JsonObject): readonly JsonObject[] {
    const opened = this.#blocks.has(indexOf(payload)) ? [] : [this.#open(payload, content_block)];
    return [...opened, { type: 'content_block_delta', index: this.#blocks.get(indexOf(payload)) ?? 0, delta }];
  }

  #open(payload: JsonObject, content_block: JsonObject): JsonObject {
    const index = this.#blocks.size;
    this.#blocks.set(indexOf(payload), index);
    return { type: 'content_block_start', index, content_block };
  }

  #finish(usage: JsonObject | undefined): readonly JsonObject[] {
    if (this.#stop === undefined) return [];
    const delta = { stop_reason: this.#stop, stop_sequence: null };
    this.#stop = undefined;
    return [{ type: 'message_delta', delta, ...(usage !== undefined && { usage }) }, { type: 'message_stop' }];
  }
}

/** Claude's own events, which stand in `chunk` messages as base64. */
export class ClaudeEvents implements MessagesTranslator {
  push({ name, payload }: StreamMessage): readonly JsonObject[] {
    if (name !== 'chunk') return [];
    const event = JSON.parse(Buffer.from(textAt(payload, 'bytes') ?? '', 'base64').toString('utf8')) as Json;
    return isJsonObject(event) ? [event] : [];
  }

  end(): readonly JsonObject[] {
    return [];
  }
}

function indexOf(payload: JsonObject): number {
  return numberAt(payload, 'contentBlockIndex') ?? 0;
}
