/** Budgets of accounts over real sockets: in all formats, for pictures, by vendors' headers, and of two gateways over one Redis. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasTestRedis, openTestGateway, openTestRedis, type TestGateway } from '@model-gateway/testing';
import { askInFormat, FORMATS } from './ask-in-format.ts';

const DAY_MS = 86_400_000;
const lonely = FORMATS.map(
  (format) =>
    `  - { name: lonely-${format}, vendor: openai-compatible, base_url: 'VENDOR', credentials: { api_key: x }, budget: { requests_per_minute: 1 } }`,
);
const lonelyModels = FORMATS.map(
  (format) =>
    `  - { code: lonely-${format}, kind: chat, offers: [{ account: lonely-${format}, model: m, dialect: openai-chat }], price: { input: 1, output: 1 } }`,
);
const CONFIG = `extends: none
accounts:
${lonely.join('\n')}
  - { name: small, vendor: openai-compatible, base_url: 'VENDOR/small', credentials: { api_key: x }, budget: { requests_per_minute: 2 } }
  - { name: dear, vendor: openai-compatible, base_url: 'VENDOR/dear', credentials: { api_key: x }, budget: { dollars_per_day: 0.0001, models: { tiny: { tokens_per_minute: 10 } } } }
  - { name: told, vendor: openai-compatible, base_url: 'VENDOR/told', credentials: { api_key: x }, budget: {} }
  - { name: large, vendor: openai-compatible, base_url: 'VENDOR/large', credentials: { api_key: x } }
models:
${lonelyModels.join('\n')}
  - { code: both, kind: chat, offers: [{ account: small, model: m, dialect: openai-chat }, { account: large, model: m, dialect: openai-chat, priority: 2 }], price: { input: 1, output: 1 } }
  - { code: dear, kind: chat, offers: [{ account: dear, model: m, dialect: openai-chat }], price: { input: 5, output: 5 } }
  - { code: tiny, kind: chat, offers: [{ account: dear, model: tiny, dialect: openai-chat }], price: free }
  - { code: told, kind: chat, offers: [{ account: told, model: m, dialect: openai-chat }, { account: large, model: m, dialect: openai-chat, priority: 2 }], price: { input: 1, output: 1 } }
`;

let vendor: Server;
let headers: Record<string, string> = {};
let asked: string[] = [];
let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);
let yaml = '';

beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume().once('end', () => {
      asked.push((request.url ?? '').split('/')[1] ?? '');
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      const message = { role: 'assistant', content: 'hi' };
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      response.end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  yaml = CONFIG.replaceAll('VENDOR', `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`);
  gateway = await openTestGateway({ clock: () => now, yaml });
});
afterEach(() => {
  headers = {};
  asked = [];
  now += DAY_MS;
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

const ask = (model: string, at = gateway) => askInFormat(at, { format: 'chat', model });

describe.each(FORMATS)('%s', (format) => {
  it.each([false, true])(
    'a lone account beyond its budget is a 429 of the caller’s format with its time (stream: %s)',
    async (stream) => {
      const model = `lonely-${format}`;
      expect((await askInFormat(gateway, { format, model, stream: false })).status).toBe(200);
      now += 20_000;
      const before = asked.length;
      const reply = await askInFormat(gateway, { format, model, stream });
      expect(reply).toMatchObject({ status: 429, retryAfter: '40', attempts: null });
      expect(reply.text).toMatch(/rate_limit|RESOURCE_EXHAUSTED/);
      expect(reply.text).toContain('budget of requests per minute');
      expect(asked.length).toBe(before);
    },
  );
});

it('traffic moves to the next account and comes back', async () => {
  for (let each = 0; each < 5; each++) expect((await ask('both')).status).toBe(200);
  expect(asked).toEqual(['small', 'small', 'large', 'large', 'large']);
  now += 60_001;
  await ask('both');
  expect(asked.at(-1)).toBe('small');
});

it('dollars of a day are those of the catalogue, and the next day is another', async () => {
  // 20 tokens at $5 a million.
  expect((await ask('dear')).status).toBe(200);
  expect(await ask('dear')).toMatchObject({ status: 429, text: expect.stringContaining('dollars per day') as unknown });
  now += DAY_MS;
  expect((await ask('dear')).status).toBe(200);
});

it('a model has tokens of its own', async () => {
  expect((await ask('tiny')).status).toBe(200);
  expect(await ask('tiny')).toMatchObject({
    status: 429,
    text: expect.stringContaining('tokens per minute') as unknown,
  });
});

it('what the vendor’s headers say is left moves traffic before it refuses', async () => {
  headers = { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '30s' };
  await ask('told');
  headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '30s' };
  await ask('told');
  await ask('told');
  now += 30_000;
  headers = {};
  await ask('told');
  expect(asked).toEqual(['told', 'told', 'large', 'told']);
});

it('an explanation and the metrics say so', async () => {
  for (let each = 0; each < 2; each++) await ask('both');
  const reply = await fetch(`${gateway.server.adminUrl}/admin/routes/explain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'both' }),
  });
  const { notes } = (await reply.json()) as { notes: readonly { readonly account: string; readonly reason: string }[] };
  expect(notes.find(({ account }) => account === 'small')?.reason).toContain('its budget is used up');
  const page = await metricsPage();
  expect(page).toMatch(
    /^gateway_account_budget_used\{vendor="openai-compatible",account="\d+",account_name="[^"]+",budget="requests_per_minute"\} 1$/m,
  );
});

async function metricsPage(): Promise<string> {
  const reply = await fetch(`${gateway.server.adminUrl}/metrics`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  return reply.text();
}

(hasTestRedis() ? it : it.skip)('two gateways over one Redis share them', async () => {
  const redis = await openTestRedis();
  const shared = `${yaml}redis: { url: '${redis.url}' }\n`;
  const first = await openTestGateway({ clock: () => now, yaml: shared, twin: gateway.twin });
  const second = await openTestGateway({ clock: () => now, yaml: shared, twin: gateway.twin });
  try {
    const shares = () =>
      second.server.parts.router.budgetUse(
        second.server.catalogue().accounts.find(({ name }) => name === 'small') ?? ({} as never),
      )[0]?.share;
    await ask('both', first);
    await ask('both', first);
    while (shares() !== 1) await new Promise((resolve) => setImmediate(resolve));
    await ask('both', second);
    expect(asked).toEqual(['small', 'small', 'large']);
  } finally {
    await first.close();
    await second.close();
    await redis.close();
  }
});
