/** The laws over all sixteen pairs of dialects: what one says, the other says too, and what it cannot say is told. */
import { describe, expect, it } from '@jest/globals';
import {
  DIALECT_NAMES,
  GatewayError,
  isJsonObject,
  type DialectName,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import fc from 'fast-check';
import type { AssistantPart, ChatEvent, ChatReply, ChatRequest, StopReason, Turn, UserPart } from './conversation.ts';
import type { Encoded, Target } from './dialect.ts';
import { dialects } from './dialects.ts';
import {
  contextOf,
  decodeBytes,
  decodeText,
  encodeEvents,
  essenceOf,
  eventsOf,
  fold,
  NO_REQUEST,
  normalJson,
} from './laws.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PROVIDERS: Readonly<Record<DialectName, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'gemini',
};
const targetOf = (name: DialectName): Target => ({
  model: 'vendor-model',
  provider: PROVIDERS[name],
  maxOutputTokens: 32_000,
});
const pairs = DIALECT_NAMES.flatMap((from) => DIALECT_NAMES.map((to) => ({ from, to })));

// ---- replies -------------------------------------------------------------------------------------------------------------

const said = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((text) => text.trim() !== '');
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const parts = fc
  .record({
    reasoning: fc.option(said),
    texts: fc.array(said, { maxLength: 2 }),
    calls: fc.array(fc.tuple(fc.constantFrom('search', 'get_weather'), input), { maxLength: 3 }),
  })
  .map(({ reasoning, texts, calls }): AssistantPart[] => [
    ...(reasoning === null ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...calls.map(([name, args], index) => ({
      type: 'tool-call' as const,
      id: `call_${index}`,
      name,
      kind: 'function' as const,
      arguments: JSON.stringify(args),
    })),
  ]);
const reply = fc
  .tuple(parts, fc.constantFrom<StopReason>('stop', 'length'), fc.nat(999), fc.nat(999), fc.nat(99))
  .map(([list, stop, cached, fresh, output]): ChatReply => ({
    id: 'x',
    choices: [
      { parts: list, stop: stop === 'stop' && list.some(({ type }) => type === 'tool-call') ? 'tool-calls' : stop },
    ],
    usage: { inputTokens: cached + fresh, cachedInputTokens: cached, outputTokens: output + 7, reasoningTokens: 7 },
  }));

describe.each(pairs)('from a vendor of $from to a caller of $to', ({ from, to }) => {
  const vendor = dialects[from];
  const caller = dialects[to];
  const context = contextOf({ ...NO_REQUEST, streamUsage: true });

  it('a whole answer keeps its words, calls, stop reason and counts', () => {
    fc.assert(
      fc.property(reply, (answer) => {
        const crossed = vendor.decodeReply(vendor.encodeReply(answer, context));
        const body = caller.encodeReply(crossed, context);
        const read = caller.decodeReply(body);
        expect(essenceOf(read)).toEqual(essenceOf(answer));
        expect(read.usage).toMatchObject(answer.usage ?? {});
        expect(caller.readUsage(body)).toMatchObject(answer.usage ?? {});
      }),
      { numRuns: 60 },
    );
  });

  it('a streamed answer says the same as the whole one, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(reply, fc.nat(), (answer, at) => {
        const bytes = Buffer.from(encodeEvents(vendor, eventsOf(answer), context));
        const cut = at % bytes.length;
        const events = decodeBytes(vendor, [bytes.subarray(0, cut), bytes.subarray(cut)]);
        const read = fold(decodeText(caller, encodeEvents(caller, events, context)));
        expect(essenceOf(read)).toEqual(essenceOf(answer));
        expect(read.usage).toMatchObject(answer.usage ?? {});
      }),
      { numRuns: 60 },
    );
  });

  it('bug 21: a cut stream ends as an error, never as a clean stop', () => {
    const answer: ChatReply = { choices: [{ parts: [{ type: 'text', text: 'half an answer' }], stop: 'stop' }] };
    const text = encodeEvents(vendor, eventsOf(answer).slice(0, 3), context);
    const events = decodeText(vendor, text);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    const read = decodeText(caller, encodeEvents(caller, events, context));
    expect(read.at(-1)).toMatchObject({ type: 'error' });
    expect(read.map(({ type }) => type)).not.toContain('end');
    expect(read.map(({ type }) => type)).not.toContain('finish');
  });

  it('bug 25: an error inside keeps its meaning', () => {
    const events: ChatEvent[] = [
      ...eventsOf({ choices: [{ parts: [{ type: 'text', text: 'half' }], stop: 'stop' }] }).slice(0, 3),
      { type: 'error', error: { code: 'upstream_rate_limited', message: 'slow down' } },
    ];
    const crossed = decodeText(vendor, encodeEvents(vendor, events, context));
    const read = decodeText(caller, encodeEvents(caller, crossed, context));
    expect(read.at(-1)).toEqual({
      type: 'error',
      error: expect.objectContaining({ code: 'upstream_rate_limited', message: 'slow down' }),
    });
  });

  it('bug 2: interleaved parallel calls land in their own block', () => {
    const events: ChatEvent[] = [
      { type: 'start', id: 'x' },
      { type: 'text-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'looking' },
      { type: 'block-stop', block: 0 },
      { type: 'tool-call-start', block: 1, choice: 0, id: 'a', name: 'search', kind: 'function' },
      { type: 'tool-call-start', block: 2, choice: 0, id: 'b', name: 'search', kind: 'function' },
      { type: 'delta', block: 2, text: '{"q"' },
      { type: 'delta', block: 1, text: '{"p"' },
      { type: 'delta', block: 2, text: ':2}' },
      { type: 'delta', block: 1, text: ':1}' },
      { type: 'block-stop', block: 2 },
      { type: 'block-stop', block: 1 },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ];
    const crossed = decodeText(vendor, encodeEvents(vendor, events, context));
    const read = fold(decodeText(caller, encodeEvents(caller, crossed, context)));
    expect(essenceOf(read)).toMatchObject({
      text: 'looking',
      calls: [
        ['search', '{"p":1}'],
        ['search', '{"q":2}'],
      ],
      stop: 'tool-calls',
    });
  });
});

