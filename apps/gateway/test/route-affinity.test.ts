/** `affinity: prefix`, which is usual where cached input has a price: what begins alike goes to the account that has it cached, in all four formats. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { FORMATS, type Format } from './ask-in-format.ts';

const ACCOUNTS = ['1', '2', '3'];
let twin: VendorTwin;
let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', clock: () => now });
  const account = (id: string): string =>
    `  - { id: ${id}, name: openai-${id}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }`;
  const offers = ACCOUNTS.map(
    (id) => `{ account: openai-${id}, model: gpt-5.2, dialects: [openai-chat, openai-responses] }`,
  ).join(', ');
  gateway = await openTestGateway({
    twin,
    clock: () => now,
    yaml: `extends: none
accounts:
${ACCOUNTS.map(account).join('\n')}
models:
  - { code: gpt, kind: chat, offers: [${offers}], price: { input: 1, cached_input: 0.1 } }
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

const BODIES: Readonly<Record<Format, (turns: readonly string[]) => readonly [string, JsonObject]>> = {
  chat: (turns) => [
    '/v1/chat/completions',
    {
      model: 'gpt',
      messages: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    },
  ],
  responses: (turns) => [
    '/v1/responses',
    { model: 'gpt', input: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })) },
  ],
  messages: (turns) => [
    '/v1/messages',
    {
      model: 'gpt',
      max_tokens: 50,
      messages: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    },
  ],
  gemini: (turns) => [
    '/v1beta/models/gpt:generateContent',
    { contents: turns.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'model', parts: [{ text }] })) },
  ],
};

async function accountOf(format: Format, turns: readonly string[]): Promise<string> {
  const [path, body] = BODIES[format](turns);
  const reply = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.anything()]);
  return reply.headers.get('x-gateway-account') ?? '';
}

describe.each(FORMATS)('%s', (format) => {
  it('a conversation stays where it began, and conversations are spread', async () => {
    const met = new Set<string>();
    for (let conversation = 0; conversation < 12; conversation++) {
      const turns = [`Question ${conversation}`];
      const first = await accountOf(format, turns);
      met.add(first);
      for (let turn = 0; turn < 2; turn++) {
        turns.push('An answer', `And ${turn}?`);
        expect(await accountOf(format, turns)).toBe(first);
      }
    }
    expect([...met].sort()).toEqual(ACCOUNTS);
  });
});

it('it goes elsewhere while its account is not well, and comes back', async () => {
  const turns = ['A question of its own'];
  const home = await accountOf('chat', turns);
  gateway.twin.faults.next('openai', '*', { kind: 'status', status: 429 });
  const second = await accountOf('chat', turns);
  expect(second).not.toBe(home);
  // It cools: nobody asks it first, and the second choice is the same every time.
  for (let turn = 0; turn < 3; turn++) expect(await accountOf('chat', turns)).toBe(second);
  now += 60_000;
  expect(await accountOf('chat', turns)).toBe(home);
});

it('the share that came from the cache is told for each account', async () => {
  const long = ['word '.repeat(3000)];
  const home = await accountOf('chat', long);
  await accountOf('chat', long);
  now += 5_000;
  const headers = { authorization: `Bearer ${gateway.adminKey}` };
  const page = await (await fetch(`${gateway.server.adminUrl}/metrics`, { headers })).text();
  const tokens = (account: string, cache: string): number =>
    Number(
      new RegExp(
        `^gateway_account_input_tokens_total\\{vendor="openai",account="${account}",account_name="[^"]+",cache="${cache}"\\} (\\d+)`,
        'm',
      ).exec(page)?.[1],
    );
  expect(tokens(home, 'hit')).toBeGreaterThan(1000);
  expect(tokens(home, 'miss')).toBeGreaterThan(1000);
});
