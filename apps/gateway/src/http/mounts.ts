/** What is served beside the operations of the document: pages and pictures for browsers, by the beginning of their path, without a key. */
import type { RequestHandler } from 'express';
import { OPERATIONS } from '@model-gateway/contracts';

/** The portal: its first page is an operation of the document, what it is made of lies under it. */
export const DOCS_MOUNT = OPERATIONS.getDocs.path;
/** The console: its first page and its files; signing in, under it, is operations of the document. */
export const CONSOLE_MOUNT = '/console';
/** The vendor twin's pictures and films, under the gateway's own address. */
export const TWIN_MOUNT = '/twin';

export interface Mount {
  /** `/docs`: that path, and those under it. */
  readonly path: string;
  /** Answers a GET or HEAD, or calls `next` for what it does not have. */
  readonly serve: RequestHandler;
}

/** Makes the step that serves them, where the document has no such path. On a port of the admin API's own there are none: it comes after the look at the port. */
export function serveMounts(mounts: readonly Mount[]): RequestHandler {
  return (request, response, next) => {
    const isOfDocument = response.locals.exchange.match.refusal?.code === 'method_not_allowed';
    if (isOfDocument || (request.method !== 'GET' && request.method !== 'HEAD')) {
      next();
      return;
    }
    const { path } = request;
    const mount = mounts.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    if (mount === undefined) next();
    else void mount.serve(request, response, next);
  };
}
