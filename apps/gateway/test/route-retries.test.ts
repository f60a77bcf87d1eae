/** Attempts, the faults they are made after, their share of requests, and deadlines: as a model's row sets them. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  const routes =
    'routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, priority: 2 }, { model: gemini-2.5-flash, priority: 3 }]';
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `models:
  - { code: once, ${routes}, retries: { attempts: 1 } }
  - { code: twice, ${routes}, retries: { attempts: 2 } }
  - { code: outages, ${routes}, retries: { on: [outage] } }
  - { code: careful, ${routes}, retries: { budget: 0.1 } }
  - { code: long, ${routes}, retries: { attempts: 2, budget: 0 }, fallbacks: { on_context_too_long: [gemini-2.5-flash] } }
  - { code: hasty, ${routes}, timeout_seconds: { first_token: 2 } }
  - { code: bounded, ${routes}, timeout_seconds: { total: 0.3 } }
`,
  });
});
afterEach(async () => {
  gateway.twin.faults.clear();
  now += 3_600_000;
  for (const model of ['gpt-5-mini', 'claude-haiku-4-5', 'gemini-2.5-flash'])
    expect((await ask(model)).status).toBe(200);
});
afterAll(() => gateway.close());

async function ask(model: string, stream = false) {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
  });
  return {
    status: reply.status,
    route: reply.headers.get('x-gateway-route'),
    attempts: Number(reply.headers.get('x-gateway-attempts')),
    text: await reply.text(),
  };
}

it('no more attempts than are allowed', async () => {
  gateway.twin.faults.always('openai', '*', { kind: 'status', status: 503 });
  gateway.twin.faults.always('anthropic', '*', { kind: 'status', status: 503 });
  expect(await ask('once')).toMatchObject({ status: 500, attempts: 1 });
  expect(await ask('twice')).toMatchObject({ status: 500, attempts: 2 });
  expect(await ask('outages')).toMatchObject({ status: 200, attempts: 3, route: 'gemini-2.5-flash; route; weighted' });
});

it('only after the faults that are named', async () => {
  gateway.twin.faults.always('openai', '*', { kind: 'status', status: 429 });
  expect(await ask('outages')).toMatchObject({ status: 429, attempts: 1 });
  gateway.twin.faults.clear();
  now += 3_600_000;
  gateway.twin.faults.always('openai', '*', { kind: 'reset' });
  expect(await ask('outages')).toMatchObject({ status: 200, attempts: 2 });
});

it('further attempts are a share of requests and ten more; every request has its first', async () => {
  const requests = 60;
  let further = 0;
  for (let each = 0; each < requests; each++) {
    // Nobody cools: what fails, fails anew.
    now += 3_600_000;
    gateway.twin.faults.clear();
    for (const vendor of ['openai', 'anthropic', 'gemini'] as const)
      gateway.twin.faults.always(vendor, '*', { kind: 'status', status: 503 });
    const { status, attempts } = await ask('careful');
    expect(status).toBe(500);
    expect(attempts).toBeGreaterThanOrEqual(1);
    further += attempts - 1;
  }
  expect(further).toBeGreaterThan(requests * 0.1);
  expect(further).toBeLessThanOrEqual(requests * 0.1 + 10);
});

it('a model for what is too long is no further attempt of the budget', async () => {
  const body = {
    error: { message: 'no', type: 'invalid_request_error', param: null, code: 'context_length_exceeded' },
  };
  gateway.twin.faults.always('openai', '*', { kind: 'status', status: 400, body });
  for (let each = 0; each < 15; each++)
    expect(await ask('long')).toMatchObject({ status: 200, route: 'gemini-2.5-flash; on_context_too_long' });
});

it('a stream that says nothing is asked for elsewhere, and its vendor counts as slow', async () => {
  gateway.twin.faults.always('openai', '*', { kind: 'hang' });
  expect(await ask('hasty', true)).toMatchObject({
    status: 200,
    attempts: 2,
    route: 'claude-haiku-4-5; route; weighted',
  });
  const accounts = await fetch(`${gateway.server.adminUrl}/admin/accounts`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const { data } = (await accounts.json()) as { data: { vendor: string; last_fault: { code: string } | null }[] };
  expect(
    data.filter(({ last_fault: fault }) => fault?.code === 'upstream_timeout').map(({ vendor }) => vendor),
  ).toEqual(['openai']);
  // What has begun may take its time.
  gateway.twin.faults.clear();
  expect((await ask('hasty', true)).text).toContain('[DONE]');
});

it.each([false, true])('all attempts together take no longer than the whole may (stream: %s)', async (stream) => {
  gateway.twin.faults.always('openai', '*', { kind: 'hang' });
  const reply = await ask('bounded', stream);
  expect(reply).toMatchObject({ status: 500, attempts: 1 });
  expect(reply.text).toContain("there was no answer within the 0.3 s that the model 'bounded' is given");
});
