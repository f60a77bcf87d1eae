/** The HTTP side: parsers → auth → validator → routes → error printer. */
import express, { type Express, type RequestHandler } from 'express';
import type { ApiKeyAuthenticator, Log, Meter } from '@model-gateway/core';
import { authenticate, authenticateAdmin, type SignedLink } from './auth.ts';
import { begin, type BeginOptions } from './begin.ts';
import { readJsonBody } from './body.ts';
import { printErrors } from './errors.ts';
import { inOrder } from './in-order.ts';
import { adopt, type MessageClasses } from './messages.ts';
import { wireOperations, type Handlers, type OperationId } from './operation.ts';
import { validateAgainstDocument } from './validation.ts';

export interface AppOptions {
  readonly messages: MessageClasses;
  readonly handlers: Handlers;
  readonly authenticator: ApiKeyAuthenticator;
  readonly log: Log;
  readonly tellRequest: BeginOptions['tellRequest'];
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
  adopt(app, options.messages);
  app.disable('x-powered-by');
  app.disable('etag');
  // `/Admin` is another path than `/admin`, whose doors are told by their names.
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('validate replies', options.validateResponses);
  const { missing, lookUp, mount } = wireOperations(options.handlers);
  app.use(
    inOrder([
      begin(options),
      ...(options.open ?? []),
      authenticateAdmin(options.adminKeyHash),
      authenticate(options.authenticator, options.signedLink),
      readJsonBody(options.bodyLimit),
      validateAgainstDocument(options),
      lookUp,
    ]),
  );
  mount(app);
  app.use(printErrors(options.log));
  return { app, missing };
}
