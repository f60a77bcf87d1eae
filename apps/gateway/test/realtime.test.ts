/** Realtime conversations: OpenAI's events relayed over real sockets, with real sound, the twin behind. */
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { WebSocket } from 'ws';
import { openSocket, type TestSocket } from './open-socket.ts';
import { QUIET, spokenSound } from './realtime-sound.ts';

const GPT = 'gpt-realtime-2';
const SPENT = 'sk-live-spent-0123456789abcdefghi';
const NARROW = 'sk-live-narrow-0123456789abcdefgh';
const LIMITED = 'sk-live-limited-0123456789abcdefg';
const TRANSCRIBED = 'sk-live-transcribed-0123456789abc';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    twinOptions: { media: 'real' },
    keys: `  - { name: spent, key: ${SPENT}, owner: 3, limits: { spend_total: 0.000002 } }
  - { name: limited, key: ${LIMITED}, owner: 4, limits: { requests_per_minute: 2 } }
  - { name: transcribed, key: ${TRANSCRIBED}, owner: 9, limits: { requests_per_minute: 2 } }
  - { name: narrow, key: ${NARROW}, owner: 4, models: ['${GPT}'] }`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.twin.ledger.clear());

interface Opening {
  readonly key?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function open({ key = gateway.liveKey, model = GPT, headers = {} }: Opening = {}): Promise<TestSocket> {
  const path = `/v1/realtime?model=${model}`;
  const socket = await openSocket(gateway.url, { authorization: `Bearer ${key}`, ...headers }, path);
  await socket.until(({ type }) => type === 'session.created' || type === 'error');
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

function say(socket: TestSocket, sound: Buffer): void {
  for (let at = 0; at < sound.length; at += 4800)
    socket.send({ type: 'input_audio_buffer.append', audio: sound.subarray(at, at + 4800).toString('base64') });
}

async function last(socket: TestSocket, ...types: readonly string[]): Promise<JsonObject> {
  return (await socket.until(is(...types))).at(-1) ?? {};
}

async function rows(tag: string): Promise<readonly JsonObject[]> {
  const reply = await fetch(`${gateway.url}/admin/requests?limit=50&tag=${encodeURIComponent(`team=${tag}`)}`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  return ((await reply.json()) as { data: JsonObject[] }).data;
}

async function detailsOf(id: unknown): Promise<JsonObject | undefined> {
  const captures = await gateway.server.parts.store.ledger.entries({ kind: 'capture', limit: 200 });
  return captures.find(({ requestId }) => requestId === id)?.detail;
}

describe('a conversation', () => {
  it('is held in sound, and each response is a row with its price', async () => {
    const socket = await open({ headers: { 'x-gateway-tags': 'team=spoken' } });
    say(socket, await spokenSound());
    say(socket, QUIET);
    const events = await socket.until(is('response.done'));
    const sound = events
      .filter(is('response.output_audio.delta'))
      .map(({ delta }) => Buffer.from(String(delta), 'base64'));
    expect(Buffer.concat(sound).some((byte) => byte !== 0)).toBe(true);
    socket.send({ type: 'response.create' });
    await socket.until(is('response.done'));
    await socket.close();
    await until(async () => (await rows('spoken')).filter(({ status }) => status === 200).length === 2);
    const told = await rows('spoken');
    // The request that opened it is one, too.
    expect(told.map(({ status }) => status).sort()).toEqual([101, 200, 200]);
    for (const row of told.filter(({ status }) => status === 200))
      expect(row).toMatchObject({
        operation: 'connectRealtime',
        kind: 'realtime',
        model: GPT,
        streamed: true,
        aborted: false,
      });
    // As the vendor's own books have it: nothing more, nothing less.
    const billed = gateway.twin.ledger.answers('openai').map(({ billed: each }) => each.inputTokens);
    expect(told.flatMap(({ input_tokens: each }) => each ?? []).sort()).toEqual(billed.sort());
    const second = await detailsOf(told.find(({ status }) => status === 200)?.['id']);
    const items = (second?.['lines'] as { item: string }[]).map(({ item }) => item);
    expect(items).toEqual(expect.arrayContaining(['cached_input', 'cached_input_audio', 'output', 'output_audio']));
  });

  it('is held by OpenAI’s own client, which calls functions', async () => {
    const { port } = new URL(gateway.url);
    const openai = new OpenAI({ apiKey: gateway.liveKey, baseURL: `${gateway.url}/v1` });
    // The client insists on TLS, which nobody speaks here.
    const options = { createConnection: () => connect(Number(port), '127.0.0.1') };
    const client = new OpenAIRealtimeWS({ model: GPT, options }, openai);
    const events: RealtimeServerEvent[] = [];
    const errors: unknown[] = [];
    client.on('event', (event) => events.push(event));
    client.on('error', (error) => errors.push(error));
    const send = (event: JsonObject): void => client.send(event as unknown as RealtimeClientEvent);
    const done = (): number => events.filter(({ type }) => type === 'response.done').length;
    await until(() => events.some(({ type }) => type === 'session.created'));
    const tools = [{ type: 'function', name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } }];
    send(session({ output_modalities: ['text'], tools }));
    send(user('what is the weather?'));
    send({ type: 'response.create' });
    await until(() => done() === 1);
    const call = events.find((event) => event.type === 'response.function_call_arguments.done');
    expect(call).toMatchObject({ name: 'get_weather' });
    send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: (call as { call_id: string }).call_id, output: 'rain' },
    });
    send({ type: 'response.create' });
    await until(() => done() === 2);
    client.close();
    expect(errors).toEqual([]);
    expect(events.find((event) => event.type === 'response.output_text.done')).toMatchObject({
      text: expect.stringContaining('rain'),
    });
    const created = events.find((event) => event.type === 'session.created');
    expect(created).toMatchObject({ session: { model: GPT } });
  });

