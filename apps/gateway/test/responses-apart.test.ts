/** Kept responses belong to one owner in one mode, end with their time, and are nothing without the key that they are sealed with. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';

const [FIRST, SECOND] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const OTHER_TEST_KEY = 'sk-test-stranger-0123456789abcdef';
const DAY_MS = 24 * 3_600_000;
const MODEL = 'claude-sonnet-5';

let now = Date.now();
let database: TestDatabase;
let gateway: TestGateway;
const open = (yaml: string): Promise<TestGateway> =>
  openTestGateway({
    clock: () => now,
    databaseUrl: database.url,
    keys: `  - { name: stranger-test, key: ${OTHER_TEST_KEY}, owner: 2 }`,
    yaml,
  });
beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  gateway = await open(`security: { encryption_key: '${FIRST ?? ''}' }
responses: { keep_days: 10, kept_bytes: 20kb }`);
});
afterAll(async () => {
  await gateway.close();
  await database.close();
});

type Who = 'live' | 'test' | 'other live' | 'other test';
const keyOf = (who: Who): string =>
  ({ live: gateway.liveKey, test: gateway.testKey, 'other live': gateway.otherKey, 'other test': OTHER_TEST_KEY })[who];
interface Answer {
  readonly status: number;
  readonly text: string;
}
async function ask(who: Who, method: string, path: string, body?: JsonObject): Promise<Answer> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${keyOf(who)}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}
const jsonOf = ({ text }: Answer): JsonObject => JSON.parse(text) as JsonObject;
const idOf = (answer: Answer): string => String(jsonOf(answer)['id']);
const respond = (who: Who, body: JsonObject): Promise<Answer> =>
  ask(who, 'POST', '/v1/responses', { model: MODEL, input: 'A word', max_output_tokens: 50, ...body });

interface Operation {
  readonly name: string;
  readonly of: 'response' | 'queued' | 'conversation';
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: (id: string) => JsonObject;
}
const RESPONSES = '/v1/responses';
const CONVERSATIONS = '/v1/conversations';
const item = [{ role: 'user', content: 'x' }];
const OPERATIONS: readonly Operation[] = [
  ...(['response', 'queued'] as const).flatMap((of): Operation[] => [
    { name: 'getResponse', of, method: 'GET', path: (id) => `${RESPONSES}/${id}` },
    { name: 'getResponse as events', of, method: 'GET', path: (id) => `${RESPONSES}/${id}?stream=true` },
    { name: 'deleteResponse', of, method: 'DELETE', path: (id) => `${RESPONSES}/${id}` },
    { name: 'cancelResponse', of, method: 'POST', path: (id) => `${RESPONSES}/${id}/cancel` },
    { name: 'listResponseInputItems', of, method: 'GET', path: (id) => `${RESPONSES}/${id}/input_items` },
    {
      name: 'createResponse after it',
      of,
      method: 'POST',
      path: () => RESPONSES,
      body: (id) => ({ model: MODEL, input: 'x', previous_response_id: id }),
    },
    {
      name: 'createResponse after it in the background',
      of,
      method: 'POST',
      path: () => RESPONSES,
      body: (id) => ({ model: MODEL, input: 'x', previous_response_id: id, background: true }),
    },
  ]),
  {
    name: 'createResponse in it',
    of: 'conversation',
    method: 'POST',
    path: () => RESPONSES,
    body: (id) => ({ model: MODEL, input: 'x', conversation: id }),
  },
  { name: 'getConversation', of: 'conversation', method: 'GET', path: (id) => `${CONVERSATIONS}/${id}` },
  {
    name: 'updateConversation',
    of: 'conversation',
    method: 'POST',
    path: (id) => `${CONVERSATIONS}/${id}`,
    body: () => ({ metadata: {} }),
  },
  { name: 'deleteConversation', of: 'conversation', method: 'DELETE', path: (id) => `${CONVERSATIONS}/${id}` },
  { name: 'listConversationItems', of: 'conversation', method: 'GET', path: (id) => `${CONVERSATIONS}/${id}/items` },
  {
    name: 'createConversationItems',
    of: 'conversation',
    method: 'POST',
    path: (id) => `${CONVERSATIONS}/${id}/items`,
    body: () => ({ items: item }),
  },
  {
    name: 'getConversationItem',
    of: 'conversation',
    method: 'GET',
    path: (id) => `${CONVERSATIONS}/${id}/items/msg_own`,
  },
  {
    name: 'deleteConversationItem',
    of: 'conversation',
    method: 'DELETE',
    path: (id) => `${CONVERSATIONS}/${id}/items/msg_own`,
  },
];

/** What an answer says, with the id and its request's id taken out. */
function said({ status, text }: Answer, id: string): unknown {
  return [status, text.replaceAll(id, '<id>').replace(/"request_id":"[^"]*"/, '')];
}

describe.each<{ readonly owner: Who; readonly strangers: readonly Who[] }>([
  { owner: 'live', strangers: ['test', 'other live', 'other test'] },
  { owner: 'test', strangers: ['live', 'other live', 'other test'] },
])("$owner: another's key", ({ owner, strangers }) => {
  it('finds nothing, changes nothing, and is told what it would be told of one that never was', async () => {
    const ids = {
      response: idOf(await respond(owner, { input: 'A secret' })),
      queued: idOf(await respond(owner, { background: true })),
      conversation: idOf(
        await ask(owner, 'POST', CONVERSATIONS, { items: [{ id: 'msg_own', role: 'user', content: 'x' }] }),
      ),
    };
    const view = async (): Promise<unknown> => [
      await ask(owner, 'GET', `${RESPONSES}/${ids.response}`),
      await ask(owner, 'GET', `${RESPONSES}/${ids.queued}`),
      await ask(owner, 'GET', `${CONVERSATIONS}/${ids.conversation}/items`),
    ];
    const before = await view();
    for (const { name, of, method, path, body } of OPERATIONS)
      for (const who of strangers) {
        const id = ids[of];
        const unknown = id.replace(/.{8}$/, '00000000');
        const answer = await ask(who, method, path(id), body?.(id));
        const never = await ask(who, method, path(unknown), body?.(unknown));
        expect([name, who, said(answer, id)]).toEqual([name, who, said(never, unknown)]);
        expect([name, who, answer.status]).toEqual([name, who, 404]);
      }
    expect(await view()).toEqual(before);
    for (const id of [ids.response, ids.queued]) {
      await ask(owner, 'POST', `${RESPONSES}/${id}/cancel`);
      expect((await ask(owner, 'DELETE', `${RESPONSES}/${id}`)).status).toBe(200);
    }
    expect((await ask(owner, 'DELETE', `${CONVERSATIONS}/${ids.conversation}`)).status).toBe(200);
  });
});

it('a response lives as long as it is gone on from, and then its days', async () => {
  const root = idOf(await respond('live', {}));
  now += 8 * DAY_MS;
  const next = idOf(await respond('live', { previous_response_id: root }));
  now += 8 * DAY_MS;
  expect((await ask('live', 'GET', `${RESPONSES}/${root}`)).status).toBe(200);
  now += 3 * DAY_MS;
  expect((await ask('live', 'GET', `${RESPONSES}/${root}`)).status).toBe(404);
  expect((await ask('live', 'GET', `${RESPONSES}/${next}`)).status).toBe(404);
  expect((await respond('live', { previous_response_id: next })).status).toBe(404);
  await gateway.server.responses?.sweep();
  const { store } = gateway.server.parts;
  expect(await store.responses.find({ ownerId: 1, mode: 'live' }, root, 0)).toBeUndefined();
});

it('an owner’s kept bytes are bounded; another’s are not touched by that', async () => {
  const others = idOf(await respond('other live', {}));
  const random = (): string => Array.from({ length: 400 }, () => Math.random().toString(36)).join('');
  const made: string[] = [];
  for (let each = 0; each < 8; each++) {
    now += 1_000;
    made.push(idOf(await respond('live', { input: random() })));
  }
  const found = await Promise.all(made.map(async (id) => (await ask('live', 'GET', `${RESPONSES}/${id}`)).status));
  expect(found[0]).toBe(404);
  expect(found.at(-1)).toBe(200);
  expect(found.join(' ')).toMatch(/^(404 )+200( 200)*$/);
  expect((await ask('other live', 'GET', `${RESPONSES}/${others}`)).status).toBe(200);
});

it('nothing that was said lies in the database as it was said', async () => {
  const word = 'unmistakable-secret-word';
  const id = idOf(await respond('live', { input: word, instructions: word, metadata: { a: word } }));
  await ask('live', 'POST', CONVERSATIONS, { items: [{ role: 'user', content: word }], metadata: { topic: word } });
  const { store } = gateway.server.parts;
  const record = await store.responses.find({ ownerId: 1, mode: 'live' }, id, now);
  for (const sealed of [record?.asked, record?.reply]) {
    expect(sealed?.length).toBeGreaterThan(60);
    expect(Buffer.from(sealed ?? []).includes(word)).toBe(false);
  }
});

it('keys change: a new one ahead of the old reads both; without the old one what it sealed cannot be read', async () => {
  const id = idOf(await respond('live', { input: 'By the first key' }));
  await gateway.close();
  gateway = await open(`security: { encryption_key: ['${SECOND ?? ''}', '${FIRST ?? ''}'] }`);
  const next = idOf(await respond('live', { input: 'By the second', previous_response_id: id }));
  await gateway.close();
  gateway = await open(`security: { encryption_key: '${SECOND ?? ''}' }`);
  expect((await ask('live', 'GET', `${RESPONSES}/${next}`)).status).toBe(200);
  for (const answer of [
    await ask('live', 'GET', `${RESPONSES}/${id}`),
    await respond('live', { previous_response_id: next }),
    await respond('live', { previous_response_id: next, background: true }),
  ]) {
    expect(answer.status).toBe(503);
    expect(answer.text).toMatch(/encrypted with a key that this gateway does not have/);
  }
});

it('without a key nothing is kept, and what needs it says so', async () => {
  await gateway.close();
  gateway = await open('');
  const plain = jsonOf(await respond('live', {}));
  expect([plain['store'], String(plain['id']).startsWith('resp_gw_')]).toEqual([false, false]);
  for (const [body, param] of [
    [{ background: true }, 'background'],
    [{ previous_response_id: 'resp_gw_0' }, 'previous_response_id'],
    [{ conversation: { id: 'conv_gw_0' } }, 'conversation'],
  ] as const) {
    const answer = await respond('live', body);
    expect(answer.status).toBe(400);
    expect(jsonOf(answer)['error']).toMatchObject({
      param,
      message: expect.stringMatching(/security\.encryption_key/),
    });
  }
  for (const [method, path, body] of [
    ['GET', `${RESPONSES}/resp_gw_0`, undefined],
    ['POST', CONVERSATIONS, {}],
  ] as const) {
    const answer = await ask('live', method, path, body);
    expect(answer.text).toMatch(/security\.encryption_key/);
  }
});
