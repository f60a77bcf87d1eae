/** Streams that others judge: in all four formats, cut anywhere, what is masked in the whole text is masked in its windows. */
import { describe, expect, it } from 'vitest';
import { GatewayError, type DialectName, type JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { Decision } from './judge.ts';
import { JudgedStream } from './judged-stream.ts';
import { dialectSamples, sseEvent } from '@model-gateway/translate/samples';
import { cutAt, events } from './testing/streams.ts';

const SECRET = /SECRET-\d{4}-\d{4}/g;
const TEXT = Array.from({ length: 60 }, (_none, at) => `word ${at} SECRET-${1000 + at}-2222 and`).join(' ');
const MASKED = TEXT.replace(SECRET, '[gone]');
const masking = async (texts: readonly string[]): Promise<Decision> => ({
  texts: texts.map((text) => text.replace(SECRET, '[gone]')),
});
const allowing = async (): Promise<Decision> => ({});

interface Options {
  readonly judge?: (texts: readonly string[], window: number) => Promise<Decision>;
  readonly window?: number;
  readonly holds?: boolean;
}
function judged(name: DialectName, { judge = masking, window = 300, holds = true }: Options = {}) {
  const sent: string[] = [];
  const asked: (readonly string[])[] = [];
  const stream = new JudgedStream({
    dialect: dialects[name],
    window,
    holds,
    sink: { write: (chunk) => sent.push(String(chunk)) > 0, drained: async () => undefined },
    judge(texts, at) {
      asked.push(texts);
      expect(at).toBe(asked.length);
      return judge(texts, at);
    },
    refusal: (error) => sseEvent({ error: error.message }),
  });
  return { stream, asked, out: () => sent.join('') };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Chunks come one after the other, and judgements between them. */
async function passed(name: DialectName, chunks: readonly (string | Uint8Array)[], options: Options = {}) {
  const { stream, asked, out } = judged(name, options);
  for (const chunk of chunks) {
    if (!stream.write(chunk)) await stream.drained();
    await turn();
  }
  await stream.end();
  return { out: out(), asked };
}
const blocks = (stream: string): string[] => stream.split(/(?<=\n\n)/);

describe.each(Object.keys(dialectSamples) as DialectName[])('%s', (name) => {
  const { textStream: write, textOf: read } = dialectSamples[name];

  it.each([1, 3, 7, 64, 400, 5000])('in pieces of %i characters', async (size) => {
    const stream = write(cutAt(TEXT, size));
    const { out, asked } = await passed(name, blocks(stream));
    expect(events(out).map(read).join('')).toBe(MASKED);
    expect(out).not.toContain('SECRET');
    expect(events(out)).toHaveLength(events(stream).length);
    if (size < 400) expect(asked.length).toBeGreaterThan(3);
  });

  it('all at once, and bytes cut anywhere', async () => {
    const bytes = Buffer.from(write(cutAt(`${TEXT} — ünd 秘密`, 5)));
    for (const size of [bytes.length, 1000, 37]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_none, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(
        events((await passed(name, chunks)).out)
          .map(read)
          .join(''),
      ).toBe(`${MASKED} — ünd 秘密`);
    }
  });

  it('an answer that is allowed stays byte for byte, and nothing is judged twice for nothing', async () => {
    const stream = write(cutAt('The tide turns at noon. '.repeat(40), 6));
    const { out, asked } = await passed(name, blocks(stream), { judge: allowing });
    expect(out).toBe(stream);
    // 960 characters in windows of 300, each with the end of the one before.
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(asked.flat().join('').length).toBeLessThan(960 + 4 * 300);
  });

  it('a refusal ends it, and nothing of its window was said', async () => {
    const stream = write(cutAt(`${'word '.repeat(300)} falcon ${'and so on '.repeat(100)}`, 5));
    const { out } = await passed(name, blocks(stream), {
      judge: async (texts) =>
        texts.some((text) => text.includes('falcon'))
          ? { refusal: new GatewayError('content_refused', 'no birds') }
          : {},
    });
    expect(
      events(out)
        .flatMap((data) => ('error' in data ? [] : read(data)))
        .join(''),
    ).toMatch(/^(?:word ){200,}$/);
    expect(out).not.toMatch(/falcon|so on/);
    expect(out.endsWith(sseEvent({ error: 'no birds' }))).toBe(true);
  });
});

it('a secret that a window ends in waits for its rest', async () => {
  // What is masked looks only at what has come: the rest of it would be left.
  const greedy = async (texts: readonly string[]): Promise<Decision> => ({
    texts: texts.map((text) => text.replace(/SECRET-[\d-]*/g, '[gone]')),
  });
  for (let before = 85; before < 100; before++) {
    const text = `${'x'.repeat(before)} SECRET-1234-5678 end`;
    const { out } = await passed('openai-chat', blocks(dialectSamples['openai-chat'].textStream(cutAt(text, 3))), {
      judge: greedy,
      window: 100,
    });
    expect(events(out).map(dialectSamples['openai-chat'].textOf).join('')).toBe(`${'x'.repeat(before)} [gone] end`);
  }
});

it('arguments of a call are judged whole, and stay JSON', async () => {
  const delta = (partial_json: string): string =>
    sseEvent({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });
  const pieces = cutAt(JSON.stringify({ text: `${'a'.repeat(500)} SECRET-1234-5678` }), 9);
  const stop = sseEvent({ type: 'content_block_stop', index: 0 });
  const { asked } = await passed('anthropic-messages', [...pieces.map(delta), stop]);
  expect(asked).toEqual([[pieces.join('')]]);
  const { out } = await passed('anthropic-messages', [...pieces.map(delta), stop], {
    judge: async (texts) => ({ texts: texts.map(() => '[harm]') }),
  });
  const said = events(out).map(({ delta: each }) => (each as JsonObject | undefined)?.['partial_json'] ?? '');
  expect(said.join('')).toBe('{}');
});

it('what is repeated of an answer becomes what was said, and is not asked about', async () => {
  const { asked, out } = await passed(
    'openai-responses',
    blocks(dialectSamples['openai-responses'].textStream(cutAt(TEXT, 20))),
  );
  expect(asked.flat().filter((text) => text === TEXT)).toEqual([]);
  // Windows do not grow where much is masked.
  expect(Math.max(...asked.flat().map(({ length }) => length))).toBeLessThan(1200);
  expect(events(out).at(-1)).toEqual({
    type: 'response.completed',
    response: { output: [{ content: [{ text: MASKED }] }] },
  });
});

it('what is only observed passes at once, and its end waits for nobody', async () => {
  const never = (): Promise<Decision> => new Promise(() => undefined);
  const { stream, out } = judged('openai-chat', { judge: never, holds: false });
  const written = dialectSamples['openai-chat'].textStream(cutAt(TEXT, 50));
  stream.write(written);
  expect(out()).toBe(written);
  await stream.end();
});

it('what keeps a connection open passes while events wait', () => {
  const { stream, out } = judged('openai-chat');
  stream.write(sseEvent({ choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: null }] }));
  stream.write(': keep-alive\n\n');
  expect(out()).toBe(': keep-alive\n\n');
});

