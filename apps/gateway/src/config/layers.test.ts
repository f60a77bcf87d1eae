/** What a file makes of the built-in catalogue beneath it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig, type Config } from './config.ts';
import { faultLine, type SaidFault } from './fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-layers-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const told = (fault: SaidFault): string => faultLine(fault).replace(`${folder}/`, '');
const BUILT_IN = readConfig({});

function read(yaml: string, env: Readonly<Record<string, string>> = {}): Config {
  writeFileSync(file, yaml);
  return readConfig({ GATEWAY_CONFIG: file, ...env });
}

function faultsOf(yaml: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    read(yaml, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(told);
    throw error;
  }
}

const codesOf = ({ models }: Config): readonly string[] => models.map(({ code }) => code);
const modelOf = ({ models }: Config, code: string) => models.find((row) => row.code === code);
const accountOf = ({ accounts }: Config, name: string) => accounts.find((row) => row.name === name);
const MINE = `{ code: mine, kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: openai, model: m, dialect: openai-chat }] }`;

describe('extends', () => {
  it('is builtin unless said: one model of the file’s own comes beside all built-in ones', () => {
    for (const yaml of [`models: [${MINE}]`, `extends: builtin\nmodels: [${MINE}]`]) {
      const config = read(yaml);
      expect(codesOf(config)).toEqual(['mine', ...codesOf(BUILT_IN)]);
      expect(config.accounts.map(({ name }) => name)).toEqual(BUILT_IN.accounts.map(({ name }) => name));
      expect(config.warnings).toEqual([]);
    }
  });

  it('none starts empty, with accounts of its own alone', () => {
    expect(codesOf(read('extends: none'))).toEqual([]);
    const yaml = `extends: none\naccounts: [{ name: openai, vendor: openai, credentials: { api_key: k } }]\nmodels: [${MINE}]`;
    const config = read(yaml);
    expect(codesOf(config)).toEqual(['mine']);
    expect(config.accounts).toHaveLength(1);
    expect(faultsOf(`extends: none\nmodels: [${MINE}]`)).toEqual([
      expect.stringMatching(/^models\[0\]\.offers\[0\]\.account: there is no account 'openai'/),
    ]);
  });

  it('another word is a fault with the nearest right one', () => {
    expect(faultsOf('extends: biultin')).toEqual([
      'extends: expected one of builtin, none (did you mean builtin?) (gateway.yaml:1:1)',
    ]);
  });
});

describe('a row of a built-in code or name', () => {
  it('changes what it writes and keeps the rest', () => {
    const config = read('models: [{ code: gpt-5.2, price: { input: 2, output: 9 } }]');
    expect(codesOf(config).toSorted()).toEqual(codesOf(BUILT_IN).toSorted());
    expect(modelOf(config, 'gpt-5.2')).toEqual({
      ...modelOf(BUILT_IN, 'gpt-5.2'),
      price: { input: 2, output: 9 },
    });
  });

  it('keeps nothing of another kind or vendor', () => {
    const chat = read(
      `models: [{ code: gpt-image-2, kind: chat, price: { input: 5 }, offers: [{ account: openai, model: m, dialect: openai-chat }] }]`,
    );
    expect(modelOf(chat, 'gpt-image-2')).not.toHaveProperty('limits');
    const other = read(
      `accounts: [{ name: openai, vendor: openai-compatible, base_url: 'http://127.0.0.1:1/v1', dialects: [openai-chat] }]
remove: { models: [gpt-image-2, gpt-4o-mini-tts, gpt-5.2-pro, gpt-audio-mini, 'gpt-5*', 'gpt-4*'] }`,
    );
    expect(accountOf(other, 'openai')).not.toHaveProperty('credentials');
  });

  it('an account takes its key alone from the file, and stays itself', () => {
    const config = read("accounts: [{ name: openai, credentials: { api_key: '${OTHER}' } }]", { OTHER: 'k' });
    expect(accountOf(config, 'openai')).toMatchObject({ id: 1, vendor: 'openai', on: true });
    expect(accountOf(read('accounts: [{ name: openai, max_concurrency: 3 }]'), 'openai')).toMatchObject({ on: false });
  });

  it('a row that is nothing built in says what it lacks, and what was nearly meant', () => {
    expect(faultsOf('models: [{ code: gpt-5.3, price: { input: 2 } }]\naccounts: [{ name: opnai }]')).toEqual([
      "models[0].kind: 'gpt-5.3' is not built in (did you mean gpt-5.2?), so it needs kind and offers (gateway.yaml:1:10)",
      "accounts[0].vendor: 'opnai' is not built in (did you mean openai?), so it needs vendor (gateway.yaml:2:12)",
    ]);
  });

  it('a name of the file’s own is taken from the built-in row that has it for an alias; a built-in code is not', () => {
    const config = read(`models: [${MINE.replace('code: mine', 'code: mine, aliases: [gpt-5.2-2025-12-11]')}]`);
    expect(modelOf(config, 'gpt-5.2')?.aliases).toEqual([]);
    expect(faultsOf(`models: [${MINE.replace('code: mine', 'code: mine, aliases: [gpt-5.2]')}]`)).toEqual([
      "models[0].aliases[0]: 'gpt-5.2' is a name of the model 'gpt-5.2', which is built in: remove: { models: [gpt-5.2] } frees it (gateway.yaml:1:34)",
    ]);
    expect(
      faultsOf(
        `remove: { models: [gpt-5.2] }\nmodels: [${MINE.replace('code: mine', 'code: mine, aliases: [gpt-5.2]')}]`,
      ),
    ).toEqual([]);
  });

  it('aliases that go in a circle are faults, each at its place', () => {
    const row = (code: string, alias: string): string =>
      MINE.replace('code: mine', `code: ${code}, aliases: [${alias}]`);
    expect(faultsOf(`models: [${row('a', 'b')}, ${row('b', 'c')}, ${row('c', 'a')}]`)).toEqual([
      expect.stringMatching(/^models\[0\]\.aliases\[0\]: 'b' is a name of the model 'b'/),
      expect.stringMatching(/^models\[1\]\.aliases\[0\]: 'c' is a name of the model 'c'/),
      expect.stringMatching(/^models\[2\]\.aliases\[0\]: 'a' is a name of the model 'a'/),
    ]);
  });
});

describe('remove', () => {
  it('takes models away by code or pattern', () => {
    const config = read("remove: { models: [gpt-5.2, 'claude-*'] }");
    const gone = codesOf(BUILT_IN).filter((code) => code === 'gpt-5.2' || code.startsWith('claude-'));
    expect(gone.length).toBeGreaterThan(2);
    expect(codesOf(config)).toEqual(codesOf(BUILT_IN).filter((code) => !gone.includes(code)));
  });

  it('takes accounts away: with their offers, and with the rows that have no other', () => {
    const config = read('remove: { accounts: [tencent-vod, mimo] }');
    expect(accountOf(config, 'mimo')).toBeUndefined();
    expect(modelOf(config, 'mimo-v2.5-tts')).toBeUndefined();
    expect(modelOf(config, 'kling-v3')?.offers.map(({ account }) => account)).toEqual(['kling']);
    expect(config.warnings.map(told)).toEqual([
      expect.stringMatching(/^remove\.accounts: the built-in .*mimo-v2\.5-tts.* went with their accounts/),
    ]);
    expect(read('remove: { accounts: [tencent-vod, mimo], models: [mimo-*] }').warnings).toEqual([]);
  });

  it('of an account that a row of the file uses is a fault of that row', () => {
    expect(faultsOf(`remove: { accounts: [openai] }\nmodels: [${MINE}]`)).toEqual([
      expect.stringMatching(
        /^models\[0\]\.offers\[0\]\.account: the account 'openai' is among those that are removed \(gateway\.yaml:2:/,
      ),
    ]);
  });

  it.each([
    {
      yaml: 'remove: { models: [gpt-5.3], accounts: [opanai] }',
      says: [
        "remove.models[0]: there is no built-in model 'gpt-5.3' (did you mean gpt-5.2?) (gateway.yaml:1:20)",
        "remove.accounts[0]: there is no built-in account 'opanai' (did you mean openai?) (gateway.yaml:1:41)",
      ],
    },
    {
      yaml: 'extends: none\nremove: { models: [gpt-5.2] }',
      says: ['remove.models[0]: with extends: none there is nothing to remove (gateway.yaml:2:20)'],
    },
    {
      yaml: `remove: { models: [gpt-5.2] }\nmodels: [{ code: gpt-5.2, price: { input: 2 } }]`,
      says: ["remove.models[0]: the file has the model 'gpt-5.2' itself; leave out one of the two (gateway.yaml:1:20)"],
    },
    {
      yaml: 'remove: { modles: [gpt-5.2] }',
      says: ['remove.modles: unknown key (did you mean models?) (gateway.yaml:1:11)'],
    },
  ])('$yaml: $says', ({ yaml, says }) => {
    expect(faultsOf(yaml)).toEqual(says);
  });
});

describe('the id of an account', () => {
  const account = (name: string, id = ''): string =>
    `  - { name: ${name}, ${id}vendor: openai, credentials: { api_key: k } }\n`;
  const ids = (yaml: string): Readonly<Record<string, number>> =>
    Object.fromEntries(read(`extends: none\naccounts:\n${yaml}`).accounts.map(({ name, id }) => [name, id]));

  it('is made of its name where none is written, wherever its row stands', () => {
    const first = ids(account('a') + account('b') + account('c', 'id: 7, '));
    expect(ids(account('c', 'id: 7, ') + account('b') + account('new') + account('a'))).toMatchObject(first);
    expect(first).toEqual({ a: 905_355_907, b: expect.any(Number), c: 7 });
    expect(new Set(Object.values(first)).size).toBe(3);
  });

  it('is what tasks are found again by, so it fits a column of the database', () => {
    for (const id of Object.values(ids(Array.from({ length: 200 }, (_, index) => account(`n${index}`)).join('')))) {
      expect(id).toBeGreaterThanOrEqual(1_000_000);
      expect(id).toBeLessThan(2 ** 31);
    }
  });
});

describe('wildcards', () => {
  const wild = (code: string, more = ''): string =>
    `extends: none
accounts: [{ name: up, vendor: openai, credentials: { api_key: k } }]
models: [{ code: '${code}', kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }${more}, offers: [{ account: up, model: 'x-*', dialect: openai-chat }] }]`;

  it.each(['openai/*', 'a*', 'b-*'])('%s is one', (code) => {
    expect(faultsOf(wild(code))).toEqual([]);
  });

  it.each(['*', '*-a', 'a*b', 'a**', 'a *b*', ' *'])('%s is none', (code) => {
    expect(faultsOf(wild(code))).toContainEqual(
      expect.stringMatching(/^models\[0\]\.code: a wildcard has one \* at its end/),
    );
  });

  it('has no aliases; an alias and the offer of a plain row have no star', () => {
    expect(faultsOf(wild('a*', ', aliases: [b]'))).toEqual([
      expect.stringMatching(/^models\[0\]\.aliases\[0\]: a wildcard has no aliases/),
    ]);
    expect(faultsOf(wild('a', ", aliases: ['b*']"))).toEqual([
      expect.stringMatching(/^models\[0\]\.aliases\[0\]: an alias is one name/),
      expect.stringMatching(/^models\[0\]\.offers\[0\]\.model: only a wildcard’s offers have a \*/),
    ]);
  });

  it('a key may name one of its models', () => {
    const keys = "\nkeys: [{ name: k, key: '0123456789abcdef', models: [openai/gpt-9, 'openai/*', open/x] }]";
    expect(read(wild('openai/*') + keys).warnings.map(told)).toEqual([
      expect.stringMatching(/^keys\[0\]\.models\[2\]: there is no model 'open\/x'/),
    ]);
  });
});
