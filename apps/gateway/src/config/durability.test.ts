import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'model-gateway-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, text);
  return readConfig({ GATEWAY_CONFIG: file });
}

describe('durability', () => {
  it('is 5 dollars and 16 worst cases when nothing is said', () => {
    expect(read('log: { level: warn }').durability).toEqual({ above: 2_500_000, worstCases: 16 });
  });
  it('is what the file says, in quota units', () => {
    expect(read('durability: { above: 0.5, worst_cases: 100 }').durability).toEqual({
      above: 250_000,
      worstCases: 100,
    });
  });
  it.each(['above: -1', 'worst_cases: 1.5', 'worst: 3'])('refuses %s', (said) => {
    expect(() => read(`durability: { ${said} }`)).toThrow('durability');
  });
});
