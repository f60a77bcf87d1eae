/** One account with several keys: each is asked, cools and keeps what is its own; people see one account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, createClient, type Admin } from '@model-gateway/client';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const REFUSED = 'sk-refused-0123456789';
let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let openaiKey = '';
let arkKey = '';

const yamlWith = (openai: string): string => `
extends: none
accounts:
  - { id: 1, name: openai, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: ${openai}, max_concurrency: 4 }
  - { id: 2, name: ark, vendor: ark, base_url: '${twin.baseUrl('ark')}', credentials: { api_keys: ['${REFUSED}', '${arkKey}'] } }
models:
  - { code: talk, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: 1 } }
  - { code: boat, kind: video, body: content, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { second: 0.01 } }
`;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', seconds: { video: 0.2 } });
  openaiKey = twin.credentials('openai')['api_key'] ?? '';
  arkKey = twin.credentials('ark')['api_key'] ?? '';
  gateway = await openTestGateway({
    twin,
    env: { OPENAI_KEYS: `${REFUSED}, ${openaiKey}` },
    yaml: yamlWith("{ api_key: '${OPENAI_KEYS}' }"),
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

async function chat(): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'talk', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 16 }),
  });
}

async function accountNamed(name: string) {
  const found = (await admin.accounts()).data.filter((each) => each.name === name);
  expect(found).toHaveLength(1);
  return found[0]!;
}

const keysAsked = (): readonly string[] =>
  twin.requests.list().flatMap(({ vendor, headers }) => (vendor === 'openai' ? [headers.authorization ?? ''] : []));

describe('two keys in a variable', () => {
  it('a refused key cools alone, and everybody is answered by the other one', async () => {
    for (let count = 0; count < 12; count++) expect((await chat()).status).toBe(200);
    const asked = keysAsked();
    // It cooled with its first refusal.
    expect(asked.filter((each) => each === `Bearer ${REFUSED}`)).toHaveLength(1);
    expect(asked.filter((each) => each === `Bearer ${openaiKey}`)).toHaveLength(12);
    const account = await accountNamed('openai');
    expect(account).toMatchObject({ id: 1, state: 'closed', cool_until: null, failures: 0, max_concurrency: 8 });
    expect(account.last_fault).toMatchObject({ code: 'upstream_rejected_key' });
    expect(account.keys).toMatchObject([
      { id: 1, number: 1, region: null, state: 'open' },
      { number: 2, state: 'closed' },
    ]);
  });

  it('usage is of one account, and a request tells the id of its key', async () => {
    const { keys } = await accountNamed('openai');
    expect((await chat()).headers.get('x-gateway-account')).toBe(String(keys[1]?.id));
    await until(async () => (await admin.usage({ group_by: ['account'] })).data[0]?.requests === 13);
    expect((await admin.usage({ group_by: ['account'] })).data).toMatchObject([{ group: { account: 1 } }]);
  });

  it('a test names the key that does not work', async () => {
    expect(await admin.testAccount(1)).toMatchObject({
      account: 'openai',
      ok: false,
      finding: 'wrong-key',
      message: expect.stringMatching(/^key 1 of 2: wrong key/),
    });
  });
});

it('a task is asked after with the key that made it', async () => {
  const { keys } = await accountNamed('ark');
  const client = createClient({ baseUrl: gateway.url, apiKey: gateway.liveKey });
  const made = await fetch(`${gateway.url}/v1/video/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'boat', content: [{ type: 'text', text: 'A boat' }] }),
  });
  expect(made.status).toBe(200);
  const { task_id: id } = (await made.json()) as { task_id: string };
  const task = await client.videos.wait(id);
  expect(task).toMatchObject({ status: 'SUCCESS', channel_id: keys[1]?.id });
});

it('a key is added and the old one removed while it runs; what is left keeps its id', async () => {
  const before = (await accountNamed('openai')).keys[1]?.id;
  gateway.configure({ yaml: yamlWith(`{ api_key: '${REFUSED},${openaiKey},sk-another-0123456789' }`) });
  await gateway.server.reload();
  expect((await accountNamed('openai')).keys.map(({ id }) => id).slice(0, 2)).toEqual([1, before]);
  gateway.configure({ yaml: yamlWith(`{ api_key: '${openaiKey}' }`) });
  await gateway.server.reload();
  expect(await accountNamed('openai')).toMatchObject({ id: 1, keys: [] });
  expect((await chat()).status).toBe(200);
});

it('what was paid by a key stays with its account when the key is removed', async () => {
  const usage = async () => (await admin.usage({ group_by: ['account', 'vendor'] })).data;
  await until(async () => (await usage()).reduce((sum, { requests }) => sum + requests, 0) === 15);
  expect(await usage()).toMatchObject([
    { requests: 14, group: { account: 1, vendor: 'openai' } },
    { requests: 1, group: { account: 2, vendor: 'ark' } },
  ]);
  const captures = await admin.ledger.list({ kind: 'capture' }).all();
  expect(captures.map((entry) => entry.account_id)).not.toContain(null);
  expect(new Set(captures.map((entry) => entry.account_id))).toEqual(new Set([1, 2]));
});
