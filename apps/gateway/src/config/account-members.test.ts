import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountIdOf, rowNamed, type Catalogue } from '@model-gateway/core';
import { vendors } from '../adapters.ts';
import { buildCatalogue, type TwinLookup } from './catalogue.ts';
import { readConfig } from './config.ts';
import { ConfigError } from './fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-members-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function catalogueOf(account: string, offer = 'dialect: openai-chat', more = '', twin?: TwinLookup): Catalogue {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(
    file,
    `extends: none
accounts: [{ id: 7, name: up, ${account} }, { id: 8, name: other, vendor: openai, credentials: { api_key: k } }]
models:
  - { code: m, kind: chat, price: { input: 1, cached_input: 0.1 }, offers: [{ account: up, model: m, ${offer}, weight: 3 }] }
  - { code: 'w/*', kind: chat, price: { input: 1 }, offers: [{ account: up, model: '*', ${offer} }${more}] }`,
  );
  return buildCatalogue(readConfig({ GATEWAY_CONFIG: file }), vendors, twin);
}

const membersIn = (catalogue: Catalogue) => catalogue.accounts.filter(({ name }) => name === 'up');
const openai = (keys: string): Catalogue => catalogueOf(`vendor: openai, credentials: { ${keys} }`);
const idsByKey = (catalogue: Catalogue): Record<string, number> =>
  Object.fromEntries(membersIn(catalogue).map(({ id, credentials }) => [credentials['api_key'] ?? '', id]));

describe('keys', () => {
  it('are members of their own, with an id that does not follow from their place', () => {
    const three = idsByKey(openai("api_key: 'a, b,,c,a'"));
    expect(Object.keys(three)).toEqual(['a', 'b', 'c']);
    expect(three['a']).toBe(7);
    expect(new Set(Object.values(three)).size).toBe(3);
    expect(idsByKey(openai('api_keys: [a, c, b]'))).toEqual(three);
    expect(idsByKey(openai('api_keys: [a, c]'))).toEqual({ a: 7, c: three['c'] });
    expect(membersIn(openai('api_keys: [a, b]')).map((each) => [each.member?.number, accountIdOf(each)])).toEqual([
      [1, 7],
      [2, 7],
    ]);
  });

  it('share the weight of their account, and keep a conversation where its prompt is cached', () => {
    const { models } = openai('api_keys: [a, b, c]');
    expect(models.get('m')?.offers.map(({ weight }) => weight)).toEqual([1, 1, 1]);
    expect(models.get('m')?.route?.affinity).toBe('prefix');
  });

  it('have one twin, with the whole weight of their account', () => {
    const twin: TwinLookup = () => ({ baseUrl: 'http://127.0.0.1:1', credentials: {} });
    const row = 'vendor: openai, credentials: { api_keys: [a, b, c] }';
    const offers = catalogueOf(row, undefined, undefined, twin).models.get('m')?.offers ?? [];
    const weights = offers.filter(({ account }) => account.twinFor === 'test').map(({ weight }) => weight);
    expect(weights).toEqual([3]);
  });

  it('one is an account as before', () => {
    for (const keys of ['api_key: a', 'api_keys: [a]', "api_key: 'a,'"]) {
      const catalogue = openai(keys);
      expect(membersIn(catalogue)).toMatchObject([{ id: 7, credentials: { api_key: 'a' } }]);
      expect(membersIn(catalogue)[0]).not.toHaveProperty('member');
      expect(catalogue.models.get('m')?.route).toBeUndefined();
    }
  });

  it('none of them set, or both spellings: said as for any credential', () => {
    expect(() => openai('api_key: a, api_keys: [b]')).toThrow(ConfigError);
    expect(() => openai('api_keys: [[a]]')).toThrow(ConfigError);
  });
});

describe('regions', () => {
  it('each has the address of its name, with every key', () => {
    const catalogue = catalogueOf(
      'vendor: bedrock, regions: [eu-west-1, us-east-1], credentials: { api_keys: [a, b] }',
      'dialect: anthropic-messages',
    );
    expect(
      membersIn(catalogue).map((each) => [each.baseUrl, each.credentials['api_key'], each.member?.region]),
    ).toEqual(
      ['a', 'b'].flatMap((key) =>
        ['eu-west-1', 'us-east-1'].map((region) => [`https://bedrock-runtime.${region}.amazonaws.com`, key, region]),
      ),
    );
  });

  it.each([
    ['vendor: openai, regions: [eu], credentials: { api_key: a }', 'openai has no regions by name'],
    [
      "vendor: bedrock, regions: [eu-west-1], base_url: 'https://x.example', credentials: { api_key: a }",
      'leave out base_url',
    ],
    [
      'vendor: bedrock, regions: [eu-west-1], settings: { region: us-east-1 }, credentials: { api_key: a }',
      'in place of settings.region',
    ],
  ])('%s is refused', (account, message) => {
    expect(() => catalogueOf(account)).toThrow(message);
  });
});

