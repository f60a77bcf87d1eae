/** Items and counts of the Responses wire beyond messages and functions. */
import type { JsonObject } from '@model-gateway/contracts';
import { PIXEL } from '@model-gateway/testing';
import { typedEvents, type Shape } from './shape.ts';

const USAGE = {
  ...{ input_tokens: 5, output_tokens: 7, total_tokens: 12 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
};
const HELLO: JsonObject = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', phase: 'final_answer' },
  content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
};

function response(output: JsonObject[], more: JsonObject): JsonObject {
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null },
    ...{ incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1 },
    ...{ tool_choice: 'auto', tools: [], top_p: 1, output, usage: USAGE },
    ...more,
  };
}

function partEvents(item: JsonObject, output_index: number): JsonObject[] {
  const content = item['content'] as JsonObject[];
  return content.flatMap((part, content_index) => {
    const where = { item_id: item['id'] ?? '', output_index, content_index };
    const text = part['text'] ?? '';
    return [
      { type: 'response.content_part.added', ...where, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...where, delta: text, logprobs: [], obfuscation: 'x' },
      { type: 'response.output_text.done', ...where, text, logprobs: [] },
      { type: 'response.content_part.done', ...where, part },
    ];
  });
}

function itemEvents(item: JsonObject, output_index: number): JsonObject[] {
  const isMessage = item['type'] === 'message';
  const begun = { ...item, status: 'in_progress', ...(isMessage && { content: [] }) };
  const where = { item_id: item['id'] ?? '', output_index };
  const painted = { type: 'response.image_generation_call.partial_image', ...where, partial_image_b64: PIXEL };
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...(isMessage ? partEvents(item, output_index) : []),
    ...(item['type'] === 'image_generation_call' ? [{ ...painted, partial_image_index: 0 }] : []),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function shape(name: string, output: JsonObject[], expected: Pick<Shape, 'said' | 'billed'>, more = {}): Shape {
  const whole = response(output, more);
  const begun = response([], { status: 'in_progress', usage: null });
  const all: JsonObject[] = [
    { type: 'response.created', response: begun },
    ...output.flatMap(itemEvents),
    { type: 'response.completed', response: whole },
  ];
  const stream = typedEvents(...all.map((data, sequence_number) => ({ ...data, sequence_number })));
  return { name, wire: 'openai-responses', whole, stream, isReadable: true, ...expected };
}

const searched = (id: string, action: JsonObject): JsonObject => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action,
});
const toolUsage = (painted: readonly [input: number, output: number], searches: number): JsonObject => ({
  image_gen: {
    ...{ input_tokens: painted[0], output_tokens: painted[1], total_tokens: painted[0] + painted[1] },
    input_tokens_details: { image_tokens: 0, text_tokens: painted[0] },
    output_tokens_details: { image_tokens: painted[1], text_tokens: 0 },
  },
  web_search: { num_requests: searches },
});
const SEARCHES = [
  searched('ws_1', { type: 'search', query: 'tides', queries: ['tides', 'moon'] }),
  searched('ws_2', { type: 'open_page', url: 'https://sea.example' }),
  searched('ws_3', { type: 'find_in_page', url: 'https://sea.example', pattern: 'noon' }),
];

export const RESPONSES_SHAPES: readonly Shape[] = [
  shape('searches, of which one is billed', [...SEARCHES, HELLO], { said: { text: 'Hello' }, billed: [5, 7, 1] }),
  shape(
    'searches as the vendor counts them',
    [...SEARCHES, HELLO],
    { said: { text: 'Hello' }, billed: [5, 7, 2] },
    { tool_usage: toolUsage([0, 0], 2) },
  ),
  shape(
    'a picture whose tokens are counted beside the rest',
    [
      {
        ...{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PIXEL },
        ...{ output_format: 'png', size: '1024x1024', quality: 'low', revised_prompt: 'A pixel.' },
      },
      HELLO,
    ],
    { said: { text: 'Hello', pictures: 1 }, billed: [32, 522] },
    { tool_usage: toolUsage([27, 515], 0) },
  ),
  shape(
    'steps of a search of the vendor’s own (xAI)',
    [
      {
        ...{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'xs_call_1', name: 'x_keyword_search' },
        ...{ input: '{"query":"tides"}', status: 'completed' },
      },
      HELLO,
    ],
    { said: { text: 'Hello' }, billed: [5, 7, 3] },
    { usage: { ...USAGE, server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 2 } } },
  ),
  shape(
    'items of hosted tools',
    [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'U0VBTEVE',
      },
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['tides'], results: null },
      {
        ...{ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '1', container_id: 'cntr_1' },
        outputs: [{ type: 'logs', logs: '1' }],
      },
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [] },
      { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'n', arguments: '{}', output: 'o', error: null },
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'U0VBTEVE' },
      HELLO,
    ],
    { said: { text: 'Hello', reasoning: 'Hm.' }, billed: [5, 7] },
  ),
];
