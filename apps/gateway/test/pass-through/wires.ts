/** The chat operations: where they are asked, what a request has at the least, what is answered, and what nobody knows. */
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import type { Sample } from './samples.ts';

export interface Wire {
  readonly dialect: ChatFormat;
  readonly path: string;
  readonly streamPath: string;
  /** Members that every request has where its sample says nothing of them. */
  readonly base: JsonObject;
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly events: readonly string[];
  /** A whole reply. */
  readonly reply: JsonObject;
  /** What comes before and behind the events of a stream. */
  readonly begin: readonly JsonObject[];
  readonly end: readonly JsonObject[];
  /** Behind everything. */
  readonly done?: string;
}

const says = { role: 'user', content: 'hello' };
export const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
export const chatReply = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
export const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
const candidate = { content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP', index: 0 };

export const WIRES: readonly Wire[] = [
  {
    dialect: 'openai-chat',
    path: '/v1/chat/completions',
    streamPath: '/v1/chat/completions',
    base: { model: 'openai-chat', messages: [says] },
    requests: ['ChatCompletion'],
    replies: ['ChatCompletionReply'],
    events: ['ChatCompletionEvent'],
    reply: {
      ...chatReply,
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage,
    },
    begin: [{ ...chatReply, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'hi' } }] }],
    end: [
      {
        ...chatReply,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage,
      },
    ],
    done: 'data: [DONE]\n\n',
  },
  {
    dialect: 'openai-responses',
    path: '/v1/responses',
    streamPath: '/v1/responses',
    base: { model: 'openai-responses', input: 'hello' },
    requests: ['Response'],
    replies: ['ResponseReply'],
    events: ['ResponseEvent'],
    reply: { ...response, status: 'completed' },
    begin: [{ type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress' } }],
    end: [{ type: 'response.completed', sequence_number: 9, response: { ...response, status: 'completed' } }],
  },
  {
    dialect: 'anthropic-messages',
    path: '/v1/messages',
    streamPath: '/v1/messages',
    base: { model: 'anthropic-messages', max_tokens: 9, messages: [says] },
    requests: ['Message', 'BetaMessage'],
    replies: ['MessageReply', 'BetaMessageReply'],
    events: ['MessageEvent', 'BetaMessageEvent'],
    reply: { ...message, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
    begin: [{ type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } }],
    end: [
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
  },
  {
    dialect: 'gemini-generate',
    path: '/v1beta/models/gemini-generate:generateContent',
    streamPath: '/v1beta/models/gemini-generate:streamGenerateContent?alt=sse',
    base: { contents },
    requests: ['GenerateContent'],
    replies: ['GenerateContentReply'],
    events: ['GenerateContentReply'],
    reply: { candidates: [candidate], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } },
    begin: [{ candidates: [{ ...candidate, finishReason: null }] }],
    end: [{ candidates: [candidate], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } }],
  },
];

/** Counting: its own path and answer on wires that have it. */
export const COUNTS: readonly Pick<Wire, 'dialect' | 'path' | 'base' | 'requests' | 'replies' | 'reply'>[] = [
  {
    dialect: 'anthropic-messages',
    path: '/v1/messages/count_tokens',
    base: { model: 'anthropic-messages', messages: [says] },
    requests: ['MessageCount', 'BetaMessageCount'],
    replies: ['MessageCountReply', 'BetaMessageCountReply'],
    reply: { input_tokens: 1 },
  },
  {
    dialect: 'gemini-generate',
    path: '/v1beta/models/gemini-generate:countTokens',
    base: { contents },
    requests: ['CountContent'],
    replies: ['CountContentReply'],
    reply: { totalTokens: 1 },
  },
];

/** Streams whose usage the client asks for itself: nothing has to be added. */
export const STREAMED: Readonly<Record<ChatFormat, JsonObject>> = {
  'openai-chat': { stream: true, stream_options: { include_usage: true } },
  'openai-responses': { stream: true },
  'anthropic-messages': { stream: true },
  'gemini-generate': {},
};

