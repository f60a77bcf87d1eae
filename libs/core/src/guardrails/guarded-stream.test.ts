/** Streams in all four formats, cut anywhere: what is masked in the whole text is masked in its pieces. */
import { describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { Guardrail, GuardrailMode } from './guardrail.ts';
import { StreamGuard } from './guarded-stream.ts';
import { masked, scannerOf } from './scanner.ts';
import { findInTexts } from './text-search.ts';
import { dialectSamples, sseEvent } from '@model-gateway/translate/samples';
import { cutAt, events } from './testing/streams.ts';

const rail = (mode: GuardrailMode): Guardrail => ({
  name: 'test',
  mode,
  stages: ['answer'],
  models: [],
  keys: [],
  groups: [],
  detect: ['email', 'credit_card', 'iban', 'private_key', 'api_key', 'phone'],
  patterns: [],
  words: ['project blue'],
});
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEabc '.repeat(100)}\n-----END PRIVATE KEY-----`;
const TEXT = `Write to ann@example.com or bob@example.org. Card: 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00. ${KEY} About Project Blue: nothing. Call +49 30 12345678! Bye`;

async function guarded(name: DialectName, chunks: readonly (string | Uint8Array)[], mode: GuardrailMode = 'mask') {
  const scanner = scannerOf([rail(mode)]);
  const sent: string[] = [];
  const labels: string[] = [];
  const guard = new StreamGuard({
    dialect: dialects[name],
    scanner,
    find: (texts) => findInTexts(scanner, texts, { thread: undefined, ownerId: 1 }),
    sink: { write: (chunk) => sent.push(String(chunk)) > 0, drained: () => Promise.resolve() },
    found(matches) {
      labels.push(...matches.map(({ label }) => label));
      return mode !== 'refuse';
    },
    refusal: () => 'event: error\ndata: {"refused":true}\n\n',
  });
  for (const chunk of chunks) if (!guard.write(chunk)) await guard.drained();
  const before = sent.join('');
  await guard.end();
  return { out: sent.join(''), before, labels };
}

describe.each(Object.keys(dialectSamples) as DialectName[])('%s', (name) => {
  const { textStream: write, textOf: read } = dialectSamples[name];
  const expected = masked(TEXT, scannerOf([rail('mask')]).find(TEXT));

  it.each([1, 2, 3, 7, 64, 5000])('in pieces of %i characters', async (size) => {
    const stream = write(cutAt(TEXT, size));
    const { out, labels } = await guarded(name, [stream]);
    expect(events(out).map(read).join('')).toBe(expected);
    // As many events, in their order.
    expect(events(out)).toHaveLength(events(stream).length);
    expect(out).not.toContain('example.com');
    expect(labels).toContain('private_key');
  });

  it('bytes cut anywhere', async () => {
    const bytes = Buffer.from(write(cutAt(`${TEXT} — ünd 秘密`, 5)));
    const whole = (await guarded(name, [bytes])).out;
    for (const size of [1, 13, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect((await guarded(name, chunks)).out).toBe(whole);
    }
  });

  it('an answer without matches stays byte for byte, and only its last word waits', async () => {
    const stream = write(['Hello', ' there', ', how', ' are']);
    const { out } = await guarded(name, [stream]);
    expect(out).toBe(stream);
    const first = stream.slice(0, stream.indexOf(' are'));
    expect((await guarded(name, [first])).before).toContain('there');
  });

  it('refused at the first match: nothing of it, and nothing behind it', async () => {
    const { out } = await guarded(name, [write(cutAt(TEXT, 4))], 'refuse');
    expect(out).toContain('Wri');
    expect(out).not.toMatch(/ann@|Card|bob/);
    expect(out.endsWith('data: {"refused":true}\n\n')).toBe(true);
  });

  it('observed: not held back and not changed', async () => {
    const stream = write(cutAt(TEXT, 4));
    const { out, labels, before } = await guarded(name, [stream], 'observe');
    expect(out).toBe(stream);
    expect(before).toBe(stream);
    expect(labels).toEqual(expect.arrayContaining(['email', 'credit_card', 'iban', 'private_key', 'word', 'phone']));
  });
});

it('thoughts that end in an open word do not hold up what is said behind them', async () => {
  const say = (delta: JsonObject) => sseEvent({ choices: [{ index: 0, delta, finish_reason: null }] });
  const { before } = await guarded('openai-chat', [
    say({ reasoning_content: 'hm' }),
    say({ content: 'Yes, ' }),
    say({ content: 'sir' }),
  ]);
  expect(before).toContain('hm');
  expect(before).toContain('Yes');
});

it('what keeps a connection open passes at once', async () => {
  const say = sseEvent({ choices: [{ index: 0, delta: { content: 'ann@exam' }, finish_reason: null }] });
  const { before } = await guarded('openai-chat', [say, ': keep-alive\n\n', '\n']);
  expect(before).toBe(': keep-alive\n\n\n');
});

describe('what is said twice in every event', () => {
  const MAIL = ['I am ', 'ann@exam', 'ple.com', ' today'];
  const say = (more: JsonObject) => sseEvent({ choices: [{ index: 0, finish_reason: null, ...more }] });

  it.each<[string, (text: string) => JsonObject]>([
    ['thoughts and their details', (text) => ({ reasoning: text, reasoning_details: [{ index: 0, text }] })],
    ['a list of parts', (text) => ({ content: [{ type: 'text', text }] })],
    [
      'two calls at once',
      (text) => ({ tool_calls: [0, 1].map((index) => ({ index, function: { arguments: text } })) }),
    ],
    ['a member that nobody knows', (text) => ({ unheard_of: text, content: 'ok ' })],
  ])('%s', async (_, delta) => {
    const { out } = await guarded('openai-chat', [
      ...MAIL.map((text) => say({ delta: delta(text) })),
      'data: [DONE]\n\n',
    ]);
    expect(out).not.toMatch(/ann@|ple\.com/);
    expect(out).toContain('[email]');
    expect(events(out)).toHaveLength(MAIL.length);
  });

  it('log probabilities of changed words are left out, others stay', async () => {
    const logprobs = (token: string) => ({ content: [{ token, logprob: 0, bytes: [], top_logprobs: [] }] });
    const { out } = await guarded(
      'openai-chat',
      MAIL.map((text) => say({ delta: { content: text }, logprobs: logprobs(text) })),
    );
    expect(out).not.toMatch(/ann@|ple\.com/);
    expect(out.match(/"logprobs":null/g)).toHaveLength(2);
    expect(out).toContain('"token":"I am "');
  });

  it('escapes in arguments are read, wherever they are cut', async () => {
    const pieces = ['{"to":"a', '\\u00', '6en@example', '.com"}'];
    const { out } = await guarded('openai-chat', [
      ...pieces.map((text) => say({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } })),
      'data: [DONE]\n\n',
    ]);
    type Called = { choices: [{ delta: { tool_calls: [{ function: { arguments: string } }] } }] };
    const read = events(out).map((data) => (data as Called).choices[0].delta.tool_calls[0].function.arguments);
    expect(read.join('')).toBe('{"to":"[email]"}');
  });
});
