/** The admin API through sockets, replies held against the document: keys, owners and their money, usage, the ledger, what runs. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import { readConfig, startServer } from '../src/index.ts';

const DAY_MS = 86_400_000;
let later = 0;
const now = (): number => Date.now() + later;
let gateway: TestGateway;
let admin: Admin;
let names = 0;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: now,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const newName = (): string => `name ${++names}`;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: JsonObject;
}
async function call(
  method: string,
  path: string,
  body?: unknown,
  { key = gateway.adminKey, base = gateway.url, headers = {} }: { key?: string; base?: string; headers?: object } = {},
): Promise<Answer> {
  const reply = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, json: (await reply.json()) as JsonObject };
}
async function chat(key: string, text = 'Hello', model = 'gpt-5.2'): Promise<Answer> {
  return call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] }, { key });
}
const secondsFromNow = (seconds: number): string => new Date(now() + seconds * 1000).toISOString();

/** Everything a write could have changed. */
async function everything(): Promise<unknown> {
  const keys = await admin.keys.list({ include_revoked: true, limit: 500 }).all();
  return [
    // When a key was last used is written by and by, behind the requests of other tests.
    keys.map(({ last_used_at: _lastUsed, ...key }) => key),
    await admin.owners.list({ limit: 500 }).all(),
    await admin.ledger.list({ limit: 500 }).all(),
  ];
}

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
    expect((await chat(gateway.adminKey)).status).toBe(401);
  });

  it.each(['/Admin/keys', '/ADMIN/keys', '//admin/keys', '/admin/keys%2f'])('%s is no way around', async (path) => {
    expect([401, 404]).toContain((await call('GET', path, undefined, { key: '' })).status);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('every operation of the document is served', () => {
    expect(gateway.server.missing).toEqual([]);
  });
});

