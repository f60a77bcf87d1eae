import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig, type Config } from './config.ts';
import { faultLine, type SaidFault } from './fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = "credentials: { api_key: '0123456789' }";
const OPENAI = `extends: none\naccounts:\n  - { id: 1, name: up, vendor: openai, ${KEY} }`;
const ONE_MODEL = `${OPENAI}\nmodels:\n  - { code: m, kind: chat, price: { input: 1 }, offers: [{ account: up, model: m, dialect: openai-chat }] }`;

function read(yaml: string, env: Readonly<Record<string, string>> = {}): Config {
  writeFileSync(file, yaml);
  return readConfig({ GATEWAY_CONFIG: file, ...env });
}

const told = (fault: SaidFault): string => faultLine(fault).replace(`${folder}/`, '');

/** The faults of a file; none when it is good. */
function faultsOf(yaml: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    read(yaml, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(told);
    throw error;
  }
}

/** A file with one account, given as the rest of its row, and one offer of it. */
function withAccount(account: string, model = 'kind: chat', offer = 'model: m, dialect: openai-chat'): string {
  return `extends: none\naccounts:\n  - { id: 1, name: up, ${account} }\nmodels:\n  - { code: m, ${model}, price: { input: 1 }, offers: [{ account: up, ${offer} }] }`;
}

describe('what an account may say', () => {
  it.each([
    {
      name: 'a mistyped setting',
      account: `vendor: veo, ${KEY}, settings: { wir: kie }`,
      says: /^accounts\[0\]\.settings\.wir: unknown setting; veo knows wire, project, location \(did you mean wire\?\)/,
    },
    {
      name: 'a wire that the vendor has not',
      account: `vendor: veo, wire: vertx, ${KEY}`,
      says: /^accounts\[0\]\.wire: veo has no wire 'vertx'; it has gemini, vertex, kie \(did you mean vertex\?\)/,
    },
    {
      name: 'the same among the settings',
      account: `vendor: veo, settings: { wire: vertx }, ${KEY}`,
      says: /^accounts\[0\]\.settings\.wire: veo has no wire 'vertx'/,
    },
    {
      name: 'a wire where there is one only',
      account: `vendor: mimo, wire: fast, ${KEY}`,
      says: /^accounts\[0\]\.wire: mimo has one wire only; leave it out/,
    },
    {
      name: 'a mistyped credential',
      account: "vendor: anthropic, credentials: { apikey: '0123456789' }",
      says: /^accounts\[0\]\.credentials\.apikey: unknown credential; anthropic knows api_key \(did you mean api_key\?\)/,
    },
    {
      name: 'half a pair',
      account: "vendor: kling, credentials: { access_key: '0123456789' }",
      says: /^accounts\[0\]\.credentials: kling needs access_key and secret_key, or api_key; there is only access_key/,
    },
    {
      name: 'no credentials',
      account: 'vendor: ark',
      says: /^accounts\[0\]\.credentials: ark needs api_key/,
    },
    {
      name: 'credentials of another wire',
      account: `vendor: veo, wire: vertex, ${KEY}`,
      says: /^accounts\[0\]\.credentials\.api_key: unknown credential; veo on wire vertex knows client_email,/,
    },
    {
      name: 'a vertex account without its project',
      account: "vendor: veo, wire: vertex, credentials: { client_email: 'a@b', private_key: '0123456789' }",
      says: /^accounts\[0\]\.credentials: veo on wire vertex needs client_email, private_key and project, or /,
    },
    {
      name: 'a setting with another value',
      account:
        "vendor: tencent-vod, credentials: { secret_id: i, secret_key: k, sub_app_id: '1' }, settings: { input_region: Overseas }",
      says: /^accounts\[0\]\.settings\.input_region: 'Overseas' is none of Mainland, Oversea \(did you mean Oversea\?\)/,
    },
    {
      name: 'a server without an address',
      account: 'vendor: openai-compatible',
      says: /^accounts\[0\]\.base_url: openai-compatible has no address of its own; say where the server is/,
    },
    {
      name: 'a vendor nobody knows',
      account: `vendor: antropic, ${KEY}`,
      says: /^accounts\[0\]\.vendor: 'antropic' is no known vendor; known are .* \(did you mean anthropic\?\)/,
    },
    {
      name: 'a dialect that the vendor does not speak',
      account: `vendor: anthropic, ${KEY}, dialects: [openai-chat]`,
      says: /^accounts\[0\]\.dialects\[0\]: anthropic does not speak openai-chat; it speaks anthropic-messages/,
    },
  ])('$name is a fault', ({ account, says }) => {
    const [first = ''] = faultsOf(withAccount(account)).filter((fault) => fault.startsWith('accounts'));
    expect(first).toMatch(says);
  });

  it.each([
    'vendor: openai, base_url: http://127.0.0.1:8000/v1',
    `vendor: openai, base_url: 'https://api.deepseek.com/v1', ${KEY}`,
    `vendor: openai, wire: xai, base_url: 'https://api.x.ai/v1', ${KEY}`,
    'vendor: openai-compatible, base_url: http://127.0.0.1:11434/v1, settings: { provider: ollama }',
    `vendor: openai-compatible, wire: xai, ${KEY}`,
    `vendor: openai, ${KEY}, settings: { organization: o, project: p }`,
  ])('%s is right', (account) => {
    expect(faultsOf(withAccount(account))).toEqual([]);
  });

  it('an account without dialects in its offers takes its own', () => {
    const yaml = withAccount(`vendor: openai, ${KEY}, dialects: [openai-responses]`, 'kind: chat', 'model: m');
    expect(faultsOf(yaml)).toEqual([]);
    expect(faultsOf(withAccount(`vendor: openai, ${KEY}`, 'kind: chat', 'model: m'))[0]).toMatch(
      /^models\[0\]\.offers\[0\]\.dialect: a chat offer needs one of openai-chat, openai-responses/,
    );
  });
});

