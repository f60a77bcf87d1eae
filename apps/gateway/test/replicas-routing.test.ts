/** What replicas know of accounts: together by Redis, each for itself without, which they say. Budgets are in account-budgets.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasTestRedis, openTestGateway, openTestRedis, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import type { Config } from '../src/config/config.ts';
import { lookAtRedis } from '../src/commands/doctor/checks.ts';
import { tellOfNoRedis } from '../src/server/shared.ts';
import { askInFormat } from './ask-in-format.ts';

const MODELS =
  'models:\n  - { code: smart, routes: [{ model: gpt-5-mini }], fallbacks: { on_error: [claude-haiku-4-5] } }\n';
let twin: VendorTwin;
let now = Date.UTC(2026, 10, 22, 10);
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', clock: () => now });
});
afterAll(() => twin.close());

const ask = (gateway: TestGateway) => askInFormat(gateway, { format: 'chat', model: 'smart' });
const explained = async (gateway: TestGateway): Promise<string | undefined> => {
  const reply = await fetch(`${gateway.server.adminUrl}/admin/routes/explain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'smart' }),
  });
  return ((await reply.json()) as { candidates: { model: string }[] }).candidates[0]?.model;
};

async function withTwo(more: string, work: (first: TestGateway, second: TestGateway) => Promise<void>): Promise<void> {
  const open = () => openTestGateway({ clock: () => now, yaml: MODELS + more, twin });
  const gateways = [await open(), await open()] as const;
  try {
    await work(...gateways);
  } finally {
    twin.faults.clear();
    now += 3_600_000;
    for (const gateway of gateways) await gateway.close();
  }
}

(hasTestRedis() ? it : it.skip)('with Redis one finds out, and the other does not ask', async () => {
  const redis = await openTestRedis();
  try {
    await withTwo(`redis: { url: '${redis.url}' }\n`, async (first, second) => {
      twin.faults.next('openai', '*', { kind: 'status', status: 429 });
      expect(await ask(first)).toMatchObject({ route: 'claude-haiku-4-5; on_error', attempts: '2' });
      while ((await explained(second)) !== 'claude-haiku-4-5') await new Promise((resolve) => setImmediate(resolve));
      expect(await ask(second)).toMatchObject({ route: 'claude-haiku-4-5; on_error', attempts: '1' });
    });
  } finally {
    await redis.close();
  }
});

it('without it each finds out for itself', async () => {
  await withTwo('', async (first, second) => {
    twin.faults.next('openai', '*', { kind: 'status', status: 429 });
    expect(await ask(first)).toMatchObject({ route: 'claude-haiku-4-5; on_error', attempts: '2' });
    expect(await explained(first)).toBe('claude-haiku-4-5');
    expect(await ask(second)).toMatchObject({ route: 'gpt-5-mini; route; weighted', attempts: '1' });
  });
});

it.each([
  ['postgres://127.0.0.1/gateway', [expect.stringMatching(/no Redis: .*limits.*health of accounts.*budgets.*answers/)]],
  // Nobody else can work on that database.
  ['sqlite:gateway.db', []],
])('a gateway on %s says so at its start', (databaseUrl, says) => {
  const said: string[] = [];
  const silent = () => undefined;
  const log = { debug: silent, warn: silent, error: silent, info: (_: object, message: string) => said.push(message) };
  tellOfNoRedis({ databaseUrl }, log);
  expect(said).toEqual(says);
});

it('the doctor says so, too', async () => {
  const [finding] = await lookAtRedis({ redisUrl: undefined } as unknown as Config, () => now);
  expect(finding).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/each .*limits.*health of accounts.*budgets.*answers/) as unknown,
  });
});
