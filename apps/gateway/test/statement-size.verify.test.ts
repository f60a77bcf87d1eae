/** The statement of an owner with 31,000 charges, from the gateway as people start it: whole, adding up, and in bounded memory, while the ledger grows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import { openTestDatabase, startGatewayProcess, type GatewayProcess, type TestDatabase } from '@model-gateway/testing';

const LINES = 31_000;
const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 9, 1);
const ADMIN = 'admin-statement-0123456789abcdef';
/** Bills are long: all lines together are far more than the memory that a statement may take. */
const DETAIL = { usage: { inputTokens: 100, outputTokens: 20 }, lines: 'x'.repeat(5_000) };
const MOST_MB = 90;

describe.each(['sqlite', 'postgres'] as const)('a statement of 31,000 charges on %s', (kind) => {
  let folder: string;
  let database: TestDatabase;
  let gateway: GatewayProcess;
  let store: Awaited<ReturnType<typeof openStore>>;
  let owner: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-statement-'));
    database = await openTestDatabase(kind);
    store = await openStore(database.url, { beside: true });
    owner = (await store.owners.create({ name: 'large', group: 'default' }, 0)).id;
    await store.ledger.topUp(owner, 5_000_000, { note: 'Invoice 1' }, FIRST - DAY);
    for (let at = 0; at < LINES; at += 500) await record(at, 500);
    writeFileSync(join(folder, 'gateway.yaml'), `server: { port: 0 }\nlog: { level: warn }\n`);
    gateway = await startGatewayProcess({
      folder,
      env: { DATABASE_URL: database.url, GATEWAY_ADMIN_KEY: ADMIN, GATEWAY_FILES: join(folder, 'files') },
    });
  }, 120_000);
  afterAll(async () => {
    await gateway.kill();
    await store.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const record = (first: number, count: number): Promise<void> =>
    store.ledger.record(
      Array.from({ length: count }, (_, index) => ({
        ...{
          payer: { ownerId: owner, keyId: 1, limits: {} },
          model: `model-${index % 20}`,
          endpoint: '/v1/chat/completions',
        },
        ...{ requestId: `req_${first + index}`, charged: 1 + ((first + index) % 7), shortfall: 0, priceVersion: 'v1' },
        ...{ detail: DETAIL, at: FIRST + Math.min(30, Math.floor(((first + index) / LINES) * 31)) * DAY },
      })),
    );
  const megabytes = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const open = (query: string): Promise<Response> =>
    fetch(`${gateway.url}/admin/owners/${owner}/statement?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z&${query}`, {
      headers: { authorization: `Bearer ${ADMIN}` },
    });

  it('comes whole while the ledger grows, and ends with the balance of its beginning', async () => {
    // What starts with the first request is no memory of the statement.
    await (await open('format=csv')).text();
    const before = megabytes();
    let most = before;
    const reply = await open('format=csv&detail=requests');
    expect(reply.status).toBe(200);
    const pieces: Uint8Array[] = [];
    for await (const piece of reply.body ?? []) {
      if (pieces.push(piece as Uint8Array) === 3) await record(LINES, 500);
      most = Math.max(most, megabytes());
      await new Promise((resolve) => setImmediate(resolve));
    }
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + 1 + LINES + 1);
    const [head = '', opening = '', ...rest] = lines;
    const [amount, balance] = ['amount', 'balance'].map((name) => head.split(',').indexOf(name)) as [number, number];
    const charged = rest.slice(0, -1).reduce((sum, line) => sum + Number(line.split(',')[amount]), 0);
    expect(Number(opening.split(',')[balance])).toBe(5_000_000);
    expect(Number(rest.at(-1)?.split(',')[balance])).toBe(5_000_000 + charged);
    expect(most - before).toBeLessThan(MOST_MB);
  }, 60_000);

  it('by day and model says the same, as JSON and as CSV', async () => {
    const json = (await (await open('detail=days')).json()) as {
      readonly totals: { readonly requests: number; readonly charges: { readonly amount: number } };
      readonly closing_balance: number;
      readonly lines: readonly { readonly balance: number }[];
    };
    expect(json.totals.requests).toBe(LINES + 500);
    expect(json.closing_balance).toBe(5_000_000 + json.totals.charges.amount);
    const csv = (await (await open('format=csv')).text()).trimEnd().split('\r\n');
    expect(csv).toHaveLength(1 + 1 + json.lines.length + 1);
  }, 60_000);
});
