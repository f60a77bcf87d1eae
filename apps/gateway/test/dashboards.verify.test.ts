/** Dashboards and alert rules ask only for what the gateway says: against a live page, and in a real Prometheus where there is one. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parser } from '@prometheus-io/lezer-promql';
import { freePort, openTestGateway, type TestGateway } from '@model-gateway/testing';
import { parse } from 'yaml';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const GUIDE = readFileSync(new URL('../../../docs/guides/observability.md', import.meta.url), 'utf8');
const DASHBOARDS = join(DEPLOY, 'grafana/dashboards');
const RULES = join(DEPLOY, 'prometheus/alerts.yml');
/** Prometheus' own, and the two that only a gateway with several workers has. */
const ELSEWHERE = new Map([
  ['up', ['job', 'instance']],
  ['gateway_workers', ['job', 'instance']],
  ['gateway_worker_restarts_total', ['job', 'instance']],
]);
/** What Prometheus adds, and what the page of several workers tells gauges apart by. */
const EVERYWHERE = ['job', 'instance', 'worker', 'le'];

interface Query {
  readonly where: string;
  readonly text: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string; readonly datasource: object }[];
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const dashboards = readdirSync(DASHBOARDS).map((file) => ({
  file,
  board: JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as Dashboard,
}));
const panelQueries: readonly Query[] = dashboards.flatMap(({ file, board }) =>
  board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      where: `${file}: ${title}`,
      text: expr.replaceAll('$__rate_interval', '1m').replaceAll(/"\$\w+"/g, '".*"'),
    })),
  ),
);
const rules = parse(readFileSync(RULES, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const ruleQueries: readonly Query[] = rules.groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => ({ where: alert, text: expr })),
);

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Every metric that a query reads, with the labels it asks for. Throws for what is no PromQL. */
function selectorsOf({ where, text }: Query): readonly Selector[] {
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const written = text.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`${where}: ${text} is no PromQL near '${text.slice(node.from)}'`);
      if (node.name === 'VectorSelector') found.push({ metric: '', labels: [] });
      const last = found.at(-1);
      if (node.name === 'Identifier' && last?.metric === '') last.metric = written;
      if (node.name === 'LabelName' && node.node.parent?.name === 'UnquotedLabelMatcher') last?.labels.push(written);
    },
  });
  return found;
}

