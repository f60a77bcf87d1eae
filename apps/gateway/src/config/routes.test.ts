/** Faults of routes: each with its place and, where there is one, the nearest word. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildCatalogue } from './catalogue.ts';
import { configChanges } from './changes.ts';
import { ConfigError, readConfig } from './config.ts';
import { vendors } from '../adapters.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-routes-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultsOf(yaml: string): readonly string[] {
  writeFileSync(file, yaml);
  try {
    readConfig({ GATEWAY_CONFIG: file });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ path, message, line, column }) => `${line}:${column} ${path}: ${message}`);
  }
}
function routeIn(yaml: string, code: string) {
  writeFileSync(file, yaml);
  return buildCatalogue(readConfig({ GATEWAY_CONFIG: file }), vendors, undefined).models.get(code);
}
const smart = (members: string): string => `models:\n  - { code: smart, ${members} }\n`;

it.each([
  [
    'an unknown model',
    'routes: [{ model: gpt-5-mni }]',
    "2:31 models[0].routes[0].model: there is no model 'gpt-5-mni' (did you mean gpt-5-mini?)",
  ],
  [
    'an unknown fallback',
    'routes: [{ model: gpt-5.2 }], fallbacks: { on_error: [claude-haiku-45] }',
    "2:74 models[0].fallbacks.on_error[0]: there is no model 'claude-haiku-45' (did you mean claude-haiku-4-5?)",
  ],
  ['itself', 'routes: [{ model: smart }]', "2:31 models[0].routes[0].model: it leads back to 'smart': smart → smart"],
  [
    'itself for a fallback',
    'routes: [{ model: gpt-5.2 }], fallbacks: { on_error: [smart] }',
    "2:74 models[0].fallbacks.on_error[0]: 'smart' is this row itself",
  ],
  [
    'a fallback twice',
    'routes: [{ model: gpt-5.2 }], fallbacks: { on_error: [gpt-5-mini, gpt-5-mini] }',
    "2:86 models[0].fallbacks.on_error[1]: 'gpt-5-mini' is there twice",
  ],
  [
    'another kind',
    'routes: [{ model: sora-2 }]',
    "2:31 models[0].routes[0].model: 'sora-2' is of kind video; this row is of kind chat, which it leads to alone",
  ],
  [
    'a star',
    "routes: [{ model: 'gpt*' }]",
    '2:31 models[0].routes[0].model: a route leads to one model: write what the * stands for',
  ],
  [
    'nowhere for some',
    'routes: [{ model: gpt-5.2, when: { groups: [free] } }]',
    '2:20 models[0].routes: requests that fit none of these conditions have nowhere to go; add a route without when',
  ],
  [
    'a price of its own',
    'price: { input: 1 }, routes: [{ model: gpt-5.2 }]',
    '2:20 models[0].price: a row without offers has no price: the model that answers is billed',
  ],
  [
    'an unknown strategy',
    'routes: [{ model: gpt-5.2 }], strategy: wieghted',
    '2:50 models[0].strategy: expected one of weighted, least_busy, lowest_latency, cheapest (did you mean weighted?)',
  ],
  [
    'an unknown cause',
    'routes: [{ model: gpt-5.2 }], fallbacks: { on_eror: [gpt-5-mini] }',
    '2:63 models[0].fallbacks.on_eror: unknown key (did you mean on_error?)',
  ],
  [
    'an unknown condition',
    'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { group: [a] } }]',
    '2:78 models[0].routes[1].when.group: unknown key (did you mean groups?)',
  ],
  [
    'an unknown input',
    'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { inputs: [imag] } }]',
    '2:87 models[0].routes[1].when.inputs[0]: expected one of image, audio, video, document, tools (did you mean image?)',
  ],
  [
    'an input of no size',
    'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { input_tokens: { from: 9, below: 9 } } }]',
    '2:78 models[0].routes[1].when.input_tokens: no input has 9 tokens or more and less than 9',
  ],
  [
    'a time of no length',
    "routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { time: { from: '08:00', until: '08:00' } } }]",
    '2:78 models[0].routes[1].when.time: it begins when it ends; leave from and until out for the whole day',
  ],
  [
    'no time of day',
    "routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { time: { from: '25:00' } } }]",
    '2:86 models[0].routes[1].when.time.from: expected a time of day such as 22:30',
  ],
  [
    'no zone',
    'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { time: { zone: Atlantis } } }]',
    '2:86 models[0].routes[1].when.time.zone: expected a time zone of the IANA’s table such as Europe/Berlin, or UTC',
  ],
  [
    'a region where none is set',
    'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { regions: [eu] } }]',
    '2:78 models[0].routes[1].when.regions: server.region is not set, so no request has a region',
  ],
])('%s', (_name, members, fault) => {
  expect(faultsOf(smart(members))).toEqual([fault]);
});

it('a group that is not declared', () => {
  const yaml = `${smart('routes: [{ model: gpt-5.2 }, { model: gpt-5-mini, when: { groups: [fre] } }]')}groups: { free: { factor: 1 } }\n`;
  expect(faultsOf(yaml)).toEqual([
    "2:87 models[0].routes[1].when.groups[0]: there is no group 'fre' (did you mean free?)",
  ]);
});

it('an unknown default', () => {
  expect(faultsOf('default_model: gpt-5.3\n')).toEqual([
    "1:1 default_model: there is no model 'gpt-5.3' (did you mean gpt-5.2?)",
  ]);
  expect(faultsOf('default_model: sora-2\n')).toEqual([
    "1:1 default_model: 'sora-2' is of kind video; unknown names stand for a chat model",
  ]);
});

it('other kinds keep among themselves, and a comparison of prices where there is one', () => {
  expect(faultsOf('models:\n  - { code: sora-2, fallbacks: { on_error: [gpt-5.2] } }\n')).toEqual([
    "2:45 models[0].fallbacks.on_error[0]: 'gpt-5.2' is of kind chat; this row is of kind video, which it leads to alone",
  ]);
  expect(faultsOf('models:\n  - { code: sora-2, strategy: lowest_latency }\n')).toEqual([
    '2:21 models[0].strategy: lowest_latency goes by the time to an answer, and a model of kind video answers with a task',
  ]);
  const movie = (members: string) => faultsOf(`models:\n  - { code: movie, kind: video, ${members} }\n`);
  expect(movie('routes: [{ model: sora-2 }]')).toEqual([
    expect.stringContaining('models[0].body: a model of kind video needs one of content, input,'),
  ]);
  const when = (input: string) =>
    movie(`body: seconds, routes: [{ model: sora-2 }, { model: doubao-seedance-2-0, when: { inputs: [${input}] } }]`);
  expect(when('image')).toEqual([]);
  expect(when('tools')).toEqual([
    expect.stringContaining('when.inputs[0]: no request for a video model brings tools; there are image, audio, video'),
  ]);
  expect(
    faultsOf(
      'models:\n  - { code: draw, kind: image, body: prompt, routes: [{ model: doubao-seedream-4-5 }, { model: gpt-image-2, priority: 2 }] }\n',
    ),
  ).toEqual([]);
  expect(faultsOf('models:\n  - { code: sora-2, strategy: least_busy }\n')).toEqual([]);
  expect(faultsOf('models:\n  - { code: gpt-5.2, strategy: cheapest }\n')).toEqual([
    '2:22 models[0].strategy: cheapest compares models: the offers of one row have one price; name the models in routes',
  ]);
});

it('affinity beside what it contradicts', () => {
  const gpt = (members: string) => faultsOf(`models:\n  - { code: gpt-5.2, ${members} }\n`);
  expect(gpt('affinity: prefix')).toEqual([]);
  expect(gpt('affinity: prefix, strategy: least_busy')).toEqual([
    '2:22 models[0].affinity: affinity goes by the weights, and strategy: least_busy does not; leave out one of the two',
  ]);
  expect(gpt('affinity: suffix')).toEqual(['2:22 models[0].affinity: expected one of prefix, none']);
  expect(faultsOf('models:\n  - { code: sora-2, affinity: prefix }\n')).toEqual([
    '2:21 models[0].affinity: only vendors of chat models keep prefixes; this one is of kind video',
  ]);
});

it('conversations stay with their account where cached input has a price, unless the row says otherwise', () => {
  const affinityOf = (members: string) =>
    routeIn(`models:\n  - { code: gpt-5.2, price: { input: 1, output: 2${members}\n`, 'gpt-5.2')?.route?.affinity;
  const two =
    'offers: [{ account: openai, model: a, dialect: openai-chat }, { account: openai, model: b, dialect: openai-chat }]';
  const one = 'offers: [{ account: openai, model: a, dialect: openai-chat }]';
  expect(affinityOf(`, cached_input: 0.1 }, ${two} }`)).toBe('prefix');
  expect(affinityOf(` }, ${two} }`)).toBeUndefined();
  expect(affinityOf(`, cached_input: 0.1 }, ${one} }`)).toBeUndefined();
  expect(affinityOf(`, cached_input: 0.1 }, affinity: none, ${two} }`)).toBeUndefined();
  expect(affinityOf(`, cached_input: 0.1 }, strategy: least_busy, ${two} }`)).toBeUndefined();
});

it('hedging where there is nobody else, or where all is billed', () => {
  const gpt = (members: string) => faultsOf(`models:\n  - { code: gpt-5.2, ${members} }\n`);
  expect(gpt('hedge: {}, fallbacks: { on_error: [gpt-5-mini] }')).toEqual([]);
  expect(gpt('hedge: {}')).toEqual([
    '2:22 models[0].hedge: there is nobody to ask beside its one offer; give it another, or routes',
  ]);
  expect(gpt('hedge: { percentile: 100 }, fallbacks: { on_error: [gpt-5-mini] }')).toHaveLength(1);
  expect(faultsOf('models:\n  - { code: sora-2, hedge: {}, fallbacks: { on_error: [grok-imagine-video] } }\n')).toEqual(
    [expect.stringContaining('only chat models hedge')],
  );
  expect(
    routeIn('models:\n  - { code: gpt-5.2, hedge: {}, fallbacks: { on_error: [gpt-5-mini] } }\n', 'gpt-5.2')?.route
      ?.hedge,
  ).toEqual({ quantile: 0.95, budget: 0.1 });
});

it('what only calls to vendors have, of a row that makes none', () => {
  const yaml = smart(
    'routes: [{ model: gpt-5.2 }], headers: { x-a: b }, timeout_seconds: { connect: 1, total: 9 }, body_fields: { top_k: 1 }',
  );
  const message = 'a row without offers asks nobody itself; write it at the models that it leads to';
  expect(faultsOf(yaml).map((fault) => fault.replace(/^\S+ /, ''))).toEqual([
    `models[0].headers: ${message}`,
    `models[0].timeout_seconds.connect: ${message}`,
    `models[0].body_fields: ${message}`,
  ]);
  // A row with offers makes calls.
  expect(
    faultsOf('models:\n  - { code: gpt-5.2, timeout_seconds: { connect: 1, total: 9 }, retries: { attempts: 2 } }\n'),
  ).toEqual([]);
  expect(faultsOf('models:\n  - { code: sora-2, timeout_seconds: { total: 9 } }\n')).toEqual([
    expect.stringContaining('models[0].timeout_seconds.total: only requests to chat models have these deadlines'),
  ]);
});

it('what is read anew is told by name', () => {
  const read = (yaml: string) => {
    writeFileSync(file, yaml);
    return readConfig({ GATEWAY_CONFIG: file });
  };
  const before = read(smart('routes: [{ model: gpt-5.2 }]'));
  const after = read(
    `${smart('routes: [{ model: gpt-5-mini }]')}default_model: smart\nserver: { region: eu }\ngroups: { a: { factor: 1, may_route: false } }\n`,
  );
  expect(configChanges(before, after)).toEqual({
    changes: [
      'server.region none → eu',
      'default_model none → smart',
      'groups that may not route: a',
      'group a is new, with factor 1',
      'model smart: routes',
    ],
    needRestart: [],
  });
});

describe('ways through several rows', () => {
  const chain = (length: number, last: string): string =>
    `models:\n${Array.from({ length }, (_, index) => `  - { code: r${index}, routes: [{ model: ${index === length - 1 ? last : `r${index + 1}`} }] }`).join('\n')}\n`;

  it('a circle is told where it closes, once for each row of it, and not where it is only reached', () => {
    const yaml = chain(3, 'r1');
    expect(faultsOf(yaml)).toEqual([
      "3:28 models[1].routes[0].model: it leads back to 'r1': r1 → r2 → r1",
      "4:28 models[2].routes[0].model: it leads back to 'r2': r2 → r1 → r2",
    ]);
  });

  it('eight rows may be gone through, nine not', () => {
    expect(faultsOf(chain(8, 'gpt-5.2'))).toEqual([]);
    expect(faultsOf(chain(9, 'gpt-5.2'))).toEqual([
      '2:28 models[0].routes[0].model: it leads through more than 8 rows; name a model further on',
    ]);
  });

  it('a hundred rows that all lead to each other are judged in a moment', () => {
    const targets = Array.from({ length: 100 }, (_, index) => `{ model: r${index} }`).join(', ');
    const yaml = `models:\n${Array.from({ length: 100 }, (_, index) => `  - { code: r${index}, routes: [${targets}] }`).join('\n')}`;
    // Of this process alone: what else runs on the machine takes time too.
    const began = process.cpuUsage();
    expect(faultsOf(yaml).length).toBeGreaterThan(1000);
    expect(process.cpuUsage(began).user).toBeLessThan(20_000_000);
  });
});

it('models that fall back to each other are no circle', () => {
  expect(
    faultsOf(
      'models:\n  - { code: gpt-5.2, fallbacks: { on_error: [gpt-5-mini] } }\n  - { code: gpt-5-mini, fallbacks: { on_error: [gpt-5.2] } }\n',
    ),
  ).toEqual([]);
});

it('a condition becomes what requests are tested by', () => {
  const yaml = smart(
    "routes: [{ model: gpt-5.2, weight: 3 }, { model: gpt-5-mini, priority: 2, when: { groups: [free], time: { from: '22:00', days: [sat] } } }, { model: gpt-5-mini, when: {} }]",
  );
  const row = routeIn(yaml, 'smart');
  expect(row).toMatchObject({ kind: 'chat', offers: [], price: {} });
  expect(row?.route).toEqual({
    strategy: 'weighted',
    fallbacks: {},
    targets: [
      { model: 'gpt-5.2', priority: 1, weight: 3 },
      {
        model: 'gpt-5-mini',
        priority: 2,
        weight: 1,
        when: { groups: ['free'], time: { minutes: [1320, 0], days: ['sat'], zone: 'UTC' } },
      },
      { model: 'gpt-5-mini', priority: 1, weight: 1 },
    ],
  });
  expect(routeIn('models: []\n', 'gpt-5.2')?.route).toBeUndefined();
});

it('budgets of models that an account does not have, or never reaches', () => {
  const openai = (budget: string) => faultsOf(`accounts:\n  - { name: openai, budget: ${budget} }\n`);
  expect(
    openai('{ requests_per_minute: 5, models: { gpt-5-mini: { requests_per_minute: 5 } }, learn: false }'),
  ).toEqual([]);
  expect(openai('{ models: { gpt-5-mni: { tokens_per_day: 5 } } }')).toEqual([
    "2:41 accounts[0].budget.models.gpt-5-mni: no row has an offer of openai by this name of the vendor's (did you mean gpt-5-mini?)",
  ]);
  expect(openai('{ tokens_per_minute: 5, models: { gpt-5-mini: { tokens_per_minute: 6 } } }')).toEqual([
    expect.stringContaining('gpt-5-mini.tokens_per_minute: it is more than the 5 of the whole account'),
  ]);
  expect(openai('{ requests_per_minute: 0 }')).toHaveLength(1);
  expect(openai('{ requests_per_minut: 1 }')).toEqual([expect.stringContaining('(did you mean requests_per_minute?)')]);
});
