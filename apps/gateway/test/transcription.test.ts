/** Recordings written down through the running gateway, by the SDK people have: every format, events, and bills by the true length. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '@model-gateway/core';
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_transcribe as transcribe } from 'ai';
import OpenAI, { toFile } from 'openai';
import { silence, soundFile } from './sound-files.ts';
import { openTranscriptionGateway, type TranscriptionGateway } from './transcription-gateway.ts';

const UNITS = 500_000;

let gateway: TranscriptionGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await openTranscriptionGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.twin.faults.clear());

const wav = (seconds = 3) => toFile(soundFile(seconds), 'talk.wav', { type: 'audio/wav' });
const usageIn = ({ detail }: LedgerEntry) => detail['usage'] as Record<string, number>;

interface Asked {
  readonly model: string;
  readonly file?: Buffer;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly fields?: readonly (readonly [string, string])[];
}

/** What no SDK lets through, or says of the head. */
async function post({ model, file = soundFile(3), path = 'transcriptions', headers = {}, fields = [] }: Asked) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)]), 'talk.wav');
  form.append('model', model);
  for (const [name, value] of fields) form.append(name, value);
  const reply = await fetch(`${gateway.url}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, ...headers },
    body: form,
  });
  const text = await reply.text();
  const requestId = reply.headers.get('x-request-id') ?? '';
  return { status: reply.status, text, headers: reply.headers, requestId };
}

describe('formats', () => {
  it('json, with what the vendor counted', async () => {
    const { text, usage } = await openai.audio.transcriptions.create({ model: 'whisper-1', file: await wav() });
    expect(text.split(' ')).toHaveLength(8);
    expect(usage).toEqual({ type: 'duration', seconds: 3 });
  });

  it('verbose_json, with times of words and segments', async () => {
    const transcript = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await wav(6),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      language: 'en',
      temperature: 0.2,
      prompt: 'A harbour.',
    });
    expect(transcript).toMatchObject({ duration: 6, language: 'english' });
    expect(transcript.segments).toHaveLength(2);
    expect(transcript.words?.[0]).toEqual({ word: expect.any(String), start: 0, end: 0.4 });
  });

  it.each(['whisper-1', 'by-tokens'])('text of %s ends in a line break', async (model) => {
    const file = await wav();
    const { text } = await openai.audio.transcriptions.create({ model, file });
    const line: unknown = await openai.audio.transcriptions.create({ model, file, response_format: 'text' });
    expect(line).toBe(`${text}\n`);
  });

  it('srt and vtt, made of the segments of a vendor that was asked for neither', async () => {
    const file = await wav(6.5);
    const srt: unknown = await openai.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'srt' });
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:04,000\n\S.*\.\n\n2\n00:00:04,000 --> 00:00:06,500\n\S.*\.\n\n$/);
    expect(gateway.twin.requests.last('openai')?.body).toContain('verbose_json');
    const vtt: unknown = await openai.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'vtt' });
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:04\.000\n\S.*\.\n\n00:00:04\.000 --> 00:00:06\.500\n/);
  });

  it('diarized_json and subtitles that name who speaks', async () => {
    const file = await wav(6);
    const told = await openai.audio.transcriptions.create({
      model: 'speakers',
      file,
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
    });
    expect(told).toMatchObject({ segments: [{ speaker: 'A' }, { speaker: 'B', start: 4, end: 6 }] });
    const srt: unknown = await openai.audio.transcriptions.create({ model: 'speakers', file, response_format: 'srt' });
    expect(srt).toMatch(/\nA: \S[^]*\nB: \S/);
  });

  it('include[] asks for how sure the model is', async () => {
    const told = await openai.audio.transcriptions.create({
      model: 'by-tokens',
      file: await wav(),
      include: ['logprobs'],
    });
    expect(told.logprobs?.[0]).toMatchObject({ token: expect.any(String), logprob: expect.any(Number) });
  });

  it('a translation', async () => {
    const told = await openai.audio.translations.create({
      model: 'whisper-1',
      file: await wav(),
      response_format: 'verbose_json',
    });
    expect(told).toMatchObject({ language: 'english', duration: 3 });
  });

  it('the Vercel AI SDK', async () => {
    const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey });
    const told = await transcribe({ model: provider.transcription('whisper-1'), audio: soundFile(6) });
    expect(told.text).not.toBe('');
    expect(told.segments.length).toBeGreaterThan(0);
    expect(told.durationInSeconds).toBe(6);
  });

  it('silence is an answer without words', async () => {
    const file = await toFile(silence(2), 'quiet.wav');
    expect((await openai.audio.transcriptions.create({ model: 'whisper-1', file })).text).toBe('');
    const srt: unknown = await openai.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'srt' });
    expect(srt).toBe('');
  });

  it.each(['mp3', 'flac', 'opus', 'wav'] as const)('a %s that the gateway spoke itself', async (format) => {
    const spoken = new OpenAI({
      baseURL: gateway.twin.baseUrl('openai'),
      apiKey: gateway.twin.credentials('openai')['api_key'] ?? '',
    });
    const sound = await spoken.audio.speech.create({
      model: 'gpt-4o-mini-tts',
      voice: 'alloy',
      input: 'High tide at noon.',
      response_format: format,
    });
    const file = await toFile(Buffer.from(await sound.arrayBuffer()), 'no-name-says-what-it-is');
    const { data, response } = await openai.audio.transcriptions.create({ model: 'whisper-1', file }).withResponse();
    expect(data.text).not.toBe('');
    const { seconds } = usageIn(await gateway.charge(response.headers.get('x-request-id') ?? ''));
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(5);
  });
});

describe('events', () => {
  const eventsOf = async (model: string, more: object = {}) => {
    const stream = await openai.audio.transcriptions.create({ model, file: await wav(6), stream: true, ...more });
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return events;
  };

  it('pieces as they come, then the whole with what it used', async () => {
    const events = await eventsOf('by-tokens', { include: ['logprobs'] });
    const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(5);
    expect(events.at(-1)).toMatchObject({
      type: 'transcript.text.done',
      text: deltas.join(''),
      usage: { type: 'tokens', input_token_details: { audio_tokens: 60 } },
    });
    expect(events[0]).toMatchObject({ logprobs: [{ token: deltas[0] }] });
  });

  it('segments with their speakers', async () => {
    const types = (await eventsOf('speakers', { response_format: 'diarized_json' })).map(({ type }) => type);
    expect(types).toEqual(['transcript.text.segment', 'transcript.text.segment', 'transcript.text.done']);
  });

  it('a model without a stream says all at once', async () => {
    const [delta, done, ...more] = await eventsOf('whisper-1');
    expect(more).toEqual([]);
    expect(delta).toMatchObject({ type: 'transcript.text.delta' });
    expect(done).toMatchObject({ type: 'transcript.text.done', text: (delta as { delta: string }).delta });
  });

  it('a vendor that breaks off ends in an error, and only what came is paid', async () => {
    gateway.twin.faults.next('openai', 'transcription', { kind: 'error-event', afterEvents: 3 });
    const { text, requestId } = await post({ model: 'by-tokens', fields: [['stream', 'true']] });
    expect(text.match(/transcript\.text\.delta/g)).toHaveLength(3);
    expect(text).toContain('event: error');
    expect(text).not.toContain('transcript.text.done');
    expect(usageIn(await gateway.charge(requestId))).toMatchObject({
      estimated: true,
      outputTokens: expect.any(Number),
    });
  });

  it('a vendor that breaks off before the first word is told as a refusal, and free', async () => {
    gateway.twin.faults.next('openai', 'transcription', { kind: 'error-event' });
    const { text, requestId } = await post({ model: 'by-tokens', fields: [['stream', 'true']] });
    expect(text).not.toContain('delta');
    expect(await gateway.isFree(requestId)).toBe(true);
  });

  it.each([
    { model: 'by-tokens', billed: 'all that the vendor bills' },
    { model: 'by-tokens-cut', billed: 'what came, and the sound that was heard' },
  ])('who hangs up on $model pays $billed', async ({ model }) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(soundFile(8))]), 'talk.wav');
    form.append('model', model);
    form.append('stream', 'true');
    const over = new AbortController();
    const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}` },
      body: form,
      signal: over.signal,
    });
    await reply.body?.getReader().read();
    over.abort();
    const usage = usageIn(await gateway.charge(reply.headers.get('x-request-id') ?? ''));
    expect(usage['inputAudioTokens']).toBeGreaterThanOrEqual(80);
    expect(usage['outputTokens']).toBeGreaterThan(0);
  });
});

