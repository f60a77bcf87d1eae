/** The bounds of a realtime session's life: its time, the time in which nothing is said, shutdown, vendors that are gone or never begin. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { quoteOfTurn, type ModelRow, type Offer, type RealtimeLine } from '@model-gateway/core';
import { SocketDouble } from '../../../test/socket-double.ts';
import type { OpenSocket } from '../../http/upgrades.ts';
import { GeminiSession } from './gemini-session.ts';
import { lineOf } from './line.ts';
import { RealtimeSession } from './session.ts';
import { LineRequest, RealtimeTurn } from './turns.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOOK = 30 * SECOND;
const SOUND = { type: 'input_audio_buffer.append', audio: 'A'.repeat(64 * 1024) };
const HELLO = { clientContent: { turns: [], turnComplete: true } };
const PICTURE = 'A/+9'.repeat(25_000);

let client: SocketDouble;
let vendor: SocketDouble;
/** Turns that were asked for, oldest first. */
let turns: RealtimeTurn[];
beforeEach(() => {
  vi.useFakeTimers();
  client = new SocketDouble();
  vendor = new SocketDouble();
  turns = [];
});
afterEach(() => {
  client.terminate();
  vi.useRealTimers();
});

const parts = { now: () => Date.now(), randomId: () => 'id' };
const row = { code: 'talk' } as ModelRow;

function lineWith(wire: RealtimeLine['wire']): RealtimeLine {
  const offer = { model: 'upstream' } as Offer;
  const reopen = (): Promise<never> => Promise.reject(new Error('no other connection'));
  return { wire, socket: vendor.line, offer, row, asked: row, reopen, scrub: (text) => text };
}

/** An open socket whose turns are all admitted. */
function openWith(line: RealtimeLine): OpenSocket {
  const ask = ({ context }: { readonly context?: object }): Promise<never> => {
    if (context instanceof LineRequest) context.line = line;
    if (context instanceof RealtimeTurn) {
      turns.push(context);
      context.begun();
    }
    return (context instanceof LineRequest
      ? Promise.resolve({ statusCode: 200, resume: () => undefined })
      : new Promise(() => undefined)) as unknown as Promise<never>;
  };
  return { webSocket: client.line, ask, came: () => () => undefined };
}

async function open(wire: RealtimeLine['wire'] = 'openai-realtime'): Promise<RealtimeSession> {
  const given = lineWith(wire);
  const line = await lineOf(given, 'talk', parts);
  const opened = { line, offer: given.offer, row, model: 'talk', transcribes: false, scrub: given.scrub };
  return new RealtimeSession(openWith(given), opened, {
    ...parts,
    transcriberOf: () => {
      throw new Error('nothing is written down here');
    },
  });
}

async function openGoogle(): Promise<GeminiSession> {
  const session = new GeminiSession(openWith(lineWith('gemini-live')), { ...parts, path: '/' });
  await client.hear({ setup: { model: 'models/talk' } });
  return session;
}

/** Time in which both sides answer every ping. */
function passAlive(ms: number): void {
  for (let left = ms; left > 0; left -= LOOK) {
    vi.advanceTimersByTime(Math.min(left, LOOK));
    client.emit('pong');
    vendor.emit('pong');
  }
}

const told = (type: string): JsonObject[] => client.sent.filter((event) => event['type'] === type);
const closed = (socket: SocketDouble): string[] => socket.done.filter((each) => /^(?:close|terminate)/.test(each));
const created = (id: string): JsonObject => ({ type: 'response.created', response: { id, status: 'in_progress' } });
const done = (id: string): JsonObject => ({ type: 'response.done', response: { id, status: 'completed' } });