describe('keys', () => {
  it('a new key works at once, with its secret shown here and nowhere else', async () => {
    const { secret, webhook_secret, key } = await admin.keys.create({ name: newName(), webhook_secret: 'generate' });
    expect(secret).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
    expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(key).toMatchObject({ mode: 'live', models: ['*'], declared: false, has_webhook_secret: true });
    // Nobody was named: the owner is its own, so that it shares nothing with other keys.
    expect(await admin.owners.get(key.owner_id)).toMatchObject({ name: key.name, credit_limit: null });
    expect((await admin.keys.create({ name: newName() })).key.owner_id).not.toBe(key.owner_id);
    expect((await chat(secret)).status).toBe(200);
    const shown = JSON.stringify([
      await admin.keys.get(key.id),
      await admin.keys.list({ limit: 500 }).all(),
      (await call('GET', `/admin/keys/${key.id}`)).json,
    ]);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(webhook_secret);
    expect(key.hint).toBe(`${secret.slice(0, 7)}…${secret.slice(-4)}`);
  });

  it('everything that is asked for is kept, and holds', async () => {
    const owner = await admin.owners.create({ name: newName(), credit_limit: null, group: 'team' });
    const asked = {
      name: newName(),
      owner_id: owner.id,
      mode: 'test' as const,
      models: ['gpt-*', 'kling-v3-omni'],
      ip_ranges: ['127.0.0.0/8', '::1'],
      limits: { requests_per_minute: 2, spend_per_day: 1.5, spend_total: 0.000002 * 1_000_000 },
      expires_at: secondsFromNow(3600),
    };
    const { secret, key } = await admin.keys.create(asked);
    expect(secret).toMatch(/^sk-test-/);
    expect(key).toMatchObject({ ...asked, group: 'team' });
    expect((await chat(secret, 'Hello', 'claude-sonnet-5')).json).toMatchObject({
      error: { message: expect.stringContaining('may not use') },
    });
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret)).status).toBe(429);
    const elsewhere = await admin.keys.update(key.id, { ip_ranges: ['10.0.0.0/8'], limits: {} });
    expect(elsewhere.limits).toEqual({});
    expect((await chat(secret)).status).toBe(403);
  });

  it('an expiry comes', async () => {
    const { secret } = await admin.keys.create({ name: newName(), expires_at: secondsFromNow(60) });
    expect((await chat(secret)).status).toBe(200);
    later += 61_000;
    expect((await chat(secret)).status).toBe(401);
  });

  it('a revoked key is refused at once, stays in the books and cannot be changed', async () => {
    const { secret, key } = await admin.keys.create({ name: newName() });
    expect((await chat(secret)).status).toBe(200);
    const revoked = await admin.keys.revoke(key.id);
    expect(revoked.revoked_at).not.toBeNull();
    expect((await chat(secret)).status).toBe(401);
    expect(await admin.keys.revoke(key.id)).toEqual(revoked);
    expect((await call('PATCH', `/admin/keys/${key.id}`, { expires_at: null })).status).toBe(409);
    expect((await call('POST', `/admin/keys/${key.id}/rotate`, {})).status).toBe(409);
    expect((await admin.keys.list({ limit: 500 }).all()).map(({ id }) => id)).not.toContain(key.id);
    const all = await admin.keys.list({ include_revoked: true, limit: 500 }).all();
    expect(all.map(({ id }) => id)).toContain(key.id);
    // The name is free again.
    expect((await admin.keys.create({ name: key.name, owner_id: key.owner_id })).key.name).toBe(key.name);
  });

  it('a rotation: the same scope, both work for the overlap, then only the new one', async () => {
    const scope = { name: newName(), models: ['gpt-*'], limits: { spend_per_month: 7 }, ip_ranges: ['127.0.0.1'] };
    const old = await admin.keys.create(scope);
    const next = await admin.keys.rotate(old.key.id, { overlap_seconds: 60 });
    expect(next.key).toMatchObject({ ...scope, rotated_from: old.key.id, expires_at: null });
    expect(next.secret).not.toBe(old.secret);
    expect([(await chat(old.secret)).status, (await chat(next.secret)).status]).toEqual([200, 200]);
    expect((await call('POST', `/admin/keys/${old.key.id}/rotate`, {})).status).toBe(409);
    later += 61_000;
    expect([(await chat(old.secret)).status, (await chat(next.secret)).status]).toEqual([401, 200]);
    const last = await admin.keys.rotate(next.key.id, { overlap_seconds: 0 });
    expect([(await chat(next.secret)).status, (await chat(last.secret)).status]).toEqual([401, 200]);
  });

  it.each(['createKey', 'rotateKey'])(
    '%s twice under one Idempotency-Key: one key, and no secret is kept',
    async (id) => {
      const { key } = await admin.keys.create({ name: newName() });
      const [path, body] =
        id === 'createKey' ? ['/admin/keys', { name: newName() }] : [`/admin/keys/${key.id}/rotate`, {}];
      const headers = { 'idempotency-key': `admin-${newName()}` };
      const both = await Promise.all([call('POST', path, body, { headers }), call('POST', path, body, { headers })]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      const before = await everything();
      const again = await call('POST', path, body, { headers });
      expect(again).toMatchObject({ status: 409, json: { error: { message: expect.stringContaining('shown once') } } });
      expect(await everything()).toEqual(before);
    },
  );

  it('pages are newest first and none is missed', async () => {
    for (let count = 0; count < 5; count++) await admin.keys.create({ name: newName() });
    const all = await admin.keys.list({ limit: 500 }).all();
    const paged = await admin.keys.list({ limit: 2 }).all();
    expect(paged).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    const { json } = await call('GET', '/admin/keys?limit=2');
    expect(json).toMatchObject({ has_more: true, next_after: all[1]!.id });
  });

  it('keys of the configuration file are changed there', async () => {
    const declared = (await admin.keys.list({ limit: 500 }).all()).find((key) => key.declared);
    const path = `/admin/keys/${declared!.id}`;
    expect((await call('PATCH', path, { name: 'x' })).status).toBe(409);
    expect((await call('DELETE', path)).status).toBe(409);
    expect((await call('POST', `${path}/rotate`, {})).status).toBe(409);
    expect(await admin.keys.get(declared!.id)).toMatchObject({ name: declared!.name, revoked_at: null });
  });
});

