/** Broken events of a vendor in the caller's own dialect, and the numbers of events that the gateway adds. */
import { describe, expect, it } from 'vitest';
import type { DialectName } from '@model-gateway/contracts';
import fc from 'fast-check';
import { dialects } from '../dialects.ts';

import { createStreamObserver, type StreamObserver } from './stream-observer.ts';

const observerOf = (dialect: DialectName): StreamObserver =>
  createStreamObserver(dialects[dialect], { request: {}, quirks: {} });
const chat = (): StreamObserver => observerOf('openai-chat');
const GOOD = 'data: {"choices":[{"delta":{"content":"ä data: {"}}]}\n\n';
const TORN = 'data: {"torn": \\u0000]}\n\n';
const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const passed = (check: StreamObserver, text: string): string =>
  Buffer.from(check.push(Buffer.from(text)) as Buffer).toString();

it.each([
  GOOD,
  `: a comment\n\n${GOOD}`,
  'event: x\r\ndata: {"a":1}\r\n\r\n',
  'data: {"a":\ndata: 1}\n\n',
  'data:{"a":1}\n\n',
  'data: [DONE]\n\n',
  'data:\n\n',
  'data: {"text":"data: \\ndata: x"}\n\n',
])('%j passes as it came', (text) => {
  const check = chat();
  expect(passed(check, text + GOOD)).toBe(text + GOOD);
  expect(check.malformed()).toBe(false);
});

it.each([
  ['torn JSON', TORN],
  ['half an object', 'data: {"choices":[\n\n'],
  ['words', 'data: upstream error\n\n'],
  ['a broken one with a name', 'event: x\ndata: {"a"\n\n'],
  ['a broken one in two lines', 'data: {"a":\ndata: }\n\n'],
])('%s ends it: what stood before passes, nothing behind does', (_name, bad) => {
  const check = chat();
  expect(passed(check, GOOD + bad + GOOD + FINISH)).toBe(GOOD);
  expect(check.malformed()).toBe(true);
  expect(passed(check, GOOD)).toBe('');
});

it('a broken event behind the finish is left out, and the answer is whole', () => {
  const together = chat();
  expect(passed(together, FINISH + TORN)).toBe(FINISH);
  expect(together.malformed()).toBe(false);
  const apart = chat();
  passed(apart, FINISH);
  expect(passed(apart, TORN)).toBe('');
  expect(apart.malformed()).toBe(false);
});

it('an event of ours has the number behind the last of the vendor’s', () => {
  const check = observerOf('openai-responses');
  const ours = 'event: error\ndata: {"type":"error","message":"m","sequence_number":0}\n\n';
  expect(check.numbered(ours)).toBe(ours);
  const said = 'data: {"type":"x","delta":"\\"sequence_number\\": 99","sequence_number": 41}\n\n';
  passed(check, `data: {"type":"x","sequence_number":40}\n\n${said}`);
  expect(check.numbered(ours)).toContain('"sequence_number":42}');
});

it('where nothing is numbered nothing is', () => {
  const check = chat();
  passed(check, GOOD);
  expect(check.numbered('data: {"error":{}}\n\n')).toBe('data: {"error":{}}\n\n');
});

describe.each([
  ['openai-chat', '', '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":WORD},"finish_reason":null}]}'],
  [
    'openai-responses',
    'event: response.output_text.delta\n',
    '{"type":"response.output_text.delta","item_id":"m","delta":WORD,"sequence_number":3}',
  ],
  [
    'anthropic-messages',
    'event: content_block_delta\n',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":WORD}}',
  ],
  ['gemini-generate', '', '{"candidates":[{"content":{"role":"model","parts":[{"text":WORD}]}}],"modelVersion":"m"}'],
] as const)('%s', (dialect, name, data) => {
  const eventOf = (word: string): string => `${name}data: ${data.replace('WORD', () => JSON.stringify(word))}\n\n`;
  const words = fc.string({
    unit: fc.constantFrom('a', 'ä', ' ', '"', '\\', '{', '}', ']', ':', ',', '\n'),
    maxLength: 20,
  });

  it('an event that is cut anywhere is found, however many whole ones like it came before', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), words, fc.nat(), (before, word, seed) => {
        const whole = Buffer.from(eventOf(word));
        const from = name.length + 'data: '.length + 1;
        const cut = from + (seed % (whole.length - 3 - from));
        const check = observerOf(dialect);
        for (const each of before) expect(passed(check, eventOf(each))).toBe(eventOf(each));
        expect(passed(check, `${whole.subarray(0, cut).toString('latin1')}\n\n`)).toBe('');
        expect(check.malformed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
