/** Operators' commands on a gateway elsewhere, and what of them people are asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said, type Surroundings } from './run-command.ts';

type Schemas = components['schemas'];

const folder = mkdtempSync(join(tmpdir(), 'gateway-remote-'));
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    twinOptions: { media: 'tiny', seconds: { video: 3 } },
    yaml: "security: { allow_private: ['127.0.0.1'] }",
  });
  await run([
    'profile',
    'add',
    'here',
    '--url',
    gateway.url,
    '--admin-key',
    gateway.adminKey,
    '--key',
    gateway.testKey,
  ]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

/** By the profile in use: nothing else names the gateway. */
function run(line: readonly string[], { env = {}, ...more }: Surroundings = {}): Promise<Said> {
  return runCommand(line, { env: { XDG_CONFIG_HOME: folder, ...env }, ...more });
}
async function json<T>(...line: readonly string[]): Promise<T> {
  const said = await run([...line, '--json']);
  expect(said).toMatchObject({ code: 0, error: '' });
  return JSON.parse(said.out) as T;
}
async function ask(body: object, path = '/v1/video/generations'): Promise<Record<string, unknown>> {
  const reply = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Record<string, unknown>;
}

describe('keys and owners', () => {
  it('a key is made, read, changed bit by bit and ended', async () => {
    const { key } = await json<Schemas['KeyCreated']>('keys', 'create', '--name', 'a', '--spend-per-month', '5');
    const limited = await json<Schemas['Key']>('keys', 'update', String(key.id), '--requests-per-minute', '10');
    // What was not named stays.
    expect(limited.limits).toEqual({ spend_per_month: 5, requests_per_minute: 10 });
    const changed = await json<Schemas['Key']>(
      ...['keys', 'update', String(key.id), '--clear-limits', '--spend-total', '9', '--name', 'b'],
      ...['--models', 'gpt-*', '--ips', '127.0.0.1', '--expires', '2099-01-01'],
    );
    expect(changed).toMatchObject({
      name: 'b',
      limits: { spend_total: 9 },
      models: ['gpt-*'],
      ip_ranges: ['127.0.0.1'],
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    expect(changed.limits).not.toHaveProperty('requests_per_minute');
    expect(await json('keys', 'update', String(key.id), '--expires', 'never')).toMatchObject({ expires_at: null });
    expect(await json('keys', 'get', String(key.id))).toMatchObject({ name: 'b', expires_at: null });
    const { out } = await run(['keys', 'get', String(key.id)]);
    expect(out).toMatch(/^limits +spend total \$9\.00$/m);
    expect(await json('keys', 'revoke', String(key.id))).toMatchObject({ id: key.id });
    const ids = (await json<Schemas['Key'][]>('keys', 'list')).map(({ id }) => id);
    expect(ids).not.toContain(key.id);
    expect((await json<Schemas['Key'][]>('keys', 'list', '--all')).map(({ id }) => id)).toContain(key.id);
  });

  it("an owner's credit is changed in dollars, to none and back; money is added once", async () => {
    const { id } = await json<Schemas['Owner']>('owners', 'create', 'Team', '--credit', '2.50');
    expect(await json('owners', 'update', String(id), '--credit', 'none', '--name', 'Crew')).toMatchObject({
      credit_limit: null,
      name: 'Crew',
    });
    expect(await json('owners', 'update', String(id), '--credit', '1')).toMatchObject({ credit_limit: 500_000 });
    for (let round = 0; round < 2; round++)
      await json('owners', 'topup', String(id), '--usd', '2', '--once', `invoice-${id}`);
    expect((await run(['owners', 'get', String(id)])).out).toMatch(/^balance +\$2\.00\nmay owe +\$1\.00$/m);
    const lines = await json<Schemas['LedgerEntry'][]>('ledger', 'list', '--owner', String(id), '--kind', 'topup');
    expect(lines).toMatchObject([{ kind: 'topup', amount: 1_000_000 }]);
    expect((await run(['ledger', 'list', '--owner', String(id)])).out).toMatch(/topup +Crew \(\d+\) +\$2\.00/);
  });

  it.each([
    { line: ['keys', 'create', '--expires', 'tomorrow'], says: /^--expires must match/ },
    { line: ['keys', 'create', '--owner', '987654'], says: /^--owner: there is no owner 987654/ },
    { line: ['usage', '--by', 'week'], says: /^--by/ },
  ])('$line: refused in the words of the options', async ({ line, says }) => {
    expect(await run(line)).toMatchObject({ code: 2, out: '', error: expect.stringMatching(says) });
  });

  it.each([
    { name: 'a wrong admin key', env: { GATEWAY_ADMIN_KEY: 'admin-wrong-0123456789abcdef' }, says: 'refused the key' },
    {
      name: 'nobody there',
      env: { GATEWAY_ADMIN_KEY: 'admin-wrong-0123456789abcdef' },
      url: 'http://127.0.0.1:9',
      says: 'No gateway answers at http://127.0.0.1:9',
    },
  ])('$name is one line', async ({ env, url, says }) => {
    const said = await run(['keys', 'list', '--url', url ?? gateway.url], { env });
    expect(said).toMatchObject({ code: 1, out: '', error: expect.stringContaining(says) });
    expect(said.error).toMatch(/^[^\n]+\n$/);
  });
});

describe('a key without a cap', () => {
  it('is asked for one on a terminal, until the answer is good', async () => {
    const said = await run(['keys', 'create', '--name', 'asked'], { tty: true, input: 'much\n7.50' });
    expect(said.error).toMatch(/The most it may spend in a month[^]*it must be US dollars[^]*The most it may spend/);
    const [key] = await json<Schemas['Key'][]>('keys', 'list');
    expect(key).toMatchObject({ name: 'asked', limits: { spend_per_month: 7.5 } });
  });

  it('says plainly that there is none', async () => {
    const none = await run(['keys', 'create', '--name', 'none'], { tty: true, input: '' });
    expect(none.error).toMatch(/This key has no cap: [^\n]*Set one: gateway keys update \d+ --spend-per-month 50\n$/);
    const { error } = await run(['keys', 'create', '--name', 'piped']);
    expect(error).toMatch(
      /^This key has no cap: it may spend all that owner|^This key has no cap: owner \d+ may owe anything/,
    );
  });

  it.each([
    { name: '--unlimited', line: ['--unlimited'], tty: true, says: /no cap/ },
    { name: 'a cap', line: ['--spend-total', '1'], tty: true, says: /^(On [^\n]*\n)?$/ },
    { name: 'a test key', line: ['--test'], tty: true, says: /^(On [^\n]*\n)?$/ },
  ])('is not asked with $name', async ({ line, tty, says }) => {
    const said = await run(['keys', 'create', ...line], { tty, input: '' });
    expect(said).toMatchObject({ code: 0, error: expect.stringMatching(says) });
    expect(said.error).not.toContain('The most it may spend');
  });
});

it('usage says what it leaves out', async () => {
  const hello = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] };
  await ask(hello, '/v1/chat/completions');
  expect((await run(['usage'])).out).toMatch(/^\d+ test requests? left out: add --test to see them\.$/m);
  expect((await run(['usage', '--from', '2020-01-01', '--to', '2020-01-02'])).out).not.toContain('left out');
  const test = await run(['usage', '--test', '--by', 'model']);
  expect(test.out).toMatch(/^model +requests +input tokens +output tokens +would cost$/m);
  expect(test.out).not.toContain('left out');
});

