/** The HTTP side, ready to be listened with. */
import type { Catalogue, RequestLog } from '@model-gateway/core';
import type { Express, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { request as ask } from 'undici';
import type { Config } from '../config/config.ts';
import { createApp, createMessageClasses, type MessageClasses } from '../http/app.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Handlers, OperationId } from '../http/operation.ts';
import { DeprecatedModels } from '../http/deprecated-models.ts';
import { AppWithin } from '../http/app-within.ts';
import { Upgrades } from '../http/upgrades.ts';
import { CONSOLE_MOUNT, DOCS_MOUNT, TWIN_MOUNT, type Mount } from '../http/mounts.ts';
import type { ClientSecrets } from '../resources/realtime/client-secrets.ts';
import type { ConsoleSessions } from '../resources/console/sessions.ts';
import type { Listen } from '../http/steps/capture-content.ts';
import type { RunIdempotently } from '../http/steps/idempotency.ts';
import { consoleFiles } from '../resources/console/files.ts';
import { singleSignOnMount } from '../resources/console/single-sign-on.ts';
import type { Access } from './access.ts';
import type { OpenedSingleSignOn } from './console.ts';
import type { RequestTracing } from '../telemetry/request-tracing.ts';
import { requestWriter } from './log.ts';
import type { ExportedMeter } from './meter.ts';
import { pipeBody } from '../http/reply.ts';

export interface HttpOptions {
  readonly config: Pick<Config, 'server'>;
  readonly handlers: Handlers;
  readonly runIdempotently: RunIdempotently;
  readonly access: Pick<Access, 'adminKey' | 'links' | 'authenticator' | 'limiter' | 'tokens' | 'caps'>;
  readonly clientSecrets: ClientSecrets;
  readonly portal: RequestHandler;
  /** Undefined where the console is off. */
  readonly sessions: ConsoleSessions | undefined;
  readonly singleSignOn: OpenedSingleSignOn | undefined;
  readonly consoleFolder: string | undefined;
  readonly requests: Pick<RequestLog, 'add' | 'promptSecret'> | undefined;
  /** Undefined where no prompts and answers are kept. */
  readonly listen: Listen | undefined;
  readonly twinUrl: string | undefined;
  /** Known when the ports are open. */
  readonly adminPort: () => number | undefined;
  readonly log: Logger;
  readonly meter: ExportedMeter;
  readonly tracing: RequestTracing | undefined;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
}

export interface Http {
  readonly app: Express;
  readonly messages: MessageClasses;
  readonly upgrades: Upgrades;
  readonly within: AppWithin;
  /** Operations of the document that nobody serves. */
  readonly missing: readonly OperationId[];
  /** Whether people can look at the console here. */
  readonly hasConsole: boolean;
}

/** Builds the app; it knows nothing of ports yet. */
export function createHttp(options: HttpOptions): Http {
  const { config, handlers, access, portal, twinUrl, log, meter, now } = options;
  const messages = createMessageClasses();
  const files = options.sessions === undefined ? undefined : consoleFiles(options.consoleFolder);
  const hasConsole = files?.isBuilt === true;
  const { app, missing } = createApp({
    messages,
    tellRequest: requestWriter(log, now),
    handlers,
    authenticator: access.authenticator,
    log,
    meter,
    watch: (source) => meter.watch(source),
    ...(options.tracing !== undefined && { tracing: options.tracing }),
    now,
    bodyLimit: config.server.bodyLimit,
    bodyMemory: config.server.bodyMemory,
    adminKeyHash: access.adminKey.hash,
    deprecated: new DeprecatedModels({ catalogue: options.catalogue, log, now }),
    clientAddress: createClientAddress(config.server.trustedProxies, warnOfProxy(log)),
    limiter: access.limiter,
    caps: access.caps,
    links: access.links,
    runIdempotently: options.runIdempotently,
    ...(config.server.adminPort !== undefined && { adminPort: options.adminPort }),
    clientSecrets: options.clientSecrets,
    sessions: options.sessions,
    ...(options.requests !== undefined && { requestLog: options.requests }),
    tokens: options.access.tokens,
    ...(options.listen !== undefined && { listen: options.listen }),
    mounts: [
      { path: DOCS_MOUNT, serve: portal },
      ...(options.singleSignOn === undefined ? [] : [singleSignOnMount({ ...options.singleSignOn, log })]),
      ...(files === undefined ? [] : [{ path: CONSOLE_MOUNT, serve: files.serve }]),
      firstPage(hasConsole ? CONSOLE_MOUNT : DOCS_MOUNT),
      ...(twinUrl === undefined ? [] : [{ path: TWIN_MOUNT, serve: twinMedia(twinUrl) }]),
    ],
  });
  const within = new AppWithin(app, messages);
  const upgrades = new Upgrades({
    within,
    largestMessage: config.server.bodyLimit,
    messageMemory: config.server.bodyMemory / 2,
  });
  return { app, messages, upgrades, within, missing, hasConsole };
}

function warnOfProxy(log: Logger): (proxy: string) => void {
  return (proxy) =>
    log.warn(
      { proxy },
      'a proxy sends x-forwarded-for and is not trusted, so all of its callers count as one address; name it in server.trusted_proxies or GATEWAY_TRUSTED_PROXIES',
    );
}

/** The address without a path leads people to where they can begin. */
function firstPage(path: string): Mount {
  return {
    path: '/',
    serve: (request, response, next) => (request.path === '/' ? response.redirect(302, path) : next()),
  };
}

const COPIED = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/**
 * A link as the twin gives it out, and nothing else: not a query, no dots that lead elsewhere, nothing encoded. Anything that reached the
 * twin by another path would be a vendor's route without a key.
 */
const LINK = new RegExp(`^${TWIN_MOUNT}/media/([\\w-]{1,4096}\\.[\\w-]{22}\\.\\w{1,5})$`);

/** Makes the handler of the twin's mount. */
export function twinMedia(twinUrl: string): RequestHandler {
  return (request, response, next) => {
    const [, name] = LINK.exec(request.url) ?? [];
    if (name === undefined) {
      next();
      return;
    }
    const range = request.headers.range;
    ask(`${twinUrl}/media/${name}`, {
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      headers: range === undefined ? {} : { range },
    })
      .then((reply) => {
        response.status(reply.statusCode);
        response.setHeader('x-content-type-options', 'nosniff');
        for (const name of COPIED) {
          const value = reply.headers[name];
          if (value !== undefined) response.setHeader(name, value);
        }
        return pipeBody(reply.body, response);
      })
      .catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else next(error);
      });
  };
}
