/** What a gateway that compacts conversations must know of their wire (docs/wire/openai-responses.md#compaction). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { inputItems, outputOf } from './kept.ts';

/** Members that belong to answers, and that the compacting call of the vendor does not take. */
const OF_ANSWERS = ['store', 'stream', 'include', 'background', 'stream_options'] as const;
/** Characters of the user's own messages that stay as they were; the latest stay. */
const MOST_KEPT = 64 * 1024;
/** What a model reads before a summary. */
const HEAD =
  'This is a summary of our conversation so far; what was said before it is no longer shown. Go on from it.\n\n';

/** The body as a vendor that compacts is sent it. */
export function vendorRequest(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !OF_ANSWERS.some((other) => other === name)));
}

/**
 * The body that asks for a summary. Calls of tools and what they gave are told as text: the request declares no tools, and vendors refuse
 * calls of tools that are not declared.
 */
export function summaryRequest(body: JsonObject, prompt: string): JsonObject {
  const { model, instructions, input, prompt_cache_key: cacheKey, service_tier: tier, reasoning } = body;
  const names = new Map<Json, Json>();
  return {
    model: model ?? null,
    ...(instructions !== undefined && { instructions }),
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...(tier !== undefined && { service_tier: tier }),
    ...(reasoning !== undefined && { reasoning }),
    input: [...itemsOf(input).flatMap((item) => told(item, names)), message('user', prompt)],
    store: false,
    stream: false,
  };
}

function itemsOf(input: Json | undefined): Json[] {
  if (typeof input === 'string') return [message('user', input)];
  return Array.isArray(input) ? input : [];
}

function told(item: Json, names: Map<Json, Json>): readonly Json[] {
  if (!isJsonObject(item)) return [item];
  const { type, call_id: id, name, output } = item;
  switch (type) {
    case 'reasoning':
      return [];
    case 'function_call':
    case 'custom_tool_call':
      names.set(id ?? null, name ?? null);
      return [
        message('assistant', `[I called the tool ${wordOf(name)} with: ${wordOf(item['arguments'] ?? item['input'])}]`),
      ];
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const head = `[The tool ${wordOf(names.get(id ?? null))} answered:]`;
      if (!Array.isArray(output)) return [message('user', `${head} ${wordOf(output)}`)];
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: head }, ...output] }];
    }
    default:
      return [item];
  }
}

function wordOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function message(role: 'user' | 'assistant', text: string): JsonObject {
  const type = role === 'user' ? 'input_text' : 'output_text';
  return { type: 'message', role, content: [{ type, text }] };
}

/** The messages that stay as they were: instructions, and the latest ones of the user's. */
export function keptMessages(body: JsonObject, newId: () => string): JsonObject[] {
  let room = MOST_KEPT;
  const kept = inputItems(body['input'], newId)
    .toReversed()
    .filter((item) => {
      if (item['type'] !== 'message' || item['role'] === 'assistant') return false;
      if (item['role'] !== 'user') return true;
      room -= JSON.stringify(item['content'] ?? '').length;
      return room >= 0;
    });
  return kept.toReversed().map((item) => {
    const { content } = item;
    const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []);
    return { ...item, status: 'completed', content: parts };
  });
}

/** What an answer says. */
export function textOf(response: JsonObject): string {
  return outputOf(response)
    .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []))
    .map(({ type, text }) => (type === 'output_text' && typeof text === 'string' ? text : ''))
    .join('')
    .trim();
}

/** A summary as a model reads it. */
export function summaryMessage(summary: string): JsonObject {
  return message('user', HEAD + summary);
}
