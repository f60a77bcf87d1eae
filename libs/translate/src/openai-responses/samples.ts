import { LINK, PDF, PNG, SCHEMA, sseEvent, type DialectSamples } from '../samples.ts';

const TOOLS = [{ type: 'function', name: 'tide', parameters: SCHEMA, strict: false }];

export const samples: DialectSamples = {
  target: { model: 'vendor-model', provider: 'openai', maxOutputTokens: 32_000 },
  plain: { model: 'm', input: 'Hello' },
  features: {
    'system instruction': { instructions: 'Be brief' },
    'image, Base64': {
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }] }],
    },
    'image, web address': { input: [{ role: 'user', content: [{ type: 'input_image', image_url: LINK }] }] },
    PDF: {
      input: [{ role: 'user', content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${PDF}` }] }],
    },
    tools: { tools: TOOLS },
    'a tool must be called': { tools: TOOLS, tool_choice: 'required' },
    'one call at a time': { tools: TOOLS, parallel_tool_calls: false },
    'strict tool arguments': { tools: [{ type: 'function', name: 'tide', parameters: SCHEMA, strict: true }] },
    'web search': { tools: [{ type: 'web_search' }] },
    'JSON schema of the answer': { text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA } } },
    'reasoning effort': { reasoning: { effort: 'high' } },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    'log probabilities': { include: ['message.output_text.logprobs'], top_logprobs: 2 },
    'user label': { user: 'u-7' },
    metadata: { metadata: { job: '7' } },
    'earlier response by id': { previous_response_id: 'resp_7' },
    'a field nobody knows': { brand_new: 1 },
  },
  textStream: (pieces) =>
    [
      ...pieces.map((delta, sequence_number) =>
        sseEvent(
          {
            type: 'response.output_text.delta',
            item_id: 'a',
            output_index: 0,
            content_index: 0,
            delta,
            sequence_number,
          },
          'response.output_text.delta',
        ),
      ),
      sseEvent(
        { type: 'response.output_text.done', item_id: 'a', output_index: 0, content_index: 0, text: pieces.join('') },
        'response.output_text.done',
      ),
      sseEvent({ type: 'response.completed', response: { output: [{ content: [{ text: pieces.join('') }] }] } }),
    ].join(''),
  textOf: (data) => (typeof data['delta'] === 'string' ? data['delta'] : ''),
};
