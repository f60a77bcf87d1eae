/** How faults and warnings are told: bounded, with their file, and without secrets, whatever a file holds. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { faultLine } from './fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-faults-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function errorOf(yaml: string, env: Readonly<Record<string, string>> = {}): ConfigError {
  writeFileSync(file, yaml);
  try {
    readConfig({ GATEWAY_CONFIG: file, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the file has no fault');
}

describe('three hundred faults', () => {
  const yaml = `models:\n${Array.from({ length: 300 }, (_, index) => `  - { code: m${index}, kind: chta, offers: [{ account: nobody, model: m, dialct: x }] }`).join('\n')}`;

  it('are all known, a hundred of them told, in a moment', () => {
    // Of this process alone: what else runs on the machine takes time too.
    const began = process.cpuUsage();
    const error = errorOf(yaml);
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
    expect(error.faults.length).toBeGreaterThanOrEqual(600);
    expect(error.message.split('\n')).toHaveLength(102);
    expect(error.message).toMatch(new RegExp(`\\n  - and ${error.faults.length - 100} more$`));
    expect(error.message.length).toBeLessThan(30_000);
  });
});

it('faults of two files are told with the file that each is in', () => {
  // The account's row is the file's own, the rows that it cannot serve are built in.
  const { faults } = errorOf(
    'accounts: [{ name: gemini, vendor: kling, credentials: { api_key: k } }, { name: b, vendor: opnai }]',
  );
  expect(faults[0]).toMatchObject({ path: 'accounts[1].vendor', file, line: 1, column: expect.any(Number) });
  const builtIn = faults.filter((fault) => fault.file === 'the built-in catalogue');
  expect(builtIn.length).toBeGreaterThan(2);
  for (const { path, line } of builtIn) {
    expect(path).toMatch(/^models\[\d+\]\.offers\[\d\]\.account$/);
    expect(line).toBeGreaterThan(100);
  }
});

describe('secrets', () => {
  const SECRET = 'hunter2-0123456789-very-secret';
  it.each([
    ['a key that is too short', `keys: [{ name: a, key: hunter2 }]`],
    ['a key where a vendor belongs', `accounts: [{ name: a, vendor: '\${SECRET}' }]`],
    [
      'a key where a setting belongs',
      `accounts: [{ name: a, vendor: veo, wire: '\${SECRET}', credentials: { api_key: k } }]`,
    ],
    ['a key as a model', `keys: [{ name: a, key: '\${SECRET}', models: ['\${SECRET}'] }]\nservr: {}`],
    ['the same key twice', `keys: [{ name: a, key: '\${SECRET}' }, { name: b, key: '\${SECRET}' }]`],
    ['a webhook secret of another form', `keys: [{ name: a, key: '\${SECRET}', webhook_secret: '\${SECRET}' }]`],
    ['a database with its password', `database: { url: '\${SECRET}' }`],
    [
      'a header that is none',
      `accounts: [{ name: a, vendor: openai, credentials: { api_key: k }, headers: { 'x y': '${SECRET}' } }]`,
    ],
    ['a key as an alias', `models: [{ code: gpt-5.2, aliases: ['\${SECRET}', '\${SECRET}'] }]`],
    ['a live key where a model belongs', `remove: { models: [sk-live-0123456789abcdef] }`],
    ['broken YAML around it', `keys: [{ name: a, key: ${SECRET}`],
    ['YAML that names it', `keys: *${SECRET}`],
  ])('%s: nothing of it is told', (_name, yaml) => {
    const error = errorOf(yaml, { SECRET });
    expect(error.faults.length).toBeGreaterThan(0);
    for (const text of [error.message, JSON.stringify(error.faults)]) {
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain('sk-live-0123456789abcdef');
    }
  });
});

describe('YAML that unfolds', () => {
  it.each([
    ['into itself', 'models: &a [*a]'],
    ['into itself, deep', 'server: &s { host: { again: *s } }'],
    [
      'without end',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`)
        .join('\n')}`,
    ],
  ])('%s is a fault', (_name, yaml) => {
    expect(errorOf(yaml).message).toMatch(/unfold without end|alias/i);
  });
});

describe('prices', () => {
  const warningsFor = (row: string): readonly string[] => {
    writeFileSync(file, `models: [${row}]`);
    return readConfig({ GATEWAY_CONFIG: file }).warnings.map((warning) => faultLine(warning).replace(`${folder}/`, ''));
  };
  const OWN =
    'code: mine, kind: chat, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }]';

  it.each([
    { row: '{ code: gpt-5.2, price: { input: 1.75, output: 14 } }', says: [] },
    { row: '{ code: gpt-5.2, price: { input: 5.25, output: 4.7 } }', says: [] },
    { row: '{ code: gpt-5.2, price: { input: 0, output: 10 } }', says: [] },
    {
      row: '{ code: gpt-5.2, price: { input: 125, output: 10 } }',
      says: [
        'models[0].price.input: 125 is far from the 1.75 that the built-in catalogue has for gpt-5.2 (71 times as much) (gateway.yaml:1:36)',
      ],
    },
    {
      row: '{ code: gpt-5.2, price: { input: 1.25, output: 0.01 } }',
      says: [
        'models[0].price.output: 0.01 is far from the 14 that the built-in catalogue has for gpt-5.2 (1/1400 of it) (gateway.yaml:1:49)',
      ],
    },
    {
      row: `{ ${OWN}, price: { input: 0.00125, output: 10 } }`,
      says: [expect.stringMatching(/^models\[0\]\.price\.input: 0\.00125 is far from the 1\.75 .* for gpt-5\.2 /)],
    },
    { row: `{ ${OWN.replace('gpt-5.2', 'nobodys')}, price: { input: 500 } }`, says: [] },
    { row: `{ ${OWN}, price: free }`, says: [] },
  ])('$row: $says', ({ row, says }) => {
    expect(warningsFor(row)).toEqual(says);
  });
});

describe('a row that is sold', () => {
  const row = (kind: string, more = ''): string =>
    `extends: none\naccounts: [{ name: up, vendor: openai, credentials: { api_key: k } }]\nmodels: [{ code: m, kind: ${kind}, ${more}offers: [{ account: up, model: gpt-image-2${kind === 'chat' ? ', dialect: openai-chat' : ''} }] }]`;

  it.each([
    ['chat', '', 'price: { input: …, output: … }'],
    ['chat', 'price: {}, ', 'price: { input: …, output: … }'],
    ['image-edit', '', 'price: { image: … }'],
    ['embedding', '', 'price: { input: … }'],
    ['speech', '', 'price: { character: … }'],
    ['video', 'body: seconds, ', 'price: { second: … }'],
  ])('has a price: %s %s wants %s', (kind, more, line) => {
    expect(errorOf(row(kind, more)).faults.map(({ path, message }) => [path, message])).toEqual([
      ['models[0].price', `m has no price: add ${line} with US dollars, or price: free where it costs nothing`],
    ]);
  });

  it('or says that it is free', () => {
    writeFileSync(file, row('chat', 'price: free, '));
    const { models, warnings } = readConfig({ GATEWAY_CONFIG: file });
    expect([models[0]?.price, warnings]).toEqual([{ input: 0, output: 0 }, []]);
  });

  it('has that of the built-in row beneath it', () => {
    writeFileSync(file, 'models: [{ code: gpt-5.2, description: ours }]');
    const { models } = readConfig({ GATEWAY_CONFIG: file });
    expect(models.find(({ code }) => code === 'gpt-5.2')?.price).toMatchObject({ input: 1.75 });
  });
});

it.each(['configuration', 'clouds'])('the files of the guide %s are good, but for the keys that they name', (page) => {
  const guide = readFileSync(new URL(`../../../../docs/guides/${page}.md`, import.meta.url), 'utf8');
  const files = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  expect(files.length).toBeGreaterThan(1);
  const env = {
    METRICS_KEY: 'm'.repeat(20),
    TEAM_A_KEY: 'k'.repeat(20),
    TEAM_A_WEBHOOK_SECRET: 'whsec_x',
    S3_KEY: 'a',
    S3_SECRET: 'b',
    GOOGLE_APPLICATION_CREDENTIALS: '/etc/gateway/google.json',
  };
  for (const yaml of files) {
    writeFileSync(file, yaml);
    expect(readConfig({ GATEWAY_CONFIG: file, ...env }).models.length).toBeGreaterThan(30);
  }
});

it.each(['65536', '99999', '-1', '80a'])('PORT=%s is no port number', (port) => {
  expect(errorOf('{}', { PORT: port }).message).toContain(
    `PORT: '${port}' is no port number: take one from 1 to 65535, or 0 for any`,
  );
});
