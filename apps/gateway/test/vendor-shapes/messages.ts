/** Anthropic's newer blocks, ends and counts. */
import type { JsonObject } from '@model-gateway/contracts';
import { typedEvents, type Shape } from './shape.ts';

const USAGE = { input_tokens: 5, output_tokens: 7 };
const HELLO = { type: 'text', text: 'Hello', citations: null };

interface Said {
  readonly stop?: JsonObject;
  readonly usage?: JsonObject;
  /** Of the last event, where that is not the whole. */
  readonly lastUsage?: JsonObject;
}

function message(content: JsonObject[], { stop = { stop_reason: 'end_turn' }, usage = USAGE }: Said): JsonObject {
  const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
  return { ...about, content, ...stop, usage };
}

/** Texts, thoughts and inputs come in pieces, all else at once. */
function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const begin = (start: JsonObject, ...deltas: JsonObject[]): JsonObject[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  switch (block['type']) {
    case 'text':
      return begin({ ...block, text: '' }, { type: 'text_delta', text: block['text'] ?? '' });
    case 'thinking':
      return begin(
        { ...block, thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: block['thinking'] ?? '' },
        { type: 'signature_delta', signature: block['signature'] ?? '' },
      );
    case 'compaction':
      return begin({ ...block, content: null }, { type: 'compaction_delta', content: block['content'] ?? null });
    case 'server_tool_use':
    case 'tool_use': {
      const input = JSON.stringify(block['input']);
      const pieces = [input.slice(0, 4), input.slice(4)];
      return begin(
        { ...block, input: {} },
        ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      );
    }
    default:
      return begin(block);
  }
}

function events(content: JsonObject[], said: Said): string[] {
  const { stop = { stop_reason: 'end_turn' }, usage = USAGE, lastUsage = usage } = said;
  const start = message([], { stop: { stop_reason: null }, usage: { input_tokens: 5, output_tokens: 1 } });
  return typedEvents(
    { type: 'message_start', message: start },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_sequence: null, ...stop }, usage: lastUsage },
    { type: 'message_stop' },
  );
}

type Expected = Pick<Shape, 'said' | 'ends' | 'billed'>;
function shape(name: string, content: JsonObject[], expected: Expected, said: Said = {}): Shape {
  const wire = 'anthropic-messages';
  return { name, wire, whole: message(content, said), stream: events(content, said), isReadable: true, ...expected };
}

const run = (type: string, input: number, output: number, read = 0): JsonObject => ({
  ...{ type, input_tokens: input, output_tokens: output },
  ...{ cache_read_input_tokens: read, cache_creation_input_tokens: 0 },
});
const hello = { text: 'Hello' };

export const MESSAGES_SHAPES: readonly Shape[] = [
  shape(
    'a history that was summed up: the summary is billed and not said',
    [{ type: 'compaction', content: 'What came before.' }, HELLO],
    { said: hello, billed: [115, 37] },
    { usage: { ...USAGE, iterations: [run('compaction', 100, 30, 10), run('message', 5, 7)] } },
  ),
  shape(
    'an adviser, told in a last event without the counts of the start',
    [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} }, HELLO],
    { said: hello, billed: [85, 27] },
    {
      usage: { ...USAGE, iterations: [run('message', 5, 7), run('advisor_message', 80, 20)] },
      lastUsage: { output_tokens: 7, iterations: [run('message', 5, 7), run('advisor_message', 80, 20)] },
    },
  ),
  shape(
    'a model that took over from one that declined: its runs are in the sums',
    [{ type: 'fallback', from: { model: 'a' }, to: { model: 'b' }, trigger: { type: 'refusal' } }, HELLO],
    { said: hello, billed: [5, 7] },
    { usage: { ...USAGE, iterations: [run('message', 2, 1), run('fallback_message', 3, 6)] } },
  ),
  shape(
    'what the vendor’s own tools did',
    [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'bash_code_execution', input: { command: 'ls' } },
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'bash_code_execution_result', stdout: 'a', stderr: '', return_code: 0, content: [] },
      },
      { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_fetch', input: { url: 'https://sea.example' } },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'srvtoolu_2',
        content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
      },
      { type: 'container_upload', file_id: 'file_1' },
      HELLO,
    ],
    { said: hello, billed: [5, 7, 2] },
    { usage: { ...USAGE, server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } } },
  ),
  shape(
    'thoughts, hidden and signed',
    [
      { type: 'redacted_thinking', data: 'UkVEQUNURUQ=' },
      { type: 'thinking', thinking: 'Hm.', signature: 'U0lHTkVE' },
      HELLO,
    ],
    { said: { ...hello, reasoning: 'Hm.' }, billed: [5, 7] },
  ),
  shape(
    'a full context',
    [HELLO],
    {
      said: hello,
      billed: [5, 7],
      ends: {
        'openai-chat': 'length',
        'openai-responses': 'max_output_tokens',
        'anthropic-messages': 'model_context_window_exceeded',
        'gemini-generate': 'MAX_TOKENS',
      },
    },
    { stop: { stop_reason: 'model_context_window_exceeded' } },
  ),
  shape(
    'a refusal without a word',
    [],
    {
      said: {},
      billed: [5, 7],
      ends: {
        'openai-chat': 'content_filter',
        'openai-responses': 'content_filter',
        'anthropic-messages': 'refusal',
        'gemini-generate': 'SAFETY',
      },
    },
    { stop: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } } },
  ),
];
