import { describe, expect, it } from 'vitest';
import type { AssistantPart, Opaque, Turn } from '../conversation.ts';
import type { Encoded } from '../dialect.ts';
import {
  ask,
  callPart,
  calls,
  config,
  contents,
  encode,
  fieldsDropped,
  foreign,
  newest,
  older,
  result,
  SENTINEL,
} from './testing/requests.ts';

const own: Opaque = { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'SIG' };

describe('reasoning', () => {
  const thinking = (encoded: Encoded): unknown => config(encoded)['thinkingConfig'];
  it.each([
    ['none', 'MINIMAL'],
    ['minimal', 'MINIMAL'],
    ['low', 'LOW'],
    ['medium', 'MEDIUM'],
    ['high', 'HIGH'],
    ['xhigh', 'HIGH'],
    ['max', 'HIGH'],
  ] as const)('level of %s is %s', (effort, thinkingLevel) => {
    const encoded = encode({ reasoning: { effort } });
    expect(thinking(encoded)).toEqual({ thinkingLevel });
    expect(fieldsDropped(encoded)).toEqual(effort === thinkingLevel.toLowerCase() ? [] : ['reasoning_effort']);
  });

  it('bug 47: no minimal level where the model refuses it', () => {
    const target = { ...newest, quirks: { reasoning_levels: 'no-minimal' } };
    expect(thinking(encode({ reasoning: { effort: 'minimal' } }, target))).toEqual({ thinkingLevel: 'LOW' });
    expect(thinking(encode({ reasoning: { effort: 'none' } }, target))).toEqual({ thinkingLevel: 'LOW' });
  });

  it.each([
    { name: 'off', reasoning: { effort: 'none' }, sends: { thinkingBudget: 0 } },
    { name: 'a share', reasoning: { effort: 'low' }, sends: { thinkingBudget: 6554 } },
    { name: 'capped', reasoning: { effort: 'max' }, sends: { thinkingBudget: 24_576 } },
    {
      name: 'as told',
      reasoning: { budgetTokens: 100, visible: true },
      sends: { thinkingBudget: 100, includeThoughts: true },
    },
    { name: 'up to the model', reasoning: { budgetTokens: -1 }, sends: { thinkingBudget: -1 } },
  ] as const)('budget: $name', ({ reasoning, sends }) => {
    expect(thinking(encode({ reasoning }, older))).toEqual(sends);
  });

  it('a budget on a model of levels becomes the level that holds it; never both', () => {
    const encoded = encode({ dialect: 'anthropic-messages', reasoning: { mode: 'enabled', budgetTokens: 20_000 } });
    expect(thinking(encoded)).toEqual({ thinkingLevel: 'MEDIUM', includeThoughts: true });
    expect(fieldsDropped(encoded)).toEqual(['thinking.budget_tokens']);
  });

  it('bug 39: the signature of a call goes back in the same part, parallel calls sign the first only', () => {
    const turns = [ask, calls(callPart('a', own), callPart('b')), result('a'), result('b')];
    const [, model] = contents(encode({ turns }));
    expect(model?.parts.map((part) => part['thoughtSignature'])).toEqual(['SIG', undefined]);
  });

  it.each([
    { name: 'that was lost', opaque: undefined, lost: [] },
    { name: 'of another vendor', opaque: foreign, lost: ['contents'] },
    { name: 'of another model', opaque: { ...own, model: 'gemini-2.5-pro' }, lost: ['contents'] },
  ])('bug 38, bug 39: the first call of each step has the sentinel for a signature $name', ({ opaque, lost }) => {
    const turns = [
      ask,
      calls(callPart('a', opaque), callPart('b', opaque)),
      result('a'),
      result('b'),
      calls(callPart('c', opaque)),
      result('c'),
    ];
    const encoded = encode({ turns });
    const signatures = contents(encoded).flatMap(({ parts }) =>
      parts.filter((part) => 'functionCall' in part).map((part) => part['thoughtSignature']),
    );
    expect(signatures).toEqual([SENTINEL, undefined, SENTINEL]);
    expect(fieldsDropped(encoded)).toEqual(lost);
    const budget = contents(encode({ turns }, older)).flatMap(({ parts }) =>
      parts.map((part) => part['thoughtSignature']),
    );
    expect(budget.every((signature) => signature === undefined)).toBe(true);
  });

  it('a signature that travelled ahead of its call is put back onto it', () => {
    const carried: AssistantPart = { type: 'reasoning', text: '', opaque: own };
    const [, model] = contents(
      encode({
        dialect: 'anthropic-messages',
        turns: [ask, calls(carried, callPart('a'), callPart('b')), result('a'), result('b')],
      }),
    );
    expect(model?.parts).toEqual([
      { functionCall: { id: 'a', name: 'look', args: { x: 1 } }, thoughtSignature: 'SIG' },
      { functionCall: { id: 'b', name: 'look', args: { x: 1 } } },
    ]);
  });

  it('a signature at the end of a text stands in an empty part behind it', () => {
    const parts: AssistantPart[] = [
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: '', opaque: own },
    ];
    const [, model] = contents(encode({ dialect: 'anthropic-messages', turns: [ask, calls(...parts), ask] }));
    expect(model?.parts).toEqual([{ text: 'a' }, { text: '', thoughtSignature: 'SIG' }]);
  });

  it("foreign reasoning is left out and named; Google's own thoughts go back", () => {
    const thought: AssistantPart = { type: 'reasoning', text: 'hm', place: 'messages[1].content[0]' };
    const turns: Turn[] = [ask, calls(thought, { type: 'text', text: 'a' }), ask];
    const encoded = encode({ turns });
    expect(contents(encoded)[1]?.parts).toEqual([{ text: 'a' }]);
    expect(fieldsDropped(encoded)).toEqual(['messages[1].content[0]']);
    expect(contents(encode({ dialect: 'gemini-generate', turns }))[1]?.parts).toEqual([
      { text: 'hm', thought: true },
      { text: 'a' },
    ]);
  });
});
