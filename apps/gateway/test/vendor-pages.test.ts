/** What each vendor brings beside its adapter: facts, a twin, rows, and words in the guides. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startVendorTwin } from '@model-gateway/vendor-twin';
import { vendors } from '../src/adapters.ts';
import { writtenAccounts } from '../src/config/built-in.ts';
import { readConfig } from '../src/config/config.ts';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));
const textOf = (page: string): string => readFileSync(`${DOCS}/${page}`, 'utf8');
const guides = readdirSync(`${DOCS}/guides`).map((page) => textOf(`guides/${page}`));

/** Pages of facts that have another name than their vendor: that of a wire, or of a kind. */
const PAGES: Readonly<Record<string, string>> = {
  openai: 'openai-chat',
  'openai-compatible': 'openai-chat',
  anthropic: 'anthropic-messages',
  gemini: 'gemini-generate',
  ollama: 'local-servers',
  mimo: 'speech',
};

const variablesIn = (value: unknown): string[] =>
  [...JSON.stringify(value ?? {}).matchAll(/\$\{(\w+)/g)].map(([, name]) => String(name));
const accounts = writtenAccounts().map((account) => ({
  name: String(account['name']),
  vendor: String(account['vendor']),
  variables: variablesIn([account['credentials'], account['base_url']]),
}));
/** Every account is on: all variables are set. */
const { models } = readConfig(
  Object.fromEntries(accounts.flatMap(({ variables }) => variables.map((name) => [name, 'https://a.test/v1']))),
);
const rowsOf = (names: ReadonlySet<string>) =>
  models.filter(({ offers }) => offers.some(({ account }) => names.has(account)));

describe('every vendor has', () => {
  const every = [...vendors.keys()].map((id) => {
    const own = accounts.filter(({ vendor }) => vendor === id);
    return { id, own, rows: rowsOf(new Set(own.map(({ name }) => name))) };
  });

  it('a page of facts that the index lists', () => {
    const missing = every.filter(({ id }) => {
      const page = `${PAGES[id] ?? id}.md`;
      return !existsSync(`${DOCS}/wire/${page}`) || !textOf('wire/index.md').includes(`(${page})`);
    });
    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it('a twin', async () => {
    const twin = await startVendorTwin({ media: 'tiny' });
    const standing = new Set(twin.standIns().map(({ vendor }) => vendor));
    await twin.close();
    expect(every.filter(({ id }) => !standing.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('an account and rows in the catalogue', () => {
    expect(every.filter(({ own, rows }) => own.length === 0 || rows.length === 0).map(({ id }) => id)).toEqual([]);
  });

  it('a line with its variables in the guide on configuration', () => {
    const lines = textOf('guides/configuration.md').split('\n');
    const missing = every.flatMap(({ id, own }) => {
      const line = lines.find((each) => new RegExp(`^\\|[^|]*\`${id}\`[^|]*\\|`).test(each)) ?? '';
      // The variables of compatible vendors and servers have lists of their own.
      const lists = id === 'openai-compatible' ? ['models', 'local-servers'] : [];
      const listed = [line, ...lists.map((page) => textOf(`guides/${page}.md`))].join();
      const unsaid = own.flatMap(({ variables }) => variables).filter((name) => !listed.includes(name));
      return line === '' ? [id] : unsaid.map((name) => `${id}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('a model that a guide names', () => {
    const isNamed = ({ code }: { readonly code: string }): boolean =>
      guides.some((text) => text.includes(`"${code.replace(/\*$/, '')}`) || text.includes(`\`${code}\``));
    const missing = every.filter(({ rows }) => !rows.some(isNamed));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });
});

it('every built-in row says where its facts are from, and when that was looked at', () => {
  const missing = models.filter(({ code, source, checked }) => {
    // Whatever a server of one’s own has, and nobody else knows.
    if (code.endsWith('/*')) return false;
    const isOpen = source?.includes('unverified') === true;
    return source === undefined || (!isOpen && checked === undefined);
  });
  expect(missing.map(({ code }) => code)).toEqual([]);
});
