/** Who may sign in with a browser, and the log of requests that they look at. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  createRequestLog,
  createUnknownKeyLimit,
  type Log,
  type Meter,
  type RequestLog,
  type Store,
} from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { createSignIn, type SignIn } from '../resources/console/oidc/sign-in.ts';
import { createConsoleSessions, type ConsoleSessions } from '../resources/console/sessions.ts';
import type { SingleSignOnParts } from '../resources/console/single-sign-on.ts';
import { timeOfRequestId } from '../http/request-id.ts';
import type { Access } from './access.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECRET_BYTES = 32;

/** Opens the log of requests; undefined where the operator wants none. Closing it writes what waits. */
export function openRequestLog(
  resources: AsyncDisposableStack,
  {
    config,
    ...parts
  }: {
    readonly config: Pick<Config, 'requests' | 'encryptionKeys'>;
    readonly store: Store;
    readonly now: () => number;
    readonly log: Log;
    readonly meter: Meter;
  },
): RequestLog | undefined {
  if (config.requests.log === 'off') return undefined;
  const requests = createRequestLog({
    ...parts,
    store: parts.store.requests,
    keepMs: config.requests.keepDays * DAY_MS,
    timeOf: timeOfRequestId,
    promptSecret: promptSecretOf(config),
  });
  resources.defer(() => requests.close());
  return requests;
}

/** Not the key itself, which seals. Without one, no two processes have the same. */
function promptSecretOf({ encryptionKeys: [key] }: Pick<Config, 'encryptionKeys'>): string {
  if (key === undefined) return randomBytes(SECRET_BYTES).toString('base64url');
  return createHmac('sha256', Buffer.from(key, 'base64')).update('blocks of prompts').digest('base64url');
}

/** Opens the sessions of browsers; undefined where the console is off. */
export function openConsoleSessions(
  resources: AsyncDisposableStack,
  {
    config,
    store,
    access,
    now,
    log,
  }: {
    readonly config: Pick<Config, 'console'>;
    readonly store: Store;
    readonly access: Pick<Access, 'adminKey' | 'authenticator'>;
    readonly now: () => number;
    readonly log: Log;
  },
): ConsoleSessions | undefined {
  const { enabled, sessionHours, idleMinutes, oidc } = config.console;
  if (!enabled) return undefined;
  const sessions = createConsoleSessions({
    store,
    guesses: access.authenticator.guesses,
    adminKeyHash: access.adminKey.hash,
    now,
    log,
    lifeMs: sessionHours * HOUR_MS,
    idleMs: idleMinutes * MINUTE_MS,
    singleSignOn: oidc && { issuer: oidc.issuer, mayPay: oidc.playground !== undefined },
  });
  resources.defer(() => sessions.close());
  return sessions;
}

/** What signing in with an identity provider takes. */
export interface OpenedSingleSignOn extends Omit<SingleSignOnParts, 'log'> {
  readonly signIn: SignIn;
}

/** Opens it; undefined where none is configured. The provider is not asked. */
export async function openSingleSignOn(
  sessions: ConsoleSessions | undefined,
  {
    config,
    store,
    now,
    publicUrl,
  }: {
    readonly config: Pick<Config, 'console' | 'server'>;
    readonly store: Store;
    readonly now: () => number;
    readonly publicUrl: () => string;
  },
): Promise<OpenedSingleSignOn | undefined> {
  const { oidc } = config.console;
  if (sessions === undefined || oidc === undefined) return undefined;
  const secret = await store.settings.first('sign_in_secret', randomBytes(SECRET_BYTES).toString('hex'));
  const failures = createUnknownKeyLimit({ now, perMinute: config.server.unknownKeysPerMinute });
  return {
    signIn: createSignIn({ settings: oidc, secret, sessions, store, failures, now }),
    publicUrl: () => oidc.publicUrl ?? publicUrl(),
    secret,
    sessionMs: sessions.lifeMs,
  };
}
