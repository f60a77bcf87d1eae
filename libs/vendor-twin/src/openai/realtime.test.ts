/** OpenAI's Realtime as the twin speaks it: through OpenAI's own client, with real sound. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { WebSocket } from 'ws';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { littleEndian, speak } from '../media/speech.ts';

let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin();
});
afterAll(() => twin.close());

const KEY = TWIN_CREDENTIALS.openai['api_key'] ?? '';
const SPOKEN = littleEndian(speak({ text: 'what is the tide today', voice: 'alloy', sung: false, speed: 1 }));
const QUIET = Buffer.alloc(24_000);

class Client {
  readonly events: RealtimeServerEvent[] = [];
  readonly #socket: OpenAIRealtimeWS;
  #read = 0;

  constructor(props: { readonly model: string } | { readonly intent: 'transcription' }) {
    const { port } = new URL(twin.url);
    const openai = new OpenAI({ apiKey: KEY, baseURL: twin.baseUrl('openai') });
    // The client insists on TLS, which nobody speaks here.
    const options = { createConnection: () => connect(Number(port), '127.0.0.1') };
    this.#socket = new OpenAIRealtimeWS({ ...props, options }, openai);
    this.#socket.on('event', (event) => this.events.push(event));
    this.#socket.on('error', () => undefined);
  }

  send(event: RealtimeClientEvent | JsonObject): void {
    this.#socket.send(event as RealtimeClientEvent);
  }

  /** Everything up to the next event of this type. */
  async until(type: string): Promise<readonly RealtimeServerEvent[]> {
    const isThere = (): boolean => this.events.slice(this.#read).some((event) => event.type === type);
    await expect.poll(isThere, { timeout: 3000, interval: 2 }).toBe(true);
    const end = this.events.findIndex((event, index) => index >= this.#read && event.type === type);
    const found = this.events.slice(this.#read, end + 1);
    this.#read = end + 1;
    return found;
  }

  async last(type: string): Promise<JsonObject> {
    return (await this.until(type)).at(-1) as unknown as JsonObject;
  }

  say(sound: Buffer): void {
    for (let at = 0; at < sound.length; at += 4800)
      this.send({ type: 'input_audio_buffer.append', audio: sound.subarray(at, at + 4800).toString('base64') });
  }

  close(): void {
    this.#socket.close();
  }
}

async function open(model = 'gpt-realtime-2'): Promise<Client> {
  const client = new Client({ model });
  await client.until('session.created');
  return client;
}

const user = (text: string): JsonObject => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const soundIn = (events: readonly RealtimeServerEvent[]): Buffer =>
  Buffer.concat(
    events.flatMap((event) => (event.type === 'response.output_audio.delta' ? Buffer.from(event.delta, 'base64') : [])),
  );

describe('a session', () => {
  it('answers speech with sound and its transcript, and says what it used', async () => {
    const client = await open();
    const transcription = { model: 'gpt-4o-transcribe' };
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { transcription } } } });
    await client.until('session.updated');
    client.say(SPOKEN);
    client.say(QUIET);
    const events = await client.until('response.done');
    const types = events.map(({ type }) => type);
    for (const type of [
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_item.done',
    ])
      expect(types).toContain(type);
    const sound = soundIn(events);
    expect(sound.length).toBeGreaterThan(24_000);
    expect(sound.some((byte) => byte !== 0)).toBe(true);
    const done = events.at(-1);
    if (done?.type !== 'response.done') throw new Error('the response is not done');
    const { usage, status } = done.response;
    expect(status).toBe('completed');
    expect(usage?.input_token_details?.audio_tokens).toBeGreaterThan(0);
    expect(usage?.output_token_details?.audio_tokens).toBe(Math.ceil((sound.length / 48_000) * 20));
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    client.send({ type: 'response.create' });
    const again = await client.last('response.done');
    // What was heard before is cached by then.
    expect(again).toMatchObject({
      response: { usage: { input_token_details: { cached_tokens: usage?.input_tokens } } },
    });
    client.close();
  });

  it('writes, calls functions and takes their results', async () => {
    const client = await open();
    const tools = [{ type: 'function', name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } }];
    client.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'], tools } });
    client.send(user('what is the weather?'));
    client.send({ type: 'response.create' });
    const { call_id: callId } = (await client.last('response.function_call_arguments.done')) as { call_id: string };
    await client.until('response.done');
    const result = { type: 'function_call_output', call_id: callId, output: 'rain' };
    client.send({ type: 'conversation.item.create', item: result });
    client.send({ type: 'response.create' });
    expect(await client.last('response.output_text.done')).toMatchObject({ text: expect.stringContaining('rain') });
    client.close();
  });

  it('is interrupted by speech, and by its client', async () => {
    const client = await open();
    client.send(user('talk on [[twin:long=60]] [[twin:pace=20]]'));
    client.send({ type: 'response.create' });
    await client.until('response.output_audio.delta');
    client.say(SPOKEN);
    const interrupted = await client.last('response.done');
    expect(interrupted).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' }, usage: expect.anything() },
    });
    client.send({ type: 'response.create' });
    await client.until('response.output_audio.delta');
    client.send({ type: 'response.cancel' });
    expect(await client.last('response.done')).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'client_cancelled' } },
    });
    client.close();
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['an unknown event', { type: 'session.upgrade' }, { param: 'type' }],
    ['an unknown member', { type: 'response.create', stream: true }, { code: 'unknown_parameter' }],
    [
      'beta’s voice',
      { type: 'session.update', session: { type: 'realtime', voice: 'alloy' } },
      { param: 'session.voice' },
    ],
    ['a session without type', { type: 'session.update', session: {} }, { param: 'session.type' }],
    ['no base64', { type: 'input_audio_buffer.append', audio: '%%%%' }, { param: 'audio' }],
    ['half a sample', { type: 'input_audio_buffer.append', audio: 'AAAA' }, { param: 'audio' }],
    ['nothing to commit', { type: 'input_audio_buffer.commit' }, { code: 'input_audio_buffer_commit_empty' }],
    ['nothing to cancel', { type: 'response.cancel' }, { code: 'response_cancel_not_active' }],
    [
      'a result of no call',
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' } },
      { param: 'item.call_id' },
    ],
  ])('says what is wrong with %s', async (_name, event, error) => {
    const client = await open();
    client.send({ ...event, event_id: 'mine' });
    expect(await client.last('error')).toMatchObject({
      error: { type: 'invalid_request_error', event_id: 'mine', ...error },
    });
    client.close();
  });
});

