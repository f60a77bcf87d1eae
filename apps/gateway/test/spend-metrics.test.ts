/** Metrics of spend through sockets: on the page and by OTLP, as the configuration says, and bounded against callers. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import {
  openTestGateway,
  startModernMcpServer,
  startOtlpReceiver,
  until,
  type TestGateway,
  type TestGatewayOptions,
} from '@model-gateway/testing';
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

it('count what the ledger has: also tools of MCP servers, background answers and answers from the cache', async () => {
  const docs = await startModernMcpServer();
  open.push(docs);
  const gateway = await opened({
    env: { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    yaml: `
security: { allow_private: ['${new URL(docs.url).host}'] }
telemetry: { spend: { labels: [project, user] } }
models: [{ code: gpt-5-mini, cache: { ttl_seconds: 600, when: always, share: 0.5 } }]
mcp: { servers: [{ name: docs, url: '${docs.url}', keys: [harness-live], price_per_call: 0.01 }] }`,
  });
  const post = async (project: string, path: string, body: object) => {
    const headers = { 'x-gateway-tags': `project=${project}`, 'x-gateway-user': `user-of-${project}` };
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([200, expect.any(String)]);
    return { cache: reply.headers.get('x-gateway-cache'), id: (JSON.parse(text) as { id: string }).id };
  };
  const asked = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] };
  expect((await post('cached', '/v1/chat/completions', asked)).cache).toBe('miss');
  expect((await post('cached', '/v1/chat/completions', asked)).cache).toBe('hit');
  const tools = [{ type: 'mcp', server_label: 'docs', require_approval: 'never' }];
  const input = 'Please [[twin:tool]] now';
  await post('tool', '/v1/responses', { model: 'gpt-5.2', input, tools });
  const late = await post('late', '/v1/responses', { model: 'gpt-5.2', input: 'Hello', background: true });
  const headers = { authorization: `Bearer ${gateway.liveKey}` };
  await until(async () => {
    const reply = await fetch(`${gateway.url}/v1/responses/${late.id}`, { headers });
    return ((await reply.json()) as { status: string }).status === 'completed';
  });
  const reply = await fetch(`${gateway.url}/admin/usage?group_by=project,user`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const { data } = (await reply.json()) as {
    data: { group: Record<string, string>; charged: number; requests: number; input_tokens: number }[];
  };
  const of = async (name: string, type?: string) =>
    new Map(
      (await samplesOf(gateway, name))
        .filter(({ labels }) => labels['type'] === type)
        .map(({ labels, value }) => [`${labels['project']} ${labels['user']}`, value]),
    );
  const said = (value: (row: (typeof data)[number]) => number) =>
    new Map(data.map((row) => [`${row.group['project']} ${row.group['user']}`, value(row)]));
  expect([...said(({ requests }) => requests)].toSorted()).toEqual([
    ['cached user-of-cached', 2],
    ['late user-of-late', 1],
    // Two turns of the model, and the tool between them.
    ['tool user-of-tool', 3],
  ]);
  expect(await of('gateway_spend_requests_total')).toEqual(said(({ requests }) => requests));
  expect(await of('gateway_spend_tokens_total', 'input')).toEqual(said((row) => row.input_tokens));
  const units = new Map(
    [...(await of('gateway_spend_dollars_total'))].map(([who, dollars]) => [who, Math.round(dollars * 500_000)]),
  );
  expect(units).toEqual(said(({ charged }) => charged));
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
  { name: 'of the environment', options: { env: { GATEWAY_METRICS_KEY: 'none' } }, counted: 0 },
  { name: 'of the file', options: { server: 'metrics_key: none' }, counted: 0 },
  { name: 'with a limit of values alone', spend: '{ values: 7 }', counted: 0 },
  { name: 'with labels that are asked for', spend: '{ labels: [owner, project] }', counted: 1 },
])('with the metrics key none $name, a page for everybody names nobody unless that is asked for', async (given) => {
  const { options = { server: 'metrics_key: none' }, spend, counted } = given;
  const lines: string[] = [];
  const log = pino({ level: 'info' }, new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) }));
  const gateway = await opened({
    ...options,
    log,
    ...(spend !== undefined && { yaml: `telemetry: { spend: ${spend} }` }),
  });
  await chat(gateway, { 'x-gateway-tags': 'project=search' });
  expect(await samplesOf(gateway, 'gateway_spend_requests_total')).toHaveLength(counted);
  const said = lines.filter((line) => line.includes('telemetry.spend.labels'));
  expect(said).toHaveLength(counted === 0 ? 1 : 0);
});

it.each([
  { spend: '{ labels: [team] }', at: 'telemetry.spend.labels' },
  { spend: '{ values: 0 }', at: 'telemetry.spend.values' },
  { spend: '{ values: 501 }', at: 'telemetry.spend.values' },
])('$spend is refused', ({ spend, at }) => {
  const text = `telemetry: { spend: ${spend} }`;
  expect(() => readConfig({ GATEWAY_CONFIG: 'gateway.yaml' }, { text })).toThrow(at);
});
