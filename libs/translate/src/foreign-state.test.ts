import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { withoutForeignState } from './foreign-state.ts';
import { ENVELOPE_PREFIX, wrapOpaque } from './shared/opaque-envelope.ts';

const CLAUDE = wrapOpaque({ provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' });
const GEMINI = wrapOpaque({ provider: 'gemini', model: 'gemini-3', kind: 'signature', value: 'gsig' });
const openAi = { provider: 'openai', model: 'gpt' };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };

describe('state of another vendor does not go out (bug 38)', () => {
  it.each<{ name: string; body: JsonObject; clean: JsonObject }>([
    {
      name: 'chat-completions',
      body: {
        messages: [
          {
            role: 'assistant',
            content: 'a',
            reasoning_content: 'hm',
            thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: CLAUDE }],
            tool_calls: [{ ...call, extra_content: { google: { thought_signature: GEMINI } } }],
          },
        ],
      },
      clean: { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'hm', tool_calls: [call] }] },
    },
    {
      name: 'Responses',
      body: {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: CLAUDE },
          { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'own' },
        ],
      },
      clean: {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'own' },
        ],
      },
    },
    {
      name: 'Messages',
      body: {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: GEMINI },
              { type: 'redacted_thinking', data: GEMINI },
              { type: 'text', text: 'a' },
            ],
          },
        ],
      },
      clean: { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }] },
    },
    {
      name: 'generateContent',
      body: {
        contents: [
          {
            role: 'model',
            parts: [
              { text: 'hm', thought: true, thoughtSignature: CLAUDE },
              { text: '', thought: true, thoughtSignature: CLAUDE },
              { functionCall: { name: 'f', args: {} }, thoughtSignature: CLAUDE },
              { functionCall: { name: 'g', args: {} } },
            ],
          },
        ],
      },
      clean: {
        contents: [
          {
            role: 'model',
            parts: [
              { text: 'hm', thought: true },
              { functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
              { functionCall: { name: 'g', args: {} } },
            ],
          },
        ],
      },
    },
  ])('$name', ({ body, clean }) => {
    expect(withoutForeignState(body, openAi)).toEqual(clean);
    expect(JSON.stringify(withoutForeignState(body, openAi))).not.toContain(ENVELOPE_PREFIX);
  });

  it('state the target can read is put back plain', () => {
    const body = {
      messages: [
        { role: 'assistant', tool_calls: [{ ...call, extra_content: { google: { thought_signature: GEMINI } } }] },
      ],
    };
    expect(withoutForeignState(body, { provider: 'gemini', model: 'gemini-3' })).toEqual({
      messages: [
        { role: 'assistant', tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'gsig' } } }] },
      ],
    });
  });

  it('a body without such state is the same object', () => {
    const body = { messages: [{ role: 'user', content: [{ type: 'image', data: 'AAAA' }] }] };
    expect(withoutForeignState(body, openAi)).toBe(body);
  });
});
