/** /console/session and /console/sessions: who is signed in, and where else. */
import type { Request, Response } from 'express';
import { GatewayError, type components } from '@model-gateway/contracts';
import type { ConsoleSessionRecord } from '@model-gateway/core';
import { keyView } from '../keys/view.ts';
import { timeOf } from '../values.ts';
import type { SignIn } from './oidc/sign-in.ts';
import { giveSession, sessionTokenOf, takeSessionBack } from './cookie.ts';
import type { ConsoleSessions, OpenSession, SessionOf } from './sessions.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { CONSOLE_MOUNT } from '../../http/mounts.ts';
import { checkCsrf } from '../../http/steps/authenticate.ts';
import { SIGN_IN_MOUNT } from './single-sign-on.ts';

export interface ConsoleRouteParts {
  readonly sessions: ConsoleSessions;
  readonly publicUrl: () => string;
  /** Where the admin API is when it has a port of its own. */
  readonly adminPort: () => number | undefined;
  /** Where people sign in with an identity provider, and the address of the console that it brings them back to. */
  readonly singleSignOn: { readonly signIn: SignIn; readonly publicUrl: () => string } | undefined;
}

/** Handlers of signing in. */
export function consoleRoutes(parts: ConsoleRouteParts): Handlers {
  const { sessions } = parts;
  return {
    getConsoleSignIn: operation<'getConsoleSignIn'>(() => {
      const { singleSignOn } = parts;
      const way = singleSignOn && {
        name: singleSignOn.signIn.name,
        url: singleSignOn.publicUrl() + SIGN_IN_MOUNT,
      };
      return { status: 200, body: { object: 'console_sign_in', single_sign_on: way ?? null } };
    }),
    createConsoleSession: operation<'createConsoleSession'>(async ({ request, response, body }) => {
      const exchange = response.locals.exchange;
      if (exchange.session !== undefined)
        throw new GatewayError('unauthenticated', 'start a session with a key: send it as Authorization: Bearer …');
      const beside = body.keep_current === true ? await presentSession(sessions, request, exchange.address) : undefined;
      const { token, session } = await sessions.begin({
        ...holderOf(response),
        beside,
        address: exchange.address,
        client: request.headers['user-agent'],
      });
      giveSession(response, token, { lifeMs: sessions.lifeMs, secure: isHttps(parts, request) });
      return { status: 200, body: identityView(parts, request, session) };
    }),
    getConsoleSession: operation<'getConsoleSession'>(({ request, response }) => {
      const { session, key, admin } = response.locals.exchange;
      response.setHeader('cache-control', 'no-store');
      return {
        status: 200,
        body:
          session === undefined
            ? {
                ...identity(parts, request),
                admin: admin,
                key: key === undefined ? null : keyView(key),
                may_pay: key !== undefined,
              }
            : identityView(parts, request, session),
      };
    }),
    deleteConsoleSession: operation<'deleteConsoleSession'>(async ({ response }) => {
      const { session } = response.locals.exchange;
      if (session === undefined) return { status: 200, body: endedView(undefined) };
      await sessions.end(session.record.id, holderOf(response));
      takeSessionBack(response);
      return { status: 200, body: endedView(session.record.id, await signOutUrl(parts, session)) };
    }),
    listConsoleSessions: operation<'listConsoleSessions'>(async ({ response }) => {
      const { session } = response.locals.exchange;
      const found = await sessions.list(holderOf(response));
      return { status: 200, body: { object: 'list', data: found.map((each) => sessionView(sessions, each, session)) } };
    }),
    revokeConsoleSession: operation<'revokeConsoleSession'>(async ({ request, response }) => {
      const id = String(request.params['session_id']);
      if (!(await sessions.end(id, holderOf(response))))
        throw new GatewayError('not_found', `there is no open session '${id.slice(0, 80)}' of yours`, {
          param: 'session_id',
        });
      return { status: 200, body: endedView(id) };
    }),
  };
}

function holderOf(response: Response): SessionOf {
  const { admin, key, session } = response.locals.exchange;
  const only = session?.isMember === true ? session.record.person : undefined;
  return { admin: admin, keyId: key?.id, only };
}

async function signOutUrl(
  { singleSignOn }: Pick<ConsoleRouteParts, 'singleSignOn'>,
  session: OpenSession,
): Promise<string | undefined> {
  return singleSignOn?.signIn.signOutUrl(session, singleSignOn.publicUrl() + CONSOLE_MOUNT);
}

/** The session beside whose cookie a key came. */
async function presentSession(
  sessions: ConsoleSessions,
  request: Request,
  address: string | undefined,
): Promise<OpenSession> {
  const token = sessionTokenOf(request);
  if (token === undefined)
    throw new GatewayError('invalid_request', 'keep_current needs the cookie of an open session', {
      param: 'keep_current',
    });
  const session = await sessions.find(token, address);
  checkCsrf(request, session);
  return session;
}

/** What the browser says it used, or what the operator says people use. */
function isHttps({ publicUrl }: Pick<ConsoleRouteParts, 'publicUrl'>, { headers }: Request): boolean {
  return publicUrl().startsWith('https:') || headers['x-forwarded-proto'] === 'https';
}

type Schemas = components['schemas'];

function identity(
  { adminPort }: Pick<ConsoleRouteParts, 'adminPort'>,
  { socket }: Request,
): Schemas['ConsoleIdentity'] {
  const port = adminPort();
  return {
    object: 'console_identity',
    admin: false,
    admin_api: port === undefined || port === socket.localPort,
    key: null,
    may_pay: false,
    role: null,
    session: null,
    csrf_token: null,
  };
}

function identityView(parts: ConsoleRouteParts, request: Request, session: OpenSession): Schemas['ConsoleIdentity'] {
  return {
    ...identity(parts, request),
    admin: session.admin,
    key: session.key === undefined ? null : keyView(session.key),
    may_pay: session.mayPay,
    role: session.record.person?.role ?? null,
    session: sessionView(parts.sessions, session.record, session),
    csrf_token: session.csrfToken,
  };
}

function sessionView(
  sessions: Pick<ConsoleSessions, 'idleEnd'>,
  record: ConsoleSessionRecord,
  current: OpenSession | undefined,
): Schemas['ConsoleSession'] {
  return {
    object: 'console_session',
    id: record.id,
    admin: record.adminKeyHash !== undefined,
    key_id: record.keyId ?? null,
    created_at: timeOf(record.createdAt),
    last_used_at: timeOf(record.lastUsedAt),
    expires_at: timeOf(record.expiresAt),
    idle_expires_at: timeOf(sessions.idleEnd(record)),
    address: record.address ?? null,
    client: record.client ?? null,
    current: record.id === current?.record.id,
    role: record.person?.role ?? null,
    signed_in_as: record.person?.name ?? null,
  };
}

function endedView(id: string | undefined, elsewhere?: string): Schemas['ConsoleSessionEnded'] {
  return {
    object: 'console_session.ended',
    id: id ?? null,
    ended: id !== undefined,
    sign_out_url: elsewhere ?? null,
  };
}
