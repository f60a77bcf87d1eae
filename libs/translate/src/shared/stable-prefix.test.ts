/** Which requests share a prefix, in all four formats. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import { dialects } from '../dialects.ts';
import { prefixText } from './stable-prefix.ts';

interface Said {
  readonly system?: string;
  readonly tools?: JsonObject[];
  readonly turns: readonly string[];
}
type Role = 'user' | 'assistant';
const roleAt = (index: number): Role => (index % 2 === 0 ? 'user' : 'assistant');

const BODIES: Readonly<Record<ChatFormat, (said: Said) => JsonObject>> = {
  'openai-chat': ({ system, tools = [], turns }) => ({
    tools,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...turns.map((content, index) => ({ role: roleAt(index), content })),
    ],
  }),
  'openai-responses': ({ system, tools = [], turns }) => ({
    tools,
    ...(system !== undefined && { instructions: system }),
    input: turns.length === 1 ? (turns[0] ?? '') : turns.map((content, index) => ({ role: roleAt(index), content })),
  }),
  'anthropic-messages': ({ system, tools = [], turns }) => ({
    tools,
    ...(system !== undefined && { system }),
    messages: turns.map((content, index) => ({ role: roleAt(index), content })),
  }),
  'gemini-generate': ({ system, tools = [], turns }) => ({
    tools,
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'model', parts: [{ text }] })),
  }),
};
const LONG = 'You are a patient teacher. '.repeat(200);

describe.each(Object.keys(BODIES) as ChatFormat[])('%s', (name) => {
  const prefix = (said: Said, more: JsonObject = {}): string =>
    prefixText(dialects[name].prefix({ ...BODIES[name](said), ...more }));

  it('a conversation keeps it as it grows', () => {
    const said = { system: 'Be brief.', turns: ['What is a boat?', 'A vessel.', 'And a ship?'] };
    const again = { ...said, turns: [...said.turns, 'A large one.', 'Thanks'] };
    expect(prefix(again)).toBe(prefix(said));
    expect(prefix({ ...said, turns: ['What is a car?'] })).not.toBe(prefix(said));
    expect(prefix({ ...said, system: 'Be long.' })).not.toBe(prefix(said));
  });

  it('a long system or long tools are enough: whatever is asked', () => {
    expect(prefix({ system: LONG, turns: ['one'] })).toBe(prefix({ system: LONG, turns: ['two'] }));
    expect(prefix({ system: LONG, turns: ['one'] })).not.toBe(prefix({ system: `X${LONG}`, turns: ['one'] }));
    const tools = [{ name: 'look', description: LONG }];
    expect(prefix({ tools, turns: ['one'] })).toBe(prefix({ tools, turns: ['two'] }));
  });

  it('is bounded, whatever comes', () => {
    const medium = 'A'.repeat(5_000_000);
    expect(prefix({ turns: [medium] }).length).toBeLessThan(40_000);
    expect(prefix({ system: medium, turns: ['x'] }).length).toBeLessThan(40_000);
    for (const broken of [
      { messages: 7, input: null, contents: {}, tools: 'x' },
      { messages: [], input: [], contents: [] },
    ])
      expect(typeof prefixText(dialects[name].prefix(broken as unknown as JsonObject))).toBe('string');
  });
});

it('what the caller says itself decides, where the wire has a word for it', () => {
  for (const name of ['openai-chat', 'openai-responses'] as const) {
    const { prefix } = dialects[name];
    const [one, two] = ['one', 'two'].map((text) => ({ ...BODIES[name]({ turns: [text] }), prompt_cache_key: 'docs' }));
    expect(prefixText(prefix(one ?? {}))).toBe(prefixText(prefix(two ?? {})));
  }
});

it('marks of the vendor’s cache move with the end of a conversation, and say nothing', () => {
  const { prefix } = dialects['anthropic-messages'];
  const text = (marked: boolean) => ({
    type: 'text',
    text: 'hi',
    ...(marked && { cache_control: { type: 'ephemeral' } }),
  });
  const body = (marked: boolean) => ({ messages: [{ role: 'user', content: [text(marked)] }] });
  expect(prefixText(prefix(body(true)))).toBe(prefixText(prefix(body(false))));
});
