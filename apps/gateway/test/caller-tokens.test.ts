/** Callers with tokens of the company's identity provider, over sockets: who is let in, who pays, and who is not. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { readConfig } from '../src/config/config.ts';
import { openSocket } from './open-socket.ts';

const AUDIENCE = 'model-gateway';

interface Issuer {
  readonly issuer: string;
  /** Times that its keys were read. */
  reads: number;
  isAway: boolean;
  /** In place of its keys. */
  keys: () => readonly JsonObject[];
  close(): Promise<void>;
}

async function startIssuer(): Promise<Issuer> {
  const server = createServer((request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    if (!isDiscovery) made.reads += 1;
    if (made.isAway) {
      response.writeHead(503).end();
      return;
    }
    const body = isDiscovery ? { issuer: made.issuer, jwks_uri: `${made.issuer}/keys` } : { keys: made.keys() };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: Issuer = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reads: 0,
    isAway: false,
    keys: () => [],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let issuer: Issuer;
let pair: Pair;
let stranger: Pair;
let next: Pair;
let gateway: TestGateway;
let now = Date.UTC(2026, 10, 26);
const seconds = (): number => Math.floor(now / 1000);

beforeAll(async () => {
  issuer = await startIssuer();
  [pair, stranger, next] = (await Promise.all(
    ['RS256', 'RS256', 'ES256'].map((alg) => generateKeyPair(alg, { extractable: true })),
  )) as [Pair, Pair, Pair];
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' } as JsonObject;
  issuer.keys = () => [jwk];
  gateway = await openTestGateway({
    clock: () => now,
    server: 'unknown_keys_per_minute: 40',
    yaml: `
owners: [{ name: red, credit_limit: none, organization: acme }]
callers:
  jwt:
    - issuer: ${issuer.issuer}
      audience: ${AUDIENCE}
      claims: { user: email, owner: team, organization: company, roles: realm.roles }
      create_owners: true
      credit_limit: none
      rights:
        - { name: engineers, roles: [ai], limits: { requests_per_minute: 1000, spend_total: 100 } }
        - { name: guests, roles: [guest], models: [gpt-5-mini], limits: { requests_per_minute: 1 } }`,
  });
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});
afterEach(() => {
  issuer.isAway = false;
});

const CLAIMS = { sub: 's-1', email: 'jane@acme.example', team: 'red', realm: { roles: ['ai'] } };
interface Signing {
  readonly by?: Pair;
  readonly kid?: string;
  readonly alg?: string;
}
const honest = (): JWTPayload => ({ iss: issuer.issuer, aud: AUDIENCE, iat: seconds(), exp: seconds() + 300 });
const sign = (
  claims: Readonly<Record<string, unknown>> = {},
  { by = pair, kid = 'k1', alg = 'RS256' }: Signing = {},
): Promise<string> =>
  new SignJWT({ ...honest(), ...CLAIMS, ...claims }).setProtectedHeader({ alg, kid }).sign(by.privateKey);

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function chat(
  token: string,
  { path = '/v1/chat/completions', header = 'authorization', model = 'gpt-5.2' } = {},
): Promise<Reply> {
  const messages = [{ role: 'user', content: 'Hello' }];
  const isGoogle = path.startsWith('/v1beta');
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [header]: header === 'authorization' ? `Bearer ${token}` : token,
    },
    body: JSON.stringify(
      isGoogle
        ? { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
        : { model, messages, ...(path === '/v1/messages' && { max_tokens: 50 }) },
    ),
  });
  return { status: reply.status, text: await reply.text() };
}
async function admin<T = JsonObject>(path: string, body?: JsonObject): Promise<T> {
  const reply = await fetch(`${gateway.url}${path}`, {
    ...(body !== undefined && { method: 'PATCH', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
  });
  return (await reply.json()) as T;
}

describe('a token that is valid', () => {
  it.each([
    ['authorization', '/v1/chat/completions'],
    ['authorization', '/v1/messages'],
    ['x-api-key', '/v1/messages'],
    ['x-goog-api-key', '/v1beta/models/gemini-3.1-pro:generateContent'],
    ['api-key', '/v1/chat/completions'],
  ])('is taken in %s of %s', async (header, path) => {
    expect(await chat(await sign(), { header, path, model: path === '/v1/messages' ? 'claude-sonnet-5' : 'gpt-5.2' })).toMatchObject({ status: 200 }); // prettier-ignore
  });

  it('is paid by the owner of its claim, and the log and usage have its user', async () => {
    expect(await chat(await sign({ email: 'joe@acme.example', sub: 's-2' }))).toMatchObject({ status: 200 });
    await gateway.server.own.flush();
    const { data } = await admin<{ data: JsonObject[] }>('/admin/requests?user=joe@acme.example');
    expect(data).toMatchObject([{ owner_name: 'red', key_name: 'tokens: engineers', user: 'joe@acme.example' }]);
    const period = `from=${new Date(now - 60_000).toISOString()}&to=${new Date(now + 60_000).toISOString()}`;
    const usage = await admin<{ data: { group: JsonObject }[] }>(`/admin/usage?group_by=user,organization&${period}`);
    expect(usage.data.map(({ group }) => group)).toContainEqual({ user: 'joe@acme.example', organization: 'acme' });
    const people = await admin<{ data: JsonObject[] }>('/admin/people?name=joe');
    expect(people.data).toMatchObject([{ subject: 's-2', owner_name: 'red', sign_ins: 0, blocked_at: null }]);
  });

  it('creates its owner once, whoever comes first', async () => {
    const tokens = await Promise.all(
      ['a', 'b', 'c'].map((sub) => sign({ sub, email: `${sub}@new.example`, team: 'blue', company: 'new' })),
    );
    expect((await Promise.all(tokens.map((token) => chat(token)))).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    const { data } = await admin<{ data: JsonObject[] }>('/admin/owners?name=blue');
    expect(data).toMatchObject([{ name: 'blue', organization: 'new', credit_limit: null }]);
  });

  it('has the models and limits of its role', async () => {
    const token = await sign({ sub: 'g', email: 'g@acme.example', realm: { roles: ['guest', 'other'] } });
    expect(await chat(token)).toMatchObject({ status: 403, text: expect.stringContaining('gpt-5.2') as string });
    const second = await chat(token, { model: 'gpt-5-mini' });
    const third = await chat(token, { model: 'gpt-5-mini' });
    expect([second.status, third.status]).toContain(429);
  });

  it('opens what its own owner has, nothing of another, and not the admin API', async () => {
    const own = await sign();
    const other = await sign({ sub: 'o', email: 'o@other.example', team: 'other' });
    const read = (path: string, token: string) =>
      fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const reply = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'Hello' }),
    });
    await reply.text();
    await gateway.server.own.flush();
    const path = `/v1/requests/${reply.headers.get('x-request-id') ?? ''}`;
    expect([reply.status, (await read(path, own)).status, (await read(path, other)).status]).toEqual([200, 200, 404]);
    expect((await read('/admin/keys', own)).status).toBe(401);
  });
});

