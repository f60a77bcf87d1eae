/** The admin API through sockets: what runs, and a port of its own. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import { openTestGateway, until } from '@model-gateway/testing';
import { pino } from 'pino';
import { readConfig, startServer } from '../src/index.ts';
import { useAdminGateway } from './admin-gateway.ts';

const bench = useAdminGateway();
const { now, call } = bench;

describe('what runs', () => {
  it('tasks of every owner; their money in the ledger; a webhook again on demand', async () => {
    const running = await openTestGateway({
      twinOptions: { media: 'tiny', seconds: { video: 0.2 } },
      yaml: "security: { allow_private: ['127.0.0.1'] }",
    });
    const work = createAdmin({ baseUrl: running.url, apiKey: running.adminKey, maxRetries: 0 });
    const received: string[] = [];
    const receiver: Server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?token=secret`;
    try {
      const body = {
        model: 'doubao-seedance-2-0-fast',
        content: [{ type: 'text', text: 'a boat' }],
        duration: 5,
        callback_url: hook,
      };
      const made = await call('POST', '/v1/video/generations', body, { key: running.liveKey, base: running.url });
      expect(made.status).toBe(200);
      const id = String(made.json['task_id']);
      const tasks = { owner_id: 1, model: 'doubao-seedance-2-0-fast', kind: 'video' } as const;
      expect((await work.tasks.list(tasks).all())[0]).toMatchObject({ id, owner_id: 1, vendor: 'ark' });
      await until(async () => (await work.tasks.list({ ...tasks, status: 'SUCCESS' }).all()).length === 1);
      const [task] = await work.tasks.list(tasks).all();
      expect(task).toMatchObject({ id, progress: 100, next_check_at: null, has_ticket: true });
      expect(await work.tasks.list({ owner_id: 987_654 }).all()).toEqual([]);
      const entries = await work.ledger.list({ task_id: id }).all();
      expect(entries.map(({ kind }) => kind)).toEqual(['capture', 'hold']);
      expect(task!.quota).toBeGreaterThan(0);
      expect(await work.ledger.replay(task!.request_id)).toMatchObject({ matches: true, charged: task!.quota });

      const delivered = async (times: number): Promise<boolean> =>
        received.length === times && (await work.webhooks.list({ pending: true }).all()).length === 0;
      await until(() => delivered(1));
      const [delivery] = await work.webhooks.list({ task_id: id }).all();
      expect(delivery).toMatchObject({ status: 'delivered', last_status: 200, url: hook.replace(/\?.*/, '') });
      expect(await work.webhooks.replay(delivery!.id)).toMatchObject({ id: delivery!.id, status: 'pending' });
      await until(() => delivered(2));
      expect(received).toEqual([delivery!.id, delivery!.id]);
    } finally {
      receiver.close();
      await running.close();
    }
  });

  it('accounts and how they fare, without their secrets', async () => {
    const { data } = await bench.admin.accounts();
    const openai = data.find(({ name, twin }) => name.includes('openai') && twin);
    expect(openai).toMatchObject({ object: 'account', on: true, state: 'closed', in_flight: 0 });
    expect(openai!.models).toContain('gpt-5.2');
    expect(JSON.stringify(data)).not.toContain(bench.gateway.twin.credentials('openai')['api_key']);
  });
});

describe('on a port of its own', () => {
  it('the admin API is there and nowhere else, and nothing of the public API beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-gateway-port-'));
    const file = join(folder, 'gateway.yaml');
    writeFileSync(
      file,
      `server: { port: 0, admin_port: 0, drain_seconds: 1 }
database: { url: 'sqlite:${folder}/gateway.db' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
keys: [{ name: team, key: sk-team-0123456789abcdef }]
`,
    );
    const config = readConfig({ GATEWAY_CONFIG: file, GATEWAY_ADMIN_KEY: bench.gateway.adminKey });
    const server = await startServer({ config, now, log: pino({ level: 'silent' }) });
    try {
      expect(server.adminUrl).not.toBe(server.url);
      const status = async (base: string, path: string, key: string): Promise<number> =>
        (await call('GET', path, undefined, { base, key })).status;
      expect(await status(server.adminUrl, '/admin/keys', bench.gateway.adminKey)).toBe(200);
      for (const path of ['/admin/keys', '/Admin/keys', '/admin', '/admin/'])
        expect(await status(server.url, path, bench.gateway.adminKey)).toBe(404);
      expect(await status(server.url, '/v1/models', 'sk-team-0123456789abcdef')).toBe(200);
      expect(await status(server.adminUrl, '/v1/models', 'sk-team-0123456789abcdef')).toBe(404);
      for (const base of [server.url, server.adminUrl]) expect(await status(base, '/healthz', '')).toBe(200);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
