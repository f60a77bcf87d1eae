/** Ollama against the twin (docs/wire/local-servers.md#ollama). */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { createUntrustedFetcher, createUpstreamPools, openUpstream, textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeEmbeddingAdapter } from '@model-gateway/testing';
import { startVendorTwin } from '@model-gateway/vendor-twin';
import { ollama } from './ollama.ts';
import { toOllama } from './chat.ts';
import { OllamaAnswer, sseOf, toCompletion } from './reply.ts';

describeChatAdapter(ollama, 'ollama', {
  dialect: 'openai-chat',
  model: 'llama3.2:3b',
  body: { messages: [{ role: 'user', content: 'Hello' }] },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
});
describeEmbeddingAdapter(ollama, 'ollama', { model: 'nomic-embed-text' });

const sent = (body: JsonObject): JsonObject => toOllama(body, 'm', false);
const PLAIN = { truncate: false, shift: false, model: 'm', messages: [], stream: false };

it.each<{ name: string; body: JsonObject; sends: JsonObject }>([
  { name: 'nothing is said of what nobody asked for', body: {}, sends: {} },
  {
    name: 'settings of OpenAI’s form are options',
    body: {
      temperature: 0,
      top_p: 0.5,
      seed: 0,
      presence_penalty: 1,
      frequency_penalty: -1,
      max_tokens: 9,
      stop: 'END',
    },
    sends: {
      options: {
        temperature: 0,
        top_p: 0.5,
        presence_penalty: 1,
        frequency_penalty: -1,
        seed: 0,
        num_predict: 9,
        stop: ['END'],
      },
    },
  },
  {
    name: 'Ollama’s own options are options, wherever they stand; `options` says the last word',
    body: { num_ctx: 32_768, top_k: 0, use_mmap: false, options: { num_ctx: 65_536, mirostat: 1 } },
    sends: { options: { num_ctx: 65_536, use_mmap: false, top_k: 0, mirostat: 1 } },
  },
  {
    name: 'what only Ollama has goes out as it came',
    body: { keep_alive: '10m', truncate: true, shift: true, logprobs: true, top_logprobs: 2, x_new: [1] },
    sends: { keep_alive: '10m', truncate: true, shift: true, logprobs: true, top_logprobs: 2, x_new: [1] },
  },
  {
    name: 'what only OpenAI has does not',
    body: { user: 'u', n: 1, store: true, metadata: {}, stream_options: {}, tool_choice: 'auto', logit_bias: {} },
    sends: {},
  },
  { name: 'null is not said', body: { temperature: null, stop: null, num_ctx: null }, sends: {} },
  { name: 'JSON', body: { response_format: { type: 'json_object' } }, sends: { format: 'json' } },
  {
    name: 'a schema',
    body: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
    sends: { format: { type: 'object' } },
  },
  { name: 'plain text', body: { response_format: { type: 'text' } }, sends: {} },
  { name: 'no thinking', body: { reasoning_effort: 'none' }, sends: { think: false } },
  { name: 'the least thinking', body: { reasoning_effort: 'minimal' }, sends: { think: 'low' } },
  { name: 'the most thinking', body: { reasoning: { effort: 'xhigh' } }, sends: { think: 'max' } },
  { name: 'thinking in Ollama’s words', body: { reasoning_effort: 'low', think: true }, sends: { think: true } },
  {
    name: 'tools, without what Ollama does not know',
    body: { tools: [{ type: 'function', function: { name: 'f', strict: true } }] },
    sends: { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }] },
  },
  {
    name: 'no tools where none may be called',
    body: { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none' },
    sends: {},
  },
  {
    name: 'a conversation with calls',
    body: {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } },
            { type: 'text', text: 'b' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: '42' }] },
      ],
    },
    sends: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'a\nb', images: ['iVBORw0K', 'UklGRg=='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: [
            { id: 'c1', function: { index: 0, name: 'f', arguments: { a: 1 } } },
            { id: 'c2', function: { index: 1, name: 'g', arguments: {} } },
          ],
        },
        { role: 'tool', content: '42', tool_name: 'g', tool_call_id: 'c2' },
      ],
    },
  },
])('$name', ({ body, sends }) => {
  expect(sent(body)).toEqual({ ...PLAIN, ...sends });
});

const say = (content: Json) => ({ messages: [{ role: 'user', content }] });
it.each<[param: string, body: JsonObject]>([
  ['n', { n: 2 }],
  ['tools[0].type', { tools: [{ type: 'custom', custom: { name: 'f' } }] }],
  ['messages[0].content[0]', say([{ type: 'file', file: { file_id: 'f' } }])],
  ['messages[0].content[0].image_url.url', say([{ type: 'image_url', image_url: { url: 'https://a.test/a.png' } }])],
  [
    'messages[0].tool_calls[0].function.arguments',
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{' } }] }] },
  ],
])('%s is refused where Ollama has no place for it', (param, body) => {
  expect(() => sent(body)).toThrow(
    expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) }),
  );
});

const END = { done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 0 };
it.each<{ name: string; reply: JsonObject; finish: string; usage?: JsonObject }>([
  { name: 'a stop', reply: END, finish: 'stop', usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } },
  { name: 'a cut answer', reply: { done: true, done_reason: 'length' }, finish: 'length' },
  { name: 'a model that was only loaded', reply: { done: true, done_reason: 'load' }, finish: 'stop' },
])('$name', ({ reply, finish, usage }) => {
  const json = toCompletion(
    { model: 'm', created_at: '2026-11-26T07:00:00.5Z', message: { content: 'a' }, ...reply },
    'm',
  );
  expect(json).toMatchObject({
    created: 1_795_676_400,
    choices: [{ message: { content: 'a' }, finish_reason: finish }],
  });
  expect(json['usage']).toEqual(usage);
});