describe('tasks and their webhooks', () => {
  it('one is watched to its end; its webhook is listed and sent again', async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      const made = await ask({
        model: 'doubao-seedance-2-0-fast',
        content: [{ type: 'text', text: 'a boat' }],
        callback_url: hook,
      });
      const id = String(made['task_id']);
      const watched = await run(['tasks', 'watch', id]);
      expect(watched).toMatchObject({ code: 0, out: expect.stringMatching(/^status +SUCCESS 100%$/m) });
      expect(watched.error).toMatch(/^\d+% (NOT_START|IN_PROGRESS) doubao-seedance-2-0-fast$/m);
      expect(await json('tasks', 'get', id)).toMatchObject({ id, status: 'SUCCESS' });
      const delivered = async (): Promise<Schemas['WebhookDelivery'][]> => json('webhooks', 'list', '--task', id);
      while ((await delivered())[0]?.status !== 'delivered') await new Promise((resolve) => setTimeout(resolve, 50));
      const [delivery] = await delivered();
      expect((await run(['webhooks', 'list'])).out).toContain(`${delivery!.id}  ${id}  delivered`);
      expect((await run(['webhooks', 'replay', delivery!.id])).out).toContain(`${delivery!.id} is due now`);
      while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(received).toEqual([delivery!.id, delivery!.id]);
    } finally {
      receiver.close();
    }
  });

  it('one is cancelled, which is in the audit log; one that has ended cannot be', async () => {
    const made = await ask({
      model: 'doubao-seedance-2-0-fast',
      content: [{ type: 'text', text: 'a boat [[twin:never]]' }],
    });
    const id = String(made['task_id']);
    expect(await run(['tasks', 'cancel', id])).toEqual({
      code: 0,
      out: `Task ${id} is cancelled, and nothing was charged.\n`,
      error: '',
    });
    const [entry] = await json<Schemas['AuditEntry'][]>('audit', 'list', '--action', 'task.cancel');
    expect(entry).toMatchObject({ subject: `task ${id}`, after: { status: 'FAILURE', quota: 0 } });
    expect(await run(['tasks', 'cancel', id])).toMatchObject({
      code: 1,
      out: '',
      error: 'The task can no longer be cancelled: it has ended in FAILURE.\n',
    });
    expect(await run(['tasks', 'watch', id])).toMatchObject({ code: 1, out: expect.stringContaining('FAILURE') });
  });
});

it('the profile is said on a terminal, and its keys never', async () => {
  const said = await run(['keys', 'list'], { tty: true });
  expect(said.error).toBe(`On ${gateway.url} (profile here)\n`);
  for (const line of [
    ['profile', 'list'],
    ['profile', 'list', '--json'],
    ['profile', 'use', 'here'],
  ]) {
    const { out, error, code } = await run(line);
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain('here');
    expect(out).not.toContain(gateway.adminKey);
    expect(out).not.toContain(gateway.testKey);
  }
});
