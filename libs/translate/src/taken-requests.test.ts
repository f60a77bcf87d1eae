/** Requests that vendors take although no document says so: each is sent as the target can bear it. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName, type JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';
import { PNG } from './samples.ts';

function sent(from: DialectName, to: DialectName, body: JsonObject) {
  const request = dialects[from].decodeRequest({ model: 'm', ...body }, { model: 'm', stream: false });
  const encoded = dialects[to].encodeRequest(request, {
    model: 'm',
    provider: to.split('-')[0] ?? '',
    maxOutputTokens: 99,
  });
  return { ...encoded, request, again: dialects[to].decodeRequest(encoded.body, { model: 'm', stream: false }) };
}
const others = (from: DialectName): DialectName[] => DIALECT_NAMES.filter((name) => name !== from);
const crossings = (from: DialectName, bodies: Readonly<Record<string, JsonObject>>) =>
  Object.entries(bodies).flatMap(([name, body]) => others(from).map((to) => ({ name, from, to, body })));

const TURN = { role: 'user', content: 'hi' };

describe('instructions alone', () => {
  it.each([
    ...crossings('openai-chat', { 'a system message': { messages: [{ role: 'system', content: 'Say hi' }] } }),
    ...crossings('openai-responses', {
      'no input': { instructions: 'Say hi' },
      'an empty input': { instructions: 'Say hi', input: [] },
      'a developer item': { input: [{ role: 'developer', content: 'Say hi' }] },
    }),
    ...crossings('anthropic-messages', { 'no messages': { max_tokens: 9, system: 'Say hi', messages: [] } }),
    ...crossings('gemini-generate', {
      'no contents': { systemInstruction: { parts: [{ text: 'Say hi' }] } },
      'empty contents': { systemInstruction: { parts: [{ text: 'Say hi' }] }, contents: [] },
    }),
  ])('$name: $from → $to', ({ from, to, body }) => {
    const { body: wire, again } = sent(from, to, body);
    expect(JSON.stringify(wire).split('Say hi')).toHaveLength(2);
    // Both of OpenAI's answer a system message; the others answer users.
    if (to === 'openai-responses') expect(wire['input']).toHaveLength(1);
    else if (to !== 'openai-chat') expect(again.turns).toMatchObject([{ role: 'user', parts: [{ text: 'Say hi' }] }]);
  });

  it.each([
    { from: 'anthropic-messages', body: { max_tokens: 9, messages: [] }, field: 'messages' },
    { from: 'gemini-generate', body: { contents: [] }, field: 'contents' },
    { from: 'openai-responses', body: { input: [] }, field: 'input' },
    { from: 'openai-responses', body: { input: '' }, field: 'input' },
    { from: 'openai-chat', body: { messages: [{ role: 'user', content: '' }] }, field: 'messages' },
  ] as const)('nothing at all is refused by the caller’s own name ($from)', ({ from, body, field }) => {
    for (const to of ['anthropic-messages', 'gemini-generate'] as const) {
      if (to !== from) expect(() => sent(from, to, body as JsonObject)).toThrow(new RegExp(`^${field}: `));
    }
  });
});

describe('null says nothing', () => {
  it.each([
    ...crossings('openai-chat', {
      'names, tools, settings': {
        messages: [
          { ...TURN, name: null },
          {
            role: 'assistant',
            content: null,
            name: null,
            refusal: null,
            audio: null,
            function_call: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: null } }],
          },
          { role: 'tool', tool_call_id: 'a', name: null, content: null },
        ],
        tools: [{ type: 'function', function: { name: 'f', description: null, parameters: null, strict: null } }],
        tool_choice: null,
        stop: null,
        n: null,
        metadata: null,
        response_format: null,
      },
    }),
    ...crossings('openai-responses', {
      'items and settings': {
        input: [{ type: 'message', id: null, status: null, ...TURN }],
        tools: null,
        text: { format: null, verbosity: null },
        reasoning: { effort: null, summary: null },
        include: null,
        previous_response_id: null,
      },
    }),
    ...crossings('anthropic-messages', {
      'blocks and settings': {
        max_tokens: 9,
        messages: [
          TURN,
          { role: 'assistant', content: null },
          { role: 'user', content: [{ type: 'text', text: 'x', citations: null, cache_control: null }] },
        ],
        system: null,
        tools: [{ name: 'f', type: null, description: null, input_schema: { type: 'object' }, strict: null }],
        metadata: { user_id: null },
        thread: null,
      },
    }),
    ...crossings('gemini-generate', {
      'parts and settings': {
        contents: [{ role: null, parts: [{ text: 'hi', thought: null, thoughtSignature: null }] }],
        tools: null,
        generationConfig: { temperature: null, responseSchema: null, thinkingConfig: null },
        cachedContent: null,
      },
    }),
  ])('$from → $to', ({ from, to, body }) => {
    expect(() => sent(from, to, body)).not.toThrow();
  });
});

it.each(others('gemini-generate'))('one object where Google takes a list → %s', (to) => {
  const part = { text: 'hi' };
  const { body } = sent('gemini-generate', to, {
    contents: { role: 'user', parts: part },
    systemInstruction: { parts: { text: 'Be brief' } },
    tools: { functionDeclarations: { name: 'f' } },
  });
  for (const word of ['hi', 'Be brief', '"f"']) expect(JSON.stringify(body)).toContain(word);
});

it.each(DIALECT_NAMES)('a history that begins with the assistant → %s', (to) => {
  for (const from of ['openai-chat', 'anthropic-messages'] as const) {
    if (from === to) continue;
    const { again } = sent(from, to, { max_tokens: 9, messages: [{ role: 'assistant', content: 'Hello' }, TURN] });
    // Anthropic refuses a first message that is not the user's.
    const opening = to === 'anthropic-messages' ? ['user'] : [];
    expect(again.turns.map(({ role }) => role)).toEqual([...opening, 'assistant', 'user']);
  }
});

it.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  'an image the model made goes along with what the user says next → %s',
  (to) => {
    const { body, dropped } = sent('gemini-generate', to, {
      contents: [
        { role: 'user', parts: [{ text: 'draw' }] },
        { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] },
        { role: 'user', parts: [{ text: 'bluer' }] },
      ],
    });
    expect(JSON.stringify(body)).toContain(PNG);
    expect(dropped.map(({ field }) => field)).toEqual(['contents[1].parts[0]']);
  },
);

it.each(others('openai-chat'))('sound that only its vendor keeps is refused with its place → %s', (to) => {
  const messages = [TURN, { role: 'assistant', audio: { id: 'audio_1' } }, TURN];
  expect(() => sent('openai-chat', to, { messages })).toThrow(/^messages\[1\]\.audio: /);
});

it.each([
  { from: 'openai-chat', body: { messages: [TURN], modalities: ['text', 'audio'] }, field: 'modalities' },
  {
    from: 'gemini-generate',
    body: { contents: [{ parts: [{ text: 'x' }] }], generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } },
    field: 'generationConfig.responseModalities',
  },
] as const)('what the model cannot write is named, in the caller’s words ($from)', ({ from, body, field }) => {
  expect(() => sent(from, 'anthropic-messages', body as unknown as JsonObject)).toThrow(
    `${field}: this model writes no audio; ask for text only`,
  );
});
