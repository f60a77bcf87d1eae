/** The admin API through sockets, replies held against the document: who may use it, and the life of a key. */
import { describe, expect, it } from 'vitest';
import { useAdminGateway } from './admin-gateway.ts';

const bench = useAdminGateway();
const { call, chat, newName, secondsFromNow, everything } = bench;

describe('access', () => {
  it.each([
    { name: 'no key', key: '' },
    { name: 'a client key', key: 'sk-live-harness-0123456789abcdef' },
    { name: 'another admin key', key: 'admin-harness-0123456789abcdeF' },
  ])('$name: 401, and nothing is told', async ({ key }) => {
    const paths = ['/admin/keys', '/admin/owners', '/admin/usage', '/admin/ledger', '/admin/tasks', '/admin/accounts'];
    for (const path of paths) expect((await call('GET', path, undefined, { key })).status).toBe(401);
    const before = await everything();
    expect((await call('POST', '/admin/keys', { name: newName() }, { key })).status).toBe(401);
    expect(await everything()).toEqual(before);
  });

  it('the admin key opens nothing else', async () => {
    expect((await chat(bench.gateway.adminKey)).status).toBe(401);
  });

  it.each(['/Admin/keys', '/ADMIN/keys', '//admin/keys', '/admin/keys%2f'])('%s is no way around', async (path) => {
    expect([401, 404]).toContain((await call('GET', path, undefined, { key: '' })).status);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('every operation of the document is served', () => {
    expect(bench.gateway.server.missing).toEqual([]);
  });
});

describe('keys', () => {
  it('a new key works at once, with its secret shown here and nowhere else', async () => {
    const { secret, webhook_secret, key } = await bench.admin.keys.create({
      name: newName(),
      webhook_secret: 'generate',
    });
    expect(secret).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
    expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(key).toMatchObject({ mode: 'live', models: ['*'], declared: false, has_webhook_secret: true });
    // Nobody was named: the owner is its own, so that it shares nothing with other keys.
    expect(await bench.admin.owners.get(key.owner_id)).toMatchObject({ name: key.name, credit_limit: null });
    expect((await bench.admin.keys.create({ name: newName() })).key.owner_id).not.toBe(key.owner_id);
    expect((await chat(secret)).status).toBe(200);
    const shown = JSON.stringify([
      await bench.admin.keys.get(key.id),
      await bench.admin.keys.list({ limit: 500 }).all(),
      (await call('GET', `/admin/keys/${key.id}`)).json,
    ]);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(webhook_secret);
    expect(key.hint).toBe(`${secret.slice(0, 7)}…${secret.slice(-4)}`);
  });

  it('everything that is asked for is kept, and holds', async () => {
    const owner = await bench.admin.owners.create({ name: newName(), credit_limit: null, group: 'team' });
    const asked = {
      name: newName(),
      owner_id: owner.id,
      mode: 'test' as const,
      models: ['gpt-*', 'kling-v3-omni'],
      ip_ranges: ['127.0.0.0/8', '::1'],
      limits: { requests_per_minute: 2, spend_per_day: 1.5, spend_total: 0.000002 * 1_000_000 },
      expires_at: secondsFromNow(3600),
    };
    const { secret, key } = await bench.admin.keys.create(asked);
    expect(secret).toMatch(/^sk-test-/);
    expect(key).toMatchObject({ ...asked, group: 'team' });
    expect((await chat(secret, 'Hello', 'claude-sonnet-5')).json).toMatchObject({
      error: { message: expect.stringContaining('may not use') },
    });
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret)).status).toBe(429);
    const elsewhere = await bench.admin.keys.update(key.id, { ip_ranges: ['10.0.0.0/8'], limits: {} });
    expect(elsewhere.limits).toEqual({});
    expect((await chat(secret)).status).toBe(403);
  });

  it('an expiry comes', async () => {
    const { secret } = await bench.admin.keys.create({ name: newName(), expires_at: secondsFromNow(60) });
    expect((await chat(secret)).status).toBe(200);
    bench.later += 61_000;
    expect((await chat(secret)).status).toBe(401);
  });

  it('a revoked key is refused at once, stays in the books and cannot be changed', async () => {
    const { secret, key } = await bench.admin.keys.create({ name: newName() });
    expect((await chat(secret)).status).toBe(200);
    const revoked = await bench.admin.keys.revoke(key.id);
    expect(revoked.revoked_at).not.toBeNull();
    expect((await chat(secret)).status).toBe(401);
    expect(await bench.admin.keys.revoke(key.id)).toEqual(revoked);
    expect((await call('PATCH', `/admin/keys/${key.id}`, { expires_at: null })).status).toBe(409);
    expect((await call('POST', `/admin/keys/${key.id}/rotate`, {})).status).toBe(409);
    expect((await bench.admin.keys.list({ limit: 500 }).all()).map(({ id }) => id)).not.toContain(key.id);
    const all = await bench.admin.keys.list({ include_revoked: true, limit: 500 }).all();
    expect(all.map(({ id }) => id)).toContain(key.id);
    // The name is free again.
    expect((await bench.admin.keys.create({ name: key.name, owner_id: key.owner_id })).key.name).toBe(key.name);
  });

  it('a rotation: the same scope, both work for the overlap, then only the new one', async () => {
    const scope = { name: newName(), models: ['gpt-*'], limits: { spend_per_month: 7 }, ip_ranges: ['127.0.0.1'] };
    const old = await bench.admin.keys.create(scope);
    const next = await bench.admin.keys.rotate(old.key.id, { overlap_seconds: 60 });
    expect(next.key).toMatchObject({ ...scope, rotated_from: old.key.id, expires_at: null });
    expect(next.secret).not.toBe(old.secret);
    expect([(await chat(old.secret)).status, (await chat(next.secret)).status]).toEqual([200, 200]);
    expect((await call('POST', `/admin/keys/${old.key.id}/rotate`, {})).status).toBe(409);
    bench.later += 61_000;
    expect([(await chat(old.secret)).status, (await chat(next.secret)).status]).toEqual([401, 200]);
    const last = await bench.admin.keys.rotate(next.key.id, { overlap_seconds: 0 });
    expect([(await chat(next.secret)).status, (await chat(last.secret)).status]).toEqual([401, 200]);
  });

  it('pages are newest first and none is missed', async () => {
    for (let count = 0; count < 5; count++) await bench.admin.keys.create({ name: newName() });
    const all = await bench.admin.keys.list({ limit: 500 }).all();
    const paged = await bench.admin.keys.list({ limit: 2 }).all();
    expect(paged).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    const { json } = await call('GET', '/admin/keys?limit=2');
    expect(json).toMatchObject({ has_more: true, next_after: all[1]!.id });
  });

  it('keys of the configuration file are changed there', async () => {
    const declared = (await bench.admin.keys.list({ limit: 500 }).all()).find((key) => key.declared);
    const path = `/admin/keys/${declared!.id}`;
    expect((await call('PATCH', path, { name: 'x' })).status).toBe(409);
    expect((await call('DELETE', path)).status).toBe(409);
    expect((await call('POST', `${path}/rotate`, {})).status).toBe(409);
    expect(await bench.admin.keys.get(declared!.id)).toMatchObject({ name: declared!.name, revoked_at: null });
  });
});
