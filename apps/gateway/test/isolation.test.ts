/** Owner and mode separate everything: for every operation that takes an id, somebody else's id is answered like one that never was. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const SUBJECT = {
  element_name: 'Mira',
  element_description: 'young woman, red coat',
  reference_type: 'image_refer',
  element_image_list: {
    frontal_image: 'https://example.com/front.png',
    refer_images: [{ image_url: 'https://example.com/left.png' }],
  },
};
const OTHER_TEST_KEY = 'sk-test-stranger-0123456789abcdef';
let now = Date.now() - 48 * 3_600_000;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: stranger-test, key: ${OTHER_TEST_KEY}, owner: 2 }`,
    yaml: "security: { allow_private: ['127.0.0.1'] }",
  });
});
afterAll(() => gateway.close());

type Who = 'live' | 'test' | 'other live' | 'other test';
const keyOf = (who: Who): string =>
  ({
    live: gateway.liveKey,
    test: gateway.testKey,
    'other live': gateway.otherKey,
    'other test': OTHER_TEST_KEY,
  })[who];

interface Answer {
  readonly status: number;
  readonly text: string;
}
interface Question {
  readonly method?: string;
  readonly accept?: string;
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
}
async function ask(who: Who, path: string, { method, accept, body, idempotencyKey }: Question = {}): Promise<Answer> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${keyOf(who)}`,
      accept: accept ?? 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}
const jsonOf = ({ text }: Answer): JsonObject => JSON.parse(text) as JsonObject;

async function pass(): Promise<void> {
  now += 600_000;
  await gateway.server.tasks.runDue();
}
async function newVideo(who: Who): Promise<string> {
  return jsonOf(await ask(who, '/v1/video/generations', { body: VIDEO }))['task_id'] as string;
}
async function newSubject(who: Who): Promise<string> {
  const made = jsonOf(await ask(who, '/v1/general/advanced-custom-elements', { body: SUBJECT }));
  return (made['Response'] as JsonObject)['TaskId'] as string;
}
/** An owner's view of what there is: nothing in it changes while others try. */
const viewOf = async (who: Who, id: string): Promise<string> => (await ask(who, `/v1/video/generations/${id}`)).text;

const OPERATIONS: readonly { readonly name: string; readonly path: (id: string) => string; readonly ask?: Question }[] =
  [
    { name: 'getVideoTask', path: (id) => `/v1/video/generations/${id}` },
    { name: 'getVideoTask that waits', path: (id) => `/v1/video/generations/${id}?wait=20` },
    {
      name: 'getVideoTask as events',
      path: (id) => `/v1/video/generations/${id}`,
      ask: { accept: 'text/event-stream' },
    },
    { name: 'cancelVideoTask', path: (id) => `/v1/video/generations/${id}`, ask: { method: 'DELETE' } },
    { name: 'listVideoTasks after', path: (id) => `/v1/video/generations?after=${id}` },
    { name: 'getVideo', path: (id) => `/v1/videos/${id}` },
    { name: 'getVideo that waits', path: (id) => `/v1/videos/${id}?wait=20` },
    { name: 'deleteVideo', path: (id) => `/v1/videos/${id}`, ask: { method: 'DELETE' } },
    { name: 'getVideoContent', path: (id) => `/v1/videos/${id}/content` },
    { name: 'listVideos after', path: (id) => `/v1/videos?after=${id}` },
    { name: 'getSubject', path: (id) => `/v1/general/advanced-custom-elements/${id}` },
  ];
const UNKNOWN = 'task_0000000000000000000000000000';

/** What an answer says, with its id and its request's id taken out. */
function said({ status, text }: Answer, id: string): unknown {
  return [status, text.replaceAll(id, '<id>').replace(/"request_id":"[^"]*"/, '')];
}

describe.each<{ readonly owner: Who; readonly strangers: readonly Who[] }>([
  { owner: 'live', strangers: ['test', 'other live', 'other test'] },
  { owner: 'test', strangers: ['live', 'other live', 'other test'] },
])("$owner: another's key", ({ owner, strangers }) => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    ids['ended video'] = await newVideo(owner);
    ids['ended subject'] = await newSubject(owner);
    await pass();
    ids['open video'] = await newVideo(owner);
  });

  const cases = strangers.flatMap((who) =>
    ['ended video', 'open video', 'ended subject'].flatMap((what) =>
      OPERATIONS.map((each) => ({ ...each, who, what })),
    ),
  );
  it.each(cases)('$who, $name of an $what: as if it never was', async ({ who, what, path, ask: question }) => {
    const id = ids[what] ?? '';
    const before = await viewOf(owner, id);
    const unknown = await ask(who, path(UNKNOWN), question);
    const answer = await ask(who, path(id), question);
    expect(said(answer, id)).toEqual(said(unknown, UNKNOWN));
    if (!path('').includes('after')) expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await viewOf(owner, id)).toBe(before);
  });

  it('what is listed is one’s own', async () => {
    for (const who of [...strangers, owner]) {
      const text = (await ask(who, '/v1/video/generations?limit=100')).text;
      const videos = (await ask(who, '/v1/videos?limit=100')).text;
      expect([text.includes(ids['ended video'] ?? ''), videos.includes(ids['open video'] ?? '')]).toEqual(
        who === owner ? [true, true] : [false, false],
      );
    }
  });

  it('its own key still does all of it', async () => {
    const ended = ids['ended video'] ?? '';
    expect((await ask(owner, `/v1/videos/${ended}/content`)).status).toBe(200);
    expect((await ask(owner, `/v1/video/generations/${ids['open video'] ?? ''}`, { method: 'DELETE' })).status).toBe(
      200,
    );
    expect((await ask(owner, `/v1/videos/${ended}`, { method: 'DELETE' })).status).toBe(200);
    expect((await ask(owner, `/v1/videos/${ended}`)).status).toBe(404);
  });
});

it('a subject serves its owner in its mode; anybody else is told that it is none of theirs', async () => {
  const task = await newSubject('live');
  await pass();
  const { text } = await ask('live', `/v1/general/advanced-custom-elements/${task}`);
  const subject = /86\d{16}/.exec(text)?.[0] ?? '';
  const use = { model: 'kling-v3-omni', prompt: 'Mira walks', subject_infos: [{ Id: subject }] };
  const codes = [];
  for (const who of ['live', 'test', 'other live', 'other test'] as const)
    codes.push((await ask(who, '/v1/video/generations', { body: use })).status);
  expect(codes).toEqual([200, 400, 400, 400]);
});

it('one Idempotency-Key in four tenants makes four tasks', async () => {
  const made = new Set<unknown>();
  for (const who of ['live', 'test', 'other live', 'other test'] as const)
    made.add(jsonOf(await ask(who, '/v1/video/generations', { body: VIDEO, idempotencyKey: 'same' }))['task_id']);
  expect(made.size).toBe(4);
});