describe('what an offer may say', () => {
  const tencent = "vendor: tencent-vod, credentials: { secret_id: i, secret_key: k, sub_app_id: '1' }";
  const video = 'kind: video, body: omni';
  it.each([
    {
      name: 'a model that the vendor does not understand',
      yaml: withAccount(tencent, video, 'model: foo'),
      says: /^models\[0\]\.offers\[0\]\.model: 'foo' is not a model name Tencent VOD understands; it wants <Name>\/<Version>/,
    },
    {
      name: 'kie.ai’s name at Google',
      yaml: withAccount(`vendor: veo, ${KEY}`, 'kind: video, body: image-urls', 'model: veo3_fast'),
      says: /^models\[0\]\.offers\[0\]\.model: 'veo3_fast' is not a model name Google understands/,
    },
    {
      name: 'Google’s name at kie.ai',
      yaml: withAccount(`vendor: veo, wire: kie, ${KEY}`, 'kind: video, body: image-urls', 'model: veo-3.1'),
      says: /^models\[0\]\.offers\[0\]\.model: 'veo-3.1' is not a model name kie.ai understands/,
    },
    {
      name: 'a mistyped fine point',
      yaml: withAccount(
        `vendor: anthropic, ${KEY}`,
        'kind: chat',
        'model: c, dialect: anthropic-messages, quirks: { thinkng: budget }',
      ),
      says: /^models\[0\]\.offers\[0\]\.quirks\.thinkng: unknown quirk; .* \(did you mean thinking\?\)/,
    },
    {
      name: 'a fine point with another value',
      yaml: withAccount(
        `vendor: anthropic, ${KEY}`,
        'kind: chat',
        'model: c, dialect: anthropic-messages, quirks: { thinking: budgt }',
      ),
      says: /^models\[0\]\.offers\[0\]\.quirks\.thinking: 'budgt' is none of adaptive, budget, none \(did you mean budget\?\)/,
    },
    {
      name: 'a flag that is a text',
      yaml: withAccount(
        `vendor: openai, ${KEY}`,
        'kind: chat',
        "model: c, dialect: openai-chat, quirks: { sampling: 'no' }",
      ),
      says: /^models\[0\]\.offers\[0\]\.quirks\.sampling: must be true or false/,
    },
    {
      name: 'a fine point of another dialect',
      yaml: withAccount(
        `vendor: openai, ${KEY}`,
        'kind: chat',
        'model: c, dialect: openai-responses, quirks: { xhigh: false }',
      ),
      says: /^models\[0\]\.offers\[0\]\.quirks\.xhigh: unknown quirk/,
    },
    {
      name: 'a fine point of another kind',
      yaml: withAccount(
        `vendor: ark, ${KEY}`,
        'kind: chat',
        'model: c, dialect: openai-chat, quirks: { negative_prompt: true }',
      ),
      says: /^models\[0\]\.offers\[0\]\.quirks\.negative_prompt: unknown quirk/,
    },
    {
      name: 'a dialect that the vendor does not speak',
      yaml: withAccount(
        `vendor: anthropic, ${KEY}`,
        'kind: chat',
        'model: c, dialects: [anthropic-messages, openai-chat]',
      ),
      says: /^models\[0\]\.offers\[0\]\.dialects\[1\]: anthropic does not speak openai-chat; it speaks anthropic-messages/,
    },
    {
      name: 'a kind that the vendor does not serve',
      yaml: withAccount(`vendor: mimo, ${KEY}`, 'kind: video, body: prompt', 'model: v'),
      says: /^models\[0\]\.offers\[0\]\.account: mimo serves no video models; it serves chat, speech/,
    },
    {
      name: 'an account that there is not',
      yaml: ONE_MODEL.replace('account: up', 'account: upp'),
      says: /^models\[0\]\.offers\[0\]\.account: there is no account 'upp' \(did you mean up\?\)/,
    },
  ])('$name is a fault', ({ yaml, says }) => {
    expect(faultsOf(yaml)[0]).toMatch(says);
  });

  it.each([
    withAccount(tencent, video, 'model: foo, quirks: { model_name: Kling, model_version: 3.0-Omni }'),
    withAccount(`vendor: ark, ${KEY}`, 'kind: image, body: prompt', 'model: i, quirks: { stream: false }'),
    withAccount(`vendor: openai, ${KEY}`, 'kind: image-edit', "model: i, quirks: { sizes: ['512x512'] }"),
    withAccount(`vendor: openai, ${KEY}`, 'kind: image-edit', 'model: i, quirks: { sizes: any }'),
    withAccount(`vendor: openai, ${KEY}`, 'kind: speech', 'model: i, quirks: { max_characters: 100 }'),
    withAccount(
      `vendor: openai, ${KEY}`,
      'kind: chat',
      'model: i, dialect: openai-chat, quirks: { cache_marks: false }',
    ),
  ])('what a vendor declares is right', (yaml) => {
    expect(faultsOf(yaml)).toEqual([]);
  });

  it('the built-in catalogue has neither faults nor warnings', () => {
    expect(readConfig({}).warnings).toEqual([]);
  });
});

