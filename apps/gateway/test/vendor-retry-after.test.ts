/** A vendor that asks to wait for years is believed for five minutes: by callers, by accounts, by polls and by the queue of jobs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import { openTestGateway, paidOperations, paidRequestsOf, sendPaid, type TestGateway } from '@model-gateway/testing';
import { TWIN_VENDORS, type Operation } from '@model-gateway/vendor-twin';
import supertest from 'supertest';

const LONGEST_SECONDS = 300;
const WISHES = [
  { name: 'seconds', headers: { 'retry-after': '999999999' } },
  { name: 'no number', headers: { 'retry-after': 'Infinity' } },
  { name: 'milliseconds', headers: { 'retry-after-ms': '99999999999999' } },
  {
    name: 'a date',
    headers: { 'retry-after': 'Sat, 21 Nov 2099 09:00:30 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' },
  },
  {
    name: 'the reset of a limit',
    headers: {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '9999d',
      'retry-after': '99999999',
    },
  },
];
const operation = (id: string): OperationFacts => (OPERATIONS as Readonly<Record<string, OperationFacts>>)[id]!;
const answered = paidOperations().filter((id) => operation(id).idempotent !== 'task');
const tasks = paidOperations().filter((id) => operation(id).idempotent === 'task');
const MODEL = 'doubao-seedance-2-0-fast';
let now = Date.now() - 48 * 3_600_000;
let asked = 0;
let gateway: TestGateway;

beforeAll(async () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const yaml = `security: { encryption_key: '${key}' }\naccounts: [{ name: ark, max_jobs: 1 }]`;
  gateway = await openTestGateway({ clock: () => now, yaml });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.faults.clear();
  // Cool-downs of the test before are over.
  now += 20 * 60_000;
});

const send = (request: Parameters<typeof sendPaid>[1]) =>
  sendPaid({ url: gateway.url, key: gateway.testKey }, request, `wait-${++asked}`);

function everyVendorSays(headers: Readonly<Record<string, string>>, at: Operation | '*' = '*'): void {
  for (const vendor of TWIN_VENDORS) gateway.twin.faults.always(vendor, at, { kind: 'status', status: 429, headers });
}

async function pass(seconds: number): Promise<void> {
  now += seconds * 1000;
  await gateway.server.tasks.runDue();
}

async function taskOf(id: string) {
  const task = await gateway.server.parts.store.tasks.get(id);
  if (task === undefined) throw new Error(`there is no task ${id}`);
  return task;
}

describe.each(WISHES)('told in $name', ({ headers }) => {
  it.each(answered)('%s: the caller is told five minutes, and then it is asked again', async (id) => {
    const seen = new Set<string>();
    for (const request of paidRequestsOf(id).filter(({ name }) => !name.includes('background'))) {
      const model = String(request.body['model'] ?? request.path);
      if (seen.has(model)) continue;
      seen.add(model);
      everyVendorSays(headers);
      const refused = await fetchOf(request);
      expect([request.name, refused.status, refused.retryAfter]).toEqual([
        request.name,
        expect.toSatisfy((status: number) => status === 429 || status === 503),
        expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= LONGEST_SECONDS),
      ]);
      gateway.twin.faults.clear();
      now += (LONGEST_SECONDS + 1) * 1000;
      expect((await send(request)).status).toBe(200);
    }
  });

  it('a poll is made again within five minutes', async () => {
    for (const request of tasks.flatMap((id) => paidRequestsOf(id).slice(0, 3))) {
      if (request.body['callback_url'] !== undefined) continue;
      const { status, text } = await send(request);
      expect([request.name, status, status === 200 ? '' : text]).toEqual([request.name, 200, '']);
      const task = /(?:task|video)_\w{20,}/.exec(text)?.[0] ?? '';
      everyVendorSays(headers, 'poll');
      for (let round = 0; round < 3; round++) await pass(60);
      const refused = await taskOf(task);
      expect([request.name, refused.state === 'FAILURE']).toEqual([request.name, false]);
      expect([request.name, refused.faults > 0 || refused.state === 'SUCCESS']).toEqual([request.name, true]);
      expect((refused.nextCheckAt ?? 0) - now).toBeLessThanOrEqual(LONGEST_SECONDS * 1000);
      gateway.twin.faults.clear();
      for (let round = 0; round < 5; round++) await pass(LONGEST_SECONDS + 1);
      expect([request.name, (await taskOf(task)).state]).toEqual([request.name, 'SUCCESS']);
    }
  });

  it('an account whose jobs wait in a queue is asked again after five minutes', async () => {
    const create = async (): Promise<string> => {
      const { body } = (await supertest(gateway.url)
        .post('/v1/video/generations')
        .set('authorization', `Bearer ${gateway.testKey}`)
        .send({ model: MODEL, content: [{ type: 'text', text: 'A paper boat' }] })) as { body: { id: string } };
      return body.id;
    };
    const [running, waiting] = [await create(), await create()];
    everyVendorSays(headers, 'create');
    for (let round = 0; round < 5; round++) await pass(60);
    expect((await taskOf(running)).state).toBe('SUCCESS');
    expect(await taskOf(waiting)).toMatchObject({ state: 'NOT_START', submitted: false });
    gateway.twin.faults.clear();
    for (let round = 0; round < 3; round++) await pass(LONGEST_SECONDS + 1);
    expect((await taskOf(waiting)).state).toBe('SUCCESS');
  });
});

async function fetchOf(request: Parameters<typeof sendPaid>[1]) {
  const { status, headers } = await send(request);
  return { status, retryAfter: Number(headers.get('retry-after')) };
}
