/** A reasoning setting that a model has not would be a 400 of its vendor: left out and named, in every pair of dialects. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import { dialects, forwardRequest, type Target } from '../index.ts';

const user = [{ role: 'user', content: 'hi' }];
const BODIES: Readonly<Record<ChatFormat, { asks: JsonObject; field: string; says: RegExp }>> = {
  'openai-chat': {
    asks: { model: 'm', messages: user, reasoning_effort: 'high' },
    field: 'reasoning_effort',
    says: /reason/,
  },
  'openai-responses': {
    asks: { model: 'm', input: 'hi', reasoning: { effort: 'high' } },
    field: 'reasoning',
    says: /reason/,
  },
  'anthropic-messages': {
    asks: { model: 'm', max_tokens: 9, messages: user, output_config: { effort: 'high' } },
    field: 'output_config.effort',
    says: /output_config|thinking/,
  },
  'gemini-generate': {
    asks: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } },
    },
    field: 'generationConfig.thinkingConfig',
    says: /thinking/,
  },
};
const NAMES = Object.keys(BODIES) as ChatFormat[];
const target: Target = { model: 'v', provider: 'x', quirks: { thinking: 'none', stream_options: false } };

describe.each(NAMES)('from %s', (from) => {
  const { asks, field } = BODIES[from];
  it.each(NAMES)('to %s', (to) => {
    const { says } = BODIES[to];
    if (from === to) {
      const { bytes, dropped } = forwardRequest(
        dialects[from],
        { json: asks, bytes: Buffer.from(JSON.stringify(asks)) },
        { target, stream: false },
      );
      expect(dropped.map((one) => one.field)).toEqual([field]);
      expect(bytes.toString()).not.toMatch(says);
      expect(JSON.parse(bytes.toString())).toMatchObject(from === 'gemini-generate' ? {} : { model: 'v' });
      return;
    }
    const request = dialects[from].decodeRequest(asks, { model: 'm', stream: false });
    const { body, dropped } = dialects[to].encodeRequest(request, target);
    expect(dropped.map((one) => one.field).some((name) => name.startsWith(field.split('.')[0] ?? ''))).toBe(true);
    expect(JSON.stringify(body)).not.toMatch(says);
  });
});

function forwarded(dialect: ChatFormat, json: JsonObject, quirks: JsonObject) {
  const bytes = Buffer.from(JSON.stringify(json));
  const sent = forwardRequest(dialects[dialect], { json, bytes }, { target: { ...target, quirks }, stream: false });
  return {
    same: sent.bytes.equals(bytes),
    json: JSON.parse(sent.bytes.toString()) as JsonObject,
    dropped: sent.dropped,
  };
}

it('a model that thinks by budget keeps its thinking and loses the effort only', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const json = { model: 'v', messages: user, thinking, output_config: { effort: 'low', format: { type: 'x' } } };
  const { json: sent, dropped } = forwarded('anthropic-messages', json, { thinking: 'budget' });
  expect(sent).toEqual({ model: 'v', messages: user, thinking, output_config: { format: { type: 'x' } } });
  expect(dropped).toEqual([{ field: 'output_config.effort', reason: 'this model takes no reasoning effort' }]);
});

it('bytes pass as they came where the model reasons, and where nothing asks for it', () => {
  const asks = { model: 'v', messages: user, reasoning_effort: 'high' };
  expect(forwarded('openai-chat', asks, {})).toMatchObject({ same: true, dropped: [] });
  expect(forwarded('openai-chat', { model: 'v', messages: user }, { thinking: 'none' })).toMatchObject({ same: true });
});

it.each([
  ['openai-chat', { model: 'v', messages: user, reasoning_effort: 'none' }],
  ['openai-chat', { model: 'v', messages: user, reasoning_effort: null }],
  ['anthropic-messages', { model: 'v', messages: user, thinking: { type: 'disabled' } }],
] as const)('%s: told not to reason it does as asked, and nothing is reported', (dialect, json) => {
  const sent = forwarded(dialect, json, { thinking: 'none' });
  expect(sent.json).toEqual({ model: 'v', messages: user });
  expect(sent.dropped).toEqual([]);
});
