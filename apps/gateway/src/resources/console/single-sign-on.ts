/** The two addresses that browsers pass on the way to an identity provider and back. They always end at the console, which says in words what went wrong. */
import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '@model-gateway/core';
import { attemptCookie, noAttemptCookie } from './oidc/attempt.ts';
import { SignInFault } from './oidc/fault.ts';
import { reasonOf } from './oidc/provider.ts';
import type { SignIn } from './oidc/sign-in.ts';
import { sessionCookie } from './cookie.ts';
import { CONSOLE_MOUNT, type Mount } from '../../http/mounts.ts';

export const SIGN_IN_MOUNT = `${CONSOLE_MOUNT}/oidc`;
const CALLBACK = `${SIGN_IN_MOUNT}/callback`;

export interface SingleSignOnParts {
  readonly signIn: SignIn;
  /** Where browsers reach the console. */
  readonly publicUrl: () => string;
  /** What attempts are sealed with. */
  readonly secret: string;
  readonly sessionMs: number;
  readonly log: Log;
}

/** Serves them. */
export function singleSignOnMount(parts: SingleSignOnParts): Mount {
  const serve: RequestHandler = (request, response, next) => {
    const step = request.path === SIGN_IN_MOUNT ? start : request.path === CALLBACK ? finish : undefined;
    // A look at the address must not use a code up.
    if (step === undefined || request.method !== 'GET') {
      next();
      return;
    }
    response.setHeader('cache-control', 'no-store');
    // The code in the address is nobody else's.
    response.setHeader('referrer-policy', 'no-referrer');
    step(parts, request, response).catch((error: unknown) => {
      if (error instanceof SignInFault) sendBack(parts, response, error);
      else next(error);
    });
  };
  return { path: SIGN_IN_MOUNT, serve };
}

async function start(
  { signIn, publicUrl, secret }: SingleSignOnParts,
  request: Request,
  response: Response,
): Promise<void> {
  const { url, attempt } = await signIn.start(request.query['return_to'], publicUrl() + CALLBACK);
  response.setHeader('set-cookie', attemptCookie(attempt, { secret, ...cookieTerms(publicUrl()) }));
  response.redirect(303, url);
}

async function finish(parts: SingleSignOnParts, request: Request, response: Response): Promise<void> {
  const { signIn, publicUrl, sessionMs, log } = parts;
  const taken = noAttemptCookie(cookieTerms(publicUrl()));
  // An attempt is good for one answer, whatever becomes of it.
  response.setHeader('set-cookie', taken);
  const { token, session, returnTo } = await signIn.finish({
    url: new URL(publicUrl() + request.originalUrl),
    cookie: request.headers.cookie,
    address: response.locals.exchange.address,
    client: request.headers['user-agent'],
  });
  const { record } = session;
  log.info({ session: record.id, role: record.person?.role, key: record.keyId }, 'somebody signed in to the console');
  const { secure } = cookieTerms(publicUrl());
  response.setHeader('set-cookie', [taken, sessionCookie(token, { lifeMs: sessionMs, secure })]);
  response.redirect(303, publicUrl() + returnTo);
}

function sendBack({ publicUrl, log }: SingleSignOnParts, response: Response, fault: SignInFault): void {
  const { requestId } = response.locals.exchange;
  log.warn(
    { request_id: requestId, fault: fault.code, why: reasonOf(fault) },
    'somebody could not sign in to the console',
  );
  const query = new URLSearchParams({ sign_in_fault: fault.code, request_id: requestId });
  response.redirect(303, `${publicUrl()}${CONSOLE_MOUNT}?${query.toString()}`);
}

function cookieTerms(publicUrl: string): { readonly path: string; readonly secure: boolean } {
  return { path: SIGN_IN_MOUNT, secure: publicUrl.startsWith('https:') };
}
