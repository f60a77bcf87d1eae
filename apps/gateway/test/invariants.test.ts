/** GET /admin/invariants, its gauge, and `gateway invariants`: over a database into which somebody wrote past the gateway. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said } from './run-command.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

const command = (...line: string[]): Promise<Said> => runCommand(line, { env: { DATABASE_URL: gateway.databaseUrl } });
async function gauge(name: string): Promise<string | undefined> {
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(page).toContain('# TYPE gateway_invariant_violations gauge');
  return new RegExp(`^gateway_invariant_violations{[^}]*invariant="${name}"[^}]*} (\\d+)`, 'm').exec(page)?.[1];
}
function write(statement: string): void {
  const database = new DatabaseSync(gateway.databaseUrl.slice('sqlite:'.length));
  database.exec('pragma busy_timeout = 5000');
  database.exec(statement);
  database.close();
}

it('everything is told, what is wrong with its place, and not any more when it is mended', async () => {
  const admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
  const good = await admin.invariants({ look: true });
  expect(good).toMatchObject({ object: 'invariant_report', ok: true, violations: [] });
  expect(good.invariants.map(({ violations }) => violations)).toEqual(good.invariants.map(() => 0));
  expect(good.at).not.toBeNull();
  expect(await gauge('balance_is_sum_of_entries')).toBe('0');

  write('update owners set balance = balance + 3 where id = 1');
  const bad = await admin.invariants({ look: true });
  expect(bad).toMatchObject({
    ok: false,
    violations: [{ invariant: 'balance_is_sum_of_entries', subject: 'owner 1' }],
  });
  expect(await admin.invariants()).toMatchObject({ ok: false });
  expect(await gauge('balance_is_sum_of_entries')).toBe('1');
  const said = await command('invariants');
  expect(said).toMatchObject({
    code: 1,
    out: expect.stringMatching(/owner 1 +The balance of owner 1 is 3; its lines come to 0/),
  });

  write('update owners set balance = balance - 3 where id = 1');
  expect(await admin.invariants({ look: true })).toMatchObject({ ok: true });
  expect(await gauge('balance_is_sum_of_entries')).toBe('0');
  const json = await command('invariants', '--json');
  expect(json.code).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ object: 'invariant_report', ok: true });
}, 120_000);

it('takes the admin key and nothing else', async () => {
  const reply = await fetch(`${gateway.url}/admin/invariants`, {
    headers: { authorization: `Bearer ${gateway.liveKey}` },
  });
  expect([401, 403]).toContain(reply.status);
});
