/** Signing in to the console with an identity provider: the whole way over sockets, as browsers go it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { openBrowser, type Browser } from './cookie-jar.ts';
import { CLIENT, startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

interface Identity {
  readonly admin: boolean;
  readonly role: string | null;
  readonly may_pay: boolean;
  readonly key: { readonly id: number; readonly owner_id: number; readonly mode: string; readonly name: string } | null;
  readonly session: { readonly id: string; readonly signed_in_as: string | null } | null;
  readonly csrf_token: string;
}
/** What the tests look at of answers. */
interface Told {
  readonly data: readonly { readonly actor: string }[];
  readonly sign_out_url: string;
}
interface Listed {
  readonly data: readonly { readonly id: string; readonly signed_in_as: string | null; readonly role: string | null }[];
}

const PEOPLE = {
  olga: { email: 'olga@example.com', groups: ['billing', 'umg-owners'], team: 'red' },
  max: { email: 'max@example.com', groups: 'umg-members', team: 'red' },
  mia: { email: 'mia@example.com', groups: ['umg-members'], team: 'red' },
  bea: { name: 'Bea', groups: ['umg-owners', 'umg-members'], team: 'blue' },
  ada: { email: 'ada@example.com', groups: ['umg-members', 'umg-admins'] },
  nobody: { groups: ['visitors'], team: 'red' },
  lost: { groups: ['umg-owners'], team: 'violet' },
  torn: { groups: ['umg-owners'], team: ['red', 'blue'] },
};
const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] };

/** The gateway's clock is so far ahead of the provider's. */
let ahead = 0;
let provider: TestIdentityProvider;
let gateway: TestGateway;
let red: number;
let blue: number;

