/** The page of /metrics after real traffic, against the table of the guide. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const GUIDE = new URL('../../../docs/guides/observability.md', import.meta.url);

interface Metric {
  readonly kind: string;
  readonly unit: string;
  readonly labels: readonly string[];
  readonly says: string;
}

let gateway: TestGateway;
let page = '';

beforeAll(async () => {
  gateway = await openTestGateway({
    database: 'postgres',
    pollTasks: false,
    yaml: 'accounts: [{ name: openai, budget: { requests_per_minute: 1000 } }]',
  });
  const post = async (path: string, body: object, more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json', ...more };
    const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await reply.arrayBuffer();
  };
  const chat = (content: string, more: object = {}): Promise<void> =>
    post('/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content }], ...more });
  await chat('Hello');
  await chat('Hello', { stream: true });
  await chat('Hello', { model: 'claude-sonnet-4-5', logit_bias: { 1: 2 }, my_own_field: 1 });
  await chat('[[twin:503*1]] Hello');
  await chat('[[twin:429=7]] Hello', { model: 'gpt-5.2-mini' });
  for (let model = 0; model < 30; model++) await chat('Hello', { model: `nobody-${model}` });
  const messages = [{ role: 'user', content: 'Hello' }];
  await post('/v1/chat/completions', { model: 'gpt-5-mini', messages }, { 'x-gateway-vendors': 'openai' });
  await post('/v1/images/generations', { model: 'gpt-image-2', prompt: 'a house' });
  await post('/v1/videos', { model: 'sora-2', prompt: 'a house', seconds: '4' });
  await gateway.server.tasks.runDue();
  // What the database says is at most two seconds old.
  await fetch(`${gateway.url}/metrics`);
  page = await (await fetch(`${gateway.url}/metrics`)).text();
});
afterAll(() => gateway.close());

it('has every metric of the guide and no other, with its kind, unit and description', () => {
  const shown = shownMetrics(page);
  const told = toldMetrics();
  expect([...shown.keys()].sort()).toEqual([...told.keys()].sort());
  for (const [name, { kind, unit, says }] of told)
    expect([name, shown.get(name)]).toEqual([name, { kind, unit, says }]);
});

it('has no label that the guide does not tell, and none that grows with what callers write', () => {
  const told = toldMetrics();
  for (const { name, labels } of series(page)) {
    if (name === 'target_info') continue;
    const known = told.get(name)?.labels ?? told.get(name.replace(/_(bucket|sum|count)$/, ''))?.labels;
    expect([name, Object.keys(labels).filter((label) => label !== 'le' && known?.includes(label) !== true)]).toEqual([
      name,
      [],
    ]);
  }
  expect(page).not.toContain('nobody-');
  expect(page).not.toContain('my_own_field');
});

it('has the numbers of what was done', () => {
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    series(page)
      .filter(
        (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )
      .reduce((total, { value }) => total + value, 0);
  const chat = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'openai', gen_ai_request_model: 'gpt-5.2' };
  expect(sum('gen_ai_server_request_duration_count', chat)).toBe(3);
  expect(sum('gen_ai_server_time_to_first_token_count', chat)).toBe(1);
  expect(sum('gen_ai_server_time_per_output_token_count', chat)).toBe(1);
  expect(sum('gen_ai_client_token_usage_count', { ...chat, gen_ai_token_type: 'output' })).toBe(2);
  expect(sum('gateway_charged_dollars_total', { mode: 'test', model: 'gpt-5.2' })).toBeGreaterThan(0);
  expect(sum('gateway_charged_dollars_total', { mode: 'live' })).toBe(0);
  expect(sum('gateway_routed_requests_total', { model: 'gpt-5-mini', answered_by: 'gpt-5-mini', by: 'own' })).toBe(1);
  expect(sum('gateway_usage_total', { type: 'images' })).toBe(1);
  expect(sum('gateway_dropped_parameters_total', { parameter: 'logit_bias' })).toBe(1);
  expect(sum('gateway_dropped_parameters_total', { parameter: 'other' })).toBe(1);
  expect(sum('gateway_requests_in_flight')).toBe(1);
  expect(sum('gateway_tasks_open')).toBe(1);
  expect(sum('gateway_leases_open')).toBeGreaterThanOrEqual(0);
  expect(sum('gateway_database_up')).toBe(1);
  expect(sum('gateway_database_connections')).toBeGreaterThan(0);
  expect(sum('gateway_account_capacity')).toBeGreaterThan(0);
  expect(sum('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(sum('nodejs_eventloop_delay_max')).toBeGreaterThan(0);
  expect(sum('gateway_build_info')).toBe(1);
});

/** The guide's own table. */
function toldMetrics(): ReadonlyMap<string, Metric> {
  const rows = readFileSync(GUIDE, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 7 && /^`[a-z0-9_]+`$/.test(cells[1] ?? ''));
  return new Map(
    rows.map(([, name = '', kind = '', unit = '', labels = '', says = '']) => [
      name.replaceAll('`', ''),
      { kind, unit, says, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ]),
  );
}

function shownMetrics(text: string): ReadonlyMap<string, Omit<Metric, 'labels'>> {
  const words = (word: string): Map<string, string> =>
    new Map(
      [...text.matchAll(new RegExp(`^# ${word} (\\w+) (.*)$`, 'gm'))].map(([, name = '', rest = '']) => [name, rest]),
    );
  const units = words('UNIT');
  const descriptions = words('HELP');
  return new Map(
    [...words('TYPE')]
      .filter(([name]) => name !== 'target_info')
      .map(([name, kind]) => [name, { kind, unit: units.get(name) ?? '', says: descriptions.get(name) ?? '' }]),
  );
}

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function series(text: string): readonly Series[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text_ = '']) => [label, text_]),
    ),
    value: Number(value),
  }));
}
