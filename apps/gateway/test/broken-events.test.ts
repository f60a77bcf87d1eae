/** A vendor's broken event in the caller's own dialect: told as an error of that dialect, and nothing that an SDK could trip over. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

async function stream(path: string, body: JsonObject): Promise<JsonObject[]> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  const text = await reply.text();
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice(5)) as JsonObject);
}
const say = (mark: string): string => `Tell me of the harbour [[twin:long=60]][[twin:${mark}]]`;
const user = (mark: string): JsonObject[] => [{ role: 'user', content: say(mark) }];

it.each([
  ['/v1/chat/completions', { model: 'gpt-5.2', stream: true, messages: user('malformed') }],
  ['/v1/chat/completions', { model: 'doubao-seed-1-8', stream: true, messages: user('malformed') }],
  ['/v1/responses', { model: 'gpt-5.2', stream: true, input: say('malformed') }],
  ['/v1/messages', { model: 'claude-sonnet-5', max_tokens: 500, stream: true, messages: user('malformed') }],
  [
    '/v1beta/models/gemini-3.1-pro:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: say('malformed') }] }] },
  ],
] as const)('%s', async (path, body) => {
  const events = await stream(path, body as unknown as JsonObject);
  const last = events.at(-1) ?? {};
  expect(JSON.stringify(last)).toContain('the vendor sent an event that cannot be read');
  expect(last['error'] ?? last['code']).toBeDefined();
  expect(last['request_id']).not.toBe('');
  expect(events.length).toBeGreaterThan(1);
});

it.each(['malformed', 'cut'])('numbers of Responses rise by one to the very end: %s', async (mark) => {
  const events = await stream('/v1/responses', { model: 'gpt-5.2-pro', stream: true, input: say(mark) });
  expect(events.length).toBeGreaterThan(1);
  expect(events.at(-1)?.['type']).toBe('error');
  expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_event, index) => index));
});
