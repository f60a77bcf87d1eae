import cluster from 'node:cluster';
import { availableParallelism, totalmem } from 'node:os';
import { OPERATIONS } from '@model-gateway/contracts';
import { ensureOwner, hashKey, keyHint, newKeyText, wholeAccounts } from '@model-gateway/core';
import type { Logger } from 'pino';
import { readConfig, type Config } from '../config/config.ts';
import { watchFile } from '../config/watch-file.ts';
import { refuseChange } from '../server/reloading.ts';
import { CONSOLE_MOUNT } from '../http/mounts.ts';
import { startServer, type GatewayServer, type ServerOptions } from '../server/gateway-server.ts';
import { lowerHelperThreads } from '../server/helper-threads.ts';
import { returnIdleMemory } from '../server/idle-memory.ts';
import { flushed } from '../server/log.ts';
import { openOperatorLog } from '../server/operator-log.ts';
import { adviceFor } from '../server/start-fault.ts';
import { setV8Flags } from '../server/v8-flags.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { workerCount, type Machine } from '../workers/count.ts';
import { ROLE } from '../workers/messages.ts';
import { startPrimary, type Primary } from '../workers/primary.ts';
import { EndedAtStart } from '../workers/twin-keeper.ts';
import { runTwin } from '../workers/twin-process.ts';
import { channelOf, runWorker } from '../workers/worker.ts';
import type { Screen } from './terminal.ts';

/**
 * `gateway serve`: runs until SIGTERM or SIGINT, then finishes what runs and exits 0; with `server.workers`, in as many processes. Rejects with a
 * sentence when it cannot start. `step` is for crash tests.
 */
export async function serve(terminal: Screen, { step }: Pick<ServerOptions, 'step'> = {}): Promise<void> {
  const { env, now } = terminal;
  // Whatever is written from here on (database, kept files, forms on their way) is for the gateway's own user.
  process.umask(0o077);
  returnIdleMemory();
  lowerHelperThreads();
  setV8Flags();
  const role = env[ROLE];
  if (role === 'twin') {
    await runTwin(process, now).catch(async (error: unknown) => {
      throw await adviceFor(error, '');
    });
    process.exit(0);
  }
  if (role === 'worker') {
    const welcomed = async (server: GatewayServer, workers: number): Promise<string> =>
      welcome(server, await makeFirstKey(server, now), workers);
    process.exit(await runWorker(channelOf(process), { now, environment: env, welcome: welcomed }));
  }
  const config = readConfig(env);
  // Somebody else's workers have their cores already.
  const workers = step === undefined && cluster.isPrimary ? workerCount(config, machineHere()) : 1;
  await (workers > 1 ? serveInWorkers(terminal, config, workers) : serveAlone(terminal, config, step));
}

async function serveAlone(terminal: Screen, config: Config, step: ServerOptions['step']): Promise<void> {
  const { env, now, out } = terminal;
  const { log, telemetry, begin } = await openOperatorLog(config, terminal);
  const server = await startServer({
    config,
    now,
    log,
    ...(telemetry !== undefined && { telemetry }),
    environment: env,
    reread: () => readConfig(env),
    makeEncryptionKey: true,
    ...(step !== undefined && { step }),
  }).catch(async (error: unknown) => {
    begin();
    await telemetry?.close();
    throw await adviceFor(error, config.server.host);
  });
  const welcoming = welcome(server, await makeFirstKey(server, now), 1);
  // What was logged so far comes before it or behind it, not between its lines.
  await flushed(log);
  out(welcoming);
  begin();
  untilStopped(config, log, {
    reload: () => void tryReload(server, log),
    stop: () => shutDown(server, log, telemetry),
  });
}

async function serveInWorkers(terminal: Screen, config: Config, workers: number): Promise<void> {
  const { env, now, out } = terminal;
  const { log, begin, telemetry } = await openOperatorLog(config, { ...terminal, besideOthers: true });
  const reread = (): Config => readConfig(env);
  let primary: Primary;
  try {
    primary = await startPrimary({ config, workers, environment: env, log, now, out, reread });
  } catch (error) {
    begin();
    await telemetry?.close();
    // The process that could not start has said why.
    if (!(error instanceof EndedAtStart)) throw await adviceFor(error, config.server.host);
    process.exitCode = error.code;
    return;
  }
  begin();
  untilStopped(config, log, {
    reload: () => primary.reload(),
    stop: async () => {
      const code = await primary.stop();
      await telemetry?.close();
      await flushed(log);
      return code;
    },
  });
}

