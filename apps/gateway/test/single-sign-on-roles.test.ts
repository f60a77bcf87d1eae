/** Every operation of the document × every role: each opens what the document says, and nothing of another owner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openBrowser, type Browser } from './cookie-jar.ts';
import { CLIENT, startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';
import { runCommand } from './run-command.ts';

type Who = 'owner' | 'member' | 'admin' | 'stranger' | 'strange member';
const PEOPLE: Readonly<Record<Who, Readonly<Record<string, string>>>> = {
  owner: { groups: 'owners', team: 'owner 1' },
  member: { groups: 'members', team: 'owner 1' },
  admin: { groups: 'admins' },
  stranger: { groups: 'owners', team: 'owner 2' },
  'strange member': { groups: 'members', team: 'owner 2' },
};
const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] };
const MEMBERS_ARE_REFUSED = 'the role member can only read and use models';

interface Signed {
  readonly browser: Browser;
  readonly csrf: string;
}
interface Operation extends OperationFacts {
  readonly id: string;
}
const operations: readonly Operation[] = Object.entries(OPERATIONS).map(([id, facts]) => ({ ...facts, id }));
const byKey = operations.filter(({ access }) => access === 'key' || access === 'any-key');
/** They end the session that asks, or stand for no session. */
const OF_SESSIONS = new Set(['createConsoleSession', 'deleteConsoleSession']);

let provider: TestIdentityProvider;
let gateway: TestGateway;
const signed: Partial<Record<Who, Signed>> = {};

