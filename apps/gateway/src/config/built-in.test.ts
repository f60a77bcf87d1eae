import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { writtenAccounts } from './built-in.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-built-in-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(yaml: string, env: Record<string, string> = {}) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return readConfig({ GATEWAY_CONFIG: file, ...env });
}
const codesOf = ({ models }: ReturnType<typeof readConfig>, vendor: string): readonly string[] =>
  models.map(({ code }) => code).filter((code) => code.startsWith(`${vendor}/`));

it('a vendor’s models are there when its key is, and nobody else’s', () => {
  const none = readConfig({});
  const groq = readConfig({ GROQ_API_KEY: 'k' });
  expect(codesOf(none, 'groq')).toEqual([]);
  expect(codesOf(groq, 'groq')).toContain('groq/llama-3.3-70b-versatile');
  expect(groq.models).toHaveLength(none.models.length + codesOf(groq, 'groq').length);
  expect(groq.accounts.find(({ name }) => name === 'groq')).toMatchObject({ on: true });
  expect(groq.warnings).toEqual([]);
});

it('or when its account stands in the file', () => {
  const config = read('accounts: [{ name: groq, credentials: { api_key: k } }]');
  expect(codesOf(config, 'groq')).toContain('groq/llama-3.3-70b-versatile');
});

it('a row of the file changes one of them, and `remove` takes one away', () => {
  const yaml = `remove: { models: [groq/llama-3.1-8b-instant] }
models: [{ code: groq/llama-3.3-70b-versatile, price: { input: 1, output: 2 } }]`;
  const config = read(yaml, { GROQ_API_KEY: 'k' });
  expect(codesOf(config, 'groq')).not.toContain('groq/llama-3.1-8b-instant');
  expect(config.models.find(({ code }) => code === 'groq/llama-3.3-70b-versatile')).toMatchObject({
    price: { input: 1, output: 2 },
    offers: [{ account: 'groq', model: 'llama-3.3-70b-versatile' }],
  });
});

it('a fault in what a row makes of one is said of the file', () => {
  expect(() => read('models: [{ code: groq/llama-3.3-70b-versatile, prise: {} }]', { GROQ_API_KEY: 'k' })).toThrow(
    /models\[0\]\.prise/,
  );
});

it('with every key there is, every row has its form, a price and a limit', () => {
  const text = readFileSync(new URL('../../config/catalogue.yaml', import.meta.url), 'utf8');
  const variables = [...text.matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, variable]) => variable!);
  const env = Object.fromEntries(variables.map((variable) => [variable, 'key']));
  const config = readConfig({
    ...env,
    ...Object.fromEntries(
      variables.filter((name) => /URL|ENDPOINT/.test(name)).map((name) => [name, 'https://a.test/v1']),
    ),
  });
  const listed = config.models.filter(({ source }) => source === 'models.dev');
  expect(config.warnings).toEqual([]);
  expect(listed.length).toBeGreaterThan(900);
  for (const { code, price, limits, checked } of listed) {
    expect(Object.keys({ ...price }), code).toEqual(expect.arrayContaining(['input', 'output']));
    expect(limits?.max_input_tokens, code).toBeGreaterThan(0);
    expect(checked, code).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});

describe('an account that waits for its address', () => {
  const waiting = writtenAccounts().flatMap(({ name, base_url: url, credentials }) => {
    const variable = /\$\{(\w+)\}/.exec(String(url ?? ''))?.[1];
    const key = /\$\{(\w+)\}/.exec(String((credentials as JsonObject | undefined)?.['api_key'] ?? ''))?.[1];
    return variable === undefined || key === undefined ? [] : [{ name: String(name), variable, key }];
  });
  const found = (config: ReturnType<typeof readConfig>, name: string) =>
    config.accounts.find((account) => account.name === name);

  it('is one of these', () => {
    expect(waiting.map(({ name }) => name)).toEqual(['azure', 'cloudflare', 'databricks', 'snowflake']);
  });

  it.each(waiting)('$name is off with its key alone, and says why', ({ name, variable, key }) => {
    const config = readConfig({ [key]: 'k' });
    expect(found(config, name)).toMatchObject({ on: false, offReason: `${variable} is not set` });
    expect(found(readConfig({ [key]: 'k', [variable]: 'https://a.test' }), name)).toMatchObject({ on: true });
  });

  it.each(waiting)('$name with a key in the file is a fault, with the line to add', ({ name, variable }) => {
    const yaml = `accounts: [{ name: ${name}, credentials: { api_key: k } }]`;
    expect(() => read(yaml)).toThrow(
      new RegExp(
        `accounts\\[0\\]\\.base_url: nobody says .* set ${variable}, or add the line base_url: '.*<${variable}>`,
      ),
    );
    const addressed = yaml.replace('credentials', 'base_url: "https://a.test/v1", credentials');
    expect(found(read(addressed), name)).toMatchObject({ on: true, base_url: 'https://a.test/v1' });
    // A row that changes something else leaves it as it is: off.
    expect(found(read(`accounts: [{ name: ${name}, max_concurrency: 3 }]`), name)).toMatchObject({ on: false });
  });
});
