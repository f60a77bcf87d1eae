/** The chart as a cluster would get it. It is rendered by helm where there is one: $HELM, or in PATH, or `go install helm.sh/helm/v3/cmd/helm@v3.19.0`. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '@model-gateway/gateway';
import { node, readJson, ROOT } from '../publishing/sandbox.ts';
import { SmallCluster, type Manifest } from './small-cluster.ts';

const CHART = join(ROOT, 'deploy/helm/model-gateway');
const helm = [process.env['HELM'] ?? '', 'helm', join(homedir(), 'go/bin/helm')].find(
  (command) => command !== '' && spawnSync(command, ['version']).status === 0,
);
const MANIFESTS = join(ROOT, 'dist/manifests');
const DATABASE = ['--set', 'database.existingSecret=db'];
const EVERYTHING = [
  ...DATABASE,
  ...[
    'redis.existingSecret=counts',
    'adminKey.existingSecret=admin',
    'metricsKey.existingSecret=metrics',
    'encryptionKey.existingSecret=encryption',
    'vendorSecrets={openai,anthropic}',
  ].flatMap((value) => ['--set', value]),
  ...[
    'config.server.drain_seconds=30',
    'files.persistence.enabled=true,files.persistence.storageClassName=shared,files.persistence.annotations.team=ai',
    'ingress.enabled=true,ingress.className=nginx,ingress.hosts={gateway.example.com,*.ai.example.com}',
    'ingress.tls[0].secretName=tls,ingress.tls[0].hosts={gateway.example.com},ingress.annotations.a=b',
    'httpRoute.enabled=true,httpRoute.parentRefs[0].name=public,httpRoute.hostnames={gateway.example.com}',
    'serviceMonitor.enabled=true,serviceMonitor.labels.release=prometheus',
    'prometheusRule.enabled=true,prometheusRule.labels.release=prometheus',
    'env[0].name=LOG_LEVEL,env[0].value=warn',
    'trustedProxies={10.244.0.0/16,fd00::/8}',
  ].flatMap((value) => ['--set', value]),
];

function render(...values: readonly string[]): Manifest[] {
  const args = ['template', 'r', CHART, '--kube-version', '1.31.0', ...values];
  const text = execFileSync(helm ?? '', args, { encoding: 'utf8', stdio: 'pipe' });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

function find(rendered: readonly Manifest[], kind: string): Manifest | undefined {
  return rendered.find((manifest) => manifest.kind === kind);
}

/** A variable that the servers get. */
function variableOf(rendered: readonly Manifest[], variable: string): Variable | undefined {
  const [container] = find(rendered, 'Deployment')?.['spec'].template.spec.containers ?? [];
  return container.env.find(({ name }: Variable) => name === variable);
}

/** The ports that pods may call, in the order of numbers. */
function egressOf(rendered: readonly Manifest[]): number[] {
  const rules = find(rendered, 'NetworkPolicy')?.['spec'].egress as { ports: { port: number }[] }[];
  return rules.flatMap(({ ports }) => ports.map(({ port }) => port)).sort((a, b) => a - b);
}

/** Whose package the schema of an `apiVersion` is in: those of Kubernetes itself, and of what is installed into clusters. */
function schemasOf(apiVersion: string): string {
  if (apiVersion.startsWith('gateway.networking.k8s.io/')) return `@kubernetes-models/gateway-api/${apiVersion}`;
  if (apiVersion.startsWith('monitoring.coreos.com/')) return `@kubernetes-models/prometheus-operator/${apiVersion}`;
  return `kubernetes-models/${apiVersion}`;
}

