import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Target } from '../dialect.ts';
import { requestTwice } from '../laws.ts';
import { anthropicMessages } from './index.ts';
import { PNG } from '../samples.ts';

const target: Target = { model: 'm', provider: 'anthropic', maxOutputTokens: 64_000, quirks: { sampling: true } };

const words = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text.trim() !== '');
const mark = fc.constantFrom<JsonObject>({}, {}, {}, { cache_control: { type: 'ephemeral' } });
const textBlock = fc.tuple(words, mark).map(([text, cache]): JsonObject => ({ type: 'text', text, ...cache }));
const imageBlock = fc.constantFrom<JsonObject>(
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
  { type: 'image', source: { type: 'file', file_id: 'file_1' } },
);
const documentBlock = fc.constantFrom<JsonObject>(
  { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
  { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
);
const input = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,5}$/),
  fc.jsonValue({ maxDepth: 2 }),
) as fc.Arbitrary<JsonObject>;
const assistantBlock = fc.oneof(
  textBlock,
  fc
    .tuple(fc.string(), fc.stringMatching(/^[A-Za-z0-9+/]{1,20}$/))
    .map(([thinking, signature]): JsonObject => ({ type: 'thinking', thinking, signature })),
  fc.stringMatching(/^[A-Za-z0-9+/]{1,20}$/).map((data): JsonObject => ({ type: 'redacted_thinking', data })),
  fc.constant<JsonObject>({ type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'q' } }),
);

/** A user message, an assistant one with calls, their results, and so on: a history as the vendor itself would accept it. */
const history = fc
  .array(
    fc.record({
      asks: fc.array(fc.oneof(textBlock, imageBlock, documentBlock), { minLength: 1, maxLength: 3 }),
      says: fc.array(assistantBlock, { minLength: 1, maxLength: 3 }),
      calls: fc.array(
        fc.tuple(
          input,
          fc.oneof(words, fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 2 })),
          fc.option(fc.boolean(), { nil: undefined }),
        ),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rounds) => {
    const messages: { role: string; content: JsonObject[] }[] = [];
    let pending: JsonObject[] = [];
    rounds.forEach(({ asks, says, calls }, round) => {
      messages.push({ role: 'user', content: [...pending, ...asks] });
      const uses = calls.map(([args], index): JsonObject => ({
        type: 'tool_use',
        id: `t_${round}_${index}`,
        name: 'look',
        input: args,
      }));
      messages.push({ role: 'assistant', content: [...says, ...uses] });
      pending = calls.map(([, content, is_error], index): JsonObject => ({
        type: 'tool_result',
        tool_use_id: `t_${round}_${index}`,
        content,
        ...(is_error !== undefined && { is_error }),
      }));
    });
    return [...messages, { role: 'user', content: [...pending, { type: 'text', text: 'go on' }] }];
  });

const optionalFields = fc.record(
  {
    system: fc.oneof(words, fc.array(textBlock, { minLength: 1, maxLength: 2 })),
    stop_sequences: fc.array(words, { minLength: 1, maxLength: 3 }),
    top_k: fc.nat(500),
    temperature: fc.double({ min: 0, max: 1, noNaN: true }).filter((value) => !Object.is(value, -0)),
    metadata: fc.record({ user_id: words }),
    service_tier: fc.constantFrom('auto', 'standard_only'),
    stream: fc.boolean(),
    speed: fc.constant('fast'),
    tools: fc.constantFrom<JsonObject[]>(
      [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
      [
        {
          name: 'look',
          description: 'd',
          strict: false,
          input_schema: { type: 'object', properties: { a: { type: 'string' } } },
        },
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 0,
          user_location: { type: 'approximate', city: 'Ulm' },
        },
        { type: 'bash_20250124', name: 'bash' },
      ],
    ),
  },
  { requiredKeys: ['tools'] },
);
const choices = fc.constantFrom<JsonObject>(
  {},
  { tool_choice: { type: 'auto' } },
  { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
  { tool_choice: { type: 'tool', name: 'look' } },
  { tool_choice: { type: 'none' } },
);
const outputs = fc.constantFrom<JsonObject>(
  {},
  { output_config: { effort: 'high' } },
  {
    output_config: {
      format: {
        type: 'json_schema',
        schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
      },
    },
  },
);

it('a request read, written and read again is the same', () => {
  fc.assert(
    fc.property(history, optionalFields, choices, outputs, (messages, fields, choice, output) => {
      const body = { model: 'm', max_tokens: 500, messages, ...fields, ...choice, ...output } as JsonObject;
      const { once, twice } = requestTwice(anthropicMessages, body, target);
      // At most four cache marks survive; how many there were is not the law's business.
      const plain = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === 'cache' ? undefined : field)));
      expect(plain(twice)).toEqual(plain(once));
    }),
    { numRuns: 300 },
  );
});

it.each<JsonObject>([
  { type: 'adaptive' },
  { type: 'adaptive', display: 'summarized' },
  { type: 'disabled' },
  { type: 'between_tools' },
])('thinking %j survives the round trip', (thinking) => {
  const body = { model: 'm', max_tokens: 500, messages: [{ role: 'user', content: 'q' }], thinking };
  const { once, twice } = requestTwice(anthropicMessages, body, target);
  expect(twice).toEqual(once);
});

it('a thinking budget survives on models that take one', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  const body = { model: 'm', max_tokens: 5000, messages: [{ role: 'user', content: 'q' }], thinking };
  const { once, twice } = requestTwice(anthropicMessages, body, { ...target, quirks: { thinking: 'budget' } });
  expect(twice).toEqual(once);
});
