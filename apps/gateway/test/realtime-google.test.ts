/** Google's own realtime wire, by Google's own client. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GoogleGenAI, Modality, type LiveConnectConfig, type LiveServerMessage } from '@google/genai';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { spokenSound } from './realtime-sound.ts';

const LIVE = 'gemini-2.5-flash-native-audio';
const SPENT = 'sk-live-spent-0123456789abcdefghi';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    twinOptions: { media: 'real' },
    keys: `  - { name: spent, key: ${SPENT}, owner: 3, limits: { spend_total: 0.000002 } }`,
  });
});
afterAll(() => gateway.close());

interface Opening {
  readonly key?: string;
  readonly model?: string;
  readonly config?: LiveConnectConfig;
}

async function open({ key = gateway.liveKey, model = LIVE, config = {} }: Opening = {}) {
  const messages: LiveServerMessage[] = [];
  const closed: { code: number; reason: string }[] = [];
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
  const session = await client.live.connect({
    model,
    config: { responseModalities: [Modality.TEXT], ...config },
    callbacks: {
      onmessage: (message) => messages.push(message),
      onclose: ({ code, reason }) => closed.push({ code, reason }),
    },
  });
  const complete = (): number => messages.filter(({ serverContent }) => serverContent?.turnComplete === true).length;
  return { session, messages, closed, complete };
}

async function rows(): Promise<readonly JsonObject[]> {
  const reply = await fetch(`${gateway.url}/admin/requests?limit=50`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const { data } = (await reply.json()) as { data: JsonObject[] };
  return data.filter(({ operation, status }) => /^connectGeminiLive/.test(String(operation)) && status === 200);
}

it('holds a conversation, and each turn is a row with its price', async () => {
  const { session, messages, complete } = await open();
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'hello there' }] }] });
  await until(() => complete() === 1);
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'and again' }] }] });
  await until(() => complete() === 2);
  session.close();
  const text = messages
    .flatMap(({ serverContent }) => serverContent?.modelTurn?.parts?.map((part) => part.text) ?? [])
    .join('');
  expect(text).toContain('hello there');
  // One for the model that was asked for, and one for each turn.
  await until(async () => (await rows()).filter(({ charged }) => Number(charged) > 0).length === 2);
  const billed = gateway.twin.ledger.answers('gemini').map(({ billed: each }) => each.inputTokens);
  const charged = (await rows()).filter(({ charged: each }) => Number(each) > 0);
  expect(charged.map(({ input_tokens: each }) => each).sort()).toEqual(billed.sort());
  for (const row of charged) expect(row).toMatchObject({ model: LIVE, kind: 'realtime', vendor: 'gemini' });
});

it('hears and speaks', async () => {
  const { session, messages, complete } = await open({ config: { responseModalities: [Modality.AUDIO] } });
  const sound = await spokenSound();
  // As if it had been recorded at 16 kHz.
  session.sendRealtimeInput({ audio: { data: sound.toString('base64'), mimeType: 'audio/pcm;rate=16000' } });
  session.sendRealtimeInput({
    audio: { data: Buffer.alloc(32_000).toString('base64'), mimeType: 'audio/pcm;rate=16000' },
  });
  await until(() => complete() === 1);
  expect(messages.some(({ data }) => (data?.length ?? 0) > 1000)).toBe(true);
  session.close();
});

it('an answer to what came while another one was given is paid like any other', async () => {
  const before = (await rows()).filter(({ charged }) => Number(charged) > 0).length;
  const { session, messages, complete } = await open();
  const say = (text: string): void => session.sendClientContent({ turns: [{ role: 'user', parts: [{ text }] }] });
  say('talk on [[twin:long=60]] [[twin:pace=20]]');
  await until(() => messages.some(({ serverContent }) => serverContent?.modelTurn !== undefined));
  say('and now something else');
  await until(() => complete() === 2);
  session.close();
  await until(async () => (await rows()).filter(({ charged }) => Number(charged) > 0).length === before + 2);
});

it('a reason beyond what a closing frame holds is cut at a character', async () => {
  const address = `${gateway.url.replace('http', 'ws')}/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`;
  const socket = new WebSocket(address, { headers: { 'x-goog-api-key': gateway.liveKey } });
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code: number, reason: Buffer) => resolve([code, reason.toString()])),
  );
  await once(socket, 'open');
  socket.send(JSON.stringify({ setup: { model: '\u4e2d'.repeat(60) } }));
  const [code, reason] = await closed;
  expect(code).toBe(1008);
  expect(reason).toMatch(/\u4e2d$/);
  expect(Buffer.byteLength(reason)).toBeGreaterThan(118);
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
});

it('closes with the reason where a key has spent what it may', async () => {
  const { session, closed } = await open({ key: SPENT });
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'hello' }] }] });
  await until(() => closed.length > 0);
  expect(closed[0]).toMatchObject({ code: 1008, reason: expect.stringMatching(/cost|balance|spen/i) });
});

it.each([
  ['no such model', 'nobody'],
  ['a model of another form', 'gpt-realtime-2'],
])('refuses %s', async (_name, model) => {
  await expect(open({ model })).rejects.toThrow(/closed before setup completed \(code 100[78]\)/);
});

it('refuses a wrong key before it is a socket', async () => {
  await expect(open({ key: 'sk-live-nobody-0123456789abcdef' })).rejects.toThrow();
});
