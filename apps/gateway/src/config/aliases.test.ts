/** A name stands for one row, whoever gave it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-aliases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultOf(first: string, second: string): string {
  const file = join(folder, 'gateway.yaml');
  const row = (code: string, aliases: string): string =>
    `  - { code: ${code}, aliases: ${aliases}, kind: chat, price: { input: 1 }, offers: [{ account: up, model: m, dialect: openai-chat }] }\n`;
  writeFileSync(
    file,
    `extends: none\naccounts: [{ id: 1, name: up, vendor: openai, credentials: { api_key: k } }]\nmodels:\n${row('a', first)}${row('b', second)}`,
  );
  try {
    readConfig({ GATEWAY_CONFIG: file });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  { first: '[x]', second: '[y]', says: '' },
  { first: '[]', second: '[y, z]', says: '' },
  { first: '[b]', second: '[]', says: "models[0].aliases[0]: 'b' is a name of the model 'b'" },
  { first: '[]', second: '[a]', says: "models[1].aliases[0]: 'a' is a name of the model 'a'" },
  { first: '[x]', second: '[y, x]', says: "models[1].aliases[1]: 'x' is a name of the model 'a'" },
  { first: '[x, x]', second: '[]', says: "models[0].aliases[1]: 'x' is a name of this row already" },
  { first: '[a]', second: '[]', says: "models[0].aliases[0]: 'a' is a name of this row already" },
  { first: "['']", second: '[]', says: 'models[0].aliases[0]' },
])('aliases $first and $second: $says', ({ first, second, says }) => {
  const said = faultOf(first, second);
  if (says === '') expect(said).toBe('');
  else expect(said).toContain(says);
});
