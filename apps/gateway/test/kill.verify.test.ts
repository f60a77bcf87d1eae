/** A gateway killed with SIGKILL forgets no acknowledged task and starts no job twice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { startGatewayProcess, type GatewayProcess } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const TASKS = 50;
const KEY = 'sk-kill-0123456789abcdef0123';
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-kill-'));
let twin: VendorTwin;
let gateway: GatewayProcess;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', seconds: { video: 2 } });
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
tasks: { poll_seconds: 0.5 }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: kill, key: ${KEY} }]
extends: none
accounts: [{ id: 4, name: ark, vendor: ark, base_url: '${twin.baseUrl('ark')}', credentials: { api_key: '${twin.credentials('ark')['api_key'] ?? ''}' } }]
models:
  - { code: doubao-seedance-2-0-fast, kind: video, body: content, usual_seconds: 2, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { output_tokens: 5.1 } }
`,
  );
  gateway = await startGatewayProcess({ folder });
});
afterAll(async () => {
  await gateway.kill();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(path: string, body?: JsonObject): Promise<{ status: number; json: JsonObject }> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}

it('50 open tasks survive kill -9 and all reach SUCCESS', async () => {
  const acknowledged: string[] = [];
  const creating = Array.from({ length: TASKS }, async (_, index) => {
    const { status, json } = await call('/v1/video/generations', {
      model: 'doubao-seedance-2-0-fast',
      content: [{ type: 'text', text: `a paper boat, number ${index}` }],
      duration: 5,
    });
    expect(status).toBe(200);
    acknowledged.push(json['task_id'] as string);
  });
  await Promise.all(creating);
  expect(new Set(acknowledged).size).toBe(TASKS);

  await gateway.kill();
  gateway = await startGatewayProcess({ folder });

  const records = await Promise.all(acknowledged.map((id) => untilEnded(id)));
  for (const record of records) expectTaskRecord(record);
  // One vendor job per acknowledged task, and none besides.
  expect(twin.ledger.jobs('ark').length).toBe(TASKS);
  twin.requests.clear();
});

it('polls that were under way when the process died are taken over at once', async () => {
  // Every poll hangs: the tasks are leased to the process that is about to die.
  twin.faults.always('ark', 'poll', { kind: 'hang' });
  const { json } = await call('/v1/video/generations', {
    model: 'doubao-seedance-2-0-fast',
    content: [{ type: 'text', text: 'a kite' }],
    duration: 5,
  });
  for (let round = 0; round < 1_000 && twin.requests.last('ark', 'poll') === undefined; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await gateway.kill();
  twin.faults.clear('ark');
  gateway = await startGatewayProcess({ folder });
  const record = await untilEnded(json['task_id'] as string, 4);
  expectTaskRecord(record);
});

async function untilEnded(id: string, rounds = 20): Promise<JsonObject> {
  let last: unknown;
  for (let round = 0; round < rounds; round++) {
    const { json } = await call(`/v1/video/generations/${id}?wait=5`);
    const { data } = json;
    if (isJsonObject(data) && (data['status'] === 'SUCCESS' || data['status'] === 'FAILURE')) return json;
    last = json;
  }
  throw new Error(`${id} did not end: ${JSON.stringify(last).slice(0, 500)}`);
}

/** docs/service.md's task record, types included. */
function expectTaskRecord(envelope: JsonObject): void {
  expect(envelope).toMatchObject({ code: 'success', message: '' });
  expect(envelope['data']).toEqual({
    id: expect.any(Number),
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
    task_id: expect.stringMatching(/^task_/),
    platform: expect.stringMatching(/^\d+$/),
    user_id: 1,
    group: 'default',
    channel_id: 4,
    quota: expect.any(Number),
    action: 'generate',
    status: 'SUCCESS',
    fail_reason: '',
    result_url: expect.stringMatching(/^http/),
    submit_time: expect.any(Number),
    start_time: expect.any(Number),
    finish_time: expect.any(Number),
    progress: '100%',
    properties: {
      input: expect.any(String),
      upstream_model_name: 'doubao-seedance-2-0-fast-260128',
      origin_model_name: 'doubao-seedance-2-0-fast',
    },
    data: expect.objectContaining({
      id: expect.any(String),
      status: 'succeeded',
      content: { video_url: expect.any(String) },
      usage: { completion_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    }),
  });
}
