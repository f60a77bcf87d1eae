/** The short form of `npm run fuzz`, and what it has found. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OPERATIONS } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const TOOL = fileURLToPath(new URL('../../../tools/fuzz.mjs', import.meta.url));
const SECONDS = 20;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

it('every operation with valid, mutated and hostile requests: no fault of our own, no hang, no growth', async () => {
  const run = spawn(process.execPath, ['--no-warnings', TOOL, '--seconds', String(SECONDS), '--seed', '7'], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  run.stdout.on('data', (chunk) => (said += String(chunk)));
  run.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = (await once(run, 'close')) as [number | null];
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('the law was held') });
}, 120_000);

/** Those two take no body at all. */
const BODILESS = ['verifyLedger', 'replayWebhookDelivery'];
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
    expect([404, 415]).toContain(reply.status === 200 ? 415 : reply.status);
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
