/** The short form of `npm run verify -- fuzz`, and what it has found. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runTool } from './run-tool.ts';

const SECONDS = 10;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

it('every operation with valid, mutated and hostile requests: no fault of our own, no hang, no growth', async () => {
  const run = await runTool('fuzz.mjs', '--seconds', String(SECONDS), '--seed', '7');
  expect(run).toEqual({ code: 0, said: expect.stringContaining('the law was held') });
}, 120_000);

/** Those take no body at all. */
const BODILESS = ['verifyLedger', 'replayWebhookDelivery', 'replayOwnWebhookDelivery', 'testAccount', 'cancelAnyTask'];
const taking = Object.entries(OPERATIONS).filter(([id, { method }]) => method !== 'GET' && !BODILESS.includes(id));

it.each(taking)(
  '%s: without a body, and with a form where it takes none',
  async (_id, { method, path, access, ...facts }) => {
    const url = gateway.url + path.replace('{model}', 'none').replace(/\{\w+\}/g, '99');
    const authorization = `Bearer ${access === 'admin' ? gateway.adminKey : gateway.testKey}`;
    for (const headers of [{ authorization }, { authorization, 'content-type': 'application/json' }])
      expect((await fetch(url, { method, headers, body: '' })).status).toBeLessThan(500);
    if (method === 'DELETE' || 'form' in facts) return;
    const reply = await fetch(url, {
      method,
      headers: { authorization, 'content-type': 'multipart/form-data; boundary=x' },
      body: '{"model":"m"}',
    });
    // The address of a signed link is checked before anything else.
    const right = access === 'signed-link' ? [401] : [404, 415];
    expect(right).toContain(reply.status === 200 ? 415 : reply.status);
  },
);

it.each(['1e308', '9'.repeat(20), '-1e999', 'x', '1.5'])('a page that begins after %s is a 400', async (after) => {
  for (const list of ['keys', 'owners', 'ledger', 'audit']) {
    const reply = await fetch(`${gateway.url}/admin/${list}?after=${after}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    expect({ list, status: reply.status }).toEqual({ list, status: 400 });
  }
});
