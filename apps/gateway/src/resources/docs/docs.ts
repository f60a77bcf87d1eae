/** The portal at /docs, opened when it is first asked for. No network. */
import { createHash } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { configJsonSchema } from '../../config/json-schema.ts';
import { DOCS_MOUNT } from '../../http/mounts.ts';
import { openPortal, type Portal, type PortalFile } from './portal-from-sources.ts';

const SCHEMA = `${DOCS_MOUNT}/gateway.schema.json`;

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
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    const isPage = path === DOCS_MOUNT || path.startsWith(`${DOCS_MOUNT}/`);
    if (path === SCHEMA && (request.method === 'GET' || request.method === 'HEAD')) {
      send(request, response, { type: 'application/schema+json; charset=utf-8', body: schema() });
      return;
    }
    if (!isPage || (request.method !== 'GET' && request.method !== 'HEAD')) {
      next();
      return;
    }
    portal ??= openPortal();
    portal
      .then(async (pages) => {
        const found = await (path === DOCS_MOUNT ? pages.file('index.html', path) : pages.file(fileUnder(path)));
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

let schemaText: string | undefined;
/** What editors complete a configuration by. */
function schema(): string {
  return (schemaText ??= JSON.stringify(configJsonSchema(), undefined, 2));
}

function fileUnder(path: string): string {
  const file = path.slice(DOCS_MOUNT.length + 1);
  return file === '' ? 'index.html' : file;
}

function send(request: Request, response: Response, { type, body }: PortalFile): void {
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
