/** Every test of the official Open Responses suite that `open-responses.test.ts` has no case for: chains over a WebSocket, compaction, phases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { isEnd, openSocket, type TestSocket } from './open-socket.ts';

const MODELS = ['gpt-5.2-pro', 'gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro', 'qwen3-max', 'deepseek-chat'];
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
  });
});
afterAll(() => gateway.close());

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${gateway.liveKey}`,
  'content-type': 'application/json',
});
async function post(path: string, body: JsonObject): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(body),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}
/** Sends one request and gives its last event. */
async function turn(socket: TestSocket, body: JsonObject): Promise<JsonObject> {
  socket.send({ type: 'response.create', store: false, ...body });
  return (await socket.until((event) => isEnd(event) || event['type'] === 'error')).at(-1)!;
}
async function withSocket<T>(work: (socket: TestSocket) => Promise<T>): Promise<T> {
  const socket = await openSocket(gateway.url, headers());
  try {
    return await work(socket);
  } finally {
    await socket.close();
  }
}
const idIn = ({ response }: JsonObject): string =>
  isJsonObject(response ?? null) ? String((response as JsonObject)['id']) : '';
const codeIn = ({ error }: JsonObject): Json | undefined => (error as JsonObject | undefined)?.['code'];
const said = (role: string, content: Json, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'message', role, content },
  ...more,
});

describe.each(MODELS)('%s', (model) => {
  it('takes messages of the assistant with phases', async () => {
    const input = [
      said('assistant', 'I should answer with the saved number.', { phase: 'commentary' }),
      said('assistant', 'The number is four.', { phase: 'final_answer' }),
      said('user', 'Repeat only the number.'),
    ];
    expect(await post('/v1/responses', { model, input })).toMatchObject({ status: 200, json: { status: 'completed' } });
    expect(await withSocket((socket) => turn(socket, { model, input }))).toMatchObject({ type: 'response.completed' });
  });

  it('warms a WebSocket up, asks nobody, and goes on from that', () =>
    withSocket(async (socket) => {
      gateway.twin.requests.clear();
      const instructions = 'Answer in verse.';
      socket.send({ type: 'response.create', store: false, generate: false, model, instructions, input: 'Cobalt.' });
      const events = await socket.until(isEnd);
      expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.completed']);
      expect(events.at(-1)).toMatchObject({ response: { status: 'completed', output: [], instructions } });
      expect(gateway.twin.requests.last()).toBeUndefined();
      const next = await turn(socket, { model, input: 'Go on.', previous_response_id: idIn(events.at(-1)!) });
      expect(next['type']).toBe('response.completed');
      expect(gateway.twin.requests.last()?.body).toContain('Cobalt.');
    }));

  it('answers one after another over a WebSocket', () =>
    withSocket(async (socket) => {
      const ends = [await turn(socket, { model, input: 'first' }), await turn(socket, { model, input: 'second' })];
      expect(ends.map(({ type }) => type)).toEqual(['response.completed', 'response.completed']);
      expect(new Set(ends.map(idIn)).size).toBe(2);
    }));

  it('goes on from what is not kept, within the connection and not beyond it', async () => {
    const id = await withSocket(async (socket) => {
      const first = await turn(socket, { model, input: 'The code word is cobalt.' });
      gateway.twin.requests.clear();
      const next = await turn(socket, { model, input: 'Which?', previous_response_id: idIn(first) });
      expect(next).toMatchObject({
        type: 'response.completed',
        response: { status: 'completed', previous_response_id: idIn(first) },
      });
      // A vendor that is asked over a socket, too, remembers it itself.
      const knows = new RegExp(`cobalt|"previous_response_id":"${idIn(first)}"`);
      expect(gateway.twin.requests.last()?.body).toMatch(knows);
      return idIn(next);
    });
    await withSocket(async (socket) => {
      const lost = await turn(socket, { model, input: 'Which?', previous_response_id: id });
      expect([lost['type'], codeIn(lost)]).toEqual(['error', 'previous_response_not_found']);
      const anew = await turn(socket, { model, input: [said('user', 'Begin anew.')] });
      expect(anew).toMatchObject({ type: 'response.completed', response: { previous_response_id: null } });
    });
  });

  it('says that there is no such earlier response', () =>
    withSocket(async (socket) => {
      const lost = await turn(socket, { model, input: 'Why?', previous_response_id: 'resp_that_never_was' });
      expect([lost['type'], codeIn(lost)]).toEqual(['error', 'previous_response_not_found']);
    }));

  it('forgets what a failed request went on from', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { model, input: 'The code word is ember.' });
      const orphan = { type: 'function_call_output', call_id: 'call_that_never_was', output: 'No call asked for it.' };
      const failed = await turn(socket, { model, input: [orphan], previous_response_id: idIn(first) });
      expect(failed['type']).not.toBe('response.completed');
      const stale = await turn(socket, { model, input: 'Which?', previous_response_id: idIn(first) });
      expect([stale['type'], codeIn(stale)]).toEqual(['error', 'previous_response_not_found']);
    }));

  it('remembers what a request went on from that met an outage', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { model, input: 'The code word is ember.' });
      const out = await turn(socket, { model, input: '[[twin:503]] Which?', previous_response_id: idIn(first) });
      expect(out['type']).not.toBe('response.completed');
      const next = await turn(socket, { model, input: 'Which?', previous_response_id: idIn(first) });
      expect(next['type']).toBe('response.completed');
    }));

  it('compacts a conversation, from which a WebSocket goes on', async () => {
    const input = [
      said('user', 'We agreed to launch on Tuesday and notify support first.'),
      said('assistant', 'Understood. The launch is Tuesday.'),
      said('user', [{ type: 'input_text', text: 'Compress this conversation.' }]),
    ];
    const { status, json } = await post('/v1/responses/compact', { model, input, prompt_cache_key: 'launch' });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        id: expect.any(String),
        object: 'response.compaction',
        created_at: expect.any(Number),
        usage: {
          input_tokens: expect.any(Number),
          output_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
          input_tokens_details: { cached_tokens: expect.any(Number) },
          output_tokens_details: { reasoning_tokens: expect.any(Number) },
        },
      },
    });
    const output = json['output'] as JsonObject[];
    expect(output.at(-1)).toEqual({
      id: expect.any(String),
      type: 'compaction',
      encrypted_content: expect.any(String),
    });
    for (const item of output.slice(0, -1))
      expect(item).toEqual({
        ...{ id: expect.any(String), type: 'message', status: 'completed', role: 'user' },
        content: [{ type: 'input_text', text: expect.any(String) }],
      });
    const next = { model, input: [...output, said('user', 'Continue from here.')], tools: [] };
    expect(await withSocket((socket) => turn(socket, next))).toMatchObject({ type: 'response.completed' });
    expect(await post('/v1/responses', next)).toMatchObject({ status: 200, json: { status: 'completed' } });
  });
});

it('phases of an answer come through as the model gave them', async () => {
  const ask = { model: 'gpt-5.2-pro', input: '[[twin:phases]] Four?', store: false };
  const answers = [
    (await post('/v1/responses', ask)).json,
    (await withSocket((socket) => turn(socket, ask)))['response'] as JsonObject,
  ];
  for (const { output } of answers)
    expect((output as JsonObject[]).map(({ phase }) => phase)).toEqual(['commentary', 'final_answer']);
});

it('a compaction without a model is refused', async () => {
  const { status, json } = await post('/v1/responses/compact', { input: [said('user', 'Compact this.')] });
  expect([status, (json['error'] as JsonObject)['param']]).toEqual([400, 'model']);
});
