/** Kill -9 in realtime sessions: what was answered is charged once, what was under way as every crash is, and nothing stays set aside. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import { LIVE_KEY, startGatewayProcess, until, type GatewayProcess } from '@model-gateway/testing';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '@model-gateway/vendor-twin';
import { UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import { openSocket } from './open-socket.ts';

const SESSIONS = 3;
/** What is set aside for an answer, and what a token of it costs. */
const ANSWER_TOKENS = 4096;
const DOLLARS_PER_TOKEN = 0.0024;
/** The ledger has what was noted this much ago. */
const NOTED_MS = 300;

const folder = mkdtempSync(join(tmpdir(), 'model-gateway-realtime-'));
const databaseUrl = `sqlite:${folder}/gateway.db`;
let twin: VendorTwin;
let gateway: GatewayProcess;
beforeAll(async () => {
  twin = await startVendorTwin();
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `extends: none
server: { port: 0 }
database: { url: '${databaseUrl}' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
keys: [{ name: harness-live, key: ${LIVE_KEY}, owner: 1 }]
accounts:
  - id: 1
    name: openai
    vendor: openai
    base_url: '${twin.baseUrl('openai')}'
    credentials: { api_key: '${TWIN_CREDENTIALS.openai['api_key'] ?? ''}' }
models:
  - { code: talk, kind: realtime, offers: [{ account: openai, model: gpt-realtime-2 }], price: { input: 400, output: 2400 } }
`,
  );
  gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
});
afterAll(async () => {
  await gateway.kill();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
});

const user = (text: string): JsonObject => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

it('charges each response once, and gives back what was set aside', async () => {
  const open = () => openSocket(gateway.url, { authorization: `Bearer ${LIVE_KEY}` }, '/v1/realtime?model=talk');
  const sockets = await Promise.all(Array.from({ length: SESSIONS }, open));
  for (const socket of sockets) {
    socket.send(user('hello'));
    socket.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await socket.until(({ type }) => type === 'response.done');
    socket.send(user('talk on [[twin:long=400]] [[twin:pace=20]]'));
    socket.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await socket.until(({ type }) => type === 'response.output_text.delta');
  }
  await new Promise((resolve) => setTimeout(resolve, NOTED_MS));
  await gateway.kill();
  await until(() => sockets.every((socket) => socket.closed() !== undefined));

  const store = await openStore(databaseUrl, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + 3_600_000, { process: 'nobody' });
  const captures = await store.ledger.entries({ kind: 'capture', limit: 100 });
  expect(await store.ledger.verify()).toEqual([]);
  await store.close();
  const ids = captures.flatMap(({ requestId }) => requestId ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const settled = captures.filter(({ detail }) => detail['crashSettlement'] === true);
  expect(captures.length - settled.length).toBe(SESSIONS);
  // Each of those under way has money of its own set aside, and is settled once.
  expect(settled).toHaveLength(SESSIONS);
  // By what had come of it, and not by all that was set aside.
  const most = ANSWER_TOKENS * DOLLARS_PER_TOKEN * UNITS_PER_DOLLAR;
  for (const { charged } of settled) expect(charged).toBeLessThan(most / 2);
  for (const { charged } of captures) expect(charged).toBeGreaterThan(0);
});
