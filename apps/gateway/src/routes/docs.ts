/** The portal at /docs: made from the document and the guides when it is first asked for, then kept. No build, no network. */
import { createHash } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { DOCS_MOUNT } from '../http/mounts.ts';
import { openApiDocument } from '../http/document.ts';

/** What tools/docs/portal gives; it lies outside the projects, so it is loaded by its address. */
interface Portal {
  file(path: string, at?: string): { readonly type: string; readonly body: string } | undefined;
}
interface PortalModule {
  createPortal(options: { readonly document: object }): Portal;
}

const PORTAL = new URL('../../../../tools/docs/portal/index.ts', import.meta.url).href;

/** Pages bring nothing from elsewhere; the pictures and films of an answer may. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob: https: http:",
  "media-src 'self' data: blob: https: http:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the handler of the portal's first page and of what is under it. It takes no key: the pages hold no secrets. */
export function docs(): RequestHandler {
  let portal: Promise<Portal> | undefined;
  const load = async (): Promise<Portal> => {
    const module = (await import(PORTAL)) as PortalModule;
    return module.createPortal({ document: openApiDocument() });
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    const isPage = path === DOCS_MOUNT || path.startsWith(`${DOCS_MOUNT}/`);
    if (!isPage || (request.method !== 'GET' && request.method !== 'HEAD')) {
      next();
      return;
    }
    portal ??= load();
    portal
      .then((pages) => {
        const found = path === DOCS_MOUNT ? pages.file('index.html', path) : pages.file(fileUnder(path));
        if (found === undefined) next();
        else send(request, response, found);
      })
      .catch((error: unknown) => {
        // The next request tries again.
        portal = undefined;
        next(error);
      });
  };
}

function fileUnder(path: string): string {
  const file = path.slice(DOCS_MOUNT.length + 1);
  return file === '' ? 'index.html' : file;
}

function send(request: Request, response: Response, { type, body }: { type: string; body: string }): void {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  response.setHeader('etag', tag);
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  if (request.headers['if-none-match'] === tag) {
    response.status(304).end();
    return;
  }
  response.setHeader('content-type', type);
  response.end(request.method === 'HEAD' ? undefined : body);
}
