/** Recordings, written down by the running gateway; how far the file has gone is told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { BadRequestError, createClient, type Client } from './index.ts';
import { wav } from './testing/sound.ts';

let gateway: TestGateway;
let client: Client;
beforeAll(async () => {
  gateway = await openTestGateway();
  client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey, maxRetries: 1 });
});
afterAll(() => gateway.close());

const file = { data: wav(6), name: 'talk.wav' };

describe('a transcript', () => {
  it('is an object, or a text, by its format', async () => {
    const { text } = await client.transcriptions.create({ model: 'whisper-1', file });
    expect(text.length).toBeGreaterThan(0);
    const line = await client.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' });
    expect(line.trimEnd()).toBe(text);
    const told = await client.transcriptions.create({
      model: 'whisper-1',
      file,
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      temperature: 0,
    });
    expect(told.segments).toHaveLength(2);
    expect(told.words?.length).toBeGreaterThan(4);
  });

  it('comes as it is written', async () => {
    const stream = client.transcriptions.stream({ model: 'gpt-4o-mini-transcribe', file, include: ['logprobs'] });
    let text = '';
    for await (const piece of stream.text()) text += piece;
    expect(await stream.final()).toMatchObject({ text, usage: { type: 'tokens' } });
  });

  it('names who speaks', async () => {
    const whole = await client.transcriptions
      .stream({ model: 'gpt-4o-transcribe-diarize', file, response_format: 'diarized_json', chunking_strategy: 'auto' })
      .final();
    expect(whole.segments?.map(({ speaker }) => speaker)).toEqual(['A', 'B']);
  });

  it('is in English', async () => {
    const srt = await client.transcriptions.translate({ model: 'whisper-1', file, response_format: 'srt' });
    expect(srt).toContain('00:00:00,000 --> 00:00:04,000');
  });

  it('is refused by name', async () => {
    const error = await client.transcriptions
      .create({ model: 'gpt-4o-transcribe', file, response_format: 'srt' })
      .catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'response_format' });
  });
});

describe('the upload', () => {
  it('tells how far it has gone, up to all of it', async () => {
    const told: [number, number][] = [];
    const onUpload = (sent: number, total: number): void => void told.push([sent, total]);
    const { text } = await client.transcriptions.create({ model: 'whisper-1', file }, { onUpload });
    expect(text.length).toBeGreaterThan(0);
    const total = told[0]?.[1] ?? 0;
    expect(total).toBeGreaterThan(file.data.length);
    expect(told[0]).toEqual([0, total]);
    expect(told.at(-1)).toEqual([total, total]);
    expect(told.map(([sent]) => sent)).toEqual(told.map(([sent]) => sent).toSorted((a, b) => a - b));
  });

  it('goes out whole again at a second attempt', async () => {
    const begun: number[] = [];
    gateway.twin.faults.next('openai', 'transcription', {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '0' },
    });
    const { text } = await client.transcriptions.create(
      { model: 'whisper-1', file },
      { onUpload: (sent) => sent === 0 && begun.push(sent) },
    );
    expect(text.length).toBeGreaterThan(0);
    expect(begun.length).toBeGreaterThan(1);
  });
});