it('calls have ids, and no text is null beside them', () => {
  const call = { function: { name: 'f', arguments: { a: 1 } } };
  const json = toCompletion({ message: { content: '', tool_calls: [call, { id: 'c2', ...call }] }, ...END }, 'm');
  expect(json).toMatchObject({
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          content: null,
          tool_calls: [
            {
              id: expect.stringMatching(/^call_.{36}$/),
              type: 'function',
              function: { name: 'f', arguments: '{"a":1}' },
            },
            { id: 'c2' },
          ],
        },
      },
    ],
  });
});

const LINES = [
  { model: 'm', message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
  { model: 'm', message: { role: 'assistant', content: 'a€' }, done: false },
  {
    model: 'm',
    message: { content: '', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: {} } }] },
    done: false,
  },
  {
    model: 'm',
    message: { content: '', tool_calls: [{ id: 'c2', function: { name: 'f', arguments: {} } }] },
    done: false,
  },
  { model: 'm', message: { role: 'assistant', content: '' }, ...END },
];
const bytes = Buffer.from(LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
const eventsIn = async (chunks: Iterable<Buffer>, showsUsage = true) =>
  (await text(sseOf(Readable.from(chunks), new OllamaAnswer('m', showsUsage))))
    .split('\n\n')
    .filter((each) => each !== '');

it('a stream is the same wherever it is cut', async () => {
  const whole = await eventsIn([bytes]);
  const deltas = whole.map((event) =>
    event.endsWith('[DONE]') ? event : JSON.parse(event.slice(6)).choices[0]?.delta,
  );
  expect(deltas).toMatchObject([
    { role: 'assistant', reasoning_content: 'hm' },
    { content: 'a€' },
    { tool_calls: [{ index: 0, id: 'c1' }] },
    { tool_calls: [{ index: 1, id: 'c2' }] },
    {},
    undefined,
    'data: [DONE]',
  ]);
  expect(whole.at(-3)).toContain('"finish_reason":"tool_calls"');
  expect(whole.at(-2)).toContain('"usage":{"prompt_tokens":5,"completion_tokens":0,"total_tokens":5}');
  const without = (event: string): string => event.replace(/"id":"chatcmpl-[^"]+"/, '');
  const single = await eventsIn(Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1)));
  expect(single.map(without)).toEqual(whole.map(without));
  expect(await eventsIn([bytes.subarray(0, -1)])).toHaveLength(whole.length);
});

it('usage is shown to who asked for it, and an answer that breaks off has no end', async () => {
  expect((await eventsIn([bytes], false)).join('')).not.toContain('usage');
  const cut = await eventsIn([bytes.subarray(0, bytes.lastIndexOf('{"model"'))]);
  expect(cut.join('')).not.toContain('[DONE]');
  const [error] = await eventsIn([Buffer.from('{"error":"the input length exceeds the context length"}\n')]);
  const json = JSON.parse(error?.slice(6) ?? '') as Json;
  expect(ollama.readFault({ status: 200, headers: {}, body: Buffer.alloc(0), json })).toMatchObject({
    code: 'context_length_exceeded',
  });
});

it.each<readonly [status: number, error: string, code: string]>([
  [400, 'the input length exceeds the context length', 'context_length_exceeded'],
  [400, '"llama3.2" does not support thinking', 'invalid_request'],
  [404, "model 'x' not found", 'upstream_rejected_model'],
  [401, 'unauthorized', 'upstream_rejected_key'],
  [503, 'server busy, please try again. maximum pending requests exceeded', 'upstream_unavailable'],
])('a %s of %s is told as %s', (status, error, code) => {
  expect(ollama.readFault({ status, headers: {}, body: Buffer.alloc(0), json: { error } })).toMatchObject({ code });
});

it('its models are listed with what they can do', async () => {
  const twin = await startVendorTwin({ media: 'tiny' });
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const account = {
    id: 1,
    name: 'a',
    vendor: 'ollama',
    baseUrl: twin.baseUrl('ollama'),
    credentials: {},
    settings: {},
  };
  const deadlines = { connect: 5, firstByte: 5, idle: 5 };
  const upstream = openUpstream({
    account,
    adapter: ollama,
    model: '',
    quirks: {},
    deadlines,
    pools,
    untrustedFetcher,
    now: Date.now,
  });
  expect(await ollama.modelList?.list(upstream)).toEqual([
    { id: 'llama3.2:3b', maxInputTokens: 131_072, kind: 'chat', thinks: false, inputs: ['text'] },
    { id: 'qwen3:8b', maxInputTokens: 40_960, kind: 'chat', thinks: true, inputs: ['text'] },
    { id: 'gemma3:4b', maxInputTokens: 131_072, kind: 'chat', thinks: false, inputs: ['text', 'image'] },
    { id: 'nomic-embed-text:latest', maxInputTokens: 2048, kind: 'embedding' },
  ]);
  await pools.close();
  await untrustedFetcher.close();
  await twin.close();
});

it('an account without a key sends none', () => {
  const account = { id: 1, name: 'a', vendor: 'ollama', baseUrl: 'http://127.0.0.1:1', settings: {} };
  const request = { method: 'POST', url: 'http://127.0.0.1:1/api/chat', headers: {}, bodyBytes: Buffer.alloc(0) };
  expect(ollama.authorize(request, { ...account, credentials: {} }, 0)).toEqual({});
  expect(ollama.authorize(request, { ...account, credentials: { api_key: 'k' } }, 0)).toEqual({
    authorization: 'Bearer k',
  });
});

it.each(['http://h:1/v1', 'http://h:1/api', 'http://h:1'])('%s is the server', (url) => {
  expect(url.replace(ollama.declares.baseUrlTail!, '')).toBe('http://h:1');
});