describe('a token that is not', () => {
  const pem = async (): Promise<Uint8Array> => new TextEncoder().encode(await exportSPKI(pair.publicKey));
  const CASES: readonly [string, () => Promise<string>, number, string][] = [
    ['expired', () => sign({ exp: seconds() - 61 }), 401, 'has expired'],
    ['without an end', () => sign({ exp: undefined }), 401, 'has no end'],
    ['not valid yet', () => sign({ nbf: seconds() + 61 }), 401, 'not valid yet'],
    ['for another audience', () => sign({ aud: 'another' }), 401, 'another audience'],
    ['of another issuer', () => sign({ iss: 'https://other.example' }), 401, 'its issuer is none'],
    ['signed by somebody else', () => sign({}, { by: stranger }), 401, 'no key of its issuer'],
    ['of an unknown key', () => sign({}, { kid: 'k9', by: stranger }), 401, 'no key of its issuer'],
    ['not signed', async () => new UnsecuredJWT({ ...honest(), ...CLAIMS }).encode(), 401, 'not taken'],
    ['signed with the public key as a secret', async () => new SignJWT({ ...honest(), ...CLAIMS }).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(await pem()), 401, 'algorithm'], // prettier-ignore
    ['of no role', () => sign({ realm: { roles: ['other'] } }), 403, 'no role'],
    ['without its owner', () => sign({ team: undefined }), 403, 'names no single owner'],
    ['of two owners', () => sign({ team: ['red', 'blue'] }), 403, 'names no single owner'],
    ['without its user', () => sign({ email: undefined }), 403, "claim 'email'"],
  ];
  it.each(CASES)('%s is refused in words that help', async (_, token, status, words) => {
    const text = await token();
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const reply = await chat(text, { path });
      expect(reply).toMatchObject({ status, text: expect.stringContaining(words) as string });
      for (const part of text.split('.').filter((each) => each !== '')) expect(reply.text).not.toContain(part);
      expect(JSON.parse(reply.text)).toMatchObject({ error: { message: expect.any(String) as string } });
    }
  });

  it.each([59, -59])('is valid still within %i seconds of another clock', async (skew) => {
    expect((await chat(await sign(skew < 0 ? { exp: seconds() + skew } : { nbf: seconds() + skew }))).status).toBe(200);
  });

  it('ends while it is known', async () => {
    const token = await sign({ exp: seconds() + 10 });
    expect((await chat(token)).status).toBe(200);
    now += 71_000;
    expect(await chat(token)).toMatchObject({ status: 401, text: expect.stringContaining('has expired') as string });
  });
});