describe('how faults are said', () => {
  it('all at once: of the form and of the meaning, with their lines', () => {
    const faults = faultsOf(
      [
        'servr: { port: 1 }',
        'accounts:',
        '  - { id: 1, name: up, vendor: openia, max_concurency: 3 }',
        '  - { id: 2, name: two, vendor: ark, settings: { foo: bar } }',
        'models:',
        '  - code: m',
        '    kind: chta',
        '    offers: [{ account: up, model: m, dialect: openai-chat }]',
        '  - code: n',
        '    kind: chat',
        '    offers: [{ account: nobody, model: m, dialect: openai-chat }]',
        'extends: none',
      ].join('\n'),
    );
    expect(faults).toEqual([
      'servr: unknown key (did you mean server?) (gateway.yaml:1:1)',
      expect.stringMatching(/^accounts\[0\]\.vendor: 'openia' is no known vendor.*openai\?\) \(gateway\.yaml:3:24\)$/),
      'accounts[0].max_concurency: unknown key (did you mean max_concurrency?) (gateway.yaml:3:40)',
      expect.stringMatching(/^accounts\[1\]\.credentials: ark needs api_key; there are none \(gateway\.yaml:4:5\)$/),
      expect.stringMatching(/^accounts\[1\]\.settings\.foo: unknown setting; ark knows none \(gateway\.yaml:4:50\)$/),
      expect.stringMatching(/^models\[0\]\.kind: .*chat.* \(did you mean chat\?\) \(gateway\.yaml:7:5\)$/),
      'models[1].price: n has no price: add price: { input: …, output: … } with US dollars, or price: free where it costs nothing (gateway.yaml:9:5)',
      expect.stringMatching(
        /^models\[1\]\.offers\[0\]\.account: there is no account 'nobody'.*\(gateway\.yaml:11:16\)$/,
      ),
    ]);
  });

  it('an unset variable by its name, and nothing else about its place', () => {
    const yaml = `keys: [{ name: a, key: '\${TEAM_A_KEY}' }, { name: b, key: '\${TEAM_A_KEY}' }]`;
    expect(faultsOf(yaml)).toEqual([
      'keys[0].key: the environment variable TEAM_A_KEY is not set (gateway.yaml:1:19)',
      'keys[1].key: the environment variable TEAM_A_KEY is not set (gateway.yaml:1:54)',
    ]);
    expect(
      faultsOf(yaml.replace("TEAM_A_KEY}' }]", "TEAM_B_KEY}' }]"), {
        TEAM_A_KEY: 'k'.repeat(20),
        TEAM_B_KEY: 'j'.repeat(20),
      }),
    ).toEqual([]);
  });

  it('a credential whose variable is unset turns the account off; that is no fault', () => {
    const config = read(ONE_MODEL.replace("'0123456789'", "'${UP_KEY}'"));
    expect(config.accounts).toMatchObject([{ name: 'up', on: false }]);
    const vertex = withAccount(
      "vendor: veo, wire: vertex, credentials: { client_email: a, private_key: b }, settings: { project: '${NO_PROJECT:-}' }",
      'kind: video, body: image-urls',
      'model: veo-3.1-generate-001',
    );
    expect(read(vertex).accounts).toMatchObject([{ on: false }]);
    expect(read(vertex, { NO_PROJECT: 'p' }).accounts).toMatchObject([{ on: true }]);
  });

  it('a key of an owner that the file does not have, a limit that is none', () => {
    const yaml = [
      'owners: [{ name: research, credit_limit: 20 }, { name: research }, { name: sales, credit_limit: lots }]',
      "keys: [{ name: a, key: '0123456789abcdef', owner: reserch }, { name: b, key: '123456789abcdef0', owner: 7 }]",
    ].join('\n');
    expect(faultsOf(yaml)).toEqual([
      "owners[1].name: 'research' is there twice (gateway.yaml:1:50)",
      'owners[2].credit_limit: expected US dollars that may be owed, 0 for prepaid, or none for no limit (gateway.yaml:1:83)',
      expect.stringMatching(/^keys\[0\]\.owner: owners has no 'reserch' \(did you mean research\?\); of an owner/),
    ]);
  });

  it('an owner whose name is a number, which a key could not tell from the number of an owner', () => {
    expect(faultsOf("owners: [{ name: '42' }]")).toEqual([
      expect.stringMatching(/^owners\[0\]\.name: a name that is a number cannot be told from the number of an owner/),
    ]);
  });

  it('text that is no YAML, with its line', () => {
    expect(faultsOf('server:\n  port: [1')[0]).toMatch(/gateway\.yaml:2:11/);
  });

  it('what is there twice, at the file’s own row', () => {
    expect(faultsOf(`accounts:\n  - { id: 3, name: mine, vendor: openai, ${KEY} }`)).toEqual([
      "accounts[0].id: '3' is there twice: the account 'gemini' of the built-in catalogue has it too; leave the id out, or write extends: none in a file that is a whole catalogue of its own (gateway.yaml:2:7)",
    ]);
    expect(faultsOf(ONE_MODEL.replace('models:', `  - { id: 2, name: up, vendor: ark, ${KEY} }\nmodels:`))[0]).toMatch(
      /^accounts\[1\]\.name: 'up' is there twice/,
    );
  });

  it('an account that takes a built-in one’s place must serve its rows', () => {
    expect(faultsOf(`accounts:\n  - { id: 3, name: gemini, vendor: kling, credentials: { api_key: k } }`)[0]).toMatch(
      /^models\[\d+\]\.offers\[0\]\.account: kling serves no chat models; it serves video \(the built-in catalogue:/,
    );
  });
});

