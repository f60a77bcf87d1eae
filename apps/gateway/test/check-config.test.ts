/** What operators see of a configuration before and at the start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand, type Said } from './run-command.ts';

const BUILT_IN = new URL('../config/catalogue.yaml', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'gateway-check-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BAD = `extends: none\naccounts:
  - { id: 1, name: veo, vendor: veo, credentials: { api_key: k }, settings: { wir: kie } }
models:
  - { code: v, kind: video, body: omni, price: { second: 1 }, offers: [{ account: vea, model: foo }] }
`;
const WARNED = `extends: none\naccounts:
  - { id: 1, name: up, vendor: openai, credentials: { api_key: k } }
models:
  - { code: m, kind: chat, price: { input: 1, output: 2 }, offers: [{ account: up, model: m, dialect: openai-chat }] }
`;

function run(line: readonly string[], yaml?: string): Promise<Said> {
  if (yaml !== undefined) writeFileSync(file, yaml);
  return runCommand(line, { env: { PORT: '0', ...(yaml !== undefined && { GATEWAY_CONFIG: file }) } });
}

it.each(['check-config', 'serve'])(
  '%s refuses what a vendor does not understand, and names every place',
  async (command) => {
    const { code, error } = await run([command], BAD);
    expect(code).toBe(command === 'serve' ? 78 : 1);
    expect(error).toContain(`${file} has 2 faults:`);
    expect(error).toContain(
      'accounts[0].settings.wir: unknown setting; veo knows wire, project, location (did you mean wire?)',
    );
    expect(error).toContain(
      `models[0].offers[0].account: there is no account 'vea' (did you mean veo?) (${file}:5:74)`,
    );
  },
);

it('says faults to programs, too', async () => {
  const { code, out } = await run(['check-config', '--json'], BAD);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    faults: [
      {
        path: 'accounts[0].settings.wir',
        message: expect.stringContaining('unknown setting'),
        file,
        line: 3,
        column: 79,
      },
      { path: 'models[0].offers[0].account', message: expect.any(String), file, line: 5, column: 74 },
    ],
  });
});

describe('a fallback whose account is off', () => {
  const model = (code: string, account: string, more = '') =>
    `  - { code: ${code}, kind: chat, price: { input: 1, output: 1 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 }, offers: [{ account: ${account}, model: m, dialect: openai-chat }]${more} }\n`;
  const yaml = (first: string, second: string) => `extends: none\naccounts:
  - { id: 1, name: first, vendor: openai, credentials: { api_key: ${first} } }
  - { id: 2, name: second, vendor: openai, credentials: { api_key: ${second} } }
models:
${model('m', 'first', ', fallbacks: { on_error: [spare] }')}${model('spare', 'second')}`;
  const words = 'The fallback spare of m cannot answer: its account is off because credentials are missing (second).';

  it('is told, and is no fault to --strict, for files are checked where their secrets are not', async () => {
    const { code, out } = await run(['check-config', '--strict'], yaml('k', "''"));
    expect(code).toBe(0);
    expect(out).toContain(words);
    const json = await run(['check-config', '--json'], yaml('k', "''"));
    expect(JSON.parse(json.out)).toMatchObject({ ok: true, idle_fallbacks: [words] });
  });

  it.each([
    ['it is on', yaml('k', 'k')],
    ['every account is off', yaml("''", "''")],
    ['another account than its own is off', yaml("''", 'k')],
  ])('is not told when %s', async (_, text) => {
    const { out } = await run(['check-config', '--json'], text);
    expect(JSON.parse(out)).toMatchObject({ ok: true, idle_fallbacks: [] });
  });
});

it('warns, and with --strict refuses', async () => {
  const warning = 'models[0].limits: m has a price and no max_input_tokens and no max_output_tokens';
  const lenient = await run(['check-config'], WARNED);
  expect(lenient).toMatchObject({ code: 0, error: '' });
  expect(lenient.out).toContain(`Warnings:\n  - ${warning}`);
  const strict = await run(['check-config', '--strict', '--json'], WARNED);
  expect(strict.code).toBe(1);
  expect(JSON.parse(strict.out)).toMatchObject({
    ok: false,
    models: 1,
    warnings: [{ path: 'models[0].limits', file, line: 5, column: 5 }],
  });
});

it('finds the built-in catalogue good, strictly', async () => {
  const { code, out } = await run(['check-config', '--strict']);
  expect(code).toBe(0);
  expect(out).toContain('The built-in catalogue is good');
});

describe('prices that nobody has looked up for long', () => {
  const { models } = parse(readFileSync(BUILT_IN, 'utf8')) as {
    models: { code: string; source?: string; checked?: string }[];
  };
  const DAY_MS = 86_400_000;
  const unverified = models.filter(({ source }) => source === 'unverified').map(({ code }) => code);

  it('every shipped row says where its price was read, and when, or that nobody has looked', () => {
    const silent = models.filter(
      ({ source, checked }) => source === undefined || (source !== 'unverified') !== (checked !== undefined),
    );
    expect(silent).toEqual([]);
  });

  it('are named after 90 days, beside those that nobody ever did, and are no fault', async () => {
    const on = async (now: number): Promise<string> => {
      const { code, out } = await runCommand(['check-config', '--strict'], { now: () => now });
      expect(code).toBe(0);
      return out;
    };
    const named = (codes: readonly string[]): string =>
      `the prices of ${codes.length} models in the last 90 days: ${codes.join(', ')}.`;
    const [first = ''] = models.flatMap(({ checked }) => checked ?? []).toSorted();
    expect(await on(Date.parse(first) + 90 * DAY_MS)).toContain(named(unverified));
    const old = models.filter(({ code, checked }) => unverified.includes(code) || checked === first);
    expect(await on(Date.parse(first) + 91 * DAY_MS)).toContain(named(old.map(({ code }) => code)));
    expect(await on(Date.parse('2030-01-01'))).toContain(named(models.map(({ code }) => code)));
  });
});
