/** Requests of instructions alone, and histories that the model begins: every format, every vendor's wire. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

/** Vendors that themselves refuse this in their own format: passed on as they say it. */
const OWN_REFUSALS: Readonly<Record<string, readonly string[]>> = {
  'responses: instructions': ['gpt-5.2', 'gpt-5.2-pro'],
  'gemini: systemInstruction': ['gemini-3.1-pro'],
};
const MODELS = ['gpt-5.2', 'gpt-5.2-pro', 'claude-sonnet-5', 'gemini-3.1-pro', 'doubao-seed-1-8'];
const BODIES: Readonly<Record<string, (model: string) => { path: string; body: JsonObject }>> = {
  'chat: a system message': (model) => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'system', content: 'say hi' }] },
  }),
  'responses: instructions': (model) => ({ path: '/v1/responses', body: { model, instructions: 'say hi' } }),
  'gemini: systemInstruction': (model) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: { systemInstruction: { parts: [{ text: 'say hi' }] } },
  }),
  'chat: the model begins': (model) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'hi' },
      ],
    },
  }),
};

describe.each(Object.keys(BODIES))('%s', (name) => {
  it.each(MODELS.filter((model) => OWN_REFUSALS[name]?.includes(model) !== true))('%s', async (model) => {
    const { path, body } = BODIES[name]?.(model) ?? { path: '', body: {} };
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json = (await reply.json()) as JsonObject;
    expect(json['error'] ?? null).toBeNull();
    expect(reply.status).toBe(200);
  });
});

it('neither input nor instructions is refused by name', async () => {
  const reply = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-5' }),
  });
  expect(reply.status).toBe(400);
  expect(JSON.stringify(await reply.json())).toContain('input: must hold at least one message');
});
