/** Where people's words stand in each dialect: by place, never by name. */
import { describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from '../dialects.ts';
import { putText, textAt } from './texts.ts';

const SAID = 'said';
const NOT = 'not words';
/** Names that are ids or media elsewhere. */
const free: JsonObject = {
  ...{ result: SAID, data: SAID, url: SAID, status: SAID, user_id: SAID, type: SAID, id: SAID, signature: SAID },
  deep: [{ model: SAID }],
};
const FREE = Array.from({ length: 9 }, () => SAID);
const schema: JsonObject = {
  type: NOT,
  required: [NOT],
  properties: { a: { type: NOT, description: SAID, enum: [SAID] }, b: { items: { title: SAID } } },
};

const spoken = (places: ReturnType<(typeof dialects)[DialectName]['texts']['inRequest']>): readonly string[] =>
  places.filter(({ kind }) => kind !== 'name').map((place) => textAt(place));

describe.each<[DialectName, JsonObject, readonly string[]]>([
  [
    'openai-chat',
    {
      model: NOT,
      user: NOT,
      messages: [
        { role: NOT, content: SAID },
        {
          role: NOT,
          content: [
            { type: NOT, text: SAID },
            { type: NOT, image_url: { url: NOT } },
          ],
        },
        { role: NOT, tool_calls: [{ id: NOT, type: NOT, function: { name: NOT, arguments: SAID } }] },
        { role: NOT, tool_call_id: NOT, content: SAID, reasoning_details: [{ type: NOT, data: NOT, text: SAID }] },
        {
          role: NOT,
          content: [{ type: NOT, file: { file_id: NOT, file_data: NOT, filename: SAID } }],
          unheard_of: SAID,
        },
      ],
      tools: [{ type: NOT, function: { name: NOT, description: SAID, parameters: schema }, headers: { a: NOT } }],
      response_format: { type: NOT, json_schema: { name: NOT, description: SAID, schema } },
    },
    Array.from({ length: 7 + 4 + 4 }, () => SAID),
  ],
  [
    'openai-responses',
    {
      instructions: SAID,
      input: [
        {
          type: NOT,
          role: NOT,
          content: [
            { type: NOT, text: SAID },
            { type: NOT, file_url: NOT, image_url: NOT },
          ],
        },
        { type: 'function_call_output', call_id: NOT, output: SAID },
        { type: 'mcp_call', id: NOT, name: NOT, result: SAID, arguments: SAID },
        { type: 'image_generation_call', id: NOT, result: NOT },
        { type: 'reasoning', id: NOT, summary: [{ type: NOT, text: SAID }], encrypted_content: NOT },
      ],
      tools: [
        { type: NOT, name: NOT, description: SAID, parameters: schema },
        { type: 'mcp', server_url: NOT, authorization: NOT },
      ],
      text: { verbosity: NOT, format: { type: NOT, name: NOT, schema } },
    },
    Array.from({ length: 6 + 4 + 3 }, () => SAID),
  ],
  [
    'anthropic-messages',
    {
      system: [{ type: NOT, text: SAID, cache_control: { type: NOT } }],
      metadata: { user_id: NOT },
      messages: [
        { role: NOT, content: [{ type: 'tool_use', id: NOT, name: NOT, input: free }] },
        { role: NOT, content: [{ type: 'tool_result', tool_use_id: NOT, content: [{ type: 'text', text: SAID }] }] },
        {
          role: NOT,
          content: [{ type: 'document', source: { type: 'text', media_type: NOT, data: SAID }, title: SAID }],
        },
        { role: NOT, content: [{ type: 'image', source: { type: 'base64', media_type: NOT, data: NOT } }] },
        {
          role: NOT,
          content: [
            { type: 'thinking', thinking: SAID, signature: NOT },
            { type: 'redacted_thinking', data: NOT },
          ],
        },
      ],
      tools: [{ name: NOT, description: SAID, input_schema: schema }],
    },
    [SAID, ...FREE, SAID, SAID, SAID, SAID, SAID, SAID, SAID, SAID],
  ],
  [
    'gemini-generate',
    {
      systemInstruction: { parts: [{ text: SAID }] },
      contents: [
        { role: NOT, parts: [{ functionResponse: { id: NOT, name: NOT, response: free } }] },
        { role: NOT, parts: [{ functionCall: { name: NOT, args: { card: 4111111111111111, small: 5 } } }] },
        { role: NOT, parts: [{ inlineData: { mimeType: NOT, data: NOT } }, { text: SAID, thoughtSignature: NOT }] },
      ],
      tools: [{ functionDeclarations: [{ name: NOT, description: SAID, parameters: schema }] }],
      generationConfig: { responseMimeType: NOT, responseSchema: schema },
    },
    [...FREE, '4111111111111111', SAID, SAID, ...Array.from({ length: 4 + 3 }, () => SAID)],
  ],
])('%s', (name, body, expected) => {
  const { texts } = dialects[name];

  it('words are found by their place', () => {
    expect(spoken([...texts.inRequest(body), ...texts.inDeclarations(body)])).toEqual(expected);
  });

  it('every place can be written, and nothing else changes', () => {
    const copy = structuredClone(body);
    for (const place of [...texts.inRequest(copy), ...texts.inDeclarations(copy)])
      if (place.kind === undefined) putText(place, 'changed');
    expect(JSON.stringify(copy).replaceAll('changed', SAID)).toBe(JSON.stringify(body));
  });
});

it('names of members and numbers in arguments are places, too', () => {
  const body: JsonObject = {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', input: { first: 1, 'ann@example.com': 4242, last: SAID } }] },
    ],
  };
  const places = dialects['anthropic-messages'].texts.inRequest(body);
  expect(places.map((place) => [place.kind, textAt(place)])).toEqual([
    ['name', 'first'],
    ['number', '4242'],
    ['name', 'ann@example.com'],
    [undefined, SAID],
    ['name', 'last'],
  ]);
  for (const place of places) {
    if (place.kind === 'number') putText(place, '0');
    if (textAt(place).includes('@')) putText(place, '[email]');
  }
  expect(JSON.stringify(body)).toContain('{"first":1,"[email]":0,"last":"said"}');
});

