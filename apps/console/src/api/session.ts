/** Who is signed in. The key goes to the gateway once and is kept nowhere; the session is a cookie that scripts cannot read. */
import type { components } from '@model-gateway/contracts';
import { t } from '../text/text.ts';
import { FaultError, readFault } from './fault.ts';
import { signal, useSignal } from './signal.ts';

export type Identity = components['schemas']['ConsoleIdentity'];
export type SingleSignOn = components['schemas']['SingleSignOn'];
const SESSION = '/console/session';

/** `undefined` until it is known; `null` when nobody is signed in. */
export const identity = signal<Identity | null | undefined>(undefined);
/** True when the session ended under a page: signing in again goes on where it was. */
export const isOver = signal(false);

/** What requests that change something send beside the cookie. */
export function csrfHeaders(method: string): Readonly<Record<string, string>> {
  const token = identity.get()?.csrf_token;
  return method === 'GET' || method === 'HEAD' || token === undefined || token === null
    ? {}
    : { 'x-csrf-token': token };
}

/** Asks who the cookie stands for. Throws when the gateway cannot be reached. */
export async function whoIsThere(): Promise<Identity | null> {
  const response = await fetch(SESSION, { credentials: 'same-origin' });
  if (response.status === 401) return null;
  const body = (await response.json()) as unknown;
  if (!response.ok) throw new FaultError(readFault(body, response));
  return body as Identity;
}

/** Begins a session. With `beside`, the one that is open keeps what it opens, and the key is put beside it. */
export async function signIn(key: string, beside = false): Promise<void> {
  let response: Response;
  try {
    response = await fetch(SESSION, {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(beside && csrfHeaders('POST')),
      },
      body: JSON.stringify(beside ? { keep_current: true } : {}),
    });
  } catch {
    throw new FaultError({
      message: t('The gateway cannot be reached.'),
      code: 'network',
      status: 0,
      requestId: undefined,
    });
  }
  const body = (await response.json().catch(() => undefined)) as unknown;
  if (!response.ok) throw new FaultError(readFault(body, response));
  identity.set(body as Identity);
  isOver.set(false);
}

/** Ends the session, and leads on to where the identity provider's ends that began it. */
export async function signOut(): Promise<void> {
  const reply = await fetch(SESSION, { method: 'DELETE', credentials: 'same-origin', headers: csrfHeaders('DELETE') });
  const body = (await reply.json().catch(() => undefined)) as { sign_out_url?: string | null } | undefined;
  identity.set(null);
  if (typeof body?.sign_out_url === 'string') window.location.assign(body.sign_out_url);
}

/** The identity provider that people may sign in with; null where there is none. */
export async function waysToSignIn(): Promise<SingleSignOn | null> {
  const reply = await fetch('/console/sign-in', { credentials: 'same-origin' });
  if (!reply.ok) return null;
  return ((await reply.json()) as components['schemas']['ConsoleSignIn']).single_sign_on;
}

/** After an answer of 401: looks whether the session itself has ended, or only does not open what was asked for. */
export async function lookAtSession(): Promise<void> {
  const found = await whoIsThere().catch(() => undefined);
  if (found === null) isOver.set(true);
}

export interface Rights {
  /** The admin API is open to the session, and on this port. */
  readonly admin: boolean;
  /** The public API is: the session has a key. */
  readonly key: Identity['key'];
  /** Somebody pays for what the key asks of models. */
  readonly mayPay: boolean;
}

/** What the session opens; pages that need more are not shown. */
export function useRights(): Rights {
  return rightsOf(useSignal(identity));
}

export function rightsOf(who: Identity | null | undefined): Rights {
  return { admin: who?.admin === true && who.admin_api, key: who?.key ?? null, mayPay: who?.may_pay === true };
}