  it('takes the key of a browser as a sub-protocol', async () => {
    const url = `${gateway.url.replace('http', 'ws')}/v1/realtime?model=${GPT}`;
    const socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${gateway.liveKey}`]);
    const first = await new Promise<JsonObject>((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as JsonObject));
      socket.once('error', reject);
    });
    expect([socket.protocol, first['type']]).toEqual(['realtime', 'session.created']);
    socket.close();
  });

  it('is transcribed at the price of the model that does it', async () => {
    const socket = await open({ headers: { 'x-gateway-tags': 'team=heard' } });
    const transcription = { model: 'gpt-4o-transcribe' };
    socket.send(session({ audio: { input: { transcription } } }));
    expect(await last(socket, 'session.updated')).toMatchObject({ session: { audio: { input: { transcription } } } });
    say(socket, await spokenSound());
    say(socket, QUIET);
    await socket.until(is('response.done'));
    await socket.close();
    await until(async () => (await rows('heard')).length === 3);
    const told = (await rows('heard')).map(({ model, charged }) => ({ model, paid: Number(charged) > 0 }));
    expect(told).toEqual(
      expect.arrayContaining([
        { model: 'gpt-4o-transcribe', paid: true },
        { model: GPT, paid: true },
      ]),
    );
  });

  it('a transcript that is refused is not told, and who has it refused again and again is hung up on', async () => {
    const socket = await open({ key: TRANSCRIBED });
    socket.send(session({ audio: { input: { transcription: { model: 'gpt-4o-transcribe' }, turn_detection: null } } }));
    await socket.until(is('session.updated'));
    // The second request of the minute is the first transcript.
    for (let piece = 0; piece < 4; piece++) {
      say(socket, Buffer.alloc(48_000, 40));
      socket.send({ type: 'input_audio_buffer.commit' });
    }
    await until(() => socket.closed() !== undefined);
    expect(socket.closed()).toBe(1008);
    const told = socket.events.filter(is('conversation.item.input_audio_transcription.completed'));
    expect(told.length).toBeLessThanOrEqual(1);
  });

  it('goes on after an error of the vendor’s, which costs nothing', async () => {
    const socket = await open({ headers: { 'x-gateway-tags': 'team=wrong' } });
    socket.send({ type: 'response.create', event_id: 'mine', response: { nonsense: 1 } });
    expect(await last(socket, 'error')).toMatchObject({ error: { event_id: 'mine', code: 'unknown_parameter' } });
    socket.send({ type: 'response.create', response: { nonsense: 1 } });
    expect(await last(socket, 'error')).toMatchObject({ error: { event_id: null } });
    socket.send(user('hello'));
    socket.send({ type: 'response.create' });
    expect(await last(socket, 'response.done')).toMatchObject({ response: { status: 'completed' } });
    await socket.close();
    await until(async () => (await rows('wrong')).length === 4);
    expect((await rows('wrong')).filter(({ charged }) => Number(charged) > 0)).toHaveLength(1);
  });
});

describe('a session that only transcribes', () => {
  const transcription = (model: string): JsonObject => ({
    type: 'session.update',
    session: { type: 'transcription', audio: { input: { transcription: { model } } } },
  });
  const openFor = async (query: string, tag: string): Promise<TestSocket> => {
    const headers = { authorization: `Bearer ${gateway.liveKey}`, 'x-gateway-tags': `team=${tag}` };
    const socket = await openSocket(gateway.url, headers, `/v1/realtime?${query}`);
    const [created] = await socket.until(is('session.created'));
    expect(created).toMatchObject({ session: { type: 'transcription' } });
    return socket;
  };

  it.each([
    ['intent=transcription', 'unnamed'],
    ['intent=transcription&model=gpt-4o-transcribe', 'named'],
  ])('is opened by %s, and charged by what is written down', async (query, tag) => {
    const socket = await openFor(query, tag);
    socket.send(transcription('gpt-4o-transcribe'));
    const updated = await last(socket, 'session.updated', 'error');
    expect(updated).toMatchObject({ session: { audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } } });
    say(socket, await spokenSound());
    say(socket, QUIET);
    const done = await last(socket, 'conversation.item.input_audio_transcription.completed');
    expect(done).toMatchObject({ transcript: expect.stringMatching(/\w/) });
    expect(socket.events.filter(is('session.created'))).toHaveLength(1);
    await socket.close();
    await until(async () => (await rows(tag)).some(({ charged }) => Number(charged) > 0));
    const paid = (await rows(tag)).filter(({ charged }) => Number(charged) > 0);
    expect(paid).toMatchObject([{ model: 'gpt-4o-transcribe', kind: 'transcription' }]);
  });

  it('says what is wrong with its model, and takes another one', async () => {
    const socket = await openFor('intent=transcription', 'wrong-model');
    say(socket, QUIET);
    expect(await last(socket, 'error')).toMatchObject({ error: { type: 'invalid_request_error' } });
    await socket.until(is('error'));
    socket.send(transcription('nobody'));
    const isUnknown = ({ error }: JsonObject): boolean =>
      (error as JsonObject | undefined)?.['code'] === 'model_not_found';
    await socket.until(isUnknown);
    socket.send(transcription('gpt-realtime-whisper'));
    await socket.until(is('session.updated'));
    await socket.close();
  });
});

describe('what is refused', () => {
  it.each<[string, Opening, number, string]>([
    ['no such model', { model: 'nobody' }, 400, 'model_not_found'],
    ['a model of another kind', { model: 'gpt-5.2' }, 400, 'model'],
    ['a wrong key', { key: 'sk-live-nobody-0123456789abcdef' }, 401, 'invalid_api_key'],
    ['a model that the key may not use', { key: NARROW, model: 'gpt-realtime-2.1-mini' }, 403, 'may not use'],
  ])('before it is a socket: %s', async (_name, opening, status, text) => {
    await expect(open(opening)).rejects.toMatchObject({ status, text: expect.stringContaining(text) });
  });

  it('over HTTP says what is missing', async () => {
    const headers = { authorization: `Bearer ${gateway.liveKey}` };
    const plain = await fetch(`${gateway.url}/v1/realtime?model=${GPT}`, { headers });
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
  });

  it('a key that is spent, with an event and a close', async () => {
    const socket = await open({ key: SPENT });
    socket.send(user('hello'));
    socket.send({ type: 'response.create', event_id: 'mine' });
    expect(await last(socket, 'error')).toMatchObject({ error: { code: 'insufficient_quota', event_id: 'mine' } });
    await until(() => socket.closed() !== undefined);
    expect(socket.closed()).toBe(1008);
    expect(gateway.twin.ledger.answers('openai')).toHaveLength(0);
  });

  it('a key that is spent, when its voice is heard', async () => {
    const socket = await open({ key: SPENT });
    say(socket, await spokenSound());
    expect(await last(socket, 'error')).toMatchObject({ error: { code: 'insufficient_quota' } });
    await until(() => socket.closed() !== undefined);
    expect(gateway.twin.ledger.answers('openai')).toHaveLength(0);
  });

  it('responses beyond the limits of a key, and the socket stays open', async () => {
    const socket = await open({ key: LIMITED });
    socket.send({ type: 'response.create' });
    await socket.until(is('response.done'));
    socket.send({ type: 'response.create' });
    expect(await last(socket, 'error', 'response.done')).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(socket.closed()).toBeUndefined();
    await socket.close();
  });

  it.each<[string, string, JsonObject]>([
    ['no JSON', '{', {}],
    ['no object', '[]', {}],
    ['another model', JSON.stringify(session({ model: 'gpt-realtime-2.1-mini' })), { param: 'session.model' }],
    [
      'a model that transcribes nothing',
      JSON.stringify(session({ audio: { input: { transcription: { model: 'gpt-5.2' } } } })),
      { param: 'model' },
    ],
    ['an event that there is not', '{"type":"session.upgrade"}', { param: 'type' }],
  ])('is an event: %s', async (_name, text, error) => {
    const socket = await open();
    socket.webSocket.send(text);
    expect(await last(socket, 'error')).toMatchObject({ error: { type: 'invalid_request_error', ...error } });
    await socket.close();
  });
});
