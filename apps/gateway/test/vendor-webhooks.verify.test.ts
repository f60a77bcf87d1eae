/** Webhooks of vendors in a gateway as people run it: two workers, and the twin, which sends by itself, in a process of its own. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { startGatewayProcess, type GatewayProcess } from '@model-gateway/testing';

const KEY = 'sk-test-webhooks-0123456789abcdef';
const MODELS = ['fal/kling-2.5-turbo-pro', 'replicate/kling-2.5-turbo-pro', 'luma/ray-2'];

let folder: string;
let gateway: GatewayProcess | undefined;
/** What vendors reach at `server.public_url`. */
let front: Server;
let answers: { readonly path: string; readonly status: number; readonly due: unknown }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-webhooks-'));
  answers = [];
  front = createServer((request, response) => {
    void (async () => {
      const headers = Object.entries(request.headers).filter(([name]) =>
        /^(?:webhook-|x-fal-|content-type)/.test(name),
      );
      const reply = await fetch(`${gateway?.url ?? ''}${request.url ?? ''}`, {
        method: 'POST',
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: await buffer(request),
      });
      const json = (await reply.json()) as JsonObject;
      answers.push({ path: request.url ?? '', status: reply.status, due: json['due'] });
      response.writeHead(reply.status).end();
    })();
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
});
afterEach(async () => {
  await gateway?.kill();
  front.closeAllConnections();
  front.close();
  rmSync(folder, { recursive: true, force: true });
});

it('end tasks long before they would be polled', async () => {
  const { port } = front.address() as AddressInfo;
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0, public_url: 'http://127.0.0.1:${port}' }
tasks: { poll_seconds: 3600, vendor_webhooks: true }
twin: { video_seconds: 2 }
keys: [{ name: webhooks, key: ${KEY}, owner: 1 }]
`,
  );
  gateway = await startGatewayProcess({ folder, env: { GATEWAY_WORKERS: '2' } });
  const { url } = gateway;
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const ended = MODELS.map(async (model) => {
    const body = JSON.stringify({ model, prompt: 'a fox', duration: 5 });
    const created = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body });
    const { id } = (await created.json()) as { readonly id: string };
    const reply = await fetch(`${url}/v1/video/generations/${id}?wait=60`, { headers });
    return ((await reply.json()) as { readonly data: JsonObject }).data['status'];
  });
  expect(await Promise.all(ended)).toEqual(MODELS.map(() => 'SUCCESS'));
  expect(answers.filter(({ status, due }) => status === 200 && due === true).length).toBeGreaterThanOrEqual(3);
  expect(answers.every(({ path }) => path.startsWith('/vendor-webhooks/task_'))).toBe(true);
}, 120_000);
