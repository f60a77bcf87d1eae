/** Maintenance jobs through the admin API: every kind to its end, its file, cancelling, and that nothing which reads everything has none. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { until } from '@model-gateway/testing';
import { openApiDocument } from '../src/http/document.ts';
import { JOB_PARAMETERS } from '../src/resources/jobs/works.ts';
import { useAdminGateway } from './admin-gateway.ts';
import { runCommand } from './run-command.ts';

const bench = useAdminGateway();
const { call } = bench;

async function jobAtItsEnd(id: unknown): Promise<JsonObject> {
  let job: JsonObject = {};
  await until(async () => {
    job = (await call('GET', `/admin/jobs/${String(id)}`)).json;
    return !['queued', 'running'].includes(String(job['state']));
  });
  return job;
}

async function run(body: JsonObject): Promise<JsonObject> {
  const made = await call('POST', '/admin/jobs', body);
  expect(made.status).toBe(200);
  return jobAtItsEnd(made.json['id']);
}

/** The gateway of these tests works on a SQLite file. */
function databaseFile(): string {
  return bench.gateway.databaseUrl.replace('sqlite:', '');
}

async function download(id: unknown): Promise<Response> {
  return fetch(`${bench.gateway.url}/admin/jobs/${String(id)}/file`, {
    headers: { authorization: `Bearer ${bench.gateway.adminKey}` },
  });
}

