/** The log of requests, as operators and owners read it: over sockets, with the twin behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand } from './run-command.ts';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly [member: string]: unknown;
}
interface Page {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next_after: string | null;
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `requests: { keep_days: 9 }
models: [{ code: twice, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, priority: 2 }], retries: { attempts: 2 } }]`,
  });
});
afterAll(() => gateway.close());

async function ask(path: string, key: string): Promise<{ status: number; body: never }> {
  const reply = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: reply.status, body: (await reply.json()) as never };
}

/** Sends a chat request; its id. */
async function chat(key: string, body: object = {}, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
  await reply.text();
  return reply.headers.get('x-request-id') ?? '';
}

/** A key that may not chat. */
async function restrictedKey(): Promise<{ readonly id: number; readonly secret: string }> {
  const reply = await fetch(`${gateway.url}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'only images', mode: 'live', models: ['gpt-image-*'] }),
  });
  const { key, secret } = (await reply.json()) as { key: { id: number }; secret: string };
  return { id: key.id, secret };
}

const rowsOf = async (path: string, key: string): Promise<readonly Row[]> => ((await ask(path, key)).body as Page).data;
const idsOf = async (path: string, key: string): Promise<readonly string[]> =>
  (await rowsOf(path, key)).map(({ id }) => id);

describe('a request that has ended', () => {
  it('has a row with everything but what was said', async () => {
    const id = await chat(
      gateway.liveKey,
      { stream: true, messages: [{ role: 'user', content: 'a secret word' }] },
      { 'user-agent': 'my-program/1.0', 'x-gateway-tags': 'team=search, tier=gold' },
    );
    const [row] = await rowsOf('/admin/requests?limit=1', gateway.adminKey);
    expect(row).toMatchObject({
      ...{ id, mode: 'live', operation: 'createChatCompletion', kind: 'chat', model: 'gpt-5.2', status: 200 },
      ...{ error: null, aborted: false, streamed: true, attempts: 1, client: 'my-program/1.0', dropped: [] },
      tags: { team: 'search', tier: 'gold' },
      account: expect.any(String),
      vendor: expect.any(String),
      address: '127.0.0.1',
    });
    for (const name of ['input_tokens', 'output_tokens', 'charged']) expect(row?.[name]).toBeGreaterThan(0);
    for (const name of ['ms', 'first_byte_ms']) expect(row?.[name]).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(row)).not.toContain('secret word');
    expect(await idsOf('/admin/requests?tag=tier%3Dgold', gateway.adminKey)).toEqual([id]);
  });

  it('is followed from key to vendor, with its bill line by line', async () => {
    const id = await chat(gateway.liveKey);
    const { body } = await ask(`/v1/requests/${id}`, gateway.liveKey);
    expect(body).toMatchObject({
      request: { id, account: null },
      attempts: [{ account: null, model: 'gpt-5.2', upstream_model: expect.any(String), error: null, message: null }],
      bill: { request_id: id, matches: true, lines: expect.arrayContaining([expect.objectContaining({ per: expect.any(Number) })]) }, // prettier-ignore
    });
    const admin = await ask(`/admin/requests/${id}`, gateway.adminKey);
    expect(admin.body).toMatchObject({ request: { account: expect.any(String) }, attempts: [{ account: expect.any(String) }] }); // prettier-ignore
  });

  it('has every vendor that was asked, with the words of those that refused for operators alone', async () => {
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 503 });
    const id = await chat(gateway.liveKey, { model: 'twice' });
    gateway.twin.faults.clear();
    const { body } = (await ask(`/admin/requests/${id}`, gateway.adminKey)) as { body: { attempts: Row[] } };
    expect(body).toMatchObject({
      request: {
        status: 200,
        model: 'twice',
        attempts: 2,
        vendor: 'anthropic',
        route: expect.stringContaining('claude-haiku-4-5'),
      },
      attempts: [
        {
          vendor: 'openai',
          model: 'gpt-5-mini',
          status: 503,
          error: 'upstream_unavailable',
          message: expect.any(String),
        },
        { vendor: 'anthropic', upstream_model: expect.stringContaining('haiku'), status: null, error: null },
      ],
      bill: { model: 'claude-haiku-4-5' },
    });
    const [first, second] = body.attempts as unknown as { started_ms: number; ms: number }[];
    expect(second?.started_ms).toBeGreaterThanOrEqual((first?.started_ms ?? 0) + (first?.ms ?? 0));
    const own = (await ask(`/v1/requests/${id}`, gateway.liveKey)) as { body: { attempts: Row[] } };
    for (const attempt of own.body.attempts) expect(attempt).toMatchObject({ account: null, message: null });
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const listed = await runCommand(['requests', 'list', '--model', 'twice', '--url', gateway.url], { env });
    expect({ ...listed, out: listed.out.split('\n').length }).toEqual({ code: 0, error: '', out: 3 });
    expect(listed.out).toContain(id);
    const told = await runCommand(['requests', 'get', id, '--url', gateway.url], { env });
    expect(told.out).toMatch(/upstream_unavailable[\s\S]*anthropic[\s\S]*quantity/);
    const here = { env: { DATABASE_URL: gateway.databaseUrl } };
    const local = await runCommand(['requests', 'list', '--model', 'twice', '--json'], here);
    expect(JSON.parse(local.out)).toMatchObject([{ id }]);
    expect(await runCommand(['requests', 'list', '--status', '3xx'], here)).toMatchObject({ code: 2 });
  });

  it('what was refused has its code, and no bill', async () => {
    const id = await chat(gateway.liveKey, { model: 'no\u0000such model' });
    const { body } = await ask(`/v1/requests/${id}`, gateway.liveKey);
    expect(body).toMatchObject({ attempts: [], bill: null });
    const [row] = await rowsOf('/v1/requests?status=4xx', gateway.liveKey);
    expect(row).toMatchObject({ id, error: 'model_not_found', model: 'no such model', attempts: 0, charged: 0 });
    expect(await idsOf('/v1/requests?error=model_not_found', gateway.liveKey)).toContain(id);
    expect(await idsOf('/v1/requests?status=2xx', gateway.liveKey)).not.toContain(id);
  });

  it('is found by the code that its caller saw, whatever the format called it, and says who by name', async () => {
    const key = await restrictedKey();
    const chatId = await chat(key.secret);
    const sent = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5.2', max_tokens: 8, messages: [{ role: 'user', content: 'hi' }] }),
    });
    const shown = ((await sent.json()) as { error: { type: string } }).error.type;
    const messageId = sent.headers.get('x-request-id') ?? '';
    const rows = await rowsOf(`/admin/requests?key_id=${key.id}`, gateway.adminKey);
    expect(rows).toMatchObject([
      {
        id: messageId,
        error: 'forbidden',
        error_shown: shown,
        key_name: 'only images',
        owner_name: expect.any(String),
      },
      { id: chatId, error: 'forbidden', error_shown: 'forbidden', key_name: 'only images' },
    ]);
    for (const word of ['forbidden', shown, 'PERMISSION_DENIED'])
      expect(await idsOf(`/admin/requests?key_id=${key.id}&error=${word}`, gateway.adminKey)).toEqual([messageId, chatId]); // prettier-ignore
    expect(await idsOf(`/admin/requests?key_id=${key.id}&error=no_such_word`, gateway.adminKey)).toEqual([]);
  });

  it('an estimate asks nobody for anything, and leaves no row', async () => {
    const before = await idsOf('/v1/requests', gateway.liveKey);
    const reply = await fetch(`${gateway.url}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        endpoint: '/v1/chat/completions',
        body: { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] },
      }),
    });
    expect(reply.status).toBe(200);
    expect(await idsOf('/v1/requests', gateway.liveKey)).toEqual(before);
  });

  it('a video task is in it with who works on it', async () => {
    const reply = await fetch(`${gateway.url}/v1/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'doubao-seedance-2-0-fast',
        content: [{ type: 'text', text: 'A paper boat' }],
        duration: 4,
      }),
    });
    const text = await reply.text();
    const id = reply.headers.get('x-request-id');
    const [row] = await rowsOf('/v1/requests?kind=video', gateway.testKey);
    expect({ text, row }).toMatchObject({ row: { id, kind: 'video', attempts: 1, vendor: 'ark', charged: 0 } });
  });

  it('who comes without a key, and who only reads, leaves no row', async () => {
    const before = await idsOf('/admin/requests?limit=500', gateway.adminKey);
    await chat('sk-nobody-0123456789abcdef');
    await ask('/v1/models', gateway.liveKey);
    expect(await idsOf('/admin/requests?limit=500', gateway.adminKey)).toEqual(before);
  });
});

describe('reading', () => {
  it('goes page after page, between two times', async () => {
    const ids = [await chat(gateway.otherKey), await chat(gateway.otherKey), await chat(gateway.otherKey)].reverse();
    const first = (await ask('/v1/requests?limit=2', gateway.otherKey)).body as Page;
    expect(first).toMatchObject({ has_more: true, next_after: ids[1] });
    const second = (await ask(`/v1/requests?limit=2&after=${ids[1]}`, gateway.otherKey)).body as Page;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second).toMatchObject({ has_more: false, next_after: null });
    expect(await idsOf('/v1/requests?to=2026-01-01T00:00:00Z', gateway.otherKey)).toEqual([]);
  });

  it.each([
    ['/v1/requests?after=x', 400, 'after must be the next_after of the previous page'],
    ['/v1/requests?status=3xx', 400, 'status'],
    ['/v1/requests?from=yesterday', 400, 'from'],
    ['/v1/requests?limit=501', 400, 'limit'],
    ['/v1/requests/x', 404, 'the request log has no request'],
    ['/v1/overview?step=61', 400, 'step must be a multiple of 60'],
    ['/v1/usage?group_by=owner', 400, 'group_by'],
    ['/v1/ledger?kind=gift', 400, 'kind'],
  ])('%s is refused in words', async (path, status, says) => {
    const refused = await ask(path, gateway.liveKey);
    expect({ ...refused, body: JSON.stringify(refused.body) }).toEqual({ status, body: expect.stringContaining(says) });
  });

  it('the overview counts requests and failures, for everybody and for one owner', async () => {
    await chat(gateway.otherKey, { stream: true });
    await chat(gateway.otherKey, { model: 'nothing' });
    const own = (await ask('/v1/overview?step=60&compare=true', gateway.otherKey)).body as Record<string, never>;
    expect(own).toMatchObject({ object: 'overview', step: 60, previous: { requests: 0, ms: null } });
    const { total, data } = own as unknown as { total: Record<string, number>; data: Record<string, number>[] };
    expect(total).toMatchObject({ requests: 5, errors: 1, ms: { count: 5, p50: expect.any(Number) }, first_byte_ms: { p99: expect.any(Number) } }); // prettier-ignore
    // Of streamed answers alone, which are told apart by their count.
    expect((total['first_byte_ms'] as unknown as { count: number }).count).toBeLessThan(5);
    expect(data.reduce((sum, step) => sum + (step['requests'] ?? 0), 0)).toBe(5);
    const all = (await ask('/admin/overview', gateway.adminKey)).body as { total: { requests: number } };
    expect(all.total.requests).toBeGreaterThan(5);
    const rest = (await ask('/admin/overview?mode=test', gateway.adminKey)).body as { total: { requests: number } };
    expect(rest.total.requests).toBe(1);
  });

  it('a key knows itself, its owner and its money', async () => {
    const { body } = await ask('/v1/me', gateway.liveKey);
    expect(body).toMatchObject({ object: 'me', mode: 'live', key: { mode: 'live' }, owner: { id: 1 }, limits: [] });
    const usage = (await ask('/v1/usage?group_by=model', gateway.otherKey)).body as { data: { group: object }[] };
    expect(usage.data.map(({ group }) => group)).toEqual([{ model: 'gpt-5.2' }]);
    const ledger = (await ask('/v1/ledger?kind=capture', gateway.otherKey)).body as { data: { owner_id: number }[] };
    expect(ledger.data).toHaveLength(4);
  });

  it('the configuration is shown without secrets', async () => {
    const { body } = await ask('/admin/config', gateway.adminKey);
    expect(body).toMatchObject({ object: 'config', settings: { requests: { keep_days: 9 } } });
    const text = JSON.stringify(body);
    for (const secret of [gateway.liveKey, gateway.testKey, gateway.otherKey]) expect(text).not.toContain(secret);
  });
});

describe('owner and mode separate everything', () => {
  const own = Object.entries(OPERATIONS).filter(([id, { path }]) => /^\/v1\/(me|usage|overview|requests|ledger)\b/.test(path) && id !== 'getOwnRequest'); // prettier-ignore

  it.each(own.map(([id, { path }]) => [id, path]))('%s shows nothing of others', async (_id, path) => {
    const marks = { live: await chat(gateway.liveKey), test: await chat(gateway.testKey), other: await chat(gateway.otherKey) }; // prettier-ignore
    const keys = { live: gateway.liveKey, test: gateway.testKey, other: gateway.otherKey };
    const owners: Record<string, number[]> = { live: [1], test: [1, -1], other: [] };
    for (const [who, key] of Object.entries(keys)) {
      // What is asked for on behalf of others is not looked at.
      const { status, body } = await ask(`${path}?owner_id=${who === 'other' ? 1 : 2}&mode=live`, key);
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      for (const [other, id] of Object.entries(marks)) if (other !== who) expect(text).not.toContain(id);
      const shown = [...text.matchAll(/"(?:owner_id)":(-?\d+)/g)].map(([, id]) => Number(id));
      if (who !== 'other') for (const id of shown) expect(owners[who]).toContain(id);
      else for (const id of shown) expect([1, -1]).not.toContain(id);
      for (const [, mode] of text.matchAll(/"mode":"(\w+)"/g)) expect(mode).toBe(who === 'test' ? 'test' : 'live');
    }
  });

  it('another owner’s request, and one of the other mode, is not found', async () => {
    const id = await chat(gateway.liveKey);
    for (const key of [gateway.testKey, gateway.otherKey])
      expect((await ask(`/v1/requests/${id}`, key)).status).toBe(404);
    expect((await ask(`/v1/requests/${id}`, gateway.liveKey)).status).toBe(200);
    for (const path of ['/admin/requests', '/admin/overview', '/admin/config', `/admin/requests/${id}`])
      expect((await ask(path, gateway.liveKey)).status).toBe(401);
  });
});
