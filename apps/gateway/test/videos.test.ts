/** Every video family through the running gateway against the vendors' twin, replies checked against the document, in controlled time. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, WEBHOOK_SECRET, type TestGateway } from '@model-gateway/testing';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';

const EXAMPLES = new URL('../../../spec/examples/', import.meta.url);
const A = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const LONG_MS = 20 * 60_000;
let now = Date.now() - 48 * 3_600_000;
let gateway: TestGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await openTestGateway({ clock: () => now, yaml: "security: { allow_private: ['127.0.0.1'] }" });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.faults.clear();
  // Cool-downs of the test before are over.
  now += LONG_MS;
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: JsonObject;
}

async function call(path: string, body?: JsonObject, headers: Record<string, string> = {}, method?: string) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: Answer = { status: reply.status, headers: reply.headers, json: (await reply.json()) as JsonObject };
  return answer;
}

async function created(body: JsonObject): Promise<string> {
  const { status, json } = await call('/v1/video/generations', body);
  expect({ status, json }).toMatchObject({ status: 200, json: { status: 'queued', progress: 0 } });
  // Family F is acknowledged in OpenAI's words: `id` alone.
  if (json['id'] !== undefined && json['task_id'] !== undefined) expect(json['task_id']).toBe(json['id']);
  return (json['task_id'] ?? json['id']) as string;
}

/** Time goes by until everything that is due has been asked about. */
async function pass(seconds = 60): Promise<void> {
  now += seconds * 1000;
  await gateway.server.tasks.runDue();
}

async function recordOf(id: string): Promise<JsonObject> {
  const { status, json } = await call(`/v1/video/generations/${id}`);
  expect({ status, code: json['code'] }).toEqual({ status: 200, code: 'success' });
  return json['data'] as JsonObject;
}

const examples = readdirSync(EXAMPLES)
  .filter((name) => /^createVideoTask\./.test(name))
  .map((name) => {
    const { summary, value } = JSON.parse(readFileSync(new URL(name, EXAMPLES), 'utf8')) as {
      summary: string;
      value: JsonObject;
    };
    return { summary, value };
  })
  // A subject must be made first, see below.
  .filter(({ value }) => !JSON.stringify(value).includes('"$'));

it.each(examples)('$summary: accepted, made, recorded', async ({ value }) => {
  const id = await created(value);
  expect(await recordOf(id)).toMatchObject({ status: 'NOT_START', progress: '0%', result_url: '' });
  await pass();
  expect(await recordOf(id)).toMatchObject({
    task_id: id,
    status: 'SUCCESS',
    progress: '100%',
    fail_reason: '',
    result_url: expect.stringMatching(/^http/),
    properties: { origin_model_name: value['model'] },
  });
});