describe('bad input: 400 with the path, and nothing changes', () => {
  const past = '2020-01-01T00:00:00Z';
  const bad: readonly (readonly [string, JsonObject | string, string])[] = [
    ['no name', {}, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a name that another live key has', { name: 'taken', owner_id: 1 }, 'name'],
    ['an unknown model in the scope', { name: 'a', models: ['gpt-*', 'gpt-99'] }, 'models[1]'],
    ['a pattern that fits nothing', { name: 'a', models: ['nothing-*'] }, 'models[0]'],
    ['no model at all', { name: 'a', models: [] }, 'models'],
    ['an expiry in the past', { name: 'a', expires_at: past }, 'expires_at'],
    ['an expiry that is no time', { name: 'a', expires_at: 'tomorrow' }, 'expires_at'],
    ['a negative limit', { name: 'a', limits: { requests_per_minute: -1 } }, 'limits.requests_per_minute'],
    ['a limit of half a request', { name: 'a', limits: { tokens_per_minute: 1.5 } }, 'limits.tokens_per_minute'],
    ['a negative cap', { name: 'a', limits: { spend_total: -0.1 } }, 'limits.spend_total'],
    ['a cap of half a quota unit', { name: 'a', limits: { spend_per_day: 0.000001 } }, 'limits.spend_per_day'],
    ['an unknown limit', { name: 'a', limits: { spend_per_year: 1 } }, 'limits.spend_per_year'],
    ['a bad IP range', { name: 'a', ip_ranges: ['10.0.0.0/8', '10.0.0.0/33'] }, 'ip_ranges[1]'],
    ['an address in the short form of old', { name: 'a', ip_ranges: ['10'] }, 'ip_ranges[0]'],
    ['an unknown owner', { name: 'a', owner_id: 987_654 }, 'owner_id'],
    ['a test payer as owner', { name: 'a', owner_id: -1 }, 'owner_id'],
    ['an unknown mode', { name: 'a', mode: 'free' }, 'mode'],
    ['a weak webhook secret', { name: 'a', webhook_secret: 'whsec_abc' }, 'webhook_secret'],
    ['a field that there is not', { name: 'a', model: 'gpt-5.2' }, 'model'],
    ['no JSON', '{"name": ', ''],
  ];
  beforeAll(async () => {
    await admin.keys.create({ name: 'taken', owner_id: 1 });
  });

  const refuses = async (method: string, path: string, body: unknown, place: string): Promise<void> => {
    const before = await everything();
    const { status, json } = await call(method, path, body);
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { type: 'invalid_request_error' } } });
    const error = json['error'] as JsonObject;
    if (place !== '') expect({ ...error, param: error['param'] }).toMatchObject({ param: place });
    expect(String(error['message'])).toContain(place);
    expect(await everything()).toEqual(before);
  };

  it.each(bad)('a new key with %s', async (_name, body, place) => {
    await refuses('POST', '/admin/keys', body, place);
  });

  it.each(bad.filter(([name]) => !/no name|unknown owner|test payer|mode|no JSON/.test(name)))(
    'a changed key with %s',
    async (_name, body, place) => {
      const { key } = await admin.keys.create({ name: newName(), owner_id: 1 });
      const { owner_id: _owner, ...change } = body as JsonObject;
      await refuses('PATCH', `/admin/keys/${key.id}`, change, place);
    },
  );

  it('a changed key with a secret that nobody would see', async () => {
    const { key } = await admin.keys.create({ name: newName() });
    await refuses('PATCH', `/admin/keys/${key.id}`, { webhook_secret: 'generate' }, 'webhook_secret');
    await refuses('PATCH', `/admin/keys/${key.id}`, {}, '');
  });

  it.each([
    ['a negative overlap', { overlap_seconds: -1 }],
    ['an overlap of a year', { overlap_seconds: 31_536_000 }],
    ['half a second', { overlap_seconds: 0.5 }],
  ])('a rotation with %s', async (_name, body) => {
    const { key } = await admin.keys.create({ name: newName() });
    await refuses('POST', `/admin/keys/${key.id}/rotate`, body, 'overlap_seconds');
  });

  it.each([
    ['topups', 'a negative amount', { amount: -5 }, 'amount'],
    ['topups', 'zero', { amount: 0 }, 'amount'],
    ['topups', 'a fraction of a quota unit', { amount: 1.5 }, 'amount'],
    ['topups', 'what is not exact', { amount: 2 ** 53 }, 'amount'],
    ['topups', 'text', { amount: '5' }, 'amount'],
    ['topups', 'negative dollars', { usd: -1 }, 'usd'],
    ['topups', 'less than a quota unit', { usd: 0.000001 }, 'usd'],
    ['topups', 'both', { amount: 1, usd: 1 }, 'amount'],
    ['topups', 'nothing', {}, ''],
    ['topups', 'a note alone', { note: 'x' }, 'amount'],
    ['adjustments', 'zero', { amount: 0, note: 'why' }, 'amount'],
    ['adjustments', 'a fraction', { amount: 0.5, note: 'why' }, 'amount'],
    ['adjustments', 'no reason', { amount: 5 }, 'note'],
    ['adjustments', 'more than there is', { amount: -5_000_000_000, note: 'why' }, 'amount'],
  ])('%s: %s', async (what, _name, body, place) => {
    const { id } = await admin.owners.create({ name: newName() });
    await admin.owners.topUp(id, { amount: 100 });
    await refuses('POST', `/admin/owners/${id}/${what}`, body, place);
  });

  it.each([
    ['no name', {}, 'name'],
    ['a negative credit limit', { name: 'a', credit_limit: -1 }, 'credit_limit'],
    ['a fraction of a quota unit', { name: 'a', credit_limit: 0.5 }, 'credit_limit'],
    ['what is not exact', { name: 'a', credit_limit: 2 ** 53 }, 'credit_limit'],
    ['a balance', { name: 'a', balance: 5 }, 'balance'],
  ])('an owner with %s', async (_name, body, place) => {
    await refuses('POST', '/admin/owners', body, place);
    if (place !== 'name') await refuses('PATCH', '/admin/owners/1', body, place);
  });

  it.each([
    ['/admin/usage?from=yesterday', 'from'],
    ['/admin/usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['/admin/usage?group_by=day,week', 'group_by[1]'],
    ['/admin/usage?mode=free', 'mode'],
    ['/admin/ledger?kind=gift', 'kind'],
    ['/admin/ledger?limit=0', 'limit'],
    ['/admin/ledger?limit=501', 'limit'],
    ['/admin/ledger?after=abc', 'after'],
    ['/admin/tasks?status=DONE', 'status'],
    ['/admin/keys?owner_id=x', 'owner_id'],
    ['/admin/keys/abc', 'key_id'],
    ['/admin/owners/0', 'owner_id'],
  ])('%s', async (path, place) => {
    await refuses('GET', path, undefined, place);
  });

  it.each([
    ['GET', '/admin/keys/987654', undefined],
    ['PATCH', '/admin/keys/987654', { name: 'x' }],
    ['DELETE', '/admin/keys/987654', undefined],
    ['POST', '/admin/keys/987654/rotate', {}],
    ['GET', '/admin/owners/987654', undefined],
    ['PATCH', '/admin/owners/987654', { name: 'x' }],
    ['POST', '/admin/owners/987654/topups', { amount: 5 }],
    ['POST', '/admin/owners/987654/adjustments', { amount: 5, note: 'x' }],
    ['GET', '/admin/ledger/replay/req_unknown', undefined],
    ['POST', '/admin/webhook-deliveries/msg_unknown/replay', undefined],
    ['GET', '/admin/nothing', undefined],
  ])('%s %s is a 404', async (method, path, body) => {
    const before = await everything();
    expect(await call(method, path, body)).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    expect(await everything()).toEqual(before);
  });
});

