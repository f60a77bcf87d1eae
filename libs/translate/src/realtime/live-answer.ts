/** One response of Gemini Live, told in OpenAI's events. */
import type { Json, JsonObject } from '@model-gateway/contracts';

/** Tells one event to the client. */
export type Tell = (type: string, event: JsonObject) => void;

export interface AnswerParts {
  readonly tell: Tell;
  readonly newId: (prefix: string) => string;
  readonly isSpoken: boolean;
  /** Of the item before the first one. */
  readonly previous: () => string | null;
}

/** A response from `response.created` to `response.done`. */
export class LiveAnswer {
  readonly id: string;
  readonly #parts: AnswerParts;
  readonly #output: JsonObject[] = [];
  #message: { readonly id: string; text: string } | undefined;
  #lastItem: string | null;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.id = parts.newId('resp_');
    this.#lastItem = parts.previous();
    parts.tell('response.created', { response: this.#shown('in_progress', null, null) });
  }

  get lastItem(): string | null {
    return this.#lastItem;
  }

  sound(base64: string): void {
    const at = this.#begun();
    this.#parts.tell('response.output_audio.delta', { ...at, delta: base64 });
  }

  text(delta: string): void {
    const at = this.#begun();
    if (this.#message !== undefined) this.#message.text += delta;
    const type = this.#parts.isSpoken ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    this.#parts.tell(type, { ...at, delta });
  }

  call(id: string, name: string, args: Json): void {
    this.#endMessage('completed');
    const { tell, newId } = this.#parts;
    const place = { response_id: this.id, output_index: this.#output.length };
    const item: JsonObject = { id: newId('item_'), object: 'realtime.item', type: 'function_call', name, call_id: id };
    const text = JSON.stringify(args);
    this.#add({ ...item, status: 'in_progress', arguments: '' }, place);
    const at = { ...place, item_id: item['id'] ?? '', call_id: id };
    tell('response.function_call_arguments.delta', { ...at, delta: text });
    tell('response.function_call_arguments.done', { ...at, name, arguments: text });
    this.#done({ ...item, status: 'completed', arguments: text }, place);
  }

  /** `usage` as OpenAI prints it. */
  end(status: 'completed' | 'cancelled' | 'failed', details: JsonObject | null, usage: JsonObject | null): void {
    this.#endMessage(status === 'completed' ? 'completed' : 'incomplete');
    this.#parts.tell('response.done', { response: this.#shown(status, details, usage) });
  }

  #begun(): JsonObject {
    const place = { response_id: this.id, output_index: this.#output.length };
    if (this.#message === undefined) {
      const id = this.#parts.newId('item_');
      this.#message = { id, text: '' };
      const item = {
        id,
        object: 'realtime.item',
        type: 'message',
        role: 'assistant',
        status: 'in_progress',
        content: [],
      };
      this.#add(item, place);
      const part = this.#parts.isSpoken ? { type: 'output_audio', transcript: '' } : { type: 'output_text', text: '' };
      this.#parts.tell('response.content_part.added', { ...place, item_id: id, content_index: 0, part });
    }
    return { ...place, item_id: this.#message.id, content_index: 0 };
  }

  #endMessage(status: 'completed' | 'incomplete'): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    const { tell, isSpoken } = this.#parts;
    const place = { response_id: this.id, output_index: this.#output.length };
    const at = { ...place, item_id: message.id, content_index: 0 };
    const part: JsonObject = isSpoken
      ? { type: 'output_audio', transcript: message.text }
      : { type: 'output_text', text: message.text };
    if (isSpoken) {
      tell('response.output_audio.done', at);
      tell('response.output_audio_transcript.done', { ...at, transcript: message.text });
    } else tell('response.output_text.done', { ...at, text: message.text });
    tell('response.content_part.done', { ...at, part });
    const item = {
      id: message.id,
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status,
      content: [part],
    };
    this.#done(item, place);
  }

  #add(item: JsonObject, place: JsonObject): void {
    const { tell } = this.#parts;
    tell('response.output_item.added', { ...place, item });
    tell('conversation.item.added', { previous_item_id: this.#lastItem, item });
    if (typeof item['id'] === 'string') this.#lastItem = item['id'];
  }

  #done(item: JsonObject, place: JsonObject): void {
    this.#output.push(item);
    this.#parts.tell('conversation.item.done', { item });
    this.#parts.tell('response.output_item.done', { ...place, item });
  }

  #shown(status: string, details: JsonObject | null, usage: JsonObject | null): JsonObject {
    return {
      ...{
        object: 'realtime.response',
        id: this.id,
        status,
        status_details: details,
        output: [...this.#output],
        usage,
      },
      ...{ conversation_id: null, metadata: null, output_modalities: [this.#parts.isSpoken ? 'audio' : 'text'] },
    };
  }
}

/** Google's counts as OpenAI prints them; null where there are none. */
export function usageInOpenAi(usage: JsonObject): JsonObject {
  const input = modalities(usage['promptTokensDetails']);
  const output = modalities(usage['responseTokensDetails']);
  const tools = numberOf(usage['toolUsePromptTokenCount']);
  const thoughts = numberOf(usage['thoughtsTokenCount']);
  const inputTokens = numberOf(usage['promptTokenCount']) + tools;
  const outputTokens = numberOf(usage['responseTokenCount']) + thoughts;
  const cached = modalities(usage['cacheTokensDetails']);
  return {
    total_tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_token_details: {
      text_tokens: inputTokens - input.audio - input.image,
      audio_tokens: input.audio,
      image_tokens: input.image,
      cached_tokens: numberOf(usage['cachedContentTokenCount']),
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: cached.image },
    },
    output_token_details: { text_tokens: outputTokens - output.audio, audio_tokens: output.audio },
  };
}

function modalities(details: Json | undefined): { text: number; audio: number; image: number } {
  const counts = { text: 0, audio: 0, image: 0 };
  if (!Array.isArray(details)) return counts;
  for (const each of details) {
    const { modality, tokenCount } = each as { modality?: Json; tokenCount?: Json };
    if (modality === 'AUDIO') counts.audio += numberOf(tokenCount);
    else if (modality === 'IMAGE' || modality === 'VIDEO') counts.image += numberOf(tokenCount);
    else counts.text += numberOf(tokenCount);
  }
  return counts;
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
