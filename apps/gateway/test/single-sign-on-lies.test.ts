/** What an identity provider, or somebody in its place, may say: only what is signed, for us, now and for this attempt begins a session. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { discover } from '../src/resources/console/oidc/provider.ts';
import { openBrowser } from './cookie-jar.ts';
import { LYING_CLIENT, startLyingProvider, type Lies, type LyingProvider } from './lying-provider.ts';

let ahead = 0;
let provider: LyingProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startLyingProvider();
  gateway = await openTestGateway({
    clock: () => Date.now() + ahead,
    yaml: `
console:
  oidc:
    issuer: ${provider.issuer}
    client_id: ${LYING_CLIENT}
    roles: { claim: groups, owner: [owners] }
    owner_claim: team
`,
    server: 'unknown_keys_per_minute: 20',
  });
  await fetch(`${gateway.url}/admin/owners`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'red' }),
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  provider.lies = {};
  // What is remembered of the provider, and guesses of the test before, are over.
  ahead += 3_700_000;
});

/** How it ends: the fault, or the name of the session's key. */
async function outcomeOf(lies: Lies): Promise<string> {
  provider.lies = lies;
  const browser = openBrowser();
  const isConsole = ({ origin, pathname }: URL): boolean => origin === gateway.url && !pathname.includes('oidc');
  const { url } = await browser.go(`${gateway.url}/console/oidc`, isConsole);
  const fault = url.searchParams.get('sign_in_fault');
  if (fault !== null) {
    expect(browser.cookie('gateway_session')).toBeUndefined();
    return fault;
  }
  const identity = (await (await browser.ask(`${gateway.url}/console/session`)).json()) as { key: { name: string } };
  return identity.key.name;
}
const seconds = (): number => Math.floor(Date.now() / 1000);