it('writes down what it hears, where that is all it is for', async () => {
  const client = new Client({ intent: 'transcription' });
  await client.until('session.created');
  const input = { transcription: { model: 'gpt-realtime-whisper' }, turn_detection: null };
  client.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
  client.say(SPOKEN);
  client.send({ type: 'input_audio_buffer.commit' });
  const told = await client.last('conversation.item.input_audio_transcription.completed');
  expect(told).toMatchObject({ transcript: expect.stringMatching(/\w/), usage: { type: 'duration' } });
  client.send({ type: 'response.create' });
  await client.until('error');
  client.close();
});

it.each([
  ['a wrong key', '?model=gpt-realtime-2', { authorization: 'Bearer nobody' }, 401],
  ['no model', '', {}, 400],
  ['a model that is none', '?model=no-such-model', {}, 404],
  ['the beta header', '?model=gpt-realtime-2', { 'openai-beta': 'realtime=v1' }, 400],
])('refuses %s before it is a socket', async (_name, query, headers, status) => {
  const url = `${twin.baseUrl('openai').replace('http', 'ws')}/realtime${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${KEY}`, ...headers } });
  const refused = await new Promise((resolve) => {
    socket.once('unexpected-response', (_request, { statusCode }: { statusCode: number }) => resolve(statusCode));
  });
  socket.on('error', () => undefined);
  socket.terminate();
  expect(refused).toBe(status);
});
