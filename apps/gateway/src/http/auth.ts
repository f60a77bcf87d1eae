/** Who asks: checked before a byte of the body is read. */
import { timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { hashKey, type KeyRecord, type ApiKeyAuthenticator } from '@model-gateway/core';
import { contextOf } from './context.ts';
import { connectionSignal } from './hang-up.ts';

const BEARER = /^Bearer +(\S+) *$/i;
const LONGEST_KEY = 512;

/** Paths of the API proper; everything else is public or has its own checks. */
function needsKey(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/v1beta/') || path === '/v1' || path === '/v1beta';
}

/** Kept files open by their signed links only. */
function isKeptFile(path: string): boolean {
  return path.startsWith('/files/');
}

/** The bearer token, or what the Anthropic and Google SDKs send in its place. */
export function tokenOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return BEARER.exec(authorization)?.[1];
  const other = request.headers['x-api-key'] ?? request.headers['x-goog-api-key'];
  return typeof other === 'string' && other !== '' ? other.trim() : undefined;
}

/** Whether a request carries its own expiring signature instead of a key (links that players open). */
export type SignedLink = (request: Request) => boolean;

/** Makes the middleware that lets only known keys in. */
export function authenticate(authenticator: ApiKeyAuthenticator, signedLink: SignedLink): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    const keptFile = isKeptFile(path);
    if ((!needsKey(path) && !keptFile) || signedLink(request)) {
      next();
      return;
    }
    if (keptFile) throw new GatewayError('unauthenticated', 'the link has expired or was changed; ask for a new one');
    const token = tokenOf(request);
    if (token === undefined || token.length > LONGEST_KEY) {
      throw new GatewayError(
        'unauthenticated',
        'no key came with the request; send one as Authorization: Bearer sk-… (x-api-key and x-goog-api-key are taken too)',
      );
    }
    const admit = (key: KeyRecord): void => {
      authenticator.checkAddress(key, request.socket.remoteAddress);
      const context = contextOf(response);
      context.key = key;
      context.caller = { key, mode: key.mode, requestId: context.requestId, signal: connectionSignal(request.socket) };
      next();
    };
    const found = authenticator.find(token);
    if (found instanceof Promise) found.then(admit).catch(next);
    else admit(found);
  };
}

/** Whether a path is of the admin API. */
export function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/');
}

/** Makes the middleware of the admin API: one key of its own. */
export function authenticateAdmin(adminKeyHash: string): RequestHandler {
  const expected = Buffer.from(adminKeyHash, 'hex');
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isAdminPath(request.path)) {
      next();
      return;
    }
    const token = tokenOf(request);
    if (token === undefined || !timingSafeEqual(Buffer.from(hashKey(token), 'hex'), expected)) {
      throw new GatewayError(
        'unauthenticated',
        'the admin API takes the admin key as Authorization: Bearer …; a client key does not open it',
      );
    }
    contextOf(response).admin = true;
    next();
  };
}
