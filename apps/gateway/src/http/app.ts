/** The HTTP side: parsers → auth → validator → routes → error printer. */
import express, { type Express, type RequestHandler } from 'express';
import type { KeyRing, Log, Meter } from '@model-gateway/core';
import { authenticate, authenticateAdmin, type SignedLink } from './auth.ts';
import { begin } from './begin.ts';
import { readJsonBody } from './body.ts';
import { printErrors } from './errors.ts';
import { mountOperations, type Handlers, type OperationId } from './operation.ts';
import { validateAgainstDocument } from './validation.ts';

export interface AppOptions {
  readonly handlers: Handlers;
  readonly ring: KeyRing;
  readonly log: Log;
  readonly meter: Meter;
  readonly now: () => number;
  readonly bodyLimit: number;
  readonly adminKeyHash: string;
  readonly signedLink: SignedLink;
  readonly draining: () => boolean;
  readonly validateResponses: boolean;
  /** Served before authentication (docs, the twin's media). */
  readonly open?: readonly RequestHandler[];
}

/** Builds the Express app; also says which operations of the document it does not serve. */
export function createApp(options: AppOptions): { readonly app: Express; readonly missing: readonly OperationId[] } {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // `/Admin` is another path than `/admin`, whose doors are told by their names.
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('validate replies', options.validateResponses);
  app.use(begin(options));
  for (const handler of options.open ?? []) app.use(handler);
  app.use('/admin', authenticateAdmin(options.adminKeyHash));
  app.use(authenticate(options.ring, options.signedLink));
  app.use(readJsonBody(options.bodyLimit));
  app.use(validateAgainstDocument(options));
  const missing = mountOperations(app, options.handlers);
  app.use(printErrors(options.log));
  return { app, missing };
}
