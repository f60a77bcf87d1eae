/** One gateway on two cores: what one worker knows, the other knows. */
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { until } from '@model-gateway/testing';
import {
  ADMIN_KEY,
  CHAT,
  KEY,
  LIMITED_KEY,
  NARROW_KEY,
  startWorkers,
  yamlOf,
  type WorkersGateway,
} from './workers-gateway.ts';

// A machine with one core has no workers to speak of.
const describeWorkers = availableParallelism() > 1 ? describe : describe.skip;

describeWorkers('two workers', () => {
  let twin: VendorTwin;
  let gateway: WorkersGateway;
  beforeAll(async () => {
    twin = await startVendorTwin({ media: 'tiny', seconds: { video: 1 } });
    gateway = await startWorkers(twin, { env: { GATEWAY_CONFIG_SOURCE: 'database' } });
  });
  afterAll(async () => {
    await gateway.close();
    await twin.close();
  });

  const chats = (count: number, key: string, headers: Record<string, string> = {}) =>
    Promise.all(
      Array.from({ length: count }, () => gateway.call('/v1/chat/completions', { key, body: CHAT, headers })),
    );
  const statuses = (replies: readonly { readonly status: number }[]): Record<string, number> => {
    const counted: Record<string, number> = {};
    for (const { status } of replies) counted[status] = (counted[status] ?? 0) + 1;
    return counted;
  };

  it('greet once, and both answer', async () => {
    await chats(8, KEY);
    expect(gateway.printed().match(/listens on/g)).toHaveLength(1);
    await until(() => new Set(gateway.logged('request').map(({ pid }) => pid)).size === 2);
  });

  it('count the requests of a minute together, to the last one', async () => {
    expect(statuses(await chats(40, LIMITED_KEY))).toEqual({ 200: 10, 429: 30 });
  });

  it('count what runs together, and a worker that dies holds no place', async () => {
    twin.faults.always('openai', '*', { kind: 'hang' });
    const asked = (): number => twin.requests.list({ vendor: 'openai' }).length;
    const before = asked();
    const hanging = Array.from({ length: 2 }, () =>
      gateway.call('/v1/chat/completions', { key: NARROW_KEY, body: CHAT }).catch(() => undefined),
    );
    // Both have their places before another one asks for one.
    await until(() => asked() === before + 2);
    // The third is refused by either worker.
    expect(statuses(await chats(6, NARROW_KEY))).toEqual({ 429: 6 });
    for (const pid of gateway.children()) process.kill(pid, 'SIGKILL');
    await Promise.all(hanging);
    twin.faults.clear('openai');
    await until(async () => (await chats(1, NARROW_KEY).catch(() => []))[0]?.status === 200);
    await until(async () => (await gateway.call('/metrics')).text.includes('gateway_workers 2'));
  });

  it('refuse a key that was revoked from the very next request on', async () => {
    const made = await gateway.call('/admin/keys', { key: ADMIN_KEY, body: { name: 'short-lived' } });
    const { secret, key } = made.json as { secret: string; key: JsonObject };
    // Both have it in memory.
    expect(statuses(await chats(8, secret))).toEqual({ 200: 8 });
    const revoked = await gateway.call(`/admin/keys/${String(key['id'])}`, { key: ADMIN_KEY, method: 'DELETE' });
    expect(revoked.status).toBe(200);
    expect(statuses(await chats(8, secret))).toEqual({ 401: 8 });
  });

  it('answer an Idempotency-Key with one answer, paid once', async () => {
    const before = twin.requests.list({ vendor: 'openai' }).length;
    const replies = await chats(12, KEY, { 'idempotency-key': 'once-across-workers' });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(statuses(replies)).toEqual({ 200: 12 });
    expect(twin.requests.list({ vendor: 'openai' }).length - before).toBe(1);
  });

  it('show one sum of what both have counted, which a death does not lower', async () => {
    const sum = async (): Promise<number> => {
      const { text } = await gateway.call('/metrics');
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith('gateway_requests_total{') && line.includes('chat/completions'));
      return lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
    };
    const before = await sum();
    await chats(20, KEY);
    expect(await sum()).toBe(before + 20);
    const [victim = 0] = gateway.children();
    process.kill(victim, 'SIGKILL');
    await until(() => !gateway.children().includes(victim));
    expect(await sum()).toBe(before + 20);
    await until(async () => (await gateway.call('/metrics')).text.includes('gateway_workers 2'));
    expect(await sum()).toBe(before + 20);
  });

  it('report usage of both in the moment it is asked for', async () => {
    const spent = async (): Promise<number> => {
      const { json } = await gateway.call('/admin/usage?group_by=model', { key: ADMIN_KEY });
      return (json['total'] as { requests: number }).requests;
    };
    const before = await spent();
    await chats(10, KEY);
    expect(await spent()).toBe(before + 10);
  });

  it('take a change of the configuration in the database together, at once', async () => {
    const path = '/admin/config/entries/models/chat';
    const body = { value: { description: 'Everywhere.' } };
    expect((await gateway.call(path, { method: 'PUT', key: ADMIN_KEY, body })).status).toBe(200);
    const rows = await Promise.all(Array.from({ length: 8 }, () => gateway.call(path, { key: ADMIN_KEY })));
    const models = await Promise.all(Array.from({ length: 8 }, () => gateway.call('/v1/models/chat')));
    for (const { json } of rows) expect(json).toMatchObject({ version: 1, value: { description: 'Everywhere.' } });
    for (const { json } of models) expect(json).toMatchObject({ description: 'Everywhere.' });
    const told = () => gateway.logged('the configuration was read again: model chat: description');
    // The log is written in its own time.
    await until(() => told().length > 0);
    expect(told()).toHaveLength(1);
  });

  it('take a changed configuration together, and leave a bad one', async () => {
    const { writeFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const file = join(gateway.folder, 'gateway.yaml');
    const added = `  - { code: late, kind: chat, limits: { max_output_tokens: 1000, max_input_tokens: 10000 }, offers: [{ account: chat, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: 2 } }\n`;
    writeFileSync(file, yamlOf(gateway.folder, twin, added));
    gateway.process.child.kill('SIGHUP');
    const seen = async (): Promise<number[]> =>
      (await Promise.all(Array.from({ length: 6 }, () => gateway.call('/v1/models/late')))).map(({ status }) => status);
    await until(async () => (await seen()).every((status) => status === 200));
    writeFileSync(file, 'server: { prot: 1 }\n');
    gateway.process.child.kill('SIGHUP');
    const refusals = () => gateway.logged('the changed configuration is invalid; the old one stays in effect');
    await until(() => refusals().length > 0);
    // Of the signal and of the file that was seen to change, but never of every worker.
    expect(new Set(refusals().map(({ pid }) => pid))).toEqual(new Set([gateway.process.child.pid]));
    expect(new Set(await seen())).toEqual(new Set([200]));
    writeFileSync(file, yamlOf(gateway.folder, twin));
  });
});