describe('money', () => {
  it('is added once per Idempotency-Key, in units or dollars, and corrected with a reason', async () => {
    const owner = await admin.owners.create({ name: newName() });
    expect(owner).toMatchObject({ balance: 0, credit_limit: 0 });
    const key = { idempotencyKey: newName() };
    const first = await admin.owners.topUp(owner.id, { usd: 2.5, note: 'Invoice 7' }, key);
    expect(first).toMatchObject({ entry: { kind: 'topup', amount: 1_250_000 }, owner: { balance: 1_250_000 } });
    const again = await admin.owners.topUp(owner.id, { usd: 2.5, note: 'Invoice 7' }, key);
    expect([again.entry.id, again.owner.balance]).toEqual([first.entry.id, 1_250_000]);
    await expect(admin.owners.topUp(owner.id, { usd: 3 }, key)).rejects.toMatchObject({ status: 409 });
    const taken = await admin.owners.adjust(owner.id, { amount: -250_000, note: 'refund' });
    expect(taken).toMatchObject({ entry: { kind: 'adjust', charged: 250_000 }, owner: { balance_usd: 2 } });
    expect((await admin.owners.update(owner.id, { name: 'other', credit_limit: 7 })).credit_limit).toBe(7);
    const entries = await admin.ledger.list({ owner_id: owner.id }).all();
    expect(entries.map(({ kind }) => kind)).toEqual(['adjust', 'topup']);
    expect(await admin.ledger.verify()).toEqual({ object: 'ledger_verification', ok: true, differences: [] });
  });

  it('a prepaid owner without money is refused, and served when there is some', async () => {
    const owner = await admin.owners.create({ name: newName() });
    const { secret } = await admin.keys.create({ name: newName(), owner_id: owner.id });
    expect(await chat(secret)).toMatchObject({ status: 429, json: { error: { code: 'insufficient_quota' } } });
    await admin.owners.topUp(owner.id, { usd: 1 });
    // A refusal is remembered for a moment.
    later += 1_000;
    expect((await chat(secret)).status).toBe(200);
    expect((await admin.owners.get(owner.id)).balance).toBeLessThan(500_000);
  });
});

