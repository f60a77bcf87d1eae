/** The gateway as its users start it, `npm start`, with a data folder and a port of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './processes.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_SECONDS = 60;

export const KEY = 'sk-test-clients-0123456789abcdef0123';
/** Keys whose runs end early: by the number of their requests, and by what they cost. */
export const CAPPED_KEYS = {
  requests_per_run: 'sk-test-clients-requests-0123456789ab',
  spend_per_run: 'sk-test-clients-spend-0123456789abcdef',
};
/** Requests that a run with the first of these keys may make. */
const REQUESTS_PER_RUN = 4;
/** US dollars: a few requests of an agent, whose prompt alone has thousands of tokens. */
const SPEND_PER_RUN = 0.1;
export const ADMIN_KEY = 'admin-clients-0123456789abcdef0123';

/** Resolves once it listens. `log` returns what it has said since the start; `stop` ends it and removes its data. */
export async function startGateway() {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-clients-'));
  writeFileSync(join(folder, 'gateway.yaml'), configOf(folder));
  let log = '';
  const { value, stop } = await start('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...environment(),
      GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
      GATEWAY_ADMIN_KEY: ADMIN_KEY,
      LOG_LEVEL: 'warn',
    },
    seconds: START_SECONDS,
    found: (text) => /listens on (\S+)/.exec(text)?.[1],
    onText: (bytes) => (log = (log + String(bytes)).slice(-500_000)),
  });
  return {
    url: value,
    log: () => log,
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Without the credentials of vendors: the twin answers, whatever the shell has set. */
function environment() {
  const secret = /_(API_KEY|SECRET_KEY|SECRET_ID|ACCESS_KEY|PRIVATE_KEY)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !secret.test(name) && !['PORT', 'HOST', 'DATABASE_URL', 'REDIS_URL'].includes(name),
    ),
  );
}

function configOf(folder) {
  return `server: { host: 127.0.0.1, port: 0, drain_seconds: 1 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
twin: { enabled: true, video_seconds: 1 }
keys:
  - { name: clients, key: ${KEY} }
  - { name: requests, key: ${CAPPED_KEYS.requests_per_run}, limits: { requests_per_run: ${REQUESTS_PER_RUN} } }
  - { name: spend, key: ${CAPPED_KEYS.spend_per_run}, limits: { spend_per_run: ${SPEND_PER_RUN} } }
security: { encryption_key: '${Buffer.alloc(32, 3).toString('base64')}' }
`;
}