it('a blocked user has no access a second later, with a token that is known and with a new one', async () => {
  const [first, second] = await Promise.all([1, 2].map((jti) => sign({ sub: 'b', email: 'b@acme.example', jti: String(jti) }))); // prettier-ignore
  expect((await chat(first ?? '')).status).toBe(200);
  const { data } = await admin<{ data: { id: number }[] }>('/admin/people?name=b@acme');
  await admin(`/admin/people/${data[0]?.id ?? 0}`, { blocked: true });
  now += 1_000;
  for (const token of [first, second])
    expect(await chat(token ?? '')).toMatchObject({ status: 403, text: expect.stringContaining('blocked') as string });
  await admin(`/admin/people/${data[0]?.id ?? 0}`, { blocked: false });
  now += 1_000;
  expect((await chat(first ?? '')).status).toBe(200);
});

it('a revoked key of the tokens of an owner closes them all', async () => {
  const token = await sign({ team: 'green', sub: 'v', email: 'v@acme.example' });
  expect((await chat(token)).status).toBe(200);
  const owners = await admin<{ data: { id: number }[] }>('/admin/owners?name=green');
  const keys = await admin<{ data: { id: number; name: string }[] }>(`/admin/keys?owner_id=${owners.data[0]?.id ?? 0}`);
  const key = keys.data.find(({ name }) => name === 'tokens: engineers');
  await fetch(`${gateway.url}/admin/keys/${key?.id ?? 0}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  now += 1_000;
  const fresh = await sign({ team: 'green', sub: 'v', email: 'v@acme.example', jti: 'new' });
  for (const each of [token, fresh])
    expect(await chat(each)).toMatchObject({ status: 403, text: expect.stringContaining('revoked') as string });
});

it('a client secret that a token makes is for the token’s user, whatever its holder says', async () => {
  const email = 'sealed@acme.example';
  const reply = await fetch(`${gateway.url}/v1/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await sign({ email, sub: email })}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session: { type: 'realtime', model: 'gpt-realtime-2' } }),
  });
  const { value } = (await reply.json()) as { value: string };
  const headers = { authorization: `Bearer ${value}`, 'x-gateway-user': 'somebody-else' };
  const socket = await openSocket(gateway.url, headers, '/v1/realtime?model=gpt-realtime-2');
  await socket.until(({ type }) => type === 'session.created');
  await socket.close();
  await until(async () => {
    await gateway.server.own.flush();
    const { data } = await admin<{ data: JsonObject[] }>(`/admin/requests?user=${email}`);
    return data.some(({ operation }) => operation === 'connectRealtime');
  });
});