// ---- opaque state --------------------------------------------------------------------------------------------------------

/** An answer with the state its vendor's model needs back. */
const THINKERS: readonly { readonly from: DialectName; readonly answer: ChatReply }[] = [
  {
    from: 'anthropic-messages',
    answer: {
      choices: [
        {
          parts: [
            {
              type: 'reasoning',
              text: 'let me see',
              opaque: { provider: 'anthropic', model: 'vendor-model', kind: 'signature', value: 'c2ln' },
            },
            {
              type: 'reasoning',
              text: '',
              opaque: { provider: 'anthropic', model: 'vendor-model', kind: 'redacted', value: 'c2VjcmV0' },
            },
            { type: 'text', text: 'I look it up' },
            { type: 'tool-call', id: 'toolu_1', name: 'search', kind: 'function', arguments: '{"q":1}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
  {
    from: 'openai-responses',
    answer: {
      choices: [
        {
          parts: [
            {
              type: 'reasoning',
              text: 'let me see',
              opaque: {
                provider: 'openai',
                model: 'vendor-model',
                kind: 'encrypted',
                value: 'Z0FBQUFB',
                itemId: 'rs_1',
              },
            },
            { type: 'tool-call', id: 'call_1', name: 'search', kind: 'function', arguments: '{"q":1}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
  {
    from: 'gemini-generate',
    answer: {
      choices: [
        {
          parts: [
            { type: 'reasoning', text: 'let me see' },
            { type: 'text', text: 'I look it up' },
            {
              type: 'tool-call',
              id: 'call_1',
              name: 'search',
              kind: 'function',
              arguments: '{"q":1}',
              opaque: { provider: 'gemini', model: 'vendor-model', kind: 'signature', value: 'c2ln' },
            },
            { type: 'tool-call', id: 'call_2', name: 'search', kind: 'function', arguments: '{"q":2}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
];

/** The next request of a caller who sends the model's answer back with the results of its calls. */
function nextTurn(name: DialectName, answer: JsonObject, calls: readonly { id: string; name: string }[]): JsonObject {
  switch (name) {
    case 'openai-chat': {
      const [choice] = answer['choices'] as JsonObject[];
      const results = calls.map(({ id }): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'r' }));
      return { model: 'code', messages: [{ role: 'user', content: 'hi' }, choice?.['message'] ?? null, ...results] };
    }
    case 'openai-responses': {
      const results = calls.map(({ id }): JsonObject => ({ type: 'function_call_output', call_id: id, output: 'r' }));
      return { model: 'code', input: [{ role: 'user', content: 'hi' }, ...(answer['output'] as Json[]), ...results] };
    }
    case 'anthropic-messages': {
      const results = calls.map(({ id }): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
      return {
        model: 'code',
        max_tokens: 1000,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: answer['content'] ?? null },
          { role: 'user', content: results },
        ],
      };
    }
    case 'gemini-generate': {
      const [candidate] = answer['candidates'] as JsonObject[];
      const results = calls.map(({ id, name: own }): JsonObject => ({
        functionResponse: { id, name: own, response: { output: 'r' } },
      }));
      return {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          candidate?.['content'] ?? null,
          { role: 'user', parts: results },
        ],
      };
    }
  }
}

const thinkingPairs = THINKERS.flatMap(({ from, answer }) => DIALECT_NAMES.map((to) => ({ from, answer, to })));

describe.each(thinkingPairs)(
  'a thinking model of $from in a tool conversation with a caller of $to',
  ({ from, answer, to }) => {
    const vendor = dialects[from];
    const caller = dialects[to];
    const target = targetOf(from);
    const sent: Encoded = { body: {}, dropped: [], target };
    const context = contextOf(NO_REQUEST);
    const wire = vendor.encodeReply(answer, { ...context, model: 'vendor-model' });
    const calls = (answer.choices[0]?.parts ?? []).filter((part) => part.type === 'tool-call');

    /** Every opaque value the vendor is sent, whatever it is called. */
    const stateIn = (body: JsonObject): string[] => {
      const found: string[] = [];
      JSON.stringify(body, (key, value: unknown) => {
        const opaque = ['signature', 'data', 'encrypted_content', 'thoughtSignature', 'thought_signature'].includes(
          key,
        );
        if (opaque && typeof value === 'string') found.push(value);
        return value;
      });
      return found;
    };
    const wanted = (answer.choices[0]?.parts ?? []).flatMap(({ opaque }) =>
      opaque === undefined ? [] : [opaque.value],
    );

    it.each([
      { how: 'whole', body: () => caller.encodeReply(vendor.decodeReply(wire, sent), context) },
      {
        how: 'streamed',
        body: () => {
          const text = encodeEvents(vendor, eventsOf(answer), { ...context, model: 'vendor-model' });
          const crossed = decodeText(vendor, text, sent);
          // What the caller's SDK adds the stream up to.
          return caller.encodeReply(fold(decodeText(caller, encodeEvents(caller, crossed, context))), context);
        },
      },
    ])('bugs 37, 39, 40: gets its own state back ($how)', ({ body }) => {
      const request = caller.decodeRequest(nextTurn(to, body(), calls), { model: 'code', stream: false });
      const { body: next } = vendor.encodeRequest(request, target);
      expect(stateIn(next)).toEqual(wanted);
    });

    it('bug 38: another model never sees it', () => {
      const body = caller.encodeReply(vendor.decodeReply(wire, sent), context);
      const request = caller.decodeRequest(nextTurn(to, body, calls), { model: 'code', stream: false });
      for (const name of DIALECT_NAMES) {
        if (name === to) continue;
        const other: Target = { ...targetOf(name), model: 'another-model' };
        const { body: next } = dialects[name].encodeRequest(request, other);
        const states = stateIn(next).filter((value) => value !== 'skip_thought_signature_validator');
        expect(states).toEqual([]);
        expect(JSON.stringify(next)).toContain('search');
      }
    });
  },
);

// ---- requests ------------------------------------------------------------------------------------------------------------

const TOOLS: ChatRequest['tools'] = [
  {
    type: 'function',
    name: 'search',
    description: 'd',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
  { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } },
];
const image: UserPart = { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } };
const request = fc
  .array(
    fc.record({
      asks: said,
      seen: fc.boolean(),
      says: fc.option(said),
      calls: fc.array(fc.tuple(fc.constantFrom('search', 'get_weather'), input, said), { maxLength: 2 }),
      then: said,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .chain((rounds) =>
    fc.record({
      rounds: fc.constant(rounds),
      system: fc.array(said, { maxLength: 2 }),
      choice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const),
    }),
  )
  .map(({ rounds, system, choice }): ChatRequest => {
    const turns = rounds.flatMap(({ asks, seen, says, calls, then }, round): Turn[] => {
      const own = calls.map(([name, args], index): AssistantPart => ({
        type: 'tool-call',
        id: `call_${round}_${index}`,
        name,
        kind: 'function',
        arguments: JSON.stringify(args),
      }));
      const results = calls.map(([name, , output], index): UserPart => ({
        type: 'tool-result',
        callId: `call_${round}_${index}`,
        name,
        content: [{ type: 'text', text: output }],
      }));
      const spoken: AssistantPart[] = says === null ? [] : [{ type: 'text', text: says }];
      return [
        { role: 'user', parts: [{ type: 'text', text: asks }, ...(seen ? [image] : [])] },
        ...(spoken.length + own.length === 0 ? [] : [{ role: 'assistant', parts: [...spoken, ...own] } as const]),
        ...(results.length === 0 ? [] : [{ role: 'user', parts: results } as const]),
        ...(results.length === 0 ? [] : [{ role: 'assistant', parts: [{ type: 'text', text: then }] } as const]),
      ];
    });
    return {
      model: 'vendor-model',
      stream: false,
      system: system.map((text) => ({ type: 'text', text })),
      turns: [...turns, { role: 'user', parts: [{ type: 'text', text: 'go on' }] }],
      tools: TOOLS,
      toolChoice: { type: choice },
      maxOutputTokens: 500,
      extra: {},
    };
  });

/** What a request says, in the words every dialect has. */
function requestEssence({ system, turns, tools, toolChoice, maxOutputTokens }: ChatRequest): object {
  const ids: string[] = [];
  const number = (id: string): number => {
    if (!ids.includes(id)) ids.push(id);
    return ids.indexOf(id);
  };
  const lines: (readonly [string, ...unknown[]])[] = [];
  for (const turn of turns) {
    for (const part of turn.parts) {
      if (part.type === 'text') lines.push([turn.role, part.text]);
      else if (part.type === 'tool-call') lines.push(['call', number(part.id), part.name, normalJson(part.arguments)]);
      else if (part.type === 'tool-result') {
        lines.push([
          'result',
          number(part.callId),
          part.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''),
        ]);
      } else if (part.type === 'image' && part.source.type === 'base64') lines.push(['image', part.source.data]);
      else lines.push(['other', part.type]);
    }
  }
  return {
    system: system.map(({ text }) => text).join('\n'),
    lines,
    tools: tools.map((tool) => (tool.type === 'function' ? [tool.name, tool.description ?? ''] : [tool.type])),
    toolChoice: toolChoice?.type,
    maxOutputTokens,
  };
}

describe.each(pairs)('from a caller of $from to a vendor of $to', ({ from, to }) => {
  const caller = dialects[from];
  const vendor = dialects[to];

  it('a conversation with pictures, parallel calls and results keeps its meaning', () => {
    fc.assert(
      fc.property(request, (written) => {
        const path = { model: 'vendor-model', stream: false };
        const asked = caller.decodeRequest(caller.encodeRequest(written, targetOf(from)).body, path);
        const encoded = vendor.encodeRequest(asked, targetOf(to));
        const heard = vendor.decodeRequest(encoded.body, path);
        expect(requestEssence(heard)).toEqual(requestEssence(asked));
        expect(encoded.dropped).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

// ---- nothing dropped in silence ------------------------------------------------------------------------------------------

interface Written {
  readonly field: string;
  readonly value: Json;
  /** Where it sits, when not at the top. */
  readonly around?: (value: Json) => JsonObject;
}

const inGeneration =
  (key: string) =>
  (value: Json): JsonObject => ({ generationConfig: { [key]: value } });
const FIELDS: Readonly<Record<DialectName, readonly Written[]>> = {
  'openai-chat': [
    { field: 'max_completion_tokens', value: 5 },
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_k', value: 5 },
    { field: 'stop', value: ['x'] },
    { field: 'presence_penalty', value: 1 },
    { field: 'frequency_penalty', value: 1 },
    { field: 'seed', value: 5 },
    { field: 'n', value: 2 },
    { field: 'logprobs', value: true },
    { field: 'logit_bias', value: { '5': 1 } },
    {
      field: 'response_format',
      value: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', properties: {} } } },
    },
    { field: 'reasoning_effort', value: 'low' },
    { field: 'verbosity', value: 'low' },
    { field: 'modalities', value: ['text', 'audio'] },
    { field: 'user', value: 'u' },
    { field: 'metadata', value: { a: 'b' } },
    { field: 'service_tier', value: 'flex' },
    { field: 'prompt_cache_key', value: 'k' },
    { field: 'prediction', value: { type: 'content', content: 'x' } },
    { field: 'web_search_options', value: {} },
    { field: 'unheard_of', value: 1 },
  ],
  'openai-responses': [
    { field: 'max_output_tokens', value: 5 },
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_logprobs', value: 2 },
    { field: 'include', value: ['file_search_call.results'] },
    { field: 'text', value: { verbosity: 'low' } },
    {
      field: 'text',
      value: { format: { type: 'json_schema', name: 'n', schema: { type: 'object', properties: {} } } },
    },
    { field: 'reasoning', value: { effort: 'low' } },
    { field: 'reasoning', value: { context: 'all_turns' } },
    { field: 'user', value: 'u' },
    { field: 'metadata', value: { a: 'b' } },
    { field: 'service_tier', value: 'flex' },
    { field: 'prompt_cache_key', value: 'k' },
    { field: 'truncation', value: 'auto' },
    { field: 'previous_response_id', value: 'resp_1' },
    { field: 'background', value: true },
    { field: 'max_tool_calls', value: 3 },
  ],
  'anthropic-messages': [
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_k', value: 5 },
    { field: 'stop_sequences', value: ['x'] },
    { field: 'thinking', value: { type: 'enabled', budget_tokens: 2000 } },
    { field: 'output_config', value: { effort: 'low' } },
    {
      field: 'output_config',
      value: {
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
    },
    { field: 'service_tier', value: 'standard_only' },
    { field: 'speed', value: 'fast' },
    { field: 'container', value: 'c' },
    { field: 'inference_geo', value: 'eu' },
    { field: 'metadata', value: { user_id: 'u' } },
    { field: 'cache_control', value: { type: 'ephemeral' } },
  ],
  'gemini-generate': [
    { field: 'temperature', value: 0.5, around: inGeneration('temperature') },
    { field: 'topP', value: 0.5, around: inGeneration('topP') },
    { field: 'topK', value: 5, around: inGeneration('topK') },
    { field: 'stopSequences', value: ['x'], around: inGeneration('stopSequences') },
    { field: 'seed', value: 5, around: inGeneration('seed') },
    { field: 'candidateCount', value: 2, around: inGeneration('candidateCount') },
    { field: 'maxOutputTokens', value: 5, around: inGeneration('maxOutputTokens') },
    { field: 'presencePenalty', value: 1, around: inGeneration('presencePenalty') },
    { field: 'responseLogprobs', value: true, around: inGeneration('responseLogprobs') },
    { field: 'responseModalities', value: ['IMAGE'], around: inGeneration('responseModalities') },
    { field: 'thinkingConfig', value: { thinkingBudget: 100 }, around: inGeneration('thinkingConfig') },
    { field: 'thinkingConfig', value: { includeThoughts: true }, around: inGeneration('thinkingConfig') },
    { field: 'mediaResolution', value: 'MEDIA_RESOLUTION_LOW', around: inGeneration('mediaResolution') },
    { field: 'safetySettings', value: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    { field: 'cachedContent', value: 'cachedContents/1' },
    { field: 'serviceTier', value: 'flex' },
    { field: 'labels', value: { a: 'b' } },
  ],
};
const PLAIN: Readonly<Record<DialectName, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { model: 'm', input: 'hi' },
  'anthropic-messages': { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'hi' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};
/** Marks of a caching that these vendors do without being asked. */
const AUTOMATIC: ReadonlySet<string> = new Set(
  ['openai-chat', 'openai-responses', 'gemini-generate'].map((name) => `cache_control ${name}`),
);
// Translations only: in its own dialect a caller's body goes out as it came.
const settings = DIALECT_NAMES.flatMap((from) =>
  FIELDS[from].flatMap((written) =>
    DIALECT_NAMES.filter((to) => to !== from && !AUTOMATIC.has(`${written.field} ${to}`)).map((to) => ({
      from,
      to,
      written,
      shown: `${written.field} ${JSON.stringify(written.value)}`,
    })),
  ),
);

describe('a setting leaves a trace in the vendor’s body, or is reported, or is refused', () => {
  it.each(settings)('$shown from $from to $to', ({ from, to, written }) => {
    const path = { model: 'm', stream: false };
    const added = written.around?.(written.value) ?? { [written.field]: written.value };
    const encode = (body: JsonObject): Encoded | GatewayError => {
      try {
        return dialects[to].encodeRequest(dialects[from].decodeRequest(body, path), targetOf(to));
      } catch (error) {
        if (error instanceof GatewayError) return error;
        throw error;
      }
    };
    const without = encode(PLAIN[from]);
    const result = encode({ ...PLAIN[from], ...added });
    if (result instanceof GatewayError) {
      expect(result.code).toBe('invalid_request');
      expect(result.details.param).toContain(isJsonObject(written.value) ? '' : written.field);
      return;
    }
    const trace = JSON.stringify(result.body) !== JSON.stringify((without as Encoded).body);
    expect({ trace, reported: result.dropped.length > 0 }).not.toEqual({ trace: false, reported: false });
  });
});
