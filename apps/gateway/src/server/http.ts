/** The HTTP side, ready to be listened with. */
import type { Express, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createApp } from '../http/app.ts';
import { createMessageClasses, type MessageClasses } from '../http/messages.ts';
import type { Handlers, OperationId } from '../http/operation.ts';
import { onItsOwnPort } from '../http/surface.ts';
import type { Access } from './access.ts';
import { requestWriter } from './log.ts';
import type { ExportedMeter } from './meter.ts';
import { signedLinkOf } from './signed-link.ts';
import { twinMedia } from './twin-media.ts';

export interface HttpOptions {
  readonly config: Pick<Config, 'server'>;
  readonly handlers: Handlers;
  readonly access: Pick<Access, 'adminKey' | 'links' | 'authenticator'>;
  readonly portal: RequestHandler;
  readonly twinUrl: string | undefined;
  /** Known when the ports are open. */
  readonly adminPort: () => number | undefined;
  readonly log: Logger;
  readonly meter: ExportedMeter;
  readonly now: () => number;
  readonly draining: () => boolean;
  readonly validateResponses: boolean;
}

export interface Http {
  readonly app: Express;
  readonly messages: MessageClasses;
  /** Operations of the document that nobody serves. */
  readonly missing: readonly OperationId[];
}

/** Builds the app; it knows nothing of ports yet. */
export function createHttp(options: HttpOptions): Http {
  const { config, handlers, access, portal, twinUrl, log, meter, now, draining } = options;
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
    adminKeyHash: access.adminKey.hash,
    signedLink: signedLinkOf(access.links),
    draining,
    validateResponses: options.validateResponses,
    open: [
      ...(config.server.adminPort === undefined ? [] : [adminApart(options.adminPort)]),
      portal,
      ...(twinUrl === undefined ? [] : [twinMedia(twinUrl)]),
    ],
  });
  return { app, messages, missing };
}

/** The admin API has a port of its own, whose number is known when it is open. */
function adminApart(adminPort: () => number | undefined): RequestHandler {
  let apart: RequestHandler | undefined;
  return (request, response, next) => {
    apart ??= onItsOwnPort(adminPort() ?? 0);
    void apart(request, response, next);
  };
}
