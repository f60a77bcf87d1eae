/** A configuration that changes under a running gateway: what takes effect at once, and what is said of it. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import supertest from 'supertest';
import { ConfigError } from '../src/index.ts';

interface Line {
  readonly msg: string;
  readonly level: number;
}

const lines: Line[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  }),
);
const A = 'sk-live-team-a-0123456789abcdef';
const B = 'sk-live-team-b-0123456789abcdef';
const BASE = 'groups: { partners: { factor: 2 } }';
let gateway: TestGateway;

const team = (name: string, key: string, more = ''): string => `  - { name: ${name}, key: ${key}, owner: 7${more} }\n`;
const ask = (key: string, model = 'gpt-5.2') =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${key}`)
    .send({ model, messages: [{ role: 'user', content: 'hi' }] });
const admin = (path: string) => supertest(gateway.url).get(path).set('authorization', `Bearer ${gateway.adminKey}`);
async function reload(changed: { readonly yaml?: string; readonly keys?: string }): Promise<string> {
  lines.length = 0;
  gateway.configure(changed);
  await gateway.server.reload();
  return lines.find(({ msg }) => msg.startsWith('the configuration was read again'))?.msg ?? '';
}

beforeAll(async () => {
  gateway = await openTestGateway({ log, yaml: BASE, keys: team('team-a', A) });
});
beforeEach(() => reload({ yaml: BASE, keys: team('team-a', A) }));
afterAll(() => gateway.close());

describe('keys', () => {
  it('a new one works at once, one that is gone ends at once', async () => {
    expect((await ask(A)).status).toBe(200);
    expect((await ask(B)).status).toBe(401);
    const said = await reload({ yaml: BASE, keys: team('team-b', B) });
    expect(said).toBe('the configuration was read again: key team-a is gone; key team-b is new');
    expect((await ask(A)).status).toBe(401);
    expect((await ask(B)).status).toBe(200);
  });

  it('limits, models and the group change at once; the log says how, and no secret', async () => {
    const said = await reload({
      yaml: BASE,
      keys: team('team-a', A, ", group: partners, models: ['claude-*'], limits: { requests_per_minute: 5 }"),
    });
    expect(said).toBe(
      'the configuration was read again: key team-a: group none → partners, models, limits.requests_per_minute none → 5',
    );
    expect((await ask(A)).status).toBe(403);
    const changed = await reload({ yaml: BASE, keys: team('team-a', `${A}x`) });
    expect(changed).toContain('key team-a: key');
    expect(JSON.stringify(lines)).not.toContain(A);
  });

  it('a declared key’s group is its own: another key of its owner has none of it', async () => {
    await reload({ yaml: BASE, keys: team('grouped', B, ', group: partners').replace('owner: 7', 'owner: 71') });
    const made = await supertest(gateway.url)
      .post('/admin/keys')
      .set('authorization', `Bearer ${gateway.adminKey}`)
      .send({ name: 'made', owner_id: 71 });
    expect(made.status).toBeLessThan(300);
    const { data } = (await admin('/admin/keys?owner_id=71')).body as { data: { name: string; group: string }[] };
    expect(Object.fromEntries(data.map(({ name, group }) => [name, group]))).toEqual({
      made: 'default',
      grouped: 'partners',
    });
    const owner = (await admin('/admin/owners/71')).body as { group: string };
    expect(owner.group).toBe('default');
  });
});

describe('owners', () => {
  const yaml = (limit: string): string =>
    `${BASE}\nowners: [{ name: research, group: partners, credit_limit: ${limit} }]`;
  const keys = team('team-a', A) + team('research', B).replace('owner: 7', 'owner: research');
  const research = async () => {
    const { data } = (await admin('/admin/owners?limit=500')).body as { data: { id: number; name: string }[] };
    return data.find(({ name }) => name === 'research');
  };

  it('are made as the file says, with their keys, and change with it', async () => {
    const said = await reload({ yaml: yaml('0'), keys });
    expect(said).toBe('the configuration was read again: owner research is new; key research is new');
    expect(await research()).toMatchObject({ group: 'partners', credit_limit: 0, declared: true });
    expect(await reload({ yaml: yaml('20'), keys })).toContain('owner research: credit_limit 0 → 20');
    expect(await research()).toMatchObject({ credit_limit: 10_000_000 });
    expect((await ask(B)).status).toBe(200);
    const { data } = (await admin('/admin/keys?limit=500')).body as { data: { name: string; group: string }[] };
    expect(data.find(({ name }) => name === 'research')).toMatchObject({ group: 'partners' });
  });

  it.each([
    ['of its name', 'late', 'scope: owner, values: [late]'],
    ['of its organization', 'last', 'scope: organization, values: [acme]'],
  ])('one that comes with a budget %s counts in it from its first request on', async (_of, name, scope) => {
    const yaml = `${BASE}
owners: [{ name: ${name}, organization: acme }]
budgets: [{ name: late, ${scope}, window: day, limit: 0.000002 }]`;
    await reload({ yaml, keys: team(name, B).replace('owner: 7', `owner: ${name}`) });
    const refused = await ask(B);
    expect([refused.status, refused.headers['x-gateway-limit']]).toEqual([429, 'budget:late']);
    expect((await ask(A)).status).toBe(401);
  });

  it('are changed in the file alone, until it names them no more', async () => {
    await reload({ yaml: yaml('20'), keys });
    const { id } = (await research())!;
    const change = () =>
      supertest(gateway.url)
        .patch(`/admin/owners/${id}`)
        .set('authorization', `Bearer ${gateway.adminKey}`)
        .send({ credit_limit: 1 });
    const refused = await change();
    expect(refused.status).toBe(409);
    expect((refused.body as { error: { message: string } }).error.message).toContain('change it there');
    await reload({ yaml: BASE, keys: team('team-a', A) });
    expect(await research()).toMatchObject({ id, declared: false });
    expect((await change()).status).toBe(200);
  });
});

describe('catalogue', () => {
  it('prices, routes, accounts and groups change at once', async () => {
    const said = await reload({
      yaml: `groups: { partners: { factor: 3 }, friends: { factor: 0.5 } }
accounts: [{ name: mine, vendor: openai, base_url: 'http://127.0.0.1:1/v1', credentials: { api_key: '\${UNSET_KEY}' } }]
remove: { models: [gpt-5-mini] }
models: [{ code: gpt-5.2, price: { input: 2, output: 10 } }, { code: new-one, kind: chat, price: { input: 1 }, offers: [{ account: mine, model: m, dialect: openai-chat }] }]`,
      keys: team('team-a', A),
    });
    expect(said).toContain(
      'group partners: factor 2 → 3; group friends is new, with factor 0.5; account mine is new; ',
    );
    expect(said).toContain('model gpt-5-mini is gone; ');
    expect(said).toContain('model gpt-5.2: price.input 1.75 → 2');
    expect(said).toContain('; model new-one is new');
    expect((await ask(A, 'gpt-5-mini')).status).toBe(400);
    expect((await ask(A, 'new-one')).status).toBe(200);
  });

  it('many changes are one line with an end', async () => {
    const said = await reload({ yaml: `${BASE}\nremove: { models: ['*'] }`, keys: team('team-a', A) });
    expect(said).toMatch(/; and \d{2,} more$/);
    expect(said.length).toBeLessThan(2_000);
  });
});

it('what needs a restart is named, with the names of the file', async () => {
  const said = await reload({
    yaml: `${BASE}\nsecurity: { allow_private: ['10.0.0.0/8'] }\ndurability: { above: 1 }\nlog: { level: debug }`,
    keys: team('team-a', A),
  });
  expect(said).toBe(
    'the configuration was read again: log.level info → debug. From the next start only: durability.above, security.allow_private',
  );
});

it('what stands around chats comes and goes with it: guardrails, the response cache, MCP servers', async () => {
  const keys = team('team-a', A);
  const chat = async () => (await ask(A)).headers;
  expect(await chat()).not.toHaveProperty('x-gateway-guardrails');
  const looking = 'guardrails: [{ name: greetings, mode: observe, on: [request], words: [hi] }]';
  await reload({ yaml: `${BASE}\n${looking}`, keys });
  expect(await chat()).toMatchObject({ 'x-gateway-guardrails': expect.stringContaining('greetings') });
  const keeping = 'models: [{ code: gpt-5.2, cache: { ttl_seconds: 60, when: always } }]';
  await reload({ yaml: `${BASE}\n${looking}\n${keeping}`, keys });
  expect(await chat()).toMatchObject({ 'x-gateway-cache': 'miss' });
  expect(await chat()).toMatchObject({
    'x-gateway-cache': 'hit',
    'x-gateway-guardrails': expect.stringContaining('greetings'),
  });
  await reload({ yaml: BASE, keys });
  const without = await chat();
  expect(without).not.toHaveProperty('x-gateway-cache');
  expect(without).not.toHaveProperty('x-gateway-guardrails');
  const naming = () =>
    supertest(gateway.url)
      .post('/v1/responses')
      .set('authorization', `Bearer ${A}`)
      .send({
        ...{ model: 'gpt-5.2', input: 'hi' },
        tools: [{ type: 'mcp', server_label: 'docs', require_approval: 'never' }],
      });
  // The vendor is asked with what is nobody's here.
  expect((await naming()).status).toBe(200);
  await reload({ yaml: `${BASE}\nmcp: { servers: [{ name: docs, url: 'http://127.0.0.1:1/mcp' }] }`, keys });
  expect((await naming()).status).toBe(503);
});

it('the same once more is said, too', async () => {
  expect(await reload({ yaml: BASE, keys: team('team-a', A) })).toBe(
    'the configuration was read again: nothing changed',
  );
});

describe('a bad file', () => {
  it.each([
    ['a fault', { yaml: `${BASE}\nmodels: [{ code: gpt-5.2, price: { inptu: 3 } }]`, keys: '' }],
    ['no YAML', { yaml: 'a: [', keys: '' }],
  ])('with %s changes nothing: keys and models stay', async (_name, changed) => {
    await expect(reload(changed)).rejects.toBeInstanceOf(ConfigError);
    expect((await ask(A)).status).toBe(200);
    expect(gateway.server.catalogue().models.get('gpt-5.2')?.price.input).toBe(1.75);
  });

  it('with a name that a key of the admin API has takes none of the file', async () => {
    const made = await supertest(gateway.url)
      .post('/admin/keys')
      .set('authorization', `Bearer ${gateway.adminKey}`)
      .send({ name: 'taken', owner_id: 7 });
    expect(made.status).toBeLessThan(300);
    const yaml = `${BASE}\nmodels: [{ code: gpt-5.2, price: { input: 2, output: 9 } }]`;
    await expect(reload({ yaml, keys: team('taken', B) })).rejects.toMatchObject({ code: 'conflict' });
    expect((await ask(A)).status).toBe(200);
    expect((await ask(B)).status).toBe(401);
    expect(gateway.server.catalogue().models.get('gpt-5.2')?.price.input).toBe(1.75);
    // The next good one is taken.
    expect(await reload({ yaml, keys: team('team-a', A) })).toContain('model gpt-5.2: price.input 1.75 → 2');
  });
});
