import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Turn, UserPart } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { OPENAI_QUIRKS } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { encodeRequest } from './encode-request.ts';

const OPENAI: Target = { model: 'gpt', provider: 'openai', quirks: OPENAI_QUIRKS };
const OTHER: Target = { model: 'qwen', provider: 'dashscope' };

function requestOf(fields: Partial<ChatRequest>): ChatRequest {
  return {
    dialect: 'anthropic-messages',
    model: 'code',
    stream: false,
    system: [],
    turns: [],
    tools: [],
    extra: {},
    ...fields,
  };
}
const encode = (fields: Partial<ChatRequest>, target: Target = OPENAI): Encoded =>
  encodeRequest(requestOf(fields), target);
const messagesOf = ({ body }: Encoded): unknown => body['messages'];
const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
const call = (id: string, name = 'f', args = '{}'): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: args,
});
const wireCall = (id: string, name = 'f', args = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const result = (
  callId: string,
  ...content: Extract<UserPart, { type: 'tool-result' }>['content'][number][]
): UserPart => ({
  type: 'tool-result',
  callId,
  content,
});
const IMAGE: UserPart & { type: 'image' } = {
  type: 'image',
  source: { type: 'base64', mime: 'image/png', data: 'AAAA' },
  place: 'messages[1].content[0]',
};

describe('messages', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; messages: unknown[]; dropped?: string[] }>([
    {
      name: 'one instruction is a string, several are parts in one message',
      fields: { system: [text('a'), text('b')], turns: [user(text('hi'))] },
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: 'hi' },
      ],
    },
    {
      name: 'joined by a blank line for vendors without parts',
      fields: { system: [text('a'), text('b')], turns: [] },
      target: { ...OTHER, quirks: { text_parts: false, system_role: 'developer' } },
      messages: [{ role: 'developer', content: 'a\n\nb' }],
    },
    {
      name: 'a later instruction stays where it is',
      fields: { turns: [user(text('hi')), { role: 'system', parts: [text('now')] }, user(text('go'))] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'now' },
        { role: 'user', content: 'go' },
      ],
    },
    {
      name: 'images, audio, documents and text',
      fields: {
        turns: [
          user(
            text('see'),
            text(''),
            { ...IMAGE, detail: 'high' },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
            { type: 'audio', source: { type: 'base64', mime: 'audio/mpeg', data: 'AAAA' } },
            { type: 'document', source: { type: 'base64', mime: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
            { type: 'document', source: { type: 'text', text: 'words' }, title: 'notes' },
          ),
        ],
      },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
            { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
            { type: 'text', text: 'notes\n\nwords' },
          ],
        },
      ],
    },
    {
      name: 'bug 48: null content beside calls, nothing of an empty turn, "" for an answer without words',
      fields: {
        turns: [
          user(text('a')),
          assistant(call('c')),
          user(result('c', text('r'))),
          assistant({ type: 'reasoning', text: 'hm' }),
          user(text('b')),
        ],
      },
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, tool_calls: [wireCall('c')] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'user', content: 'b' },
      ],
      dropped: ['messages'],
    },
    {
      name: 'text stays beside calls; calls of neighbouring turns are one message',
      fields: {
        turns: [
          assistant(text('let me see'), call('a')),
          assistant(call('b')),
          user(result('b', text('2')), result('a', text('1')), text('and?')),
        ],
      },
      messages: [
        { role: 'assistant', content: 'let me see', tool_calls: [wireCall('a'), wireCall('b')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'user', content: 'and?' },
      ],
    },
    {
      name: 'bug 14, bug 45: images of results follow after all results, in one user message',
      fields: {
        turns: [
          assistant(call('a', 'shot'), call('b')),
          user({ ...result('a', IMAGE), place: 'messages[1].content[0]' }, result('b', text('2')), text('which?')),
        ],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a', 'shot'), wireCall('b')] },
        { role: 'tool', tool_call_id: 'a', content: 'See the next user message.' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Attached to the result of shot (a):' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'text', text: 'which?' },
          ],
        },
      ],
      dropped: ['messages[1].content[0]'],
    },
    {
      name: 'images of results before the model’s next turn',
      fields: { turns: [assistant(call('a')), user(result('a', IMAGE)), assistant(text('nice'))] },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: 'See the next user message.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Attached to the result of f (a):' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: 'nice' },
      ],
      dropped: ['messages'],
    },
    {
      name: 'an error is said in words (bug 15: also an empty one)',
      fields: {
        turns: [
          assistant(call('a'), call('b'), call('c')),
          user(
            { ...result('a', text('no such file')), isError: true } as UserPart,
            { ...result('b'), isError: true } as UserPart,
            result('c'),
          ),
        ],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a'), wireCall('b'), wireCall('c')] },
        { role: 'tool', tool_call_id: 'a', content: 'Error: no such file' },
        { role: 'tool', tool_call_id: 'b', content: 'Error' },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
      dropped: ['messages.is_error'],
    },
    {
      name: 'a structured result without text',
      fields: {
        turns: [assistant(call('a')), user({ type: 'tool-result', callId: 'a', content: [], data: { ok: true } })],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: '{"ok":true}' },
      ],
    },
    {
      name: 'no arguments are {}, invalid ones travel as they are (bug 35), long ids are shortened on both sides',
      fields: {
        turns: [
          assistant(call('a', 'f', ''), call('b', 'f', '{"x":'), call('x'.repeat(41))),
          user(result('a', text('1')), result('b', text('2')), result('x'.repeat(41), text('3'))),
        ],
      },
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            wireCall('a'),
            wireCall('b', 'f', '{"x":'),
            expect.objectContaining({ id: 'call_3164596df4fdd018b2c567ec' }),
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'call_3164596df4fdd018b2c567ec', content: '3' },
      ],
    },
    {
      name: 'a refusal and a custom call',
      fields: {
        turns: [
          assistant({ type: 'refusal', text: 'no' }),
          user(text('why')),
          assistant({ ...call('a', 'g', 'free'), kind: 'custom' }),
          user(result('a', text('r'))),
        ],
      },
      messages: [
        { role: 'assistant', content: null, refusal: 'no' },
        { role: 'user', content: 'why' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'g', input: 'free' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
      ],
    },
    {
      name: 'another vendor’s searches cannot be replayed; its pictures go along with what the user says next',
      fields: {
        turns: [
          assistant(
            {
              type: 'server-tool',
              provider: 'anthropic',
              name: 'web_search',
              phase: 'call',
              raw: {},
              place: 'messages[0].content[0]',
            },
            {
              type: 'image',
              source: { type: 'base64', mime: 'image/png', data: 'AAAA' },
              place: 'messages[0].content[1]',
            },
            text('found'),
          ),
        ],
      },
      messages: [
        { role: 'assistant', content: 'found' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      ],
      dropped: ['messages[0].content[0]', 'messages[0].content[1]'],
    },
  ])('$name', ({ fields, target, messages, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(messagesOf(encoded)).toEqual(messages);
    expect([...new Set(encoded.dropped.map(({ field }) => field))]).toEqual(dropped);
  });

  it('cache marks: OpenAI’s own with its lifetimes, four at most; none elsewhere; all of it reported', () => {
    const marked = [1, 2, 3, 4, 5].map((number) => ({
      ...text(String(number)),
      cache: { ttl: '1h' },
      place: `system[${number - 1}]`,
    }));
    const openAi = encode({ system: marked });
    const parts = (messagesOf(openAi) as { content: JsonObject[] }[])[0]?.content ?? [];
    expect(parts.map((part) => part['prompt_cache_breakpoint'])).toEqual([
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      undefined,
    ]);
    expect(openAi.dropped.map(({ field }) => field)).toEqual(['system[4].cache_control']);
    const other = encode({ system: marked.slice(0, 1) }, OTHER);
    expect(messagesOf(other)).toEqual([{ role: 'system', content: '1' }]);
    expect(other.dropped.map(({ field }) => field)).toEqual(['system[0].cache_control']);
    const relative = encode({ system: marked.slice(0, 1) }, { ...OTHER, quirks: { cache_marks: 'cache_control' } });
    expect(messagesOf(relative)).toEqual([
      { role: 'system', content: [{ type: 'text', text: '1', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ]);
  });

  it.each<{ name: string; part: UserPart; target?: Target; message: RegExp }>([
    {
      name: 'an image for a model without',
      part: IMAGE,
      target: { ...OPENAI, inputs: ['text'] },
      message: /takes no image input/,
    },
    {
      name: 'video for OpenAI',
      part: { type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4' }, place: IMAGE.place! },
      message: /video/,
    },
    {
      name: 'a document by URL',
      part: { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' }, place: IMAGE.place! },
      message: /base64/,
    },
    {
      name: 'a file of another vendor',
      part: { type: 'document', source: { type: 'file', provider: 'anthropic', id: 'file_1' }, place: IMAGE.place! },
      message: /kept by anthropic/,
    },
    {
      name: 'an image kept by another vendor',
      part: { type: 'image', source: { type: 'file', provider: 'anthropic', id: 'file_1' }, place: IMAGE.place! },
      message: /kept by anthropic/,
    },
    {
      name: 'audio of a type without a word',
      part: { type: 'audio', source: { type: 'base64', mime: 'audio/midi', data: 'AAAA' }, place: IMAGE.place! },
      message: /audio\/midi/,
    },
    {
      name: 'an orphan tool result (bug 15)',
      part: { type: 'tool-result', callId: 'x', content: [], place: IMAGE.place! },
      message: /no open call/,
    },
  ])('refuses $name and says where', ({ part, target, message }) => {
    const attempt = (): unknown => encode({ turns: [user(text('a')), user(part)] }, target);
    expect(attempt).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'messages[1].content[0]' } }),
    );
    expect(attempt).toThrow(message);
  });

  it('video for vendors that see it', () => {
    const encoded = encode(
      { turns: [user({ type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4' } })] },
      OTHER,
    );
    expect(messagesOf(encoded)).toEqual([
      { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://x.test/v.mp4' } }] },
    ]);
  });
});

describe('reasoning in the history', () => {
  const opaque = { provider: 'anthropic', model: 'claude-opus-5', kind: 'signature', value: 'sig' } as const;
  const thought: AssistantPart = { type: 'reasoning', text: 'hm', opaque, place: 'messages[0].content[0]' };
  const turns = [assistant(thought, text('a'))];

  it('bug 38: a foreign signature does not go out, and the loss is told', () => {
    const encoded = encode({ turns });
    expect(JSON.stringify(encoded.body)).not.toContain('sig"');
    expect(messagesOf(encoded)).toEqual([{ role: 'assistant', content: 'a' }]);
    expect(encoded.dropped).toEqual([
      { field: 'messages[0].content[0]', reason: 'this model takes no earlier reasoning' },
    ]);
  });

  it('bug 49: reasoning_content where the vendor wants it back', () => {
    const encoded = encode({ turns }, { ...OTHER, quirks: { reasoning_replay: 'required' } });
    expect(messagesOf(encoded)).toEqual([{ role: 'assistant', content: 'a', reasoning_content: 'hm' }]);
    expect(encoded.dropped).toEqual([]);
  });

  it('the maker’s own signature through a vendor that carries it', () => {
    const target: Target = {
      model: 'anthropic/claude-opus-5',
      provider: 'anthropic',
      quirks: { reasoning_carrier: 'thinking_blocks' },
    };
    expect(messagesOf(encode({ turns }, target))).toEqual([
      { role: 'assistant', content: 'a', thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
    ]);
  });

  it('the caller’s own wire gets it back in the envelope', () => {
    const encoded = encode({ dialect: 'openai-chat', turns });
    expect(messagesOf(encoded)).toEqual([
      {
        role: 'assistant',
        content: 'a',
        thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: wrapOpaque(opaque) }],
      },
    ]);
  });

  it('bug 39: Google’s signature goes back to Google only', () => {
    const signed: AssistantPart = {
      ...call('a'),
      opaque: { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'g' },
    };
    const signedTurns = [assistant(signed), user(result('a'))];
    const google = encode({ turns: signedTurns }, { model: 'gemini-3-pro', provider: 'gemini' });
    expect(messagesOf(google)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...wireCall('a'), extra_content: { google: { thought_signature: 'g' } } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ]);
    expect(JSON.stringify(encode({ turns: signedTurns }).body)).not.toContain('thought_signature');
  });
});

describe('settings', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; body: JsonObject; dropped?: string[] }>([
    { name: 'the cap for OpenAI', fields: { maxOutputTokens: 5 }, body: { max_completion_tokens: 5 } },
    { name: 'the cap for everyone else', fields: { maxOutputTokens: 5 }, target: OTHER, body: { max_tokens: 5 } },
    {
      name: 'the cap by its quirk',
      fields: { maxOutputTokens: 5 },
      target: { ...OTHER, quirks: { max_tokens_field: 'max_completion_tokens' } },
      body: { max_completion_tokens: 5 },
    },
    {
      name: 'zero is a value',
      fields: { temperature: 0, topP: 0, seed: 0, presencePenalty: 0 },
      body: { temperature: 0, top_p: 0, seed: 0, presence_penalty: 0 },
    },
    { name: 'no top_k', fields: { topK: 5 }, body: {}, dropped: ['top_k'] },
    {
      name: 'top_k where the vendor knows it',
      fields: { topK: 5 },
      target: { ...OTHER, quirks: { top_k: true } },
      body: { top_k: 5 },
    },
    {
      name: 'a model without sampling',
      fields: { temperature: 1, topP: 1 },
      target: { ...OPENAI, quirks: { ...OPENAI_QUIRKS, sampling: false } },
      body: {},
      dropped: ['temperature', 'top_p'],
    },
    { name: 'several answers', fields: { count: 3 }, body: { n: 3 } },
    { name: 'log probabilities', fields: { topLogprobs: 2 }, body: { logprobs: true, top_logprobs: 2 } },
    {
      name: 'a stream asks for its usage (bug 18)',
      fields: { stream: true },
      body: { stream: true, stream_options: { include_usage: true } },
    },
    {
      name: 'unless the vendor refuses the question',
      fields: { stream: true },
      target: { ...OTHER, quirks: { stream_options: false } },
      body: { stream: true },
    },
    {
      name: 'json_object',
      fields: { format: { type: 'json-object' } },
      body: { response_format: { type: 'json_object' } },
    },
    {
      name: 'a schema without a name',
      fields: { format: { type: 'json-schema', schema: {} } },
      body: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } } },
    },
    {
      name: 'user and tier',
      fields: { user: 'u', serviceTier: 'standard_only' },
      body: { user: 'u', service_tier: 'default' },
    },
    { name: 'a tier nobody knows', fields: { serviceTier: 'gold' }, body: {}, dropped: ['service_tier'] },
    {
      name: 'metadata without storage',
      fields: { dialect: 'openai-responses', metadata: { a: 'b' } },
      body: {},
      dropped: ['metadata'],
    },
    {
      name: 'metadata with storage',
      fields: { dialect: 'openai-responses', metadata: { a: 'b' }, extra: { store: true } },
      body: { store: true, metadata: { a: 'b' } },
    },
    {
      name: 'cache keys are OpenAI’s',
      fields: { cacheKey: 'k' },
      target: OTHER,
      body: {},
      dropped: ['prompt_cache_key'],
    },
    {
      name: 'extras of another dialect',
      fields: { extra: { container: 'c', store: true } },
      body: {},
      dropped: ['container', 'store'],
    },
    {
      name: 'nested extras',
      fields: { nested: ['tools[0].defer_loading'] },
      body: {},
      dropped: ['tools[0].defer_loading'],
    },
    {
      name: 'words both OpenAI wires share',
      fields: { dialect: 'openai-responses', extra: { safety_identifier: 's', truncation: 'auto' } },
      body: { safety_identifier: 's' },
      dropped: ['truncation'],
    },
    { name: 'effort', fields: { reasoning: { effort: 'xhigh' } }, body: { reasoning_effort: 'xhigh' } },
    { name: 'thinking off (bug 36)', fields: { reasoning: { mode: 'disabled' } }, body: { reasoning_effort: 'none' } },
    {
      name: 'a budget is the nearest effort',
      fields: { reasoning: { mode: 'enabled', budgetTokens: 3000 } },
      target: { ...OPENAI, maxOutputTokens: 10_000 },
      body: { reasoning_effort: 'medium' },
      dropped: ['thinking.budget_tokens'],
    },
    { name: 'adaptive thinking leaves it to the model', fields: { reasoning: { mode: 'adaptive' } }, body: {} },
    {
      name: 'Ark’s and DeepSeek’s switch',
      fields: { reasoning: { budgetTokens: 500 } },
      target: { ...OTHER, quirks: { reasoning_field: 'thinking' } },
      body: { thinking: { type: 'enabled', budget_tokens: 500 } },
    },
    {
      name: 'Qwen’s switch',
      fields: { reasoning: { effort: 'none' } },
      target: { ...OTHER, quirks: { reasoning_field: 'enable_thinking' } },
      body: { enable_thinking: false },
    },
    {
      name: 'OpenRouter’s object',
      fields: { reasoning: { budgetTokens: 500 } },
      target: { ...OTHER, quirks: { reasoning_field: 'reasoning' } },
      body: { reasoning: { max_tokens: 500 } },
    },
    {
      name: 'a model that does not reason',
      fields: { reasoning: { effort: 'low' } },
      target: { ...OTHER, quirks: { thinking: 'none' } },
      body: {},
      dropped: ['output_config.effort'],
    },
  ])('$name', ({ fields, target, body, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(encoded.body).toEqual({ model: (target ?? OPENAI).model, messages: [], ...body });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(dropped);
  });

  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; param: string }>([
    {
      name: 'more stop sequences than the wire has',
      fields: { stop: ['1', '2', '3', '4', '5'] },
      param: 'stop_sequences',
    },
    {
      name: 'log probabilities from a vendor without',
      fields: { logprobs: true, dialect: 'openai-responses' },
      target: { ...OTHER, quirks: { logprobs: false } },
      param: 'include',
    },
    {
      name: 'several answers from a vendor without',
      fields: { count: 2, dialect: 'gemini-generate' },
      target: { ...OTHER, quirks: { several_answers: false } },
      param: 'generationConfig.candidateCount',
    },
    {
      name: 'pictures from OpenAI',
      fields: { modalities: ['image'], dialect: 'gemini-generate' },
      param: 'generationConfig.responseModalities',
    },
    {
      name: 'what needs another vendor’s memory',
      fields: { unportable: [{ field: 'previous_response_id', reason: 'not kept' }] },
      param: 'previous_response_id',
    },
    {
      name: 'a hosted tool',
      fields: { tools: [{ type: 'hosted', provider: 'openai', name: 'mcp', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: 'a search by a model that cannot',
      fields: { tools: [{ type: 'web-search', place: 'tools[0]' }] },
      target: { ...OTHER, quirks: { web_search: false } },
      param: 'tools[0]',
    },
    {
      name: 'a schema that is no object’s',
      fields: { tools: [{ type: 'function', name: 'f', parameters: { type: 'array' }, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
  ])('refuses $name', ({ fields, target, param }) => {
    expect(() => encode(fields, target)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param } }),
    );
  });
});

it('a schema for a vendor without them is told in words', () => {
  const schema = { type: 'object', properties: { a: {} } };
  const encoded = encode(
    { system: [text('be')], format: { type: 'json-schema', schema } },
    { ...OTHER, quirks: { structured_output: false } },
  );
  expect(encoded.body['response_format']).toEqual({ type: 'json_object' });
  expect(JSON.stringify(messagesOf(encoded))).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  expect(encoded.dropped.map(({ field }) => field)).toEqual(['output_config.format']);
});

describe('tools', () => {
  it('bug 15: no parameters, a schema without type, no tools', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'bare' },
        { type: 'function', name: 'typeless', parameters: { properties: { a: { type: 'string' } } }, strict: false },
        { type: 'function', name: 'empty', parameters: { type: 'object' } },
      ],
      toolChoice: { type: 'tool', name: 'bare' },
      parallelToolCalls: false,
    });
    expect(encoded.body).toEqual({
      model: 'gpt',
      messages: [],
      tools: [
        { type: 'function', function: { name: 'bare' } },
        {
          type: 'function',
          function: {
            name: 'typeless',
            parameters: { type: 'object', properties: { a: { type: 'string' } } },
            strict: false,
          },
        },
        { type: 'function', function: { name: 'empty', parameters: { type: 'object', properties: {} } } },
      ],
      tool_choice: { type: 'function', function: { name: 'bare' } },
      parallel_tool_calls: false,
    });
    expect(encode({ tools: [], toolChoice: { type: 'required' }, parallelToolCalls: false }).body).toEqual({
      model: 'gpt',
      messages: [],
    });
  });

  it('renames what the wire refuses, in tools, choice and history, and tells how to undo it', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'my.tool' },
        { type: 'custom', name: 'raw', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      ],
      toolChoice: { type: 'subset', mode: 'auto', names: ['my.tool', 'raw'] },
      turns: [assistant(call('a', 'my.tool')), user(result('a'))],
    });
    const [[wire, own] = []] = [...(encoded.toolNames ?? [])];
    expect(own).toBe('my.tool');
    expect(encoded.body).toMatchObject({
      messages: [{ tool_calls: [{ function: { name: wire } }] }, {}],
      tools: [
        { function: { name: wire } },
        {
          type: 'custom',
          custom: { name: 'raw', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
        },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [
            { type: 'function', function: { name: wire } },
            { type: 'custom', custom: { name: 'raw' } },
          ],
        },
      },
    });
  });

  it('web search with what the wire has, the rest reported', () => {
    const encoded = encode({
      tools: [
        {
          type: 'web-search',
          contextSize: 'high',
          allowedDomains: ['a.test'],
          maxUses: 3,
          location: { city: 'Ulm' },
          place: 'tools[0]',
        },
      ],
      toolChoice: { type: 'auto' },
    });
    expect(encoded.body).toEqual({
      model: 'gpt',
      messages: [],
      web_search_options: {
        search_context_size: 'high',
        user_location: { type: 'approximate', approximate: { city: 'Ulm' } },
      },
    });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(['tools[0].allowed_domains', 'tools[0].max_uses']);
  });
});
