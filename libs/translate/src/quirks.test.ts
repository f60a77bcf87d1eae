import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '@model-gateway/contracts';
import { dialectFacts } from './dialect-facts.ts';

/** The names that the sources below a folder ask for. */
function namesAsked(folder: string): ReadonlySet<string> {
  const files = globSync('**/*.ts', { cwd: `${import.meta.dirname}/${folder}` }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const text = files.map((file) => readFileSync(`${import.meta.dirname}/${folder}/${file}`, 'utf8')).join('\n');
  const calls = text.matchAll(/quirk\([^,()]+, '(\w+)'\)|quirks\?\.\['(\w+)'\]/g);
  return new Set([...calls].map((match) => match[1] ?? match[2] ?? ''));
}

describe('the list of fine points', () => {
  it.each(DIALECT_NAMES)('has everything that %s asks for', (dialect: DialectName) => {
    const asked = namesAsked(dialect);
    expect(asked.size).toBeGreaterThan(0);
    expect([...asked].filter((name) => !(name in dialectFacts[dialect].quirks))).toEqual([]);
  });

  it('has everything that the dialects share, for the OpenAI wires that share it', () => {
    const known = { ...dialectFacts['openai-chat'].quirks, ...dialectFacts['openai-responses'].quirks };
    expect([...namesAsked('shared')].filter((name) => !(name in known))).toEqual([]);
  });

  it.each(DIALECT_NAMES)('has nothing that %s never asks for', (dialect: DialectName) => {
    const asked = new Set([...namesAsked(dialect), ...(dialect.startsWith('openai-') ? namesAsked('shared') : [])]);
    expect(Object.keys(dialectFacts[dialect].quirks).filter((name) => !asked.has(name))).toEqual([]);
  });

  it.each(Object.entries(dialectFacts))(
    'says of every one of %s what it is and what it may be',
    (_dialect, { quirks }) => {
      for (const field of Object.values(quirks)) {
        expect(field.about).toMatch(/\.$/);
        expect(field.type ?? field.values).toBeDefined();
      }
    },
  );
});
