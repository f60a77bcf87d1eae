import { expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Target } from '../dialect.ts';
import {
  contextOf,
  decodeBytes,
  encodeEvents,
  eventsOf,
  fold,
  NO_REQUEST,
  OPENAI_QUIRKS,
  replyTwice,
  requestTwice,
} from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { openAiChat } from './index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const target: Target = { model: 'm', provider: 'openai', quirks: OPENAI_QUIRKS };
const words = fc.string({ maxLength: 12, unit: 'grapheme' });
const some = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const args = fc.oneof(
  fc.constantFrom('', '{}', '{"x":'),
  json.map((value) => JSON.stringify(value)),
);

const envelope = fc
  .record({ provider: some, kind: fc.constantFrom('signature' as const, 'redacted' as const), value: some })
  .map(wrapOpaque);
const mark = fc.constantFrom<JsonObject>(
  {},
  {},
  { cache_control: { type: 'ephemeral', ttl: '12h' } },
  { prompt_cache_breakpoint: { mode: 'explicit' } },
);
const textPart = fc.tuple(words, fc.constant({})).map(([text, more]): JsonObject => ({ type: 'text', text, ...more }));
const userPart = fc.oneof(
  textPart,
  fc.constantFrom<JsonObject>(
    { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${PNG}`, detail: 'low' } },
    { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    { type: 'file', file: { file_id: 'file-1' } },
  ),
);
const content = <T>(part: fc.Arbitrary<T>): fc.Arbitrary<Json> =>
  fc.oneof(words, fc.array(part, { maxLength: 3 })) as fc.Arbitrary<Json>;

const thinking = fc.oneof(
  fc.constant<JsonObject>({}),
  some.map((text): JsonObject => ({ reasoning_content: text })),
  some.map((text): JsonObject => ({ reasoning: text })),
  fc
    // Each signature is its own.
    .uniqueArray(
      fc
        .tuple(words, envelope)
        .map(([text, signature]): JsonObject => ({ type: 'thinking', thinking: text, signature })),
      { minLength: 1, maxLength: 2, selector: (block) => block['signature'] },
    )
    .map((blocks): JsonObject => ({ reasoning_content: 'x', thinking_blocks: blocks })),
);
const assistantOf = (round: number): fc.Arbitrary<JsonObject[]> =>
  fc
    .record({
      say: fc.oneof(words, fc.constant(null), fc.array(textPart, { maxLength: 2 })),
      thought: thinking,
      refusal: fc.option(some, { freq: 8 }),
      calls: fc.array(fc.tuple(fc.boolean(), args, content(textPart), fc.option(envelope)), { maxLength: 3 }),
    })
    .map(({ say, thought, refusal, calls }) => {
      const id = (index: number): string => `call_${round}_${index}`;
      const toolCalls = calls.map(([custom, text, , signature], index): JsonObject => ({
        id: id(index),
        type: custom ? 'custom' : 'function',
        ...(custom ? { custom: { name: 'g', input: text } } : { function: { name: 'f', arguments: text } }),
        ...(signature !== null && { extra_content: { google: { thought_signature: signature } } }),
      }));
      const message: JsonObject = {
        role: 'assistant',
        content: say,
        ...thought,
        ...(refusal !== null && { refusal }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      };
      const results = calls.map(([, , output], index): JsonObject => ({
        role: 'tool',
        tool_call_id: id(index),
        content: output,
      }));
      return [message, ...results];
    });
const history = fc
  .array(fc.nat(3), { maxLength: 4 })
  .chain((rounds) =>
    fc.tuple(
      ...rounds.map((kind, round) =>
        fc.tuple(
          content(userPart).map((said): JsonObject => ({
            role: 'user',
            content: said,
            ...(kind === 1 && { name: 'n' }),
          })),
          assistantOf(round),
          fc.constant<JsonObject[]>(kind === 2 ? [{ role: 'system', content: 'later' }] : []),
        ),
      ),
    ),
  )
  .map((rounds) => rounds.flatMap(([asks, says, later]) => [asks, ...says, ...later]));

const settings = fc.record(
  {
    stream: fc.boolean(),
    max_tokens: fc.integer({ min: 1, max: 4096 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    top_p: fc.constantFrom(0, 1),
    top_k: fc.nat(9),
    stop: fc.oneof(some, fc.array(some, { minLength: 1, maxLength: 6 })),
    seed: fc.integer(),
    n: fc.constantFrom(1, 3),
    presence_penalty: fc.constantFrom(0, -2),
    logprobs: fc.boolean(),
    top_logprobs: fc.nat(20),
    logit_bias: fc.constant({ '1': 5 }),
    response_format: fc.constantFrom<JsonObject>(
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: false } },
    ),
    reasoning_effort: fc.constantFrom('none', 'low', 'max'),
    thinking: fc.constantFrom<JsonObject>({ type: 'disabled' }, { type: 'enabled', budget_tokens: 5 }),
    include_reasoning: fc.boolean(),
    verbosity: fc.constantFrom('low', 'high'),
    modalities: fc.constantFrom<Json>(['text'], ['text', 'audio']),
    audio: fc.constant({ format: 'wav', voice: 'alloy' }),
    tools: fc.subarray<JsonObject>([
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        cache_control: { type: 'ephemeral' },
      },
      { type: 'function', function: { name: 'h' } },
      {
        type: 'custom',
        custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
      },
      { type: 'retrieval', id: 3 },
    ]),
    tool_choice: fc.constantFrom<Json>(
      'auto',
      'none',
      { type: 'function', function: { name: 'f' } },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    ),
    parallel_tool_calls: fc.boolean(),
    web_search_options: fc.constant({
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Ulm' } },
    }),
    user: some,
    safety_identifier: some,
    service_tier: fc.constantFrom('flex', 'priority'),
    prompt_cache_key: some,
    metadata: fc.constant({ a: 'b' }),
    store: fc.boolean(),
    prediction: fc.constant({ type: 'content', content: 'x' }),
  },
  { requiredKeys: [] },
);
// Four cache marks at most, as the vendor takes them.
const markedPart = fc.tuple(textPart, mark).map(([part, cache]): JsonObject => ({ ...part, ...cache }));
const system = fc.array(
  fc.tuple(
    fc.oneof(words, fc.array(markedPart, { maxLength: 2 })) as fc.Arbitrary<Json>,
    fc.constantFrom('system', 'developer'),
  ),
  { maxLength: 2 },
);

it('a request survives decode∘encode∘decode', () => {
  fc.assert(
    fc.property(system, history, settings, (instructions, messages, fields) => {
      const leading = instructions.map(([said, role]): JsonObject => ({ role, content: said }));
      const body = { model: 'm', messages: [...leading, ...messages], ...(fields as JsonObject) };
      const { once, twice } = requestTwice(openAiChat, body, target);
      // A stream always asks for its usage upstream; whether the caller did is not the vendor's affair.
      const { streamUsage: asked, ...rest } = twice;
      expect(rest).toEqual(once);
      expect(asked ?? false).toBe(once.stream);
    }),
    { numRuns: 300 },
  );
});

const message = fc
  .record({
    content: fc.oneof(words, fc.constant(null)),
    thought: thinking,
    refusal: fc.option(some),
    annotations: fc.constantFrom<Json>(
      [],
      [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 1, title: 'T', url: 'https://x.test' } }],
    ),
    calls: fc.array(
      fc.tuple(
        fc.boolean(),
        args.filter((text) => text !== ''),
        fc.option(envelope),
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ content: said, thought, refusal, annotations, calls }): JsonObject => ({
    role: 'assistant',
    content: said,
    ...thought,
    refusal,
    annotations,
    ...(calls.length > 0 && {
      tool_calls: calls.map(([custom, text, signature], index) => ({
        id: `call_${index}`,
        type: custom ? 'custom' : 'function',
        ...(custom ? { custom: { name: 'g', input: text } } : { function: { name: 'f', arguments: text } }),
        ...(signature !== null && { extra_content: { google: { thought_signature: signature } } }),
      })),
    }),
  }));
const reply = fc
  .record({
    messages: fc.array(fc.tuple(message, fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter')), {
      minLength: 1,
      maxLength: 2,
    }),
    usage: fc.option(
      fc.record({ input: fc.nat(999), cached: fc.nat(999), output: fc.nat(999), reasoning: fc.nat(99) }),
    ),
  })
  .map(({ messages, usage }): JsonObject => ({
    id: 'chatcmpl-1',
    created: 7,
    model: 'm',
    choices: messages.map(([said, finish], index) => ({ index, message: said, finish_reason: finish })),
    ...(usage !== null && {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output + usage.reasoning,
        prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
      },
    }),
  }));

it('a reply survives decode∘encode∘decode', () => {
  fc.assert(
    fc.property(reply, (body) => {
      const { once, twice } = replyTwice(openAiChat, body);
      expect(twice).toEqual(once);
    }),
    { numRuns: 300 },
  );
});

it('a streamed reply adds up to the whole one, cut anywhere', () => {
  fc.assert(
    fc.property(reply, fc.nat(), (body, at) => {
      const whole = openAiChat.decodeReply(body);
      const context = { ...contextOf({ ...NO_REQUEST, streamUsage: true }), model: 'm' };
      const bytes = Buffer.from(encodeEvents(openAiChat, eventsOf(whole), context));
      const cut = at % bytes.length;
      const events = decodeBytes(openAiChat, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(fold(events)).toEqual(openAiChat.decodeReply(openAiChat.encodeReply(whole, context)));
    }),
    { numRuns: 300 },
  );
});
