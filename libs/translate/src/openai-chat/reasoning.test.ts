import { describe, expect, it } from 'vitest';
import type { AssistantPart } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { assistant, call, encode, messagesOf, OTHER, result, text, user, wireCall } from './testing/requests.ts';

describe('reasoning in the history', () => {
  const opaque = { provider: 'anthropic', model: 'claude-opus-5', kind: 'signature', value: 'sig' } as const;
  const thought: AssistantPart = { type: 'reasoning', text: 'hm', opaque, place: 'messages[0].content[0]' };
  const turns = [assistant(thought, text('a'))];

  it('bug 38: a foreign signature does not go out, and the loss is told', () => {
    const encoded = encode({ turns });
    expect(JSON.stringify(encoded.body)).not.toContain('sig"');
    expect(messagesOf(encoded)).toEqual([{ role: 'assistant', content: 'a' }]);
    expect(encoded.dropped).toEqual([
      { field: 'messages[0].content[0]', reason: 'this model takes no earlier reasoning' },
    ]);
  });

  it('bug 49: reasoning_content where the vendor wants it back', () => {
    const encoded = encode({ turns }, { ...OTHER, quirks: { reasoning_replay: 'required' } });
    expect(messagesOf(encoded)).toEqual([{ role: 'assistant', content: 'a', reasoning_content: 'hm' }]);
    expect(encoded.dropped).toEqual([]);
  });

  it('the maker’s own signature through a vendor that carries it', () => {
    const target: Target = {
      model: 'anthropic/claude-opus-5',
      provider: 'anthropic',
      quirks: { reasoning_carrier: 'thinking_blocks' },
    };
    expect(messagesOf(encode({ turns }, target))).toEqual([
      { role: 'assistant', content: 'a', thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
    ]);
  });

  it('the caller’s own wire gets it back in the envelope', () => {
    const encoded = encode({ dialect: 'openai-chat', turns });
    expect(messagesOf(encoded)).toEqual([
      {
        role: 'assistant',
        content: 'a',
        thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: wrapOpaque(opaque) }],
      },
    ]);
  });

  it('bug 39: Google’s signature goes back to Google only', () => {
    const signed: AssistantPart = {
      ...call('a'),
      opaque: { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'g' },
    };
    const signedTurns = [assistant(signed), user(result('a'))];
    const google = encode({ turns: signedTurns }, { model: 'gemini-3-pro', provider: 'gemini' });
    expect(messagesOf(google)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...wireCall('a'), extra_content: { google: { thought_signature: 'g' } } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ]);
    expect(JSON.stringify(encode({ turns: signedTurns }).body)).not.toContain('thought_signature');
  });
});
