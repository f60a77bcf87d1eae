import { describe, expect, it } from 'vitest';
import type { ToolCallPart, ToolResultPart, Turn } from '../conversation.ts';
import { LOST_RESULT, mergeTurns, settleToolResults } from './history.ts';

const call = (id: string, name = id): ToolCallPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: '{}',
});
const result = (callId: string, text = callId): ToolResultPart => ({
  type: 'tool-result',
  callId,
  content: [{ type: 'text', text }],
  place: `results.${callId}`,
});
const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
const brief = (turns: readonly Turn[]): string[] =>
  turns.map(({ role, parts }) => {
    const words = parts.map((part) => {
      if (part.type === 'tool-call') return `call ${part.id}`;
      if (part.type === 'tool-result') {
        const first = part.content[0];
        return `result ${part.callId}=${first?.type === 'text' ? first.text : '-'}`;
      }
      return part.type === 'text' ? part.text : part.type;
    });
    return `${role}: ${words.join(', ')}`;
  });

describe('settleToolResults', () => {
  it.each<{ name: string; turns: Turn[]; settled: string[] }>([
    {
      name: 'bug 11: two results in two turns follow their calls in one',
      turns: [
        { role: 'assistant', parts: [call('a'), call('b')] },
        { role: 'user', parts: [result('a')] },
        { role: 'user', parts: [result('b')] },
      ],
      settled: ['assistant: call a, call b', 'user: result a=a, result b=b'],
    },
    {
      name: 'bug 12: results spread over two turns with text between them are regrouped',
      turns: [
        { role: 'assistant', parts: [call('a'), call('b')] },
        { role: 'user', parts: [text('one moment'), result('b')] },
        { role: 'user', parts: [result('a'), text('go on')] },
      ],
      settled: ['assistant: call a, call b', 'user: result a=a, result b=b, one moment', 'user: go on'],
    },
    {
      name: 'a lost result is replaced by one that says so',
      turns: [
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [text('and?')] },
      ],
      settled: ['assistant: call a', `user: result a=${LOST_RESULT}, and?`],
    },
    {
      name: 'a call at the very end too',
      turns: [{ role: 'assistant', parts: [call('a')] }],
      settled: ['assistant: call a', `user: result a=${LOST_RESULT}`],
    },
    {
      name: 'ids that come again in later turns answer the latest call',
      turns: [
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [result('a', 'one')] },
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [result('a', 'two')] },
      ],
      settled: ['assistant: call a', 'user: result a=one', 'assistant: call a', 'user: result a=two'],
    },
    {
      name: 'neighbouring assistant turns are one',
      turns: [
        { role: 'assistant', parts: [text('let me see')] },
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [result('a')] },
      ],
      settled: ['assistant: let me see, call a', 'user: result a=a'],
    },
    {
      name: 'a system turn between call and result comes after the result',
      turns: [
        { role: 'assistant', parts: [call('a')] },
        { role: 'system', parts: [text('be brief')] },
        { role: 'user', parts: [result('a')] },
      ],
      settled: ['assistant: call a', 'user: result a=a', 'system: be brief'],
    },
    { name: 'nothing to settle', turns: [{ role: 'user', parts: [text('hi')] }], settled: ['user: hi'] },
  ])('$name', ({ turns, settled }) => {
    expect(brief(settleToolResults(turns))).toEqual(settled);
  });

  it('results learn the name of their call', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a', 'weather')] },
      { role: 'user', parts: [result('a')] },
    ];
    expect(settleToolResults(turns)[1]?.parts[0]).toMatchObject({ name: 'weather' });
  });

  it.each<{ name: string; turns: Turn[] }>([
    { name: 'an orphan', turns: [{ role: 'user', parts: [result('a')] }] },
    {
      name: 'a second result',
      turns: [
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [result('a'), result('a')] },
      ],
    },
    {
      name: 'a result before its call',
      turns: [
        { role: 'user', parts: [result('a')] },
        { role: 'assistant', parts: [call('a')] },
      ],
    },
  ])('$name is refused, and the message says where', ({ turns }) => {
    expect(() => settleToolResults(turns)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'results.a' } }),
    );
  });
});

it('mergeTurns joins neighbours of the named roles only', () => {
  const turns: Turn[] = [
    { role: 'user', parts: [text('a')] },
    { role: 'user', parts: [text('b')] },
    { role: 'assistant', parts: [text('c')] },
    { role: 'assistant', parts: [text('d')] },
  ];
  expect(brief(mergeTurns(turns))).toEqual(['user: a, b', 'assistant: c, d']);
  expect(brief(mergeTurns(turns, ['assistant']))).toEqual(['user: a', 'user: b', 'assistant: c, d']);
});