describe('usage and the ledger', () => {
  it('a chat is in the report at once, by anything, and its bill can be computed again', async () => {
    const owner = await admin.owners.create({ name: newName(), credit_limit: null });
    const { secret, key } = await admin.keys.create({ name: newName(), owner_id: owner.id });
    const test = await admin.keys.create({ name: newName(), owner_id: owner.id, mode: 'test' });
    const answer = await chat(secret, 'How many boats are there?');
    await chat(test.secret);
    const used = answer.json['usage'] as Record<string, number>;
    const report = await admin.usage({
      owner_id: owner.id,
      group_by: ['day', 'model', 'key', 'owner', 'endpoint', 'account'],
    });
    expect(report.data).toHaveLength(1);
    expect(report.data[0]).toMatchObject({
      group: {
        day: new Date(now()).toISOString().slice(0, 10),
        model: 'gpt-5.2',
        key: key.id,
        owner: owner.id,
        endpoint: '/v1/chat/completions',
        account: expect.any(Number),
      },
      requests: 1,
      input_tokens: used['prompt_tokens'],
      output_tokens: used['completion_tokens'],
    });
    expect(report.total.charged).toBeGreaterThan(0);
    expect((await admin.usage({ owner_id: owner.id, to: secondsFromNow(-DAY_MS / 1000) })).total.requests).toBe(0);
    expect((await admin.usage({ owner_id: owner.id, mode: 'test' })).total.requests).toBe(1);

    const requestId = String(answer.headers.get('x-request-id'));
    const bill = await admin.ledger.replay(requestId);
    expect(bill).toMatchObject({
      request_id: requestId,
      model: 'gpt-5.2',
      owner_id: owner.id,
      key_id: key.id,
      matches: true,
      charged: report.total.charged,
      recomputed: report.total.charged,
      shortfall: 0,
    });
    // 1.25 and 10 dollars per million tokens, 500,000 units per dollar: computed here by hand.
    const units = ((used['prompt_tokens']! * 1.25 + used['completion_tokens']! * 10) * 500_000) / 1_000_000;
    expect(bill.recomputed).toBe(Math.round(units));
    expect(await admin.ledger.verify()).toMatchObject({ ok: true });
  });

  it('says what does not add up', async () => {
    const answer = await chat(gateway.liveKey);
    const requestId = String(answer.headers.get('x-request-id'));
    await admin.ledger.verify();
    const { ledger, owners } = gateway.server.parts.store;
    const [entry] = await ledger.entries({ requestId, limit: 1 });
    // A charge that its own lines do not explain.
    await ledger.record([
      {
        payer: { ownerId: 1, keyId: entry!.keyId!, limits: {} },
        requestId: 'req_wrong',
        model: 'gpt-5.2',
        endpoint: '/v1/chat/completions',
        charged: entry!.charged + 5,
        shortfall: 0,
        priceVersion: 'x',
        detail: entry!.detail,
        at: now(),
      },
    ]);
    expect(await owners.get(1)).toBeDefined();
    expect(await admin.ledger.verify()).toMatchObject({
      ok: false,
      differences: [{ subject: 'charge of req_wrong', expected: entry!.charged, found: entry!.charged + 5 }],
    });
    expect(await admin.ledger.replay('req_wrong')).toMatchObject({ matches: false });
  });
});

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
  }, 30_000);

  it('accounts and how they fare, without their secrets', async () => {
    const { data } = await admin.accounts();
    const openai = data.find(({ name, twin }) => name.includes('openai') && twin);
    expect(openai).toMatchObject({ object: 'account', on: true, state: 'closed', in_flight: 0 });
    expect(openai!.models).toContain('gpt-5.2');
    expect(JSON.stringify(data)).not.toContain(gateway.twin.credentials('openai')['api_key']);
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
    const config = readConfig({ GATEWAY_CONFIG: file, GATEWAY_ADMIN_KEY: gateway.adminKey });
    const server = await startServer({ config, now, log: pino({ level: 'silent' }) });
    try {
      expect(server.adminUrl).not.toBe(server.url);
      const status = async (base: string, path: string, key: string): Promise<number> =>
        (await call('GET', path, undefined, { base, key })).status;
      expect(await status(server.adminUrl, '/admin/keys', gateway.adminKey)).toBe(200);
      for (const path of ['/admin/keys', '/Admin/keys', '/admin', '/admin/'])
        expect(await status(server.url, path, gateway.adminKey)).toBe(404);
      expect(await status(server.url, '/v1/models', 'sk-team-0123456789abcdef')).toBe(200);
      expect(await status(server.adminUrl, '/v1/models', 'sk-team-0123456789abcdef')).toBe(404);
      for (const base of [server.url, server.adminUrl]) expect(await status(base, '/healthz', '')).toBe(200);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 300; round++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come to that');
}
