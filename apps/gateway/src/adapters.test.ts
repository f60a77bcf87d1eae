import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { baseUrlOf } from '@model-gateway/provider-kit';
import { adapters } from './adapters.ts';

const PROVIDERS = fileURLToPath(new URL('../../../libs/providers/', import.meta.url));
/** Vendors that live in another one's folder. */
const FOLDERS: Readonly<Record<string, string>> = {
  'openai-compatible': 'openai/src',
  azure: 'openai/src/azure',
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

describe.each([...adapters.values()])('$id declares', ({ id, declares, identifiers = [], ...adapter }) => {
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
