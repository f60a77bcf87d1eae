/** Little money is no reason to answer one request at a time: the overdraft covers worst cases, and what is used is charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openTestGateway,
  startScriptedVendor,
  until,
  type ScriptedVendor,
  type TestGateway,
} from '@model-gateway/testing';
import { askInFormat, FORMATS, type Format } from './ask-in-format.ts';

const AT_ONCE = 4;
const keyOf = (format: Format | 'strict'): string => `sk-live-small-${format}-0123456789abcdef`;
let vendor: ScriptedVendor;
let gateway: TestGateway;
let waiting: (() => void)[] = [];

beforeAll(async () => {
  vendor = await startScriptedVendor(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return {
      json: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 20, completion_tokens: 150, total_tokens: 170 },
      },
    };
  });
  gateway = await openTestGateway({
    keys: FORMATS.map(
      (format, index) =>
        `  - { name: ${format}, key: ${keyOf(format)}, owner: ${index + 10}, limits: { spend_total: 0.06 } }`,
    ).join('\n'),
    yaml: `extends: none
security: { allow_private: ['127.0.0.1'] }
accounts: [{ name: one, vendor: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none } }]
models: [{ code: small, kind: chat, price: { input: 0.05, output: 0.4 }, limits: { max_input_tokens: 400000, max_output_tokens: 128000 }, offers: [{ account: one, model: m, dialect: openai-chat }] }]`,
  });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

it.each(FORMATS)(
  '%s: a key with $0.06 has four chats of $0.00006 answered at once, each may cost $0.05',
  async (format) => {
    const asked = Array.from({ length: AT_ONCE }, () =>
      askInFormat(gateway, { format, model: 'small', key: keyOf(format), mostTokens: 128_000 }),
    );
    // Nobody is answered before all of them are there.
    await until(() => waiting.length === AT_ONCE);
    for (const answer of waiting) answer();
    waiting = [];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await gateway.server.own.flush();
    const key = (await gateway.server.parts.store.keys.list({ limit: 100 })).find(({ name }) => name === format);
    const entries = await gateway.server.parts.store.ledger.entries({
      keyId: key?.id ?? 0,
      kind: 'capture',
      limit: 99,
    });
    expect(entries.map(({ charged, shortfall }) => [charged, shortfall])).toEqual(Array(AT_ONCE).fill([31, 0]));
  },
);
