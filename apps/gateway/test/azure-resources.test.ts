/** Several Azure resources as one account: each is asked at its own address with its own key, and cools alone. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

/** Two twins are two resources, in two regions. */
let sweden: VendorTwin;
let virginia: VendorTwin;
let gateway: TestGateway;
let admin: Admin;

const limits = 'price: { input: 1, output: 2 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 }';

function yamlOf(account: string): string {
  return `extends: none
accounts: [{ id: 7, name: azure, vendor: azure, ${account} }]
models:
  - { code: talk, kind: chat, ${limits}, offers: [{ account: azure, model: gpt-5.2, dialect: openai-chat }] }
`;
}

beforeAll(async () => {
  [sweden, virginia] = await Promise.all([startVendorTwin({ media: 'tiny' }), startVendorTwin({ media: 'tiny' })]);
  const key = sweden.credentials('azure')['api_key'] ?? '';
  gateway = await openTestGateway({
    twin: sweden,
    env: {
      AZURE_ADDRESSES: `${sweden.baseUrl('azure')}, ${virginia.baseUrl('azure')}/openai/v1`,
      AZURE_KEYS: `${key},${key}`,
    },
    yaml: yamlOf("base_url: '${AZURE_ADDRESSES}', credentials: { api_key: '${AZURE_KEYS}' }"),
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
beforeEach(() => {
  sweden.requests.clear();
  virginia.requests.clear();
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([sweden.close(), virginia.close()]);
});

const chat = async (): Promise<number> => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'talk', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 16 }),
  });
  await reply.text();
  return reply.status;
};
const asked = (): readonly number[] => [sweden.requests.list().length, virginia.requests.list().length];

it('requests go to both resources, and people see one account', async () => {
  for (let count = 0; count < 24; count++) expect(await chat()).toBe(200);
  const [first = 0, second = 0] = asked();
  expect(first + second).toBe(24);
  expect(Math.min(first, second)).toBeGreaterThan(0);
  const { data } = await admin.accounts();
  const accounts = data.filter(({ twin }) => !twin);
  expect(accounts).toMatchObject([{ id: 7, name: 'azure' }]);
  expect(accounts[0]?.keys.map(({ number, region }) => [number, region])).toEqual([
    [1, new URL(sweden.url).host],
    [2, new URL(virginia.url).host],
  ]);
});

it('a deployment that one resource does not have is asked of the other', async () => {
  sweden.faults.always('azure', '*', {
    kind: 'status',
    status: 404,
    body: { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
  });
  for (let count = 0; count < 6; count++) expect(await chat()).toBe(200);
  expect(asked()[1]).toBe(6);
  sweden.faults.clear();
});

it('one that is overloaded cools alone, and the other answers', async () => {
  virginia.faults.always('azure', '*', { kind: 'status', status: 429 });
  for (let count = 0; count < 12; count++) expect(await chat()).toBe(200);
  const { data } = await admin.accounts();
  const [azure] = data.filter(({ twin }) => !twin);
  expect(azure?.keys.map(({ state }) => state)).toEqual(['closed', 'open']);
  expect(azure?.state).toBe('closed');
});
