/** Every change by an operator leaves one line: who, what, before, after; no secret, nothing for what was refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, WEBHOOK_SECRET, type TestGateway } from '@model-gateway/testing';
import { runCommand } from './run-command.ts';

const VIDEO = {
  model: 'doubao-seedance-2-0-fast',
  content: [{ type: 'text', text: 'A paper boat' }],
  callback_url: 'https://hooks.example.com/video?token=receiver-secret',
};
let now = Date.now() - 3_600_000;
let gateway: TestGateway;
let admin: Admin;

beforeAll(async () => {
  gateway = await openTestGateway({ clock: () => now });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const lines = () => admin.audit.list({ limit: 500 }).all();
/** The lines that `act` leaves, oldest first. */
async function left(act: () => PromiseLike<unknown>): Promise<JsonObject[]> {
  const before = (await lines()).length;
  await act();
  const all = await lines();
  return all.slice(0, all.length - before).toReversed() as unknown as JsonObject[];
}
async function call(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await reply.arrayBuffer();
  return reply.status;
}

it('keys: made, changed, rotated and revoked, by whom, with what it was before', async () => {
  const secrets: string[] = [];
  const seen = await left(async () => {
    const made = await admin.keys.create({ name: 'audited', owner_id: 1, webhook_secret: 'generate' });
    const { id } = made.key;
    await admin.keys.update(id, { models: ['gpt-*'], webhook_secret: WEBHOOK_SECRET });
    const next = await admin.keys.rotate(id, { overlap_seconds: 60 });
    await admin.keys.revoke(next.key.id);
    // It was revoked: nothing changes.
    await admin.keys.revoke(next.key.id);
    secrets.push(made.secret, next.secret, made.webhook_secret ?? '', WEBHOOK_SECRET, gateway.adminKey);
  });
  expect(seen.map(({ action }) => action)).toEqual(['key.create', 'key.update', 'key.rotate', 'key.revoke']);
  const actor = `admin key ${gateway.adminKey.slice(0, 4)}…${gateway.adminKey.slice(-4)}`;
  for (const line of seen) {
    expect(line).toMatchObject({ object: 'audit_entry', actor, request_id: expect.stringMatching(/./) });
    expect(Date.parse(String(line['at']))).toBe(now);
  }
  expect(seen[0]).toMatchObject({ before: null, after: { name: 'audited', models: ['*'] } });
  expect(seen[1]).toMatchObject({
    before: { models: ['*'] },
    after: { models: ['gpt-*'], webhook_secret_changed: true },
  });
  expect(seen[2]).toMatchObject({ subject: seen[0]?.['subject'], after: { name: 'audited' } });
  expect(seen[3]).toMatchObject({ before: { revoked_at: null }, after: { revoked_at: expect.any(String) } });
  for (const secret of secrets) expect(JSON.stringify(await lines())).not.toContain(secret);
});

it('owners and their money, once per Idempotency-Key', async () => {
  let id = 0;
  const seen = await left(async () => {
    id = (await admin.owners.create({ name: 'payer' })).id;
    await admin.owners.update(id, { credit_limit: 500 });
    for (let time = 0; time < 2; time += 1)
      await call('POST', `/admin/owners/${id}/topups`, { amount: 70 }, { 'idempotency-key': 'invoice 9' });
    await admin.owners.adjust(id, { amount: -20, note: 'a mistake' });
  });
  expect(seen.map(({ action, subject }) => [action, subject])).toEqual(
    ['owner.create', 'owner.update', 'owner.topup', 'owner.adjust'].map((action) => [action, `owner ${id}`]),
  );
  expect(seen[2]).toMatchObject({
    before: { balance: 0 },
    after: { balance: 70, entry: { kind: 'topup', amount: 70 } },
  });
  expect(seen[3]).toMatchObject({
    before: { balance: 70 },
    after: { balance: 50, entry: { detail: { note: 'a mistake' } } },
  });
});

it('a webhook that is sent again, without the secret in its address', async () => {
  const headers = { authorization: `Bearer ${gateway.testKey}` };
  await call('POST', '/v1/video/generations', VIDEO, headers);
  now += 600_000;
  await gateway.server.tasks.runDue();
  const [delivery] = await admin.webhooks.list().all();
  const seen = await left(() => admin.webhooks.replay(delivery?.id ?? ''));
  expect(seen).toMatchObject([{ action: 'webhook.replay', subject: `webhook delivery ${delivery?.id ?? ''}` }]);
  expect(JSON.stringify(seen)).not.toContain('receiver-secret');
});

it('what is refused, and what only reads, leaves none', async () => {
  const seen = await left(async () => {
    expect(await call('POST', '/admin/keys', { name: 'x', owner_id: 987_654 })).toBe(400);
    expect(await call('POST', '/admin/keys', { name: 'x', models: ['no-such-model'] })).toBe(400);
    expect(await call('PATCH', '/admin/keys/1', { name: 'declared' })).toBe(409);
    expect(await call('POST', '/admin/owners/1/adjustments', { amount: 0, note: 'x' })).toBe(400);
    expect(await call('POST', '/admin/webhook-deliveries/msg_unknown/replay', {})).toBe(404);
    expect(await call('POST', '/admin/keys', { name: 'x' }, { authorization: `Bearer ${gateway.liveKey}` })).toBe(401);
    await admin.keys.list().all();
    await admin.ledger.verify();
  });
  expect(seen).toEqual([]);
});

it('pages and filters', async () => {
  const all = await lines();
  const first = await admin.audit.list({ limit: 2 });
  expect([first.items.map(({ id }) => id), first.hasMore]).toEqual([all.slice(0, 2).map(({ id }) => id), true]);
  const adjusted = await admin.audit.list({ action: 'owner.adjust' }).all();
  expect(adjusted.map(({ action }) => action)).toEqual(['owner.adjust']);
  expect(await admin.audit.list({ subject: 'key 987654' }).all()).toEqual([]);
  const headers = { authorization: `Bearer ${gateway.adminKey}` };
  expect((await fetch(`${gateway.url}/admin/audit?action=key.steal`, { headers })).status).toBe(400);
});

it('the commands leave theirs, and list them', async () => {
  const run = async (...line: string[]): Promise<string> =>
    (await runCommand(line, { env: { DATABASE_URL: gateway.databaseUrl } })).out;
  const seen = await left(() => run('owners', 'create', 'by command'));
  expect(seen).toMatchObject([
    { actor: 'command', action: 'owner.create', after: { name: 'by command' }, request_id: null },
  ]);
  const listed = JSON.parse(await run('audit', 'list', '--actor', 'command', '--json')) as JsonObject[];
  expect(listed).toEqual(seen);
  expect(await run('audit', 'list', '--limit', '1')).toMatch(/^ *id +when +who +action +subject +request$/m);
});
