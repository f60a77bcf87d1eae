/** Pictures as tasks (`async: true`): drawn, billed and refused as any other, and read like video tasks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { seconds: { image: 0.1 } } });
});
afterAll(() => gateway.close());

interface Heard {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly json: any;
}

async function ask(path: string, body?: JsonObject, headers: Record<string, string> = {}): Promise<Heard> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: await reply.json() };
}
const draw = (body: JsonObject, headers?: Record<string, string>): Promise<Heard> =>
  ask('/v1/images/generations', { async: true, prompt: 'a fox', ...body }, headers);

async function ended(id: string): Promise<JsonObject> {
  let record: JsonObject = {};
  await until(async () => {
    const { json } = await ask(`/v1/video/generations/${id}?wait=1`);
    record = (json as { readonly data: JsonObject }).data;
    return record['status'] === 'SUCCESS' || record['status'] === 'FAILURE';
  }, 20);
  return record;
}
const balance = async (): Promise<number> => (await gateway.server.parts.store.owners.get(1))?.balance ?? 0;

it.each([
  ['fal/flux-dev', {}, 12_500],
  ['doubao-seedream-4-5', { size: '2K' }, 20_000],
  ['gpt-image-2', { size: '1024x1024', quality: 'low' }, undefined],
])('%s draws in the background, and charges what it charges otherwise', async (model, more, price) => {
  const before = await balance();
  const { status, json } = await draw({ model, ...more });
  expect(status).toBe(200);
  expect(json).toMatchObject({ object: 'image', model, status: 'queued', progress: 0, task_id: json.id as string });
  const record = await ended(json.id as string);
  expect(record).toMatchObject({ status: 'SUCCESS', progress: '100%', fail_reason: '' });
  expect((record['data'] as JsonObject)['data']).toMatchObject([{ url: record['result_url'] }]);
  expect((await fetch(String(record['result_url']))).status).toBe(200);
  await until(
    async () => (price === undefined ? (await balance()) < before : before - (await balance()) === price),
    20,
  );
});

it('a link that its vendor ends soon is one of the gateway’s own in a task', async () => {
  const before = await balance();
  const { json } = await draw({ model: 'flux-2-pro' });
  const record = await ended(String(json.id));
  await until(async () => before - (await balance()) === 15_000, 20);
  expect(record['result_url']).toMatch(/\/files\//);
  expect((await fetch(String(record['result_url']))).status).toBe(200);
});

it('what the vendor refuses is a failed task with its reason, and costs nothing', async () => {
  const before = await balance();
  const { json } = await draw({ model: 'replicate/flux-schnell', prompt: 'a fox [[twin:refuse]]' });
  const record = await ended(json.id as string);
  expect(record).toMatchObject({ status: 'FAILURE', quota: 0 });
  expect(record['fail_reason']).toContain('flagged');
  expect(await balance()).toBe(before);
});

it.each([
  [{ stream: true }, 'stream'],
  [{ response_format: 'b64_json' }, 'response_format'],
  [{ callback_url: 'ftp://a.b' }, 'callback_url'],
  [{ callback_url: 'http://127.0.0.1:1/x' }, 'callback_url'],
  [{ size: '9000x9000' }, 'size'],
])('%j is refused before a task is made', async (more, param) => {
  const tasks = gateway.twin.ledger.jobs('fal').length;
  const { status, json } = await draw({ model: 'fal/flux-dev', ...more });
  expect([status, json.error.param]).toEqual([400, param]);
  expect(gateway.twin.ledger.jobs('fal').length).toBe(tasks);
});

it('fields that were not sent are told', async () => {
  const { json } = await draw({ model: 'fal/flux-dev', quality: 'high', num_images: 4 });
  const { data } = (await ended(String(json.id))) as { readonly data: JsonObject };
  expect(data['dropped']).toEqual(['quality', 'num_images']);
  expect(data['data']).toHaveLength(1);
});

it('the same Idempotency-Key is one task', async () => {
  const headers = { 'idempotency-key': 'picture-1' };
  const first = await draw({ model: 'fal/flux-dev' }, headers);
  const second = await draw({ model: 'fal/flux-dev' }, headers);
  expect(second.json.id).toBe(first.json.id);
  await ended(first.json.id as string);
});

it('nobody else reads it, and it cannot be cancelled once it is drawn', async () => {
  const { json } = await draw({ model: 'fal/flux-dev', prompt: 'a fox [[twin:seconds=2]]' });
  const id = String(json.id);
  const other = await fetch(`${gateway.url}/v1/video/generations/${id}`, {
    headers: { authorization: `Bearer ${gateway.otherKey}` },
  });
  expect(other.status).toBe(400);
  const late = await fetch(`${gateway.url}/v1/video/generations/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${gateway.liveKey}` },
  });
  expect(late.status).toBe(409);
  expect(await ended(id)).toMatchObject({ status: 'SUCCESS' });
});
