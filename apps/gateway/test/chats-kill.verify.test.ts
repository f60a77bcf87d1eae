/** A process dies while small chats run: each is charged by itself, for little, where people look for it, and can be given back. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin } from '@model-gateway/client';
import { openStore } from '@model-gateway/store';
import { LIVE_KEY, openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { ASK, heldYaml, openHeldGateway, type HeldGateway } from './held-vendor.ts';

const CHATS = 8;
const CENT = 5_000;

let held: HeldGateway;
let next: TestGateway | undefined;
beforeAll(async () => {
  held = await openHeldGateway();
});
afterAll(async () => {
  await next?.close();
  await held.close();
});

it('kill -9 while eight chats wait for their first word', async () => {
  const { vendor, databaseUrl } = held;
  const gateway = await held.start();
  const [path, body] = ASK['anthropic-messages']('held', 'Tell me');
  const headers = { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' };
  const asking = Array.from({ length: CHATS }, () =>
    fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined),
  );
  await until(() => vendor.asked.length === CHATS);
  // What was begun is in the ledger 150 ms later.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await gateway.kill();
  await Promise.all(asking);

  next = await openTestGateway({ databaseUrl, yaml: heldYaml(vendor) });
  const admin = createAdmin({ baseUrl: next.url, apiKey: next.adminKey, maxRetries: 0 });
  await until(async () => (await admin.requests.list({ error: 'submission_unknown' }).all()).length === CHATS);
  const rows = await admin.requests.list({ error: 'submission_unknown' }).all();
  expect(rows.map(({ model, kind, status }) => [model, kind, status])).toEqual(
    Array.from({ length: CHATS }, () => ['held', 'chat', 503]),
  );
  const charged = rows.reduce((sum, row) => sum + row.charged, 0);
  expect(charged).toBeGreaterThan(0);
  expect(charged).toBeLessThan(CENT);
  const usage = await admin.usage({ group_by: ['model'] });
  expect(usage.data).toMatchObject([{ group: { model: 'held' }, charged }]);

  const [first] = rows;
  const { bill } = await admin.requests.get(first!.id);
  expect(bill).toMatchObject({ charged: first!.charged, matches: true, waived: 0 });
  expect(bill?.interrupted).toMatchObject({
    charged: first!.charged,
    basis: expect.stringMatching(/delivered|estimate/),
  });
  const { owner } = await admin.requests.waive(first!.id, { note: 'the machine was restarted' });
  expect(owner.balance).toBe(first!.charged - charged);
  await expect(admin.requests.waive(first!.id, { note: 'again' })).rejects.toMatchObject({ code: 'conflict' });
  expect((await admin.requests.get(first!.id)).bill?.waived).toBe(first!.charged);
  expect((await admin.audit.list({ action: 'request.waive' }).all()).map(({ subject }) => subject)).toEqual([
    `request ${first!.id}`,
  ]);
  expect(await admin.ledger.verify()).toMatchObject({ ok: true });
});

it('what a gateway of several processes settles before it serves is in the log of requests as well', async () => {
  const { vendor, databaseUrl } = held;
  await next?.close();
  next = undefined;
  const asked = vendor.asked.length;
  const gateway = await held.start();
  const [path, body] = ASK['anthropic-messages']('held', 'Tell me');
  const headers = { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' };
  const asking = fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await until(() => vendor.asked.length === asked + 1);
  await new Promise((resolve) => setTimeout(resolve, 400));
  await gateway.kill();
  await asking.catch(() => undefined);
  const workers = await held.start({ GATEWAY_WORKERS: '2' });
  const store = await openStore(databaseUrl, { beside: true });
  const { rows } = await store.requests.list({ errors: ['submission_unknown'], limit: 100 });
  await store.close();
  await workers.kill();
  expect(rows).toHaveLength(CHATS + 1);
  expect(rows[0]).toMatchObject({ model: 'held', kind: 'chat', operation: 'createMessage' });
  expect(rows[0]?.charged).toBeGreaterThan(0);
});
