/** Text completions with the official openai package: by vendors that have them, and translated for chat models. */
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { BadRequestError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const YAML = `models:
  - { code: instruct, kind: chat, limits: { max_input_tokens: 4096, max_output_tokens: 1000 },
      offers: [{ account: openai, model: gpt-3.5-turbo-instruct, dialect: openai-completions }], price: { input: 1.5, output: 2 } }
  - { code: codestral, kind: chat, limits: { max_input_tokens: 256000, max_output_tokens: 4096 }, price: { input: 0.3, output: 0.9 },
      offers: [{ account: mistral, model: codestral-latest, dialects: [openai-chat, openai-completions],
        quirks: { completion_answers: chat, seed_field: random_seed, max_tokens_field: max_tokens, thinking: none } }] }
  - { code: plain, kind: chat, limits: { max_input_tokens: 100000, max_output_tokens: 4096 }, price: { input: 2, output: 8 },
      offers: [{ account: openai, model: gpt-4.1, dialect: openai-chat }] }
  - { code: wrong-wire, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-completions }], price: { input: 1, output: 1 } }
`;
let gateway: TestGateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: YAML });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

type Body = Omit<OpenAI.CompletionCreateParamsNonStreaming, 'stream'>;

/** The texts of a stream by their index, its last usage, and how each ended. */
async function streamed(body: Body) {
  const stream = await openai.completions.create({ ...body, stream: true, stream_options: { include_usage: true } });
  const texts: string[] = [];
  const ends: (string | null)[] = [];
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const { choices, object, usage: told } of stream) {
    expect(object).toBe('text_completion');
    for (const { index, text, finish_reason: end } of choices) {
      texts[index] = (texts[index] ?? '') + text;
      if ((end as string | null) !== null) ends[index] = end;
    }
    usage = told ?? usage;
  }
  return { texts, ends, usage };
}

/** What of a body was named as dropped. */
async function droppedOf(body: Body): Promise<string | null> {
  const { response } = await openai.completions.create(body).withResponse();
  return response.headers.get('x-gateway-dropped');
}

const lastBilled = () => gateway.twin.ledger.answers().at(-1)?.billed;

describe('by a vendor that completes texts', () => {
  it('OpenAI’s form goes straight: several prompts, tokens, echo, n, best_of, logprobs', async () => {
    const answer = await openai.completions.create({
      model: 'instruct',
      prompt: ['High tide.', 'Low tide.'],
      n: 2,
      best_of: 3,
      echo: true,
      logprobs: 2,
      max_tokens: 20,
    });
    expect(answer.choices.map(({ text }) => text.slice(0, 9))).toEqual([
      'High tide',
      'High tide',
      'Low tide.',
      'Low tide.',
    ]);
    expect(answer.choices[0]?.logprobs?.tokens?.join('')).toBe(answer.choices[0]?.text);
    expect(answer.usage?.completion_tokens).toBe(lastBilled()?.outputTokens);
    const tokens = await openai.completions.create({ model: 'instruct', prompt: [[1212, 318], [464]] });
    expect(tokens.choices).toHaveLength(2);
    const one = await openai.completions.create({ model: 'instruct', prompt: [1212, 318] });
    expect(one.choices).toHaveLength(1);
  });

  it('a stream goes straight, and its usage is charged', async () => {
    const { texts, ends, usage } = await streamed({ model: 'instruct', prompt: 'High tide.', max_tokens: 50, n: 2 });
    expect(texts[0]).toContain('High tide');
    expect(texts[1]).toBe(texts[0]);
    expect(ends).toEqual(['stop', 'stop']);
    expect(usage?.completion_tokens).toBe(lastBilled()?.outputTokens);
  });

  it('a usage that was not asked for is not shown', async () => {
    const stream = await openai.completions.create({ model: 'instruct', prompt: 'High tide.', stream: true });
    for await (const { choices, usage } of stream) expect([choices.length, usage ?? undefined]).toEqual([1, undefined]);
  });

  it.each(['deepseek-v4-flash', 'codestral'])('%s fills in the middle, whole and streamed', async (model) => {
    const body = { model, prompt: 'def tide(hours):\n', suffix: '\n    return height', max_tokens: 60 };
    const { data: whole, response } = await openai.completions.create(body).withResponse();
    expect(whole.object).toBe('text_completion');
    expect(whole.choices[0]?.text).toContain('(up to: return height)');
    expect(response.headers.get('x-gateway-dropped')).toBeNull();
    expect(whole.usage?.completion_tokens).toBe(lastBilled()?.outputTokens);
    const { texts, ends, usage } = await streamed(body);
    expect([texts[0], ends, usage?.total_tokens]).toEqual([
      whole.choices[0]?.text,
      ['stop'],
      whole.usage?.total_tokens,
    ]);
  });

  it('a seed has Mistral’s name for it', async () => {
    const answer = await openai.completions.create({ model: 'codestral', prompt: 'High tide.', seed: 7 });
    expect(answer.choices).toHaveLength(1);
  });

  it('the vendor’s refusal is told in its words', async () => {
    const asked = openai.completions.create({ model: 'wrong-wire', prompt: 'Hi' });
    await expect(asked).rejects.toThrow('This is a chat model');
  });

  it('its models refuse conversations by name of the right path', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    await expect(openai.chat.completions.create({ model: 'instruct', messages })).rejects.toThrow('/v1/completions');
    await expect(openai.responses.create({ model: 'instruct', input: 'Hi' })).rejects.toThrow('/v1/completions');
  });
});