/** Rejects with what does not fit. The schemas let fields pass that they do not know; as literals of the types those do not compile. */
async function requireShape(rendered: readonly Manifest[]): Promise<void> {
  mkdirSync(MANIFESTS, { recursive: true });
  const checks = rendered.map(
    (manifest, index) =>
      `import { ${manifest.kind} as K${index}, type I${manifest.kind} as T${index} } from '${schemasOf(manifest.apiVersion)}';
const m${index}: T${index} = ${JSON.stringify(manifest)};
new K${index}(m${index}).validate();`,
  );
  const file = join(MANIFESTS, 'manifests.mts');
  writeFileSync(file, checks.join('\n'));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  writeFileSync(join(MANIFESTS, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.mts'] }));
  await node([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', MANIFESTS], ROOT);
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

  it('would not fit with a field misspelt, of Kubernetes or of others', async () => {
    const wrong = (kind: string, spoil: (manifest: Manifest) => void): Manifest => {
      const copy = structuredClone(only(kind));
      spoil(copy);
      return copy;
    };
    const all = [
      wrong('Deployment', ({ spec }) => (spec.template.spec.containers[0].readinesProbe = {})),
      wrong('Ingress', ({ spec }) => (spec.rules[0].http.paths[0].pathtype = 'Prefix')),
      wrong('PersistentVolumeClaim', ({ spec }) => (spec.storageClass = 'fast')),
      wrong('HTTPRoute', ({ spec }) => (spec.rules[0].backendRef = [])),
      wrong('ServiceMonitor', ({ spec }) => (spec.endpoints[0].scrapeinterval = '15s')),
      wrong('PrometheusRule', ({ spec }) => (spec.groups[0].rules[0].anotations = {})),
    ];
    const told = await requireShape(all).then(
      () => '',
      (error: unknown) => String(error),
    );
    for (const word of ['readinesProbe', 'pathtype', 'storageClass', 'backendRef', 'scrapeinterval', 'anotations'])
      expect(told).toContain(`'\"${word}\"' does not exist`);
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
    expect(names).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'GATEWAY_ADMIN_KEY',
      'GATEWAY_ENCRYPTION_KEY',
      'GATEWAY_METRICS_KEY',
    ]);
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
    { name: 'an Ingress for nobody', values: [...DATABASE, '--set', 'ingress.enabled=true'], says: 'hosts' },
    { name: 'a route of no Gateway', values: [...DATABASE, '--set', 'httpRoute.enabled=true'], says: 'parentRefs' },
    {
      name: 'a volume of one node for several replicas',
      values: [...DATABASE, '--set', 'files.persistence.enabled=true,files.persistence.accessModes={ReadWriteOnce}'],
      says: 'replicaCount=1',
    },
    {
      name: 'a ServiceMonitor whose key only the configuration knows',
      values: [...DATABASE, '--set', 'serviceMonitor.enabled=true,config.server.metrics_key=$\\{METRICS\\}'],
      says: 'metricsKey.existingSecret',
    },
  ])('refuses $name', ({ values, says }) => {
    expect(() => render(...values)).toThrow(says);
  });

  it('trusts the proxies that are named, and without any nobody', () => {
    expect(variableOf(manifests, 'GATEWAY_TRUSTED_PROXIES')?.value).toBe('10.244.0.0/16,fd00::/8');
    expect(variableOf(render(...DATABASE), 'GATEWAY_TRUSTED_PROXIES')).toBeUndefined();
    expect(() => render(...DATABASE, '--set', 'trustedProxies={ingress}')).toThrow('trustedProxies');
  });

  it('asks for the metrics key that it makes, and opens the metrics where it is asked to alone', () => {
    const closed = render(...DATABASE);
    const made = { name: 'r-model-gateway-keys', key: 'metrics-key' };
    expect(variableOf(closed, 'GATEWAY_METRICS_KEY')).toEqual({
      name: 'GATEWAY_METRICS_KEY',
      valueFrom: { secretKeyRef: made },
    });
    const annotations = (rendered: readonly Manifest[]): object =>
      find(rendered, 'Deployment')?.['spec'].template.metadata.annotations;
    expect(annotations(closed)).not.toHaveProperty(['prometheus.io/scrape']);

    const opened = render(...DATABASE, '--set', 'metricsOpen=true');
    expect(variableOf(opened, 'GATEWAY_METRICS_KEY')?.value).toBe('none');
    expect(annotations(opened)).toHaveProperty(['prometheus.io/scrape'], 'true');
    expect(find(opened, 'Secret')?.['data']).not.toHaveProperty('metrics-key');
  });

  it('is scraped with that key, as the job that the rules ask for', () => {
    const [own] = [render(...DATABASE, '--set', 'serviceMonitor.enabled=true')];
    expect(find(own, 'ServiceMonitor')?.['spec'].endpoints[0].authorization.credentials).toEqual({
      name: 'r-model-gateway-keys',
      key: 'metrics-key',
    });
    const { spec } = only('ServiceMonitor');
    expect(spec.endpoints[0].authorization.credentials).toEqual({ name: 'metrics', key: 'metrics-key' });
    const labels = only('Service').metadata.labels ?? {};
    expect(labels).toMatchObject(spec.selector.matchLabels);
    expect(only('Service')['spec'].ports[0].name).toBe(spec.endpoints[0].port);
    const rules = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
    expect(new Set([...rules.matchAll(/job="([^"]+)"/g)].map(([, job]) => job))).toEqual(
      new Set([labels[spec.jobLabel]]),
    );
  });

  it('has the rules of deploy/prometheus, every one as it stands there', () => {
    const rules = parse(readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8')) as { groups: unknown };
    expect(only('PrometheusRule')['spec']).toEqual(rules);
  });

  it('leads an Ingress and a route to its Service', () => {
    const { name } = only('Service').metadata;
    const port = only('Service')['spec'].ports[0];
    const ingress = only('Ingress')['spec'];
    expect(ingress.rules.map(({ host }: { host: string }) => host)).toEqual([
      'gateway.example.com',
      '*.ai.example.com',
    ]);
    for (const { http } of ingress.rules)
      expect(http.paths[0].backend.service).toEqual({ name, port: { name: port.name } });
    const [rule] = only('HTTPRoute')['spec'].rules;
    expect(rule.backendRefs).toEqual([{ name, port: port.port }]);
    expect(rule.timeouts).toEqual({ request: '0s', backendRequest: '0s' });
    const bare = render(...EVERYTHING, '--set', 'httpRoute.timeouts=null');
    expect(find(bare, 'HTTPRoute')?.['spec'].rules[0]).not.toHaveProperty('timeouts');
  });

  it('lets pods call the ports of declared addresses, and no others', () => {
    expect(egressOf(render(...DATABASE))).toEqual([53, 53, 80, 443, 4318, 5432, 6379]);
    const config = {
      accounts: [
        { vendor: 'openai-compatible', base_url: 'http://ollama.ai:11434/v1' },
        { vendor: 'openai-compatible', base_url: 'http://[fd00::1]:8000' },
        { vendor: 'openai-compatible', base_url: 'http://user:12345@host/v1' },
        { vendor: 'openai-compatible', base_url: 'https://other.example:443/' },
      ],
      server: { request_seconds: 600 },
      files: { s3: { endpoint: 'http://minio:9000' } },
    };
    const rendered = render(
      ...[...DATABASE, '--set-json', `config=${JSON.stringify(config)}`],
      ...['--set', 'networkPolicy.egressPorts={5433},env[0].name=HTTPS_PROXY,env[0].value=http://proxy:3128'],
    );
    expect(egressOf(rendered)).toEqual([53, 53, 80, 443, 3128, 5433, 8000, 9000, 11434]);
  });

  it('keeps files on a claim of its own, or on the one that is named', () => {
    const volume = (rendered: readonly Manifest[]): unknown =>
      find(rendered, 'Deployment')?.['spec'].template.spec.volumes.find(
        ({ name }: { name: string }) => name === 'data',
      );
    const { metadata, spec } = only('PersistentVolumeClaim');
    expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep', team: 'ai' });
    expect(spec).toMatchObject({ accessModes: ['ReadWriteMany'], storageClassName: 'shared' });
    expect(volume(manifests)).toEqual({ name: 'data', persistentVolumeClaim: { claimName: metadata.name } });
    const named = render(...EVERYTHING, '--set', 'files.existingClaim=mine');
    expect(volume(named)).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'mine' } });
    expect(find(named, 'PersistentVolumeClaim')).toBeUndefined();
    expect(volume(render(...DATABASE))).toEqual({ name: 'data', emptyDir: {} });
  });

  it('stops the one pod before the next where one node has the volume', () => {
    const one = render(
      ...DATABASE,
      ...['--set', 'files.persistence.enabled=true,files.persistence.accessModes={ReadWriteOnce}'],
      ...['--set', 'autoscaling.enabled=false,replicaCount=1'],
    );
    expect(find(one, 'Deployment')?.['spec'].strategy).toEqual({ type: 'Recreate' });
    expect(only('Deployment')['spec'].strategy.type).toBe('RollingUpdate');
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

(helm === undefined ? describe.skip : describe)('installed', () => {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  let cluster: SmallCluster;
  let config: string;
  beforeAll(async () => {
    cluster = new SmallCluster(render(...EVERYTHING, '--set', 'adminKey.existingSecret='));
    config = join(MANIFESTS, 'kubeconfig.yaml');
    mkdirSync(MANIFESTS, { recursive: true });
    writeFileSync(config, await cluster.open());
  });
  afterAll(() => cluster.close());

  const install = async (...values: readonly string[]): Promise<{ secret: Manifest | undefined; notes: string }> => {
    const dry = ['--dry-run=server', '--disable-openapi-validation', '-o', 'json'];
    const args = ['install', 'r', CHART, '--kubeconfig', config, ...dry, ...DATABASE, ...values];
    const { stdout } = await promisify(execFile)(helm ?? '', args, { maxBuffer: 1e8 });
    const { manifest, info } = JSON.parse(stdout) as { manifest: string; info: { notes: string } };
    const manifests = parseAllDocuments(manifest).map((document) => document.toJS() as Manifest);
    return { secret: find(manifests, 'Secret'), notes: info.notes };
  };
  const keysIn = (secret: Manifest | undefined): Record<string, string> =>
    Object.fromEntries(
      Object.entries((secret?.['data'] ?? {}) as Record<string, string>).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]),
    );

  it('makes the keys that no Secret has, as the gateway takes them', async () => {
    const keys = keysIn((await install()).secret);
    expect(Object.keys(keys).sort()).toEqual(['admin-key', 'encryption-key', 'metrics-key']);
    const read = readConfig({
      GATEWAY_ADMIN_KEY: keys['admin-key'],
      GATEWAY_ENCRYPTION_KEY: keys['encryption-key'],
      GATEWAY_METRICS_KEY: keys['metrics-key'],
    });
    expect(read).toMatchObject({ adminKey: keys['admin-key'], encryptionKeys: [keys['encryption-key']] });
    const again = keysIn((await install()).secret);
    for (const [key, value] of Object.entries(keys)) expect(again[key]).not.toBe(value);
  });

  it('keeps what the cluster has, and adds what is missing', async () => {
    const { secret } = await install();
    const { 'metrics-key': _, ...data } = secret?.['data'] as Record<string, string>;
    // As helm leaves it: an upgrade has it, and an install after an uninstall takes it over.
    const ours = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'default' };
    cluster.secret = {
      ...secret!,
      metadata: { ...secret!.metadata, annotations: ours },
      data: { ...data, 'other-key': 'b3RoZXI=' },
    };
    const upgraded = (await install().finally(() => (cluster.secret = undefined))).secret;
    expect(upgraded?.['data']).toEqual({ ...data, 'other-key': 'b3RoZXI=', 'metrics-key': expect.any(String) });
    expect(upgraded?.metadata.annotations).toEqual({
      'helm.sh/resource-policy': 'keep',
      'argocd.argoproj.io/hook': 'Skip',
    });
  });

  it('leaves a key to the configuration that gives it', async () => {
    const { secret } = await install('--set', 'config.security.encryption_key=$\\{KEY\\}');
    expect(Object.keys(keysIn(secret)).sort()).toEqual(['admin-key', 'metrics-key']);
  });

  it('says how it is reached, where the admin key is, and what is missing', async () => {
    const { notes } = await install();
    expect(notes).toContain('port-forward service/r-model-gateway 8080:80');
    expect(notes).toContain(
      `get secret r-model-gateway-keys -o go-template='{{ index .data "admin-key" | base64decode }}'`,
    );
    for (const value of [
      'vendorSecrets',
      'redis.existingSecret',
      'files.persistence',
      'trustedProxies',
      'serviceMonitor',
    ])
      expect(notes).toContain(value);

    const outside = await install(
      ...['--set', 'ingress.enabled=true,ingress.hosts={g.example.com},adminKey.existingSecret=admin,metricsOpen=true'],
      ...['--set', 'redis.existingSecret=r,vendorSecrets={v},trustedProxies={10.0.0.0/8},files.existingClaim=f'],
      ...['--set', 'encryptionKey.existingSecret=e'],
    );
    expect(outside.notes).toContain('The gateway is http://g.example.com.');
    expect(outside.notes).toContain('get secret admin -o');
    expect(outside.notes).toContain('WARNING: metricsOpen');
    expect(outside.notes).not.toMatch(/vendorSecrets|redis|lost|trustedProxies/);
  });
});
