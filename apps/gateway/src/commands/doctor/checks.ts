/** What `gateway doctor` looks at: accounts, the database, the disk, a running gateway, the identity provider, Redis. */
import { wholeAccounts } from '@model-gateway/core';
import { existsSync, constants } from 'node:fs';
import { GatewayError } from '@model-gateway/contracts';
import { openStore } from '@model-gateway/store';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createClient } from '@model-gateway/client';
import { createAccountTester } from '../../resources/accounts/account-tester.ts';
import { type ClockQuestion, clockFinding } from './clock.ts';
import type { Finding } from './finding.ts';
import type { Config } from '../../config/config.ts';
import { GATEWAY_ADDRESS } from '../../server/listeners.ts';
import { codeOf } from '../../server/start-fault.ts';
import { discover, reasonOf } from '../../resources/console/oidc/provider.ts';

const PATIENCE_MS = 3000;

/** Makes one cheap call for each account that is on. */
export async function lookAtAccounts({ catalogue, now, offline }: ClockQuestion): Promise<readonly Finding[]> {
  const accounts = wholeAccounts(catalogue.accounts.filter(({ twin }) => !twin));
  const on = accounts.filter(([account]) => account.on);
  const off = accounts.flatMap(([account]) => (account.on ? [] : [account.name]));
  const without: Finding = {
    name: 'accounts off',
    state: on.length === 0 ? 'warning' : 'ok',
    message: `${off.join(', ')}: no credentials`,
    ...(on.length === 0 && {
      advice: 'the vendor twin answers everything until you set a credential such as OPENAI_API_KEY',
    }),
  };
  const silent = offline && on.length > 0;
  await using tester = createAccountTester(catalogue, now);
  const tried = silent
    ? [{ name: 'accounts on', state: 'ok' as const, message: `${on.map(([{ name }]) => name).join(', ')}: not tried` }]
    : await Promise.all(
        on.map(async (members): Promise<Finding> => {
          const [account] = members;
          const { ok, message } = await tester.testAll(members);
          const name = `account ${account.name}`;
          if (ok) return { name, state: 'ok', message };
          return { name, state: 'fault', message, advice: `gateway accounts test ${account.name} tries it again` };
        }),
      );
  return [...tried, ...(off.length === 0 ? [] : [without])];
}

const SKEW_MS = 60_000;

