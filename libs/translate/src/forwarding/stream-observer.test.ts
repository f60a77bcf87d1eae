import { describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import { dialects } from '../dialects.ts';
import { createStreamObserver, type StreamObserver } from './stream-observer.ts';

/** One that edits nothing, so that bytes can be compared. */
const observerOf = (dialect: DialectName): StreamObserver => {
  const { usageEdit: _usageEdit, ...forwarding } = dialects[dialect].forwarding;
  return createStreamObserver({ ...dialects[dialect], forwarding }, { request: {}, quirks: {} });
};
const event = (data: JsonObject, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const WORD = 'lantern “ä” ';
/** One event that says the word, in each dialect, and what comes before and after. */
const STREAMS: Readonly<Record<DialectName, { before: string; word: string; after: string }>> = {
  'openai-chat': {
    before: event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
    word: event({ id: 'c', usage: null, choices: [{ index: 0, delta: { content: WORD } }] }),
    after:
      event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } }),
  },
  'openai-completions': {
    before: event({ choices: [{ index: 0, text: '' }] }),
    word: event({ id: 'c', usage: null, choices: [{ index: 0, text: WORD, finish_reason: null }] }),
    after:
      event({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }) +
      event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } }),
  },
  'openai-responses': {
    // The request is told back before a word is said.
    before: event({ type: 'response.created', response: { instructions: 'x'.repeat(6000) } }, 'response.created'),
    word: event(
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: WORD },
      'response.output_text.delta',
    ),
    after: event(
      { type: 'response.completed', response: { usage: { input_tokens: 7, output_tokens: 9, total_tokens: 16 } } },
      'response.completed',
    ),
  },
  'anthropic-messages': {
    before: event(
      { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } },
      'message_start',
    ),
    word: event(
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } },
      'content_block_delta',
    ),
    after:
      event({ type: 'message_delta', delta: {}, usage: { output_tokens: 9 } }, 'message_delta') +
      event({ type: 'message_stop' }, 'message_stop'),
  },
  'gemini-generate': {
    before: '',
    word: event({ candidates: [{ content: { role: 'model', parts: [{ text: WORD }] } }] }),
    after: event({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9, totalTokenCount: 16 },
    }),
  },
};
const BYTES_PER_WORD = Buffer.byteLength(WORD);

describe.each(Object.entries(STREAMS) as [DialectName, (typeof STREAMS)[DialectName]][])('%s', (dialect, parts) => {
  it('counts what was said within a tenth, however long the stream is and whatever stands before it', () => {
    for (const words of [1, 20, 3000]) {
      const tap = observerOf(dialect);
      tap.push(Buffer.from(parts.before));
      for (let count = 0; count < words; count++) tap.push(Buffer.from(parts.word));
      expect(Math.abs(tap.delivered().text / (words * BYTES_PER_WORD) - 1)).toBeLessThan(0.1);
      expect(tap.finished()).toBe(false);
    }
  });

  it('counts the same when everything comes in one piece', () => {
    const tap = observerOf(dialect);
    tap.push(Buffer.from(parts.before + parts.word.repeat(40)));
    expect(Math.abs(tap.delivered().text / (40 * BYTES_PER_WORD) - 1)).toBeLessThan(0.1);
  });

  it('gives every byte on and finds usage and end, wherever the stream is cut', () => {
    const whole = Buffer.from(parts.before + parts.word.repeat(3) + parts.after);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 12 }), (cuts) => {
        const tap = observerOf(dialect);
        const out: Buffer[] = [];
        let from = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), whole.length]) {
          out.push(Buffer.from(tap.push(whole.subarray(from, cut))));
          from = cut;
        }
        out.push(Buffer.from(tap.end()));
        expect(Buffer.concat(out).toString()).toBe(whole.toString());
        expect(tap.usage()).toMatchObject({ inputTokens: 7, outputTokens: 9 });
        expect(tap.finished()).toBe(true);
        expect(tap.failed()).toBe(false);
      }),
    );
  });
});

it('reads the usage of a last event whose blank line is missing', () => {
  const { before, word } = STREAMS['openai-chat'];
  const last = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } });
  const tap = observerOf('openai-chat');
  tap.push(Buffer.from(before + word + last.trimEnd()));
  expect(Buffer.from(tap.end()).toString()).toBe(last);
  expect(tap.usage()).toMatchObject({ inputTokens: 7, outputTokens: 9 });
});

it('leaves out the usage chunk that the caller did not ask for, and nothing else', () => {
  const { before, word } = STREAMS['openai-chat'];
  const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } });
  const tap = createStreamObserver(dialects['openai-chat'], { request: {}, quirks: {} });
  const out = Buffer.from(tap.push(Buffer.from(`${before}${word}${usage}data: [DONE]\n\n`))).toString();
  expect(out).toBe(`${before}${word}data: [DONE]\n\n`);
  expect(tap.usage()).toMatchObject({ inputTokens: 7, outputTokens: 9 });
});
