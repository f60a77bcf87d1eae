/** Every number and word of routing that is none is a fault with its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-route-faults-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultsOf(yaml: string): readonly string[] {
  writeFileSync(file, yaml);
  try {
    readConfig({ GATEWAY_CONFIG: file });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ path, message, line, column }) => {
      expect([line, column].every((place) => Number(place) > 0)).toBe(true);
      return `${path}: ${message}`;
    });
  }
}

const TO = 'routes: [{ model: gpt-5.2 }, { model: gpt-5-mini }]';
const ROWS: readonly (readonly [string, string])[] = [
  ['retries.attempts', `${TO}, retries: { attempts: 0 }`],
  ['retries.attempts', `${TO}, retries: { attempts: 21 }`],
  ['retries.attempts', `${TO}, retries: { attempts: 1.5 }`],
  ['retries.budget', `${TO}, retries: { budget: 1.1 }`],
  ['retries.budget', `${TO}, retries: { budget: -1 }`],
  ['retries.on[0]', `${TO}, retries: { on: [429] }`],
  ['retries.on[0]', `${TO}, retries: { on: [timeuot] }`],
  ['hedge.percentile', `${TO}, hedge: { percentile: 40 }`],
  ['hedge.percentile', `${TO}, hedge: { percentile: 100 }`],
  ['hedge.budget', `${TO}, hedge: { budget: -0.1 }`],
  ['hedge.budget', `${TO}, hedge: { budget: 2 }`],
  ['hedge.afer', `${TO}, hedge: { afer: 2 }`],
  ['on_break', `${TO}, on_break: contineu`],
  ['affinity', `${TO}, affinity: prefixes`],
  ['strategy', `${TO}, strategy: fastest`],
  ['timeout_seconds.first_token', `${TO}, timeout_seconds: { first_token: 0 }`],
  ['timeout_seconds.total', `${TO}, timeout_seconds: { total: -5 }`],
  ['timeout_seconds.total', `${TO}, timeout_seconds: { total: soon }`],
  ['cache.ttl_seconds', `${TO}, cache: { ttl_seconds: 0 }`],
  ['cache.ttl_seconds', `${TO}, cache: { ttl_seconds: 86401 }`],
  ['cache.share', `${TO}, cache: { ttl_seconds: 5, share: 1.5 }`],
  ['cache.when', `${TO}, cache: { ttl_seconds: 5, when: sometimes }`],
  ['routes', 'routes: []'],
  ['routes[0].weight', 'routes: [{ model: gpt-5.2, weight: 0 }]'],
  ['routes[0].priority', 'routes: [{ model: gpt-5.2, priority: first }]'],
  ['fallbacks.on_error', `${TO}, fallbacks: { on_error: [] }`],
  ['routes[0].when.tags.team', `routes: [{ model: gpt-5.2, when: { tags: { team: [] } } }, { model: gpt-5-mini }]`],
  ['routes[0].when.keys', `routes: [{ model: gpt-5.2, when: { keys: [] } }, { model: gpt-5-mini }]`],
  [
    'routes[0].when.input_tokens.below',
    `routes: [{ model: gpt-5.2, when: { input_tokens: { below: 0 } } }, { model: gpt-5-mini }]`,
  ],
  [
    'routes[0].when.time.days[0]',
    `routes: [{ model: gpt-5.2, when: { time: { days: [sunday] } } }, { model: gpt-5-mini }]`,
  ],
];
// All at once, as they are reported: a file is read in a third of a second.
const all = faultsOf(`models:\n${ROWS.map(([, members], at) => `  - { code: smart-${at}, ${members} }\n`).join('')}`);
it.each(ROWS.map(([place, members], at) => ({ place, members, at })))('$members', ({ place, at }) => {
  const own = all.filter((fault) => fault.startsWith(`models[${at}].`));
  expect(own).toHaveLength(1);
  expect(own[0]?.startsWith(`models[${at}].${place}: `)).toBe(true);
});

const ACCOUNTS: readonly (readonly [string, string])[] = [
  ['max_jobs', 'max_jobs: 0'],
  ['budget.tokens_per_minute', 'budget: { tokens_per_minute: 0 }'],
  ['budget.dollars_per_day', 'budget: { dollars_per_day: -1 }'],
  ['budget.learn', 'budget: { learn: maybe }'],
];
it('members of an account', () => {
  const names = ['openai', 'anthropic', 'gemini', 'dashscope'];
  const faults = faultsOf(
    `accounts:\n${ACCOUNTS.map(([, members], at) => `  - { name: ${names[at]}, ${members} }\n`).join('')}`,
  );
  expect(faults.map((fault) => fault.split(': ')[0])).toEqual(
    ACCOUNTS.map(([place], at) => `accounts[${at}].${place}`),
  );
});

it.each([
  [
    'a video that is continued',
    '{ code: sora-2, on_break: continue, fallbacks: { on_error: [grok-imagine-video] } }',
    'on_break',
  ],
  ['a stream that nobody can go on with', '{ code: gpt-5.2, on_break: continue }', 'on_break'],
])('%s', (_, row, place) => {
  expect(faultsOf(`models:\n  - ${row}\n`)).toEqual([expect.stringContaining(`models[0].${place}: `)]);
});