/** Opens the database beside a running gateway. One that is not there yet is not made. */
export async function lookAtDatabase({ databaseUrl }: Config, now: () => number): Promise<readonly Finding[]> {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  const shown = databaseUrl.replace(/\/\/[^@/]*@/, '//…@');
  if (file !== undefined && file !== ':memory:' && !existsSync(file))
    return [{ name: 'database', state: 'ok', message: `${shown} is not there yet; the first start makes it` }];
  try {
    const store = await openStore(databaseUrl, { beside: true });
    try {
      const begun = performance.now();
      await store.ping();
      const took = Math.round(performance.now() - begun);
      const [newest] = await store.audit.list({ limit: 1 });
      const [line] = await store.ledger.entries({ order: 'newest', limit: 1 });
      const ahead = Math.max(newest?.at ?? 0, line?.createdAt ?? 0) - now();
      return [
        { name: 'database', state: 'ok', message: `${shown} answers in ${took} ms` },
        ...(ahead > SKEW_MS ? [fromTheFuture(ahead)] : []),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [{ name: 'database', state: 'fault', message: error.message, advice: adviceFor(file, shown) }];
  }
}

function fromTheFuture(ahead: number): Finding {
  return {
    name: 'clock',
    state: 'fault',
    message: `the database has lines that are ${Math.round(ahead / 1000)} s ahead of this machine's clock`,
    advice: 'set the clock (timedatectl set-ntp true); it ran ahead before, or runs behind now',
  };
}

function adviceFor(file: string | undefined, shown: string): string {
  return file === undefined
    ? `see that a server answers at ${shown} and takes user and password of DATABASE_URL (or database.url)`
    : `see that ${file} is a database of the gateway, and DATABASE_URL (or database.url) means it`;
}

const MB = 1024 * 1024;
const TOO_LITTLE_MB = 100;
const LITTLE_MB = 1024;

/** Looks at the folders of the database and of kept files. */
export async function lookAtDisk({ databaseUrl, files }: Config): Promise<readonly Finding[]> {
  const database = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  const folders = new Map([
    ...(database === undefined || database === ':memory:'
      ? []
      : [[dirname(resolve(database)), 'database.url'] as const]),
    ...(files.s3 === undefined ? [[resolve(files.folder), 'files.folder'] as const] : []),
  ]);
  return Promise.all([...folders].map(([folder, setting]) => look(folder, setting)));
}

async function look(folder: string, setting: string): Promise<Finding> {
  const there = await nearest(folder);
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    return {
      name: 'disk',
      state: 'fault',
      message: `${folder} cannot be written (${codeOf(error)})`,
      advice: `give the gateway's user leave to, or name another place in ${setting}`,
    };
  }
  const { bavail, bsize } = await statfs(there);
  const free = Math.floor((bavail * bsize) / MB);
  const message = `${free.toLocaleString('en-US')} MB free for ${folder}`;
  if (free >= LITTLE_MB) return { name: 'disk', state: 'ok', message };
  const advice = `free some, or name another place in ${setting}: a full disk stops every write`;
  return { name: 'disk', state: free < TOO_LITTLE_MB ? 'fault' : 'warning', message, advice };
}

/** The folder, or what is there of its path: the first start makes the rest. */
async function nearest(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return exists || folder === dirname(folder) ? folder : nearest(dirname(folder));
}

/** Asks the port of the configuration whether it is ready; where nothing answers there, the gateway that listened last on this database. */
export async function lookAtGateway({ server, databaseUrl }: Config): Promise<readonly Finding[]> {
  const host = ['0.0.0.0', '::'].includes(server.host) ? '127.0.0.1' : server.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  const [found] = await askGateway(url);
  if (found !== undefined) return [found];
  const other = await addressIn(databaseUrl);
  const [elsewhere] = other === undefined || other === url ? [] : await askGateway(other);
  return [elsewhere ?? { name: 'gateway', state: 'ok', message: `none runs at ${url}; gateway serve starts one` }];
}

/** The address that the gateway of a database wrote down; undefined where there is no database yet, or none can be opened. */
async function addressIn(databaseUrl: string): Promise<string | undefined> {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  if (file !== undefined && (file === ':memory:' || !existsSync(file))) return undefined;
  try {
    const store = await openStore(databaseUrl, { beside: true });
    try {
      const address = await store.settings.read(GATEWAY_ADDRESS);
      return address?.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1');
    } finally {
      await store.close();
    }
  } catch {
    // What is wrong with the database is a finding of its own.
    return undefined;
  }
}

/** Nothing where nobody answers. */
async function askGateway(url: string): Promise<readonly Finding[]> {
  // Whoever listens there, or wrote the address down, is not to be told the key of the environment.
  const client = createClient({ baseUrl: url, apiKey: () => undefined, maxRetries: 0, timeoutMs: PATIENCE_MS });
  try {
    await client.call('getReadiness');
    return [{ name: 'gateway', state: 'ok', message: `one runs at ${url} and is ready` }];
  } catch (error) {
    if (error instanceof Error && 'status' in error)
      return [
        {
          name: 'gateway',
          state: 'warning',
          message: `what runs at ${url} is not ready (${String(error.status)})`,
          advice: 'see its log: the database may be away, it may be stopping, or the port is somebody else’s',
        },
      ];
    return [];
  }
}

const NAME = 'identity provider';

/** Asks it what it is; nothing where none is configured. */
export async function lookAtIdentityProvider(
  { console: { oidc } }: Pick<Config, 'console'>,
  { offline }: { readonly offline: boolean },
): Promise<readonly Finding[]> {
  if (oidc === undefined) return [];
  const { issuer } = oidc;
  if (offline) return [{ name: NAME, state: 'ok', message: `${issuer} is not asked (--offline)` }];
  try {
    const begun = performance.now();
    const { configuration } = await discover(oidc);
    const took = Math.round(performance.now() - begun);
    const { code_challenge_methods_supported: methods } = configuration.serverMetadata();
    const answers: Finding = { name: NAME, state: 'ok', message: `${issuer} answers in ${took} ms` };
    if (methods === undefined || methods.includes('S256')) return [answers];
    return [
      {
        name: NAME,
        state: 'warning',
        message: `${issuer} does not say that it takes PKCE with S256`,
        advice: 'signing in sends it all the same; see that the provider takes it',
      },
    ];
  } catch (error) {
    return [
      {
        name: NAME,
        state: 'fault',
        message: `${issuer} cannot be used: ${reasonOf(error)}`,
        advice:
          'console.oidc.issuer is to be exactly what the provider calls itself, and its /.well-known/openid-configuration to be reached from here; keys go on working without it',
      },
    ];
  }
}

const ALONE =
  'should several gateways work on one database, each keeps limits of keys, the health of accounts, their budgets and answers for itself';

/** Asks Redis for its time. */
export async function lookAtRedis({ redisUrl }: Config, now: () => number): Promise<readonly Finding[]> {
  if (redisUrl === undefined) return [{ name: 'redis', state: 'ok', message: `none is configured: ${ALONE}` }];
  const shown = redisUrl.replace(/\/\/[^@/]*@/, '//…@');
  // By its default: in the bundle a CommonJS package has no other name.
  const { default: ioredis } = await import('ioredis');
  const redis = new ioredis.Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: string | undefined;
  redis.on('error', (error: Error) => (reason ??= codeOf(error) === 'unknown' ? error.message : codeOf(error)));
  try {
    await redis.connect();
    const begun = performance.now();
    const [seconds = 0] = await redis.time();
    const took = Math.round(performance.now() - begun);
    const clock = clockFinding(`Redis at ${shown}`, seconds * 1000 - now());
    return [
      { name: 'redis', state: 'ok', message: `${shown} answers in ${took} ms` },
      ...(clock.state === 'ok' ? [] : [clock]),
    ];
  } catch (error) {
    return [
      {
        name: 'redis',
        state: 'fault',
        message: `${shown} does not answer (${reason ?? String(error)})`,
        advice:
          'see that a Redis runs there and REDIS_URL (or redis.url) names it; without it the gateway does not start',
      },
    ];
  } finally {
    redis.disconnect();
  }
}
