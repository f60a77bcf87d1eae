/** Who asks: checked before a byte of the body is read. Unknown addresses are told to those who may ask. */
import { timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { LRUCache } from 'lru-cache';
import { hashKey, type ApiKeyAuthenticator, type KeyRecord, type SignedLinks } from '@model-gateway/core';
import { contextOf, type Context } from '../context.ts';
import { connectionSignal } from '../hang-up.ts';

const BEARER = /^Bearer +(\S+) *$/i;
const LONGEST_KEY = 512;
const MOST_ADMIN_ADDRESSES = 1_000;

export interface AuthenticateParts {
  readonly authenticator: ApiKeyAuthenticator;
  /** SHA-256, hexadecimal; asked for each request, because the key can be rotated. */
  readonly adminKeyHash: () => string;
  /** Links that players open: they carry an expiring signature instead of a key. */
  readonly links: Pick<SignedLinks, 'verify'>;
}

/** Makes the step that lets in whom the operation's `access` names. */
export function authenticate({ authenticator, adminKeyHash, links }: AuthenticateParts): RequestHandler {
  /** Where the admin key was right: others' guesses behind the same address do not keep it out. */
  const right = new LRUCache<string, true>({ max: MOST_ADMIN_ADDRESSES });

  function checkAdmin(request: Request, address: string | undefined): void {
    const token = tokenOf(request);
    const isRight = token !== undefined && isSecret(token, adminKeyHash());
    if (!isRight || !right.has(address ?? '')) authenticator.guesses.check(address);
    if (isRight) {
      right.set(address ?? '', true);
      return;
    }
    if (token !== undefined) authenticator.guesses.count(address);
    throw notTheAdminKey();
  }

  return (request, response, next) => {
    const context = contextOf(response);
    const { match } = context;
    // An address that cannot be read is one for nobody: saying so tells nothing of what there is.
    if (match.refusal?.code === 'invalid_request') throw match.refusal;
    const admit = (): void => {
      if (match.refusal !== undefined) throw match.refusal;
      next();
    };
    switch (match.place.access) {
      case 'public':
        admit();
        return;
      case 'admin':
        checkAdmin(request, context.address);
        context.admin = true;
        admit();
        return;
      case 'signed-link':
        if (!isSigned(links, context, request)) {
          throw new GatewayError('unauthenticated', 'the link has expired or was changed; ask for a new one');
        }
        admit();
        return;
      case 'key': {
        if (isSigned(links, context, request)) {
          admit();
          return;
        }
        const found = authenticator.find(presentedKey(request), context.address);
        if (!(found instanceof Promise)) {
          become(found, request, response);
          admit();
          return;
        }
        found
          .then((key) => {
            become(key, request, response);
            admit();
          })
          .catch(next);
      }
    }
  };

  function become(key: KeyRecord, request: Request, response: Response): void {
    const context = contextOf(response);
    authenticator.checkAddress(key, context.address);
    context.key = key;
    context.caller = { key, mode: key.mode, requestId: context.requestId, signal: connectionSignal(request.socket) };
  }
}

/** The key of a request: the bearer token, or what the Anthropic and Google SDKs send in its place. */
export function tokenOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return BEARER.exec(authorization)?.[1];
  const other = request.headers['x-api-key'] ?? request.headers['x-goog-api-key'];
  return typeof other === 'string' && other !== '' ? other.trim() : undefined;
}

function presentedKey(request: Request): string {
  const token = tokenOf(request);
  if (token !== undefined && token.length <= LONGEST_KEY) return token;
  throw new GatewayError(
    'unauthenticated',
    'no key came with the request; send one as Authorization: Bearer sk-… (x-api-key and x-goog-api-key are taken too)',
  );
}

function notTheAdminKey(): GatewayError {
  return new GatewayError(
    'unauthenticated',
    'the admin API takes the admin key as Authorization: Bearer …; a client key does not open it',
  );
}

/** Whether a text is the one of this hash, told in the same time whatever it is. */
export function isSecret(text: string, expectedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashKey(text), 'hex'), Buffer.from(expectedHash, 'hex'));
}

/** Whether the address carries a signature that was made for what the operation opens. */
function isSigned(links: Pick<SignedLinks, 'verify'>, { match }: Context, request: Request): boolean {
  const sort = match.operation?.signedLink;
  const id = match.parameters[match.operation?.parameters[0] ?? ''];
  if (sort === undefined || id === undefined || request.query['signature'] === undefined) return false;
  return links.verify(sort, id, request.query);
}
