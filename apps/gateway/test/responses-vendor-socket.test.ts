/** Responses over a WebSocket that OpenAI is asked over a WebSocket, too: what it is sent, and what becomes of it when it will not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { isEnd, openSocket, type TestSocket } from './open-socket.ts';

const MODEL = 'gpt-5.2-pro';
const said = (content: string): JsonObject => ({ role: 'user', content });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.requests.clear();
  gateway.twin.faults.clear();
});

const open = (): Promise<TestSocket> => openSocket(gateway.url, { authorization: `Bearer ${gateway.liveKey}` });
async function withSocket(work: (socket: TestSocket) => Promise<void>): Promise<void> {
  const socket = await open();
  try {
    await work(socket);
  } finally {
    await socket.close();
  }
}
async function turn(socket: TestSocket, body: JsonObject): Promise<JsonObject> {
  socket.send({ type: 'response.create', model: MODEL, store: false, ...body });
  return (await socket.until(isEnd)).at(-1)!;
}
const responseIn = ({ response }: JsonObject): JsonObject => (response ?? {}) as JsonObject;
const idIn = (end: JsonObject): string => String(responseIn(end)['id']);
/** What the vendor was asked: by a socket (its upgrade is a GET) or over HTTP. */
const asked = (): readonly { readonly method: string; readonly json: JsonObject }[] =>
  gateway.twin.requests
    .list({ operation: 'responses' })
    .map(({ method, json }) => ({ method, json: json as JsonObject }));
const opened = (): number => gateway.twin.requests.list({ operation: 'responses-socket' }).length;

describe('goes on', () => {
  it('over one socket of its lane, with what is new alone, and stores nothing', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: 'The code word is cobalt.' });
      const second = await turn(socket, { input: 'Which?', previous_response_id: idIn(first) });
      const third = await turn(socket, { input: [said('And now?')], previous_response_id: idIn(second) });
      expect([first, second, third].map(({ type }) => type)).toEqual(Array(3).fill('response.completed'));
      expect(responseIn(third)['previous_response_id']).toBe(idIn(second));
      expect(opened()).toBe(1);
      expect(asked()).toMatchObject([
        { method: 'GET', json: { input: 'The code word is cobalt.', store: false } },
        { method: 'GET', json: { input: [said('Which?')], previous_response_id: idIn(first), store: false } },
        { method: 'GET', json: { input: [said('And now?')], previous_response_id: idIn(second), store: false } },
      ]);
    }));

  it('in the same way from what the gateway keeps', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: 'The code word is cobalt.', store: true });
      const second = await turn(socket, { input: 'Which?', previous_response_id: idIn(first), store: true });
      expect(idIn(second)).toMatch(/^resp_gw_/);
      expect(responseIn(second)).toMatchObject({ status: 'completed', previous_response_id: idIn(first), store: true });
      expect(asked().at(-1)).toMatchObject({
        method: 'GET',
        json: { input: [said('Which?')], previous_response_id: expect.stringMatching(/^resp_(?!gw_)/), store: false },
      });
    }));

  it('from another answer than the last with the whole conversation', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: 'The code word is cobalt.' });
      await turn(socket, { input: 'Which?', previous_response_id: idIn(first) });
      const fork = await turn(socket, { input: 'Spell it.', previous_response_id: idIn(first) });
      expect(fork['type']).toBe('response.completed');
      const { json } = asked().at(-1)!;
      expect(json).not.toHaveProperty('previous_response_id');
      expect(JSON.stringify(json['input'])).toContain('cobalt');
      expect(responseIn(fork)['previous_response_id']).toBe(idIn(first));
    }));

  it('when a caller brings the whole conversation, and shows it no id that it did not name', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: [said('The code word is cobalt.')] });
      const output = responseIn(first)['output'] as JsonObject[];
      const next = await turn(socket, { input: [said('The code word is cobalt.'), ...output, said('Which?')] });
      expect(asked().at(-1)?.json['input']).toEqual([said('Which?')]);
      expect(responseIn(next)['previous_response_id']).toBeNull();
    }));

  it('without what a model of another vendor has thought meanwhile', () =>
    withSocket(async (socket) => {
      const thinks = { reasoning: { effort: 'medium' }, include: ['reasoning.encrypted_content'] };
      const first = await turn(socket, { input: 'The code word is cobalt.' });
      const other = { model: 'claude-sonnet-5', ...thinks, input: '[[twin:think]] Which?' };
      const second = await turn(socket, { ...other, previous_response_id: idIn(first) });
      const thought = (responseIn(second)['output'] as JsonObject[]).find(({ type }) => type === 'reasoning');
      expect(thought).toMatchObject({ encrypted_content: expect.any(String) });
      const third = await turn(socket, { input: 'And now?', previous_response_id: idIn(second) });
      expect(third).toMatchObject({ type: 'response.completed' });
      const { json, method } = asked().at(-1)!;
      expect([method, json['previous_response_id']]).toEqual(['GET', idIn(first)]);
      expect(JSON.stringify(json['input'])).not.toContain(thought!['encrypted_content']);
      expect((json['input'] as JsonObject[]).at(-1)).toEqual(said('And now?'));
    }));

  it('with the whole conversation where the vendor has forgotten', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: 'The code word is cobalt.' });
      const lost = { error: { type: 'invalid_request_error', code: 'previous_response_not_found', message: 'Gone.' } };
      gateway.twin.faults.next('openai', 'responses', { kind: 'status', status: 400, body: lost });
      const second = await turn(socket, { input: 'Which?', previous_response_id: idIn(first) });
      expect(second['type']).toBe('response.completed');
      expect(JSON.stringify(asked().at(-1)?.json['input'])).toContain('cobalt');
      expect(asked()).toHaveLength(3);
    }));

  it('over another socket when the vendor ends the first one', () =>
    withSocket(async (socket) => {
      const first = await turn(socket, { input: 'The code word is cobalt.' });
      const limit = {
        error: { type: 'invalid_request_error', code: 'websocket_connection_limit_reached', message: 'Old.' },
      };
      gateway.twin.faults.next('openai', 'responses', { kind: 'status', status: 400, body: limit });
      const second = await turn(socket, { input: 'Which?', previous_response_id: idIn(first) });
      expect(second['type']).toBe('response.completed');
      expect(opened()).toBe(2);
    }));
});