describe('warnings', () => {
  const warningsOf = (yaml: string): readonly string[] => read(yaml).warnings.map(told);

  it('a key for no model, an account for no row', () => {
    expect(
      warningsOf(
        [
          'groups: { partners: { factor: 2 } }',
          'keys:',
          "  - { name: a, key: '0123456789abcdef', models: ['gpt-*', m, 'mm'], group: partnrs }",
          'accounts:',
          `  - { id: 1, name: up, vendor: openai, ${KEY} }`,
          `  - { id: 2, name: idle, vendor: ark, ${KEY} }`,
          'models:',
          '  - { code: m, kind: chat, price: free, offers: [{ account: up, model: m, dialect: openai-chat }] }',
          'extends: none',
        ].join('\n'),
      ),
    ).toEqual([
      "keys[0].models[0]: 'gpt-*' fits no model of the catalogue (gateway.yaml:3:50)",
      "keys[0].models[2]: there is no model 'mm' (did you mean m?) (gateway.yaml:3:62)",
      "keys[0].group: there is no group 'partnrs', so its factor is 1 (did you mean partners?) (gateway.yaml:3:69)",
      'accounts[1]: no row uses the account idle (gateway.yaml:6:5)',
    ]);
  });

  it('warns of a route for a group that nobody is known to be of', () => {
    const model = (code: string, more = ''): string =>
      `  - { code: ${code}, kind: chat, price: { input: 1, output: 1 }, limits: { max_input_tokens: 10, max_output_tokens: 5 }, offers: [{ account: up, model: m, dialect: openai-chat }]${more} }`;
    const file = [
      'keys:',
      "  - { name: a, key: '0123456789abcdef', group: partners }",
      'accounts:',
      `  - { id: 1, name: up, vendor: openai, ${KEY} }`,
      'models:',
      model('m'),
      model('r', ', routes: [{ model: m, when: { groups: [partners, default, partnrs] } }]'),
      'extends: none',
    ].join('\n');
    expect(warningsOf(file).map((text) => text.replace(/ \(gateway.*/, ''))).toEqual([
      "models[1].routes[0].when.groups[2]: no declared key is of the group 'partnrs', and groups does not name it; only keys that were made otherwise can be (did you mean partners?)",
    ]);
  });

  it('a share of a budget that refuses at the limit', () => {
    const budget = (name: string, more: string): string =>
      `  - { name: ${name}, scope: key, window: day, limit: 1${more} }`;
    const file = [
      'budgets:',
      budget('a', ', alert_at: [0.5, 1.5, 2]'),
      budget('b', ', action: alert, alert_at: [1.5]'),
      budget('c', ', action: refuse, alert_at: [1]'),
      budget('d', ''),
    ];
    expect(warningsOf(file.join('\n'))).toEqual([
      'budgets[0].alert_at: spending does not reach 1.5, 2 of the limit, because requests beyond it are refused; use shares up to 1, or action: alert (gateway.yaml:2:51)',
    ]);
  });

  it.each(['{ input: 0, output: 0 }', '{ image: 0.1 }'])('a price of %s is one', (price) => {
    expect(warningsOf(ONE_MODEL.replace('{ input: 1 }', price))).toEqual([]);
  });
});
