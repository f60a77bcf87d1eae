/** Requests that vendors take although their documents do not say so, through the whole gateway and into another format. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import supertest from 'supertest';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

const GEMINI = 'gemini-3.1-pro';
const HI = { role: 'user', content: 'hi' };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const google = '/v1beta/models/gpt-5.2:generateContent';

it.each([
  {
    name: 'nulls in messages and settings',
    path: '/v1/chat/completions',
    body: {
      model: GEMINI,
      messages: [
        { ...HI, name: null },
        { role: 'assistant', content: null, name: null, tool_calls: [call], function_call: null, refusal: null },
        { role: 'tool', tool_call_id: 'a', name: null, content: 'x' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: null, parameters: null, strict: null } }],
      tool_choice: null,
      stop: null,
      n: null,
      response_format: null,
      metadata: null,
    },
  },
  {
    name: 'a system message alone',
    path: '/v1/chat/completions',
    body: { model: GEMINI, messages: [{ role: 'system', content: 'say hi' }] },
  },
  {
    name: 'nulls beside items',
    path: '/v1/responses',
    body: {
      model: GEMINI,
      input: [{ type: 'message', id: null, ...HI }],
      instructions: null,
      previous_response_id: null,
    },
  },
  {
    name: 'a system text alone',
    path: '/v1/messages',
    body: { model: GEMINI, max_tokens: 99, messages: [], system: 'say hi' },
  },
  {
    name: 'one object where a list stands',
    path: google,
    body: {
      contents: { role: 'user', parts: [{ text: 'hi' }] },
      tools: { functionDeclarations: [{ name: 'f' }] },
      cachedContent: null,
    },
  },
  {
    name: 'an instruction alone',
    path: google,
    body: { systemInstruction: { parts: [{ text: 'say hi' }] }, tools: null },
  },
])('$path takes $name', async ({ path, body }) => {
  const reply = await supertest(gateway.url).post(path).set('authorization', `Bearer ${gateway.testKey}`).send(body);
  expect(reply.body.error ?? null).toBeNull();
  expect(reply.status).toBe(200);
});

it('a thread for a model of another vendor is refused in the word that Anthropic’s SDK falls back on', async () => {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.testKey, maxRetries: 0 });
  const asked = client.post('/v1/messages', {
    body: { model: GEMINI, max_tokens: 99, messages: [HI], thread: { type: 'create' } },
  });
  await expect(asked).rejects.toMatchObject({
    status: 400,
    error: { error: { type: 'invalid_request_error', details: { error_code: 'thread_unsupported_request' } } },
  });
});
