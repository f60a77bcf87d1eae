import { LINK, PDF, PNG, SCHEMA, WAV, sseEvent, type DialectSamples } from '../samples.ts';

const TOOLS = [{ type: 'function', function: { name: 'tide', parameters: SCHEMA } }];

export const samples: DialectSamples = {
  target: { model: 'vendor-model', provider: 'openai', maxOutputTokens: 32_000 },
  plain: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
  features: {
    'system instruction': {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
    },
    'image, Base64': {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
      ],
    },
    'image, web address': { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: LINK } }] }] },
    PDF: {
      messages: [
        { role: 'user', content: [{ type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}` } }] },
      ],
    },
    'sound in': {
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }] }],
    },
    tools: { tools: TOOLS },
    'a tool must be called': { tools: TOOLS, tool_choice: 'required' },
    'one call at a time': { tools: TOOLS, parallel_tool_calls: false },
    'strict tool arguments': {
      tools: [{ type: 'function', function: { name: 'tide', parameters: SCHEMA, strict: true } }],
    },
    'web search': { web_search_options: {} },
    'JSON schema of the answer': {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } },
    },
    'reasoning effort': { reasoning_effort: 'high' },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    'stop sequences': { stop: ['END'] },
    seed: { seed: 7 },
    penalties: { presence_penalty: 0.5 },
    'several answers': { n: 3 },
    'log probabilities': { logprobs: true, top_logprobs: 2 },
    'user label': { user: 'u-7' },
    metadata: { metadata: { job: '7' } },
    'a field nobody knows': { brand_new: 1 },
  },
  textStream: (pieces) =>
    [
      ...pieces.map((content) => sseEvent({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  textOf: (data) => (data as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
};
