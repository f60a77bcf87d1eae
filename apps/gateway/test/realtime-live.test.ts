/** Gemini Live behind OpenAI's realtime events: over real sockets, with real sound, the twin behind. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { openSocket, type TestSocket } from './open-socket.ts';
import { QUIET, spokenSound } from './realtime-sound.ts';

const LIVE = 'gemini-2.5-flash-native-audio';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { media: 'real' } });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.ledger.clear();
  gateway.twin.requests.clear();
});

async function open(tag = 'live'): Promise<TestSocket> {
  const headers = { authorization: `Bearer ${gateway.liveKey}`, 'x-gateway-tags': `team=${tag}` };
  const socket = await openSocket(gateway.url, headers, `/v1/realtime?model=${LIVE}`);
  await socket.until(({ type }) => type === 'session.created');
  return socket;
}

const is =
  (...types: readonly string[]) =>
  ({ type }: JsonObject): boolean =>
    types.includes(String(type));
const user = (text: string): JsonObject => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const session = (members: JsonObject): JsonObject => ({
  type: 'session.update',
  session: { type: 'realtime', ...members },
});
const ask: JsonObject = { type: 'response.create' };

function say(socket: TestSocket, sound: Buffer, size = 4800): void {
  for (let at = 0; at < sound.length; at += size)
    socket.send({ type: 'input_audio_buffer.append', audio: sound.subarray(at, at + size).toString('base64') });
}

async function last(socket: TestSocket, ...types: readonly string[]): Promise<JsonObject> {
  return (await socket.until(is(...types))).at(-1) ?? {};
}

const connections = (): number =>
  gateway.twin.requests.list({ vendor: 'gemini' }).filter(({ operation }) => operation === 'realtime').length;

async function rows(tag: string): Promise<readonly JsonObject[]> {
  const reply = await fetch(`${gateway.url}/admin/requests?limit=50&tag=${encodeURIComponent(`team=${tag}`)}`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  return ((await reply.json()) as { data: JsonObject[] }).data.filter(({ status }) => status === 200);
}

describe('a conversation', () => {
  it('is heard at 16 kHz, answered in sound with its transcript, and charged as the vendor counts', async () => {
    const socket = await open('sound');
    socket.send(session({ audio: { input: { transcription: { model: 'any' } } } }));
    expect(await last(socket, 'session.updated')).toMatchObject({ session: { model: LIVE } });
    const sound = await spokenSound();
    say(socket, sound);
    say(socket, Buffer.concat([QUIET, QUIET]));
    const events = await socket.until(is('response.done'));
    const types = events.map(({ type }) => type);
    const told = [
      ...['input_audio_buffer.speech_stopped', 'input_audio_buffer.committed', 'conversation.item.added'],
      ...['conversation.item.input_audio_transcription.completed', 'response.created', 'response.output_item.added'],
      ...['response.content_part.added', 'response.output_audio.delta', 'response.output_audio_transcript.delta'],
      ...['response.output_audio.done', 'response.output_item.done', 'response.done'],
    ];
    expect(types.filter((type, at) => told.includes(String(type)) && types.indexOf(type) === at)).toEqual(
      expect.arrayContaining(told),
    );
    const spoken = events
      .filter(is('response.output_audio.delta'))
      .map(({ delta }) => Buffer.from(String(delta), 'base64'));
    expect(Buffer.concat(spoken).some((byte) => byte !== 0)).toBe(true);
    const seconds = (sound.length + 2 * QUIET.length) / 48_000;
    const [billed] = gateway.twin.ledger.answers('gemini').map(({ billed: each }) => each);
    // It heard as many seconds as were said: three samples became two.
    expect(billed?.inputAudioTokens).toBeGreaterThanOrEqual(Math.floor((seconds - 0.1) * 32));
    expect(billed?.inputAudioTokens).toBeLessThanOrEqual(Math.ceil(seconds * 32));
    await socket.close();
    await until(async () => (await rows('sound')).length === 1);
    expect(await rows('sound')).toMatchObject([
      { kind: 'realtime', input_tokens: billed?.inputTokens, vendor: 'gemini' },
    ]);
  });

  it('is set up by its first update, not before', async () => {
    const socket = await open();
    expect(connections()).toBe(1);
    socket.send(session({ output_modalities: ['text'], instructions: 'You know the tides of Brest.' }));
    socket.send(user('hello'));
    socket.send(ask);
    expect(await last(socket, 'response.output_text.done')).toMatchObject({ text: expect.stringContaining('hello') });
    expect(connections()).toBe(1);
    await socket.close();
  });

  it('calls functions and takes all their results at once', async () => {
    const socket = await open();
    const tools = [{ type: 'function', name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } }];
    socket.send(session({ output_modalities: ['text'], tools }));
    socket.send(user('what is the weather?'));
    socket.send(ask);
    const call = await last(socket, 'response.function_call_arguments.done');
    expect(call).toMatchObject({ name: 'get_weather' });
    await socket.until(is('response.done'));
    const result = { type: 'function_call_output', call_id: call['call_id'] ?? '', output: '{"sky":"rain"}' };
    socket.send({ type: 'conversation.item.create', item: result });
    socket.send(ask);
    expect(await last(socket, 'response.output_text.done')).toMatchObject({ text: expect.stringContaining('rain') });
    await socket.close();
  });

  it('is interrupted by speech, and by its client', async () => {
    const socket = await open();
    socket.send(user('talk on [[twin:long=60]] [[twin:pace=20]]'));
    socket.send(ask);
    await socket.until(is('response.output_audio.delta'));
    say(socket, await spokenSound());
    const events = await socket.until(is('response.done'));
    expect(events.map(({ type }) => type)).toContain('input_audio_buffer.speech_started');
    expect(events.at(-1)).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' } },
    });
    say(socket, Buffer.concat([QUIET, QUIET]));
    await socket.until(is('response.done'));
    socket.send(user('talk on and on [[twin:long=60]] [[twin:pace=20]]'));
    socket.send(ask);
    await socket.until(is('response.output_audio.delta'));
    socket.send({ type: 'response.cancel' });
    const cancelled = { response: { status: 'cancelled', status_details: { reason: 'client_cancelled' } } };
    expect(await last(socket, 'response.done', 'error')).toMatchObject(cancelled);
    await socket.close();
  });

  it('waits for the client to commit and to ask, where it says so', async () => {
    const socket = await open();
    socket.send(session({ audio: { input: { turn_detection: null } } }));
    say(socket, await spokenSound());
    socket.send({ type: 'input_audio_buffer.commit' });
    await socket.until(is('input_audio_buffer.committed'));
    socket.send(ask);
    expect(await last(socket, 'response.done')).toMatchObject({ response: { status: 'completed' } });
    socket.send({ type: 'input_audio_buffer.commit' });
    expect(await last(socket, 'error')).toMatchObject({ error: { code: 'input_audio_buffer_commit_empty' } });
    await socket.close();
  });

  it('is held in the code of telephones', async () => {
    const socket = await open();
    const format = { type: 'audio/pcmu' };
    socket.send(session({ audio: { input: { format }, output: { format } } }));
    // A loud tone of a second at 8 kHz, and quiet.
    say(socket, Buffer.from(Array.from({ length: 8000 }, (_, at) => (at % 16 < 8 ? 0x10 : 0x90))), 800);
    say(socket, Buffer.alloc(6000, 0xff), 800);
    const events = await socket.until(is('response.done'));
    const bytes = events
      .filter(is('response.output_audio.delta'))
      .map(({ delta }) => Buffer.from(String(delta), 'base64'));
    const [billed] = gateway.twin.ledger.answers('gemini').map(({ billed: each }) => each);
    const seconds = Buffer.concat(bytes).length / 8000;
    expect(Math.abs(seconds - (billed?.outputAudioTokens ?? 0) / 25)).toBeLessThan(0.2);
    await socket.close();
  });
});

describe('the end of a vendor’s connection', () => {
  it('is gone on from in another one, which the client does not see', async () => {
    const socket = await open('bridged');
    socket.send(session({ output_modalities: ['text'] }));
    socket.send(user('the word is heron [[twin:go-away]]'));
    socket.send(ask);
    await socket.until(is('response.done'));
    await until(() => connections() === 2);
    socket.send(user('and now?'));
    socket.send(ask);
    // The earlier turns are known there.
    expect(await last(socket, 'response.output_text.done')).toMatchObject({
      text: expect.stringContaining('Turns so far: 3'),
    });
    expect(socket.events.filter(is('error', 'session.created'))).toHaveLength(1);
    await socket.close();
  });

  it('is the way to another configuration', async () => {
    const socket = await open();
    socket.send(session({ output_modalities: ['text'] }));
    socket.send(user('hello'));
    socket.send(ask);
    await socket.until(is('response.done'));
    const tools = [{ type: 'function', name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } }];
    socket.send(session({ tools }));
    socket.send(user('what is the weather?'));
    socket.send(ask);
    await socket.until(is('response.function_call_arguments.done'));
    expect(connections()).toBe(2);
    await socket.close();
  });
});

it.each<[string, JsonObject, JsonObject]>([
  ['an event that there is not', { type: 'session.upgrade' }, { param: 'type' }],
  ['nothing to cancel', { type: 'response.cancel' }, { code: 'response_cancel_not_active' }],
  [
    'a result of no call',
    { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' } },
    { param: 'item.call_id' },
  ],
])('says what is wrong with %s', async (_name, event, error) => {
  const socket = await open();
  socket.send({ ...event, event_id: 'mine' });
  expect(await last(socket, 'error')).toMatchObject({ error: { event_id: 'mine', ...error } });
  await socket.close();
});