describe('money', () => {
  it('by the second: the measured length, to the millisecond', async () => {
    const { requestId } = await post({ model: 'whisper-1', file: soundFile(2.4) });
    const entry = await gateway.charge(requestId);
    expect(entry.detail).toMatchObject({ usage: { seconds: 2.4 }, reported: { seconds: 3 } });
    expect(entry.charged).toBe(Math.round(2.4 * 0.0001 * UNITS));
  });

  it('by tokens: what the vendor counted', async () => {
    const { requestId, text } = await post({ model: 'by-tokens', fields: [['prompt', 'A harbour']] });
    const { usage } = JSON.parse(text) as { usage: { output_tokens: number; input_tokens: number } };
    expect(usageIn(await gateway.charge(requestId))).toMatchObject({
      inputAudioTokens: 30,
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
    });
  });

  it('an estimate says the price of so many seconds', async () => {
    const reply = await fetch(`${gateway.url}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: '/v1/audio/transcriptions', body: { model: 'whisper-1', seconds: 60 } }),
    });
    expect(await reply.json()).toMatchObject({ usd: 0.006, items: [{ item: 'second', quantity: 60 }] });
  });

  it('a test key pays nothing', async () => {
    const test = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
    expect((await test.audio.transcriptions.create({ model: 'whisper-1', file: await wav() })).text).not.toBe('');
  });

  it('the other account gets the whole file when the first one fails', async () => {
    const plain = await post({ model: 'whisper-twice' });
    gateway.twin.faults.next('openai', 'transcription', { kind: 'status', status: 429 });
    const moved = await post({ model: 'whisper-twice' });
    expect(moved.headers.get('x-gateway-attempts')).toBe('2');
    expect(moved.text).toBe(plain.text);
  });

  it('a vendor that may have heard it is not asked again, and nothing is charged', async () => {
    const asked = gateway.twin.requests.list({ operation: 'transcription' }).length;
    gateway.twin.faults.next('openai', 'transcription', { kind: 'no-answer' });
    const { status, requestId } = await post({ model: 'whisper-twice' });
    expect(status).toBe(503);
    expect(gateway.twin.requests.list({ operation: 'transcription' })).toHaveLength(asked + 1);
    expect(await gateway.isFree(requestId)).toBe(true);
  });

  it('an Idempotency-Key asks and pays once, whatever the boundary of the form is', async () => {
    const headers = { 'idempotency-key': 'a-recording' };
    const first = await post({ model: 'whisper-1', headers });
    const asked = gateway.twin.requests.list({ operation: 'transcription' }).length;
    const again = await post({ model: 'whisper-1', headers });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect(gateway.twin.requests.list({ operation: 'transcription' })).toHaveLength(asked);
    const other = await post({ model: 'whisper-1', headers, file: soundFile(3, 523) });
    expect(other.status).toBe(409);
  });

  it('one value more of a field that comes several times is another request', async () => {
    const headers = { 'idempotency-key': 'two-words' };
    const fields = [
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'segment'],
    ] as const;
    await post({ model: 'whisper-1', headers, fields });
    const more = [...fields.slice(0, 1), ['timestamp_granularities[]', 'word'] as const, ...fields.slice(1)];
    expect((await post({ model: 'whisper-1', headers, fields: more })).status).toBe(409);
  });
});
