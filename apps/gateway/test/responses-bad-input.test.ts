/** Bad input to kept responses and conversations: typed errors that name the field; nothing is asked, set aside or left behind. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
let conversation: string;
let response: string;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
    pollTasks: false,
  });
  conversation = String((await ask('POST', '/v1/conversations', {})).json['id']);
  response = String((await ask('POST', '/v1/responses', { model: 'claude-sonnet-5', input: 'Hi' })).json['id']);
  gateway.twin.requests.clear();
});
afterAll(() => gateway.close());

async function ask(method: string, path: string, body?: Json): Promise<{ status: number; json: JsonObject }> {
  const reply = await fetch(`${gateway.url}${path.replace('CONV', conversation).replace('RESP', response)}`, {
    method,
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}

const MODEL = 'claude-sonnet-5';
const message = { role: 'user', content: 'x' };
const RESPONSES = '/v1/responses';
const CONVERSATIONS = '/v1/conversations';

it.each<[name: string, method: string, path: string, body: Json | undefined, status: number, says: RegExp]>([
  [
    'previous that is a number',
    'POST',
    RESPONSES,
    { model: MODEL, previous_response_id: 7 },
    400,
    /previous_response_id/,
  ],
  ['previous that is empty', 'POST', RESPONSES, { model: MODEL, previous_response_id: '' }, 400, /1 to 200 characters/],
  ['a conversation without an id', 'POST', RESPONSES, { model: MODEL, conversation: {} }, 400, /conversation/],
  ['a conversation that is a list', 'POST', RESPONSES, { model: MODEL, conversation: ['x'] }, 400, /conversation/],
  ['background in words', 'POST', RESPONSES, { model: MODEL, input: 'x', background: 'yes' }, 400, /background/],
  ['store in words', 'POST', RESPONSES, { model: MODEL, input: 'x', store: 'no' }, 400, /store/],
  ['input that is a number', 'POST', RESPONSES, { model: MODEL, input: 7, background: true }, 400, /input/],
  ['an item that is a text', 'POST', RESPONSES, { model: MODEL, input: ['x'], background: true }, 400, /input\[0\]/],
  [
    'a role that is none',
    'POST',
    RESPONSES,
    { model: MODEL, input: [{ role: 'x', content: 'x' }], background: true },
    400,
    /input\[0\]\.role/,
  ],
  [
    'a tool that is no object',
    'POST',
    RESPONSES,
    { model: MODEL, input: 'x', tools: ['x'], background: true },
    400,
    /tools/,
  ],
  ['a model that is none', 'POST', RESPONSES, { model: 'none', input: 'x', background: true }, 400, /none/],
  [
    'a vendor’s conversation for another’s model',
    'POST',
    RESPONSES,
    { model: MODEL, input: 'x', conversation: 'conv_68' },
    400,
    /conversation/,
  ],
  ['starting_after without a stream', 'GET', `${RESPONSES}/RESP?starting_after=3`, undefined, 400, /starting_after/],
  [
    'starting_after below zero',
    'GET',
    `${RESPONSES}/RESP?stream=true&starting_after=-1`,
    undefined,
    400,
    /starting_after/,
  ],
  [
    'starting_after in words',
    'GET',
    `${RESPONSES}/RESP?stream=true&starting_after=x`,
    undefined,
    400,
    /starting_after/,
  ],
  ['a stream of what was answered at once', 'GET', `${RESPONSES}/RESP?stream=true`, undefined, 400, /background: true/],
  ['cancelling what was answered at once', 'POST', `${RESPONSES}/RESP/cancel`, undefined, 400, /background: true/],
  ['a page of nothing', 'GET', `${RESPONSES}/RESP/input_items?limit=0`, undefined, 400, /limit/],
  ['a page too long', 'GET', `${RESPONSES}/RESP/input_items?limit=101`, undefined, 400, /limit/],
  ['an order that is none', 'GET', `${RESPONSES}/RESP/input_items?order=up`, undefined, 400, /order/],
  ['an id that is none', 'GET', `${RESPONSES}/..%2f..%2fetc`, undefined, 404, /response_id/],
  ['an id with a zero byte', 'GET', `${RESPONSES}/resp_gw_%00`, undefined, 404, /response_id/],
  ['an id that is very long', 'GET', `${RESPONSES}/${'x'.repeat(3_000)}`, undefined, 404, /response_id/],
  ['items that are a text', 'POST', CONVERSATIONS, { items: 'x' }, 400, /items/],
  ['21 items', 'POST', CONVERSATIONS, { items: Array.from({ length: 21 }, () => message) }, 400, /at most 20/],
  [
    '17 pairs',
    'POST',
    CONVERSATIONS,
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'x'])) },
    400,
    /metadata/,
  ],
  ['a pair that is no text', 'POST', CONVERSATIONS, { metadata: { a: 1 } }, 400, /metadata/],
  ['a text too long', 'POST', CONVERSATIONS, { metadata: { a: 'x'.repeat(513) } }, 400, /metadata/],
  ['a member that nobody knows', 'POST', CONVERSATIONS, { name: 'x' }, 400, /name/],
  ['no items to add', 'POST', `${CONVERSATIONS}/CONV/items`, { items: [] }, 400, /one item or more/],
  ['items that are missing', 'POST', `${CONVERSATIONS}/CONV/items`, {}, 400, /items/],
  ['metadata that is missing', 'POST', `${CONVERSATIONS}/CONV`, {}, 400, /metadata/],
  ['an item that is not there', 'GET', `${CONVERSATIONS}/CONV/items/msg_0`, undefined, 404, /item_id/],
  ['deleting an item that is not there', 'DELETE', `${CONVERSATIONS}/CONV/items/msg_0`, undefined, 404, /item_id/],
])('%s', async (_name, method, path, body, status, says) => {
  const answer = await ask(method, path, body);
  expect([answer.status, JSON.stringify(answer.json)]).toEqual([status, expect.stringMatching(says)]);
  expect(answer.json['error']).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  expect(gateway.twin.requests.list()).toEqual([]);
});

it('nothing was left behind', async () => {
  const { store } = gateway.server.parts;
  expect(await store.responses.nextDue()).toBeUndefined();
  const entries = await store.ledger.entries({ ownerId: 1, limit: 100 });
  expect(entries.filter(({ kind, requestId }) => kind === 'hold' && requestId !== undefined)).toEqual([]);
  expect(await store.responses.conversationItems(conversation)).toEqual([]);
});