it('a key that was made by hand with the name of the tokens’ key does not lock them out', async () => {
  const { id } = await gateway.server.parts.store.owners.firstNamed({ name: 'violet', group: 'default' }, now);
  const made = await fetch(`${gateway.url}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'tokens: engineers', owner_id: id }),
  });
  expect(made.status).toBe(200);
  for (const email of ['x@acme.example', 'y@acme.example'])
    expect(await chat(await sign({ team: 'violet', sub: email, email }))).toMatchObject({ status: 200 });
  const { data } = await admin<{ data: { name: string }[] }>(`/admin/keys?owner_id=${id}`);
  expect(data.map(({ name }) => name).toSorted()).toEqual(['tokens: engineers', 'tokens: engineers (2)']);
});

describe('rights of several issuers', () => {
  const row = (audience: string, rights = ''): string =>
    `    - { issuer: 'https://id.example', audience: ${audience}${rights === '' ? '' : `, rights: [${rights}]`} }`;
  const read = (...rows: readonly string[]): unknown =>
    readConfig({ GATEWAY_CONFIG: 'gateway.yaml' }, { text: ['callers:', '  jwt:', ...rows].join('\n') });

  it.each([
    ['named', '{ name: staff }'],
    ['none, which are everybody’s,', ''],
  ])('share no name: %s in two rows', (_, rights) => {
    expect(() => read(row('a', rights), row('b', rights))).toThrow(
      /callers\.jwt\[1\]\.rights: callers\.jwt\[0\]\.rights .*write/,
    );
  });

  it('have names of their own', () => {
    expect(() => read(row('a'), row('b', '{ name: staff }'))).not.toThrow();
  });
});

describe('the keys of the issuer', () => {
  it('are read anew for a new one, and not for each unknown one', async () => {
    now += 10_000;
    const before = issuer.reads;
    const replies = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => chat(await sign({}, { kid: `made-up-${index}`, by: stranger }))),
    );
    expect(replies.every(({ status }) => status === 401)).toBe(true);
    expect(issuer.reads - before).toBe(1);
    const old = issuer.keys;
    const jwk = { ...(await exportJWK(next.publicKey)), kid: 'k2', alg: 'ES256' } as JsonObject;
    issuer.keys = () => [...old(), jwk];
    const token = await sign({}, { kid: 'k2', by: next, alg: 'ES256' });
    expect((await chat(token)).status).toBe(401);
    now += 10_000;
    expect((await chat(token)).status).toBe(200);
    expect(issuer.reads - before).toBe(2);
  });

  it('go on while it is away, and are forgotten when it takes them back', async () => {
    issuer.isAway = true;
    now += 700_000;
    expect((await chat(await sign())).status).toBe(200);
    issuer.isAway = false;
    const old = issuer.keys;
    issuer.keys = () => old().slice(1);
    now += 700_000;
    expect((await chat(await sign())).status).toBe(401);
    issuer.keys = old;
  });
});

it('addresses that send many made-up tokens are told to wait, and valid tokens of theirs are not', async () => {
  now += 120_000;
  await until(async () => (await chat(await sign({}, { by: stranger }))).status === 429);
  expect((await chat(await sign())).status).toBe(200);
  // What has expired was made by the issuer.
  expect((await chat(await sign({ exp: seconds() - 100 }))).status).toBe(401);
});