it('an honest provider is believed; a public client proves itself by PKCE', async () => {
  expect(await outcomeOf({})).toBe('single sign-on');
  const form = provider.exchanged.at(-1);
  expect(form?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  expect(form?.get('client_id')).toBe(LYING_CLIENT);
});

describe('an identity token is refused', () => {
  it.each<[string, () => JWTPayload]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['of this issuer with a slash', () => ({ iss: `${provider.issuer}/` })],
    ['for another client', () => ({ aud: 'another' })],
    ['for several, and given to another', () => ({ aud: [LYING_CLIENT, 'another'], azp: 'another' })],
    ['for us alone, and given to another', () => ({ azp: 'another' })],
    ['given to what is no client', () => ({ azp: [LYING_CLIENT] as never })],
    ['of another attempt', () => ({ nonce: 'A'.repeat(43) })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that has expired beyond what clocks may differ', () => ({ iat: seconds() - 400, exp: seconds() - 60 })],
    ['that begins later', () => ({ nbf: seconds() + 60 })],
    ['without an end', () => ({ exp: undefined as never })],
    ['without a subject', () => ({ sub: undefined as never })],
  ])('%s', async (_what, claims) => {
    expect(await outcomeOf({ claims: claims() })).toBe('not_valid');
  });

  it('that nobody signed', async () => {
    expect(await outcomeOf({ token: (claims) => new UnsecuredJWT(claims).encode() })).toBe('not_valid');
  });

  it('that somebody else signed, with the honest key’s name', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const token = (claims: JWTPayload): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'honest' }).sign(privateKey);
    expect(await outcomeOf({ token })).toBe('not_valid');
  });

  it('that is signed with what everybody knows', async () => {
    const token = (claims: JWTPayload): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(LYING_CLIENT.padEnd(32, ' ')));
    expect(await outcomeOf({ token })).toBe('not_valid');
  });

  it('whose claims were changed after it was signed', async () => {
    const token = async (claims: JWTPayload): Promise<string> => {
      const [head, , signature] = (await provider.sign(claims)).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...claims, team: 'blue' })).toString('base64url')}.${signature}`;
    };
    expect(await outcomeOf({ token })).toBe('not_valid');
  });

  it('that is none', async () => {
    expect(await outcomeOf({ token: () => 'nothing' })).toBe('not_valid');
  });
});

describe('what is believed', () => {
  it('is a token that expired while clocks differ by some seconds', async () => {
    const claims = { iat: seconds() - 300, exp: seconds() - 5 };
    expect(await outcomeOf({ claims })).toBe('single sign-on');
  });

  it('is the userinfo endpoint of the same person, where the token says nothing', async () => {
    const claims = { groups: undefined, team: undefined };
    const userinfo = { sub: 'somebody', groups: 'owners', team: 'red' };
    expect(await outcomeOf({ claims, userinfo })).toBe('single sign-on');
    ahead += 3_700_000;
    expect(await outcomeOf({ claims, userinfo: { ...userinfo, sub: 'another' } })).toBe('not_valid');
    ahead += 3_700_000;
    // What is signed goes before it.
    expect(await outcomeOf({ claims: { groups: ['visitors'] }, userinfo })).toBe('no_role');
  });

  it('is a number as a name, and never as the id of an owner', async () => {
    // The owner `red` of these tests has a small number.
    for (let id = 1; id < 8; id += 1) expect(await outcomeOf({ claims: { team: id } })).toBe('no_owner');
    ahead += 3_700_000;
    await fetch(`${gateway.url}/admin/owners`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: '4711' }),
    });
    expect(await outcomeOf({ claims: { team: 4711 } })).toBe('single sign-on');
  });

  it('is a token given to us, in words', async () => {
    expect(await outcomeOf({ claims: { azp: LYING_CLIENT } })).toBe('single sign-on');
  });

  it('is no claim that an object inherits', async () => {
    expect(await outcomeOf({ claims: { team: 'constructor' } })).toBe('no_owner');
    expect(await outcomeOf({ claims: { groups: { owners: true } } })).toBe('no_role');
  });
});

describe('the provider’s description of itself is refused', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { issuer: 'https://evil.example' }],
    ['without a place for tokens', { token_endpoint: undefined }],
    ['without keys', { jwks_uri: undefined }],
    ['that sends browsers elsewhere by http', { authorization_endpoint: 'http://evil.example/authorize' }],
    ['that wants the code elsewhere by http', { token_endpoint: 'http://evil.example/token' }],
    ['that sends browsers to a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['that is huge', { padding: 'x'.repeat(2 * 1024 * 1024) }],
  ])('%s', async (_what, discovery) => {
    provider.lies = { discovery };
    await expect(discover({ issuer: provider.issuer, clientId: LYING_CLIENT, clientSecret: undefined })).rejects.toMatchObject({ code: 'provider_away' }); // prettier-ignore
  });

  it('and what was known of it before goes on', async () => {
    expect(await outcomeOf({ discovery: { issuer: 'https://evil.example' } })).toBe('single sign-on');
  });
});

describe('on the way back', () => {
  it('an answer in the name of another provider is refused', async () => {
    const discovery = { authorization_response_iss_parameter_supported: true };
    expect(await outcomeOf({ discovery, query: { iss: 'https://evil.example' } })).toBe('not_valid');
    ahead += 3_700_000;
    expect(await outcomeOf({ discovery, query: { iss: provider.issuer } })).toBe('single sign-on');
  });

  it('a provider that cannot answer is told from one that refuses', async () => {
    expect(await outcomeOf({ tokenStatus: 503 })).toBe('provider_away');
    expect(await outcomeOf({ tokenStatus: 400 })).toBe('not_valid');
  });

  it('no number of addresses opened without an attempt of ours keeps an office from signing in, nor do wrong keys', async () => {
    const callback = `${gateway.url}/console/oidc/callback?code=x&state=${'A'.repeat(43)}`;
    for (let picture = 0; picture < 50; picture += 1) {
      const cookie = picture % 2 === 0 ? {} : { cookie: `gateway_sign_in=${'A'.repeat(200)}` };
      const reply = await fetch(callback, { redirect: 'manual', headers: cookie });
      expect(reply.headers.get('location')).toContain('sign_in_fault=start_again');
      await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer sk-guess-${picture}` } });
    }
    expect(await outcomeOf({})).toBe('single sign-on');
  });

  it('who tries many is refused before the provider is asked', async () => {
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await outcomeOf({ tokenStatus: 400 })).toBe('not_valid');
    const before = provider.exchanged.length;
    expect(await outcomeOf({})).toBe('too_many');
    expect(provider.exchanged.length).toBe(before);
  });
});

it('without the playground’s terms nobody pays: what costs money is refused in words, the rest goes on', async () => {
  const browser = openBrowser();
  const isConsole = ({ origin, pathname }: URL): boolean => origin === gateway.url && !pathname.includes('oidc');
  await browser.go(`${gateway.url}/console/oidc`, isConsole);
  const identity = (await (await browser.ask(`${gateway.url}/console/session`)).json()) as {
    may_pay: boolean;
    csrf_token: string;
  };
  expect(identity.may_pay).toBe(false);
  for (const [method, path, body] of [
    ['POST', '/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] }],
    ['POST', '/v1beta/cachedContents', { model: 'gemini-3.1-pro', contents: [{ parts: [{ text: 'hi' }] }] }],
    ['PATCH', '/v1beta/cachedContents/any', { ttl: '60s' }],
  ] as const) {
    const reply = await browser.ask(gateway.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-csrf-token': identity.csrf_token },
      body: JSON.stringify(body),
    });
    expect([path, reply.status]).toEqual([path, 403]);
    expect(await reply.text()).toContain('console.oidc.playground');
  }
  expect((await browser.ask(`${gateway.url}/v1/models`)).status).toBe(200);
});
