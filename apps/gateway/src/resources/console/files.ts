/** The console at /console: files of a folder that was built, and its first page for every address of its own. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { CONSOLE_MOUNT } from '../../http/mounts.ts';

/** Beside the bundle; for the sources a build of its own, or the one of the last bundle. */
const FOLDERS = [
  new URL('./console/', import.meta.url),
  new URL('../../../../console/dist/', import.meta.url),
  new URL('../../../dist/console/', import.meta.url),
].map((url) => fileURLToPath(url));
const FIRST_PAGE = 'index.html';
/** Their names change with what is in them. */
const HASHED = 'assets/';
/** What the first page may have in place of a nonce for style elements that its scripts make. */
const NONCE_PLACE = '__CSP_NONCE__';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Scripts, styles and calls of its own origin only; the pictures, sounds and films of answers come from where vendors keep them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob: https: http:",
  "media-src 'self' data: blob: https: http:",
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the handler. `folder` is where a build lies; of the gateway's own when absent. Without a build it says that there is none. */
export function consoleFiles(folder?: string): { readonly serve: RequestHandler; readonly isBuilt: boolean } {
  const built = (folder === undefined ? FOLDERS : [folder]).flatMap((each) => filesOf(each) ?? [])[0];
  return {
    isBuilt: built !== undefined,
    serve: (request, response, next) => {
      if (built === undefined) {
        next(
          new GatewayError('not_found', 'the console is not part of this gateway: apps/console has not been built', {}),
        );
        return;
      }
      const asked = request.path.slice(CONSOLE_MOUNT.length + 1);
      const name = nameOf(asked, built.names);
      if (name === undefined) {
        next(new GatewayError('not_found', `the console has no file ${asked.slice(0, 200)}`));
        return;
      }
      readFile(join(built.folder, name)).then((body) => send({ request, response, name, body }), next);
    },
  };
}

interface Built {
  readonly folder: string;
  readonly names: ReadonlySet<string>;
}

/** Only files that were there when it was opened can be asked for. */
function filesOf(folder: string): Built | undefined {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).split(sep).join('/'));
    return names.includes(FIRST_PAGE) ? { folder, names: new Set(names) } : undefined;
  } catch {
    return undefined;
  }
}

/** Addresses of its pages have no ending; what has one is a file, there or not. */
function nameOf(path: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(path)) return path;
  return path.startsWith(HASHED) || /\.[A-Za-z0-9]{1,11}$/.test(path) ? undefined : FIRST_PAGE;
}

function send({
  request,
  response,
  name,
  body,
}: {
  readonly request: Parameters<RequestHandler>[0];
  readonly response: Response;
  readonly name: string;
  readonly body: Buffer;
}): void {
  const isPage = name === FIRST_PAGE;
  const nonce = isPage && body.includes(NONCE_PLACE) ? randomBytes(16).toString('base64') : undefined;
  const style = nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`;
  response.setHeader('content-security-policy', `${POLICY}; ${style}`);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cache-control', cachingOf(name, nonce));
  if (nonce === undefined) {
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    response.setHeader('etag', tag);
    if (request.headers['if-none-match'] === tag) {
      response.status(304).end();
      return;
    }
  }
  response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
  const sent = nonce === undefined ? body : body.toString('utf8').replaceAll(NONCE_PLACE, nonce);
  response.setHeader('content-length', String(Buffer.byteLength(sent)));
  response.end(request.method === 'HEAD' ? undefined : sent);
}

function cachingOf(name: string, nonce: string | undefined): string {
  if (name.startsWith(HASHED)) return 'public, max-age=31536000, immutable';
  return nonce === undefined ? 'no-cache' : 'no-store';
}