describe('for a chat model', () => {
  it.each(['plain', 'claude-sonnet-5', 'gemini-3.1-pro'])(
    '%s answers the prompt, whole and streamed',
    async (model) => {
      const body = { model, prompt: 'High tide.', max_tokens: 300 };
      const whole = await openai.completions.create(body);
      expect(whole).toMatchObject({ object: 'text_completion', model, choices: [{ index: 0, finish_reason: 'stop' }] });
      expect(whole.id).toMatch(/^cmpl-/);
      expect(whole.choices[0]?.text).toContain('High tide');
      const { texts, ends, usage } = await streamed(body);
      expect([texts, ends]).toEqual([[whole.choices[0]?.text], ['stop']]);
      expect(usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
    },
  );

  it('says that it was cut, where it was', async () => {
    const { texts, ends } = await streamed({ model: 'plain', prompt: '[[twin:long=400]]', max_tokens: 5 });
    expect([texts[0]?.length, ends]).toEqual([expect.any(Number), ['length']]);
    const { choices } = await openai.completions.create({ model: 'plain', prompt: '[[twin:long=400]]', max_tokens: 5 });
    expect(choices[0]?.finish_reason).toBe('length');
  });

  it('gives n answers, each behind its prompt, and log probabilities in their legacy form', async () => {
    const plain = await openai.completions.create({ model: 'plain', prompt: 'High tide.', logprobs: 0 });
    const logprobs = plain.choices[0]?.logprobs;
    expect(logprobs?.tokens?.join('')).toBe(plain.choices[0]?.text);
    expect(logprobs?.text_offset?.slice(0, 2)).toEqual([0, logprobs?.tokens?.[0]?.length]);
    expect(logprobs?.token_logprobs?.every((each) => each === -0.1)).toBe(true);
    const body = { model: 'plain', prompt: ['High tide.'], n: 2, best_of: 2, echo: true };
    const echoed = await openai.completions.create(body);
    const text = `High tide.${plain.choices[0]?.text ?? ''}`;
    expect(echoed.choices.map((choice) => choice.text)).toEqual([text, text]);
    expect((await streamed(body)).texts).toEqual([text, text]);
  });

  it('names what it drops', async () => {
    const body = { model: 'claude-sonnet-5', prompt: 'Hi', max_tokens: 100 };
    expect(await droppedOf(body)).toBeNull();
    expect(await droppedOf({ ...body, seed: 1, presence_penalty: 1 })).toMatch(
      /presence_penalty.*seed|seed.*presence_penalty/,
    );
    expect(await droppedOf({ ...body, guided_regex: '.*' } as Body)).toContain('guided_regex');
  });

  it.each<[string, Partial<Body>, RegExp]>([
    ['a suffix', { suffix: ' the end' }, /^400 suffix: .*name one that completes texts/],
    ['several prompts', { prompt: ['One', 'Two'] }, /^400 prompt: .*one prompt at a time/],
    ['tokens', { prompt: [1, 2] }, /^400 prompt: .*as text/],
    ['lists of tokens', { prompt: [[1, 2]] }, /^400 prompt: .*as text/],
    ['no prompt', { prompt: null }, /^400 prompt: is missing/],
    ['an empty prompt', { prompt: '' }, /^400 prompt: must not be empty/],
    ['a best of more', { best_of: 3 }, /^400 best_of: /],
    ['log probabilities of the prompt', { echo: true, logprobs: 1 }, /^400 echo: /],
    ['no token at all', { max_tokens: 0 }, /^400 max_tokens: /],
  ])('refuses %s', async (_, more, says) => {
    const before = gateway.twin.ledger.answers().length;
    const error: unknown = await openai.completions
      .create({ model: 'claude-sonnet-5', prompt: 'Hi', ...more })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as Error).message).toMatch(says);
    expect(gateway.twin.ledger.answers()).toHaveLength(before);
  });
});
