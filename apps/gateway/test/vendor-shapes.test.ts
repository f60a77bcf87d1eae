/** What vendors send beyond their examples, given to callers of all four formats, read by the official SDKs: nothing is lost, and the bill is right. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat } from '@model-gateway/contracts';
import { createAiReader } from './read-by-ai-sdk.ts';
import { createReader, type Answer } from './read-by-sdk.ts';
import { openScriptedFormats, sse, type Script, type ScriptedFormats } from './scripted-formats.ts';
import { CHAT_SHAPES } from './vendor-shapes/chat.ts';
import { GEMINI_SHAPES } from './vendor-shapes/gemini.ts';
import { MESSAGES_SHAPES } from './vendor-shapes/messages.ts';
import { RESPONSES_SHAPES } from './vendor-shapes/responses.ts';
import type { Shape } from './vendor-shapes/shape.ts';

let formats: ScriptedFormats;
let read: ReturnType<typeof createReader>;
let readByAiSdk: ReturnType<typeof createAiReader>;

beforeAll(async () => {
  formats = await openScriptedFormats('web_search: 0.01');
  const { url: baseUrl, liveKey: apiKey } = formats.gateway;
  read = createReader({ baseUrl, apiKey });
  readByAiSdk = createAiReader({ baseUrl, apiKey });
});
beforeEach(() => formats.passAnHour());
afterAll(() => formats.close());

const wholeOf = (body: unknown): Script => ({ type: 'application/json', pieces: [JSON.stringify(body)] });
const streamOf = (pieces: readonly string[]): Script => ({ type: 'text/event-stream', pieces });

/** The counts of the newest bill. */
async function billed(): Promise<Shape['billed']> {
  const { gateway } = formats;
  await gateway.server.own.flush();
  const [entry] = await gateway.server.parts.store.ledger.entries({ kind: 'capture', order: 'newest', limit: 1 });
  const { usage } = entry?.detail as { usage: Readonly<Record<string, number>> };
  const { inputTokens = -1, outputTokens = -1, webSearches = 0 } = usage;
  return webSearches === 0 ? [inputTokens, outputTokens] : [inputTokens, outputTokens, webSearches];
}

const USUAL_ENDS: Readonly<Record<ChatFormat, readonly [said: string, called: string]>> = {
  'openai-chat': ['stop', 'tool_calls'],
  'openai-responses': ['completed', 'completed'],
  'anthropic-messages': ['end_turn', 'tool_use'],
  'gemini-generate': ['STOP', 'STOP'],
};
const NOTHING: Omit<Answer, 'tokens' | 'end'> = { text: '', reasoning: '', calls: [], pictures: 0 };

const SHAPES = [...CHAT_SHAPES, ...RESPONSES_SHAPES, ...MESSAGES_SHAPES, ...GEMINI_SHAPES];
const CASES = SHAPES.flatMap((shape) =>
  [false, true]
    .filter((stream) => (stream ? shape.stream : shape.whole) !== undefined)
    .map((stream) => ({ ...shape, streamed: stream, how: stream ? 'streamed' : 'whole' })),
);

describe.each(CASES)('$wire: $name, $how', ({ wire, whole, stream = [], said, ends, streamed, ...shape }) => {
  const callers = DIALECT_NAMES.filter((caller) => caller !== wire || shape.isReadable === true);

  it.each(callers)('to a caller of %s', async (caller) => {
    formats.script = streamed ? streamOf(stream) : wholeOf(whole);
    const { tokens, ...answer } = await read(caller, { model: wire, stream: streamed });
    const [usual, called] = USUAL_ENDS[caller];
    const end = ends?.[caller] ?? (said.calls === undefined ? usual : called);
    expect(answer).toEqual({ ...NOTHING, ...said, end });
    expect(await billed()).toEqual(shape.billed);
    if (caller !== wire) expect(tokens).toEqual(shape.billed.slice(0, 2));
  });

  it.each(callers.filter((caller) => caller !== wire))('to a caller of %s with Vercel’s SDK', async (caller) => {
    formats.script = streamed ? streamOf(stream) : wholeOf(whole);
    const { text, calls, tokens } = await readByAiSdk(caller, { model: wire, stream: streamed });
    expect(text).toContain(said.text ?? '');
    expect({ calls, tokens }).toEqual({ calls: said.calls ?? [], tokens: shape.billed.slice(0, 2) });
  });
});

describe('a failure in a choice (OpenRouter)', () => {
  const about = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
  const error = { code: 502, message: 'The sea is rough' };
  const choice = { index: 0, finish_reason: 'error', error };
  const failures = {
    whole: wholeOf({ ...about, choices: [{ ...choice, message: { role: 'assistant', content: 'Hel' } }] }),
    streamed: streamOf([
      sse({ ...about, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] }),
      sse({ ...about, choices: [{ ...choice, delta: { content: '' } }] }),
      sse('[DONE]'),
    ]),
  };
  const callers = DIALECT_NAMES.filter((wire) => wire !== 'openai-chat');

  it.each(callers)('is none of an answer to a caller of %s', async (caller) => {
    formats.script = failures.whole;
    await expect(read(caller, { model: 'openai-chat', stream: false })).rejects.toThrow(error.message);
  });

  it.each(callers)('ends a stream with its words to a caller of %s', async (caller) => {
    formats.script = failures.streamed;
    const ended = read(caller, { model: 'openai-chat', stream: true });
    if (caller === 'openai-responses') expect((await ended).end).toBe('failed');
    else await expect(ended).rejects.toThrow(error.message);
  });
});