beforeAll(async () => {
  provider = await startIdentityProvider(PEOPLE);
  gateway = await openTestGateway({
    clock: () => Date.now() + ahead,
    yaml: `
console:
  oidc:
    name: Example Inc.
    issuer: ${provider.issuer}
    client_id: ${CLIENT.id}
    client_secret: ${CLIENT.secret}
    roles: { claim: groups, admin: [umg-admins], owner: [umg-owners], member: [umg-members] }
    owner_claim: team
    playground: { models: ['gpt-*'], limits: { requests_per_minute: 100 } }
`,
    server: 'unknown_keys_per_minute: 1000',
  });
  [red, blue] = [await makeOwner('red'), await makeOwner('blue')];
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
afterEach(() => provider.become('olga'));

async function byAdmin(method: string, path: string, body?: object): Promise<Record<string, never>> {
  const reply = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await reply.json()) as Record<string, never>;
}
async function makeOwner(name: string): Promise<number> {
  const { id } = (await byAdmin('POST', '/admin/owners', { name })) as unknown as { id: number };
  await byAdmin('POST', `/admin/owners/${id}/topups`, { usd: 10 });
  return id;
}

const isConsole = ({ origin, pathname }: URL): boolean =>
  origin === gateway.url && /^\/console(?!\/oidc)/.test(pathname);
async function signIn(person: string | undefined, query = ''): Promise<{ browser: Browser; at: URL }> {
  provider.become(person);
  const browser = openBrowser();
  const { url } = await browser.go(`${gateway.url}/console/oidc${query}`, isConsole);
  return { browser, at: url };
}
async function who(browser: Browser): Promise<Identity> {
  return (await (await browser.ask(`${gateway.url}/console/session`)).json()) as Identity;
}
async function send(
  browser: Browser,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Told }> {
  // prettier-ignore
  const { csrf_token } = await who(browser);
  const reply = await browser.ask(gateway.url + path, {
    method,
    headers: { 'x-csrf-token': csrf_token, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Told };
}

describe('signing in', () => {
  it('is offered by the page’s own question, which asks the provider nothing', async () => {
    const before = provider.asked.length;
    const reply = await fetch(`${gateway.url}/console/sign-in`);
    expect(await reply.json()).toEqual({
      object: 'console_sign_in',
      single_sign_on: { name: 'Example Inc.', url: `${gateway.url}/console/oidc` },
    });
    expect(provider.asked.length).toBe(before);
  });

  it('fails in words while the provider is away, keys go on, and it is asked again later', async () => {
    // It answers 503 until it knows the gateway.
    const { at } = await signIn('olga');
    expect(at.searchParams.get('sign_in_fault')).toBe('provider_away');
    expect(at.searchParams.get('request_id')).toMatch(/^\S{8,}$/);
    const begun = provider.asked.length;
    await signIn('olga');
    // Silence is remembered for some seconds, so that browsers do not knock for each other.
    expect(provider.asked.length).toBe(begun);
    const byKey = await fetch(`${gateway.url}/console/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(byKey.status).toBe(200);
    provider.serve(gateway.url);
    ahead += 6_000;
    expect((await signIn('olga')).at.pathname).toBe('/console');
  });

  it('leads an owner to where they were going, with a session that scripts and other sites cannot use', async () => {
    const { browser, at } = await signIn('olga', '?return_to=/console/requests%3Fmodel%3Dgpt-5.2');
    expect(at.href).toBe(`${gateway.url}/console/requests?model=gpt-5.2`);
    expect(browser.cookie('gateway_session')).toMatch(
      /^gateway_session=cst_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/,
    );
    // The attempt is over.
    expect(browser.cookie('gateway_sign_in')).toBeUndefined();
    expect(await who(browser)).toMatchObject({
      admin: false,
      role: 'owner',
      may_pay: true,
      key: { owner_id: red, mode: 'live', name: 'single sign-on' },
      session: { signed_in_as: 'olga@example.com' },
    });
  });

  it.each([
    ['max', { admin: false, role: 'member' }],
    ['bea', { admin: false, role: 'owner' }],
    ['ada', { admin: true, role: 'admin', key: null, may_pay: false }],
  ])('gives %s the highest role of the claim', async (person, expected) => {
    const { browser } = await signIn(person);
    expect(await who(browser)).toMatchObject(expected);
  });

  it.each([
    ['nobody', 'no_role'],
    ['lost', 'no_owner'],
    ['torn', 'no_owner'],
    [undefined, 'refused'],
  ])('refuses %s with %s, and begins no session', async (person, fault) => {
    const { browser, at } = await signIn(person);
    expect({ path: at.pathname, fault: at.searchParams.get('sign_in_fault') }).toEqual({ path: '/console', fault });
    expect(browser.cookie('gateway_session')).toBeUndefined();
  });

  it.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/\\evil.example/console',
    '/console/../admin',
    '/console/%2e%2e/docs',
    '/consoles',
    'javascript:alert(1)',
    '/console\n/x//evil.example'.replace('\n', '\t'),
    `/console/${'x'.repeat(2000)}`,
  ])('never leads elsewhere: %j', async (asked) => {
    const { at } = await signIn('olga', `?return_to=${encodeURIComponent(asked)}`);
    expect(at.origin).toBe(gateway.url);
    expect(at.pathname).toMatch(/^\/console(\/|$)/);
    expect(at.href).not.toContain('sign_in_fault');
  });
});

/** As far as the provider's answer, which is not followed. */
async function comeBack(browser = openBrowser()): Promise<{ browser: Browser; back: URL }> {
  provider.become('olga');
  const isBack = ({ pathname }: URL): boolean => pathname === '/console/oidc/callback';
  const { url } = await browser.go(`${gateway.url}/console/oidc`, isBack);
  return { browser, back: url };
}
async function faultOf(browser: Browser, back: URL | string): Promise<string | null> {
  const reply = await browser.ask(String(back));
  expect(reply.status).toBe(303);
  return new URL(reply.headers.get('location') ?? '').searchParams.get('sign_in_fault');
}

describe('an attempt', () => {
  it('asks with PKCE, state and nonce, and goes with the browser in a cookie for signing in alone', async () => {
    const browser = openBrowser();
    const reply = await browser.ask(`${gateway.url}/console/oidc`);
    const { searchParams } = new URL(reply.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: `${gateway.url}/console/oidc/callback`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const cookie = browser.cookie('gateway_sign_in') ?? '';
    expect(cookie).toMatch(/; Path=\/console\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    // Nothing in it can be read.
    for (const secret of [searchParams.get('state'), searchParams.get('nonce')]) expect(cookie).not.toContain(secret);
  });

  it('is none in another browser, with another state, or after its time', async () => {
    const { browser, back } = await comeBack();
    expect(await faultOf(openBrowser(), back)).toBe('start_again');
    const stranger = new URL(back);
    stranger.searchParams.set('state', 'A'.repeat(43));
    const other = await comeBack();
    expect(await faultOf(other.browser, stranger)).toBe('start_again');
    // Login CSRF: the address of one person's answer in another person's browser.
    const victim = await comeBack();
    expect(await faultOf(victim.browser, back)).toBe('start_again');
    ahead += 601_000;
    expect(await faultOf(browser, back)).toBe('start_again');
  });

  it('is good once: neither the address nor the cookie brings a second session', async () => {
    const { browser, back } = await comeBack();
    const kept = new Map(browser.cookies);
    expect(await faultOf(browser, back)).toBeNull();
    expect(await faultOf(browser, back)).toBe('start_again');
    for (const [name, cookie] of kept) browser.cookies.set(name, cookie);
    browser.forget('gateway_session');
    // The provider has given the code away.
    expect(await faultOf(browser, back)).toBe('not_valid');
    expect(browser.cookie('gateway_session')).toBeUndefined();
  });

  it('is not used up by a look: HEAD and POST are not for it', async () => {
    const { browser, back } = await comeBack();
    for (const method of ['HEAD', 'POST']) {
      const reply = await browser.ask(back.href, { method });
      expect(reply.headers.get('set-cookie')).toBeNull();
      await reply.text();
    }
    expect(await faultOf(browser, back)).toBeNull();
  });

  it('whose cookie was changed is none', async () => {
    const { browser, back } = await comeBack();
    for (const [name, cookie] of browser.cookies)
      if (cookie.name === 'gateway_sign_in')
        browser.cookies.set(name, { ...cookie, value: `${cookie.value.slice(0, -4)}AAAA` });
    expect(await faultOf(browser, back)).toBe('start_again');
  });
});

describe('a session of a person', () => {
  it('uses models as its owner’s, within the configured terms', async () => {
    const { browser } = await signIn('max');
    expect(await send(browser, 'POST', '/v1/chat/completions', CHAT)).toMatchObject({ status: 200 });
    const denied = await send(browser, 'POST', '/v1/chat/completions', { ...CHAT, model: 'claude-sonnet-5' });
    expect(denied.status).toBe(403);
    const { key } = await who(browser);
    const { body: me } = await send(browser, 'GET', '/v1/me');
    expect(me).toMatchObject({ owner: { id: red }, key: { id: key?.id, limits: { requests_per_minute: 100 } } });
    const { body: usage } = await send(browser, 'GET', '/v1/usage?group_by=key');
    expect(JSON.stringify(usage)).toContain(`"key":${key?.id}`);
  });

  it('has one key for all people of an owner, which opens nothing as a key', async () => {
    const [first, second, other] = [await signIn('max'), await signIn('olga'), await signIn('bea')];
    const keys = await Promise.all([first, second, other].map(async ({ browser }) => (await who(browser)).key));
    expect(keys[0]?.id).toBe(keys[1]?.id);
    expect(keys[2]).toMatchObject({ owner_id: blue });
    for (const secret of [`single-sign-on:${red}:1`, 'single sign-on']) {
      const reply = await fetch(`${gateway.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } });
      expect(reply.status).toBe(401);
    }
  });

  it('changes nothing without its own token', async () => {
    const { browser } = await signIn('olga');
    const reply = await browser.ask(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(CHAT),
    });
    expect(reply.status).toBe(403);
  });

  it('is listed with who signed in: to owners all of theirs, to members their own, to operators everybody’s', async () => {
    const people = ['olga', 'max', 'mia', 'bea', 'ada'] as const;
    const browsers: Partial<Record<(typeof people)[number], Browser>> = {};
    for (const person of people) browsers[person] = (await signIn(person)).browser;
    const names = async (person: (typeof people)[number]): Promise<readonly (string | null)[]> => {
      const { body } = await send(browsers[person] as Browser, 'GET', '/console/sessions');
      return [...new Set((body as unknown as Listed).data.map(({ signed_in_as: name }) => name))].sort();
    };
    expect(await names('olga')).toEqual(['max@example.com', 'mia@example.com', 'olga@example.com']);
    expect(await names('max')).toEqual(['max@example.com']);
    expect(await names('bea')).toEqual(['Bea']);
    expect(await names('ada')).toEqual(['Bea', 'ada@example.com', 'max@example.com', 'mia@example.com', 'olga@example.com']); // prettier-ignore

    const ids = async (person: (typeof people)[number]): Promise<string> =>
      (await who(browsers[person] as Browser)).session?.id ?? '';
    const end = async (by: (typeof people)[number], id: string): Promise<number> =>
      (await send(browsers[by] as Browser, 'DELETE', `/console/sessions/${id}`)).status;
    expect(await end('mia', await ids('max'))).toBe(404);
    expect(await end('olga', await ids('bea'))).toBe(404);
    expect(await end('olga', await ids('max'))).toBe(200);
    expect((await who(browsers.max as Browser)).session).toBeUndefined();
    expect(await end('ada', await ids('mia'))).toBe(200);
    expect((await who(browsers.mia as Browser)).session).toBeUndefined();
  });

  it('ends with the owner’s key for it; who signs in again gets another', async () => {
    const { browser } = await signIn('bea');
    const { key } = await who(browser);
    await byAdmin('DELETE', `/admin/keys/${key?.id}`);
    expect((await browser.ask(`${gateway.url}/v1/me`)).status).toBe(401);
    const again = await signIn('bea');
    expect(await who(again.browser)).toMatchObject({
      role: 'owner',
      key: { owner_id: blue, name: 'single sign-on 2' },
    });
  });

  it('of an operator is named in the audit log', async () => {
    const { browser } = await signIn('ada');
    expect((await send(browser, 'POST', '/admin/owners', { name: 'green' })).status).toBe(200);
    const { body } = await send(browser, 'GET', '/admin/audit?limit=1');
    const { session } = await who(browser);
    expect(body.data[0]?.actor).toBe(`admin session ${session?.id ?? ''} of ada@example.com`);
  });

  it('with a key beside it has what the key has, and still says who it is', async () => {
    const { browser } = await signIn('ada');
    const { csrf_token } = await who(browser);
    const both = await browser.ask(`${gateway.url}/console/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json', 'x-csrf-token': csrf_token }, // prettier-ignore
      body: '{"keep_current":true}',
    });
    expect(await both.json()).toMatchObject({ admin: true, may_pay: true, key: { mode: 'test' }, session: { signed_in_as: 'ada@example.com' } }); // prettier-ignore
    const out = await send(browser, 'DELETE', '/console/session');
    expect(out.body.sign_out_url).toContain('id_token_hint=');
  });

  it('signs out here, and at the provider by the address that it gets', async () => {
    const { browser } = await signIn('olga');
    const kept = new Map(browser.cookies);
    const { body } = await send(browser, 'DELETE', '/console/session');
    const url = new URL(body.sign_out_url);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      post_logout_redirect_uri: `${gateway.url}/console`,
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    // The provider knows the token as its own.
    expect((await browser.ask(url.href)).status).toBe(200);
    for (const [name, cookie] of kept) browser.cookies.set(name, cookie);
    expect((await browser.ask(`${gateway.url}/v1/me`)).status).toBe(401);
  });
});
