/** The JSON Schema that editors complete a file by, and the page of all settings: they say what the checks say. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { readConfig } from './config.ts';
import { configJsonSchema, listSettings } from './json-schema.ts';
import { SETTINGS } from './settings.ts';
import { settingsPage } from './settings-page.ts';

const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(configJsonSchema());
const faultsOf = (yaml: string): readonly string[] => {
  validate(parse(yaml));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
};
const text = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

describe('the JSON Schema', () => {
  it('finds the built-in catalogue good', () => {
    expect(faultsOf(text('apps/gateway/config/catalogue.yaml'))).toEqual([]);
  });

  it('finds every whole file of the guides good; they name it in their first line', () => {
    const guide = text('docs/guides/configuration.md');
    const files = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(files.length).toBeGreaterThan(0);
    for (const yaml of files) {
      expect(yaml).toMatch(/^# yaml-language-server: \$schema=\S+gateway\.schema\.json\n/);
      expect(faultsOf(yaml)).toEqual([]);
    }
  });

  it.each([
    'server: { port: "${PORT}", body_limit: 64mb, workers: auto }',
    'server: { body_limit: "${LIMIT:-1gb}", body_memory: 100000 }',
    'database: { url: "${DATABASE}" }',
    'keys: [{ name: a, key: "${A}", webhook_secret: "${SECRET}", limits: { spend_total: "${CAP}" } }]',
    'models: [{ code: gpt-5.2, price: { input: 2 } }]',
    'models: [{ code: gpt-5.2, price: free }]',
    'accounts: [{ name: groq, default_price: free }, { name: openai, default_price: { input: 5, output: 15 } }]',
    'twin: { enabled: "${TWIN:-true}" }',
  ])('%s is right', (yaml) => {
    expect(faultsOf(yaml)).toEqual([]);
  });

  it.each([
    ['servr: {}', ' must NOT have additional properties'],
    ['extends: other', '/extends must be equal to one of the allowed values'],
    ['server: { port: eighty }', '/server/port must be integer'],
    ['server: { body_limit: 64 m }', '/server/body_limit must match pattern'],
    ['keys: [{ name: a }]', "/keys/0 must have required property 'key'"],
    ['accounts: [{ vendor: openai }]', "/accounts/0 must have required property 'name'"],
    ['models: [{ code: a, price: { inptu: 1 } }]', '/models/0/price must NOT have additional properties'],
    ['models: [{ code: a, price: nothing }]', '/models/0/price must be equal to one of the allowed values'],
    ['models: [{ code: a, offers: [] }]', '/models/0/offers must NOT have fewer than 1 items'],
  ])('%s is wrong', (yaml, says) => {
    expect(faultsOf(yaml)).toContainEqual(expect.stringContaining(says));
  });
});

describe('the settings', () => {
  it('are all described, and nothing else is', () => {
    const paths = listSettings().map(({ path }) => path);
    expect(listSettings().filter(({ setting }) => setting === undefined)).toEqual([]);
    expect(Object.keys(SETTINGS).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('have the defaults that are told', () => {
    const { server, databaseUrl, durability, twin, tasks, files, logLevel, groupFactors } = readConfig({});
    const told = (path: string): unknown => SETTINGS[path]?.default;
    expect({ host: told('server.host'), port: told('server.port') }).toEqual({ host: server.host, port: server.port });
    expect(told('server.body_limit')).toBe(server.bodyLimit);
    expect(told('server.body_memory')).toBe(server.bodyMemory);
    expect(told('server.drain_delay_seconds')).toBe(server.drainDelaySeconds);
    expect(told('server.drain_seconds')).toBe(server.drainSeconds);
    expect(told('server.unknown_keys_per_minute')).toBe(server.unknownKeysPerMinute);
    expect(told('server.kept_answers')).toBe(server.keptAnswers);
    expect(told('database.url')).toBe(databaseUrl);
    expect(Number(told('durability.above')) * 500_000).toBe(durability.above);
    expect(told('durability.worst_cases')).toBe(durability.worstCases);
    expect(told('twin.video_seconds')).toBe(twin.videoSeconds);
    expect(told('tasks.poll_seconds')).toBe(tasks.pollSeconds);
    expect(told('tasks.deadline_hours')).toBe(tasks.deadlineHours);
    expect(told('files.folder')).toBe(files.folder);
    expect(told('files.keep_hours')).toBe(files.keepHours);
    expect(told('files.kept_pictures')).toBe(files.keptPictures);
    expect(told('files.copy_results')).toBe(files.copyResults);
    expect(told('log.level')).toBe(logLevel);
    expect(told('groups.*.factor')).toBe(groupFactors['default']);
  });

  it('stand on the page with unit and default', () => {
    const page = settingsPage();
    for (const path of Object.keys(SETTINGS)) expect(page).toContain(`| \`${path}\` |`);
    expect(page).toMatch(/`server\.body_limit` .*`64mb`.*\(bytes\)/);
  });
});
