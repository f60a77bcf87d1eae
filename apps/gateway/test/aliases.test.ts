/** Models asked for by other names: their vendor's own, dated ones, as agents write them by themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const NARROW = 'sk-test-narrow-0123456789abcdefghij';
const ALIAS = 'claude-haiku-4-5-20251001';
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    keys: `  - { name: narrow, key: ${NARROW}, owner: 1, models: ['claude-haiku-4-5'] }\n`,
  });
});
afterAll(() => gateway.close());

async function ask(path: string, body?: JsonObject, key = gateway.testKey) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}
const message = (model: string): JsonObject => ({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] });

it.each([
  ALIAS,
  'claude-sonnet-5[1m]',
  'gemini-3.1-pro-preview',
  'gemini-3.1-pro-preview-customtools',
  'gemini-3.5-flash-lite',
])('%s answers in every format', async (model) => {
  expect((await ask('/v1/messages', message(model))).status).toBe(200);
  expect((await ask('/v1/chat/completions', message(model))).status).toBe(200);
  expect((await ask('/v1/responses', { model, input: 'hi' })).status).toBe(200);
  const contents = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  expect((await ask(`/v1beta/models/${encodeURIComponent(model)}:generateContent`, contents)).status).toBe(200);
});

it('a key that may use the code may use its aliases, and no others', async () => {
  expect((await ask('/v1/messages', message(ALIAS), NARROW)).status).toBe(200);
  expect((await ask('/v1/messages', message('claude-sonnet-4-5-20250929'), NARROW)).status).toBe(403);
});

it('the bill and the metrics name the code', async () => {
  await ask('/v1/messages', message(ALIAS), gateway.liveKey);
  const ledger = await fetch(`${gateway.server.adminUrl}/admin/ledger?limit=1000`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const text = await ledger.text();
  expect(text).not.toContain(ALIAS);
  const quote = await ask('/v1/estimate', { endpoint: '/v1/messages', body: message(ALIAS) });
  expect(quote.json['model'] ?? null).toBe('claude-haiku-4-5');
  const metrics = await (
    await fetch(`${gateway.server.adminUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.adminKey}` } })
  ).text();
  expect(metrics).toContain('claude-haiku-4-5');
  // The response's model is what the vendor calls it, by OpenTelemetry's conventions.
  expect(metrics.replaceAll(`gen_ai_response_model="${ALIAS}"`, '')).not.toContain(`"${ALIAS}"`);
});

it('the list shows aliases when it is asked to, and a model is read by them', async () => {
  const plain = (await ask('/v1/models')).json['data'] as JsonObject[];
  expect(plain.some((model) => 'aliases' in model || model['id'] === ALIAS)).toBe(false);
  const full = (await ask('/v1/models?aliases=true')).json['data'] as JsonObject[];
  expect(full.find(({ id }) => id === 'claude-haiku-4-5')?.['aliases']).toEqual([ALIAS]);
  expect(full.find(({ id }) => id === 'sora-2')?.['aliases']).toEqual([]);
  expect((await ask(`/v1/models/${ALIAS}`)).json['id']).toBe('claude-haiku-4-5');
});

describe('a name that is not there is told the nearest code', () => {
  it.each([
    ['claude-haiku-4-5-20251002', '(did you mean claude-haiku-4-5?)'],
    ['claude-haiku-4-6', '(did you mean claude-haiku-4-5?)'],
    ['gpt-5.2-2026-01-01', '(did you mean gpt-5.2?)'],
    ['gemini-2.5-flash-preview', '(did you mean gemini-2.5-flash?)'],
    ['claude', '(did you mean claude-'],
    ['zzz', 'lists the codes'],
  ])('%s', async (model, says) => {
    const { status, json } = await ask('/v1/chat/completions', message(model));
    expect(status).toBe(400);
    const { message: told } = json['error'] as { message: string };
    expect(told).toContain(says);
    if (model === 'zzz') expect(told).not.toContain('did you mean');
  });
});
