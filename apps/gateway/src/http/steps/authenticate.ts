/** Authenticates the caller before a byte of the body is read. Only authenticated callers learn that a path does not exist. */
import { timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
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
export function authenticate(parts: AuthenticateParts): RequestHandler {
  return new Authentication(parts).step;
}

/** Finds out who asks: at once where it can, with a promise where somebody must be looked up. */
class Authentication {
  private readonly authenticator: ApiKeyAuthenticator;
  private readonly adminKeyHash: () => string;
  private readonly links: AuthenticateParts['links'];
  private readonly clientSecrets: AuthenticateParts['clientSecrets'];
  private readonly tokens: AuthenticateParts['tokens'];
  private readonly sessions: AuthenticateParts['sessions'];

  constructor({ authenticator, adminKeyHash, links, clientSecrets, tokens, sessions }: AuthenticateParts) {
    this.authenticator = authenticator;
    this.adminKeyHash = adminKeyHash;
    this.links = links;
    this.clientSecrets = clientSecrets;
    this.tokens = tokens;
    this.sessions = sessions;
  }

  readonly step: RequestHandler = (request, response, next) => {
    const { match } = response.locals.exchange;
    // A malformed path exists for nobody, so this answer reveals nothing.
    if (match.refusal?.code === 'invalid_request') throw match.refusal;
    const lookedUp = this.identify(request, response);
    if (lookedUp !== undefined) lookedUp.then(() => goOn(match, next)).catch(next);
    else if (match.refusal !== undefined) throw match.refusal;
    else next();
  };

  /** Throws, or rejects, for whom the operation does not take. */
  private identify(request: Request, response: Response): Promise<void> | undefined {
    const exchange = response.locals.exchange;
    const { access } = exchange.match.place;
    if (request.headers.cookie !== undefined && this.sessions !== undefined) {
      const cookie = cookieOf(request, response);
      if (cookie !== undefined && OPENED_BY_SESSIONS.has(access))
        return this.bySession(this.sessions, cookie, { request, response });
    }
    switch (access) {
      case 'public':
        return undefined;
      case 'any-key':
        return this.byAnyKey(request, response);
      case 'admin':
        this.checkAdmin(request, exchange.address);
        exchange.admin = true;
        return undefined;
      case 'signed-link':
        if (isSigned(this.links, exchange, request)) return undefined;
        throw new GatewayError('unauthenticated', 'the link has expired or was changed; ask for a new one');
      case 'key':
        return isSigned(this.links, exchange, request) ? undefined : this.byKey(request, response);
    }
  }

  private byAnyKey(request: Request, response: Response): Promise<void> | undefined {
    const token = tokenOf(request, response);
    if (token === undefined || !this.isAdminKey(token)) return this.byKey(request, response);
    response.locals.exchange.admin = true;
    return undefined;
  }

  /** Only wrong keys are counted and refused, so a valid key is not affected by guesses from the same address. */
  private checkAdmin(request: Request, address: string | undefined): void {
    const { guesses } = this.authenticator;
    const token = tokenOf(request);
    if (token === undefined) throw notTheAdminKey();
    if (this.isAdminKey(token)) return;
    const isOver = guesses.isOver(address);
    guesses.count(address);
    throw isOver ? guesses.refusal(address) : notTheAdminKey();
  }

  private isAdminKey(token: string): boolean {
    return isSecret(token, this.adminKeyHash());
  }

  /** A client key, or what stands for one. */
  private byKey(request: Request, response: Response): Promise<void> | undefined {
    const actor = actorOf(request.socket);
    if (actor !== undefined) {
      actFor(actor, request, response);
      return undefined;
    }
    const { address, match } = response.locals.exchange;
    const given = tokenOf(request, response);
    if (given !== undefined && this.tokens?.isToken(given) === true)
      return this.tokens.find(given, address).then(({ key, user }) => this.become(key, request, response, { user }));
    const token = keyIn(given);
    if (isClientSecret(token) && OPENED_BY_SECRETS.has(match.operation?.id ?? ''))
      return this.bySecret(token, request, response);
    const found = this.authenticator.find(token, address);
    if (found instanceof Promise) return found.then((key) => this.become(key, request, response));
    this.become(found, request, response);
    return undefined;
  }

  /** A running session continues after its token has expired. */
  private async bySecret(token: string, request: Request, response: Response): Promise<void> {
    const exchange = response.locals.exchange;
    const isOpen = askedWith(request) !== undefined;
    const { key, session, identity } = await this.clientSecrets.find(token, exchange.address, isOpen);
    exchange.realtimeSession = session;
    this.become(key, request, response, identity);
  }

  private async bySession(
    sessions: Pick<ConsoleSessions, 'find'>,
    token: string,
    { request, response }: { readonly request: Request; readonly response: Response },
  ): Promise<void> {
    const exchange = response.locals.exchange;
    const session = await sessions.find(token, exchange.address).catch((error: unknown) => {
      const isOver = error instanceof GatewayError && error.code === 'unauthenticated';
      if (isOver && !(error instanceof SessionReplaced)) takeSessionBack(response);
      throw error;
    });
    checkCsrf(request, session);
    checkRights(session, exchange);
    const { access } = exchange.match.place;
    exchange.session = session;
    if (session.admin && access !== 'key') exchange.admin = true;
    if (session.key !== undefined && access !== 'admin') this.become(session.key, request, response);
  }

  private become(key: KeyRecord, request: Request, response: Response, identity?: RequestIdentity): void {
    this.authenticator.checkAddress(key, response.locals.exchange.address);
    admitAs(key, request, response, { ...labelsOf(key, request), ...(identity !== undefined && { identity }) });
  }
}

function goOn(match: Exchange['match'], next: NextFunction): void {
  if (match.refusal !== undefined) throw match.refusal;
  next();
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
function checkRights(session: OpenSession, { match: { place, operation } }: Exchange): void {
  if (place.access === 'admin') {
    if (session.admin) return;
    throw new GatewayError('forbidden', 'this session does not open the admin API; sign in with the admin key');
  }
  if (place.access === 'key' && session.key === undefined)
    throw new GatewayError('forbidden', 'this session is only for the admin API; add a key to it, or sign in with one');
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
