import type { JsonObject } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { dialects } from '../dialects.ts';
import { contextOf, decodeBytes, decodeText, encodeEvents, replyTwice, requestTwice } from '../laws.ts';

const completions = dialects['openai-completions'];
const TARGET = { model: 'm', provider: 'openai' };

describe('a request', () => {
  it.each<[string, JsonObject]>([
    ['a text', { prompt: 'Tide', max_tokens: 5, stop: ['.'], seed: 1, n: 2, best_of: 3, echo: true, logprobs: 2 }],
    ['a gap', { prompt: 'a', suffix: 'b', temperature: 0, user: 'u', logit_bias: { '5': 1 } }],
    ['several', { prompt: ['a', 'b'] }],
    ['tokens', { prompt: [1, 2], logprobs: 0 }],
    ['what no word is known for', { prompt: 'a', min_p: 0.1 }],
  ])('comes back as it was: %s', (_, body) => {
    const { once, twice } = requestTwice(completions, { model: 'm', ...body }, TARGET);
    expect(twice).toEqual(once);
    expect(completions.encodeRequest(once, TARGET).body).toMatchObject(body);
  });

  it('is written on behind what another model had said', () => {
    const request = completions.decodeRequest({ model: 'm', prompt: 'The tide' });
    const said = { role: 'assistant' as const, parts: [{ type: 'text' as const, text: ' is hi' }] };
    const body = completions.encodeRequest({ ...request, turns: [...request.turns, said] }, TARGET).body;
    expect(body['prompt']).toBe('The tide is hi');
  });

  it.each<[JsonObject, number]>([
    [{ prompt: 'a' }, 1],
    [{ prompt: [1, 2, 3] }, 1],
    [{ prompt: ['a', 'b'], n: 2 }, 4],
    [{ prompt: [[1], [2], [3]], n: 2, best_of: 5 }, 15],
    [{ prompt: ['a', 'b'], num_return_sequences: 3 }, 6],
  ])('%j may be billed for %i answers', (body, answers) => {
    expect(completions.readCost({ max_tokens: 7, ...body })).toMatchObject({ answers, cap: 7, outside: undefined });
  });

  it.each<[string, JsonObject]>([
    ['wrong kinds', { prompt: 'a', n: 'two' }],
    ['no answers', { prompt: 'a', n: 0 }],
  ])('of %s is refused', (_, body) => {
    expect(() => completions.decodeRequest({ model: 'm', ...body })).toThrow(/^n: must be/);
  });
});

const LOGPROBS = {
  tokens: ['Hi', 'gh'],
  token_logprobs: [-0.5, -1],
  top_logprobs: [{ Lo: -2 }, {}],
  text_offset: [0, 2],
};
const REPLY: JsonObject = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'm',
  choices: [
    { text: 'High', index: 0, logprobs: LOGPROBS, finish_reason: 'stop' },
    { text: 'Low', index: 1, logprobs: null, finish_reason: 'length' },
  ],
  usage: {
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  },
};

describe('an answer', () => {
  it('comes back as it was', () => {
    const { once, twice } = replyTwice(completions, REPLY);
    expect(twice).toEqual(once);
    const context = { ...contextOf(completions.decodeRequest({ model: 'm', prompt: 'a' })), model: 'm' };
    expect(completions.encodeReply(once, context)).toMatchObject(REPLY);
  });

  it('shows neither thoughts nor calls, and every word', () => {
    const parts = [
      { type: 'reasoning' as const, text: 'hmm' },
      { type: 'text' as const, text: 'High ' },
      { type: 'refusal' as const, text: 'no' },
    ];
    const context = contextOf(completions.decodeRequest({ model: 'm', prompt: 'Tide: ', echo: true }));
    const { choices } = completions.encodeReply({ choices: [{ parts, stop: 'refusal' }] }, context);
    expect(choices).toEqual([{ text: 'Tide: High no', index: 0, logprobs: null, finish_reason: 'content_filter' }]);
  });
});

describe('a stream', () => {
  const event = (choices: JsonObject[], more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', choices, ...more })}\n\n`;
  const TEXT =
    event([{ text: 'Hi', index: 0, logprobs: null, finish_reason: null }]) +
    event([{ text: 'Lo', index: 1, finish_reason: null }]) +
    event([{ text: 'gh “ä”', index: 0, finish_reason: 'stop' }]) +
    event([{ text: '', index: 1, finish_reason: 'length' }]) +
    event([], { usage: REPLY['usage'] as JsonObject }) +
    'data: [DONE]\n\n';

  it('is the same however its bytes are cut', () => {
    const whole = decodeText(completions, TEXT);
    expect(whole.at(-1)).toEqual({ type: 'end' });
    const bytes = Buffer.from(TEXT);
    for (let at = 1; at < bytes.length; at += 7)
      expect(decodeBytes(completions, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  });

  it('is written as it is read', () => {
    const request = completions.decodeRequest({
      model: 'm',
      prompt: 'a',
      stream: true,
      stream_options: { include_usage: true },
    });
    const whole = decodeText(completions, TEXT);
    const written = encodeEvents(completions, whole, contextOf(request));
    expect(decodeText(completions, written).filter(({ type }) => type !== 'start')).toEqual(
      whole.filter(({ type }) => type !== 'start'),
    );
  });

  it('that is cut off says so', () => {
    const [first] = TEXT.split('\n\n');
    expect(decodeText(completions, `${first ?? ''}\n\n`).at(-1)).toMatchObject({ type: 'error' });
    const written = encodeEvents(
      completions,
      [{ type: 'start' }, { type: 'end' }],
      contextOf(completions.decodeRequest({ model: 'm' })),
    );
    expect(written).toContain('"error"');
  });
});
