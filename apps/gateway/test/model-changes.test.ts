/** The catalogue beside the lists of vendors: what is new, gone, retired, or said otherwise. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

let vendor: Server;
let gateway: TestGateway;
let admin: Admin;
/** What the vendor lists, in the forms of OpenRouter and Mistral. */
let list: object[] = [];

const SAME = {
  id: 'maker/same',
  context_length: 1000,
  pricing: { prompt: '0.000001', completion: '0.000003', request: '0' },
};

beforeAll(async () => {
  vendor = createServer((request, response) => {
    const isList = request.url === '/v1/models' && request.headers.authorization === 'Bearer a-key-of-the-vendor';
    response.writeHead(isList ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isList ? { data: list } : { error: { message: 'no such key' } }));
  });
  vendor.listen(0, '127.0.0.1');
  await new Promise((resolve) => vendor.once('listening', resolve));
  const base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
  const row = (code: string, price: string): string =>
    `  - { code: ${code}, kind: chat, offers: [{ account: maker, model: maker/${code}, dialect: openai-chat }], limits: { max_input_tokens: 1000 }, price: ${price} }`;
  gateway = await openTestGateway({
    yaml: `log: { level: silent }
extends: none
accounts:
  - { name: maker, vendor: openai-compatible, base_url: '${base}', credentials: { api_key: a-key-of-the-vendor } }
  - { name: stranger, vendor: openai-compatible, base_url: '${base}', credentials: { api_key: a-wrong-key } }
  - { name: voices, vendor: mimo, credentials: { api_key: another-key } }
  - { name: house, vendor: openai, base_url: '${base}', credentials: { api_key: a-key-of-the-vendor } }
  - { name: absent, vendor: openai, credentials: { api_key: '\${NOT_SET_HERE}' } }
models:
${row('same', '{ input: 1, output: 3 }')}
${row('dear', '{ input: 1, output: 3, batch: 0.5 }')}
${row('left', '{ input: 1, output: 3 }')}
  - { code: voice, aliases: [taken], kind: speech, offers: [{ account: voices, model: mimo-v2.5-tts }], price: { character: 1 } }
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(async () => {
  vendor.closeAllConnections();
  vendor.close();
  await gateway.close();
});

it('a list that says the same brings nothing', async () => {
  list = [SAME, { ...SAME, id: 'maker/dear' }, { id: 'maker/left' }];
  const found = await admin.modelChanges({ account: 'maker' });
  expect(found).toMatchObject({ data: [], accounts: [{ account: 'maker', listed: 3, error: null }] });
});

it('each difference is told once, with the entry that takes it over', async () => {
  list = [
    { ...SAME, deprecation: '2027-01-31T00:00:00Z' },
    { id: 'maker/dear', context_length: 2000, pricing: { prompt: '0.000002', completion: '0.000003' } },
    {
      id: 'maker/new',
      context_length: 500,
      pricing: { prompt: '0.0000005', completion: '0.000002', input_cache_read: '0.00000005' },
    },
    // Names of the same model, and one that nobody else has.
    ...[{ id: 'maker/new-2026-10-01' }, { id: 'maker/same-latest' }, { id: 'ft:maker/same:org' }],
    { id: 'maker/unpriced', pricing: { prompt: '-1', completion: '-1' } },
  ];
  const { data } = await admin.modelChanges({ account: 'maker' });
  const told = data.map(({ change, model, before, after, proposal }) => ({ change, model, before, after, proposal }));
  expect(told).toEqual([
    { change: 'gone', model: 'maker/left', before: null, after: null, proposal: null },
    {
      change: 'retiring',
      model: 'maker/same',
      before: null,
      after: { retires_at: '2027-01-31T00:00:00Z' },
      proposal: { name: 'same', value: { retires: '2027-01-31' } },
    },
    {
      ...{
        change: 'limits',
        model: 'maker/dear',
        before: { max_input_tokens: 1000 },
        after: { max_input_tokens: 2000 },
      },
      proposal: { name: 'dear', value: { limits: { max_input_tokens: 2000 } } },
    },
    {
      ...{ change: 'price', model: 'maker/dear', before: { input: 1 }, after: { input: 2 } },
      // What the vendor's list does not have of a price stays.
      proposal: { name: 'dear', value: { price: { input: 2, output: 3, batch: 0.5 } } },
    },
    {
      ...{ change: 'new', model: 'maker/new', before: null },
      after: { limits: { max_input_tokens: 500 }, price: { input: 0.5, output: 2, cached_input: 0.05 } },
      proposal: {
        name: 'maker/maker/new',
        value: {
          kind: 'chat',
          offers: [{ account: 'maker', model: 'maker/new', dialect: 'openai-chat' }],
          limits: { max_input_tokens: 500 },
          price: { input: 0.5, output: 2, cached_input: 0.05 },
        },
      },
    },
    {
      ...{ change: 'new', model: 'maker/unpriced', before: null, after: {} },
      proposal: {
        name: 'maker/maker/unpriced',
        value: { kind: 'chat', offers: [{ account: 'maker', model: 'maker/unpriced', dialect: 'openai-chat' }] },
      },
    },
  ]);
});

it('a proposal is an entry of the configuration as it stands, and nothing is changed before it is sent', async () => {
  const models = async (): Promise<readonly string[]> => (await admin.models()).data.map(({ id }) => id);
  expect(await models()).not.toContain('maker/maker/new');
  const { data } = await admin.modelChanges({ account: 'maker' });
  for (const { proposal, after } of data)
    if (proposal !== null && (proposal.value['price'] !== undefined || after?.['limits'] !== undefined))
      await admin.configEntries.put('models', proposal.name, { value: proposal.value });
  const left = await admin.modelChanges({ account: 'maker' });
  expect(left.data.map(({ change, model }) => `${change} ${model}`)).toEqual([
    ...['gone maker/left', 'retiring maker/same', 'limits maker/dear', 'new maker/unpriced'],
  ]);
});

it('a row that has the day of the vendor is not told again; another day is, beside its own', async () => {
  const before = list;
  const [found] = (await admin.modelChanges({ account: 'maker' })).data.filter(({ change }) => change === 'retiring');
  await admin.configEntries.put('models', 'same', { value: found?.proposal?.value ?? {} });
  const retiring = async () => {
    const { data } = await admin.modelChanges({ account: 'maker' });
    return data.filter(({ change }) => change === 'retiring');
  };
  expect(await retiring()).toEqual([]);
  list = [{ ...SAME, deprecation: '2027-02-01' }];
  expect(await retiring()).toMatchObject([
    {
      before: { retires_at: '2027-01-31' },
      after: { retires_at: '2027-02-01' },
      proposal: { name: 'same', value: { retires: '2027-02-01' } },
    },
  ]);
  // What is no day of a calendar can only be read by people.
  list = [{ ...SAME, deprecation: 'next spring' }];
  expect(await retiring()).toMatchObject([{ after: { retires_at: 'next spring' }, proposal: null }]);
  list = before;
});

it('a new model whose name is another alias is proposed under a name that is free', async () => {
  const before = list;
  list = [{ id: 'taken' }, { id: 'same' }, { id: 'free' }];
  const { data } = await admin.modelChanges({ account: 'house' });
  expect(data.map(({ proposal }) => proposal?.name)).toEqual(['house/taken', 'house/same', 'free']);
  list = before;
});

it('accounts that cannot be asked are told with why, and hide nothing', async () => {
  const { accounts } = await admin.modelChanges();
  expect(accounts).toEqual([
    { account: 'maker', vendor: 'openai-compatible', lists_models: true, listed: list.length, error: null },
    {
      ...{ account: 'stranger', vendor: 'openai-compatible', lists_models: true, listed: null },
      error: expect.stringMatching(/credentials .* were refused/),
    },
    { account: 'voices', vendor: 'mimo', lists_models: false, listed: null, error: null },
    { account: 'house', vendor: 'openai', lists_models: true, listed: list.length, error: null },
  ]);
  const { accounts: off } = await admin.modelChanges({ account: 'absent' });
  expect(off).toMatchObject([{ account: 'absent', listed: null, error: 'it is off: NOT_SET_HERE is not set' }]);
  await expect(admin.modelChanges({ account: 'nobody' })).rejects.toMatchObject({ status: 404, param: 'account' });
});

it('gateway models sync says it in a table', async () => {
  const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
  const { code, out } = await runCommand(['models', 'sync', '--account', 'maker', '--url', gateway.url], { env });
  expect(code).toBe(0);
  expect(out).toMatch(/maker lists 7 models\n/);
  expect(out).toMatch(/maker\s+maker\/left\s+not listed any more/);
  expect(out).toMatch(/maker\s+maker\/dear\s+other limits\s+max_input_tokens 1000\s+max_input_tokens 2000/);
  expect(out).toContain('gateway config set models/NAME VALUE --merge');
  expect(out).not.toContain('a-key-of-the-vendor');
});
