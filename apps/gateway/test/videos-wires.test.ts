/**
 * Family × wire × mode × fault, through the running gateway against the vendors' twin: every wire alone behind its model, every reply checked
 * against the document, in controlled time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import type { TwinFault } from '@model-gateway/vendor-twin';
import { said, WIRES, type Wire } from './video-wires.ts';

/** What every video of these models costs: 0.2 dollars. */
const PRICE = 100_000;
const MINUTE_MS = 60_000;
const LONG_MS = 30 * MINUTE_MS;

const codeOf = ({ family, wire }: Wire): string => `${family} ${wire}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const titled = WIRES.map((wire) => ({ ...wire, code: codeOf(wire), title: `family ${wire.family} by ${wire.wire}` }));

let now = Date.now() - 48 * 3_600_000;
let gateway: TestGateway;
/** Everything that callers were told, to be searched for what they must not be told. */
const told: string[] = [];

beforeAll(async () => {
  const accounts = titled.map(({ account, code }, index) => `  - { id: ${index + 1}, name: '${code}', ${account} }`);
  const models = titled.map(
    ({ code, body, upstream, limits }) =>
      `  - { code: ${code}, kind: video, body: ${body}, usual_seconds: 60, deadline_hours: 3, ${limits === undefined ? '' : `limits: { ${limits} }, `}offers: [{ account: ${code}, model: ${upstream} }], price: { video: 0.2 } }`,
  );
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `extends: none\naccounts:\n${accounts.join('\n')}\nmodels:\n${models.join('\n')}\nsecurity: { allow_private: ['127.0.0.1'] }`,
  });
});
afterAll(() => gateway.close());
beforeAll(() => gateway.server.parts.store.ledger.topUp(1, 1000 * PRICE, {}, now));
beforeEach(() => {
  // Cool-downs of the test before are over.
  now += LONG_MS;
});
afterEach(() => {
  const unmet = gateway.twin.faults.pending();
  gateway.twin.faults.clear();
  expect(unmet).toBe(0);
});

async function call(path: string, body?: JsonObject, method?: string) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  told.push(JSON.stringify([...reply.headers]), text);
  return { status: reply.status, headers: reply.headers, json: JSON.parse(text) as JsonObject };
}

const create = ({ code, openai }: (typeof titled)[number], body: JsonObject) =>
  call(openai === true ? '/v1/videos' : '/v1/video/generations', { model: code, ...body });

async function created(wire: (typeof titled)[number], body: JsonObject): Promise<string> {
  const { status, json } = await create(wire, body);
  expect({ status, json }).toMatchObject({ status: 200, json: { object: 'video', status: 'queued', progress: 0 } });
  const { id, task_id: taskId } = json;
  // Family F is acknowledged in OpenAI's words: `id` alone, milliseconds, seconds.
  if (wire.openai === true) {
    expect(json).toMatchObject({ seconds: body['seconds'], created_at: expect.any(Number) });
    expect(String(json['created_at'])).toHaveLength(13);
    expect(taskId).toBeUndefined();
    expect(json['size']).toEqual(body['size'] ?? expect.stringMatching(/^\d+x\d+$/));
  } else {
    expect(taskId).toBe(id);
    expect(id).toMatch(/^task_/);
  }
  return String(id);
}

async function recordOf(id: string): Promise<JsonObject> {
  const { status, json } = await call(`/v1/video/generations/${id}`);
  expect({ status, code: json['code'] }).toEqual({ status: 200, code: 'success' });
  return json['data'] as JsonObject;
}

/** Time goes by, in steps, until the task has ended. */
async function ended(id: string, stepMs = MINUTE_MS): Promise<JsonObject> {
  for (let step = 0; step < 30; step++) {
    now += stepMs;
    await gateway.server.tasks.runDue();
    const record = await recordOf(id);
    if (record['status'] === 'SUCCESS' || record['status'] === 'FAILURE') return record;
  }
  throw new Error(`${id} does not end`);
}

async function firstBytes(id: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/videos/${id}/content`, {
    headers: { authorization: `Bearer ${gateway.liveKey}`, range: 'bytes=4-7' },
  });
  expect(reply.status).toBe(206);
  return reply.text();
}