describe('is asked over HTTP', () => {
  it('when it opens no socket, and is not asked to for a while', async () => {
    const own = await openTestGateway({});
    own.twin.faults.next('openai', 'responses-socket', { kind: 'status', status: 426 });
    const socket = await openSocket(own.url, { authorization: `Bearer ${own.liveKey}` });
    for (const input of ['one', 'two']) {
      socket.send({ type: 'response.create', model: MODEL, store: false, input });
      expect((await socket.until(isEnd)).at(-1)).toMatchObject({ type: 'response.completed' });
    }
    expect(own.twin.requests.list().map(({ method, operation }) => `${method} ${operation}`)).toEqual([
      ...['GET responses-socket', 'POST responses', 'POST responses'],
    ]);
    await socket.close();
    await own.close();
  });

  it('by whoever asks over HTTP', async () => {
    const reply = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, input: 'Hi', stream: true, store: false }),
    });
    expect(await reply.text()).toContain('response.completed');
    expect(asked().map(({ method }) => method)).toEqual(['POST']);
    expect(opened()).toBe(0);
  });
});

it('lanes have sockets of their own, and answer beside one another', () =>
  withSocket(async (socket) => {
    for (const lane of ['a', 'b'])
      socket.send({ type: 'response.create', model: MODEL, store: false, input: lane, stream_id: lane });
    await until(() => socket.events.filter(isEnd).length === 2);
    expect(opened()).toBe(2);
    expect(new Set(socket.events.map(({ stream_id: lane }) => lane))).toEqual(new Set(['a', 'b']));
  }));

it('a cancelled response cuts its socket; the next one opens another', () =>
  withSocket(async (socket) => {
    socket.send({ type: 'response.create', model: MODEL, store: false, input: '[[twin:stall=4]] Go.' });
    await until(() => socket.events.length >= 3);
    socket.send({ type: 'response.cancel' });
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({ type: 'error', error: { code: 'response_cancelled' } });
    expect((await turn(socket, { input: 'Again.' }))['type']).toBe('response.completed');
    expect(opened()).toBe(2);
  }));

it.each([
  ['[[twin:429]] Hi', 503],
  ['[[twin:400]] Hi', 400],
])('a refusal of the vendor is told with its status: %s', (input, status) =>
  withSocket(async (socket) => {
    expect(await turn(socket, { input })).toMatchObject({ type: 'error', status });
    expect((await turn(socket, { input: 'Again.' }))['type']).toBe('response.completed');
  }),
);

it('an answer that breaks off is told so, and charged for what came', () =>
  withSocket(async (socket) => {
    const end = await turn(socket, { input: '[[twin:cut=6]] [[twin:long=200]]' });
    expect(end['type']).toMatch(/^(?:error|response\.failed)$/);
    expect((await turn(socket, { input: 'Again.' }))['type']).toBe('response.completed');
  }));

it('each response is a line of the log, with what the vendor billed', async () => {
  await withSocket(async (socket) => {
    const first = await turn(socket, { input: 'The code word is cobalt. '.repeat(40) });
    const { usage } = responseIn(await turn(socket, { input: 'Which?', previous_response_id: idIn(first) }));
    const rows = async (): Promise<readonly JsonObject[]> => {
      const headers = { authorization: `Bearer ${gateway.adminKey}` };
      const reply = await fetch(`${gateway.url}/admin/requests?limit=2&operation=createResponse`, { headers });
      return ((await reply.json()) as { data: JsonObject[] }).data;
    };
    await until(async () => (await rows()).length === 2);
    const [last] = await rows();
    expect((usage as JsonObject)['input_tokens']).toBeGreaterThan(100);
    expect(JSON.stringify(last)).toContain(String((usage as JsonObject)['input_tokens']));
  });
});

it('sockets to vendors are closed with the client’s', async () => {
  const socket = await open();
  await turn(socket, { input: 'Hi' });
  const connections = (): number => gateway.twin.openSockets();
  expect(connections()).toBeGreaterThan(0);
  await socket.close();
  await until(() => connections() === 0);
});
