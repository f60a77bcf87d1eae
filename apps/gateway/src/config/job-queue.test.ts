/** What the file says of the queue of jobs: how it is read, what is a fault, what a reload tells. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { vendors } from '../adapters.ts';
import { buildCatalogue } from './catalogue.ts';
import { configChanges } from './changes.ts';
import { readConfig, type Config } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-job-queue-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(yaml: string): Config {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return readConfig({ GATEWAY_CONFIG: file, ARK_API_KEY: 'an-ark-key-0123456789' });
}
const SET = `
tasks: { queue_seconds: 600 }
groups: { large: { factor: 1, queue_weight: 3 }, other: { factor: 2 } }
accounts: [{ name: ark, max_jobs: 10 }]
`;

it('nothing is bounded, and nobody weighs more, unless somebody says so', () => {
  const config = read('{}');
  const { accounts, groupWeights } = buildCatalogue(config, vendors, undefined);
  expect(accounts.some(({ maxJobs }) => maxJobs !== undefined)).toBe(false);
  expect(groupWeights).toEqual({});
  expect(config.tasks.queueSeconds).toBe(3600);
});

it('a built-in account can be bounded, and so is the twin that answers for it', () => {
  const config = read(SET);
  const twin = () => ({ baseUrl: 'http://127.0.0.1:1', credentials: {} });
  const { accounts, groupWeights } = buildCatalogue(config, vendors, twin);
  const bounded = accounts.filter(({ maxJobs }) => maxJobs !== undefined);
  expect(bounded.map(({ vendor, maxJobs }) => [vendor, maxJobs])).toEqual([
    ['ark', 10],
    ['ark', 10],
    ['ark', 10],
  ]);
  expect(groupWeights).toEqual({ large: 3 });
  expect(config.tasks.queueSeconds).toBe(600);
});

it.each([
  'accounts: [{ name: ark, max_jobs: 0 }]',
  'accounts: [{ name: ark, max_jobs: 1.5 }]',
  'accounts: [{ name: ark, max_jobs: many }]',
  'tasks: { queue_seconds: 0 }',
  'groups: { large: { factor: 1, queue_weight: 0 } }',
  'groups: { large: { factor: 1, queue_weight: 0.5 } }',
])('%s is a fault', (yaml) => {
  expect(() => read(yaml)).toThrow();
});

it('a reload tells what has changed of it, and what needs a restart', () => {
  const changed = SET.replace('max_jobs: 10', 'max_jobs: 12').replace('queue_weight: 3', 'queue_weight: 2');
  expect(configChanges(read(SET), read(changed)).changes).toEqual([
    'group large: queue_weight 3 → 2',
    'account ark: max_jobs 10 → 12',
  ]);
  const patient = SET.replace('queue_seconds: 600', 'queue_seconds: 700');
  expect(configChanges(read(SET), read(patient)).needRestart).toEqual(['tasks.queue_seconds']);
});
