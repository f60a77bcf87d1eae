/** What vendors send beyond their examples, given to callers of all four formats, read by the official SDKs: nothing is lost, and the bill is right. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { createAiReader } from './read-by-ai-sdk.ts';
import { createReader, WIRES, type Answer, type Wire } from './read-by-sdk.ts';
import { CHAT } from './vendor-shapes/chat.ts';
import { GEMINI } from './vendor-shapes/gemini.ts';
import { MESSAGES } from './vendor-shapes/messages.ts';
import { RESPONSES } from './vendor-shapes/responses.ts';
import { event, type Shape } from './vendor-shapes/shape.ts';

let pieces: readonly string[];
let later = 0;
let vendor: Server;
let gateway: TestGateway;
let read: ReturnType<typeof createReader>;
let readByAiSdk: ReturnType<typeof createAiReader>;

beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume().once('end', () => {
      const isStream = pieces[0]?.startsWith('{') === false;
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      for (const piece of pieces) response.write(piece);
      response.end();
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const key = 'credentials: { api_key: vendor-key-0123456789 }';
  const row = (wire: Wire, account: string) =>
    `  - { code: ${wire}, kind: chat, price: { input: 1, output: 2, web_search: 0.01 }, offers: [{ account: ${account}, model: m, dialect: ${wire} }] }\n`;
  gateway = await openTestGateway({
    clock: () => Date.now() + later,
    yaml: `extends: none\naccounts:
  - { id: 1, name: openai, vendor: openai, base_url: '${base}/v1', ${key} }
  - { id: 2, name: anthropic, vendor: anthropic, base_url: '${base}', ${key} }
  - { id: 3, name: gemini, vendor: gemini, base_url: '${base}', ${key} }
models:
${row('openai-chat', 'openai')}${row('openai-responses', 'openai')}${row('anthropic-messages', 'anthropic')}${row('gemini-generate', 'gemini')}`,
  });
  const readers = { baseUrl: gateway.url, apiKey: gateway.liveKey };
  read = createReader(readers);
  readByAiSdk = createAiReader(readers);
});
beforeEach(() => {
  // Cool-downs of the test before must not reach this one.
  later += 3_600_000;
});
afterAll(async () => {
  await gateway.close();
  vendor.closeAllConnections();
  vendor.close();
});

/** The counts of the newest bill. */
async function billed(): Promise<Shape['billed']> {
  await gateway.server.own.flush();
  const [entry] = await gateway.server.parts.store.ledger.entries({ kind: 'capture', order: 'newest', limit: 1 });
  const { usage } = entry?.detail as { usage: Readonly<Record<string, number>> };
  const { inputTokens = -1, outputTokens = -1, webSearches = 0 } = usage;
  return webSearches === 0 ? [inputTokens, outputTokens] : [inputTokens, outputTokens, webSearches];
}

const USUAL_ENDS: Readonly<Record<Wire, readonly [said: string, called: string]>> = {
  'openai-chat': ['stop', 'tool_calls'],
  'openai-responses': ['completed', 'completed'],
  'anthropic-messages': ['end_turn', 'tool_use'],
  'gemini-generate': ['STOP', 'STOP'],
};
const NOTHING: Omit<Answer, 'tokens' | 'end'> = { text: '', reasoning: '', calls: [], pictures: 0 };

const SHAPES = [...CHAT, ...RESPONSES, ...MESSAGES, ...GEMINI];
const CASES = SHAPES.flatMap((shape) =>
  [false, true]
    .filter((stream) => (stream ? shape.stream : shape.whole) !== undefined)
    .map((stream) => ({ ...shape, streamed: stream, how: stream ? 'streamed' : 'whole' })),
);

describe.each(CASES)('$wire: $name, $how', ({ wire, whole, stream = [], said, ends, streamed, ...shape }) => {
  const callers = WIRES.filter((caller) => caller !== wire || shape.isReadable === true);

  it.each(callers)('to a caller of %s', async (caller) => {
    pieces = streamed ? stream : [JSON.stringify(whole)];
    const { tokens, ...answer } = await read(caller, { model: wire, stream: streamed });
    const [usual, called] = USUAL_ENDS[caller];
    const end = ends?.[caller] ?? (said.calls === undefined ? usual : called);
    expect(answer).toEqual({ ...NOTHING, ...said, end });
    expect(await billed()).toEqual(shape.billed);
    if (caller !== wire) expect(tokens).toEqual(shape.billed.slice(0, 2));
  });

  it.each(callers.filter((caller) => caller !== wire))('to a caller of %s with Vercel’s SDK', async (caller) => {
    pieces = streamed ? stream : [JSON.stringify(whole)];
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
    whole: [JSON.stringify({ ...about, choices: [{ ...choice, message: { role: 'assistant', content: 'Hel' } }] })],
    streamed: [
      event({ ...about, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] }),
      event({ ...about, choices: [{ ...choice, delta: { content: '' } }] }),
      event('[DONE]'),
    ],
  };
  const callers = WIRES.filter((wire) => wire !== 'openai-chat');

  it.each(callers)('is none of an answer to a caller of %s', async (caller) => {
    pieces = failures.whole;
    await expect(read(caller, { model: 'openai-chat', stream: false })).rejects.toThrow(error.message);
  });

  it.each(callers)('ends a stream with its words to a caller of %s', async (caller) => {
    pieces = failures.streamed;
    const ended = read(caller, { model: 'openai-chat', stream: true });
    if (caller === 'openai-responses') expect((await ended).end).toBe('failed');
    else await expect(ended).rejects.toThrow(error.message);
  });
});
