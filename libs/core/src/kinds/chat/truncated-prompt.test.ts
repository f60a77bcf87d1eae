import { expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import { truncatedPrompt } from './truncated-prompt.ts';

const callOf = (json: JsonObject): Parameters<typeof truncatedPrompt>[0] => ({
  dialect: 'openai-chat',
  body: { bytes: Buffer.from(JSON.stringify(json)), json },
});
const bodyOf = (content: string): Parameters<typeof truncatedPrompt>[0] =>
  callOf({ model: 'm', messages: [{ role: 'user', content }] });
const PROSE = 'The tide turns at noon, and the boats that left at dawn come home with the wind behind them. ';
const CODE = '    if (value === undefined) {\n        return fallback;\n    }\n\n';

it.each<{ name: string; content: string; usage: Usage | undefined; isFound: boolean }>([
  { name: 'half of a long text', content: PROSE.repeat(1_000), usage: { inputTokens: 4_096 }, isFound: true },
  { name: 'nothing of a long text', content: PROSE.repeat(1_000), usage: { inputTokens: 0 }, isFound: true },
  {
    name: 'text without Latin letters',
    content: '潮水在中午转向。'.repeat(3_000),
    usage: { inputTokens: 4_096 },
    isFound: true,
  },
  { name: 'all of it', content: PROSE.repeat(1_000), usage: { inputTokens: 20_000 }, isFound: false },
  {
    name: 'a tokenizer that makes few tokens',
    content: PROSE.repeat(1_000),
    usage: { inputTokens: 13_000 },
    isFound: false,
  },
  { name: 'indented code', content: CODE.repeat(1_000), usage: { inputTokens: 12_000 }, isFound: false },
  { name: 'a short text', content: PROSE.repeat(20), usage: { inputTokens: 50 }, isFound: false },
  {
    name: 'one character over and over',
    content: `a${' '.repeat(200_000)}b`,
    usage: { inputTokens: 20 },
    isFound: false,
  },
  { name: 'a file in base64', content: 'QUJD'.repeat(50_000), usage: { inputTokens: 300 }, isFound: false },
  { name: 'no report', content: PROSE.repeat(1_000), usage: undefined, isFound: false },
  { name: 'our own guess', content: PROSE.repeat(1_000), usage: { inputTokens: 9, estimated: true }, isFound: false },
])('$name: $isFound', ({ content, usage, isFound }) => {
  expect(truncatedPrompt(bodyOf(content), usage) !== undefined).toBe(isFound);
});

it('says how much was read, and of how much', () => {
  const found = truncatedPrompt(bodyOf(PROSE.repeat(1_000)), { inputTokens: 4_096 });
  expect(found?.read).toBe(4_096);
  expect(found?.estimated).toBeGreaterThan(15_000);
  expect(found?.estimated).toBeLessThan(30_000);
});

const SCHEMA = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`field_${at}`, { type: 'string', description: PROSE }]),
);
const HI = { role: 'user', content: 'hi' };
it.each<[name: string, body: JsonObject]>([
  [
    'the form of an answer',
    { messages: [HI], response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } } },
  ],
  [
    'tools that no template need show',
    { messages: [HI], tools: [{ type: 'function', function: { parameters: SCHEMA } }] },
  ],
  [
    'thoughts of an earlier turn',
    { messages: [{ role: 'assistant', content: 'a', reasoning_content: PROSE.repeat(400) }, HI] },
  ],
  ['metadata', { messages: [HI], metadata: { note: PROSE.repeat(400) } }],
])('%s is no part of a prompt that was not read', (_name, body) => {
  expect(truncatedPrompt(callOf({ model: 'm', ...body }), { inputTokens: 15 })).toBeUndefined();
});