describe('a session', () => {
  it('in which nothing is said for 30 minutes is closed, and its vendor too', async () => {
    await open();
    passAlive(29 * MINUTE);
    await client.hear({ type: 'input_audio_buffer.clear' });
    passAlive(29 * MINUTE + LOOK);
    expect(closed(client)).toEqual([]);
    passAlive(LOOK);
    expect(closed(client)).toEqual(['close 1000']);
    expect(closed(vendor)[0]).toBe('close 1000');
  });

  it('is not idle while a response is under way', async () => {
    await open();
    await client.hear({ type: 'response.create' });
    await vendor.hear(created('one'));
    passAlive(40 * MINUTE);
    expect(closed(client)).toEqual([]);
  });

  it('ends after 60 minutes, by an event that says so, and bills what was under way', async () => {
    await open();
    await client.hear({ type: 'response.create' });
    await vendor.hear(created('one'));
    await vendor.hear({ type: 'response.output_text.delta', response_id: 'one', delta: 'hello' });
    passAlive(59 * MINUTE + LOOK);
    expect(closed(client)).toEqual([]);
    passAlive(LOOK);
    expect(told('error')).toHaveLength(1);
    expect(closed(client)).toEqual(['close 1000']);
    expect(await turns[0]?.ended).toMatchObject({ isLeft: true, usage: { outputTokens: 2, estimated: true } });
  });

  it('is closed at shutdown: at once when nothing is said, else after the response that is under way', async () => {
    const idle = await open();
    idle.drain();
    expect(closed(client)).toEqual(['close 1001']);

    client = new SocketDouble();
    vendor = new SocketDouble();
    const busy = await open();
    await client.hear({ type: 'response.create' });
    await vendor.hear(created('one'));
    busy.drain();
    await client.hear({ type: 'response.create' });
    expect(told('error')).toHaveLength(1);
    expect(closed(client)).toEqual([]);
    await vendor.hear(done('one'));
    expect(told('response.done')).toHaveLength(1);
    expect(closed(client)).toEqual(['close 1001']);
  });

  it('gives back what was set aside for speech: at shutdown, and when nobody answers it for a minute', async () => {
    const session = await open();
    await vendor.hear({ type: 'input_audio_buffer.speech_started' });
    passAlive(MINUTE - LOOK);
    await vendor.hear({ type: 'input_audio_buffer.speech_started' });
    expect(turns).toHaveLength(1);
    passAlive(LOOK);
    expect(await turns[0]?.ended).toEqual({ usage: undefined });

    await vendor.hear({ type: 'input_audio_buffer.speech_started' });
    expect(turns).toHaveLength(2);
    session.drain();
    expect(await turns[1]?.ended).toEqual({ usage: undefined });
    expect(closed(client)).toEqual(['close 1001']);
  });

  it('whose vendor answers no ping ends with an error', async () => {
    await open();
    for (let looks = 0; looks < 2; looks++) {
      vi.advanceTimersByTime(LOOK);
      client.emit('pong');
    }
    expect(told('error')).toMatchObject([{ error: { message: expect.stringContaining('vendor') } }]);
    expect(closed(client)).toEqual(['close 1011']);
  });

  it('whose vendor hangs up tells so of every turn, also of one that was not begun', async () => {
    await open();
    await client.hear({ type: 'response.create' });
    await vendor.hear(created('one'));
    await client.hear({ type: 'response.create' });
    vendor.close(1011);
    for (const turn of turns) expect(await turn.ended).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(turns).toHaveLength(2);
  });

  it.each([
    ['ends one in which nothing is asked', { type: 'input_audio_buffer.speech_started' }, undefined, 0],
    ['owes an answer', undefined, { type: 'response.create' }, 1],
  ])('whose vendor %s', async (_name, heard, asked, errors) => {
    await open();
    if (heard !== undefined) await vendor.hear(heard);
    if (asked !== undefined) await client.hear(asked);
    vendor.close(1000);
    const end = await turns[0]?.ended;
    expect(end?.isLeft).toBeUndefined();
    expect(end?.error?.code).toBe(errors === 0 ? undefined : 'upstream_unavailable');
    expect(told('error')).toHaveLength(errors);
  });
});

describe('pictures and sound', () => {
  const outlookOf = (at: number) => turns[at]?.order.outlook;
  const item = (content: JsonObject): JsonObject => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [content] },
  });
  const ask = { type: 'response.create' };

  it('in a conversation in OpenAI’s words are no text', async () => {
    await open();
    await client.hear(item({ type: 'input_image', image_url: `data:image/jpeg;base64,${PICTURE}` }));
    await client.hear(ask);
    expect(outlookOf(0)?.textTokens).toBeGreaterThan(2000);
    expect(outlookOf(0)?.textTokens).toBeLessThan(2100);
    await client.hear(item({ type: 'input_audio', audio: PICTURE }));
    await client.hear({ ...ask, response: { input: [{ content: [{ type: 'input_audio', audio: PICTURE }] }] } });
    // Of a second of sound, 10.
    expect(outlookOf(1)?.audioTokens).toBe(Math.ceil((2 * 75_000) / 4800));
    expect(outlookOf(1)?.textTokens).toBeLessThan(2200);
  });

  it.each([
    { type: 'input_text', text: PICTURE },
    { type: 'input_text', text: `"data:image/png;base64,${PICTURE}" "data": "${PICTURE}"` },
    { type: 'input_image', image_url: `data:image/png;base64,${PICTURE} and words` },
  ])('what only looks like one is read as text ($type)', async (content) => {
    await open();
    await client.hear(item(content));
    await client.hear(ask);
    expect(outlookOf(0)?.textTokens).toBeGreaterThan(25_000);
  });

  const jpeg = { data: PICTURE, mimeType: 'image/jpeg' };
  const pcm = { data: PICTURE, mimeType: 'audio/pcm;rate=16000' };
  it.each([
    ['a frame', { realtimeInput: { video: jpeg } }, 258, 0],
    ['a frame among media', { realtimeInput: { mediaChunks: [jpeg] } }, 258, 0],
    ['a frame and sound', { realtimeInput: { mediaChunks: [jpeg, pcm] } }, 258, 24],
    ['a picture', { clientContent: { turns: [{ parts: [{ inlineData: jpeg }] }] } }, 2000, 0],
    ['a sound', { clientContent: { turns: [{ parts: [{ inlineData: pcm }] }] } }, 0, 24],
    ['streamed sound', { realtimeInput: { audio: pcm } }, 0, 24],
    ['a result', { toolResponse: { functionResponses: [{ response: { data: PICTURE } }] } }, 25_000, 0],
  ])('in Google’s words: %s', async (_name, message, textTokens, audioTokens) => {
    await openGoogle();
    await client.hear(message);
    expect(outlookOf(0)?.audioTokens).toBe(audioTokens);
    expect(outlookOf(0)?.textTokens).toBeGreaterThanOrEqual(textTokens);
    expect(outlookOf(0)?.textTokens).toBeLessThan(textTokens + 60);
  });

  it('count for no more than a model can take', () => {
    const outlook = { contextTokens: 0, textTokens: 9e6, audioTokens: 9e6, mostOutput: undefined };
    const { most, least } = quoteOfTurn(outlook, { limits: { max_input_tokens: 32_000 } });
    expect(least).toMatchObject({ inputTokens: 32_000, inputAudioTokens: 32_000 });
    expect(most.inputTokens).toBe(32_000);
  });
});

