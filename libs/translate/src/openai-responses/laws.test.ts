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
import { openAiResponses } from './index.ts';

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
  .record({
    provider: fc.constantFrom('anthropic', 'gemini', 'openai'),
    kind: fc.constantFrom('signature' as const, 'redacted' as const),
    value: some,
  })
  .filter(({ provider }) => provider !== 'openai')
  .map(wrapOpaque);
const ofText = some.map((value) => wrapOpaque({ provider: 'gemini', kind: 'signature', value, itemId: 'msg' }));
const encrypted = fc.oneof(
  some.filter((text) => !text.startsWith('bWd3')),
  envelope,
  ofText,
);

const inText = words.map((text): JsonObject => ({ type: 'input_text', text }));
const userPart = fc.oneof(
  inText,
  fc.constantFrom<JsonObject>(
    { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
    { type: 'input_image', image_url: `data:image/jpeg;base64,${PNG}`, detail: 'low' },
    { type: 'input_image', image_url: 'https://x.test/a.png' },
    { type: 'input_image', file_id: 'file-1' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
    { type: 'input_file', file_url: 'https://x.test/a.pdf' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ),
);
const outPart = fc.oneof(
  some.map((text): JsonObject => ({ type: 'output_text', text })),
  some.map((refusal): JsonObject => ({ type: 'refusal', refusal })),
);
const reasoning = fc
  .record({ id: fc.option(some), summary: fc.array(some, { maxLength: 3 }), state: fc.option(encrypted) })
  .map(({ id, summary, state }): JsonObject => ({
    type: 'reasoning',
    // An id without state says nothing to anyone.
    ...(id !== null && state !== null && { id }),
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    ...(state !== null && { encrypted_content: state }),
  }));
const modelItem = (round: number): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    reasoning,
    fc
      .tuple(
        fc.array(outPart, { minLength: 1, maxLength: 2 }),
        fc.constantFrom<JsonObject>({}, { phase: 'commentary' }),
      )
      .map(([content, phase]): JsonObject => ({ type: 'message', role: 'assistant', content, ...phase })),
    fc.tuple(fc.nat(99), args, fc.boolean()).map(([index, text, custom]): JsonObject =>
      custom
        ? { type: 'custom_tool_call', call_id: `c_${round}_${index}`, name: 'g', input: text }
        : {
            type: 'function_call',
            id: `fc_${round}_${index}`,
            call_id: `f_${round}_${index}`,
            name: 'f',
            arguments: text,
          },
    ),
    fc.constant<JsonObject>({
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    }),
    fc.constant<JsonObject>({ type: 'some_new_call', id: 'x_1', anything: [1] }),
  );
const history = fc
  .array(fc.nat(3), { maxLength: 4 })
  .chain((rounds) =>
    fc.tuple(
      ...rounds.map((kind, round) =>
        fc.tuple(
          fc.oneof(words, fc.array(userPart, { minLength: 1, maxLength: 3 })),
          fc.array(modelItem(round), { maxLength: 4 }),
          fc.oneof(words, fc.array(inText, { minLength: 2, maxLength: 3 })),
          fc.constant<JsonObject[]>(kind === 2 ? [{ role: 'developer', content: 'later' }] : []),
        ),
      ),
    ),
  )
  .map((rounds) =>
    rounds.flatMap(([asks, says, output, later]): JsonObject[] => [
      { role: 'user', content: asks },
      ...says,
      ...says
        .filter((item) => 'call_id' in item)
        .map((item): JsonObject => ({
          type: `${item['type'] as string}_output`,
          call_id: item['call_id'] ?? '',
          output: output,
        })),
      ...later,
    ]),
  );

const settings = fc.record(
  {
    stream: fc.boolean(),
    instructions: words,
    max_output_tokens: fc.nat(),
    temperature: fc.constantFrom(0, 2),
    top_p: fc.constantFrom(0, 1),
    top_logprobs: fc.nat(20),
    include: fc.subarray(['reasoning.encrypted_content', 'message.output_text.logprobs', 'file_search_call.results']),
    reasoning: fc.constantFrom<JsonObject>({ effort: 'low' }, { effort: 'none', summary: 'detailed' }),
    text: fc.constantFrom<JsonObject>(
      { verbosity: 'low' },
      { format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      { format: { type: 'json_object' } },
    ),
    tools: fc.subarray<JsonObject>([
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
      { type: 'function', name: 'h', parameters: null },
      { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      {
        type: 'web_search',
        search_context_size: 'low',
        filters: { allowed_domains: ['a.test'] },
        user_location: { type: 'approximate', city: 'Ulm' },
      },
      { type: 'mcp', server_label: 's' },
    ]),
    tool_choice: fc.constantFrom<Json>(
      'auto',
      'required',
      { type: 'function', name: 'f' },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      { type: 'mcp', server_label: 's' },
    ),
    parallel_tool_calls: fc.boolean(),
    user: some,
    safety_identifier: some,
    service_tier: fc.constantFrom('flex', 'priority'),
    prompt_cache_key: some,
    metadata: fc.constant({ a: 'b' }),
    store: fc.boolean(),
    previous_response_id: some,
    truncation: fc.constant('auto'),
  },
  { requiredKeys: [] },
);

it('a request survives decode∘encode∘decode', () => {
  fc.assert(
    fc.property(history, settings, (input, fields) => {
      const { once, twice } = requestTwice(openAiResponses, { model: 'm', input, ...(fields as JsonObject) }, target);
      expect(twice).toEqual(once);
    }),
    { numRuns: 400 },
  );
});

const outputItem = fc.oneof(
  fc
    .array(
      fc.oneof(
        fc.tuple(some, fc.boolean()).map(([text, cited]): JsonObject => ({
          type: 'output_text',
          text,
          annotations: cited
            ? [{ type: 'url_citation', start_index: 0, end_index: 1, title: 'T', url: 'https://x.test' }]
            : [],
        })),
        some.map((refusal): JsonObject => ({ type: 'refusal', refusal })),
      ),
      { maxLength: 2 },
    )
    .map((content): JsonObject => ({ type: 'message', id: 'msg', role: 'assistant', content })),
  reasoning.filter((item) => 'id' in item).map((item) => ({ ...item, id: `rs_${JSON.stringify(item).length}` })),
  fc
    .tuple(
      fc.nat(),
      args.filter((text) => text !== ''),
    )
    .map(([id, text]): JsonObject => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: `c_${id}`,
      name: 'f',
      arguments: text,
    })),
  fc.constant<JsonObject>({ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'q' } }),
);
const reply = fc
  .record({
    output: fc.array(outputItem, { maxLength: 5 }),
    ending: fc.constantFrom<JsonObject>(
      { status: 'completed' },
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ),
    usage: fc.option(
      fc.record({
        input: fc.nat(999),
        cached: fc.nat(99),
        written: fc.nat(9),
        output: fc.nat(999),
        reasoning: fc.nat(99),
      }),
    ),
  })
  .map(({ output, ending, usage }): JsonObject => ({
    id: 'resp_1',
    object: 'response',
    created_at: 7,
    model: 'm',
    output,
    ...ending,
    ...(usage !== null && {
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: usage.written },
        output_tokens: usage.output + usage.reasoning,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        prompt_tokens_details: {
          cached_tokens: usage.cached,
          cache_write_tokens: usage.written,
          audio_tokens: 0,
          image_tokens: 0,
        },
        completion_tokens_details: { audio_tokens: 0, reasoning_tokens: usage.reasoning },
      },
    }),
  }));

it('a reply survives decode∘encode∘decode', () => {
  fc.assert(
    fc.property(reply, (body) => {
      const { once, twice } = replyTwice(openAiResponses, body);
      expect(twice).toEqual(once);
    }),
    { numRuns: 300 },
  );
});

it('a streamed reply adds up to the whole one, cut anywhere', () => {
  fc.assert(
    fc.property(reply, fc.nat(), (body, at) => {
      const whole = openAiResponses.decodeReply(body);
      const context = { ...contextOf(NO_REQUEST), model: 'm' };
      const text = encodeEvents(openAiResponses, eventsOf(whole), context);
      const bytes = Buffer.from(text);
      const cut = at % bytes.length;
      const events = decodeBytes(openAiResponses, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      const streamed = openAiResponses.encodeReply(fold(events), context);
      // A streamed item is announced before its state is known: it has an id of our making.
      expect(withoutIds(streamed)).toEqual(withoutIds(openAiResponses.encodeReply(whole, context)));
    }),
    { numRuns: 200 },
  );
});

function withoutIds(response: JsonObject): Json {
  return JSON.parse(JSON.stringify(response, (key, value: unknown) => (key === 'id' ? undefined : value))) as Json;
}
