/** What is wrong with guardrails is told with its place. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { configChanges } from './changes.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { faultLine } from './fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-guardrails-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BASE = `extends: none
groups: { support: { factor: 1 } }
accounts: [{ name: up, vendor: openai, credentials: { api_key: '0123456789' } }, { name: film, vendor: veo, credentials: { api_key: '0123456789' } }]
models:
  - { code: gpt-5.2, kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: up, model: m, dialect: openai-chat }] }
  - { code: judge, kind: moderation, price: { input: 0 }, offers: [{ account: up, model: m }] }
  - { code: film, kind: video, body: prompt, price: { second: 1 }, offers: [{ account: film, model: veo-3.1-generate-001 }] }
  - { code: voice, kind: speech, price: { character: 1 }, offers: [{ account: up, model: m }] }
`;
function read(guardrails: string): Config {
  writeFileSync(file, `${BASE}${guardrails}`);
  return readConfig({ GATEWAY_CONFIG: file });
}
function faultsOf(...rows: readonly string[]): readonly string[] {
  try {
    read(`guardrails:\n${rows.map((row) => `  - { ${row} }`).join('\n')}`);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => faultLine(fault).replace(`${folder}/`, ''));
  }
}

describe('faults', () => {
  it.each([
    { row: 'name: a, mode: mask', says: /guardrails\[0\]: it looks for nothing/ },
    { row: 'name: a b, mode: mask, words: [x]', says: /guardrails\[0\]\.name: expected 1 to 64 letters/ },
    { row: 'name: a, mode: block, words: [x]', says: /guardrails\[0\]\.mode/ },
    { row: 'name: a, mode: mask, detect: [mail]', says: /guardrails\[0\]\.detect\[0\]/ },
    { row: 'name: a, mode: mask, on: [reply], words: [x]', says: /guardrails\[0\]\.on\[0\]/ },
    {
      row: "name: a, mode: mask, patterns: [{ name: p, pattern: 'x(?=y)' }]",
      says: /patterns\[0\]\.pattern: the pattern looks ahead or behind .*; write what is to be found itself/,
    },
    {
      row: "name: a, mode: mask, patterns: [{ name: p, pattern: '(a)\\1' }]",
      says: /patterns\[0\]\.pattern: the pattern refers back to a group .*; write out what is repeated/,
    },
    {
      row: "name: a, mode: mask, patterns: [{ name: p, pattern: 'a{1,1001}' }]",
      says: /patterns\[0\]\.pattern: the pattern repeats more than 1000 times.*use smaller repetitions/,
    },
    {
      row: "name: a, mode: mask, patterns: [{ name: p, pattern: '(' }]",
      says: /patterns\[0\]\.pattern: the pattern is no regular expression/,
    },
    {
      row: 'name: a, mode: mask, words: [x], models: [gpt-5.3]',
      says: /models\[0\]: 'gpt-5\.3' fits no model whose requests are looked through \(did you mean gpt-5\.2\?\)/,
    },
    { row: 'name: a, mode: mask, words: [x], models: [film]', says: /models\[0\]: 'film' fits no model whose/ },
    {
      row: 'name: a, mode: mask, words: [x], hook: { url: "http://a.example" }',
      says: /guardrails\[0\]: a guardrail with a hook or a moderation has nothing else to look for/,
    },
    {
      row: 'name: a, mode: mask, hook: { url: "http://a.example" }, moderation: { model: judge }',
      says: /guardrails\[0\]: a guardrail with a hook or a moderation has nothing else/,
    },
    {
      row: 'name: a, mode: mask, hook: { url: "ftp://a.example" }',
      says: /hook\.url: expected an address that begins with https:\/\/ or http:\/\//,
    },
    {
      row: 'name: a, mode: mask, hook: { url: "https://me:0123456789@a.example" }',
      says: /hook\.url: it carries a user name or a password; say them in headers/,
    },
    { row: 'name: a, mode: mask, hook: { url: "http://a.example", timeout_ms: 5 }', says: /hook\.timeout_ms: .*10/ },
    { row: 'name: a, mode: mask, hook: { url: "http://a.example", on_error: pass }', says: /hook\.on_error: .*allow/ },
    { row: 'name: a, mode: mask, hook: { url: "http://a.example", window: 5 }', says: /hook\.window: .*100/ },
    {
      row: 'name: a, mode: mask, hook: { url: "http://a.example", headers: { "a b": c } }',
      says: /hook\.headers\.a b: is no name of a header/,
    },
    {
      row: 'name: a, mode: mask, hook: { url: "http://a.example", headers: { a: "b\\nc: d" } }',
      says: /hook\.headers\.a: expected printable ASCII/,
    },
    {
      row: 'name: a, mode: mask, moderation: { model: juge }',
      says: /moderation\.model: there is no model 'juge' \(did you mean judge\?\)/,
    },
    { row: 'name: a, mode: mask, moderation: { model: voice }', says: /model: 'voice' is no moderation model/ },
    {
      row: 'name: a, mode: mask, moderation: { model: judge, thresholds: { violence: 2 } }',
      says: /moderation\.thresholds\.violence/,
    },
    {
      row: 'name: a, mode: mask, moderation: { model: judge, categories: [hate], thresholds: { violence: 0.5 } }',
      says: /moderation\.thresholds\.violence: 'violence' is not among the categories/,
    },
    {
      row: 'name: a, mode: mask, words: [x], groups: [suport]',
      says: /groups\[0\]: there is no group 'suport' \(did you mean support\?\)/,
    },
    { row: 'name: a, mode: mask, words: [x], on_failure: open', says: /guardrails\[0\].*on_failure/ },
  ])('$row', ({ row, says }) => {
    expect(faultsOf(row)).toEqual([expect.stringMatching(says)]);
  });

  it('the same name twice', () => {
    const row = 'name: a, mode: mask, words: [x]';
    expect(faultsOf(row, row)).toEqual([expect.stringMatching(/guardrails\[1\]\.name: 'a' is there twice/)]);
  });

  it('none in a good one', () => {
    expect(
      faultsOf("name: a, mode: mask, words: [x], models: ['gpt-*'], groups: [default, support], keys: ['*']"),
    ).toEqual([]);
  });
});

it('what the guide shows is taken', () => {
  const guide = readFileSync(fileURLToPath(new URL('../../../../docs/guides/guardrails.md', import.meta.url)), 'utf8');
  const sample = /```yaml\n([\s\S]+?)```/.exec(guide)?.[1] ?? '';
  const { guardrails } = read(sample.replace("'claude-*', ", ''));
  expect(guardrails.map(({ name, mode, stages }) => [name, mode, stages.join()])).toEqual([
    ['no-keys', 'refuse', 'request'],
    ['personal', 'mask', 'request,answer'],
    ['tickets', 'observe', 'request,answer'],
  ]);
});

it('a change takes effect at once and is told', () => {
  const before = read('guardrails: [{ name: a, mode: mask, words: [x] }]');
  const after = read('guardrails: [{ name: a, mode: refuse, words: [x] }, { name: b, mode: mask, words: [x] }]');
  expect(configChanges(before, after)).toEqual({
    changes: ['guardrail a: mode', 'guardrail b is new'],
    needRestart: [],
  });
});
