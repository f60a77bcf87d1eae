import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { KINDS } from '@model-gateway/core';
import { baseUrlOf } from '@model-gateway/provider-kit';
import { LoadedAdapters, vendors } from './adapters.ts';

const PROVIDERS = fileURLToPath(new URL('../../../libs/providers/', import.meta.url));
/** Vendors that live in another one's folder. */
const FOLDERS: Readonly<Record<string, string>> = {
  'openai-compatible': 'openai/src',
  azure: 'openai/src/azure',
  cohere: 'openai/src/cohere',
  jina: 'openai/src/jina',
  ollama: 'openai/src/ollama',
  voyage: 'openai/src/voyage',
  vertex: 'gemini/src/vertex',
};

/** What the sources of a vendor read of a thing: `quirks['wire']`, `settings['project']`, `{ organization } = account.settings`. */
function namesRead(vendor: string, thing: 'quirks' | 'settings' | 'credentials'): readonly string[] {
  const folder = `${PROVIDERS}${FOLDERS[vendor] ?? `${vendor}/src`}`;
  const files = globSync('*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
  const text = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n');
  const indexed = text.matchAll(new RegExp(`\\b${thing}\\['(\\w+)'\\]|textAt\\(${thing}, '(\\w+)'\\)`, 'g'));
  const unpacked = text.matchAll(new RegExp(`const \\{ ([\\w, ]+) \\} = \\w+\\.${thing};`, 'g'));
  return [
    ...[...indexed].map((match) => match[1] ?? match[2] ?? ''),
    ...[...unpacked].flatMap((match) => match[1]?.split(', ') ?? []),
  ];
}

it('loads the adapter of a vendor when an account of it is on, and once', async () => {
  const adapters = new LoadedAdapters();
  await adapters.load([
    { vendor: 'minimax', on: true },
    { vendor: 'kling', on: false },
    { vendor: 'nobody', on: true },
  ]);
  expect([...adapters.all.keys()]).toEqual(['minimax']);
  const [one, other] = await Promise.all([adapters.of('minimax'), adapters.of('minimax')]);
  expect(one).toBe(adapters.all.get('minimax'));
  expect(other).toBe(one);
  expect(await adapters.of('nobody')).toBeUndefined();
});

it.each([...vendors.values()])('$id: what is known without its code is what its code says', async (vendor) => {
  const adapter = await vendor.load();
  const { load: _load, capabilities, dialects, listsModels, signsBodies, quirks, ...declared } = vendor;
  expect(adapter).toMatchObject({ id: declared.id, declares: { ...declared.declares, quirks } });
  expect(adapter.formerIds).toEqual(declared.formerIds);
  expect(adapter.chat?.dialects ?? []).toEqual(dialects);
  expect([adapter.modelList !== undefined, adapter.signsBodies === true]).toEqual([listsModels, signsBodies]);
  expect(
    KINDS.map(({ capability }) => capability)
      .filter((name) => adapter[name] !== undefined)
      .toSorted(),
  ).toEqual([...capabilities].toSorted());
});

const all = await Promise.all([...vendors.values()].map((vendor) => vendor.load()));

describe.each(all)('$id declares', ({ id, declares, identifiers = [], ...adapter }) => {
  const quirks = Object.assign({}, ...Object.values(declares.quirks ?? {})) as NonNullable<typeof declares.settings>;
  const accounts = [declares, ...Object.values(declares.wires ?? {}).map((wire) => ({ ...declares, ...wire }))];
  const credentials = Object.assign({}, ...accounts.map((one) => one.credentials)) as typeof declares.credentials;

  it('every quirk, setting and credential that it reads', () => {
    expect(namesRead(id, 'quirks').filter((name) => !(name in quirks))).toEqual([]);
    const settings = { ...declares.settings, ...credentials, ...(declares.wires !== undefined && { wire: {} }) };
    expect(namesRead(id, 'settings').filter((name) => !(name in settings))).toEqual([]);
    expect(namesRead(id, 'credentials').filter((name) => !(name in credentials))).toEqual([]);
  });

  it('each with a sentence and with what it may be', () => {
    for (const field of [...Object.values(quirks), ...Object.values(declares.settings ?? {})]) {
      expect(field.about).toMatch(/\.$/);
      expect(field.type ?? field.values).toBeDefined();
    }
    for (const { about } of Object.values(credentials)) expect(about).toMatch(/\.$/);
  });

  it('enough to sign with, on every wire, out of what it knows', () => {
    for (const one of accounts) {
      expect(one.sufficient.length).toBeGreaterThan(0);
      for (const name of one.sufficient.flat())
        expect(name in one.credentials || name in (declares.settings ?? {})).toBe(true);
      const base = baseUrlOf(one, {});
      if (base !== undefined) expect(base).toMatch(/^(?:https:\/\/.*[^/]|http:\/\/127\.0\.0\.1:\d+)$/);
    }
  });

  it('nothing secret among what may stand in bodies', () => {
    for (const name of identifiers) expect(credentials[name]).toMatchObject({ secret: false });
  });

  it('quirks for nothing that it cannot do', () => {
    for (const capability of Object.keys(declares.quirks ?? {})) expect(adapter).toHaveProperty(capability);
  });
});