beforeAll(async () => {
  provider = await startIdentityProvider(PEOPLE);
  gateway = await openTestGateway({
    yaml: `
security: { encryption_key: '${Buffer.alloc(32, 1).toString('base64')}' }
console:
  oidc:
    issuer: ${provider.issuer}
    client_id: ${CLIENT.id}
    client_secret: ${CLIENT.secret}
    roles: { claim: groups, admin: [admins], owner: [owners], member: [members] }
    owner_claim: team
    playground: {}
`,
  });
  provider.serve(gateway.url);
  for (const who of Object.keys(PEOPLE) as Who[]) {
    provider.become(who);
    const browser = openBrowser();
    await browser.go(`${gateway.url}/console/oidc`, ({ pathname }) => pathname === '/console');
    const reply = await browser.ask(`${gateway.url}/console/session`);
    signed[who] = { browser, csrf: ((await reply.json()) as { csrf_token: string }).csrf_token };
  }
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}
async function send(who: Who, method: string, path: string, body?: object): Promise<Answer> {
  const { browser, csrf } = signed[who] as Signed;
  const reply = await browser.ask(gateway.url + path, {
    method,
    headers: { 'x-csrf-token': csrf, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text(), requestId: reply.headers.get('x-request-id') ?? '' };
}
/** With something for each parameter, and a body that no operation takes. */
const sendAny = (who: Who, { method, path }: Operation): Promise<Answer> =>
  send(who, method, path.replace(/\{\w+\}/g, '1'), method === 'GET' || method === 'DELETE' ? undefined : {});

describe('what the document opens', () => {
  it.each(byKey.filter(({ id }) => !OF_SESSIONS.has(id)))(
    '$id: to owners, and to members where it says so',
    async (operation) => {
      // prettier-ignore
      const [owner, member] = [await sendAny('owner', operation), await sendAny('member', operation)];
      expect(owner.text).not.toContain(MEMBERS_ARE_REFUSED);
      expect(owner.status).not.toBe(401);
      if (operation.member === true) expect(member.status).toBe(owner.status);
      else expect(member).toMatchObject({ status: 403, text: expect.stringContaining(MEMBERS_ARE_REFUSED) });
    },
  );

  it('nothing that removes or changes what is there is open to members, nor what lasts without being paid for', () => {
    const open = byKey.filter(({ member }) => member === true);
    const changing = open.filter(({ method, paid }) => method !== 'GET' && !paid).map(({ id }) => id);
    // They count and estimate, or end a session of one's own.
    expect(changing).toEqual([
      'countResponseTokens',
      'countMessageTokens',
      'countContentTokens',
      'countContentTokensV1',
      'createEstimate',
      'deleteConsoleSession',
      'revokeConsoleSession',
    ]);
  });

  it.each(operations.filter(({ access }) => access === 'admin'))('$id: to operators alone', async (operation) => {
    for (const who of ['owner', 'member'] as const)
      expect(await sendAny(who, operation)).toMatchObject({ status: 403, text: expect.stringContaining('admin') });
    if (operation.method === 'GET') expect([401, 403]).not.toContain((await sendAny('admin', operation)).status);
  });

  it('to operators without an owner no operation of keys', async () => {
    for (const operation of byKey.filter(({ access }) => access === 'key'))
      expect((await sendAny('admin', operation)).status).toBe(403);
  });
});

describe('of another owner', () => {
  const ids: Record<string, string> = {};
  const marks = (): readonly string[] => [ids['task'], ids['video'], ids['request'], ids['response'], ids['conversation']].map(String); // prettier-ignore
  const idIn = ({ text }: Answer, name: string): string => String((JSON.parse(text) as Record<string, unknown>)[name]);

  beforeAll(async () => {
    const chat = await send('owner', 'POST', '/v1/chat/completions', CHAT);
    expect(chat.status).toBe(200);
    ids['request'] = chat.requestId;
    ids['task'] = idIn(await send('owner', 'POST', '/v1/video/generations', VIDEO), 'task_id');
    ids['video'] = idIn(await send('owner', 'POST', '/v1/videos', { model: 'sora-2', prompt: 'a boat' }), 'id');
    ids['response'] = idIn(await send('owner', 'POST', '/v1/responses', { model: 'gpt-5.2', input: 'hi' }), 'id');
    ids['conversation'] = idIn(await send('owner', 'POST', '/v1/conversations', {}), 'id');
    expect(marks()).not.toContain('undefined');
  });

  it('the members of the owner see what is there', async () => {
    const seen: string[] = [];
    for (const path of [
      '/v1/requests',
      '/v1/video/generations',
      '/v1/videos',
      `/v1/responses/${ids['response']}`,
      `/v1/conversations/${ids['conversation']}`,
    ])
      // prettier-ignore
      seen.push((await send('member', 'GET', path)).text);
    for (const mark of marks()) expect(seen.join('\n')).toContain(mark);
  });

  const lists = byKey.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  it.each(lists)('$id shows nothing', async (operation) => {
    const admin = (await send('owner', 'GET', '/console/session')).text;
    const { session } = JSON.parse(admin) as { session: { id: string } };
    for (const who of ['stranger', 'strange member'] as const) {
      const { text } = await sendAny(who, operation);
      for (const mark of [...marks(), session.id]) expect(text).not.toContain(mark);
    }
  });

  const single = byKey.filter(({ path }) => /\{(task|video|request|response|conversation)_id\}$/.test(path));
  it.each(single)('$method $path: as if it never was', async ({ method, path }) => {
    const mine = path.replace(/\{(\w+)_id\}/, (_all, name: string) => ids[name] ?? '');
    const none = path.replace(/\{\w+\}/, 'nothing_0000000000000000');
    const body = method === 'POST' ? { metadata: {} } : undefined;
    for (const who of ['stranger', 'strange member'] as const) {
      const [asked, unknown] = [await send(who, method, mine, body), await send(who, method, none, body)];
      expect({ who, status: asked.status }).toEqual({ who, status: unknown.status });
      expect([400, 403, 404]).toContain(asked.status);
    }
  });

  it('what was tried by others has changed nothing', async () => {
    expect((await send('owner', 'GET', `/v1/responses/${ids['response']}`)).status).toBe(200);
    expect((await send('owner', 'GET', `/v1/conversations/${ids['conversation']}`)).status).toBe(200);
    expect((await send('owner', 'GET', `/v1/video/generations/${ids['task']}`)).text).not.toMatch(/cancelled/i);
  });
});

describe('operators look after people', () => {
  const admin = (): Admin => createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
  const signInAs = async (who: Who): Promise<{ readonly browser: Browser; readonly address: URL }> => {
    provider.become(who);
    const browser = openBrowser();
    const reply = await browser.go(`${gateway.url}/console/oidc`, ({ pathname }) => pathname === '/console');
    return { browser, address: new URL(reply.url) };
  };
  const find = async (role: 'admin' | 'owner' | 'member', owner: number | null) =>
    (await admin().people.list({ role }).all()).find(({ owner_id: id }) => id === owner);

  it('see who signed in, as what, and of which owner; keys are no people', async () => {
    const people = await admin().people.list().all();
    expect(people.map(({ role, owner_id: owner }) => `${role} ${owner ?? 'none'}`).sort()).toEqual(['admin none', 'member 1', 'member 2', 'owner 1', 'owner 2']); // prettier-ignore
    const member = await find('member', 1);
    expect(member).toMatchObject({ owner_name: expect.any(String), sign_ins: 1, open_sessions: 1, blocked_at: null });
    expect(await admin().people.list({ name: 'nobody of this name' }).all()).toEqual([]);
    // Page by page nobody is left out or told twice.
    const [first, ...others] = await admin().people.list({ limit: 2 }).all();
    expect(new Set([first?.id, ...others.map(({ id }) => id)]).size).toBe(5);
  });

  it('a blocked person is signed out at once and cannot come back, until an operator lets them', async () => {
    const person = (await find('member', 2))!;
    expect((await send('strange member', 'GET', '/v1/models')).status).toBe(200);
    const blocked = await admin().people.update(person.id, { blocked: true });
    expect(blocked).toMatchObject({ open_sessions: 0, blocked_at: expect.any(String) });
    expect((await send('strange member', 'GET', '/v1/models')).status).toBe(401);
    const refused = await signInAs('strange member');
    expect(refused.address.searchParams.get('sign_in_fault')).toBe('blocked');
    expect((await refused.browser.ask(`${gateway.url}/console/session`)).status).toBe(401);
    // Others of the same owner and the same role are not.
    expect((await send('stranger', 'GET', '/v1/models')).status).toBe(200);
    expect((await send('member', 'GET', '/v1/models')).status).toBe(200);
    await admin().people.update(person.id, { blocked: false });
    const { browser } = await signInAs('strange member');
    expect((await browser.ask(`${gateway.url}/console/session`)).status).toBe(200);
    const lines = await admin().audit.list().all();
    expect(lines.map(({ action }) => action)).toEqual(expect.arrayContaining(['person.block', 'person.unblock']));
  });

  it('end the sessions of a person, who may sign in again', async () => {
    const person = (await find('owner', 2))!;
    expect((await admin().people.signOut(person.id)).open_sessions).toBe(0);
    expect((await send('stranger', 'GET', '/v1/models')).status).toBe(401);
    const { browser } = await signInAs('stranger');
    expect((await browser.ask(`${gateway.url}/console/session`)).status).toBe(200);
    expect(await find('owner', 2)).toMatchObject({ sign_ins: 2, open_sessions: 1 });
    await expect(admin().people.signOut(99_999)).rejects.toThrow('there is no person 99999');
  });

  it('by the command, too; and nobody else may', async () => {
    const listed = await runCommand(['people', 'list', '--url', gateway.url], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } }); // prettier-ignore
    expect(listed.out).toMatch(/member +owner 1 \(1\)/);
    const here = await runCommand(['people', 'list', '--role', 'admin', '--json'], { env: { DATABASE_URL: gateway.databaseUrl } }); // prettier-ignore
    expect(JSON.parse(here.out)).toMatchObject([{ role: 'admin', owner_id: null }]);
    for (const who of ['owner', 'member'] as const)
      expect((await send(who, 'GET', '/admin/people')).status).not.toBe(200);
  });
});