describe('a session over Gemini Live', () => {
  it('reads nothing of its client while a vendor that has not begun has 256 KB to take, and all of it arrives', async () => {
    await open('gemini-live');
    for (let at = 0; at < 10; at++) await client.hear(SOUND);
    expect(client.done).toContain('pause');
    expect(vendor.sent.filter((message) => message['realtimeInput'] !== undefined)).toEqual([]);
    await vendor.hear({ setupComplete: {} });
    expect(client.done.at(-1)).toBe('resume');
    expect(vendor.sent.filter((message) => message['realtimeInput'] !== undefined)).toHaveLength(10);
    expect(closed(client)).toEqual([]);
  });

  it('whose vendor does not begin in 30 seconds ends with an error', async () => {
    await open('gemini-live');
    await client.hear(SOUND);
    vi.advanceTimersByTime(29 * SECOND);
    expect(closed(client)).toEqual([]);
    vi.advanceTimersByTime(SECOND);
    expect(told('error')).toHaveLength(1);
    expect(closed(client)).toEqual(['close 1011']);
  });
});

describe('a session in Google’s own words', () => {
  it('is closed after 30 minutes in which nothing is said, and after 60', async () => {
    await openGoogle();
    passAlive(29 * MINUTE);
    await client.hear(HELLO);
    passAlive(29 * MINUTE);
    await client.hear(HELLO);
    expect(closed(client)).toEqual([]);
    passAlive(2 * MINUTE);
    expect(closed(client)).toEqual(['close 1000']);
    expect(closed(vendor)[0]).toBe('close 1000');
  });

  it('is closed at shutdown: at once when nothing is said, else after the turn that is under way', async () => {
    (await openGoogle()).drain();
    expect(closed(client)).toEqual(['close 1001']);

    client = new SocketDouble();
    vendor = new SocketDouble();
    const busy = await openGoogle();
    await client.hear(HELLO);
    await vendor.hear({ serverContent: { modelTurn: { parts: [{ text: 'hel' }] } } });
    busy.drain();
    expect(closed(client)).toEqual([]);
    await vendor.hear({ serverContent: { turnComplete: true } });
    expect(closed(client)).toEqual(['close 1001']);
  });

  it.each([
    ['in the middle of an answer', (): unknown => vendor.close(1000), { outputTokens: 1 }, 1000],
    ['with a fault before an answer', (): unknown => vendor.close(1011), undefined, 1011],
    ['without a word', (): unknown => vendor.terminate(), undefined, 1011],
    ['by answering no ping', (): unknown => vi.advanceTimersByTime(2 * LOOK), { outputTokens: 1 }, 1011],
  ])('whose vendor is gone %s was not left by its client', async (_name, go, usage, code) => {
    await openGoogle();
    await client.hear(HELLO);
    if (usage !== undefined) await vendor.hear({ serverContent: { modelTurn: { parts: [{ text: 'hel' }] } } });
    client.ping = () => client.emit('pong');
    go();
    const end = await turns[0]?.ended;
    expect(end).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(end?.isLeft).toBeUndefined();
    expect(end?.usage).toEqual(usage === undefined ? undefined : expect.objectContaining(usage));
    expect(closed(client)).toEqual([`close ${code}`]);
  });

  it('whose vendor ends it while nothing is said has no fault in its log', async () => {
    await openGoogle();
    await client.hear(HELLO);
    vendor.close(1001);
    expect(await turns[0]?.ended).toEqual({ usage: undefined });
    expect(closed(client)).toEqual(['close 1001']);
  });
});
