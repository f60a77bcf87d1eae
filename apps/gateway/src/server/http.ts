/** The HTTP side, ready to be listened with. */
import type { Express, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createApp } from '../http/app.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createMessageClasses, type MessageClasses } from '../http/messages.ts';
import type { Handlers, OperationId } from '../http/operation.ts';
import { DOCS_MOUNT, TWIN_MOUNT } from '../http/mounts.ts';
import type { RunIdempotently } from '../http/pipeline/idempotency.ts';
import type { Access } from './access.ts';
import { requestWriter } from './log.ts';
import type { ExportedMeter } from './meter.ts';
import { twinMedia } from './twin-media.ts';

export interface HttpOptions {
  readonly config: Pick<Config, 'server'>;
  readonly handlers: Handlers;
  readonly runIdempotently: RunIdempotently;
  readonly access: Pick<Access, 'adminKey' | 'links' | 'authenticator' | 'limiter'>;
  readonly portal: RequestHandler;
  readonly twinUrl: string | undefined;
  /** Known when the ports are open. */
  readonly adminPort: () => number | undefined;
  readonly log: Logger;
  readonly meter: ExportedMeter;
  readonly now: () => number;
}

export interface Http {
  readonly app: Express;
  readonly messages: MessageClasses;
  /** Operations of the document that nobody serves. */
  readonly missing: readonly OperationId[];
}

/** Builds the app; it knows nothing of ports yet. */
export function createHttp(options: HttpOptions): Http {
  const { config, handlers, access, portal, twinUrl, log, meter, now } = options;
  const messages = createMessageClasses();
  const { app, missing } = createApp({
    messages,
    tellRequest: requestWriter(log),
    handlers,
    authenticator: access.authenticator,
    log,
    meter,
    now,
    bodyLimit: config.server.bodyLimit,
    bodyMemory: config.server.bodyMemory,
    adminKeyHash: access.adminKey.hash,
    clientAddress: createClientAddress(config.server.trustedProxies),
    limiter: access.limiter,
    links: access.links,
    runIdempotently: options.runIdempotently,
    adminPort: options.adminPort,
    mounts: [
      { path: DOCS_MOUNT, serve: portal },
      ...(twinUrl === undefined ? [] : [{ path: TWIN_MOUNT, serve: twinMedia(twinUrl) }]),
    ],
  });
  return { app, messages, missing };
}