const unknown = { type: 'x_unknown', of: ['anything'] };
/** Values of known members that nobody knows. */
export const STRANGERS: Readonly<Record<ChatFormat, readonly JsonObject[]>> = {
  'openai-chat': [
    { messages: [{ role: 'user', content: [unknown] }] },
    { messages: [{ role: 'x_unknown', content: 'hello' }] },
    { messages: [says], tools: [unknown], tool_choice: unknown },
    { modalities: ['text', 'x_unknown'], reasoning_effort: 'x_unknown', verbosity: 'x_unknown' },
    { response_format: unknown, prediction: unknown, audio: { voice: 'x_unknown', format: 'x_unknown' } },
  ],
  'openai-responses': [
    { input: [unknown, { role: 'user', content: [unknown] }] },
    { input: [{ role: 'x_unknown', content: 'hello' }] },
    { tools: [unknown, { type: 'computer_use_preview', environment: 'browser' }], tool_choice: unknown },
    { include: ['x.unknown'], truncation: 'x_unknown', reasoning: { effort: 'x_unknown' }, text: { format: unknown } },
    { previous_response_id: 'resp_made_elsewhere' },
    { conversation: 'conv_made_elsewhere' },
    { prompt: { id: 'pmpt_made_elsewhere', version: '2' } },
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_made_elsewhere'] }] },
    { tools: [{ type: 'code_interpreter', container: 'cntr_made_elsewhere' }] },
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-made-elsewhere' }] }] },
  ],
  'anthropic-messages': [
    { messages: [{ role: 'user', content: [unknown] }] },
    { messages: [{ role: 'x_unknown', content: 'hello' }] },
    { tools: [unknown], tool_choice: unknown, system: [unknown] },
    { thinking: unknown, output_config: { effort: 'x_unknown', format: unknown }, context_management: unknown },
    { container: 'container_made_elsewhere' },
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_x' } }] }] },
  ],
  'gemini-generate': [
    { contents: [{ role: 'user', parts: [{ xUnknown: unknown }] }] },
    { contents: [{ role: 'x_unknown', parts: [{ text: 'hello' }] }] },
    { tools: [{ xUnknown: {} }], toolConfig: { functionCallingConfig: { mode: 'X_UNKNOWN' } } },
    { generationConfig: { responseModalities: ['X_UNKNOWN'], mediaResolution: 'X_UNKNOWN', thinkingConfig: unknown } },
    { safetySettings: [{ category: 'X_UNKNOWN', threshold: 'X_UNKNOWN' }] },
    { cachedContent: 'cachedContents/made-elsewhere' },
    {
      contents: [
        { parts: [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/elsewhere' } }] },
      ],
    },
  ],
};
export const STRANGE_EVENTS: readonly Sample[] = [
  { place: 'an unknown event', value: { type: 'x_unknown', of: ['anything'] } },
  { place: 'an unknown event without a type', value: { x_unknown: { a: 1 } } },
];

/** What vendors add to their refusals, and what of it comes back beside the words of the wire. */
export const REFUSALS: readonly (readonly [string, ChatFormat, number, JsonObject, JsonObject])[] = [
  [
    'OpenRouter',
    'openai-chat',
    400,
    { error: { code: 400, message: 'no', metadata: { provider_name: 'X', raw: '{"a":1}' } }, user_id: 'user_1' },
    { error: { message: 'no', metadata: { provider_name: 'X', raw: '{"a":1}' } } },
  ],
  [
    'llama.cpp',
    'openai-chat',
    400,
    { error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 } },
    { error: { n_prompt_tokens: 9, n_ctx: 8, code: 'context_length_exceeded' } },
  ],
  [
    'Azure',
    'openai-responses',
    400,
    { error: { code: 'content_filter', message: 'no', innererror: { code: 'X', content_filter_result: { hate: 1 } } } },
    { error: { code: 'content_filter', innererror: { code: 'X', content_filter_result: { hate: 1 } } } },
  ],
  [
    'Mistral',
    'openai-chat',
    422,
    { object: 'error', message: 'no', type: null, param: null, code: '1800', raw_status_code: 422 },
    { error: { message: 'no', code: '1800', raw_status_code: 422 } },
  ],
  [
    'Anthropic',
    'anthropic-messages',
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'no', details: { error_visibility: 'user' } } },
    { error: { type: 'invalid_request_error', details: { error_visibility: 'user' } } },
  ],
  [
    'Google',
    'gemini-generate',
    400,
    {
      error: {
        code: 400,
        message: 'no',
        status: 'INVALID_ARGUMENT',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ url: 'https://ai.google.dev' }] },
          { '@type': 'x', consumer: 'projects/1' },
        ],
      },
    },
    {
      error: {
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'model-gateway' },
          { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ url: 'https://ai.google.dev' }] },
          { '@type': 'x' },
          { '@type': 'type.googleapis.com/google.rpc.RequestInfo' },
        ],
      },
    },
  ],
];
