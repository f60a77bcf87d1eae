/** `max_jobs`, over HTTP: two gateways on one PostgreSQL, the twin behind them, and a clock that the test moves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import supertest, { type Test } from 'supertest';

const MODEL = 'doubao-seedance-2-0-fast';
const YAML = `
accounts: [{ name: ark, max_jobs: 2 }]
`;
const URGENT = 'sk-test-urgent-0123456789abcdef';
const STRANGER = 'sk-test-stranger-0123456789abcdef';
const KEYS = `
  - { name: urgent, key: ${URGENT}, owner: 1, limits: { max_priority: 5 } }
  - { name: stranger, key: ${STRANGER}, owner: 77 }
`;

interface Shown {
  readonly task_id: string;
  readonly status: string;
  readonly quota: number;
  readonly channel_id: number;
  readonly fail_reason: string;
  readonly data: { readonly queue?: { readonly position: number; readonly expected_start?: number } } | null;
}

let at = Date.UTC(2026, 11, 1);
let database: TestDatabase;
let gateways: TestGateway[] = [];
beforeAll(async () => {
  database = await openTestDatabase('postgres');
  const common = { yaml: YAML, keys: KEYS, clock: () => at, databaseUrl: database.url };
  const first = await openTestGateway({ ...common, twinOptions: { seconds: { video: 60 } } });
  gateways = [first, await openTestGateway({ ...common, twin: first.twin })];
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.close();
  await database.close();
});

const gateway = (index = 0): TestGateway => gateways[index] ?? never();
const request = (method: 'get' | 'post' | 'delete', path: string, key = gateway().testKey, by = 0): Test =>
  supertest(gateway(by).url)[method](path).set('authorization', `Bearer ${key}`);
const create = (prompt: string, key?: string, by?: number): Test =>
  request('post', '/v1/video/generations', key, by).send({ model: MODEL, content: [{ type: 'text', text: prompt }] });
async function made(creating: Test): Promise<string> {
  const { status, body } = (await creating) as { status: number; body: { id: string } };
  expect({ status, body }).toMatchObject({ status: 200, body: { object: 'video', status: 'queued', progress: 0 } });
  return body.id;
}
async function shown(id: string, key?: string): Promise<Shown> {
  const { body } = (await request('get', `/v1/video/generations/${id}`, key, 1)) as { body: { data: Shown } };
  return body.data;
}
async function sweep(seconds = 0): Promise<void> {
  at += seconds * 1000;
  await Promise.all(gateways.map(({ server }) => server.tasks.runDue()));
}
/** All that is there comes to its end. */
async function drain(): Promise<void> {
  for (let round = 0; round < 20; round++) await sweep(90);
}
async function gauge(): Promise<string | undefined> {
  at += 3000;
  const { text } = await request('get', '/metrics', gateway().adminKey);
  return /^gateway_tasks_waiting\{.*\} (\d+)$/m.exec(text)?.[1];
}

describe('tasks beyond max_jobs', () => {
  it('wait with a place and an expected start, over both gateways, and are submitted when there is room', async () => {
    const ids = [];
    for (let task = 0; task < 5; task++) ids.push(await made(create(`task ${task}`, undefined, task % 2)));
    const now = Math.floor(at / 1000);
    const records = await Promise.all(ids.map((id) => shown(id)));
    expect(records.map(({ data }) => data?.queue)).toEqual([
      undefined,
      undefined,
      { position: 1, expected_start: now + 60 },
      { position: 2, expected_start: now + 60 },
      { position: 3, expected_start: now + 120 },
    ]);
    expect(records[2]).toMatchObject({ status: 'NOT_START', channel_id: 0 });
    expect(records[2]?.quota).toBeGreaterThan(0);
    expect(await gauge()).toBe('3');
    await drain();
    for (const id of ids) expect(await shown(id)).toMatchObject({ status: 'SUCCESS' });
    expect(await gauge()).toBeUndefined();
    const { text } = await request('get', '/metrics', gateway().adminKey);
    const { text: other } = await request('get', '/metrics', gateway(1).adminKey, 1);
    const counted = [text, other].map((page) =>
      Number(/^gateway_task_queue_seconds_count\{.*\} (\d+)$/m.exec(page)?.[1] ?? 0),
    );
    expect(counted.reduce((sum, each) => sum + each)).toBe(3);
  });

  it('are cancelled for nothing while they wait', async () => {
    for (let task = 0; task < 2; task++) await made(create('at work'));
    const id = await made(create('waits'));
    const { status, body } = (await request('delete', `/v1/video/generations/${id}`, undefined, 1)) as {
      status: number;
      body: { data: Shown };
    };
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'FAILURE',
      quota: 0,
      fail_reason: 'task cancelled',
      data: null,
    });
    await drain();
    expect(await shown(id)).toMatchObject({ status: 'FAILURE', quota: 0 });
  });

  it('of one owner go by priority within what the key may ask for, and never before another owner', async () => {
    for (let task = 0; task < 2; task++) await made(create('at work'));
    const plain = await made(create('plain'));
    const other = await made(create('other', STRANGER));
    const urgent = await made(create('urgent', URGENT).set('x-gateway-priority', '5'));
    expect((await shown(urgent)).data?.queue?.position).toBeLessThan((await shown(plain)).data?.queue?.position ?? 0);
    expect((await shown(other, STRANGER)).data?.queue?.position).toBeLessThanOrEqual(2);
    const refused = await create('too much', URGENT).set('x-gateway-priority', '6');
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain('priority 5 at most');
    expect((await create('none', gateway().testKey).set('x-gateway-priority', '1')).status).toBe(403);
    for (const word of ['-1', '10', 'high', '1.5'])
      expect((await create('no number', URGENT).set('x-gateway-priority', word)).status).toBe(400);
    await drain();
  });
});

function never(): never {
  throw new Error('there is one');
}