let gateway: TestGateway;
/** Labels by the names of series that the guide promises; the page has them all (metrics-page.test.ts). */
const known = new Map<string, readonly string[]>(ELSEWHERE);
beforeAll(async () => {
  gateway = await openTestGateway();
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  for (const [, name = '', kind = ''] of page.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const row = GUIDE.split('\n').find((line) => line.startsWith(`| \`${name}\``));
    const labels = [...(row?.split('|')[4] ?? '').matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    const names = kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    for (const each of names) known.set(each, labels);
  }
});
afterAll(() => gateway.close());

it.each([...panelQueries, ...ruleQueries])('$where asks for what there is: $text', (query) => {
  for (const { metric, labels } of selectorsOf(query)) {
    expect([...known.keys()]).toContain(metric);
    const there = [...(known.get(metric) ?? []), ...EVERYWHERE];
    expect(labels.filter((label) => !there.includes(label))).toEqual([]);
  }
});

it('variables of dashboards are filled from what there is', () => {
  for (const { board } of dashboards) {
    for (const { query } of board.templating.list) {
      const text = typeof query === 'object' ? (query as { query: string }).query : '';
      const [, metric, label = ''] = /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/.exec(text) ?? [];
      if (text === '') continue;
      expect([...(known.get(metric ?? '') ?? []), ...EVERYWHERE]).toContain(label);
    }
  }
});

it('dashboards are as Grafana takes them', () => {
  expect(dashboards.map(({ board }) => board.uid).sort()).toEqual(['model-gateway-money', 'model-gateway-service']);
  for (const { board } of dashboards) {
    const ids = board.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(board.schemaVersion).toBeGreaterThanOrEqual(39);
    const places = board.panels.map(({ gridPos: { x, y, w, h } }) => ({ x, y, right: x + w, bottom: y + h }));
    for (const [at, one] of places.entries()) {
      expect(one.right).toBeLessThanOrEqual(24);
      const over = places
        .slice(at + 1)
        .filter(({ x, y, right, bottom }) => x < one.right && one.x < right && y < one.bottom && one.y < bottom);
      expect(over).toEqual([]);
    }
    for (const { type, targets } of board.panels) {
      expect(['row', 'stat', 'timeseries']).toContain(type);
      for (const target of targets ?? [])
        expect(target.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    }
  }
});

/** Debian's package `prometheus` has both; PROMETHEUS_BIN names a folder that has them. */
function program(name: string): string | undefined {
  const { PROMETHEUS_BIN = '', PATH = '' } = process.env;
  return [PROMETHEUS_BIN, ...PATH.split(delimiter)]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
const prometheus = program('prometheus');
const promtool = program('promtool');

(promtool === undefined ? describe.skip : describe)('with promtool', () => {
  it('rules are right, and their tests pass', () => {
    const said = execFileSync(promtool ?? '', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect(said).toContain('SUCCESS');
    execFileSync(promtool ?? '', ['test', 'rules', RULES.replace('.yml', '.test.yml')], { stdio: 'pipe' });
  });

  it('the page is as Prometheus reads it', async () => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    // Its advice on names (exit code 3) is not taken: some are OpenTelemetry's.
    const said = spawn(promtool ?? '', ['check', 'metrics'], { stdio: ['pipe', 'ignore', 'ignore'] });
    said.stdin.end(page);
    const [code] = (await once(said, 'exit')) as [number];
    expect([0, 3]).toContain(code);
  });
});

(prometheus === undefined ? describe.skip : describe)('in a real Prometheus', () => {
  it('every panel and every rule is answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-gateway-prometheus-'));
    const chat = (content: string): Promise<Response> =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content }], stream: true }),
      });
    const port = await freePort();
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${RULES}']
scrape_configs: [{ job_name: model-gateway, static_configs: [{ targets: ['${new URL(gateway.url).host}'] }] }]
`,
    );
    const child = spawn(
      prometheus ?? '',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const ask = async (path: string): Promise<{ status: string; data: never } | undefined> => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
      return reply === undefined || reply.status === 503
        ? undefined
        : ((await reply.json()) as { status: string; data: never });
    };
    const query = async (text: string): Promise<readonly unknown[]> => {
      const reply = await ask(`query?query=${encodeURIComponent(text)}`);
      if (reply !== undefined && reply.status !== 'success') throw new Error(`${text}: ${JSON.stringify(reply)}`);
      return (reply?.data as { result: readonly unknown[] } | undefined)?.result ?? [];
    };
    try {
      const isCounted = 'sum(rate(gen_ai_server_time_to_first_token_count[1m])) > 0';
      while ((await query(isCounted)).length === 0) await (await chat('Hello')).arrayBuffer();
      const empty: string[] = [];
      for (const { where, text } of panelQueries) if ((await query(text)).length === 0) empty.push(where);
      // What needs a fault, a task, workers, PostgreSQL or an export has nothing to show here.
      expect(
        empty.filter((where) =>
          /^service.json: (Requests|Answers|Time to the (first|end)|Attempts|Memory|Delay)/.test(where),
        ),
      ).toEqual([]);
      expect(
        empty.filter((where) =>
          /^money.json: (In the last hour|Dollars per hour|Tokens per second|Open leases)/.test(where),
        ),
      ).toEqual([]);
      let states: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[] = [];
      do {
        const reply = (await ask('rules')) as unknown as { data: { groups: { rules: typeof states }[] } };
        states = reply.data.groups.flatMap((group) => group.rules);
      } while (states.some(({ health }) => health === 'unknown'));
      expect(states.filter(({ health }) => health !== 'ok')).toEqual([]);
      expect(states).toHaveLength(ruleQueries.length);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
