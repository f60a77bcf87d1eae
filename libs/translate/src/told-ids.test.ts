/** Ids that an answer says are a vendor's word only where no caller and no model writes: whoever has another's id must not make it his own. */
import { expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';

const heard = (dialect: DialectName, data: JsonObject): readonly string[] => dialects[dialect].vendorIds.inReply(data);
const STOLEN = { file_id: 'file-stolen', container_id: 'cntr_stolen' };

const response = (more: JsonObject): JsonObject => ({ id: 'resp_1', object: 'response', output: [], ...more });
const callerWrites: readonly (readonly [string, JsonObject])[] = [
  ['metadata', { metadata: STOLEN }],
  ['the schema of a tool', { tools: [{ type: 'function', name: 'f', parameters: { ...STOLEN, properties: STOLEN } }] }],
  ['the format of the text', { text: { format: { type: 'json_schema', schema: STOLEN } } }],
  ['variables of a prompt', { prompt: { id: 'pmpt_1', variables: { a: STOLEN } } }],
  ['arguments', { output: [{ type: 'tool_search_call', id: 'ts_1', arguments: STOLEN }] }],
  ['an action', { output: [{ type: 'shell_call', id: 'sh_1', action: STOLEN }] }],
];
it.each(callerWrites)('Responses: %s', (_, more) => {
  const ids = [
    ...heard('openai-responses', response(more)),
    ...heard('openai-responses', { type: 'x', response: response(more) }),
  ];
  expect(ids.filter((id) => id.includes('stolen'))).toEqual([]);
});

it('Responses: what a tool of the vendor made is heard, whole and streamed', () => {
  const item = {
    type: 'message',
    id: 'msg_1',
    content: [
      {
        type: 'output_text',
        annotations: [{ type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' }],
      },
    ],
  };
  const made = ['cntr_1', 'cfile_1'];
  const call = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1' };
  expect(heard('openai-responses', response({ output: [item, call] }))).toEqual(
    expect.arrayContaining([...made, 'msg_1', 'ci_1']),
  );
  expect(heard('openai-responses', { type: 'response.output_item.done', item })).toEqual(expect.arrayContaining(made));
  const annotation = { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' };
  expect(heard('openai-responses', { type: 'response.output_text.annotation.added', annotation })).toEqual(
    expect.arrayContaining(made),
  );
});

const message = (content: JsonObject[]): JsonObject => ({ id: 'msg_1', type: 'message', role: 'assistant', content });
it('Messages: the input of a tool is the model’s, its result the vendor’s', () => {
  expect(heard('anthropic-messages', message([{ type: 'tool_use', id: 't', name: 'f', input: STOLEN }]))).toEqual([
    'msg_1',
  ]);
  const result = {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 't',
    content: {
      type: 'bash_code_execution_result',
      content: [{ type: 'bash_code_execution_output', file_id: 'file_1' }],
    },
  };
  expect(heard('anthropic-messages', message([result]))).toEqual(['msg_1', 'file_1']);
  expect(heard('anthropic-messages', { type: 'content_block_start', index: 0, content_block: result })).toEqual([
    'file_1',
  ]);
});

it('a picture that a body only names is the vendor’s copy', () => {
  const asked = (item: JsonObject): readonly string[] =>
    dialects['openai-responses'].vendorIds.inRequest({ input: [item] }).map(({ id }) => id);
  expect(asked({ type: 'image_generation_call', id: 'ig_1' })).toEqual(['ig_1']);
  expect(asked({ type: 'image_generation_call', id: 'ig_1', result: null })).toEqual(['ig_1']);
  expect(asked({ type: 'image_generation_call', id: 'ig_1', result: 'AAAA' })).toEqual([]);
});

const KEPT = [
  'https://generativelanguage.googleapis.com/v1beta/files/abc',
  'HTTPS://Generativelanguage.GOOGLEAPIS.com./v1beta/files/abc',
  'https://user:x@generativelanguage.googleapis.com:443/v1beta/%66iles/abc',
  'https://storage.googleapis.com/bucket/a.png',
  'https://bucket.storage.googleapis.com/a.png',
  'https://storage.cloud.google.com/bucket/a.png',
];
it.each([...KEPT, 'gs://bucket/a.png', ' GS://bucket/a.png', 'files/abc'])(
  '%s is read with an account’s credentials',
  (fileUri) => {
    const body = { contents: [{ parts: [{ fileData: { fileUri } }] }] };
    expect(dialects['gemini-generate'].vendorIds.inRequest(body)).toMatchObject([
      { param: 'contents[0].parts[0].fileData.fileUri' },
    ]);
  },
);
it.each([
  'https://example.com/files/a.png',
  'https://storage.googleapis.com.example.com/a',
  'https://www.youtube.com/watch?v=a',
])('%s is not', (fileUri) => {
  const body = { contents: [{ parts: [{ fileData: { fileUri } }] }] };
  expect(dialects['gemini-generate'].vendorIds.inRequest(body)).toEqual([]);
});

it.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  'a caller of %s cannot have it read so by way of a translation',
  (caller) => {
    for (const url of KEPT) {
      const part = {
        'openai-chat': { type: 'image_url', image_url: { url } },
        'openai-responses': { type: 'input_image', image_url: url },
        'anthropic-messages': { type: 'image', source: { type: 'url', url } },
      }[caller];
      const turn = [{ role: 'user', content: [part] }];
      const body = { model: 'm', max_tokens: 9, messages: turn, input: turn };
      const request = dialects[caller].decodeRequest(body, { model: 'm', stream: false });
      const target = { model: 'gemini-3.5-flash', quirks: {}, provider: 'google' };
      const gemini = dialects['gemini-generate'];
      expect(gemini.media?.urls(request, target as never)).toHaveLength(1);
      expect(() => gemini.encodeRequest(request, target as never)).toThrow(/base64/);
    }
  },
);

const asked = (dialect: DialectName, body: JsonObject): readonly string[] =>
  dialects[dialect].vendorIds.inRequest(body).map(({ param }) => param);
const responses: readonly (readonly [string, JsonObject])[] = [
  [
    'input[0].environment.container_id',
    { input: [{ type: 'shell_call', call_id: 'a', action: {}, environment: { container_id: 'cntr_1' } }] },
  ],
  [
    'input[0].output[0].file_id',
    { input: [{ type: 'custom_tool_call_output', call_id: 'a', output: [{ type: 'input_file', file_id: 'f' }] }] },
  ],
  [
    'tools[0].environment.skills[0].skill_id',
    { tools: [{ type: 'shell', environment: { type: 'container_auto', skills: [{ skill_id: 'skill_1' }] } }] },
  ],
  ['tools[0].container', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }],
  [
    'tools[0].container.file_ids[0]',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } }] },
  ],
  ['tools[0].input_image_mask.file_id', { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f' } }] }],
];
it.each(responses)('Responses: %s is a reference', (param, body) =>
  expect(asked('openai-responses', body)).toEqual([param]),
);

const gemini: readonly (readonly [string, JsonObject])[] = [
  [
    'systemInstruction.parts[0].fileData.fileUri',
    { systemInstruction: { parts: [{ fileData: { fileUri: 'files/a' } }] } },
  ],
  ['contents.parts.file_data.file_uri', { contents: { parts: { file_data: { file_uri: 'gs://a/b' } } } }],
  [
    'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri',
    {
      contents: [
        { parts: [{ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: 'files/a' } }] } }] },
      ],
    },
  ],
  [
    'tools[0].fileSearch.fileSearchStoreNames[0]',
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] },
  ],
  [
    'tools[0].retrieval.vertexAiSearch.datastore',
    { tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/p/d' } } }] },
  ],
];
it.each(gemini)('Gemini: %s is a reference', (param, body) => expect(asked('gemini-generate', body)).toEqual([param]));

it('what a function’s schema or arguments say is none', () => {
  const parameters = { type: 'object', properties: { file_id: { type: 'string', enum: ['a'] } }, file_id: 'x' };
  const tools = [{ type: 'function', name: 'f', parameters }];
  expect(
    asked('openai-responses', { tools, input: [{ type: 'tool_search_call', arguments: { file_id: 'x' } }] }),
  ).toEqual([]);
  const functionDeclarations = [{ name: 'f', parameters: { ...parameters, datastore: 'x' } }];
  const contents = [{ parts: [{ functionCall: { name: 'f', args: { fileUri: 'files/a' } } }] }];
  expect(asked('gemini-generate', { tools: [{ functionDeclarations }], contents })).toEqual([]);
});