const textOf = ({ modes }: Wire): JsonObject => Object.values(modes)[0] ?? {};
/** The body with the twin's mark in its prompt. */
function marked(body: JsonObject, mark: string): JsonObject {
  const text = (value: unknown): string => `${String(value)} [[twin:${mark}]]`;
  if (Array.isArray(body['content'])) return { ...body, content: [said(text('A boat'))] };
  const { input } = body;
  if (isJsonObject(input)) return { ...body, input: { ...input, prompt: text(input['prompt']) } };
  return { ...body, prompt: text(body['prompt']) };
}
const jobsOf = ({ vendor }: Wire): number => gateway.twin.ledger.jobs(vendor).length;
async function balance(): Promise<number> {
  return (await gateway.server.parts.store.owners.get(1))?.balance ?? 0;
}

describe.each(titled)('$title', (wire) => {
  const { vendor, openai } = wire;

  it.each(Object.entries(wire.modes))('%s: create, poll, record, file', async (_mode, body) => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    const id = await created(wire, body);
    expect(await recordOf(id)).toMatchObject({ status: 'NOT_START', progress: '0%', result_url: '', fail_reason: '' });
    expect(await ended(id)).toMatchObject({
      task_id: id,
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      quota: PRICE,
      action: 'generate',
      platform: wire.hasPlatform === false ? '0' : expect.stringMatching(/^[1-9]\d*$/),
      result_url: expect.stringMatching(/^http/),
      properties: { origin_model_name: wire.code, upstream_model_name: wire.upstream },
      data: expect.anything(),
    });
    expect([await balance(), jobsOf(wire)]).toEqual([before - PRICE, jobs + 1]);
    expect(await firstBytes(id)).toBe('ftyp');
    expect((await call(`/v1/videos/${id}`)).json).toMatchObject({
      id,
      status: 'completed',
      progress: 100,
      error: null,
    });
  });

  it.each<[string, TwinFault | string, string]>([
    ['a failure', { kind: 'fail' }, ''],
    ['moderation after accept', { kind: 'moderation' }, 'content_refused'],
    ['expiry at the vendor', 'expire', ''],
  ])('%s: FAILURE with a reason, nothing charged', async (_name, fault, code) => {
    const before = await balance();
    if (typeof fault !== 'string') gateway.twin.faults.next(vendor, 'create', fault);
    const id = await created(wire, typeof fault === 'string' ? marked(textOf(wire), fault) : textOf(wire));
    const record = await ended(id);
    expect(record).toMatchObject({ status: 'FAILURE', progress: '100%', quota: 0, result_url: '' });
    expect(String(record['fail_reason']).length).toBeGreaterThan(3);
    const video = (await call(`/v1/videos/${id}`)).json;
    expect(video).toMatchObject({ status: 'failed', error: { message: record['fail_reason'] } });
    if (code !== '') expect(video).toMatchObject({ error: { code } });
    expect(await balance()).toBe(before);
    expect((await call(`/v1/videos/${id}/content`)).status).toBe(400);
  });

  it('a job that never ends: the deadline ends the task, nothing charged', async () => {
    const before = await balance();
    gateway.twin.faults.next(vendor, 'create', { kind: 'never' });
    const id = await created(wire, textOf(wire));
    const record = await ended(id, LONG_MS);
    expect(record).toMatchObject({ status: 'FAILURE', quota: 0, data: null });
    expect(record['fail_reason']).toContain('3 hours');
    expect(await balance()).toBe(before);
  });

  it('429 on submit: no job, the caller hears when to come back', async () => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    gateway.twin.faults.next(vendor, 'create', { kind: 'status', status: 429, headers: { 'retry-after': '4' } });
    const { status, json, headers } = await create(wire, textOf(wire));
    expect([status, (json['error'] as JsonObject)['code']]).toEqual([
      ...(openai === true ? [429, 'rate_limit_exceeded'] : [503, 'upstream_rate_limited']),
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    if (openai !== true) expect(json).toMatchObject({ code: 'upstream_rate_limited', data: null });
    expect([await balance(), jobsOf(wire)]).toEqual([before, jobs]);
  });

  it.each<[string, TwinFault]>([
    ['5xx', { kind: 'status', status: 500 }],
    ['torn JSON', { kind: 'torn-json' }],
  ])('%s on submit: asked once, and nothing is charged that nobody can see', async (_name, fault) => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    gateway.twin.faults.next(vendor, 'create', fault);
    const { status, json } = await create(wire, textOf(wire));
    const id = json['task_id'] ?? json['id'];
    if (status === 200) {
      // The vendor was asked by our own key and has it: the very job.
      expect((await ended(String(id)))['status']).toBe('SUCCESS');
      expect([await balance(), jobsOf(wire)]).toEqual([before - PRICE, jobs + 1]);
    } else {
      expect([status, (json['error'] as JsonObject)['code']]).toEqual([
        openai === true ? 500 : 503,
        'submission_unknown',
      ]);
      expect(await balance()).toBe(before);
    }
    expect(jobsOf(wire) - jobs).toBeLessThanOrEqual(1);
  });

  it.each<[string, TwinFault]>([
    ['429', { kind: 'status', status: 429 }],
    ['5xx', { kind: 'status', status: 503 }],
    ['torn JSON', { kind: 'torn-json' }],
    ['an unknown status word', { kind: 'unknown-status', word: 'pondering' }],
  ])('%s at a poll: no failure of the task', async (_name, fault) => {
    // Google's operations are done or not: they have no word for it.
    if (fault.kind === 'unknown-status' && (vendor === 'veo' || vendor === 'vertex')) return;
    const id = await created(wire, textOf(wire));
    gateway.twin.faults.next(vendor, 'poll', fault);
    now += MINUTE_MS;
    await gateway.server.tasks.runDue();
    expect(gateway.twin.faults.pending()).toBe(0);
    expect(['NOT_START', 'IN_PROGRESS']).toContain((await recordOf(id))['status']);
    expect(await ended(id)).toMatchObject({ status: 'SUCCESS', quota: PRICE });
  });

  it('cancel: stopped with its money back where the vendor can, else told that it cannot', async () => {
    const before = await balance();
    const id = await created(wire, textOf(wire));
    const { status, json } = await call(`/v1/video/generations/${id}`, undefined, 'DELETE');
    if (wire.cancels === undefined) {
      expect({ status, json }).toMatchObject({ status: 409, json: { code: 'conflict', data: null } });
      expect(await ended(id)).toMatchObject({ status: 'SUCCESS' });
      return;
    }
    expect(status).toBe(200);
    expect(json).toMatchObject({ data: { status: 'FAILURE', fail_reason: 'task cancelled', quota: 0 } });
    expect(gateway.twin.ledger.jobs(vendor).at(-1)?.state).toBe('cancelled');
    expect(await balance()).toBe(before);
    expect((await call(`/v1/video/generations/${id}`, undefined, 'DELETE')).status).toBe(409);
  });
});

