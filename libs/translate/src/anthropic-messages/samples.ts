import { LINK, PDF, PNG, SCHEMA, sseEvent, type DialectSamples } from '../samples.ts';

const TOOLS = [{ name: 'tide', input_schema: SCHEMA }];

export const samples: DialectSamples = {
  target: { model: 'vendor-model', provider: 'anthropic', maxOutputTokens: 32_000 },
  plain: { model: 'm', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
  features: {
    'system instruction': { system: 'Be brief' },
    'image, Base64': {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }] },
      ],
    },
    'image, web address': {
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: LINK } }] }],
    },
    PDF: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }],
        },
      ],
    },
    tools: { tools: TOOLS },
    'a tool must be called': { tools: TOOLS, tool_choice: { type: 'any' } },
    'one call at a time': { tools: TOOLS, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    'strict tool arguments': { tools: [{ name: 'tide', input_schema: SCHEMA, strict: true }] },
    'web search': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'JSON schema of the answer': { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    'reasoning effort': { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    'thinking budget': { max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 4000 } },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    top_k: { top_k: 20 },
    'stop sequences': { stop_sequences: ['END'] },
    'cache marks': { system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }] },
    'user label': { metadata: { user_id: 'u-7' } },
    'a field nobody knows': { brand_new: 1 },
  },
  textStream: (pieces) =>
    [
      sseEvent(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ),
      ...pieces.map((text) =>
        sseEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta'),
      ),
      sseEvent({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
      sseEvent({ type: 'message_stop' }, 'message_stop'),
    ].join(''),
  textOf: (data) => (data as { delta?: { text?: string } }).delta?.text ?? '',
};
