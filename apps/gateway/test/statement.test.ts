/** Statements through sockets and by the command: complete, adding up, and each owner's own. */
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '@model-gateway/client';
import { useAdminGateway } from './admin-gateway.ts';
import { runCommand } from './run-command.ts';

const bench = useAdminGateway();
const { chat, newName } = bench;
const UNITS = 500_000;

/** Money in, a correction, chats of two models, one of them given back. */
async function busyOwner(name: string) {
  const { id } = await bench.admin.owners.create({ name });
  await bench.admin.owners.topUp(id, { usd: 10, note: '=Invoice, "7"' });
  const { secret } = await bench.admin.keys.create({ name: newName(), owner_id: id });
  await chat(secret);
  await chat(secret, 'Hello again');
  const waived = await chat(secret, 'Hello', 'claude-sonnet-5');
  await bench.admin.owners.adjust(id, { amount: -UNITS, note: 'a fee' });
  await bench.admin.requests.waive(String(waived.headers.get('x-request-id')), { note: 'sorry' });
  return { id, secret, balance: (await bench.admin.owners.get(id)).balance };
}

let owner: Awaited<ReturnType<typeof busyOwner>>;
beforeAll(async () => {
  owner = await busyOwner('Team Blue');
});

function cells(csv: string): string[][] {
  return csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
}