describe('resources of Azure', () => {
  const [eu, us] = ['https://eu.openai.azure.com', 'https://us.openai.azure.com'];
  const entra = 'credentials: { tenant_id: t, client_id: c, client_secret: s }';
  const azure = (account: string): Catalogue => catalogueOf(`vendor: azure, ${account}`);
  const shown = (catalogue: Catalogue) =>
    membersIn(catalogue).map(({ baseUrl, credentials, member }) => [baseUrl, credentials['api_key'], member?.region]);

  it.each([
    `regions: ['${eu}/openai/v1', '${us}'], credentials: { api_keys: [a, b] }`,
    `base_url: '${eu}, ${us}/openai', credentials: { api_key: 'a, b' }`,
  ])('each has its own key: %s', (account) => {
    expect(shown(azure(account))).toEqual([
      [eu, 'a', 'eu.openai.azure.com'],
      [us, 'b', 'us.openai.azure.com'],
    ]);
  });

  it('share the credentials of Entra ID, and keep their ids when others come and go', () => {
    const both = azure(`base_url: '${eu},${us}', ${entra}`);
    expect(shown(both)).toEqual([
      [eu, undefined, 'eu.openai.azure.com'],
      [us, undefined, 'us.openai.azure.com'],
    ]);
    const three = azure(`base_url: '${eu},https://se.openai.azure.com,${us}', ${entra}`);
    expect(membersIn(three)[0]?.id).toBe(7);
    expect(membersIn(three)[2]?.id).toBe(membersIn(both)[1]?.id);
  });

  it('one is an account as before, with several keys or without', () => {
    const one = azure(`base_url: '${eu}', credentials: { api_keys: [a, b] }`);
    expect(shown(one)).toEqual([
      [eu, 'a', undefined],
      [eu, 'b', undefined],
    ]);
    expect(membersIn(azure(`regions: ['${eu}'], credentials: { api_key: a }`))).toMatchObject([{ id: 7, baseUrl: eu }]);
  });

  it.each([
    [`base_url: '${eu},${us}', credentials: { api_key: a }`, 'azure has 2 resources and 1 key'],
    [`regions: ['${eu}', '${us}'], credentials: { api_keys: [a, b, c] }`, 'azure has 2 resources and 3 keys'],
    [`regions: [swedencentral, '${us}'], credentials: { api_keys: [a, b] }`, "'swedencentral' is no address"],
    [`regions: ['${eu}', '${eu}'], credentials: { api_keys: [a, b] }`, 'an address is there twice'],
    [`regions: ['${eu}'], base_url: '${us}', credentials: { api_key: a }`, 'in place of base_url'],
  ])('%s is refused', (account, message) => {
    expect(() => azure(account)).toThrow(message);
  });

  it('other vendors have one address', () => {
    const account = `vendor: openai, base_url: 'https://a.example/v1,https://b.example/v1', credentials: { api_key: a }`;
    expect(() => catalogueOf(account)).toThrow('an account of openai has one address');
  });
});

describe('models of an account', () => {
  it('bound what wildcards ask it for', () => {
    const only = 'vendor: openai, models: [gpt-*, o4-mini], credentials: { api_key: a }';
    const other = ', { account: other, model: "*", dialect: openai-chat }';
    const names = (catalogue: Catalogue, code: string) =>
      rowNamed(catalogue, code)?.offers.map(({ account }) => account.name);
    expect(names(catalogueOf(only, undefined, other), 'w/gpt-9')).toEqual(['up', 'other']);
    expect(names(catalogueOf(only, undefined, other), 'w/llama')).toEqual(['other']);
    expect(names(catalogueOf(only), 'w/o4-mini')).toEqual(['up']);
    // Where nobody is left there is no such model.
    expect(names(catalogueOf(only), 'w/llama')).toBeUndefined();
    expect(names(catalogueOf(only), 'm')).toEqual(['up']);
  });
});
