/** Signing in with a browser: cookies, their rights and their ends; and the files of the console. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';

interface Identity {
  readonly admin: boolean;
  readonly key: { readonly id: number; readonly mode: string } | null;
  readonly session: { readonly id: string; readonly current: boolean } | null;
  readonly csrf_token: string | null;
}
interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly cookie: string | null;
}
interface Fault {
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null };
}

const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] };
const HOUR = 3_600_000;
let now = Date.now();
let gateway: TestGateway;
let folder: string;
/** As a browser keeps it. */
let jar = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(folder, 'assets/app-1a2b.js'), 'run();');
  gateway = await openTestGateway({
    clock: () => now,
    consoleFolder: folder,
    yaml: 'console: { session_hours: 24, idle_minutes: 120 }',
    server: 'unknown_keys_per_minute: 5',
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  jar = '';
  // Guesses of the test before are over.
  now += 61_000;
});

interface Question {
  readonly body?: object;
  readonly [header: string]: string | object | undefined;
}
async function ask<Body = Fault>(method: string, path: string, question: Question = {}): Promise<Answer<Body>> {
  const { body, ...headers } = question;
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(jar !== '' && { cookie: jar }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(headers as Record<string, string>),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const cookie = reply.headers.get('set-cookie');
  if (cookie !== null) jar = cookie.includes('Max-Age=0') ? '' : (cookie.split(';')[0] ?? '');
  return { status: reply.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as Body, cookie };
}
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const signIn = (key: string, more: object = {}): Promise<Answer<Identity>> =>
  ask<Identity>('POST', '/console/session', { ...bearer(key), body: {}, ...more });
const who = (): Promise<Answer<Identity>> => ask<Identity>('GET', '/console/session');
const codeOf = ({ status, body }: Answer<Fault>): string => `${status} ${body.error.code}`;

describe('a session', () => {
  it('begins with a key, lies in a cookie that scripts and other sites cannot use, and says who it is', async () => {
    const { status, body, cookie } = await signIn(gateway.liveKey, { 'user-agent': 'Browser/1' });
    expect({ status, admin: body.admin, mode: body.key?.mode }).toEqual({ status: 200, admin: false, mode: 'live' });
    expect(cookie).toMatch(/^gateway_session=cst_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/);
    expect(JSON.stringify(body)).not.toContain(jar.split('=')[1]);
    expect((await who()).body).toMatchObject({ key: body.key, csrf_token: body.csrf_token, session: { current: true, client: 'Browser/1' } }); // prettier-ignore
    const https = await signIn(gateway.liveKey, { 'x-forwarded-proto': 'https' });
    expect(https.cookie).toContain('; Secure;');
  });

  it('opens what its key opens, and nothing else', async () => {
    const { body } = await signIn(gateway.testKey);
    const csrf = { 'x-csrf-token': body.csrf_token ?? '' };
    expect(await ask<object>('GET', '/v1/me')).toMatchObject({ status: 200, body: { mode: 'test' } });
    const client = new OpenAI({
      apiKey: 'none',
      baseURL: `${gateway.url}/v1`,
      defaultHeaders: { cookie: jar, authorization: null, ...csrf },
    });
    const stream = await client.chat.completions.create({ ...CHAT, messages: [{ role: 'user', content: 'hi' }], stream: true }); // prettier-ignore
    let pieces = 0;
    for await (const piece of stream) pieces += piece.choices.length;
    expect(pieces).toBeGreaterThan(1);
    expect(codeOf(await ask('GET', '/admin/keys'))).toBe('403 forbidden');
    expect(codeOf(await ask('GET', '/admin/nothing'))).toBe('403 forbidden');
    // A key that comes with the request goes before the cookie.
    expect(await ask<object>('GET', '/v1/me', bearer(gateway.otherKey))).toMatchObject({
      body: { mode: 'live' },
    });
    expect(codeOf(await ask('GET', '/v1/me', bearer('sk-nobody-0123456789abcdef')))).toBe('401 invalid_api_key');
  });

  it.each(['', 'wrong', 'x'.repeat(43)])(
    'changes nothing without its own token beside the cookie (%j)',
    async (token) => {
      const { body } = await signIn(gateway.liveKey);
      const csrf = token === '' ? {} : { 'x-csrf-token': token };
      const refused = await ask('POST', '/v1/chat/completions', { ...csrf, body: CHAT });
      expect(codeOf(refused)).toBe('403 forbidden');
      expect(refused.body.error).toMatchObject({ param: 'x-csrf-token' });
      expect(codeOf(await ask('DELETE', '/console/session', csrf))).toBe('403 forbidden');
      const other = await fetch(`${gateway.url}/console/session`, {
        method: 'POST',
        headers: { ...bearer(gateway.liveKey), 'content-type': 'application/json' },
        body: '{}',
      });
      const stranger = ((await other.json()) as Identity).csrf_token ?? '';
      expect(stranger).not.toBe(body.csrf_token);
      expect(codeOf(await ask('DELETE', '/console/session', { 'x-csrf-token': stranger }))).toBe('403 forbidden');
      expect((await who()).status).toBe(200);
    },
  );

  it('of the admin key opens the admin API, and with a key beside it the public one', async () => {
    const admin = await signIn(gateway.adminKey);
    expect(admin.body).toMatchObject({ admin: true, key: null, admin_api: true });
    expect((await ask('GET', '/admin/keys')).status).toBe(200);
    expect(codeOf(await ask('GET', '/v1/me'))).toBe('403 forbidden');
    const csrf = { 'x-csrf-token': admin.body.csrf_token ?? '' };
    expect(codeOf(await ask('POST', '/console/session', { ...bearer(gateway.testKey), body: { keep_current: true } }))).toBe('403 forbidden'); // prettier-ignore
    const before = jar;
    const both = await signIn(gateway.testKey, { ...csrf, body: { keep_current: true } });
    expect(both.body).toMatchObject({ admin: true, key: { mode: 'test' } });
    expect((await ask('GET', '/admin/keys')).status).toBe(200);
    expect((await ask('GET', '/v1/me')).status).toBe(200);
    // The one before is over.
    jar = before;
    const late = await who();
    expect(late.status).toBe(401);
    // It was asked before the answer that gave the new cookie, which is not taken away.
    expect(late.cookie).toBeNull();
    // Without that word a new one has the rights of its key alone.
    jar = before;
    expect((await signIn(gateway.testKey)).body).toMatchObject({ admin: false });
  });

  it('changes by it are told by it in the audit log', async () => {
    const { body } = await signIn(gateway.adminKey);
    const csrf = { 'x-csrf-token': body.csrf_token ?? '' };
    expect((await ask('POST', '/admin/owners', { ...csrf, body: { name: 'by-session' } })).status).toBe(200);
    const { body: audit } = await ask<{ data: { actor: string }[] }>('GET', '/admin/audit?limit=1');
    expect(audit.data[0]?.actor).toBe(`admin session ${body.session?.id ?? ''}`);
  });

  it('is no way in by itself: a cookie begins no other session', async () => {
    const { body } = await signIn(gateway.liveKey);
    const refused = await ask('POST', '/console/session', { 'x-csrf-token': body.csrf_token ?? '', body: {} });
    expect(codeOf(refused)).toBe('401 invalid_api_key');
  });
});

describe('a session ends', () => {
  it('when it is ended; the cookie is taken back and opens nothing any more', async () => {
    const { body } = await signIn(gateway.liveKey);
    const kept = jar;
    const out = await ask('DELETE', '/console/session', { 'x-csrf-token': body.csrf_token ?? '' });
    expect(out).toMatchObject({ status: 200, body: { ended: true, id: body.session?.id } });
    expect(jar).toBe('');
    jar = kept;
    expect(codeOf(await ask('GET', '/v1/me'))).toBe('401 invalid_api_key');
    expect(jar).toBe('');
    expect((await ask('DELETE', '/console/session', bearer(gateway.liveKey))).body).toMatchObject({ ended: false }); // prettier-ignore
  });

  it('when it is not used, and when its time is over however much it is', async () => {
    await signIn(gateway.liveKey);
    for (let hour = 0; hour < 23; hour++) {
      now += HOUR;
      expect((await who()).status).toBe(200);
    }
    now += HOUR;
    expect((await who()).status).toBe(401);
    await signIn(gateway.liveKey);
    now += 2 * HOUR;
    expect((await who()).status).toBe(401);
  });

  it('with its key, at once', async () => {
    const made = await ask<{ secret: string; key: { id: number } }>('POST', '/admin/keys', { ...bearer(gateway.adminKey), body: { name: 'short' } }); // prettier-ignore
    await signIn(made.body.secret);
    expect((await who()).status).toBe(200);
    await ask('DELETE', `/admin/keys/${made.body.key.id}`, bearer(gateway.adminKey));
    expect(codeOf((await who()) as never)).toBe('401 invalid_api_key');
  });

  it('by who may: others of the same key, and none of anybody else’s', async () => {
    const first = await signIn(gateway.liveKey);
    jar = '';
    const second = await signIn(gateway.liveKey);
    const { body: list } = await ask<{ data: { id: string; current: boolean }[] }>('GET', '/console/sessions');
    expect(list.data.filter(({ current }) => current).map(({ id }) => id)).toEqual([second.body.session?.id]);
    expect(list.data.map(({ id }) => id)).toContain(first.body.session?.id);
    const csrf = { 'x-csrf-token': second.body.csrf_token ?? '' };
    for (const key of [gateway.otherKey, gateway.testKey, gateway.adminKey]) {
      const refused = await ask('DELETE', `/console/sessions/${first.body.session?.id ?? ''}`, bearer(key));
      expect(codeOf(refused)).toBe('404 not_found');
      const theirs = await ask<{ data: { id: string }[] }>('GET', '/console/sessions', bearer(key));
      expect(theirs.body.data.map(({ id }) => id)).not.toContain(first.body.session?.id);
    }
    // Not the console's first page, which answers all other addresses below its own.
    expect(codeOf(await ask('GET', `/console/sessions/${first.body.session?.id ?? ''}`))).toBe(
      '405 method_not_allowed',
    );
    expect((await ask('DELETE', `/console/sessions/${first.body.session?.id ?? ''}`, csrf)).status).toBe(200);
    expect((await ask('DELETE', `/console/sessions/${first.body.session?.id ?? ''}`, csrf)).status).toBe(404);
    expect((await who()).status).toBe(200);
  });
});

describe('guessing', () => {
  it('cookies is counted as guessing keys is, and keeps out nobody who is signed in', async () => {
    await signIn(gateway.liveKey);
    const right = jar;
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++) {
      jar = `gateway_session=cst_${'A'.repeat(42)}${guess}`;
      statuses.push((await ask('GET', '/v1/me')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    jar = '';
    expect((await signIn('admin-wrong-0123456789abcdef')).status).toBe(429);
    jar = right;
    expect((await who()).status).toBe(200);
    // Keys that nobody has used here yet, and the sessions that begin with them.
    for (const key of [gateway.otherKey, gateway.adminKey]) {
      expect((await signIn(key)).status).toBe(200);
      expect((await who()).status).toBe(200);
    }
  });
});

it('of one key there are so many at most, ended ones with them: the oldest end', async () => {
  const { body: first } = await signIn(gateway.otherKey);
  const oldest = jar;
  await signIn(gateway.liveKey);
  const stranger = jar;
  for (let count = 0; count < 256; count++) {
    jar = '';
    now += 1;
    await signIn(gateway.otherKey);
  }
  expect((await who()).body.session?.id).not.toBe(first.session?.id);
  jar = oldest;
  expect((await who()).status).toBe(401);
  jar = stranger;
  expect((await who()).status).toBe(200);
});

it('a session that began before a restart is found from an address that guesses', async () => {
  const open = async (): Promise<TestGateway> =>
    openTestGateway({
      databaseUrl: `sqlite:${join(folder, 'restart.db')}`,
      clock: () => now,
      server: 'unknown_keys_per_minute: 5',
    });
  const status = async ({ url }: TestGateway, cookie: string): Promise<number> => {
    const reply = await fetch(`${url}/console/session`, { headers: { cookie } });
    await reply.arrayBuffer();
    return reply.status;
  };
  const before = await open();
  const begun = await fetch(`${before.url}/console/session`, {
    method: 'POST',
    headers: { ...bearer(before.liveKey), 'content-type': 'application/json' },
    body: '{}',
  });
  await begun.arrayBuffer();
  const [cookie = ''] = begun.headers.get('set-cookie')?.split(';') ?? [];
  await before.close();
  const after = await open();
  try {
    for (let guess = 0; guess < 6; guess++) await status(after, `gateway_session=cst_${'B'.repeat(42)}${guess}`);
    expect(await status(after, `gateway_session=cst_${'B'.repeat(42)}7`)).toBe(429);
    expect(await status(after, cookie)).toBe(200);
  } finally {
    await after.close();
  }
});

describe('the files of the console', () => {
  it('are its first page for every address of its own, and files for a year', async () => {
    for (const path of ['/console', '/console/', '/console/requests/req_1?a=b']) {
      const reply = await fetch(`${gateway.url}${path}`);
      expect({ status: reply.status, type: reply.headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' }); // prettier-ignore
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(reply.headers.get('cache-control')).toBe('no-cache');
      await reply.text();
    }
    const script = await fetch(`${gateway.url}/console/assets/app-1a2b.js`);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await script.text()).toBe('run();');
    const again = await fetch(`${gateway.url}/console`, { headers: { 'if-none-match': (await fetch(`${gateway.url}/console`)).headers.get('etag') ?? '' } }); // prettier-ignore
    expect(again.status).toBe(304);
    const first = await fetch(`${gateway.url}/`, { redirect: 'manual' });
    expect({ status: first.status, to: first.headers.get('location') }).toEqual({ status: 302, to: '/console' });
  });

  it.each(['/console/assets/other.js', '/console/..%2f..%2fpackage.json', '/console/x.js'])(
    '%s is none',
    async (path) => {
      const reply = await fetch(`${gateway.url}${path}`);
      expect(reply.status).toBe(404);
      await reply.text();
    },
  );
});
