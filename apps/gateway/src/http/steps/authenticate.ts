/** Authenticates the caller before a byte of the body is read. Only authenticated callers learn that a path does not exist. */
import { timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import {
  hashKey,
  type ApiKeyAuthenticator,
  type Caller,
  type CallerLabels,
  type KeyRecord,
  type RequestIdentity,
  type SignedLinks,
} from '@model-gateway/core';
import { sessionTokenOf, takeSessionBack } from '../../resources/console/cookie.ts';
import {
  isCsrfToken,
  SessionReplaced,
  type ConsoleSessions,
  type OpenSession,
} from '../../resources/console/sessions.ts';
import type { CallerTokens } from '../../resources/caller-tokens/caller-tokens.ts';
import { isClientSecret, type ClientSecrets } from '../../resources/realtime/client-secrets.ts';
import { actorOf, connectionSignal, type Actor, type Exchange } from '../exchange.ts';
import { tagsOf } from '../request-control.ts';
import type { OperationId } from '../route-table.ts';
import { askedWith } from '../upgrades.ts';

const BEARER = /^Bearer +(\S+) *$/i;
const LONGEST_KEY = 512;

export interface AuthenticateParts {
  readonly authenticator: ApiKeyAuthenticator;
  /** SHA-256, hexadecimal; asked for each request, because the key can be rotated. */
  readonly adminKeyHash: () => string;
  /** Links that players open: they carry an expiring signature instead of a key. */
  readonly links: Pick<SignedLinks, 'verify'>;
  /** Short-lived tokens that stand for a key. */
  readonly clientSecrets: Pick<ClientSecrets, 'find'>;
  /** Tokens of identity providers; absent where none is configured. */
  readonly tokens?: Pick<CallerTokens, 'isToken' | 'find'> | undefined;
  /** If absent, cookies are ignored. */
  readonly sessions?: Pick<ConsoleSessions, 'find'> | undefined;
}

/** Makes the step that admits the callers that the operation's `access` names. */
export function authenticate({
  authenticator,
  adminKeyHash,
  links,
  clientSecrets,
  tokens,
  sessions,
}: AuthenticateParts): RequestHandler {
  const isAdminKey = (token: string): boolean => isSecret(token, adminKeyHash());

  /** Only wrong keys are counted and refused, so a valid key is not affected by guesses from the same address. */
  function checkAdmin(request: Request, address: string | undefined): void {
    const { guesses } = authenticator;
    const token = tokenOf(request);
    if (token === undefined) throw notTheAdminKey();
    if (isAdminKey(token)) return;
    const isOver = guesses.isOver(address);
    guesses.count(address);
    throw isOver ? guesses.refusal(address) : notTheAdminKey();
  }

  return (request, response, next) => {
    const exchange = response.locals.exchange;
    const { match } = exchange;
    // A malformed path exists for nobody, so this answer reveals nothing.
    if (match.refusal?.code === 'invalid_request') throw match.refusal;
    const admit = (): void => {
      if (match.refusal !== undefined) throw match.refusal;
      next();
    };
    const { access } = match.place;
    const cookie =
      request.headers.cookie === undefined || sessions === undefined ? undefined : cookieOf(request, response);
    if (cookie !== undefined && OPENED_BY_SESSIONS.has(access)) {
      bySession(cookie, request, response).then(admit).catch(next);
      return;
    }
    switch (access) {
      case 'public':
        admit();
        return;
      case 'any-key': {
        const token = tokenOf(request, response);
        if (token !== undefined && isAdminKey(token)) {
          exchange.admin = true;
          admit();
        } else byKey(request, response, { admit, next });
        return;
      }
      case 'admin':
        checkAdmin(request, exchange.address);
        exchange.admin = true;
        admit();
        return;
      case 'signed-link':
        if (!isSigned(links, exchange, request)) {
          throw new GatewayError('unauthenticated', 'the link has expired or was changed; ask for a new one');
        }
        admit();
        return;
      case 'key': {
        if (isSigned(links, exchange, request)) {
          admit();
          return;
        }
        byKey(request, response, { admit, next });
      }
    }
  };

  function byKey(
    request: Request,
    response: Response,
    { admit, next }: { readonly admit: () => void; readonly next: (error: unknown) => void },
  ): void {
    const actor = actorOf(request.socket);
    if (actor !== undefined) {
      actFor(actor, request, response);
      admit();
      return;
    }
    const given = tokenOf(request, response);
    if (tokens !== undefined && given !== undefined && tokens.isToken(given)) {
      byToken(tokens, given, { request, response }).then(admit).catch(next);
      return;
    }
    const token = keyIn(given);
    if (isClientSecret(token) && OPENED_BY_SECRETS.has(response.locals.exchange.match.operation?.id ?? '')) {
      bySecret(token, request, response).then(admit).catch(next);
      return;
    }
    const found = authenticator.find(token, response.locals.exchange.address);
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

  async function byToken(
    issued: Pick<CallerTokens, 'find'>,
    token: string,
    { request, response }: { readonly request: Request; readonly response: Response },
  ): Promise<void> {
    const exchange = response.locals.exchange;
    const { key, user } = await issued.find(token, exchange.address);
    become(key, request, response, { user });
  }

  /** A running session continues after its token has expired. */
  async function bySecret(token: string, request: Request, response: Response): Promise<void> {
    const exchange = response.locals.exchange;
    const isOpen = askedWith(request) !== undefined;
    const { key, session, identity } = await clientSecrets.find(token, exchange.address, isOpen);
    exchange.realtimeSession = session;
    become(key, request, response, identity);
  }

  async function bySession(token: string, request: Request, response: Response): Promise<void> {
    const exchange = response.locals.exchange;
    const session = await sessions?.find(token, exchange.address).catch((error: unknown) => {
      const isOver = error instanceof GatewayError && error.code === 'unauthenticated';
      if (isOver && !(error instanceof SessionReplaced)) takeSessionBack(response);
      throw error;
    });
    if (session === undefined) return;
    checkCsrf(request, session);
    const { access } = exchange.match.place;
    if (access === 'admin' && !session.admin)
      throw new GatewayError('forbidden', 'this session does not open the admin API; sign in with the admin key');
    if (access === 'key' && session.key === undefined)
      throw new GatewayError(
        'forbidden',
        'this session is only for the admin API; add a key to it, or sign in with one',
      );
    checkRole(session, exchange);
    exchange.session = session;
    if (session.admin && access !== 'key') exchange.admin = true;
    if (session.key !== undefined && access !== 'admin') become(session.key, request, response);
  }

  function become(key: KeyRecord, request: Request, response: Response, identity?: RequestIdentity): void {
    authenticator.checkAddress(key, response.locals.exchange.address);
    admitAs(key, request, response, { ...labelsOf(key, request), ...(identity !== undefined && { identity }) });
  }
}

/** What a key has asked for before is done in its name; where it may come from was checked then. */
function actFor(actor: Actor, request: Request, response: Response): void {
  const { key, labels, spending, delivery } = actor;
  actor.exchange = response.locals.exchange;
  admitAs(key, request, response, { spending, ...(delivery !== undefined && { delivery }), ...labels });
}

/** The caller of a request, as it is known before the body is read. */
function admitAs(
  key: KeyRecord,
  { socket }: Request,
  { locals: { exchange } }: Response,
  more: CallerLabels & Pick<Caller, 'spending' | 'delivery'>,
): void {
  exchange.key = key;
  const { requestId } = exchange;
  exchange.knownCaller = { key, mode: key.mode, requestId, signal: connectionSignal(socket), ...more };
}

/** Nothing for a key without tags whose request names none. */
function labelsOf({ tags: ofKey }: KeyRecord, { headers }: Request): Pick<CallerLabels, 'tags'> | undefined {
  const given = headers['x-gateway-tags'];
  if (given === undefined) return ofKey === undefined ? undefined : { tags: ofKey };
  return { tags: { ...ofKey, ...tagsOf(given) } };
}

/** People who signed in with an identity provider may call the operations that the document allows for their role. */
function checkRole(session: OpenSession, { match: { place, operation } }: Exchange): void {
  if (place.access === 'admin') return;
  if (session.isMember && operation?.member !== true)
    throw new GatewayError('forbidden', 'the role member can only read and use models; this needs the role owner');
  if (operation?.paid === true && !session.mayPay)
    throw new GatewayError(
      'forbidden',
      'this session has no balance to charge; use a key, or ask the operator to configure console.oidc.playground',
    );
}

const OPENED_BY_SESSIONS: ReadonlySet<string> = new Set<Exchange['match']['place']['access']>([
  'key',
  'admin',
  'any-key',
]);
/** Operations that a client secret opens. */
const OPENED_BY_SECRETS: ReadonlySet<string> = new Set<OperationId>(['connectRealtime']);
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The session of a request that brings no key of its own, and no signature. */
function cookieOf(request: Request, response: Response): string | undefined {
  if (request.headers.authorization !== undefined || request.query['signature'] !== undefined) return undefined;
  return tokenOf(request, response) === undefined ? sessionTokenOf(request) : undefined;
}

/** Another site's page can make a browser send the cookie, and cannot read what goes beside it. */
export function checkCsrf(request: Request, session: OpenSession): void {
  if (SAFE.has(request.method)) return;
  const given = request.headers['x-csrf-token'];
  if (typeof given === 'string' && isCsrfToken(given, session)) return;
  throw new GatewayError(
    'forbidden',
    'requests that change something send the csrf_token of GET /console/session in x-csrf-token beside the cookie',
    { param: 'x-csrf-token' },
  );
}

/** Where SDKs put a key in place of a bearer token: Anthropic's, Google's, Azure's. */
const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** The key of a request: the bearer token, or what SDKs send in its place; on Google's paths `?key=`, too, as in Google's own examples. */
export function tokenOf(request: Request, response?: Response): string | undefined {
  const { headers } = request;
  const bearer = headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1];
  if (bearer !== undefined) return bearer;
  for (const name of KEY_HEADERS) {
    const given = headers[name];
    if (typeof given === 'string' && given.trim() !== '') return given.trim();
  }
  return response === undefined ? undefined : keyInQuery(request, response);
}

/** A page that the answer links to must not learn an address that contains a key. */
function keyInQuery({ query }: Request, response: Response): string | undefined {
  if (response.locals.exchange.match.place.errors !== 'gemini-generate') return undefined;
  const given = query['key'];
  if (typeof given !== 'string' || given === '') return undefined;
  response.setHeader('referrer-policy', 'no-referrer');
  return given;
}

function keyIn(token: string | undefined): string {
  if (token !== undefined && token.length <= LONGEST_KEY) return token;
  throw new GatewayError(
    'unauthenticated',
    'no key came with the request; send one as Authorization: Bearer sk-… (x-api-key, x-goog-api-key and api-key are taken too)',
  );
}

function notTheAdminKey(): GatewayError {
  return new GatewayError(
    'unauthenticated',
    'the admin API needs the admin key, as Authorization: Bearer …; a client key does not work',
  );
}

/** Whether a text has this hash, compared in constant time. */
export function isSecret(text: string, expectedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashKey(text), 'hex'), Buffer.from(expectedHash, 'hex'));
}

/** Whether the address carries a signature that was made for what the operation opens. */
function isSigned(links: Pick<SignedLinks, 'verify'>, { match }: Exchange, request: Request): boolean {
  const sort = match.operation?.signedLink;
  const id = match.parameters[match.operation?.parameters[0] ?? ''];
  if (sort === undefined || id === undefined || request.query['signature'] === undefined) return false;
  return links.verify(sort, id, request.query);
}