it('a vendor is read no further while too much waits for a judgement', async () => {
  let allow: (decision: Decision) => void = () => undefined;
  const { stream, out } = judged('openai-chat', { judge: () => new Promise((resolve) => (allow = resolve)) });
  const say = sseEvent({ choices: [{ index: 0, delta: { content: 'x'.repeat(1000) }, finish_reason: null }] });
  let written = 0;
  while (stream.write(say)) expect(++written).toBeLessThan(2000);
  const state = { isDrained: false };
  const drained = stream.drained().then(() => (state.isDrained = true));
  await turn();
  expect([state.isDrained, out()]).toEqual([false, '']);
  while (!state.isDrained) {
    allow({});
    await turn();
  }
  await drained;
  expect(out().length).toBeGreaterThan(100_000);
});

it('thoughts whose end nobody tells do not hold up what is said behind them', async () => {
  const say = (delta: JsonObject): string => sseEvent({ choices: [{ index: 0, delta, finish_reason: null }] });
  const { stream, out } = judged('openai-chat', { judge: allowing, window: 100 });
  stream.write(say({ reasoning_content: 'hm' }));
  for (let at = 0; at < 400; at++) {
    stream.write(say({ content: 'word ' }));
    if (at % 20 === 0) await turn();
  }
  await turn();
  expect(out().match(/word/g)?.length).toBeGreaterThan(250);
});
