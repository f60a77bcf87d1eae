import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Opaque, Turn } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { call, encode, fieldsDropped, newest, older, result } from './testing/requests.ts';

describe('reasoning', () => {
  const effort = (word: NonNullable<ChatRequest['reasoning']>['effort']): Partial<ChatRequest> => ({
    reasoning: { effort: word as 'low' },
  });

  it.each([
    { effort: 'none', thinking: { type: 'disabled' }, config: undefined },
    { effort: 'minimal', thinking: { type: 'adaptive' }, config: { effort: 'low' } },
    { effort: 'low', thinking: { type: 'adaptive' }, config: { effort: 'low' } },
    { effort: 'high', thinking: { type: 'adaptive' }, config: { effort: 'high' } },
    { effort: 'xhigh', thinking: { type: 'adaptive' }, config: { effort: 'xhigh' } },
    { effort: 'max', thinking: { type: 'adaptive' }, config: { effort: 'max' } },
  ] as const)('adaptive: $effort', ({ effort: word, thinking, config }) => {
    const { body } = encode(effort(word));
    expect([body['thinking'], body['output_config']]).toEqual([thinking, config]);
  });

  it('xhigh becomes max on models without it', () => {
    const encoded = encode(effort('xhigh'), { ...newest, quirks: { xhigh: false } });
    expect(encoded.body['output_config']).toEqual({ effort: 'max' });
    expect(fieldsDropped(encoded)).toEqual(['reasoning_effort']);
  });

  it.each([
    { name: 'low, no cap', fields: effort('low'), budget: 6400, max: 64_000 },
    {
      name: 'high on top of the cap',
      fields: { ...effort('high'), maxOutputTokens: 1000 },
      budget: 38_400,
      max: 39_400,
    },
    { name: 'a small share', fields: { ...effort('minimal'), maxOutputTokens: 1000 }, budget: 1280, max: 2280 },
    { name: 'max stays below the model cap', fields: effort('max'), budget: 63_999, max: 64_000 },
    {
      name: 'an explicit budget with room',
      fields: { reasoning: { budgetTokens: 2000 }, maxOutputTokens: 4000 },
      budget: 2000,
      max: 4000,
    },
    {
      name: 'an explicit budget without',
      fields: { reasoning: { budgetTokens: 5000 }, maxOutputTokens: 4000 },
      budget: 5000,
      max: 9000,
    },
  ])('budget: $name', ({ fields, budget, max }) => {
    const { body } = encode(fields, older);
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: budget });
    expect(body['max_tokens']).toBe(max);
  });

  it('a budget is never below 1024, and there is none where the cap leaves no room', () => {
    const small: Target = { ...older, maxOutputTokens: 10_000 };
    expect(encode(effort('minimal'), small).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 });
    const none = encode(effort('low'), { ...older, maxOutputTokens: 1024 });
    expect(none.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(none)).toEqual(['reasoning_effort']);
  });

  it('bug 36: disabled is forwarded, and adaptive shows text when asked to', () => {
    expect(encode({ reasoning: { mode: 'disabled' } }).body['thinking']).toEqual({ type: 'disabled' });
    expect(encode({ reasoning: { effort: 'high', visible: true } }).body['thinking']).toEqual({
      type: 'adaptive',
      display: 'summarized',
    });
  });

  it('a budget on an adaptive model becomes an effort', () => {
    const encoded = encode({ dialect: 'anthropic-messages', reasoning: { mode: 'enabled', budgetTokens: 10_000 } });
    expect(encoded.body['thinking']).toEqual({ type: 'adaptive' });
    expect(encoded.body['output_config']).toMatchObject({ effort: 'low' });
    expect(fieldsDropped(encoded)).toEqual(['thinking.budget_tokens']);
  });

  it('a model that does not think is asked for nothing', () => {
    const encoded = encode(effort('high'), { ...newest, quirks: { thinking: 'none' } });
    expect(encoded.body).not.toHaveProperty('thinking');
    expect(fieldsDropped(encoded)).toEqual(['reasoning_effort']);
    expect(encode(effort('none'), { ...newest, quirks: { thinking: 'none' } }).dropped).toEqual([]);
  });

  it('no sampling while thinking, no manual thinking while a tool is forced', () => {
    const thinking = encode({ ...effort('low'), temperature: 0.5 }, older);
    expect(thinking.body).not.toHaveProperty('temperature');
    expect(fieldsDropped(thinking)).toEqual(['temperature']);
    const forced = encode(
      { ...effort('low'), tools: [{ type: 'function', name: 't' }], toolChoice: { type: 'required' } },
      older,
    );
    expect(forced.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(forced)).toEqual(['reasoning_effort']);
  });

  const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };
  const signed = (opaque: Opaque | undefined, text = 'hm'): Turn => ({
    role: 'assistant',
    parts: [
      { type: 'reasoning', text, ...(opaque !== undefined && { opaque }), place: 'messages[1].content[0]' },
      ...call('a').parts,
    ] as never,
  });
  const own: Opaque = { provider: 'anthropic', model: 'claude-haiku-4-5-20251001', kind: 'signature', value: 'SIG' };

  it('bug 37: signed thinking goes back unmodified, even without words', () => {
    const [, assistant] = encode({ turns: [ask, signed(own, ''), result('a', '1')], ...effort('low') }, older).body[
      'messages'
    ] as JsonObject[];
    expect((assistant?.['content'] as JsonObject[])[0]).toEqual({ type: 'thinking', thinking: '', signature: 'SIG' });
  });

  it.each([
    { name: 'of another vendor', opaque: { ...own, provider: 'gemini' } },
    { name: 'of another model', opaque: { ...own, model: 'claude-opus-4-5' } },
    { name: 'that is none', opaque: undefined },
    { name: 'that is empty', opaque: { ...own, value: '' } },
  ])('bug 38: a signature $name is left out, and manual thinking is off for the tool turn under way', ({ opaque }) => {
    const encoded = encode({ turns: [ask, signed(opaque), result('a', '1')], ...effort('low') }, older);
    expect(JSON.stringify(encoded.body['messages'])).not.toContain('thinking');
    expect(encoded.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(encoded)).toEqual(['messages[1].content[0]', 'reasoning_effort']);
  });

  it('thinking stays on where the turn has its own, where the tool turn is over, and in adaptive mode', () => {
    const thinking = (turns: Turn[], target: Target): unknown =>
      (encode({ turns, ...effort('low') }, target).body['thinking'] as JsonObject)['type'];
    expect(thinking([ask, signed(own), result('a', '1')], older)).toBe('enabled');
    expect(
      thinking(
        [ask, call('a'), result('a', '1'), { role: 'assistant', parts: [{ type: 'text', text: 'done' }] }, ask],
        older,
      ),
    ).toBe('enabled');
    expect(thinking([ask, call('a'), result('a', '1')], newest)).toBe('adaptive');
  });

  it('bug 50 redactedthinkingenvelope: redacted thinking survives, foreign ones do not reach the vendor', () => {
    const redacted: Turn = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: '', opaque: { ...own, kind: 'redacted', value: 'R' } },
        { type: 'text', text: 'x' },
      ],
    };
    const [, assistant] = encode({ turns: [ask, redacted, ask] }, older).body['messages'] as JsonObject[];
    expect((assistant?.['content'] as JsonObject[])[0]).toEqual({ type: 'redacted_thinking', data: 'R' });
  });
});
