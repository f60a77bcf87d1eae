/** Client secrets: short-lived tokens that browsers open realtime conversations with. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import type { RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime';
import { openSocket, type TestSocket } from './open-socket.ts';

const GPT = 'gpt-realtime-2';
const NARROW = 'sk-live-narrow-0123456789abcdefgh';
const SPENT = 'sk-live-spent-0123456789abcdefghi';

let gateway: TestGateway;
let clock = Date.now();
beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => clock,
    keys: `  - { name: narrow, key: ${NARROW}, owner: 4, models: ['${GPT}'] }
  - { name: spent, key: ${SPENT}, owner: 3, limits: { spend_total: 0.000002 } }`,
  });
});
afterAll(() => gateway.close());

const SESSION: JsonObject = {
  type: 'realtime',
  model: GPT,
  instructions: 'You know the tides of Brest.',
  output_modalities: ['text'],
};

function client(apiKey = gateway.liveKey): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

async function make(session: JsonObject = SESSION, { key = gateway.liveKey, seconds = 600 } = {}) {
  return client(key).realtime.clientSecrets.create({
    expires_after: { anchor: 'created_at', seconds },
    session: session as unknown as RealtimeSessionCreateRequest,
  });
}

/** As a browser opens one. */
async function open(value: string, query = `?model=${GPT}`): Promise<TestSocket> {
  return openSocket(gateway.url, {}, `/v1/realtime${query}`, ['realtime', `openai-insecure-api-key.${value}`]);
}

const isCreated = ({ type }: JsonObject): boolean => type === 'session.created';
const isDone = ({ type }: JsonObject): boolean => type === 'response.done' || type === 'error';

it('opens the session that it was made for, and is paid by its key', async () => {
  const { value, expires_at: end, session } = await make();
  expect(value).toMatch(/^ek_[\w-]{43}$/);
  expect(end).toBe(Math.floor((clock + 600_000) / 1000));
  expect(session).toMatchObject({ ...SESSION, object: 'realtime.session', id: expect.stringMatching(/^sess_/) });

  const socket = await open(value, '');
  const [created] = await socket.until(isCreated);
  expect(created).toMatchObject({ session: { model: GPT, instructions: SESSION['instructions'] } });
  socket.send({ type: 'response.create' });
  expect((await socket.until(isDone)).at(-1)).toMatchObject({ response: { status: 'completed' } });
  // Its end is the end of opening, not of what is open.
  clock += 601_000;
  socket.send({ type: 'response.create' });
  expect((await socket.until(isDone)).at(-1)).toMatchObject({ response: { status: 'completed' } });
  await socket.close();
  await expect(open(value)).rejects.toMatchObject({ status: 401, text: expect.stringContaining('has expired') });
  const { ledger } = gateway.server.parts.store;
  await until(async () => (await ledger.entries({ kind: 'capture', limit: 10 })).length === 2);
});

it('is a bearer token, too, and opens nothing else', async () => {
  const { value } = await make();
  const headers = { authorization: `Bearer ${value}` };
  const socket = await openSocket(gateway.url, headers, `/v1/realtime?model=${GPT}`);
  await socket.until(isCreated);
  await socket.close();
  for (const path of ['/v1/models', '/v1/me']) {
    const reply = await fetch(`${gateway.url}${path}`, { headers });
    expect(reply.status).toBe(401);
  }
});

it('is bound to its model and to the rights of its key', async () => {
  const { value } = await make();
  await expect(open(value, '?model=gpt-realtime-2.1-mini')).rejects.toMatchObject({ status: 403 });
  const other = { ...SESSION, model: 'gpt-realtime-2.1-mini' };
  await expect(make(other, { key: NARROW })).rejects.toMatchObject({ status: 403 });
  await expect(make({ ...SESSION, model: 'gpt-5.2' })).rejects.toMatchObject({ status: 400, param: 'session.model' });
  await expect(make(SESSION, { seconds: 9 })).rejects.toMatchObject({ status: 400 });
  await expect(open('ek_nobody')).rejects.toMatchObject({ status: 401 });
});

it('has no more money than its key', async () => {
  const { value } = await make(SESSION, { key: SPENT });
  const socket = await open(value);
  await socket.until(isCreated);
  socket.send({ type: 'response.create' });
  expect((await socket.until(isDone)).at(-1)).toMatchObject({ error: { code: 'insufficient_quota' } });
  await until(() => socket.closed() !== undefined);
});

it('dies with its key, an open session at its next response', async () => {
  const admin = { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' };
  const reply = await fetch(`${gateway.url}/admin/keys`, {
    method: 'POST',
    headers: admin,
    body: JSON.stringify({ name: 'short-lived', mode: 'live' }),
  });
  const { secret: key, key: made } = (await reply.json()) as { secret: string; key: { id: number } };
  const { value } = await make(SESSION, { key });
  const socket = await open(value);
  await socket.until(isCreated);
  await fetch(`${gateway.url}/admin/keys/${made.id}`, { method: 'DELETE', headers: admin });
  socket.send({ type: 'response.create' });
  expect((await socket.until(isDone)).at(-1)).toMatchObject({ type: 'error' });
  await until(() => socket.closed() !== undefined);
  await expect(open(value)).rejects.toMatchObject({ status: 401, text: expect.stringContaining('revoked') });
});