interface Running {
  readonly reload: () => void;
  /** Resolves with the exit code. */
  readonly stop: () => Promise<number>;
}

/** Reloads when the file changes or at SIGHUP, ends the process at SIGTERM or SIGINT. */
function untilStopped({ file }: Config, log: Logger, { reload, stop }: Running): void {
  process.on('SIGHUP', reload);
  const stopWatching = file === undefined ? undefined : watchFile(file, reload);
  let stopping = false;
  const end = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    stopWatching?.();
    log.info({ signal }, 'shutting down: finishing running requests');
    void stop().then((code) => process.exit(code));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** Cores and memory as far as this process may use them: a container's share counts. */
function machineHere(): Machine {
  const constrained = process.constrainedMemory();
  return {
    cores: availableParallelism(),
    memory: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(),
  };
}

/** Closes everything; resolves with the exit code when the last line of the log is written. */
async function shutDown(server: GatewayServer, log: Logger, telemetry: Telemetry | undefined): Promise<number> {
  try {
    await server.close();
    await telemetry?.close();
    await flushed(log);
    return 0;
  } catch (error) {
    log.error({ err: error }, 'the shutdown failed');
    await flushed(log);
    return 1;
  }
}

async function tryReload(server: GatewayServer, log: Logger): Promise<void> {
  await server.reload().catch((error: unknown) => refuseChange(log, error));
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

/** Which vendors are asked and which are simulated, and how another one is added. */
function vendorLines({ catalogue, hasConsole, adminUrl, isEditable }: GatewayServer): readonly string[] {
  const { accounts, models, twinOnly } = catalogue();
  const serving = new Set([...models.values()].flatMap(({ offers }) => offers.map(({ account }) => account.name)));
  const own = wholeAccounts(accounts.filter(({ twin }) => !twin)).map(([account]) => account);
  const names = (on: boolean): readonly string[] => own.filter((account) => account.on === on).map(({ name }) => name);
  const [live, other] = [names(true), names(false)];
  const simulated = other.filter((name) => serving.has(name));
  const hasTwin = accounts.some(({ twin }) => twin);
  const [first] = other.includes('openai') ? ['openai'] : other;
  const ways = [
    ...(first === 'openai' ? ['set its variable, such as OPENAI_API_KEY, and start again'] : []),
    ...(isEditable && hasConsole ? [`sign in at ${adminUrl}${CONSOLE_MOUNT}/configuration with the admin key`] : []),
    ...(isEditable && first !== undefined
      ? [`npx gateway config set accounts/${first} '{"credentials":{"api_key":"…"}}'`]
      : []),
    ...(isEditable ? [] : ['give its account credentials in the configuration file']),
  ];
  return [
    `  Live vendors: ${live.length === 0 ? 'none' : live.join(', ')}`,
    // Of a vendor that is off and whose models come with its key there is nothing to simulate.
    ...(hasTwin && simulated.length > 0
      ? [
          `  Simulated by the built-in vendor twin, for ${twinOnly ? 'every key' : 'test keys'}: ${simulated.join(', ')}`,
        ]
      : []),
    ...(other.length > 0 && ways.length > 0 ? [`  To add one: ${ways.join('; or ')}`] : []),
  ];
}

function welcome(server: GatewayServer, firstKey: string | undefined, workers: number): string {
  const { url } = server;
  const { getDocs, listModels, getOpenapi, getHealth, createChatCompletion } = OPERATIONS;
  const lines = [
    `Model gateway listens on ${url}${workers > 1 ? ` with ${workers} workers` : ''}`,
    `  ${server.hasConsole ? `console ${url}${CONSOLE_MOUNT}   ` : ''}docs ${url}${getDocs.path}   models ${url}${listModels.path}   document ${url}${getOpenapi.path}   health ${url}${getHealth.path}`,
  ];
  if (server.twinUrl !== undefined) lines.push(`  The built-in vendor twin listens on ${server.twinUrl}`);
  lines.push(...vendorLines(server), '');
  if (firstKey === undefined) lines.push('Keys: npx gateway keys list, npx gateway keys create --test');
  else {
    lines.push(
      `Test key (shown once; the vendor twin always answers it): ${firstKey}`,
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
  }
  // Last, so that it is in view when people sign in.
  if (server.newAdminKey !== undefined)
    lines.push(`Admin key (shown once; set GATEWAY_ADMIN_KEY to choose your own): ${server.newAdminKey}`);
  return lines.join('\n');
}
