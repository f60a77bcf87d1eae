import { statSync } from 'node:fs';
import { OPERATIONS } from '@model-gateway/contracts';
import { ensureOwner, hashKey, keyHint, newKeyText } from '@model-gateway/core';
import type { Logger } from 'pino';
import { ConfigError, readConfig } from '../config/config.ts';
import { startServer, type GatewayServer, type ServerOptions } from '../server/gateway-server.ts';
import { createLog, flushed } from '../server/log.ts';
import { adviceFor } from '../server/start-fault.ts';
import type { Terminal } from './terminal.ts';

const WATCH_MS = 2000;

/** `gateway serve`: runs until SIGTERM or SIGINT, then finishes what runs and exits 0. Rejects with a sentence when it cannot start. `step` is for crash tests. */
export async function serve(terminal: Terminal, { step }: Pick<ServerOptions, 'step'> = {}): Promise<void> {
  const { env, now, out } = terminal;
  // Whatever is written from here on (database, kept files, forms on their way) is for the gateway's own user.
  process.umask(0o077);
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const server = await startServer({
    config,
    now,
    log,
    reread: () => readConfig(env),
    ...(step !== undefined && { step }),
  }).catch(async (error: unknown) => {
    throw await adviceFor(error, config.server.host);
  });
  const firstKey = await makeFirstKey(server, now);
  out(welcome(server, firstKey));

  const reload = (): void => tryReload(server, log);
  process.on('SIGHUP', reload);
  const stopWatching = config.file === undefined ? undefined : watchFile(config.file, reload);

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    stopWatching?.();
    log.info({ signal }, 'shutting down: finishing what runs');
    void shutDown(server, log).then((code) => process.exit(code));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Closes everything; resolves with the exit code when the last line of the log is written. */
async function shutDown(server: GatewayServer, log: Logger): Promise<number> {
  try {
    await server.close();
    await flushed(log);
    return 0;
  } catch (error) {
    log.error({ err: error }, 'the shutdown failed');
    await flushed(log);
    return 1;
  }
}

function tryReload(server: GatewayServer, log: Logger): void {
  try {
    server.reload();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.error({ faults: error.faults }, 'the changed configuration is bad; the old one stays');
  }
}

/** Looks at the file by name: Kubernetes swaps links, which watchers of an inode miss. */
function watchFile(file: string, changed: () => void): () => void {
  const stamp = (): string => {
    try {
      const { mtimeMs, size, ino } = statSync(file);
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      return '';
    }
  };
  let last = stamp();
  const timer = setInterval(() => {
    const current = stamp();
    if (current === last || current === '') return;
    last = current;
    changed();
  }, WATCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A deployment without any key gets a test key, shown once: so that the first start works at once. */
async function makeFirstKey(server: GatewayServer, now: () => number): Promise<string | undefined> {
  const { keys, owners } = server.parts.store;
  if ((await keys.list({ includeRevoked: true, limit: 1 })).length > 0) return undefined;
  const text = newKeyText('test');
  await ensureOwner(owners, { id: 1, group: 'default' }, now());
  await keys.create(
    {
      name: 'first-test-key',
      hash: hashKey(text),
      hint: keyHint(text),
      mode: 'test',
      ownerId: 1,
      group: 'default',
      models: ['*'],
      ipRanges: [],
      limits: {},
      declared: false,
    },
    now(),
  );
  return text;
}

function welcome(server: GatewayServer, firstKey: string | undefined): string {
  const { url } = server;
  const { getDocs, listModels, getOpenapi, getHealth, createChatCompletion } = OPERATIONS;
  const lines = [
    `Model gateway listens on ${url}`,
    `  docs ${url}${getDocs.path}   models ${url}${listModels.path}   document ${url}${getOpenapi.path}   health ${url}${getHealth.path}`,
  ];
  if (server.catalogue().twinOnly)
    lines.push('  No vendor account has credentials: every key is answered by the built-in vendor twin.');
  if (server.newAdminKey !== undefined)
    lines.push(`  Admin key (shown once; set GATEWAY_ADMIN_KEY to choose your own): ${server.newAdminKey}`);
  if (firstKey === undefined) {
    lines.push('  Keys: npm run gateway -- keys list, keys create --test');
    return lines.join('\n');
  }
  lines.push(
    `  Test key (shown once, always answered by the vendor twin): ${firstKey}`,
    '',
    'Try it:',
    '',
    `curl ${url}${createChatCompletion.path} -H 'authorization: Bearer ${firstKey}' -H 'content-type: application/json' \\`,
    `  -d '{"model":"gpt-5.2","messages":[{"role":"user","content":"Hello"}]}'`,
    '',
    '// node: npm install openai',
    `import OpenAI from 'openai';`,
    `const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${firstKey}' });`,
    `const answer = await client.chat.completions.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] });`,
    'console.log(answer.choices[0].message.content);',
    '',
  );
  return lines.join('\n');
}