it('nothing that was told names a key, an account or the project of a vendor', () => {
  const all = told.join('\n');
  expect(all.length).toBeGreaterThan(10_000);
  expect(all).not.toContain('twin-project');
  for (const { vendor } of titled)
    for (const [name, secret] of Object.entries(gateway.twin.credentials(vendor)))
      // Tencent writes the application's number into every task id.
      if (name !== 'sub_app_id') expect([vendor, name, all.includes(secret)]).toEqual([vendor, name, false]);
});

it('W13: no key of a caller and no credential of a vendor stands in the database', async () => {
  const path = gateway.databaseUrl.replace(/^sqlite:/, '');
  const stored = [path, `${path}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each, 'latin1'));
  const all = stored.join('\n');
  // It is the right file, and what it says is not enciphered.
  expect(all).toContain('harness-live');
  for (const key of [gateway.liveKey, gateway.testKey, gateway.otherKey, gateway.adminKey])
    expect(all.includes(key)).toBe(false);
  for (const { vendor } of titled)
    for (const [name, secret] of Object.entries(gateway.twin.credentials(vendor)))
      // Kling's is the beginning of every test key; the names of Vertex's operations, our tickets there, begin with the project.
      if (name !== 'sub_app_id' && name !== 'project_id' && secret.length > 10)
        expect([vendor, name, all.includes(secret)]).toEqual([vendor, name, false]);
});

it('every hold is closed, and the ledger adds up', async () => {
  const { store } = gateway.server.parts;
  expect(await store.tasks.countOpen()).toEqual([]);
  expect(await store.ledger.verify()).toEqual([]);
});