describe('a statement', () => {
  it('says what was there, what came, what was charged, and what is left', async () => {
    const found = await bench.admin.owners.statement(owner.id);
    expect(found).toMatchObject({ owner_id: owner.id, owner_name: 'Team Blue', mode: 'live', opening_balance: 0 });
    expect(found.from).toMatch(/-01T00:00:00\.000Z$/);
    expect(found.lines.map(({ kind, note, model, requests }) => [kind, note ?? model, requests])).toEqual([
      ['topup', '=Invoice, "7"', 0],
      ['adjustment', 'a fee', 0],
      ['credit', 'sorry', 0],
      ['charge', 'claude-sonnet-5', 1],
      ['charge', 'gpt-5.2', 2],
    ]);
    const { totals, lines } = found;
    const credit = lines.find(({ kind }) => kind === 'credit')?.amount ?? 0;
    expect(credit).toBe(
      -(lines.find(({ model, kind }) => kind === 'charge' && model === 'claude-sonnet-5')?.amount ?? 0),
    );
    expect(credit).toBeGreaterThan(0);
    expect([totals.topups, totals.adjustments, totals.requests]).toEqual([
      { amount: 10 * UNITS, amount_usd: 10 },
      { amount: -UNITS, amount_usd: -1 },
      3,
    ]);
    expect(found.closing_balance).toBe(lines.reduce((sum, { amount }) => sum + amount, 0));
    expect(found.closing_balance - found.closing_reserved).toBe(owner.balance);
    expect(lines.at(-1)?.balance).toBe(found.closing_balance);
  });

  it('has each charge, and holds, when they are asked for', async () => {
    const found = await bench.admin.owners.statement(owner.id, { detail: 'requests', holds: true });
    const charges = found.lines.filter(({ kind }) => kind === 'charge');
    expect(charges).toHaveLength(3);
    expect(charges.every(({ request_id: id, key_id: key, time }) => id !== null && key !== null && time !== null)).toBe(
      true,
    );
    expect(found.lines.filter(({ kind }) => kind === 'hold').length).toBeGreaterThan(0);
    expect(found.lines.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(found.closing_reserved);
  });

  it('is a table for spreadsheets, which begins and ends with a balance', async () => {
    const csv = await (await bench.admin.owners.statementCsv(owner.id)).bytes();
    const rows = cells(new TextDecoder().decode(csv));
    const [head = [], opening = []] = rows;
    const column = (row: string[] | undefined, name: string) => row?.[head.indexOf(name)];
    expect(column(opening, 'kind')).toBe('opening');
    // What a spreadsheet would take for a formula is a text.
    expect(column(rows[2], 'description')).toBe(`"'=Invoice, ""7"""`);
    const amounts = rows.slice(2, -1).map((row) => Number(column(row, 'amount')));
    expect(column(rows.at(-1), 'kind')).toBe('closing');
    expect(Number(column(rows.at(-1), 'balance'))).toBe(amounts.reduce((sum, each) => sum + each, 0));
    expect(rows.every((row) => row.length === head.length)).toBe(true);
    const reply = await fetch(
      `${bench.gateway.url}/admin/owners/${owner.id}/statement?format=csv&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`,
      { headers: { authorization: `Bearer ${bench.gateway.adminKey}` } },
    );
    await reply.arrayBuffer();
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="statement-team-blue-2026-01.csv"');
  });

  it('is split by what is asked for, and says so', async () => {
    const bySplit = await bench.admin.owners.statement(owner.id, { group_by: ['key', 'endpoint'] });
    expect(bySplit.group_by).toEqual(['key', 'endpoint']);
    const charges = bySplit.lines.filter(({ kind }) => kind === 'charge');
    expect(charges).toMatchObject([
      { key_id: expect.any(Number), endpoint: '/v1/chat/completions', model: null, requests: 3, time: null },
    ]);
    const daily = await bench.admin.owners.statement(owner.id, { group_by: ['day'] });
    expect(daily.lines.filter(({ kind }) => kind === 'charge')).toMatchObject([{ requests: 3, key_id: null }]);
    expect(daily.closing_balance).toBe(bySplit.closing_balance);
    const csv = await (await bench.admin.owners.statementCsv(owner.id, { group_by: ['endpoint'] })).bytes();
    const [head = [], ...rows] = cells(new TextDecoder().decode(csv));
    expect(rows.filter((row) => row[2] === 'charge').map((row) => row[head.indexOf('endpoint')])).toEqual([
      '/v1/chat/completions',
    ]);
    expect(rows.every((row) => row.length === head.length)).toBe(true);
    expect((await bench.admin.owners.statement(owner.id, { detail: 'requests' })).group_by).toEqual([]);
  });

  it('of a key is its owner’s, in its mode', async () => {
    const mine = createClient({ baseUrl: bench.gateway.url, apiKey: owner.secret, maxRetries: 0 });
    const found = await mine.account.statement();
    const admins = await bench.admin.owners.statement(owner.id);
    expect(found).toEqual({ ...admins, to: found.to, created_at: found.created_at });
    const csv = await (await mine.account.statementCsv({ detail: 'requests' })).bytes();
    expect(cells(new TextDecoder().decode(csv))).toHaveLength(3 + admins.lines.length + 1);
    const test = await bench.admin.keys.create({ name: newName(), owner_id: owner.id, mode: 'test' });
    await chat(test.secret);
    const ofTest = await createClient({ baseUrl: bench.gateway.url, apiKey: test.secret }).account.statement();
    expect(ofTest).toMatchObject({ mode: 'test', totals: { requests: 1, topups: { amount: 0 } } });
    expect((await bench.admin.owners.statement(owner.id)).totals.requests).toBe(3);
  });

  it.each([
    { path: '/admin/owners/987654/statement', status: 404, param: 'owner_id' },
    { path: '/admin/owners/1/statement?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', status: 400, param: 'from' },
    { path: '/admin/owners/1/statement?from=2999-02-01T00:00:00Z&to=2999-03-01T00:00:00Z', status: 400, param: 'from' },
    { path: '/admin/owners/1/statement?detail=hours', status: 400, param: 'detail' },
    { path: '/admin/owners/1/statement?group_by=vendor', status: 400, param: 'group_by[0]' },
    { path: '/admin/owners/1/statement?group_by=tag', status: 400, param: 'tag' },
    { path: '/admin/owners/1/statement?detail=requests&group_by=key', status: 400, param: 'group_by' },
  ])('$path is refused', async ({ path, status, param }) => {
    expect(await bench.call('GET', path)).toMatchObject({ status, json: { error: { param } } });
  });

  it('tells a user and a project of the same name apart', async () => {
    const { id } = await bench.admin.owners.create({ name: newName() });
    await bench.admin.owners.topUp(id, { usd: 10, note: 'web' });
    const { secret } = await bench.admin.keys.create({ name: newName(), owner_id: id });
    for (const headers of [{ 'x-gateway-user': 'web' }, { 'x-gateway-tags': 'project=web' }, {}]) {
      const reply = await fetch(`${bench.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
    }
    const { out } = await runCommand(
      ['owners', 'statement', String(id), '--by', 'user,project', '--url', bench.gateway.url],
      { env: { GATEWAY_ADMIN_KEY: bench.gateway.adminKey } },
    );
    expect(out).toMatch(/topup +web +\$10\.00/);
    for (const subject of ['web, –', '–, web', '–, –']) expect(out).toMatch(new RegExp(`charge +${subject} +1 +-\\$`));
  });

  it('is printed and saved by a command, for an owner by name or number', async () => {
    const env = { GATEWAY_ADMIN_KEY: bench.gateway.adminKey };
    const run = (...line: string[]) =>
      runCommand(['owners', 'statement', ...line, '--url', bench.gateway.url], { env });
    const month = new Date(bench.now()).toISOString().slice(0, 7);
    const printed = await run('Team Blue', '--month', month);
    expect(printed).toMatchObject({ code: 0, error: '' });
    expect(printed.out).toMatch(/opening balance +\$0\.00/);
    expect(printed.out).toMatch(/gpt-5\.2 +2 +-\$/);
    const split = await run('Team Blue', '--month', month, '--by', 'endpoint');
    expect(split.out).toMatch(/what +endpoint or note/);
    expect(split.out).toMatch(/\/v1\/chat\/completions +3 +-\$/);
    expect((await run('1', '--requests', '--by', 'key')).error).toContain('leave --by away');
    expect((await run('1', '--by', 'key', '--tag', 'team')).error).toContain('write --by key,tag --tag team.');
    expect((await run('1', '--tag', 'team')).error).toContain('write --by tag --tag team.');
    expect((await run('1', '--requests', '--tag', 'team')).error).toContain('leave --tag away');
    const file = join(mkdtempSync(join(tmpdir(), 'statement-')), 'month.csv');
    const saved = await run(String(owner.id), '--csv', file, '--requests');
    expect(saved.out).toBe(`Saved ${file}: ${statSync(file).size.toLocaleString('en-US')} bytes.\n`);
    expect(readFileSync(file, 'utf8')).toMatch(/,closing,Closing balance,.*\r\n$/);
    expect((await run('Nobody')).error).toContain('No owner is called Nobody');
    expect((await run('1', '--month', '2026-13')).error).toContain('it must be a month such as 2026-10');
  });
});
