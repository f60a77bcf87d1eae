/** The chart as a cluster would get it. It is rendered by helm where there is one: $HELM, or in PATH, or `go install helm.sh/helm/v3/cmd/helm@v3.19.0`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { node, readJson, ROOT } from '../publishing/sandbox.ts';

const CHART = join(ROOT, 'deploy/helm/model-gateway');
const helm = [process.env['HELM'] ?? '', 'helm', join(homedir(), 'go/bin/helm')].find(
  (command) => command !== '' && spawnSync(command, ['version']).status === 0,
);
const DATABASE = ['--set', 'database.existingSecret=db'];
const EVERYTHING = [
  ...DATABASE,
  ...[
    'redis.existingSecret=counts',
    'adminKey.existingSecret=admin',
    'metricsKey.existingSecret=metrics',
    'vendorSecrets={openai,anthropic}',
  ].flatMap((value) => ['--set', value]),
  ...[
    'config.server.drain_seconds=30',
    'files.existingClaim=files',
    'env[0].name=LOG_LEVEL,env[0].value=warn',
    'trustedProxies={10.244.0.0/16,fd00::/8}',
  ].flatMap((value) => ['--set', value]),
];

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // The check of shape is that of Kubernetes' own schemas below.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [field: string]: any;
}

function render(...values: readonly string[]): Manifest[] {
  const args = ['template', 'r', CHART, '--kube-version', '1.31.0', ...values];
  const text = execFileSync(helm ?? '', args, { encoding: 'utf8', stdio: 'pipe' });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** Of a variable that the servers get, written in the manifest. */
function valueOf(rendered: readonly Manifest[], variable: string): unknown {
  const [container] = rendered.find(({ kind }) => kind === 'Deployment')?.['spec'].template.spec.containers ?? [];
  return container.env.find(({ name }: { name: string }) => name === variable)?.value;
}

/** Rejects with what does not fit. The schemas let fields pass that they do not know; as literals of the types those do not compile. */
async function requireShape(rendered: readonly Manifest[]): Promise<void> {
  const folder = join(ROOT, 'dist/manifests');
  mkdirSync(folder, { recursive: true });
  const checks = rendered.map(
    (manifest, index) =>
      `import { ${manifest.kind} as K${index}, type I${manifest.kind} as T${index} } from 'kubernetes-models/${manifest.apiVersion}';
const m${index}: T${index} = ${JSON.stringify(manifest)};
new K${index}(m${index}).validate();`,
  );
  const file = join(folder, 'manifests.mts');
  writeFileSync(file, checks.join('\n'));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.mts'] }));
  await node([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], ROOT);
  await node([file], ROOT);
}

it('has the version of the gateway', () => {
  const { version } = readJson(join(ROOT, 'apps/gateway/package.json'));
  expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version });
});

