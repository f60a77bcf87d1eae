/**
 * Reasoning on the chat-completions wire is nobody's standard: a plain text field (DeepSeek, Qwen, MiMo), `reasoning_details`
 * (OpenRouter), `thinking_blocks` (LiteLLM). All are read; opaque state is written as `thinking_blocks`
 * (docs/wire/chat-translation.md#reasoning-state).
 */
import type { JsonObject } from '@model-gateway/contracts';
import type { Opaque, ReasoningPart } from '../conversation.ts';
import { readOpaque, wrapOpaque } from '../shared/opaque-envelope.ts';
import { at, numberOf, objectsOf, textOf, wordOf } from '../shared/read.ts';

/** The reasoning of a message, from the richest of its fields; `place` is absent for replies. */
export function readReasoning(message: JsonObject, place?: string): ReasoningPart[] {
  for (const [field, read] of [
    ['thinking_blocks', readThinkingBlocks],
    ['reasoning_details', readDetails],
  ] as const) {
    const parts = read(objectsOf(message[field]));
    if (parts.length > 0)
      return place === undefined ? parts : parts.map((part) => ({ ...part, place: at(place, field) }));
  }
  const field = wordOf(message['reasoning_content']) !== undefined ? 'reasoning_content' : 'reasoning';
  const text = wordOf(message[field]);
  if (text === undefined) return [];
  return [{ type: 'reasoning', text, ...(place !== undefined && { place: at(place, field) }) }];
}

/** One LiteLLM block; undefined when there is nothing in it that anyone could use. */
export function readThinkingBlock(block: JsonObject): ReasoningPart | undefined {
  const redacted = block['type'] === 'redacted_thinking';
  const text = redacted ? '' : (textOf(block['thinking']) ?? '');
  const opaque = readOpaque(textOf(redacted ? block['data'] : block['signature']), {
    provider: 'anthropic',
    kind: redacted ? 'redacted' : 'signature',
  });
  if (text === '' && opaque === undefined) return undefined;
  return { type: 'reasoning', text, ...(opaque !== undefined && { opaque }) };
}

function readThinkingBlocks(blocks: readonly JsonObject[]): ReasoningPart[] {
  return blocks.map(readThinkingBlock).filter((part) => part !== undefined);
}

/** One OpenRouter detail: its text, and its opaque state. */
export function readDetail(detail: JsonObject): { readonly text: string; readonly opaque?: Opaque } {
  const itemId = wordOf(detail['id']);
  const text = textOf(detail['text']) ?? textOf(detail['summary']) ?? '';
  const encrypted = textOf(detail['data']);
  const opaque = readOpaque(encrypted ?? textOf(detail['signature']), {
    provider: providerOf(textOf(detail['format']) ?? ''),
    kind: encrypted === undefined ? 'signature' : 'encrypted',
    ...(itemId !== undefined && { itemId }),
  });
  return { text, ...(opaque !== undefined && { opaque }) };
}

/** `anthropic-claude-v1`, `openai-responses-v1`, `google-gemini-v1`, `xai-responses-v1`, … */
function providerOf(format: string): string {
  const maker = format.split('-', 1)[0] ?? '';
  if (maker === 'google') return 'gemini';
  return maker === '' ? 'unknown' : maker;
}

/** Details of the same index are pieces of one part. */
function readDetails(details: readonly JsonObject[]): ReasoningPart[] {
  const parts = new Map<string, { text: string; opaque?: Opaque }>();
  details.forEach((detail, position) => {
    const index = numberOf(detail['index']);
    const key = index === undefined ? `position ${position}` : `index ${index}`;
    const part = parts.get(key) ?? { text: '' };
    const { text, opaque } = readDetail(detail);
    part.text += text;
    if (opaque !== undefined) part.opaque = opaque;
    parts.set(key, part);
  });
  return [...parts.values()]
    .filter((part) => part.text !== '' || part.opaque !== undefined)
    .map((part) => ({ type: 'reasoning', ...part }));
}

/** The block that carries a reasoning part through a client; `write` makes the text of its opaque state. */
export function thinkingBlock(
  text: string,
  opaque: Opaque | undefined,
  write: (opaque: Opaque) => string = wrapOpaque,
): JsonObject {
  if (opaque === undefined) return { type: 'thinking', thinking: text };
  if (text === '' && opaque.kind === 'redacted') return { type: 'redacted_thinking', data: write(opaque) };
  return { type: 'thinking', thinking: text, signature: write(opaque) };
}
