/** What an Idempotency-Key says after kill -9 in the middle of its request: never paid twice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGatewayProcess, type GatewayProcess } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const KEY = 'sk-kill-0123456789abcdef0123';
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-kill-'));
let twin: VendorTwin;
let gateway: GatewayProcess;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
twin: { enabled: false }
keys: [{ name: kill, key: ${KEY} }]
extends: none
accounts: [{ id: 1, name: openai, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }]
models:
  - { code: gpt-5.2, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1.25, output: 10 } }
`,
  );
  gateway = await startGatewayProcess({ folder, logLevel: 'error' });
});
afterAll(async () => {
  await gateway.kill();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(key: string, text: string, stream = true): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ model: 'gpt-5.2', stream, messages: [{ role: 'user', content: text }] }),
  });
}

it('an answer survives; a request that was cut is told to be unknown and is not made again', async () => {
  const kept = await (await ask('kept', 'Hello')).text();
  const whole = await (await ask('whole', 'Hello', false)).text();
  expect(JSON.parse(whole)).toMatchObject({ object: 'chat.completion' });
  const slow = '[[twin:dribble=5]] [[twin:long=400]]';
  const cut = await ask('cut', slow);
  await cut.body!.getReader().read();
  await gateway.kill();
  gateway = await startGatewayProcess({ folder, logLevel: 'error' });
  const calls = (): number => twin.requests.list({ vendor: 'openai' }).length;
  const before = calls();

  const again = await ask('kept', 'Hello');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toBe(kept);
  expect(await (await ask('whole', 'Hello', false)).text()).toBe(whole);

  const refused = await ask('cut', slow);
  expect(refused.status).toBe(500);
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('not known') } });
  expect(calls()).toBe(before);

  expect((await ask('new', 'Hello')).status).toBe(200);
  expect(calls()).toBe(before + 1);
});
