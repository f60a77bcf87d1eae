/** The operators' commands beside a running gateway, on its database. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said } from './run-command.ts';
import { startWatch } from './starved.ts';

type Schemas = components['schemas'];

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { media: 'tiny', seconds: { video: 0.2 } } });
});
afterAll(() => gateway.close());

function run(line: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  return runCommand(line, { env: { DATABASE_URL: gateway.databaseUrl, ...env } });
}
/** A command that must work: what it says to programs. */
async function json<T>(...line: readonly string[]): Promise<T> {
  const said = await run([...line, '--json']);
  expect(said).toMatchObject({ code: 0, error: '' });
  return JSON.parse(said.out) as T;
}
async function chat(key: string): Promise<{ readonly status: number; readonly requestId: string }> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await reply.arrayBuffer();
  return { status: reply.status, requestId: reply.headers.get('x-request-id') ?? '' };
}
/** What another process changed is seen within two seconds. */
async function within2s(holds: () => Promise<boolean>): Promise<void> {
  const watch = startWatch();
  try {
    while (!(await holds())) {
      if (watch.ms() > 2_000) throw new Error('it took more than two seconds');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await watch.stop();
  }
}

describe('keys', () => {
  it('a key is made for a team, works, is rotated and revoked, beside the running gateway', async () => {
    const owner = await json<Schemas['Owner']>('owners', 'create', 'Team A', '--credit', '5');
    expect(owner).toMatchObject({ name: 'Team A', credit_limit: 2_500_000 });
    const made = await json<Schemas['KeyCreated']>(
      ...['keys', 'create', '--name', 'ci', '--owner', String(owner.id), '--models', 'gpt-*, claude-*'],
      ...['--ips', '127.0.0.1,::1', '--spend-per-day', '2.50', '--requests-per-minute', '9'],
      ...['--expires', '2099-01-01T00:00:00Z', '--webhook-secret', 'generate'],
    );
    expect(made.webhook_secret).toMatch(/^whsec_/);
    expect(made.key).toMatchObject({
      name: 'ci',
      owner_id: owner.id,
      models: ['gpt-*', 'claude-*'],
      ip_ranges: ['127.0.0.1', '::1'],
      limits: { spend_per_day: 2.5, requests_per_minute: 9 },
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    expect((await chat(made.secret)).status).toBe(200);

    const next = await json<Schemas['KeyCreated']>('keys', 'rotate', String(made.key.id), '--overlap', '3600');
    expect(next.key).toMatchObject({ rotated_from: made.key.id, name: 'ci', limits: made.key.limits });
    expect([(await chat(made.secret)).status, (await chat(next.secret)).status]).toEqual([200, 200]);

    const revoked = await json<Schemas['Key']>('keys', 'revoke', String(next.key.id));
    expect(revoked.revoked_at).not.toBeNull();
    await within2s(async () => (await chat(next.secret)).status === 401);
    expect((await chat(made.secret)).status).toBe(200);

    const live = await json<Schemas['Key'][]>('keys', 'list', '--owner', String(owner.id));
    expect(live.map(({ id }) => id)).toEqual([made.key.id]);
    const all = await json<Schemas['Key'][]>('keys', 'list', '--owner', String(owner.id), '--all');
    expect(all.map(({ id }) => id)).toEqual([next.key.id, made.key.id]);
    const { out } = await run(['keys', 'list', '--all']);
    expect(out).toMatch(/^ *id +name +key +mode +owner +group +models +limits +state +last used$/m);
    expect(out).toMatch(/ci .*revoked/);
    expect(out + JSON.stringify(all)).not.toContain(next.secret);
  });

  it('says the secret once, to people too', async () => {
    const { code, out } = await run(['keys', 'create', '--test']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Key \d+ \(test-\w+\) of owner \d+, shown once:\nsk-test-\S{43}\n$/);
  });

  it.each([
    {
      line: ['keys', 'create', '--expires', '2020-01-01'],
      says: "--expires: '2020-01-01T00:00:00Z' is not a time in the future",
    },
    {
      line: ['keys', 'create', '--name', 'harness-live', '--owner', '1'],
      says: '--name: Owner 1 has a live key named',
    },
    { line: ['keys', 'create', '--owner', '987654'], says: '--owner: there is no owner 987654' },
    { line: ['keys', 'create', '--spend-total', '-5'], says: "--spend-total: '-5' is wrong; it must be US dollars" },
    { line: ['keys', 'rotate', '1', '--overlap', 'x'], says: '--overlap: it must be a whole number from 0' },
    { line: ['keys', 'revoke', 'ci'], says: "<id>: 'ci' is wrong; it must be a whole number from 1" },
    { line: ['keys', 'update', '2'], says: 'Name what to change, such as --spend-per-month 50' },
    { line: ['keys', 'create', '--nam', 'x'], says: "Unknown option '--nam' (did you mean --name?)" },
    { line: ['owners', 'topup', '1'], says: 'Give the amount as --usd or as --units' },
    { line: ['owners', 'topup', '1', '--units', '-5'], says: 'it must be a whole number from 1' },
    { line: ['owners', 'topup', '1', '--usd', '0.000001'], says: '--usd: 0.000001 is no multiple of $0.000002' },
    { line: ['owners', 'adjust', '1', '--units', '5'], says: "Required option '--note <text>' not specified" },
    { line: ['usage', '--by', 'week'], says: "--by: 'week' is none of" },
    { line: ['keys', 'list', '--url', 'gateway'], says: "--url: 'gateway' is no address" },
    { line: ['keys', 'list', '--profile', 'prod'], says: "There is no profile 'prod'" },
    { line: ['nonsense'], says: "Unknown command 'nonsense'" },
  ])('$line: exit code 2, what is wrong in the words of the options, in one line', async ({ line, says }) => {
    const said = await run(line);
    expect(said).toMatchObject({ code: 2, out: '', error: expect.stringContaining(says) });
    expect(said.error).toMatch(/^[^\n]+\n$/);
  });

  it.each([
    { line: ['keys', 'revoke', '1'], says: 'declared in the configuration file' },
    { line: ['owners', 'topup', '987654', '--usd', '1'], says: 'There is no owner 987654' },
    { line: ['ledger', 'replay', 'req_unknown'], says: "has no entry for the request 'req_unknown'" },
    { line: ['tasks', 'get', 'task_unknown'], says: "There is no task 'task_unknown'" },
    { line: ['tasks', 'cancel', 'task_unknown'], says: 'Only a running gateway can ask the vendor' },
  ])('$line: exit code 1, and why', async ({ line, says }) => {
    const said = await run(line);
    expect(said).toMatchObject({ code: 1, out: '', error: expect.stringContaining(says) });
    expect(said.error).toMatch(/^[^\n]+\n$/);
  });

  it('a database that is not there and a bad configuration are said, too', async () => {
    const gone = await run(['keys', 'list'], { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/gone' });
    expect(gone).toMatchObject({ code: 1, out: '' });
    expect(gone.error).not.toContain('secret');
    expect(gone.error).not.toMatch(/\n {4}at /);
    const bad = await run(['owners', 'list'], { GATEWAY_CONFIG: '/nowhere/gateway.yaml' });
    expect(bad).toMatchObject({ code: 78, out: '', error: expect.stringContaining('/nowhere/gateway.yaml') });
  });
});

describe('money', () => {
  it('is added once, corrected, listed, reported and explained', async () => {
    const { id } = await json<Schemas['Owner']>('owners', 'create', 'Team B', '--group', 'default');
    const top = ['owners', 'topup', String(id), '--usd', '1.50', '--note', 'Invoice 7', '--once', 'invoice-7'];
    const first = await json<Schemas['BalanceChange']>(...top);
    expect(first).toMatchObject({ entry: { amount: 750_000 }, owner: { balance_usd: 1.5 } });
    expect(await json<Schemas['BalanceChange']>(...top)).toEqual(first);
    const said = await run(['owners', 'adjust', String(id), '--units', '-250000', '--note', 'refund']);
    expect(said.out).toMatch(/^Took \$0\.50 from owner \d+ \(Team B\), who now has \$1\.00 \(entry \d+\)\.$/m);
    expect((await run(['owners', 'list'])).out).toMatch(/Team B +default +\$1\.00 +\$0\.00$/m);

    const { secret, key } = await json<Schemas['KeyCreated']>('keys', 'create', '--name', 'b', '--owner', String(id));
    const { status, requestId } = await chat(secret);
    expect(status).toBe(200);
    await within2s(async () => (await gateway.server.parts.store.ledger.entries({ requestId, limit: 1 })).length > 0);
    const bill = await json<Schemas['LedgerReplay']>('ledger', 'replay', requestId);
    expect(bill).toMatchObject({ matches: true, key_id: key.id, model: 'gpt-5.2' });
    const told = (await run(['ledger', 'replay', requestId])).out;
    expect(told).toMatch(/^output +\d+ +\$14\.00 per 1,000,000 +1 +\$0\.\d+$/m);
    expect(told).toContain('It adds up.');

    const report = await json<Schemas['UsageReport']>('usage', '--by', 'model,key', '--owner', String(id));
    expect(report.data).toEqual([expect.objectContaining({ group: { model: 'gpt-5.2', key: key.id }, requests: 1 })]);
    expect(report.total.charged).toBe(bill.charged);
    expect((await run(['usage', '--by', 'model', '--owner', String(id)])).out).toMatch(/^gpt-5\.2 +1 /m);
    const teams = await json<Schemas['UsageReport']>('usage', '--tag', 'team', '--owner', String(id));
    expect(teams.data).toEqual([expect.objectContaining({ group: { tag: '' }, requests: 1 })]);
    expect((await run(['ledger', 'verify'])).out).toBe('The ledger adds up.\n');
  });

  it('a ledger that does not add up is exit code 1, and says what differs', async () => {
    const { secret } = await json<Schemas['KeyCreated']>('keys', 'create', '--name', 'wrong');
    await chat(secret);
    const { ledger } = gateway.server.parts.store;
    await ledger.record([
      {
        payer: { ownerId: 1, keyId: 1, limits: {} },
        requestId: 'req_wrong',
        model: 'gpt-5.2',
        endpoint: '/v1/chat/completions',
        charged: 7,
        shortfall: 0,
        priceVersion: 'x',
        detail: { lines: [{ item: 'output', quantity: 1, price: 10, per: 1_000_000, factor: 1 }], group_factor: 1 },
        at: Date.now(),
      },
    ]);
    const people = await run(['ledger', 'verify']);
    expect(people).toMatchObject({
      code: 1,
      out: expect.stringMatching(/charge of req_wrong +\$0\.00001 +\$0\.000014 /),
    });
    const programs = await run(['ledger', 'verify', '--json']);
    expect(programs.code).toBe(1);
    expect(JSON.parse(programs.out)).toMatchObject({ ok: false, differences: [{ expected: 5, found: 7 }] });
    expect(await run(['ledger', 'replay', 'req_wrong'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('IT DOES NOT ADD UP.'),
    });
  });
});

describe('what runs', () => {
  it('tasks, newest first', async () => {
    const reply = await fetch(`${gateway.url}/v1/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'MiniMax-Hailuo-02', prompt: 'a boat' }),
    });
    const { task_id: id } = (await reply.json()) as { task_id: string };
    const tasks = await json<Schemas['AdminTask'][]>('tasks', '--owner', '1', '--limit', '5');
    expect(tasks[0]).toMatchObject({ id, vendor: 'minimax', mode: 'test' });
    expect((await run(['tasks', '--model', 'MiniMax-Hailuo-02'])).out).toContain(id);
    expect(await json('tasks', '--model', 'veo-3.1')).toEqual([]);
  });

  it('accounts, by the configuration or as the running gateway sees them', async () => {
    const configured = await json<{ name: string; on: boolean }[]>('accounts');
    expect(configured.find(({ name }) => name === 'openai')).toMatchObject({ on: false, vendor: 'openai' });
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const running = await run(['accounts', '--url', gateway.url, '--json'], env);
    expect(JSON.parse(running.out)).toContainEqual(expect.objectContaining({ object: 'account', twin: true }));
    expect((await run(['accounts', '--url', gateway.url], env)).out).toMatch(/openai.* well /);
    const refused = await run(['accounts', '--url', gateway.url], {
      GATEWAY_ADMIN_KEY: 'admin-wrong-0123456789abcdef',
    });
    expect(refused).toMatchObject({ code: 1, out: '', error: expect.stringContaining('admin key') });
    expect(await run(['accounts', '--url', gateway.url])).toMatchObject({
      code: 1,
      error: expect.stringContaining('GATEWAY_ADMIN_KEY is not set'),
    });
  });
});

describe('on PostgreSQL', () => {
  it('the same commands work', async () => {
    const database: TestDatabase = await openTestDatabase('postgres');
    try {
      const env = { DATABASE_URL: database.url };
      expect((await run(['owners', 'create', 'Team'], env)).out).toMatch(/^Owner 2 \(Team\) is made\./);
      expect((await run(['owners', 'topup', '2', '--usd', '3'], env)).out).toContain('$3.00');
      expect((await run(['keys', 'create', '--owner', '2', '--name', 'k', '--json'], env)).code).toBe(0);
      expect((await run(['ledger', 'verify'], env)).out).toBe('The ledger adds up.\n');
    } finally {
      await database.close();
    }
  });
});

describe('doctor', () => {
  it('finds the gateway that runs on this database, whatever its port', async () => {
    const { out } = await runCommand(['doctor', '--json'], {
      env: { DATABASE_URL: gateway.databaseUrl, PORT: '1' },
    });
    const { findings } = JSON.parse(out) as { findings: { name: string; message: string }[] };
    expect(findings.find(({ name }) => name === 'gateway')?.message).toBe(`one runs at ${gateway.url} and is ready`);
  });

  it('tells nobody the key of the environment', async () => {
    const keys: unknown[] = [];
    const stranger = createServer(({ headers }, response) => {
      keys.push(headers.authorization);
      response.end('{}');
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    vi.stubEnv('MODEL_GATEWAY_API_KEY', 'sk-of-the-environment');
    try {
      await runCommand(['doctor', '--json'], {
        env: { DATABASE_URL: gateway.databaseUrl, PORT: String(port) },
      });
    } finally {
      vi.unstubAllEnvs();
      stranger.close();
    }
    expect(keys).toEqual([undefined]);
  });
});
