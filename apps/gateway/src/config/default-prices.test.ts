import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rowNamed, type Catalogue } from '@model-gateway/core';
import { vendors } from '../adapters.ts';
import { buildCatalogue } from './catalogue.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-default-prices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configOf(account: string, models = '') {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(
    file,
    `extends: none\naccounts: [{ id: 7, name: up, credentials: { api_key: k }, ${account} }]\n${models === '' ? '' : `models: [${models}]`}`,
  );
  return readConfig({ GATEWAY_CONFIG: file });
}
const catalogueOf = (account: string, models?: string): Catalogue =>
  buildCatalogue(configOf(account, models), vendors, undefined);

describe('a default price', () => {
  it.each([
    ['vendor: anthropic, default_price: { input: 1 }', 'chat models need input and output'],
    ['vendor: anthropic, default_price: {}', 'chat models need input and output'],
    ['vendor: openai, default_price: { output: 1 }', 'chat models need input and output, embedding models need input'],
    ['vendor: elevenlabs, default_price: { input: 1, output: 1 }', 'elevenlabs serves neither'],
    ['vendor: openai, default_price: { input: 1, output: 1, second: 1 }', 'second'],
    ['vendor: openai, default_price: { input: -1, output: 1 }', 'default_price.input'],
  ])('%s is refused', (account, message) => {
    expect(() => configOf(account)).toThrow(message);
  });

  it('serves the kinds that it prices and its vendor has', () => {
    const kinds = (account: string) => catalogueOf(account).unlisted?.map(({ prefix, row }) => `${prefix} ${row.kind}`);
    const price = 'default_price: { input: 1, output: 2 }';
    expect(kinds(`vendor: openai, ${price}`)).toEqual([
      'openai/ chat',
      'openai/ embedding',
      'up/ chat',
      'up/ embedding',
    ]);
    expect(kinds('vendor: openai, default_price: { input: 1 }')).toEqual(['openai/ embedding', 'up/ embedding']);
    expect(kinds(`vendor: anthropic, ${price}`)).toEqual(['anthropic/ chat', 'up/ chat']);
    // Behind a compatible wire are different makers.
    expect(kinds(`vendor: openai-compatible, base_url: 'http://127.0.0.1:1/v1', ${price}`)).toEqual([
      ...['up/ chat', 'up/ embedding'],
    ]);
    expect(kinds('vendor: openai')).toBeUndefined();
    expect(catalogueOf('vendor: openai, default_price: free').unlisted?.[0]?.row.price).toEqual({
      input: 0,
      output: 0,
    });
  });

  it('is asked in the account’s dialects, else in the vendor’s usual one, and of the account’s models alone', () => {
    const price = 'vendor: openai, default_price: { input: 1, output: 2 }';
    const dialects = (account: string) => rowNamed(catalogueOf(account), 'up/m')?.offers.map((offer) => offer.dialects);
    expect(dialects(price)).toEqual([['openai-chat']]);
    expect(dialects(`${price}, dialects: [openai-responses, openai-chat]`)).toEqual([
      ['openai-responses', 'openai-chat'],
    ]);
    const some = catalogueOf(`${price}, models: ['gpt-*']`);
    expect(rowNamed(some, 'up/gpt-9')).toMatchObject({ code: 'up/gpt-9', wildcard: 'up/*', defaultPrice: 'up' });
    expect(rowNamed(some, 'up/llama')).toBeUndefined();
  });

  it('goes behind wildcards and rows', () => {
    const row = (code: string, model: string): string =>
      `{ code: '${code}', kind: chat, price: { input: 9, output: 9 }, offers: [{ account: up, model: '${model}', dialect: openai-chat }] }`;
    const catalogue = catalogueOf(
      'vendor: openai, default_price: { input: 1, output: 2 }',
      `${row('up/new-*', 'new-*')}, ${row('mine', 'm')}`,
    );
    expect(rowNamed(catalogue, 'up/new-1')).toMatchObject({ price: { input: 9 } });
    expect(rowNamed(catalogue, 'up/m')).toMatchObject({ code: 'mine' });
    expect(rowNamed(catalogue, 'up/other')).toMatchObject({ price: { input: 1, output: 2 } });
  });

  it('is part of the version of prices', () => {
    const version = (price: string): string =>
      catalogueOf(`vendor: openai, default_price: { input: ${price}, output: 2 }`).priceVersion;
    expect(version('1')).toBe(version('1'));
    expect(version('1')).not.toBe(version('3'));
  });

  it('uses its account, and keys may name its models without a warning', () => {
    const { warnings } = configOf('vendor: openai, default_price: { input: 1, output: 2 }');
    expect(warnings).toEqual([]);
  });
});
