/** Hostile and unlucky changes of the configuration in the database: bodies, bounds, strangers, a file that changed beneath, commands. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import { runCommand } from './run-command.ts';

const ACCOUNTS = `accounts:
  - { name: main, vendor: openai-compatible, base_url: 'https://main.example', credentials: { api_key: file-secret-0123 }, dialects: [openai-chat] }
`;
const YAML = `config: { source: database }\n${ACCOUNTS}`;
const MODEL = { kind: 'chat', offers: [{ account: 'main', model: 'd' }], price: { input: 1, output: 2 } };
const lines: { readonly msg: string; readonly faults?: readonly string[] }[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
      done();
    },
  }),
);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: YAML, log, clock: () => Date.UTC(2026, 10, 22) });
});
afterAll(() => gateway.close());

async function ask(method: string, path: string, body?: unknown, key = gateway.adminKey, url = gateway.url) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const json = (await reply.json()) as { error?: { message: string; param?: string } } & Record<string, unknown>;
  return { status: reply.status, said: json.error?.message ?? '', json };
}
const put = (id: string, body: unknown, key?: string) => {
  const cut = id.indexOf('/');
  return ask('PUT', `/admin/config/entries/${id.slice(0, cut)}/${encodeURIComponent(id.slice(cut + 1))}`, body, key);
};
const version = () => gateway.server.parts.store.configEntries.version();

describe('what is refused changes nothing', () => {
  it('bodies that are none, of other forms, too large, or of names that cannot be', async () => {
    const before = await version();
    const refusals: [string, unknown, number, string][] = [
      ['models/x', '{"value":', 400, 'JSON'],
      ['models/x', {}, 400, 'send either value or removed'],
      ['models/x', { value: MODEL, removed: true }, 400, 'send either value or removed'],
      ['models/x', { removed: false }, 400, 'send either value or removed'],
      ['models/x', { value: [MODEL] }, 400, 'value'],
      ['models/x', { value: MODEL, more: 1 }, 400, 'more'],
      ['models/x', { value: { ...MODEL, code: 'y' } }, 400, "models[x].code: it is 'x'"],
      ['models/x', { value: { ...MODEL, description: 'x'.repeat(70_000) } }, 413, 'at most 65536 bytes'],
      [`models/${'x'.repeat(201)}`, { value: MODEL }, 400, 'name'],
      ['models/*', { value: MODEL }, 400, 'models[*].code'],
      ['models/x', { value: { ...MODEL, description: '${HOME}' } }, 400, 'only credentials and headers'],
      ['models/x', { value: { ...MODEL, description: 'sk-live-0123456789abcdef' } }, 400, 'looks like a secret'],
      ['models/x', { value: { ...MODEL, headers: { 'x-a': 'plain' } } }, 400, 'models[x].headers.x-a: a secret is not kept in plain'], // prettier-ignore
      ['models/x', { value: { ...MODEL, headers: { 'x-a': '***' } } }, 400, 'it has nothing'],
      ['models/x', { value: { ...MODEL, headers: { 'x-a': '${GATEWAY_ADMIN_KEY}' } } }, 400, "gateway's own"],
      ['models/x', { value: { ...MODEL, headers: { 'x-a': { $sealed: 'AAAA' } } } }, 400, 'expected a text'],
      ['models/x', { value: { ...MODEL, headers: { 'x-a': '${UNSET_ANYWHERE}' } } }, 400, 'UNSET_ANYWHERE is not set'],
      ['models/x', '{"value":{"__proto__":{"kind":"chat"},"kind":"chat"}}', 400, 'models[x]'],
      ['accounts/x', { value: { vendor: 'openai', base_url: 'https://user:hunter2hunter2@x.example', credentials: { api_key: '${K}' } } }, 400, 'looks like a secret'], // prettier-ignore
      ['accounts/x', { value: { vendor: 'nobody' } }, 400, "accounts[x].vendor: 'nobody' is no known vendor"],
      ['keys/x', { value: {} }, 400, 'section'],
    ];
    for (const [id, body, status, words] of refusals) {
      const { status: found, said } = await put(id, body);
      expect({ id, found, said }).toEqual({ id, found: status, said: expect.stringContaining(words) });
    }
    expect(await version()).toBe(before);
  });

  it('a key of a tenant, an unknown one and none are refused every operation', async () => {
    const before = await version();
    const calls = [
      ['GET', '/admin/config'],
      ['GET', '/admin/config/entries'],
      ['GET', '/admin/config/entries/models/gpt-5.2'],
      ['PUT', '/admin/config/entries/models/gpt-5.2', { value: { price: { input: 0 } } }],
      ['DELETE', '/admin/config/entries/models/gpt-5.2'],
      ['GET', '/admin/config/changes'],
      ['POST', '/admin/config/changes/1/undo'],
    ] as const;
    for (const [method, path, body] of calls)
      for (const key of [gateway.liveKey, gateway.testKey, 'admin-of-somebody-else-0123'])
        expect([method, path, (await ask(method, path, body, key)).status]).toEqual([method, path, 401]);
    expect(await version()).toBe(before);
  });

  it('with config.source: file nothing is changed, and what to do is said', async () => {
    const plain = await openTestGateway({ yaml: `config: { source: file }\n${ACCOUNTS}` });
    const { url } = plain;
    try {
      for (const call of [
        ask('PUT', '/admin/config/entries/models/gpt-5.2', { value: {} }, plain.adminKey, url),
        ask('POST', '/admin/config/changes/1/undo', undefined, plain.adminKey, url),
      ]) {
        const { status, said } = await call;
        expect([status, said]).toEqual([
          409,
          'the configuration is kept in the file gateway.yaml, and config.source: file (or GATEWAY_CONFIG_SOURCE) locks it; take that out to edit it here',
        ]);
      }
      const { json } = await ask('GET', '/admin/config', undefined, plain.adminKey, url);
      expect(json).toMatchObject({ kept_in: 'file', faults: [], left_out: [] });
      const rows = await ask('GET', '/admin/config/entries?from=file', undefined, plain.adminKey, url);
      expect(rows.json['data']).toMatchObject([{ id: 'accounts/main', from: ['file'] }]);
    } finally {
      await plain.close();
    }
  });
});

it('10,000 rows are kept, and no more', async () => {
  const database = new DatabaseSync(gateway.databaseUrl.replace(/^sqlite:/, ''));
  database
    .prepare(
      `with recursive n(at) as (select 1 union all select at + 1 from n where at < 10000)
       insert into config_entries (section, name, kept, version) select 'models', 'many-' || at, ?, 0 from n`,
    )
    .run(JSON.stringify({ value: MODEL }));
  const { status, said } = await put('models/one-more', { value: MODEL });
  expect([status, said]).toEqual([409, 'the database keeps at most 10000 rows; delete one first']);
  const { json } = await ask('GET', '/admin/config/entries?from=database&limit=1');
  expect(json).toMatchObject({ has_more: true, next_after: 'models/many-1' });
  database.exec('delete from config_entries');
  database.close();
});

describe('a file that changes beneath the database', () => {
  const page = async () => (await ask('GET', '/admin/config')).json as { left_out: { path: string; entry: string }[]; faults: { path: string; line: number }[]; last_reload: { changes: string[] } }; // prettier-ignore

  it('what does not fit is left out and told; what fits stays; the way back is short', async () => {
    expect((await put('models/ours', { value: MODEL })).status).toBe(200);
    expect((await put('models/leads', { value: { routes: [{ model: 'ours' }] } })).status).toBe(200);
    expect((await put('models/gpt-5.2', { value: { description: 'Stays.' } })).status).toBe(200);
    lines.length = 0;
    gateway.configure({ yaml: 'config: { source: database }' });
    await gateway.server.reload();
    const { models } = gateway.server.catalogue();
    expect([models.has('ours'), models.has('leads'), models.get('gpt-5.2')?.description]).toEqual([
      false,
      false,
      'Stays.',
    ]);
    const told = lines.find(({ faults }) => faults !== undefined);
    expect(told?.faults?.join()).toContain("models[ours].offers[0].account: there is no account 'main'");
    const { left_out: leftOut, last_reload: last } = await page();
    expect(leftOut.map(({ path, entry }) => [path, entry])).toEqual([
      ['models[ours].offers[0].account', 'models/ours'],
      ['models[leads].routes[0].model', 'models/leads'],
    ]);
    expect(last.changes).toEqual(expect.arrayContaining(['account main is gone', 'model ours is gone']));
    // Other rows can be changed meanwhile, and this one be mended.
    expect((await put('models/gpt-5.2', { value: { description: 'Other.' } })).status).toBe(200);
    const offers = [{ account: 'openai', model: 'd', dialect: 'openai-chat' }];
    expect((await put('models/ours', { value: { ...MODEL, offers } })).status).toBe(200);
    expect((await page()).left_out.map(({ entry }) => entry)).toEqual([]);
    expect(gateway.server.catalogue().models.has('leads')).toBe(true);
  });

  it('a gateway starts over it, and check-config says what is left out', async () => {
    const { change } = (await put('accounts/openai', { removed: true })).json as { change?: { id: number } };
    expect(change).toBeUndefined();
    gateway.configure({ yaml: YAML });
    await gateway.server.reload();
    expect((await put('models/ours', { value: MODEL })).status).toBe(200);
    gateway.configure({ yaml: 'config: { source: database }' });
    const second = await openTestGateway({ databaseUrl: 'sqlite::memory:', yaml: 'config: { source: database }' });
    try {
      await second.server.parts.store.configEntries.change({ at: 1, actor: 'test', section: 'models', name: 'ours', after: { value: MODEL } }, 0); // prettier-ignore
      await second.server.lookAtEntries();
      expect(second.server.catalogue().models.has('ours')).toBe(false);
    } finally {
      await second.close();
    }
    const folder = mkdtempSync(join(tmpdir(), 'gateway-entries-'));
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'config: { source: database }');
    const env = { GATEWAY_CONFIG: file, DATABASE_URL: gateway.databaseUrl };
    try {
      const { out, code } = await runCommand(['check-config'], { env });
      expect(out).toContain('Entries of the database that are invalid and are left out:');
      expect(out).toContain("models[ours].offers[0].account: there is no account 'main'");
      expect(code).toBe(0);
      expect((await runCommand(['check-config', '--strict'], { env })).code).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('faults of the file as it stands are on the page, while the old one stays', async () => {
    gateway.configure({ yaml: `${YAML}models: [{ code: bad, kind: chatt }]` });
    await expect(gateway.server.reload()).rejects.toThrow();
    expect((await page()).faults).toContainEqual(
      expect.objectContaining({ path: 'models[0].kind', file: 'gateway.yaml', line: expect.any(Number) }),
    );
    gateway.configure({ yaml: YAML });
    await gateway.server.reload();
    expect((await page()).faults).toEqual([]);
  });
});

describe('gateway config', () => {
  it('lists, sets, takes away, undoes: in the database of this machine, and by the admin API', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-entries-'));
    const members = join(folder, 'second.yaml');
    writeFileSync(members, 'vendor: openai\ncredentials: { api_key: "${SECOND_KEY}" }\n');
    const remote = ['--url', gateway.url];
    const local = { GATEWAY_CONFIG_SOURCE: 'database', DATABASE_URL: gateway.databaseUrl };
    const run = async (line: string, env: Record<string, string> = { GATEWAY_ADMIN_KEY: gateway.adminKey }) => {
      const words = [...line.split(' '), ...('GATEWAY_ADMIN_KEY' in env ? remote : [])];
      return runCommand(['config', ...words], { env });
    };
    try {
      expect((await run(`set accounts/second --file ${members} --dry-run`)).out).toContain('It would change:\n  - account second is new'); // prettier-ignore
      const made = await run(`set accounts/second --file ${members}`);
      expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^Changed \(\d+\):\n {2}- account second is new/) }); // prettier-ignore
      const id = /\((\d+)\)/.exec(made.out)?.[1] ?? '';
      expect((await run('entries --from database', local)).out).toMatch(/accounts\/second +database +\d+/);
      expect((await run('get accounts/second')).out).toContain('"api_key": "${SECOND_KEY}"');
      expect((await run('changes --limit 1', local)).out).toMatch(new RegExp(`${id} .+accounts/second +set`));
      expect((await run(`undo ${id}`, local)).out).toMatch(/account second is gone/);
      await gateway.server.lookAtEntries();
      expect(gateway.server.catalogue().accounts.some(({ name }) => name === 'second')).toBe(false);
      expect((await run('remove models/sora-2')).out).toContain('model sora-2 is gone');
      expect((await run('unset models/sora-2', local)).out).toContain('model sora-2 is new');

      // Members that are not named are lost without --merge, and kept with it.
      await run('set models/sora-2 {"retires":"2030-01-31","voices":["a"]}');
      await run('set models/sora-2 {"retires":"2031-01-31"} --merge', local);
      const keptOf = async (name: string) => (JSON.parse((await run(`get models/${name}`)).out) as { kept: unknown }).kept; // prettier-ignore
      expect(await keptOf('sora-2')).toEqual({ retires: '2031-01-31', voices: ['a'] });
      expect((await run('set models/sora-2 {"voices":["b"]} --merge --dry-run')).out).toContain('It would change:');
      await run('set models/sora-2 {"retires":"2032-01-31"}');
      expect(await keptOf('sora-2')).toEqual({ retires: '2032-01-31' });
      await run('unset models/sora-2');
      expect((await run('set models/sora-2 {"retires":"2033-01-31"} --merge')).code).toBe(0);
      expect(await keptOf('sora-2')).toEqual({ retires: '2033-01-31' });

      const bad = await run('set models/x {"kind":"chatt"} --dry-run');
      expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('models[x].kind') });
      expect(await run('set models/x {"kind":"chatt"}')).toMatchObject({ code: 1, error: expect.stringContaining('models[x].kind') }); // prettier-ignore
      for (const line of ['set models/x', 'set keys/x {}', 'set models/x []', 'entries --section keys', 'undo x'])
        expect([line, (await run(line)).code]).toEqual([line, 2]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
