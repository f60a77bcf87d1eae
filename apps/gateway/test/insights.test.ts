/** What operators learn from all requests together, over sockets and by commands. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand } from './run-command.ts';

const DAY_MS = 86_400_000;
let now = Date.UTC(2026, 10, 22, 10);
let gateway: TestGateway;
let admin: Admin;

beforeAll(async () => {
  gateway = await openTestGateway({ clock: () => now });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

async function post(key: string, path: string, body: object): Promise<Headers> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
  return reply.headers;
}

it('counts what translations drop and change by key and model, and says what to do', async () => {
  const { key, secret } = await admin.keys.create({ name: 'agent', owner_id: 1, mode: 'test' });
  const messages = [{ role: 'user', content: 'Hello' }];
  const chat = { model: 'claude-sonnet-4-5', messages, logit_bias: { 1: 2 }, temperature: 1.6 };
  const marked = { type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } };
  const marks = { model: 'gemini-3.1-pro', max_tokens: 99, messages: [{ role: 'user', content: [marked, marked] }] };
  const before = now;
  const headers = await post(secret, '/v1/chat/completions', chat);
  expect(headers.get('x-gateway-dropped')).toBe('temperature, logit_bias');
  await post(secret, '/v1/messages', marks);
  // Nothing is dropped where vendor and caller speak alike.
  await post(secret, '/v1/chat/completions', { ...chat, model: 'gpt-5.2', temperature: 1 });
  now += DAY_MS;
  await post(secret, '/v1/chat/completions', chat);
  const { data, has_more } = await admin.droppedParameters({ key_id: key.id });
  const of = { key_id: key.id, key_name: 'agent', owner_id: 1, mode: 'test', model: 'claude-sonnet-4-5' };
  const times = { first_at: new Date(before).toISOString(), last_at: new Date(now).toISOString() };
  const sorted = data.toSorted((a, b) => (a.parameter < b.parameter ? -1 : 1));
  expect(has_more).toBe(false);
  expect(sorted).toEqual([
    expect.objectContaining({ ...of, ...times, parameter: 'logit_bias', requests: 2, reason: 'no such setting in anthropic-messages', advice: expect.stringMatching(/^Remove/) as unknown }), // prettier-ignore
    expect.objectContaining({ ...of, model: 'gemini-3.1-pro', parameter: 'messages[].content[].cache_control', requests: 1, advice: expect.stringMatching(/^Nothing to change/) as unknown }), // prettier-ignore
    expect.objectContaining({ ...of, ...times, parameter: 'temperature', requests: 2, reason: expect.stringContaining('sent as 1') as unknown, advice: expect.stringMatching(/^The vendor got another value/) as unknown }), // prettier-ignore
  ]);
  const today = await admin.droppedParameters({ key_id: key.id, from: new Date(now).toISOString() });
  expect(today.data.map(({ requests }) => requests)).toEqual([1, 1]);
  await expect(admin.droppedParameters({ from: '2026-12-01T00:00:00Z', to: '2026-11-01T00:00:00Z' })).rejects.toMatchObject({ status: 400, param: 'from' }); // prettier-ignore
  const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
  const told = await runCommand(['requests', 'dropped', '--key', String(key.id), '--url', gateway.url], { env });
  expect(told.out).toMatch(/logit_bias .*claude-sonnet-4-5 .*agent .*2 .*no such setting in anthropic-messages/);
  const none = await runCommand(['requests', 'dropped', '--key', '999999', '--url', gateway.url], { env });
  expect(none.out).toContain('Every parameter reached its vendor.');
});