describe('every kind', () => {
  it.each(['ledger_verify', 'invariants'])('%s says that nothing was found', async (kind) => {
    await bench.chat(bench.gateway.liveKey);
    const job = await run({ kind });
    expect(job).toMatchObject({ kind, state: 'succeeded', result: { ok: true, found: 0, examples: [] }, file: null });
    const { done, total } = job['progress'] as { done: number; total: number };
    expect([done, total > 0]).toEqual([total, true]);
  });

  it('ledger_verify and invariants say what differs', async () => {
    const { id } = await bench.admin.owners.create({ name: bench.newName() });
    const change = (by: number): void => {
      const database = new DatabaseSync(databaseFile());
      database.prepare('update owners set balance = balance + ? where id = ?').run(by, id);
      database.close();
    };
    change(500);
    const found = [await run({ kind: 'ledger_verify' }), await run({ kind: 'invariants' })];
    change(-500);
    for (const job of found)
      expect(job).toMatchObject({
        state: 'succeeded',
        result: { ok: false, found: 1, examples: [{ subject: `owner ${id}`, message: expect.any(String) }] },
      });
  });

  it('exports are complete, and as CSV that no spreadsheet takes for formulas', async () => {
    for (let asked = 0; asked < 3; asked++) await bench.chat(bench.gateway.liveKey, `Hello ${asked}`);
    const owner = await bench.admin.owners.create({ name: bench.newName() });
    await bench.admin.owners.topUp(owner.id, { usd: 3, note: '=1+1, "quoted"' });
    const lines = await bench.admin.ledger.list({ owner_id: owner.id }).all();
    const job = await run({ kind: 'ledger_export', owner_id: owner.id });
    expect(job).toMatchObject({ state: 'succeeded', result: { rows: lines.length } });
    const reply = await download(job['id']);
    expect(reply.headers.get('content-disposition')).toBe(`attachment; filename="ledger-${String(job['id'])}.csv"`);
    const text = await reply.text();
    expect(text.trimEnd().split('\r\n')).toHaveLength(1 + lines.length);
    expect(text).toContain(`"'=1+1, ""quoted"""`);

    const whole = await run({ kind: 'ledger_export' });
    expect(whole['result']).toMatchObject({ rows: (await bench.admin.ledger.list({ limit: 500 }).all()).length });
    const requests = await run({ kind: 'request_export', mode: 'live' });
    expect(requests['result']).toMatchObject({
      rows: (await bench.admin.requests.list({ mode: 'live', limit: 500 }).all()).length,
    });
    const audit = await run({ kind: 'audit_export' });
    expect((audit['result'] as { rows: number }).rows).toBeGreaterThan(2);

    const report = await bench.admin.usage({ group_by: ['model', 'key'] });
    const usage = await run({ kind: 'usage_export', group_by: ['model', 'key'] });
    const [heading, ...rows] = (await (await download(usage['id'])).text()).trimEnd().split('\r\n');
    expect(heading).toBe('model,key,key_name,requests,input_tokens,output_tokens,charged,charged_usd');
    expect(rows).toEqual(
      report.data.map(({ group, names, ...sums }) =>
        [
          group['model'],
          group['key'],
          names['key'],
          sums.requests,
          sums.input_tokens,
          sums.output_tokens,
          sums.charged,
          sums.charged_usd,
        ].join(),
      ),
    );
  });

  it('a backup is a whole database; nothing stays beside the one it was made of but what was there', async () => {
    const others = ['backup-monday', 'backup-job-monday'].map((name) => `${databaseFile()}.${name}`);
    for (const other of others) writeFileSync(other, 'mine');
    const job = await run({ kind: 'backup' });
    expect(job).toMatchObject({ state: 'succeeded', file: { content_type: 'application/vnd.sqlite3' } });
    const folder = mkdtempSync(join(tmpdir(), 'model-gateway-backup-'));
    try {
      const file = join(folder, 'copy.db');
      writeFileSync(file, Buffer.from(await (await download(job['id'])).arrayBuffer()));
      const copy = new DatabaseSync(file);
      expect(copy.prepare('select count(*) as rows from ledger_entries').get()).toEqual({
        rows: (job['result'] as JsonObject)['rows'],
      });
      expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
      copy.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
    const folderOf = dirname(databaseFile());
    const beside = readdirSync(folderOf).filter((name) => name.includes('backup'));
    expect(beside.map((name) => join(folderOf, name)).sort()).toEqual(others.sort());
  });

  it('starts and downloads are in the audit log', async () => {
    const job = await run({ kind: 'audit_export', to: '2020-01-01T00:00:00Z' });
    await (await download(job['id'])).text();
    const lines = await bench.admin.audit.list({ subject: `job ${String(job['id'])}` }).all();
    expect(lines.map(({ action }) => action)).toEqual(['job.download', 'job.start']);
  });
});

describe('what is refused', () => {
  it.each([
    [{ kind: 'backup', from: '2026-01-01T00:00:00Z' }, 'from'],
    [{ kind: 'ledger_export', mode: 'live' }, 'mode'],
    [{ kind: 'audit_export', from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
  ])('%j names %s', async (body, param) => {
    const { status, json } = await call('POST', '/admin/jobs', body);
    expect([status, (json['error'] as JsonObject)['param']]).toEqual([400, param]);
  });

  it('a job that there is not, a file that there is not, the cancelling of what has ended', async () => {
    const job = await run({ kind: 'invariants' });
    const status = async (method: string, path: string): Promise<number> => (await call(method, path)).status;
    expect(await status('GET', '/admin/jobs/999999')).toBe(404);
    expect(await status('POST', '/admin/jobs/999999/cancel')).toBe(404);
    expect((await download(job['id'])).status).toBe(404);
    expect(await status('POST', `/admin/jobs/${String(job['id'])}/cancel`)).toBe(409);
  });
});

describe('operations that read more than a page', () => {
  const document = openApiDocument() as { paths: Record<string, Record<string, { parameters?: { name?: string }[] }>> };
  const jobOf: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(OPERATIONS).flatMap(([id, facts]) => ('job' in facts ? [[id, facts.job]] : [])),
  );
  /** What they read is bounded, and by what. */
  const BOUNDED: Readonly<Record<string, string>> = {
    getOverview: 'at most 500 buckets of sums',
    getConfig: 'the configuration, which the process holds',
    listAccounts: 'the configuration, which the process holds',
    listConfigEntries: 'the configuration, which the process holds',
    explainRoute: 'one row of the catalogue',
    listAllModels: 'the catalogue, which the process holds',
    listModelChanges: 'the catalogue, and what vendors list',
    listVendors: 'the adapters, which the process holds',
    testAccountDraft: 'one account that is not kept',
    listGuardrails: 'the configuration, which the process holds',
    testGuardrails: 'a text of 20,000 characters',
    checkBill: 'the charges of 31 days at most, in slices',
    testAlerts: 'the configuration, which the process holds',
    createKey: 'one row',
    createOwner: 'one row',
    createBudget: 'one row',
    createJob: 'one row',
  };

  it('have a job, a page or one thing that they read', () => {
    const without = Object.entries(OPERATIONS)
      .filter(([id, { access, path }]) => access === 'admin' && !path.includes('{') && jobOf[id] === undefined)
      .filter(([id]) => !takesLimit(id) && BOUNDED[id] === undefined)
      .map(([id]) => id);
    expect(without).toEqual([]);
  });

  it('name kinds that there are', () => {
    expect(Object.values(jobOf).filter((kind) => !(kind in JOB_PARAMETERS))).toEqual([]);
    expect(Object.keys(jobOf).sort()).toEqual(
      ['getInvariants', 'getUsage', 'listAuditEntries', 'listLedgerEntries', 'listRequests', 'verifyLedger'].sort(),
    );
  });

  function takesLimit(id: string): boolean {
    const { method, path } = OPERATIONS[id as keyof typeof OPERATIONS];
    const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
    return parameters.some(({ name }) => name === 'limit');
  }
});

describe('gateway jobs', () => {
  it('starts, follows, lists and downloads, on a gateway elsewhere and on the database here', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-gateway-jobs-'));
    const remote = { GATEWAY_ADMIN_KEY: bench.gateway.adminKey };
    const config = join(folder, 'gateway.yaml');
    writeFileSync(config, `files: { folder: '${folder}/files' }\ndatabase: { url: '${bench.gateway.databaseUrl}' }\n`);
    const local = { GATEWAY_CONFIG: config };
    try {
      for (const [env, where] of [
        [remote, ['--url', bench.gateway.url]],
        [local, ['--local']],
      ] as const) {
        const command = async (...line: readonly string[]) =>
          runCommand(['jobs', ...line, ...where, '--json'], { env });
        const verified = await command('start', 'ledger_verify');
        expect([verified.code, JSON.parse(verified.out)]).toEqual([0, expect.objectContaining({ state: 'succeeded' })]);
        const exported = JSON.parse((await command('start', 'audit_export', '--to', '2030-01-01')).out) as JsonObject;
        expect(exported).toMatchObject({ kind: 'audit_export', state: 'succeeded' });
        const listed = JSON.parse(
          (await command('list', '--kind', 'audit_export', '--limit', '1')).out,
        ) as JsonObject[];
        expect(listed.map(({ id }) => id)).toEqual([exported['id']]);
        const file = join(folder, `${String(exported['id'])}.csv`);
        const saved = await command('download', String(exported['id']), '-o', file);
        expect([saved.error.replace(/.*%.*\n/g, ''), saved.code]).toEqual(['', 0]);
        expect(readFileSync(file, 'utf8')).toMatch(/^id,at,actor/);
        expect((await command('cancel', String(exported['id']))).code).toBe(1);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
