import { describe, expect, it } from 'vitest';
import { EMPTY_ANSWER, openCalls, toMessages, withChunk, type Turn } from './chat-turns.ts';

const chunk = (delta: object, usage: object | null = null) =>
  ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta }],
    usage,
  }) as Parameters<typeof withChunk>[1];

describe('an answer that grows', () => {
  it('puts pieces of text, reasoning and two interleaved calls together', () => {
    const pieces = [
      { reasoning_content: 'Hm' },
      { content: 'Su' },
      { content: 're' },
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] },
      { tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '{}' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    ];
    const answer = pieces.map((each) => chunk(each)).reduce(withChunk, EMPTY_ANSWER);
    expect(answer).toMatchObject({ text: 'Sure', reasoning: 'Hm' });
    expect(answer.calls).toEqual([
      { id: 'a', name: 'f', text: '{"x":1}' },
      { id: 'b', name: 'g', text: '{}' },
    ]);
  });

  it('takes zero tokens for zero, and a chunk without choices', () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const last = { ...chunk({}, usage), choices: [] };
    expect(withChunk(EMPTY_ANSWER, last).stats).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });
});

describe('a conversation in the words of chat completions', () => {
  const call = { id: 'a', name: 'f', text: '{}' };
  const turns: readonly Turn[] = [
    { role: 'user', text: 'Look', files: [{ name: 'p.png', type: 'image/png', url: 'data:image/png;base64,AA==' }] },
    { ...EMPTY_ANSWER, calls: [call] },
  ];

  it('has files before the text, calls, and their results', () => {
    expect(toMessages(' ', [...turns, { role: 'tool', callId: 'a', text: '1' }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: 'Look' },
        ],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ]);
  });

  it('leaves out an answer that never came, and begins with the instruction', () => {
    expect(toMessages('Be brief', [{ ...EMPTY_ANSWER, error: 'x' }])).toEqual([
      { role: 'system', content: 'Be brief' },
    ]);
  });

  it('asks for results until they are given or something else is said', () => {
    expect(openCalls(turns)).toEqual([call]);
    expect(openCalls([...turns, { role: 'tool', callId: 'a', text: '1' }])).toEqual([]);
    expect(openCalls([...turns, { role: 'user', text: 'never mind', files: [] }])).toEqual([]);
  });
});