describe('what can go wrong', () => {
  it.each([
    ['a failure', 'fail'],
    ['moderation after accept', 'moderation'],
  ] as const)('%s ends in FAILURE with a reason, and costs nothing', async (_name, kind) => {
    gateway.twin.faults.next('ark', 'create', { kind });
    const id = await created(A);
    await pass();
    const record = await recordOf(id);
    expect(record).toMatchObject({ status: 'FAILURE', quota: 0, result_url: '' });
    expect(record['fail_reason']).not.toBe('');
  });

  it.each([
    [429, [503, 'upstream_rate_limited']],
    [500, [503, 'submission_unknown']],
  ])('a vendor that says %i at submit leaves no task open and no job behind', async (status, seen) => {
    const jobs = gateway.twin.ledger.jobs('ark').length;
    gateway.twin.faults.next('ark', 'create', { kind: 'status', status });
    const answer = await call('/v1/video/generations', A);
    expect([answer.status, answer.json['code']]).toEqual(seen);
    expect(answer.json).toMatchObject({ code: expect.any(String), data: null });
    expect(gateway.twin.ledger.jobs('ark').length).toBe(jobs);
    const { json } = await call('/v1/video/generations?limit=1');
    expect(JSON.stringify(json)).toContain('FAILURE');
  });

  it.each([
    ['429', { kind: 'status', status: 429 }],
    ['500', { kind: 'status', status: 500 }],
    ['torn JSON', { kind: 'torn-json' }],
    ['an unknown word', { kind: 'unknown-status', word: 'pondering' }],
  ] as const)('%s at a poll is no failure of the task', async (_name, fault) => {
    const id = await created(A);
    gateway.twin.faults.next('ark', 'poll', fault);
    await pass();
    expect(gateway.twin.faults.pending()).toBe(0);
    expect((await recordOf(id))['status']).not.toBe('FAILURE');
    await pass(600);
    expect(await recordOf(id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('an unanswered submission is not repeated: its key replays the same 500, byte for byte', async () => {
    const jobs = gateway.twin.ledger.jobs('minimax').length;
    gateway.twin.faults.next('minimax', 'create', { kind: 'no-answer' });
    const body = { model: 'MiniMax-Hailuo-02', prompt: 'A boat', seconds: '6' };
    const first = await call('/v1/videos', body, { 'idempotency-key': 'unknown-1' });
    const second = await call('/v1/videos', body, { 'idempotency-key': 'unknown-1' });
    expect(first).toMatchObject({ status: 500, json: { error: { code: 'submission_unknown' } } });
    expect([second.status, second.json]).toEqual([first.status, first.json]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('x-should-retry')).toBe('false');
    expect(gateway.twin.ledger.jobs('minimax').length).toBe(jobs + 1);
  });
});

it('a job in the queue is cancelled; a finished one is not', async () => {
  const id = await created(A);
  const cancelled = await call(`/v1/video/generations/${id}`, undefined, {}, 'DELETE');
  expect(cancelled).toMatchObject({
    status: 200,
    json: { data: { status: 'FAILURE', fail_reason: 'task cancelled' } },
  });
  expect((await call(`/v1/video/generations/${id}`, undefined, {}, 'DELETE')).status).toBe(409);
  expect(gateway.twin.ledger.jobs('ark').at(-1)?.state).toBe('cancelled');
});

it('a stranger sees nothing, a listing pages, an Idempotency-Key is replayed', async () => {
  const key = { 'idempotency-key': 'once-1' };
  const first = await call('/v1/video/generations', A, key);
  const again = await call('/v1/video/generations', A, key);
  expect(again.json).toEqual(first.json);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await call('/v1/video/generations', { ...A, duration: 5 }, key)).status).toBe(409);
  const id = first.json['task_id'] as string;
  const stranger = await call(`/v1/video/generations/${id}`, undefined, {
    authorization: `Bearer ${gateway.otherKey}`,
  });
  expect(stranger).toMatchObject({ status: 400, json: { code: 'task_not_exist' } });
  const page = await call('/v1/video/generations?limit=2');
  expect(page.status).toBe(200);
  expect(JSON.stringify(page.json)).toContain(id);
});

it('?wait and text/event-stream answer when the task ends', async () => {
  const id = await created(A);
  const headers = { authorization: `Bearer ${gateway.testKey}`, accept: 'text/event-stream' };
  const stream = await fetch(`${gateway.url}/v1/video/generations/${id}`, { headers });
  const waiting = call(`/v1/video/generations/${id}?wait=20`);
  await pass();
  expect((await waiting).json).toMatchObject({ data: { status: 'SUCCESS' } });
  const events = (await stream.text()).split('\n').filter((line) => line.startsWith('event: '));
  expect(events.at(-1)).toBe('event: SUCCESS');
});

describe('/v1/videos with the SDK', () => {
  it('create, retrieve, download a part, list, delete', async () => {
    const video = await openai.videos.create({ model: 'sora-2', prompt: 'A kite', seconds: '4', size: '1280x720' });
    expect(video).toMatchObject({ object: 'video', status: 'queued', model: 'sora-2', seconds: '4' });
    await pass();
    expect(await openai.videos.retrieve(video.id)).toMatchObject({ status: 'completed', progress: 100 });
    const part = await openai.videos.downloadContent(video.id, {}, { headers: { range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    const whole = await openai.videos.downloadContent(video.id);
    expect((await whole.arrayBuffer()).byteLength).toBe(Number(whole.headers.get('content-length')));
    const { data } = await openai.videos.list({ limit: 5 });
    expect(data.map(({ id }) => id)).toContain(video.id);
    expect(await openai.videos.delete(video.id)).toMatchObject({ id: video.id, deleted: true });
    await expect(openai.videos.retrieve(video.id)).rejects.toMatchObject({ status: 404 });
  });

  it('a first frame as a file of a form', async () => {
    const create = { width: 1280, height: 720, channels: 3 as const, background: 'red' };
    const frame = await toFile(await sharp({ create }).png().toBuffer(), 'frame.png', { type: 'image/png' });
    const video = await openai.videos.create({
      model: 'sora-2',
      prompt: 'x',
      size: '1280x720',
      input_reference: frame,
    });
    await pass();
    expect(await openai.videos.retrieve(video.id)).toMatchObject({ status: 'completed' });
  });
});

it('a subject is made and found', async () => {
  const made = await call('/v1/general/advanced-custom-elements', {
    element_name: 'Mira',
    element_description: 'young woman, red coat',
    reference_type: 'image_refer',
    element_image_list: {
      frontal_image: 'https://example.com/front.png',
      refer_images: [{ image_url: 'https://example.com/left.png' }],
    },
  });
  expect(made.status).toBe(200);
  const { TaskId } = made.json['Response'] as { TaskId: string };
  await pass();
  const found = await call(`/v1/general/advanced-custom-elements/${TaskId}`);
  expect(found.status).toBe(200);
  expect(JSON.stringify(found.json)).toMatch(/86\d{16}/);
});

it('the webhook of an ended task is signed as Standard Webhooks say', async () => {
  // The library knows the wall clock only.
  now = Math.max(now, Date.now() - 70_000);
  const heard: { headers: IncomingHttpHeaders; text: string }[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      heard.push({ headers: request.headers, text });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const id = await created({ ...A, callback_url: url });
    await pass();
    await gateway.server.tasks.webhooks.runDue();
    expect(heard.length).toBe(1);
    const { headers, text } = heard[0] ?? { headers: {}, text: '' };
    const body = new Webhook(WEBHOOK_SECRET).verify(text, headers as Record<string, string>);
    expect(JSON.stringify(body)).toContain(id);
    expect(() => new Webhook(WEBHOOK_SECRET).verify(`${text} `, headers as Record<string, string>)).toThrow();
  } finally {
    receiver.close();
  }
});