(helm === undefined ? describe.skip : describe)('rendered', () => {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  let manifests: Manifest[];
  const only = (kind: string): Manifest => {
    const found = manifests.filter((manifest) => manifest.kind === kind);
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  beforeAll(() => {
    manifests = render(...EVERYTHING);
  });

  it('passes helm lint', () => {
    execFileSync(helm ?? '', ['lint', '--strict', CHART, ...DATABASE], { stdio: 'pipe' });
  });

  it.each([{ values: DATABASE }, { values: EVERYTHING }])(
    'fits the schemas of Kubernetes: $values',
    async ({ values }) => {
      const rendered = render(...values);
      expect(rendered.map(({ kind }) => kind).sort()).toEqual(
        expect.arrayContaining([
          'Deployment',
          'HorizontalPodAutoscaler',
          'Job',
          'NetworkPolicy',
          'PodDisruptionBudget',
          'Service',
          'ServiceAccount',
        ]),
      );
      await requireShape(rendered);
    },
  );

  it('would not fit with a field misspelt', async () => {
    const wrong = structuredClone(only('Deployment'));
    wrong['spec'].template.spec.containers[0].readinesProbe = {};
    await expect(requireShape([wrong])).rejects.toThrow('readinesProbe');
  });

  it('names secrets and holds none', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const [container] = only('Deployment')['spec'].template.spec.containers;
    for (const { name, value } of container.env) {
      if (/KEY|URL|PASSWORD|TOKEN/.test(name)) expect([name, value]).toEqual([name, undefined]);
    }
    const names = container.env
      .filter((each: object) => 'valueFrom' in each)
      .map((each: { name: string }) => each.name);
    expect(names).toEqual(['DATABASE_URL', 'REDIS_URL', 'GATEWAY_ADMIN_KEY', 'GATEWAY_METRICS_KEY']);
  });

  it.each([
    { name: 'no database', values: [], says: 'database.existingSecret' },
    { name: 'an image that moves', values: [...DATABASE, '--set', 'image.tag=latest'], says: 'image' },
    {
      name: 'a secret in a variable',
      values: [...DATABASE, '--set', 'env[0].name=OPENAI_API_KEY,env[0].value=sk-1'],
      says: 'env',
    },
    { name: 'a word it does not know', values: [...DATABASE, '--set', 'replicas=3'], says: 'replicas' },
  ])('refuses $name', ({ values, says }) => {
    expect(() => render(...values)).toThrow(says);
  });

  it('trusts the proxies that are named, and without any nobody', () => {
    expect(valueOf(manifests, 'GATEWAY_TRUSTED_PROXIES')).toBe('10.244.0.0/16,fd00::/8');
    expect(valueOf(render(...DATABASE), 'GATEWAY_TRUSTED_PROXIES')).toBeUndefined();
    expect(() => render(...DATABASE, '--set', 'trustedProxies={ingress}')).toThrow('trustedProxies');
  });

  it('opens the metrics where it is asked to, and nowhere else', () => {
    expect(valueOf(render(...DATABASE), 'GATEWAY_METRICS_KEY')).toBeUndefined();
    const opened = [...DATABASE, '--set', 'metricsOpen=true'];
    expect(valueOf(render(...opened), 'GATEWAY_METRICS_KEY')).toBe('none');
    expect(valueOf(render(...opened, '--set', 'metricsKey.existingSecret=m'), 'GATEWAY_METRICS_KEY')).toBeUndefined();
  });

  it('runs as nobody, on a root that cannot be written', () => {
    for (const kind of ['Deployment', 'Job']) {
      const { spec } = only(kind)['spec'].template;
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const { securityContext } of spec.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('asks each probe what it is for', () => {
    const [container] = only('Deployment')['spec'].template.spec.containers;
    const path = (probe: string): unknown => container[probe].httpGet.path;
    expect([path('startupProbe'), path('livenessProbe'), path('readinessProbe')]).toEqual([
      '/healthz',
      '/healthz',
      '/readyz',
    ]);
  });

  it('migrates before the release, with nothing of the release', () => {
    const { metadata, spec } = only('Job');
    expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(spec.template.spec.containers[0].args).toEqual(['migrate']);
    expect(JSON.stringify(spec)).not.toMatch(/configMap|serviceAccountName|envFrom/);
  });

  it('counts and protects the servers only, not the migration beside them', () => {
    const job = only('Job')['spec'].template.metadata.labels;
    const selects = (labels: Record<string, string>): boolean =>
      Object.entries(labels).every(([label, value]) => job[label] === value);
    expect(selects(only('Deployment')['spec'].selector.matchLabels)).toBe(false);
    expect(selects(only('Service')['spec'].selector)).toBe(false);
    expect(selects(only('PodDisruptionBudget')['spec'].selector.matchLabels)).toBe(false);
    // The database is behind the policy for it, too.
    expect(selects(only('NetworkPolicy')['spec'].podSelector.matchLabels)).toBe(true);
  });

  it('leaves the number of replicas to the autoscaler where there is one', () => {
    expect(only('Deployment')['spec']).not.toHaveProperty('replicas');
    const fixed = render(...DATABASE, '--set', 'autoscaling.enabled=false,replicaCount=3');
    expect(fixed.find(({ kind }) => kind === 'Deployment')?.['spec'].replicas).toBe(3);
    expect(fixed.some(({ kind }) => kind === 'HorizontalPodAutoscaler')).toBe(false);
  });
});
