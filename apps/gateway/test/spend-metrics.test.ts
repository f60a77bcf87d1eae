/** Metrics of spend through sockets: on the page and by OTLP, as the configuration says, and bounded against callers. */
import { afterEach, expect, it } from 'vitest';
import { openTestGateway, startOtlpReceiver, type TestGateway, type TestGatewayOptions } from '@model-gateway/testing';
import { readConfig } from '../src/config/config.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function opened(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await openTestGateway(options);
  open.push(gateway);
  return gateway;
}

async function chat({ url, liveKey }: TestGateway, headers: Readonly<Record<string, string>>): Promise<void> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
}

async function samplesOf({ url }: TestGateway, name: string) {
  const page = await (await fetch(`${url}/metrics`)).text();
  expect(page).toContain(`# TYPE ${name} counter`);
  return [...page.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))].map(([, labels = '', value]) => ({
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, label, text]) => [label, text])),
    value: Number(value),
  }));
}

it('are on the page and go out by OTLP, with no more values than are configured', async () => {
  const collector = await startOtlpReceiver();
  open.push(collector);
  const gateway = await opened({
    yaml: `telemetry: { endpoint: '${collector.url}', metrics_seconds: 0.1, spend: { labels: [project, user], values: 3 } }`,
  });
  for (let at = 0; at < 8; at++)
    await chat(gateway, { 'x-gateway-tags': `project=p-${at},team=t`, 'x-gateway-user': `"u-${at}"` });
  const samples = await samplesOf(gateway, 'gateway_spend_requests_total');
  expect(samples.map(({ labels }) => [labels['project'], labels['mode']])).toEqual([
    ['p-0', 'live'],
    ['p-1', 'live'],
    ['p-2', 'live'],
    ['other', 'live'],
  ]);
  expect(samples.map(({ value }) => value)).toEqual([1, 1, 1, 5]);
  expect(samples.every(({ labels }) => labels['owner'] === undefined && labels['organization'] === undefined)).toBe(
    true,
  );
  const usage = (await (
    await fetch(`${gateway.url}/admin/usage?group_by=project`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    })
  ).json()) as { total: { input_tokens: number; output_tokens: number } };
  const tokens = async (type: string): Promise<number> =>
    (await samplesOf(gateway, 'gateway_spend_tokens_total'))
      .filter(({ labels }) => labels['type'] === type)
      .reduce((sum, { value }) => sum + value, 0);
  expect([await tokens('input'), await tokens('output')]).toEqual([
    usage.total.input_tokens,
    usage.total.output_tokens,
  ]);
  await collector.until(({ metrics }) =>
    metrics.some(({ name, points }) => name === 'gateway_spend_dollars_total' && points === 4),
  );
});

it('name organization, owner and project unless the configuration says otherwise, and no user', async () => {
  const gateway = await opened({
    yaml: 'owners: [{ name: team-blue, organization: acme }]',
    keys: '  - { name: blue, key: sk-live-blue-0123456789abcdef, owner: team-blue }',
  });
  await chat(
    { ...gateway, liveKey: 'sk-live-blue-0123456789abcdef' },
    { 'x-gateway-tags': 'project=search', 'x-gateway-user': 'u-1' },
  );
  expect(await samplesOf(gateway, 'gateway_spend_requests_total')).toEqual([
    {
      labels: {
        ...{ organization: 'acme', owner: expect.stringMatching(/^\d+$/), owner_name: 'team-blue' },
        ...{ project: 'search', mode: 'live' },
      },
      value: 1,
    },
  ]);
});

it('are not counted where no label is configured', async () => {
  const gateway = await opened({ yaml: 'telemetry: { spend: { labels: [] } }' });
  expect(gateway.server.parts.spent).toBeUndefined();
  await chat(gateway, { 'x-gateway-tags': 'project=search' });
  expect(await samplesOf(gateway, 'gateway_spend_requests_total')).toEqual([]);
});

it.each([
  { spend: '{ labels: [team] }', at: 'telemetry.spend.labels' },
  { spend: '{ values: 0 }', at: 'telemetry.spend.values' },
  { spend: '{ values: 501 }', at: 'telemetry.spend.values' },
])('$spend is refused', ({ spend, at }) => {
  const text = `telemetry: { spend: ${spend} }`;
  expect(() => readConfig({ GATEWAY_CONFIG: 'gateway.yaml' }, { text })).toThrow(at);
});
