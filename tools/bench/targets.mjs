// What is measured: the floor, and gateways started by the command of their own `npm start`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startArguments, startFlags } from '../npm-start.mjs';
import { startProcess } from './processes.mjs';

export const KEY = 'sk-bench-0123456789abcdef0123456789';
/** Its requests count against three budgets and the cap of their run, which are never reached. */
export const CAPPED_KEY = 'sk-bench-capped-0123456789abcdef01234';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LISTENS = /listens on http:\/\/127\.0\.0\.1:(\d+)/;

const CAPS = `  - { name: capped, key: ${CAPPED_KEY}, owner: team, limits: { requests_per_minute: 100000000, tokens_per_minute: 1000000000000, spend_total: 1000000, spend_per_run: 1000000 } }
owners: [{ name: team, organization: harbour, credit_limit: none }]
budgets:
  - { name: harbour, scope: organization, values: [harbour], window: month, limit: 1000000 }
  - { name: team, scope: owner, values: [team], window: week, limit: 1000000 }
  - { name: each, scope: user, each: true, window: day, limit: 1000000 }
`;

/** One upstream in four wire formats; limits that are counted and never reached. */
function catalogue({ folder, upstreamPort, root, realtimePort, isCapped }) {
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  // A checkout from before files extended the built-in catalogue refuses the word, and means the same without it.
  const alone = existsSync(join(root, 'apps/gateway/src/config/layers.ts')) ? 'extends: none\n' : '';
  // One from before there were embeddings would refuse the row.
  const vectors = existsSync(join(root, 'libs/core/src/kinds/embedding'))
    ? '  - { code: bench-vectors, kind: embedding, offers: [{ account: same, model: bench-vectors }], price: { input: 1 } }\n'
    : '';
  // Clouds with wires of their own, likewise.
  const [clouds, cloudModels] = existsSync(join(root, 'libs/providers/bedrock'))
    ? [
        `  - { id: 4, name: bedrock, vendor: bedrock, base_url: "${upstream}", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }
  - { id: 5, name: vertex, vendor: vertex, base_url: "${upstream}", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }
`,
        `  - { code: bench-bedrock, kind: chat, limits: { max_output_tokens: 1000 }, offers: [{ account: bedrock, model: bench-model, dialect: anthropic-messages, quirks: { thinking: none } }], price: { input: 1, output: 2 } }
  - { code: bench-vertex, kind: chat, limits: { max_output_tokens: 1000 }, offers: [{ account: vertex, model: bench-model, dialect: gemini-generate }], price: { input: 1, output: 2 } }
`,
      ]
    : ['', ''];
  // A vendor of its own, for sessions alone.
  const [talker, talk] =
    realtimePort === undefined
      ? ['', '']
      : [
          `  - { id: 3, name: talker, vendor: openai, base_url: "http://127.0.0.1:${realtimePort}/v1", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }\n`,
          '  - { code: bench-talk, kind: realtime, offers: [{ account: talker, model: bench-talk }], price: { input: 1, output: 2 } }\n',
        ];
  return `${alone}server: { port: 0, drain_seconds: 1 }
database: { url: "sqlite:${folder}/gateway.db" }
twin: { enabled: false }
files: { folder: "${folder}/files" }
keys:
  - { name: bench, key: ${KEY}, limits: { requests_per_minute: 100000000, tokens_per_minute: 1000000000000, spend_total: 1000000 } }
${isCapped ? CAPS : ''}accounts:
  - { id: 1, name: same, vendor: openai, base_url: "${upstream}/v1", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }
  - { id: 2, name: other, vendor: anthropic, base_url: "${upstream}", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }
${clouds}${talker}models:
  - { code: bench-model, kind: chat, limits: { max_output_tokens: 1000 }, offers: [{ account: same, model: bench-model, dialect: openai-chat }], price: { input: 1, output: 2 } }
  - { code: bench-translated, kind: chat, limits: { max_output_tokens: 1000 }, offers: [{ account: other, model: bench-model, dialect: anthropic-messages }], price: { input: 1, output: 2 } }
${cloudModels}${vectors}${talk}`;
}

/** The built-in catalogue with the vendor twin: what `npm start` is with nothing set, but for where it keeps its data. */
function asInstalled(folder) {
  return `server: { port: 0 }
database: { url: "sqlite:${folder}/gateway.db" }
files: { folder: "${folder}/data/files" }
`;
}

/** node:http in, undici out. */
export function startFloor({ folder, upstreamPort }) {
  return startProcess({
    name: 'floor',
    command: [
      process.execPath,
      fileURLToPath(new URL('./floor.mjs', import.meta.url)),
      `http://127.0.0.1:${upstreamPort}`,
    ],
    log: join(folder, 'floor.log'),
    ready: LISTENS,
  });
}

/** Nothing of the shell's own configuration. */
const environmentOf = (file) => ({
  GATEWAY_CONFIG: file,
  DATABASE_URL: '',
  REDIS_URL: '',
  PORT: '',
  HOST: '',
  LOG_LEVEL: '',
  GATEWAY_ADMIN_KEY: '',
});

let started = 0;

/**
 * Runs what `npm start` runs in the checkout `root`, without npm between: its logger, its configuration path, its Node.
 * `withTwin`: the built-in catalogue instead of the bench's. `workers`: so many processes under a primary. `realtimePort`: where a vendor of
 * realtime sessions listens. `isCapped`: with budgets, and a key whose requests count in them.
 */
export function startGateway({
  name,
  root,
  folder,
  upstreamPort,
  withTwin = false,
  workers,
  realtimePort,
  isCapped = false,
  profile,
}) {
  const own = join(folder, `gateway-${++started}`);
  mkdirSync(own);
  const file = join(own, 'gateway.yaml');
  const text = withTwin ? asInstalled(own) : catalogue({ folder: own, upstreamPort, root, realtimePort, isCapped });
  writeFileSync(file, workers === undefined ? text : text.replace('server: { ', `server: { workers: ${workers}, `));
  return startProcess({
    name,
    // The Node that npm finds first.
    command: [join(root, 'node_modules/.bin/node'), ...startArguments(root)],
    cwd: root,
    env: environmentOf(file),
    log: join(own, 'gateway.log'),
    ready: LISTENS,
    profile,
    // A gateway takes no more workers than it has cores.
    ...(workers !== undefined && { cores: `0-${workers - 1}` }),
  });
}

/** Runs the sources, never the bundle, with an inspector, whose address is the result's `inspector`. */
export async function startSources({ name, folder, upstreamPort, realtimePort }) {
  mkdirSync(folder);
  const file = join(folder, 'gateway.yaml');
  const log = join(folder, 'gateway.log');
  writeFileSync(file, catalogue({ folder, upstreamPort, root: ROOT, realtimePort }));
  const main = join(ROOT, 'apps/gateway/src/main.ts');
  const command = [process.execPath, ...startFlags(), '--inspect=127.0.0.1:0', main, 'serve'];
  const gateway = await startProcess({ name, command, cwd: ROOT, env: environmentOf(file), log, ready: LISTENS });
  const [inspector] = /ws:\/\/\S+/.exec(readFileSync(log, 'utf8'));
  return { ...gateway, inspector };
}

/** Makes what npm ci makes for `npm start` anew: without it a changed tree runs from its sources, in more memory. Older trees have none. */
export function buildGateway(root) {
  const build = join(root, 'tools/packing/build.mjs');
  if (existsSync(build)) execFileSync(join(root, 'node_modules/.bin/node'), [build], { cwd: root, stdio: 'inherit' });
}
