/** How vendors of the chat-completions wire differ from its document. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import { PIXEL } from '@model-gateway/testing';
import { sse } from '../scripted-formats.ts';
import { type Shape } from './shape.ts';

const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const ABOUT = { id: 'c', created: 1, model: 'm' };
const DONE = sse('[DONE]');

function chunk(delta: Json, more: JsonObject = {}, choice: JsonObject = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, ...choice }];
  return sse({ ...ABOUT, object: 'chat.completion.chunk', choices, ...more });
}
const last = (more: JsonObject = {}, choice: JsonObject = {}): string =>
  chunk({}, more, { finish_reason: 'stop', ...choice });
function whole(message: JsonObject, more: JsonObject = {}): JsonObject {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }];
  return { ...ABOUT, object: 'chat.completion', choices, usage: USAGE, ...more };
}
const HELLO = chunk({ role: 'assistant', content: 'Hello' });
const COUNTS = sse({ ...ABOUT, object: 'chat.completion.chunk', choices: [], usage: USAGE });

type Rest = Omit<Shape, 'name' | 'wire' | 'said' | 'billed'> & Partial<Pick<Shape, 'said' | 'billed'>>;
const shape = (name: string, rest: Rest): Shape => ({
  ...{ name, wire: 'openai-chat', said: { text: 'Hello' }, billed: [5, 7] },
  ...rest,
});

const PICTURE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
const PARTS = [{ type: 'text', text: 'Hello' }, PICTURE];
const THINKING = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
  { type: 'text', text: 'Hel' },
  { type: 'reference', reference_ids: [1] },
  { type: 'text', text: 'lo' },
];
const CALLS = [{ function: { name: 'f', arguments: { a: 1 } } }, { function: { name: 'g', arguments: '' } }];
const REASONED = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
const RESEARCH = { ...USAGE, citation_tokens: 20, num_search_queries: 3, reasoning_tokens: 50 };

export const CHAT_SHAPES: readonly Shape[] = [
  shape('counts in the choice (Moonshot)', { stream: [HELLO, last({}, { usage: USAGE }), DONE] }),
  shape('counts in a member of the vendor’s (Groq)', {
    stream: [HELLO, last({ x_groq: { id: 'req_1', usage: { ...USAGE, queue_time: 0.1 } } }), DONE],
  }),
  shape('counts that grow', {
    stream: [
      chunk({ role: 'assistant', content: 'Hel' }, { usage: { ...USAGE, completion_tokens: 3, total_tokens: 8 } }),
      chunk({ content: 'lo' }, { usage: USAGE }),
      last({ usage: USAGE }),
      DONE,
    ],
    isReadable: true,
  }),
  shape('a whole message for a stream', {
    stream: [sse(whole({ content: 'Hello' })), DONE],
  }),
  shape('a whole message behind the pieces of it', {
    stream: [HELLO, sse(whole({ content: 'Hello' })), DONE],
  }),
  shape('choices that are null, a delta that is null', {
    stream: [
      sse({ ...ABOUT, object: 'chat.completion.chunk', choices: null }),
      HELLO,
      chunk(null, {}, { finish_reason: 'stop' }),
      sse({ ...ABOUT, object: 'chat.completion.chunk', choices: null, usage: USAGE }),
      DONE,
    ],
  }),
  shape('reports of a filter (Azure)', {
    stream: [
      sse({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] }),
      HELLO,
      chunk({}, { id: '', object: '' }, { content_filter_offsets: { check_offset: 1 }, content_filter_results: {} }),
      last(),
      COUNTS,
      DONE,
    ],
    isReadable: true,
  }),
  shape('pictures among the parts of the content', {
    whole: whole({ content: PARTS }),
    stream: [chunk({ role: 'assistant', content: PARTS }), last({ usage: USAGE }), DONE],
    said: { text: 'Hello', pictures: 1 },
  }),
  shape('thoughts among the parts of the content (Mistral)', {
    whole: whole({ content: THINKING }),
    stream: [chunk({ role: 'assistant', content: THINKING }), last({ usage: USAGE }), DONE],
    said: { text: 'Hello', reasoning: 'Hm.' },
  }),
  shape('calls without an id, an index or a type, their arguments an object or nothing', {
    whole: whole({ content: null, tool_calls: CALLS }),
    stream: [chunk({ role: 'assistant', tool_calls: CALLS }), last({ usage: USAGE }), DONE],
    said: {
      calls: [
        ['f', { a: 1 }],
        ['g', {}],
      ],
    },
    ends: { 'anthropic-messages': 'tool_use' },
  }),
  shape('reasoning with its details (OpenRouter)', {
    whole: whole({
      content: 'Hello',
      reasoning: 'Hm.',
      reasoning_details: [{ ...REASONED, text: 'Hm.', signature: 'U0lHTkVE' }],
    }),
    stream: [
      chunk({ role: 'assistant', content: '', reasoning: 'Hm.', reasoning_details: [{ ...REASONED, text: 'Hm.' }] }),
      chunk({ content: '', reasoning: null, reasoning_details: [{ ...REASONED, signature: 'U0lHTkVE' }] }),
      chunk({ content: 'Hello' }),
      last({ usage: { ...USAGE, cost: 0.1, cost_details: {} } }),
      DONE,
    ],
    said: { text: 'Hello', reasoning: 'Hm.' },
  }),
  shape('research that counts beside the rest what it read, thought and searched (Perplexity)', {
    whole: whole({ content: 'Hello' }, { usage: RESEARCH, citations: ['https://sea.example'] }),
    stream: [chunk({ role: 'assistant', content: 'Hello' }), last({ usage: RESEARCH }), DONE],
    billed: [25, 57, 3],
    isReadable: true,
  }),
  shape('an end in another word', {
    stream: [HELLO, last({ usage: USAGE }, { finish_reason: 'eos_token' }), DONE],
  }),
];
