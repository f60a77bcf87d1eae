import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedVendor, type ScriptedReply, type ScriptedVendor } from '@model-gateway/testing';
import { openaiCompatible } from './compatible.ts';
import { modelList } from './model-list.ts';

let reply: ScriptedReply;
let vendor: ScriptedVendor;
beforeAll(async () => {
  vendor = await startScriptedVendor(() => reply);
});
afterAll(() => vendor.close());

it.each([
  { who: 'OpenAI', json: { object: 'list', data: [{ id: 'gpt-x', owned_by: 'openai' }] }, found: [{ id: 'gpt-x' }] },
  { who: 'vLLM', json: { data: [{ id: 'q', max_model_len: 32768 }] }, found: [{ id: 'q', maxInputTokens: 32768 }] },
  { who: 'OpenRouter', json: { data: [{ id: 'a/b', context_length: 9 }] }, found: [{ id: 'a/b', maxInputTokens: 9 }] },
  { who: 'Together, a list alone', json: [{ id: 't', context_length: 0 }], found: [{ id: 't' }] },
  { who: 'items without an id', json: { data: [{}, { id: '' }, null, 'x'] }, found: [] },
])('$who', async ({ json, found }) => {
  reply = { json };
  expect(await modelList.list(vendor.upstream(openaiCompatible))).toEqual(found);
});

it.each([{ json: { models: [] } }, { json: 'no' }, { text: '<html>' }])('%j is no list', async (given) => {
  reply = given;
  await expect(modelList.list(vendor.upstream(openaiCompatible))).rejects.toMatchObject({ code: 'upstream_malformed' });
});
