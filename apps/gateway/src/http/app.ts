/** The Express app: settings, and one middleware that is the whole way of a request. */
import express, { type Express } from 'express';
import { adopt, type MessageClasses } from './messages.ts';
import type { OperationId } from './operation.ts';
import { createPipeline, type PipelineParts } from './pipeline/index.ts';
import { operations } from './route-table.ts';

export interface AppOptions extends PipelineParts {
  readonly messages: MessageClasses;
}

/** Builds the app; also says which operations of the document it does not serve. */
export function createApp(options: AppOptions): { readonly app: Express; readonly missing: readonly OperationId[] } {
  const app = express();
  adopt(app, options.messages);
  app.disable('x-powered-by');
  app.disable('etag');
  // `/Admin` is another path than `/admin`.
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.use(createPipeline(options));
  return { app, missing: operations.filter(({ id }) => options.handlers[id] === undefined).map(({ id }) => id) };
}