describe('what says an answer once more', () => {
  const tokens = [{ token: 'ann@', bytes: [1], logprob: 0 }];
  it.each<[DialectName, JsonObject]>([
    ['openai-chat', { choices: [{ message: { content: 'ann@' }, logprobs: { content: tokens } }] }],
    ['openai-chat', { choices: [{ delta: { content: 'other' }, logprobs: { content: tokens } }] }],
    ['openai-responses', { output: [{ content: [{ text: 'x', logprobs: tokens }] }] }],
    ['openai-responses', { type: 'response.output_text.delta', delta: 'x', logprobs: tokens }],
    [
      'openai-responses',
      { type: 'response.completed', response: { output: [{ content: [{ text: 'x', logprobs: tokens }] }] } },
    ],
    [
      'gemini-generate',
      { candidates: [{ content: { parts: [{ text: 'x' }] }, logprobsResult: { chosenCandidates: tokens } }] },
    ],
  ])('%s %j', (name, data) => {
    const { texts } = dialects[name];
    expect(texts.dropTokens(data, true)).toBe(true);
    expect(JSON.stringify(data)).not.toContain('"ann@","bytes"');
    expect(texts.dropTokens(data, true)).toBe(false);
  });

  it.each<[DialectName, JsonObject]>([
    ['openai-chat', { choices: [{ delta: { content: 'ann@' }, logprobs: { content: tokens } }] }],
    ['openai-responses', { type: 'response.output_text.delta', delta: 'ann@', logprobs: tokens }],
    ['anthropic-messages', { type: 'content_block_delta', delta: { type: 'text_delta', text: 'ann@' } }],
  ])('%s keeps what fits a text that was not changed', (name, data) => {
    const before = JSON.stringify(data);
    expect(dialects[name].texts.dropTokens(data, false)).toBe(false);
    expect(JSON.stringify(data)).toBe(before);
  });
});
